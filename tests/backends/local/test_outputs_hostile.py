"""Jobs that put links, pipes and nothing in the place of their outputs: no tool of ours gets out of what the job writes."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pai_jupyter.backends.docker import ownership
from pai_jupyter.backends.docker.deployment import Deployment
from pai_jupyter.backends.docker.images import Image
from pai_jupyter.backends.local import fetch, misplaced, resolve_inputs, resolve_outputs
from pai_jupyter.backends.local.tables import remove_credential
from pai_jupyter.backends.process import life
from pai_jupyter.backends.process.report import read_supervisor
from pai_jupyter.errors import IncompleteFetchError, PaiJupyterError, SpecError
from pai_jupyter.events import Notice, Status
from pai_jupyter.jobs import Job
from pai_jupyter.path_guard import JobDirectory
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord, JobStore
from pai_jupyter.tfevents import EventDirectory
from pai_jupyter.wire.files.file_roots import root_of
from pai_jupyter.wire.files.output_files import files, open_file
from tests.support.local_jobs import LocalJobs, is_alive, until

SECRET = "hunter2"
CHANNELS = ("model", "checkpoints", "tensorboard", "output_parameters")


@dataclass(frozen=True)
class Scene:
    """A job whose outputs are in `output`, and beside it what it must not reach."""

    job: Job
    output: Path
    outside: Path

    @property
    def folder(self) -> Path:
        return self.job.folder.path

    def looks(self) -> dict[str, tuple[int, int, int, int]]:
        every = [self.outside, *sorted(self.outside.rglob("*"))]
        return {str(p): (s.st_uid, s.st_mode, s.st_size, s.st_mtime_ns) for p in every for s in [p.lstat()]}

    def replace(self, name: str, target: str | Path) -> None:
        """Do what the job does: put a link in the place of a directory."""
        (self.output / name).rename(self.output / f"{name}-aside")
        (self.output / name).symlink_to(target)


@contextmanager
def scene(folder: Path, *, is_elsewhere: bool = False) -> Iterator[Scene]:
    """A job that has ended, in a home below `folder`."""
    outside = folder / "outside"
    (outside / "d" / "model").mkdir(parents=True)
    (outside / "credential").mkdir()
    for path in ("secret", "d/secret", "d/model/events.out.tfevents.1", "credential/odps.json"):
        (outside / path).write_text(SECRET)
    spec = JobSpec(name="a", command="true", output_path=str(folder / "out") if is_elsewhere else None)
    job = Job(JobStore(folder / "home").create(JobRecord(id="j1", spec=spec, backend="process", created=1.0)))
    output = folder / "out" if is_elsewhere else job.folder.path / "output"
    for place in (output / name for name in CHANNELS):
        place.mkdir(parents=True)
        (place / "fine").write_text("fine")
    (job.folder.path / "run").mkdir()
    (job.folder.path / "ml" / "input" / "credential").mkdir(parents=True)
    (job.folder.path / "run" / "outputs.json").write_text(json.dumps({name: str(output / name) for name in CHANNELS}))
    yield Scene(job, output, outside)


@pytest.fixture(params=[False, True], ids=["in the job folder", "elsewhere"])
def hostile(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    with scene(tmp_path, is_elsewhere=request.param) as made:
        yield made


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[LocalJobs]:
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


# --- a link in the place of a channel ----------------------------------------------------------------------------


def test_a_replaced_channel_is_neither_listed_nor_read(hostile: Scene) -> None:
    hostile.replace("model", hostile.outside)
    with pytest.raises(SpecError, match=r"output 'model'.* is a link to .*, which is not followed"):
        files(hostile.job, {"channel": "model"})
    with pytest.raises(SpecError, match="is a link to"):
        open_file(hostile.job, "model", "secret")
    channels = files(hostile.job, {})[0]["channels"]
    assert isinstance(channels, list)
    assert [each["name"] for each in channels if isinstance(each, dict) and not each["is_open"]] == ["model"]


async def test_a_replaced_channel_is_not_fetched(hostile: Scene, tmp_path: Path) -> None:
    hostile.replace("model", hostile.outside)
    with pytest.raises(SpecError, match="is a link to"):
        await fetch(hostile.folder, "model", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_output_parameters_are_those_of_the_job(hostile: Scene) -> None:
    place = hostile.output / "output_parameters"
    (place / "link").symlink_to(hostile.outside / "secret")
    os.mkfifo(place / "pipe")
    assert hostile.job.output_parameters() == {"fine": "fine"}
    hostile.replace("output_parameters", hostile.outside)
    with pytest.raises(SpecError, match=r"'output_parameters'.* is a link to"):
        hostile.job.output_parameters()


def test_event_files_behind_a_replaced_channel_are_not_read(hostile: Scene) -> None:
    hostile.replace("tensorboard", hostile.outside)
    news = EventDirectory(JobDirectory(hostile.output, ("tensorboard",))).read()
    assert news.runs == ()
    assert "is a link to" in news.notices[0]


def test_every_replaced_channel_is_named(hostile: Scene) -> None:
    hostile.replace("model", hostile.outside)
    hostile.replace("checkpoints", "nowhere")
    (hostile.output / "tensorboard" / "fine").unlink()
    (hostile.output / "tensorboard").rmdir()
    os.mkfifo(hostile.output / "tensorboard")
    said = list(misplaced(hostile.folder))
    assert [next(name for name in CHANNELS if f"'{name}'" in each) for each in said] == list(CHANNELS[:3])


async def test_a_process_job_that_replaces_its_output_is_told_of(jobs: LocalJobs, tmp_path: Path) -> None:
    script = f"import os; p = os.environ['PAI_OUTPUT_MODEL'].rstrip('/'); os.rmdir(p); os.symlink({str(tmp_path)!r}, p)"
    ended = await jobs.run(script)
    notices = [event.text for event in ended.events if isinstance(event, Notice)]
    assert len(notices) == 1
    assert "output 'model'" in notices[0]
    assert "is a link to" in notices[0]


def test_a_key_is_not_removed_behind_a_link(hostile: Scene) -> None:
    (hostile.folder / "ml" / "input").rename(hostile.folder / "aside")
    (hostile.folder / "ml" / "input").symlink_to(hostile.outside)
    remove_credential(hostile.folder)
    assert (hostile.outside / "credential" / "odps.json").exists()


@pytest.mark.parametrize("name", ["state.json", "job.json", "run/outputs.json"])
@pytest.mark.parametrize("is_pipe", [True, False])
def test_a_record_that_is_a_pipe_or_a_link_is_neither_waited_for_nor_read(
    hostile: Scene, name: str, is_pipe: bool, tmp_path: Path
) -> None:
    path = hostile.folder / name
    path.unlink(missing_ok=True)
    if is_pipe:
        os.mkfifo(path)
    else:
        path.symlink_to(hostile.outside / "secret")
    job = Job(JobStore(tmp_path / "home").open("j1")) if name == "state.json" else hostile.job
    assert SECRET not in f"{job.state}"
    with suppress(PaiJupyterError):
        files(Job(JobStore(tmp_path / "home").open("j1")), {})
    assert list(misplaced(hostile.folder)) == []


async def test_a_process_job_that_puts_pipes_in_the_place_of_its_records_holds_nobody(
    jobs: LocalJobs, tmp_path: Path
) -> None:
    script = """
import os, pathlib, time
run = pathlib.Path({folder!r}) / "run"
for name in ("master-0.samples", "notices.json", "exit.json", "outputs.json", "disk_full"):
    (run / name).unlink(missing_ok=True)
    os.mkfifo(run / name)
time.sleep({seconds})
print("done")
"""
    seconds = life.LOOK + 1  # so that whoever follows looks at all of them meanwhile
    ended = await jobs.run(script.format(folder=str(JobStore().path(jobs.next_id)), seconds=seconds))
    assert ended.log() == "done\n"


END = {"status": "succeeded", "reason": "", "exit_code": 0, "ended": 9.0, "replicas": {}}


@pytest.mark.parametrize("changed", [["exit.json"], ["exit.json", "supervisor.json"], ["a pipe"], ["garbage"]])
async def test_a_process_job_that_says_itself_that_it_has_ended_is_stopped_all_the_same(
    jobs: LocalJobs, changed: list[str]
) -> None:
    script = f"""
import json, os, pathlib, time
run = pathlib.Path({str(JobStore().path(jobs.next_id))!r}) / "run"
if {changed == ["a pipe"]}:
    os.mkfifo(run / "exit.json")
else:
    (run / "exit.json").write_text({json.dumps(END)!r})
if {"supervisor.json" in changed}:
    said = json.loads((run / "supervisor.json").read_text())
    (run / "supervisor.json").write_text(json.dumps({{**said, "birth": "1"}}))
if {changed == ["garbage"]}:
    (run / "supervisor.json").write_text('{{"pid": "x"}}')
print("changed", flush=True)
time.sleep(600)
"""
    ref = await jobs.start(script)
    supervisor = read_supervisor(jobs.folder_of(ref))["pid"]
    await jobs.printed(ref, "changed")
    if changed in (["exit.json"], ["a pipe"]):
        assert (await jobs.backend.status(ref)).status is Status.RUNNING
    await jobs.backend.stop(ref)
    await until(lambda: not is_alive(supervisor))
    if changed == ["garbage"]:
        (jobs.folder_of(ref) / "run" / "supervisor.json").unlink()  # nothing is left to be stopped behind the test
    else:
        assert (await jobs.backend.status(ref)).status is Status.STOPPED


# --- copies ------------------------------------------------------------------------------------------------------


async def test_a_copy_writes_nothing_through_a_link_of_an_earlier_copy(hostile: Scene, tmp_path: Path) -> None:
    before = hostile.looks()
    (hostile.output / "model" / "d").symlink_to(hostile.outside / "d")
    await fetch(hostile.folder, "model", tmp_path / "copy")
    assert (tmp_path / "copy" / "d").is_symlink()
    (hostile.output / "model" / "d").unlink()
    (hostile.output / "model" / "d").mkdir()
    (hostile.output / "model" / "d" / "secret").write_text("overwritten")
    with pytest.raises(SpecError, match="is a link to"):
        await fetch(hostile.folder, "model", tmp_path / "copy")
    assert hostile.looks() == before


async def test_a_pipe_in_an_output_is_not_waited_for_and_said(hostile: Scene, tmp_path: Path) -> None:
    os.mkfifo(hostile.output / "model" / "pipe")
    (hostile.output / "model" / "m").write_text("weights")
    with pytest.raises(IncompleteFetchError, match=r"output 'model' .* but for: 'pipe' \(it is a pipe.*\)\.") as raised:
        await fetch(hostile.folder, "model", tmp_path / "copy")
    assert raised.value.place == str(tmp_path / "copy")
    assert (tmp_path / "copy" / "m").read_text() == "weights"
    assert not (tmp_path / "copy" / "pipe").exists()


# --- the next job ------------------------------------------------------------------------------------------------


def test_an_input_leads_not_out_of_what_another_job_writes(
    hostile: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "home"))
    hostile.replace("checkpoints", hostile.outside)
    given = hostile.job.output("checkpoints")
    (tmp_path / "mine").symlink_to(given)
    for place in (given, f"{given}/d", str(tmp_path / "mine")):
        with pytest.raises(SpecError, match=r"input 'start': .*checkpoints is a link to .* not followed out of there"):
            resolve_inputs(JobSpec(name="b", command="true", inputs={"start": place}))


def test_an_input_may_be_a_link_inside_of_an_output_or_one_of_the_users(
    hostile: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "home"))
    (hostile.output / "checkpoints" / "step-1").mkdir()
    (hostile.output / "checkpoints" / "latest").symlink_to("step-1")
    (tmp_path / "data").symlink_to(hostile.outside)
    places = {"start": f"{hostile.job.output('checkpoints')}latest", "data": str(tmp_path / "data" / "secret")}
    assert set(resolve_inputs(JobSpec(name="b", command="true", inputs=places))) == {"start", "data"}


@pytest.mark.parametrize("below", ["", "/new"])
def test_no_output_of_the_next_job_goes_through_a_link_that_a_job_has_left(
    hostile: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "home"))
    (hostile.output / "model" / "next").symlink_to(hostile.outside)
    place = f"{hostile.output}/model/next{below}"
    for wanted in ({"outputs": {"model": place}}, {"output_path": place}):
        with pytest.raises(SpecError, match=r"next is a link to .* not followed out of there"):
            resolve_outputs(
                JobSpec.from_json({**JobSpec(name="b", command="true").to_json(), **wanted}), tmp_path / "b"
            )


def test_an_output_may_go_through_a_link_of_the_users(
    hostile: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "home"))
    (tmp_path / "mine").symlink_to(hostile.outside)
    spec = JobSpec(name="b", command="true", output_path=str(tmp_path / "mine"))
    assert resolve_outputs(spec, tmp_path / "b")["model"] == tmp_path / "mine" / "model"


def test_an_input_that_is_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SpecError, match="is a pipe or a device"):
        resolve_inputs(JobSpec(name="b", command="true", inputs={"data": str(tmp_path / "pipe")}))


# --- anything ----------------------------------------------------------------------------------------------------

NAMES = st.sampled_from([*CHANNELS, "d", "secret", "fine", "a b", "-R", "训练", "events.out.tfevents.1", "caf\udce9"])
TARGETS = st.sampled_from(
    ["{out}", "{out}/d", "{out}/secret", "..", "../..", "../../../outside", "/", "model", "nowhere", "{out}/credential"]
)
ACTS = st.lists(
    st.tuples(
        st.sampled_from(["output", "ml", "output", "output/model"]),
        st.lists(NAMES, min_size=1, max_size=3),
        st.sampled_from(["link", "link", "link", "pipe", "file", "directory", "nothing"]),
        TARGETS,
    ),
    max_size=8,
)


def act(there: Scene, where: str, names: list[str], kind: str, target: str) -> None:
    """Do one thing as the job does it, which writes below ml and output alone."""
    top = there.folder / "ml" if where == "ml" else there.output / where.removeprefix("output").strip("/")
    path = top.joinpath(*names)
    if not Path(os.path.realpath(path.parent)).is_relative_to(os.path.realpath(top)):
        return  # through its own link: on this machine it has no more rights than before
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() or path.exists():
            path.rename(path.with_name(f"aside-{len(list(path.parent.iterdir()))}"))
        match kind:
            case "link":
                path.symlink_to(target.format(out=there.outside))
            case "pipe":
                os.mkfifo(path)
            case "file":
                path.write_text("fine")
            case "directory":
                path.mkdir()


def read_everything(there: Scene) -> str:
    """All that the tools of ours give of this job's outputs, as text."""
    seen: list[object] = []

    def tried(look: Callable[[], object]) -> None:
        with suppress(PaiJupyterError):
            seen.append(look())

    for channel in CHANNELS:
        for path in ("", "d", "secret", "d/secret", "model/secret", "fine", "a b"):
            tried(lambda c=channel, p=path: files(there.job, {"channel": c, "path": p}))  # type: ignore[misc]
            tried(lambda c=channel, p=path: files(there.job, {"channel": c, "path": p, "preview": True}))  # type: ignore[misc]
    tried(there.job.output_parameters)
    tried(EventDirectory(JobDirectory(there.output, ("tensorboard",))).read)
    return repr(seen)


@given(acts=ACTS, is_elsewhere=st.booleans())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_whatever_a_job_leaves_nothing_outside_is_read_or_changed(
    acts: list[tuple[str, list[str], str, str]], is_elsewhere: bool
) -> None:
    with TemporaryDirectory() as place, scene(Path(place), is_elsewhere=is_elsewhere) as there:
        for each in acts:
            act(there, *each)
        before = there.looks()
        assert SECRET not in read_everything(there)
        list(misplaced(there.folder))
        remove_credential(there.folder)
        assert there.looks() == before


async def copy_all(there: Scene, to: Path) -> None:
    for channel in CHANNELS:
        with suppress(PaiJupyterError):
            await fetch(there.folder, channel, to / channel)


@given(acts=ACTS, is_elsewhere=st.booleans())
@settings(max_examples=40, deadline=None)
async def test_whatever_a_job_leaves_a_copy_holds_nothing_of_the_outside(
    acts: list[tuple[str, list[str], str, str]], is_elsewhere: bool
) -> None:
    with TemporaryDirectory() as place, scene(Path(place), is_elsewhere=is_elsewhere) as there:
        for each in acts:
            act(there, *each)
            before = there.looks()
            await copy_all(there, Path(place) / "copies")
            assert there.looks() == before
        with suppress(FileNotFoundError):
            copies = [path for path in (Path(place) / "copies").rglob("*") if not path.is_symlink() and path.is_file()]
            assert all(path.read_text() == "fine" for path in copies)


class Engine:
    """An engine whose containers' users are mapped, so that directories are opened for them."""

    def info(self) -> dict[str, list[str]]:
        return {"SecurityOptions": ["name=userns"]}


def deployment(there: Scene, monkeypatch: pytest.MonkeyPatch) -> Deployment:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(there.folder.parent.parent))
    return Deployment.plan(there.job.spec, there.job.id, "unix:///nowhere")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
@given(acts=ACTS, is_elsewhere=st.booleans())
@settings(max_examples=60, deadline=None)
def test_whatever_a_job_leaves_owners_and_modes_change_in_its_directories_alone(
    acts: list[tuple[str, list[str], str, str]], is_elsewhere: bool
) -> None:
    with (
        TemporaryDirectory() as place,
        scene(Path(place), is_elsewhere=is_elsewhere) as there,
        pytest.MonkeyPatch.context() as patch,
    ):
        job = deployment(there, patch)
        engine, image = Engine(), Image(name="i", is_roots=False)
        ownership.open_up(engine, job, [image])
        for each in acts:
            act(there, *each)
        tops = [there.folder / "ml", there.output]
        for path in (path for top in tops for path in [top, *top.rglob("*")]):
            os.chown(path, 4711, 4711, follow_symlinks=False)
        for path in (there.outside, *there.outside.rglob("*")):
            os.chown(path, 4712, 4712, follow_symlinks=False)  # changed later than the job began
        before = there.looks()
        ownership.take_back(engine, job)
        assert there.looks() == before
        kept = {there.output} if is_elsewhere else set()
        assert {path.lstat().st_uid for top in tops for path in [top, *top.rglob("*")] if path not in kept} == {0}
        with suppress(PaiJupyterError):
            ownership.open_up(engine, job, [image])  # of a next job in the same place
        assert there.looks() == before


# --- races -------------------------------------------------------------------------------------------------------

SWAP = """\
import os
while True:
    os.rename("model", "aside")
    os.rename("link", "model")
    os.rename("model", "link")
    os.rename("aside", "model")
"""


@pytest.fixture
def swapped(hostile: Scene) -> Iterator[Scene]:
    """The model is a directory, and a link to the outside, and so on, all the time."""
    (hostile.output / "link").symlink_to(hostile.outside)
    (hostile.output / "model" / "secret").write_text("fine")
    (hostile.output / "model" / "d").mkdir()
    process = subprocess.Popen([sys.executable, "-c", SWAP], cwd=hostile.output)
    try:
        yield hostile
    finally:
        process.kill()
        process.wait()


async def test_a_channel_that_is_swapped_all_the_time_gives_nothing_of_the_outside(
    swapped: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "home"))
    before, read = swapped.looks(), 0
    for number in range(300):
        with suppress(PaiJupyterError):
            file, _ = open_file(swapped.job, "model", "secret")
            with file:
                assert file.read() == b"fine"
            read += 1
        with suppress(PaiJupyterError):
            assert "credential" not in str(files(swapped.job, {"channel": "model"}))
        if number % 10 == 0:
            with suppress(PaiJupyterError):
                await fetch(swapped.folder, "model", tmp_path / f"copy-{number}")
                assert (tmp_path / f"copy-{number}" / "secret").read_text() == "fine"
        with suppress(PaiJupyterError):
            root_of(swapped.job, "model").remove("d/secret")
    assert swapped.looks() == before
    assert read > 0
