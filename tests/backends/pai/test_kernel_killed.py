"""Jobs of PAI whose kernel is killed at any moment: whoever comes next finds them, and completes them once.

Every kernel is a process of its own (victims.py), killed with SIGKILL while a request of its own, or its answer, is held on
the way (fakes/gatekeeper.py), or while it is about to write what it knows. The services are the emulator's.
"""

import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cloud.client import dlc, paistudio
from pai_jupyter.events import Metric, Notice, Status, StatusChanged
from pai_jupyter.jobs import Job, attach, close_runtime
from pai_jupyter.spec import JobSpec, MetricDefinition, Role
from pai_jupyter.store import JobStore
from tests.fakes.gatekeeper import Gatekeeper
from tests.support.cloud_sessions import configure
from tests.support.emulators import WORKSPACE, Emulator, emulator
from tests.support.kernels import kernel
from tests.support.pai_jobs import hurry
from tests.support.storages import read_tree, write_tree
from tests.support.victims import DEADLINE, WAYS, heir, only_job, until, victim

STAGES, OF_STAGE = 4, 50
SCRIPT = f"""
import os, pathlib, time
gates = os.environ.get("PROBE_GATES")
for stage in range({STAGES}):
    while stage and gates and not os.path.exists(os.path.join(gates, str(stage))):
        time.sleep(0.01)
    for number in range({OF_STAGE} * stage, {OF_STAGE} * stage + {OF_STAGE}):
        print("训练 epoch", number, f"loss={{1 / (number + 1):.6f}}", flush=True)
model = pathlib.Path(os.environ["PAI_OUTPUT_MODEL"])
source = pathlib.Path(os.environ["PAI_INPUT_TRAIN"]) if "PAI_INPUT_TRAIN" in os.environ else pathlib.Path("model")
for path in source.rglob("*"):
    if path.is_file():
        (model / path.relative_to(source)).parent.mkdir(parents=True, exist_ok=True)
        (model / path.relative_to(source)).write_bytes(path.read_bytes())
"""
LINES = [f"训练 epoch {number} loss={1 / (number + 1):.6f}" for number in range(STAGES * OF_STAGE)]
LOG = "".join(f"{line}\n" for line in LINES)
MODEL = {"model.bin": bytes(range(256)) * 400, "部分/a b.bin": b"x" * 70_000, "config.json": b"{}", "empty": b""}
CODE, CREATE, CREATE_DLC = "PUT /emulator/pai-jupyter/code/", "POST /api/v1/trainingjobs", "POST /api/v1/jobs"
ROLES = (
    Role(name="master", instance_type="ecs.c6.large"),
    Role(name="worker", instance_type="ecs.c6.large", instance_count=1),
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """The emulator of all tests here but those that end it."""
    with emulator(tmp_path_factory.mktemp("killed") / "data") as running:
        yield running


@pytest.fixture
def gates(tmp_path: Path) -> Path:
    """The job begins a stage when there is a file of its number in here."""
    (tmp_path / "gates").mkdir()
    return tmp_path / "gates"


@pytest.fixture
def keeper(service: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gatekeeper]:
    """The way from this test's kernels to the services."""
    with way_to(service, home, monkeypatch) as keeper:
        yield keeper
        close_runtime()


def way_to(service: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch) -> Gatekeeper:
    keeper = Gatekeeper(service.host)
    configure(replace(service, address=keeper.address), home, monkeypatch)
    return keeper


@pytest.fixture
def spec(tmp_path: Path) -> JobSpec:
    # what has been uploaded for one test is not uploaded for another: so each has code of its own
    source = {"train.py": SCRIPT.encode(), "own": os.urandom(8), **{f"model/{n}": data for n, data in MODEL.items()}}
    return JobSpec(
        name="killed",
        command="python train.py",
        source_dir=write_tree(tmp_path / "source", source),
        image_uri="img:1",
        instance_type="ecs.c6.large",
        metric_definitions=(MetricDefinition(name="loss", regex=r"loss=([0-9.]+)"),),
    )


def left_at(held: threading.Event, spec: JobSpec) -> Job:
    """The job whose submission had come as far as this when its kernel was killed."""
    with victim("submit", text(spec)) as kernel:
        assert held.wait(DEADLINE)
        job = only_job()
        kernel.kill()
    return job


def left_running(spec: JobSpec, gates: Path) -> Job:
    """The job whose first stage had been copied when its kernel was killed; the others wait for their gates."""
    with victim("submit", text(gated(spec, gates))) as kernel:
        job = only_job()
        until(lambda: written(job) >= OF_STAGE)
        kernel.kill()
    return job


def written(job: Job) -> int:
    """The lines that somebody has copied."""
    return job.folder.log("master-0").count()


def gated(spec: JobSpec, gates: Path) -> JobSpec:
    return replace(spec, environments={"PROBE_GATES": str(gates)})


def text(spec: JobSpec) -> str:
    return json.dumps(spec.to_json())


def open_gates(gates: Path, *stages: int) -> None:
    for stage in stages or range(STAGES):
        (gates / str(stage)).touch()


def jobs_with(service: Emulator, job_id: str) -> list[Any]:
    """The service's jobs with the label of ours. (Any: JSON)"""

    async def ask(client: Any) -> list[Any]:
        query = {"Labels": {"pai_jupyter_job_id": job_id}, "WorkspaceId": WORKSPACE}
        pages = client.pages(paistudio.LIST_TRAINING_JOBS, query=query)
        tags = client.pages(dlc.LIST_JOBS, query={"Tags": {"pai_jupyter_job_id": job_id}, "WorkspaceId": WORKSPACE})
        return [each async for page in pages for each in page] + [each async for page in tags for each in page]

    return service.ask(ask)


def assert_complete(service: Emulator, job: Job, *, replicas: tuple[str, ...] = ("master-0",)) -> None:
    """There is one job, and all of it was recorded, once."""
    assert len(jobs_with(service, job.id)) == 1
    assert (job.status, job.state.exit_code) == (Status.SUCCEEDED, 0)
    assert tuple(job.folder.replicas()) == replicas
    for replica in replicas:
        assert (job.folder.path / "logs" / f"{replica}.log").read_text() == LOG
        assert [line.text for line in job.logs(replica=replica)] == LINES
    events = job.folder.events()[0]
    values = [event.value for event in events if isinstance(event, Metric) and event.name == "loss"]
    assert len(values) == len(LINES) * len(replicas)
    assert sorted(values) == sorted(float(line.partition("=")[2]) for line in LINES for _ in replicas)
    statuses = [event.status for event in events if isinstance(event, StatusChanged)]
    assert statuses[-1] is Status.SUCCEEDED
    assert len(set(statuses)) == len(statuses)
    assert_tidy(job)


def assert_tidy(job: Job) -> None:
    """Nobody's leftovers lie about."""
    home = JobStore().home
    assert [path for name in ("packing", "transfers") for path in (home / name).glob("*")] == []
    assert {path.name for path in job.folder.path.iterdir()} <= {
        *("job.json", "state.json", "events.jsonl", "logs", "follow.lock", "package.tar.gz", "run", "output", "looked"),
        "provenance.json",
    }


# --- during the upload -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("passing", [0, 600], ids=["before a byte", "in the middle"])
def test_a_job_whose_code_was_being_sent_was_never_started_and_is_by_one_more_command(
    service: Emulator, keeper: Gatekeeper, spec: JobSpec, way: str, passing: int
) -> None:
    job = left_at(keeper.hold(CODE, passing=passing), spec)
    said = heir("find", job.id, way)
    assert "failed" in said.lower()
    assert job.state.reason.startswith("its submission was interrupted before it had started.")
    assert f"%pai_rerun {job.id}" in job.state.reason
    assert (jobs_with(service, job.id), keeper.count(CREATE)) == ([], 0)
    again = attach(heir("rerun", job.id).strip())
    assert_complete(service, again)
    assert (jobs_with(service, job.id), keeper.count(CREATE)) == ([], 1)


def test_what_had_been_sent_is_not_sent_again(
    service: Emulator, keeper: Gatekeeper, spec: JobSpec, tmp_path: Path
) -> None:
    data = write_tree(tmp_path / "data", {f"{number}": b"%d" % number * 1000 for number in range(30)})
    inputs = replace(spec, inputs={"train": str(data)})
    held = keeper.hold("PUT /emulator/pai-jupyter/data/", skip=12)
    with victim("submit", text(inputs)) as kernel:
        assert held.wait(DEADLINE)
        kernel.kill()
    sent = {key.rpartition("/")[2] for key in service.keys("pai-jupyter/data/")}
    assert 0 < len(sent) < 30
    before = len(keeper.requests)
    again = attach(heir("rerun", only_job().id).strip())
    assert_complete(service, again)
    puts = [request.rpartition("/")[2] for request in keeper.requests[before:] if request.startswith("PUT ")]
    assert not {*puts} & sent
    assert read_tree(again.fetch("model", tmp_path / "model")) == read_tree(data)


# --- between creation and record -----------------------------------------------------------------------------------------


def test_a_job_whose_creation_never_got_through_was_never_started(
    service: Emulator, keeper: Gatekeeper, spec: JobSpec
) -> None:
    job = left_at(keeper.hold(CREATE), spec)
    assert "interrupted before it had started" in heir("find", job.id, "attach")
    assert jobs_with(service, job.id) == []


@pytest.mark.parametrize("way", WAYS)
def test_a_job_whose_creation_was_never_answered_is_found(
    service: Emulator, keeper: Gatekeeper, spec: JobSpec, way: str
) -> None:
    job = left_at(keeper.hold(CREATE, "answer"), spec)
    heir("find", job.id, way)
    assert_complete(service, job)
    assert keeper.count(CREATE) == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_job_that_was_created_and_not_recorded_is_found(
    service: Emulator, keeper: Gatekeeper, spec: JobSpec, way: str
) -> None:
    with victim("submit", text(spec), "record") as kernel:
        assert kernel.stdout is not None
        assert kernel.stdout.readline() == "stopped\n"
        job = only_job()
        kernel.kill()
    assert job.folder.read().ref is None
    heir("find", job.id, way)
    assert_complete(service, job)
    assert keeper.count(CREATE) == 1


def test_a_job_that_was_found_is_recorded_as_any_other(
    service: Emulator, keeper: Gatekeeper, spec: JobSpec, tmp_path: Path
) -> None:
    job = left_at(keeper.hold(CREATE, "answer"), spec)
    heir("find", job.id, "attach")
    ref = job.folder.read().ref
    assert ref is not None
    assert ref.data["id"] == jobs_with(service, job.id)[0]["TrainingJobId"]
    assert read_tree(job.fetch("model", tmp_path / "model")) == MODEL


def test_a_job_with_roles_is_found_as_well(service: Emulator, keeper: Gatekeeper, spec: JobSpec) -> None:
    job = left_at(keeper.hold(CREATE_DLC, "answer"), replace(spec, roles=ROLES))
    heir("find", job.id, "attach")
    assert_complete(service, job, replicas=("master-0", "worker-0"))


# --- while the job runs --------------------------------------------------------------------------------------------------


def committed(job: Job) -> int:
    """Those that count."""
    return job.folder.read().positions.get("master-0", 0)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "has_come_far",
    [lambda job: written(job) > 0, lambda job: committed(job) >= OF_STAGE],
    ids=["some lines are written", "they count"],
)
def test_a_running_job_is_taken_over(
    service: Emulator,
    keeper: Gatekeeper,
    spec: JobSpec,
    gates: Path,
    way: str,
    has_come_far: Callable[[Job], bool],
) -> None:
    with victim("submit", text(gated(spec, gates))) as kernel:
        job = only_job()
        until(lambda: has_come_far(job))
        kernel.kill()
    open_gates(gates)
    heir("find", job.id, way)
    assert_complete(service, job)


def test_what_was_written_and_not_committed_counts_once(
    service: Emulator, keeper: Gatekeeper, spec: JobSpec, gates: Path
) -> None:
    with victim("submit", text(gated(spec, gates)), "commit") as kernel:
        assert kernel.stdout is not None
        assert [kernel.stdout.readline() for _ in range(2)][1] == "stopped\n"
        job = only_job()
        kernel.kill()
    assert (job.folder.path / "logs" / "master-0.log").stat().st_size > 0
    assert job.folder.read().positions == {}
    open_gates(gates)
    heir("find", job.id, "attach")
    assert_complete(service, job)


def test_one_kernel_after_the_other_may_be_killed(
    service: Emulator, keeper: Gatekeeper, spec: JobSpec, gates: Path
) -> None:
    job = left_running(spec, gates)
    for stage in range(1, STAGES):
        with victim("follow", job.id) as kernel:
            open_gates(gates, stage)
            until(lambda: committed(job) >= OF_STAGE * (stage + 1))  # noqa: B023  called at once
            kernel.kill()
    heir("find", job.id, "attach")
    assert_complete(service, job)


def test_of_two_that_follow_the_other_goes_on(
    service: Emulator, keeper: Gatekeeper, spec: JobSpec, gates: Path
) -> None:
    with victim("submit", text(gated(spec, gates))) as leader:
        job = only_job()
        until(lambda: written(job) >= OF_STAGE)
        with victim("follow", job.id) as tail:
            open_gates(gates, 1)
            until(lambda: written(job) >= 2 * OF_STAGE)
            leader.kill()
            open_gates(gates)
            assert tail.wait(DEADLINE) == 0
    assert_complete(service, job)


def test_a_job_that_has_ended_meanwhile_is_complete(
    service: Emulator, keeper: Gatekeeper, spec: JobSpec, gates: Path
) -> None:
    job = left_running(spec, gates)
    open_gates(gates)
    until(lambda: jobs_with(service, job.id)[0]["Status"] == "Succeed")
    heir("find", job.id, "%pai_jobs")
    assert_complete(service, job)


@pytest.mark.kernel
def test_a_cell_s_job_outlives_its_jupyter_kernel(
    service: Emulator, keeper: Gatekeeper, home: Path, gates: Path, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"home": home, "cwd": tmp_path, "PAI_JUPYTER_RENDER": "server"}
    head = "%%pai_train killed --backend pai --image img:1 --instance-type ecs.c6.large --run --as job"
    with kernel(**given) as first:
        first.ok("%load_ext pai_jupyter")
        first.ok(f"{head} --env PROBE_GATES={gates} --metric 'loss:loss=([0-9.]+)'{SCRIPT}")
        first.ok("import time\nwhile sum(1 for _ in job.logs()) < 50: time.sleep(0.05)")
        first.kill()
    open_gates(gates)
    with kernel(**given) as second:
        second.ok("%load_ext pai_jupyter")
        assert "killed" in second.ok("%pai_jobs")
        assert "Succeeded" in second.ok("%pai_attach killed", attended=False)
    assert_complete(service, only_job())


# --- while outputs are fetched -------------------------------------------------------------------------------------------


def ended(service: Emulator, spec: JobSpec) -> Job:
    with victim("submit", text(spec)) as kernel:
        assert kernel.wait(DEADLINE) == 0
    job = only_job()
    assert_complete(service, job)
    return job


@pytest.mark.parametrize(
    ("name", "passing"), [("model.bin", 0), ("model.bin", 1), ("model.bin", 90_000), ("部分/a b.bin", 60_000)]
)
def test_outputs_are_whole_after_the_kernel_was_killed_that_fetched_them(
    service: Emulator, keeper: Gatekeeper, spec: JobSpec, tmp_path: Path, name: str, passing: int
) -> None:
    job, to = ended(service, spec), tmp_path / "the model"
    held = keeper.hold(f"GET /emulator/pai-jupyter/jobs/{job.id}/model/{name}", "answer", passing=passing)
    with victim("fetch", job.id, str(to)) as kernel:
        assert held.wait(DEADLINE)
        kernel.kill()
    assert {name: data for name, data in read_tree(to).items() if not is_hidden(name)}.items() <= MODEL.items()
    heir("fetch", job.id, str(to))
    assert read_tree(to) == MODEL
    assert_complete(service, job)


def test_a_large_output_goes_on_where_it_was(
    service: Emulator, keeper: Gatekeeper, spec: JobSpec, tmp_path: Path
) -> None:
    service.put("large/weights.bin", bytes(range(256)) * 100_000)
    job, to = ended(service, replace(spec, inputs={"train": "oss://emulator/large/"})), tmp_path / "model"
    place = f"GET /emulator/pai-jupyter/jobs/{job.id}/model/weights.bin"
    held = keeper.hold(place, "answer", passing=1_000_000, skip=3)  # the whole, of which parts are made then; two parts
    with victim("fetch", job.id, str(to)) as kernel:
        assert held.wait(DEADLINE)
        kernel.kill()
    assert not (to / "weights.bin").exists()
    heir("fetch", job.id, str(to))
    assert read_tree(to) == {"weights.bin": bytes(range(256)) * 100_000}
    assert_tidy(job)


def is_hidden(name: str) -> bool:
    return Path(name).name.startswith(".pai-") or name.endswith("/")


# --- services that go away -----------------------------------------------------------------------------------------------


def warnings(job: Job) -> list[str]:
    return [event.text for event in job.folder.events()[0] if isinstance(event, Notice) and event.level == "warning"]


@pytest.mark.parametrize("end", [Emulator.end, Emulator.kill])
def test_a_followed_job_outlives_the_service_s_restart(
    home: Path, spec: JobSpec, gates: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, end: Callable[..., object]
) -> None:
    hurry(monkeypatch)
    with emulator(tmp_path / "data") as service, way_to(service, home, monkeypatch) as keeper:
        job = left_running(spec, gates)
        attach(job.id)
        end(service)
        open_gates(gates, 1)
        until(lambda: warnings(job))
        service.start()
        keeper.target = service.host
        until(lambda: written(job) >= 2 * OF_STAGE)
        open_gates(gates)
        job.wait(DEADLINE)
        assert_complete(service, job)
        assert len(warnings(job)) == 1
        close_runtime()


def test_a_network_that_is_cut_is_said_once_and_loses_nothing(
    service: Emulator, keeper: Gatekeeper, spec: JobSpec, gates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    job = left_running(spec, gates)
    attach(job.id)
    for stage in (1, 2):
        keeper.cut()
        open_gates(gates, stage)
        refused = keeper.refused
        until(lambda: len(warnings(job)) == stage and keeper.refused > refused + 20)  # noqa: B023  called at once
        keeper.mend()
        until(lambda: written(job) == OF_STAGE * (stage + 1))  # noqa: B023
    open_gates(gates)
    job.wait(DEADLINE)
    assert_complete(service, job)
    assert len(warnings(job)) == 2
    assert all(re.search("tried again and again; the job itself goes on", said) for said in warnings(job))
