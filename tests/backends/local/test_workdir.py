"""What a script leaves in its working directory is a channel of its own, without what was packed and without caches."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pai_jupyter.backends.local import packed_files, workdir, written_beside
from pai_jupyter.backends.local.workdir import beside_sentence, note_packed
from pai_jupyter.errors import NotFoundError
from pai_jupyter.events import Notice
from pai_jupyter.jobs import Job
from pai_jupyter.path_guard import hold
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord, JobStore
from pai_jupyter.wire.files.output_files import files
from tests.support.local_jobs import Ended, LocalJobs

WRITES = """
import os, pathlib
pathlib.Path("plot.png").write_text("p")
os.makedirs("runs/1"); pathlib.Path("runs/1/model.pt").write_text("m")
for cache in (".git", "__pycache__", ".cache/hf", "src/__pycache__"):
    os.makedirs(cache, exist_ok=True); pathlib.Path(cache, "x").write_text("x")
pathlib.Path("stale.pyc").write_text("x")
pathlib.Path("src/changed.py").write_text("pass  # by the job")
pathlib.Path("src/new.txt").write_text("n")
"""
PACKED = {"src/changed.py": b"pass", "src/same.py": b"pass", "data/same.csv": b"1"}
RESULTS = {"plot.png": "p", "runs/1/model.pt": "m", "src/changed.py": "pass  # by the job", "src/new.txt": "n"}


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[LocalJobs]:
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


@pytest.fixture(params=["bwrap", "proot", "plain"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PAI_JUPYTER_ML", request.param)
    return str(request.param)


def contents(place: Path) -> dict[str, str]:
    return {str(path.relative_to(place)): path.read_text() for path in place.rglob("*") if path.is_file()}


def beside(ended: Ended) -> list[str]:
    return [each.text for each in ended.events if isinstance(each, Notice) and "beside the channels" in each.text]


def recorded(ended: Ended) -> Job:
    """The job, as the panel has it."""
    spec = JobSpec(name="a job", command="python train.py")
    store = JobStore()
    if not (ended.folder / "job.json").exists():
        aside = ended.folder.with_name("aside")
        ended.folder.rename(aside)
        made = store.create(JobRecord(id=ended.ref.job_id, spec=spec, backend="process", created=1.0))
        for each in aside.iterdir():
            each.rename(made.path / each.name)
    return Job(store.open(ended.ref.job_id))


def shown(job: Job, path: str = "") -> list[str]:
    answer, _ = files(job, {"channel": "workdir", "path": path})
    return [entry["name"] for entry in answer["entries"]]


async def test_one_notice_names_what_the_script_left(jobs: LocalJobs, way: str) -> None:
    assert beside(await jobs.run(WRITES, files=PACKED)) == [
        "4 files beside the channels: plot.png, src/changed.py, src/new.txt, runs/1/model.pt, in Files below workdir."
    ]


async def test_a_script_that_leaves_nothing_is_told_nothing(jobs: LocalJobs) -> None:
    assert beside(await jobs.run("import os\nos.makedirs('__pycache__')\nos.makedirs('empty')", files=PACKED)) == []


async def test_it_is_fetched_by_itself(jobs: LocalJobs, way: str, tmp_path: Path) -> None:
    ended = await jobs.run(WRITES, files=PACKED)
    found = await jobs.backend.fetch(ended.ref, "workdir", tmp_path / "fetched")
    assert contents(found) == RESULTS
    assert not (found / "data").exists()


async def test_files_shows_it_while_the_job_runs_and_afterwards(jobs: LocalJobs) -> None:
    job = recorded(await jobs.run(WRITES, files=PACKED))
    answer, _ = files(job, {})
    assert [each["name"] for each in answer["channels"]][-1] == "workdir"
    assert shown(job) == ["runs", "src", "plot.png"]
    assert shown(job, "src") == ["changed.py", "new.txt"]
    assert shown(job, "runs/1") == ["model.pt"]
    assert job.output("workdir") == f"{job.folder.path}/ml/usercode/"


async def test_what_lies_beside_the_channels_is_in_files_too(jobs: LocalJobs) -> None:
    script = "import os, pathlib\noutput = pathlib.Path(os.environ['PAI_OUTPUT_MODEL']).parent\n"
    script += "(output / 'more').mkdir()\n(output / 'more' / 'model').write_text('x')\n"
    job = recorded(await jobs.run(script))
    answer, _ = files(job, {})
    assert [each["name"] for each in answer["channels"]][-2:] == ["beside_channels", "workdir"]
    assert [each["name"] for each in files(job, {"channel": "beside_channels"})[0]["entries"]] == ["more"]
    inside, _ = files(job, {"channel": "beside_channels", "path": "more"})
    assert [each["name"] for each in inside["entries"]] == ["model"]


async def test_hostile_entries_are_neither_followed_nor_waited_for(jobs: LocalJobs, tmp_path: Path) -> None:
    script = (
        "import os\nos.mkfifo('pipe')\nos.symlink('/etc', 'etc')\nos.symlink('/etc/hostname', 'host')\n"
        "open('a\\nb\\x1b[31m', 'w').close()\nopen(b'\\xff', 'w').close()\n"
        "os.mkdir('deep'); os.symlink('..', 'deep/up')\n"
    )
    ended = await jobs.run(script)
    (said,) = beside(ended)
    assert "\n" not in said
    assert "\x1b" not in said
    assert said.startswith("6 files beside the channels: ")
    job = recorded(ended)
    assert sorted(shown(job)) == sorted(["deep", "a\nb\x1b[31m", "etc", "host", "pipe", "\ufffd"])
    from pai_jupyter.errors import IncompleteFetchError, PaiJupyterError

    with pytest.raises(IncompleteFetchError, match="pipe"):
        await jobs.backend.fetch(ended.ref, "workdir", tmp_path / "fetched")
    assert (tmp_path / "fetched" / "host").is_symlink()
    for path in ("etc/hostname", "host", "deep/up/train.py", "pipe"):
        with pytest.raises(PaiJupyterError):
            files(job, {"channel": "workdir", "path": path, "preview": True})


async def test_a_directory_that_the_job_replaced_by_a_link_is_not_followed(
    jobs: LocalJobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "secret.txt").write_text("s")
    script = f"import os, shutil\nplace = os.getcwd()\nos.chdir('/')\nshutil.rmtree(place)\nos.symlink({str(tmp_path / 'mine')!r}, place)"
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    ended = await jobs.run(script)
    assert beside(ended) == []
    with pytest.raises(Exception, match="link"):
        await jobs.backend.fetch(ended.ref, "workdir", tmp_path / "fetched")


async def test_a_job_of_an_older_version_has_no_such_channel(jobs: LocalJobs, tmp_path: Path) -> None:
    ended = await jobs.run("open('x', 'w').close()")
    (ended.folder / "run" / "packed.json").unlink()
    assert list(written_beside(ended.folder)) == []
    with pytest.raises(NotFoundError, match="workdir"):
        await jobs.backend.fetch(ended.ref, "workdir", tmp_path / "fetched")
    answer, _ = files(recorded(ended), {})
    assert "workdir" not in [each["name"] for each in answer["channels"]]


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"a": 1}', '{"a": ["x", 2, 3]}', '{"a": [1, 2]}'])
def test_a_damaged_record_is_no_record(tmp_path: Path, damage: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "packed.json").write_text(damage)
    (tmp_path / "run" / "outputs.json").write_text("{}")
    assert packed_files(tmp_path) is None


def test_the_sentence_names_five_and_counts_the_rest() -> None:
    names = [f"{number}.txt" for number in range(7)]
    assert beside_sentence(names, 7).endswith("0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 2 more, in Files below workdir.")
    assert beside_sentence(["a"], 1) == "1 file beside the channels: a, in Files below workdir."


def test_ten_thousand_files_are_looked_through_at_once(tmp_path: Path) -> None:
    root = tmp_path / "ml" / "usercode"
    for number in range(100):
        (root / f"{number}").mkdir(parents=True)
        for name in range(100):
            (root / f"{number}" / f"{name}").touch()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "outputs.json").write_text("{}")
    note_packed(tmp_path, root)
    packed = packed_files(tmp_path)
    assert packed is not None
    assert len(packed.stamps) == 10_000
    (root / "7" / "new").touch()
    began = time.process_time()
    with hold(workdir(tmp_path), what="it") as handle:
        assert [path for path, _ in packed.written(handle)] == ["7/new"]
    assert time.process_time() - began < 1.0
