"""Jobs at MLflow's real server, which is away, fails, is slow, loses answers: nothing is lost, nothing doubled."""

import math
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.config import settings
from pai_jupyter.delivery.deliverer import MAX_PAUSE
from pai_jupyter.delivery.outbox import Outbox
from pai_jupyter.delivery.starting import SAID, Keeper, is_running
from pai_jupyter.delivery.tracking import outputs
from pai_jupyter.delivery.tracking.recipient import GIVE_UP
from pai_jupyter.events import Metric, Status
from pai_jupyter.jobs import Job, submit
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import AnnotationChange, JobStore
from pai_jupyter.store.provenance import GitState, Provenance, write_provenance
from tests.delivery.conftest import BEGAN, happen
from tests.delivery.test_process import processes_of
from tests.support.mlflow_server import FaultyProxy, faulty_proxy, mlflow_server
from tests.support.paths import ROOT
from tests.support.patience import DEADLINE, SOON
from tests.support.started import until
from tests.support.tracked_jobs import TrackedDesk, curve, end, points
from tests.support.webhooks import webhook

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
SECRET = "s3cr3t-token-0815"
NOWHERE = "http://127.0.0.1:1"


class KilledError(BaseException):
    """The process is gone, as by SIGKILL: nothing behind it runs."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with mlflow_server(tmp_path_factory.mktemp("mlflow")) as address:
        yield address


@pytest.fixture
def proxy(server: str) -> Iterator[FaultyProxy]:
    with faulty_proxy(server) as proxy:
        yield proxy


@pytest.fixture
def desk(tmp_path: Path, proxy: FaultyProxy) -> TrackedDesk:
    return TrackedDesk(tmp_path, proxy, f"e{abs(hash(tmp_path))}")


def test_a_job_becomes_a_run_with_values_metrics_tags_and_status(desk: TrackedDesk) -> None:
    folder = desk.job(spec={"hyperparameters": {"lr": 0.1, "opt": "adam", "is_big": True}}, notebook="iris.ipynb")
    write_provenance(folder.path, Provenance(git=GitState(commit="c0ffee", branch="main", changed=1)))
    happen(folder, *points(3), end())
    desk.deliver()
    run = desk.run()
    assert run.data.params == {"lr": "0.1", "opt": "adam", "is_big": "True"}
    assert desk.history("loss") == curve(3)
    assert (run.info.status, run.info.run_name) == ("FINISHED", "name of j1")
    assert (run.info.start_time, run.info.end_time) == (int(BEGAN * 1000), int(BEGAN * 1000) + 60_000)
    assert run.data.tags["pai_jupyter.backend"] == "process"
    assert run.data.tags["mlflow.source.name"] == "iris.ipynb"
    assert run.data.tags["mlflow.source.git.commit"] == "c0ffee"
    assert run.data.tags["pai_jupyter.git_is_changed"] == "true"
    assert desk.notices() == []


@pytest.mark.parametrize(
    ("status", "told", "reason"),
    [(Status.FAILED, "FAILED", "the job ended with exit code 3"), (Status.STOPPED, "KILLED", "exit code 3")],
)
def test_the_end_of_a_job_is_that_of_its_run(desk: TrackedDesk, status: Status, told: str, reason: str) -> None:
    happen(desk.job(), end(status, "exit code 3", exit_code=3))
    desk.deliver()
    assert desk.run().info.status == told
    assert desk.run().data.tags["pai_jupyter.reason"] == reason


def test_metrics_arrive_while_the_job_runs(desk: TrackedDesk) -> None:
    folder = desk.job()
    happen(folder, *points(2))
    process = desk.deliverer()
    desk.pass_time(process, 3)
    assert desk.history("loss") == curve(2)
    assert desk.run().info.status == "RUNNING"
    happen(folder, *points(2, first=2))
    desk.pass_time(process, 10)
    assert desk.history("loss") == curve(4)
    happen(folder, end())
    assert desk.pass_time(process, 60) is None
    assert desk.run().info.status == "FINISHED"


def test_many_metrics_arrive_in_few_requests(desk: TrackedDesk) -> None:
    happen(desk.job(), *points(2500), end())
    desk.deliver()
    assert desk.history("loss") == curve(2500)
    assert len([it for it in desk.proxy.paths if "log-batch" in it]) <= 4  # three of metrics, one of tags


@pytest.mark.parametrize("trouble", ["away", 500, "lost"])
def test_after_minutes_of_trouble_all_has_arrived_once(desk: TrackedDesk, trouble: object) -> None:
    for job_id in ("j1", "j2"):
        happen(desk.job(job_id, spec={"hyperparameters": {"lr": 0.1}}), *points(5), end())
    process = desk.deliverer()
    if trouble == "away":
        desk.proxy.stop()
    desk.proxy.usual = trouble
    desk.pass_time(process, 900)
    assert desk.left == [desk.id("j1"), desk.id("j2")]
    desk.proxy.usual = ""
    if trouble == "away":
        desk.proxy.start()
    assert desk.pass_time(process, 4 * MAX_PAUSE) is None
    for job_id in ("j1", "j2"):
        assert desk.history("loss", job_id) == curve(5)
        assert desk.run(job_id).data.params == {"lr": "0.1"}
        assert desk.run(job_id).info.status == "FINISHED"
    late = [text for text in desk.notices() if "has not got" in text]
    assert len(late) <= 1


def test_a_server_that_is_away_does_not_hold_up_another(desk: TrackedDesk) -> None:
    happen(desk.job("j1", address=NOWHERE), end())
    process = desk.deliverer()
    desk.pass_time(process, 3600)
    happen(desk.job("j2"), *points(2), end())
    desk.pass_time(process, 15)
    assert desk.history("loss", "j2") == curve(2)
    assert desk.run("j2").info.status == "FINISHED"
    assert desk.left == [desk.id("j1")]
    assert desk.notices("j1") == [
        f"MLflow at {NOWHERE} has not got its run yet: cannot connect. It is sent again for 30 days. Check with %pai_doctor"
    ]


@pytest.mark.parametrize("lost", range(1, 9))
def test_a_lost_answer_doubles_nothing(desk: TrackedDesk, lost: int) -> None:
    """The answer to the n-th request that changes something is lost."""
    folder = desk.job(spec={"hyperparameters": {"lr": 0.1}})
    (folder.path / "output" / "model").mkdir(parents=True)
    (folder.path / "output" / "model" / "model.txt").write_text("weights")
    happen(folder, *points(5), end())
    desk.proxy.faults = [""] * (lost - 1) + ["lost"]
    desk.deliver()
    assert desk.history("loss") == curve(5)
    assert desk.run().data.params == {"lr": "0.1"}
    assert desk.run().info.status == "FINISHED"
    assert desk.files() == ["model/model.txt"]
    assert desk.notices() == []


def test_a_request_that_arrives_after_its_sender_has_given_up_makes_no_second_run(
    desk: TrackedDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "1")
    desk.proxy.on_path, desk.proxy.faults = "runs/create", ["late"]
    folder = desk.job()
    happen(folder, *points(3))
    process = desk.deliverer()
    desk.pass_time(process, 120)  # the second try has made the run
    assert desk.history("loss") == curve(3)
    desk.proxy.let_late_ones_go()
    assert len(desk.runs()) == 2
    happen(folder, *points(2, first=3), end())
    assert desk.pass_time(process, 120) is None
    assert desk.history("loss") == curve(5)
    assert desk.run().info.status == "FINISHED"


def test_metrics_that_are_there_are_not_sent_again(desk: TrackedDesk) -> None:
    """For stores that keep doubles: only MLflow's SQL store knows equal rows."""
    values = [1.0, math.nan, math.inf, -math.inf]
    happen(
        desk.job(), *(Metric(name="m", value=it, time=BEGAN + n, step=float(n)) for n, it in enumerate(values)), end()
    )
    desk.proxy.on_path, desk.proxy.faults = "log-batch", ["lost"]
    desk.deliver()
    assert len([it for it in desk.proxy.bodies if b'"metrics"' in it and b'"m"' in it]) == 1
    told = dict(desk.history("m"))
    assert (told[0], math.isnan(told[1])) == (1.0, True)
    assert (told[2], told[3]) == (
        1.7976931348623157e308,
        -1.7976931348623157e308,
    )  # what MLflow's SQL store has for them


@pytest.mark.parametrize("stage", ["due", "begins", "sent"])
def test_a_killed_process_loses_and_doubles_nothing(
    desk: TrackedDesk, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    """Killed each time behind the entry that says what is due, behind that of a try, or before that of its outcome."""
    happen(desk.job(spec={"hyperparameters": {"lr": 0.1}}), *points(5), end())
    killed: set[object] = set()
    write = Outbox._write

    def dying(self: Outbox, entry: dict[str, object]) -> None:
        key = (stage, str(entry.get(stage)))
        is_hit = stage in entry and key not in killed
        killed.add(key)
        if is_hit and stage == "sent":
            raise KilledError
        write(self, entry)
        if is_hit:
            raise KilledError

    monkeypatch.setattr(Outbox, "_write", dying)
    deaths = 0
    while desk.left:
        try:
            desk.pass_time(desk.deliverer(), 600)
        except KilledError:
            deaths += 1
    assert deaths == {"due": 1, "begins": 3, "sent": 3}[stage]
    assert desk.history("loss") == curve(5)
    assert desk.run().data.params == {"lr": "0.1"}
    assert desk.run().info.status == "FINISHED"


def test_names_that_mlflow_does_not_take_are_changed_and_the_job_says_so(desk: TrackedDesk) -> None:
    metrics = [
        Metric(name=name, value=1.0, time=BEGAN, step=0.0) for name in ("mAP@0.5", "mAP_0.5", "a//b", "精度", "x" * 300)
    ]
    happen(desk.job(), *metrics, end())
    desk.deliver()
    assert set(desk.run().data.metrics) == {"mAP_0.5", "mAP_0.5_2", "a/b", "精度", "x" * 250}
    (notice,) = desk.notices()
    assert notice.startswith("Its run at MLflow has the metrics mAP@0.5 → mAP_0.5, mAP_0.5 → mAP_0.5_2, a//b → a/b, ")


def test_metrics_without_a_step_are_counted_and_fractions_are_told(desk: TrackedDesk) -> None:
    folder = desk.job()
    process = desk.deliverer()
    for first in (0, 3):
        happen(folder, *(Metric(name="n", value=float(it), time=BEGAN + it) for it in range(first, first + 3)))
        desk.pass_time(process, 10)
    happen(folder, Metric(name="e", value=2.0, time=BEGAN, step=0.5), end())
    assert desk.pass_time(process, 60) is None
    assert desk.history("n") == [(it, float(it)) for it in range(6)]
    assert desk.history("e") == [(0, 2.0)]
    assert desk.notices() == ["Its run at MLflow has steps without their fractions, for MLflow takes whole ones."]


def test_metrics_of_replicas_are_told_apart(desk: TrackedDesk) -> None:
    spec = {"job_type": "PyTorchJob", "instance_count": 2}
    told = [
        Metric(name="loss", value=n, time=BEGAN, step=0.0, replica=it) for n, it in enumerate(("master-0", "worker-0"))
    ]
    happen(desk.job(spec=spec), *told, end())
    desk.deliver()
    assert desk.run().data.metrics == {"loss": 0.0, "loss/worker-0": 1.0}


def test_name_tags_note_and_star_arrive_and_their_changes(desk: TrackedDesk) -> None:
    folder = desk.job()
    folder.annotate(
        AnnotationChange(name="the good one", note="a note\nof two lines", add=("best", "论文"), is_starred=True)
    )
    happen(folder, end())
    process = desk.deliverer()
    assert desk.pass_time(process, 60) is None
    run = desk.run()
    assert run.info.run_name == "the good one"
    assert run.data.tags["mlflow.note.content"] == "a note\nof two lines"
    assert (run.data.tags["best"], run.data.tags["论文"], run.data.tags["pai_jupyter.is_starred"]) == ("true",) * 3


def test_what_is_said_while_the_last_message_leaves_arrives_too(desk: TrackedDesk) -> None:
    folder = desk.job()
    folder.annotate(AnnotationChange(add=("first",)))
    happen(folder, end())
    desk.proxy.on_request = lambda: _once(desk, "runs/update", lambda: folder.annotate(AnnotationChange(add=("last",))))
    desk.deliver()
    assert desk.run().data.tags["last"] == "true"
    assert desk.run().info.end_time is not None


def _once(desk: TrackedDesk, path: str, act: object) -> None:
    if path in desk.proxy.paths[-1]:
        desk.proxy.on_request = lambda: None
        act()  # type: ignore[operator]  # a function


def test_small_outputs_are_artifacts_and_a_tag_names_the_others(
    desk: TrackedDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "MAX_FILE", 100)
    folder = desk.job(spec={"outputs": {"table": "oss://bucket/table/"}})
    model = folder.path / "output" / "model"
    (model / "a b").mkdir(parents=True)
    (model / "a b" / "训练#1?.txt").write_text("text")
    (model / "large.bin").write_bytes(b"x" * 101)
    (model / "link").symlink_to("/etc/passwd")
    (folder.path / "output" / "output_parameters").mkdir()
    (folder.path / "output" / "output_parameters" / "accuracy").write_text("0.9")
    happen(folder, end())
    desk.deliver()
    assert desk.files() == ["model/a b/训练_1_.txt", "output_parameters/accuracy"]
    tags = desk.run().data.tags
    assert tags["pai_jupyter.output.table"] == "oss://bucket/table/"
    assert tags["pai_jupyter.output.model"] == f"1 file is where the job was submitted: %pai_download {folder.id}:model"


def test_no_secret_leaves(desk: TrackedDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.environ["OPENAI_API_KEY"] = SECRET
    folder = desk.job(spec={"hyperparameters": {"api_key": "anything", "text": f"a {SECRET} b"}, "name": f"x {SECRET}"})
    (folder.path / "output" / "model").mkdir(parents=True)
    (folder.path / "output" / "model" / "config.json").write_text(f'{{"key": "{SECRET}"}}')
    happen(folder, Metric(name=f"m {SECRET}", value=1.0, time=BEGAN, step=0.0), end(Status.FAILED, f"no {SECRET}"))
    desk.deliver()
    run = desk.run()
    assert run.data.params == {"api_key": "***", "text": "a *** b"}
    assert SECRET not in f"{run.to_dictionary()}"
    assert desk.files() == []
    assert any("'model/config.json': a secret of yours is in it" in it for it in desk.notices())


def test_a_refused_message_is_told_once_and_the_others_arrive(
    desk: TrackedDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pai_jupyter.delivery.tracking.names._OTHER", __import__("re").compile("$^"))
    happen(desk.job(), *(Metric(name="a@b", value=1.0, time=BEGAN, step=float(it)) for it in range(2500)), end())
    desk.deliver()
    assert desk.run().info.status == "FINISHED"
    (notice,) = desk.notices()
    assert notice.startswith(f"MLflow at {desk.proxy.address} did not get metrics: it answers 400: Invalid value")


def test_a_run_that_the_user_has_deleted_stays_deleted(desk: TrackedDesk) -> None:
    folder = desk.job()
    happen(folder, *points(1))
    desk.pass_time(desk.deliverer(), 3)
    desk.client.delete_run(desk.run().info.run_id)
    happen(folder, *points(1, first=1), end())
    desk.deliver()
    assert desk.runs() == []
    assert (
        f"MLflow at {desk.proxy.address} did not get metrics: its run was deleted there. It is not sent again."
        in desk.notices()
    )


def test_a_login_that_is_refused_is_tried_again(desk: TrackedDesk) -> None:
    desk.proxy.usual = 401
    happen(desk.job(), *points(1), end())
    process = desk.deliverer()
    desk.pass_time(process, 300)
    (notice,) = desk.notices()
    assert "it answers 401: check MLFLOW_TRACKING_USERNAME and _PASSWORD, or _TOKEN" in notice
    desk.proxy.usual = ""
    assert desk.pass_time(process, 3 * MAX_PAUSE) is None
    assert desk.history("loss") == curve(1)


def test_a_server_that_never_comes_back_is_given_up_for_all_that_is_as_old(desk: TrackedDesk) -> None:
    desk.proxy.usual = 500
    happen(desk.job(), *points(1), end())
    process = desk.deliverer()
    desk.pass_time(process, 60)
    desk.clock.now += GIVE_UP
    assert desk.pass_time(process, 2 * MAX_PAUSE) is None
    assert [it.partition(": ")[0] for it in desk.notices()[1:]] == [
        f"MLflow at {desk.proxy.address} did not get {what}" for what in ("its run", "metrics", "its end")
    ]


def test_the_login_is_in_the_requests_and_in_no_file(desk: TrackedDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", SECRET)
    desk.proxy.usual = 500
    happen(desk.job(), *points(1), end())
    desk.pass_time(desk.deliverer(), 60)
    assert {it["Authorization"] for it in desk.proxy.headers} == {f"Bearer {SECRET}"}
    files = [path for path in desk.home.rglob("*") if path.is_file()]
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]


def test_of_a_deleted_job_only_the_end_arrives(desk: TrackedDesk) -> None:
    folder = desk.job()
    happen(folder, *points(1))
    process = desk.deliverer()
    desk.pass_time(process, 3)
    desk.proxy.usual = 500
    happen(folder, *points(1, first=1), end())
    desk.pass_time(process, 10)
    JobStore(desk.home).remove(folder.id)
    desk.proxy.usual = ""
    assert desk.pass_time(process, 120) is None
    assert desk.history("loss") == curve(1)
    assert desk.run().info.status == "FINISHED"


def run(command: str) -> Job:
    return submit(JobSpec(name="a job", command=command), backend="process")


@pytest.fixture
def tracked(desk: TrackedDesk, home: Path, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TrackedDesk]:
    """The settings of a user whose jobs are tracked; the experiment is the test's own."""
    monkeypatch.setenv("PAI_JUPYTER_TRACKING", f"mlflow:{desk.proxy.address}")
    monkeypatch.setenv("PAI_JUPYTER_TRACKING_EXPERIMENT", desk.experiment)
    settings.cache_clear()
    desk.home = home
    yield desk
    until(lambda: not processes_of(home))
    assert (home / "delivery" / SAID).read_text() == ""
    settings.cache_clear()


def test_a_real_job_is_tracked_by_a_process_that_ends_and_later_changes_arrive(tracked: TrackedDesk) -> None:
    job = run(
        "echo epoch 1 loss=0.5; echo epoch 2 loss=0.25; mkdir -p $PAI_OUTPUT_MODEL; echo w > $PAI_OUTPUT_MODEL/m.txt; echo x > left.txt"
    )
    job.wait(SOON)
    until(lambda: not tracked.left)
    (found,) = tracked.runs_of(job.id)
    assert (found.info.status, found.data.metrics) == ("FINISHED", {"loss": 0.25})
    for path in ("model/m.txt", "workdir/left.txt"):
        assert [it.path for it in tracked.client.list_artifacts(found.info.run_id, path.partition("/")[0])] == [path]
    job.tag("late")
    job.rename("renamed")
    until(lambda: tracked.runs_of(job.id)[0].info.run_name == "renamed")
    until(lambda: tracked.runs_of(job.id)[0].data.tags.get("late") == "true")
    job.untag("late")
    until(lambda: "late" not in tracked.runs_of(job.id)[0].data.tags)
    assert tracked.runs_of(job.id)[0].info.end_time is not None


def test_a_slow_server_delays_neither_a_job_nor_an_alert_and_who_submits_does_not_ask_it(
    tracked: TrackedDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracked.proxy.faults = ["late"]
    code = (
        "import sys; from pai_jupyter.jobs import submit; from pai_jupyter.spec import JobSpec;"
        "job = submit(JobSpec(name='a', command='echo epoch 1 loss=0.5'), backend='process').wait(60);"
        "print(job.id, job.status, 'mlflow' in sys.modules, 'requests' in sys.modules)"
    )
    with webhook() as hook:
        monkeypatch.setenv("PAI_JUPYTER_WEBHOOK", hook.address)
        monkeypatch.setenv("PAI_JUPYTER_NOTIFY_AFTER", "0")
        words = [sys.executable, "-c", code]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE, check=False)
        job_id, *told = done.stdout.split() or [done.stderr]
        assert told == ["succeeded", "False", "False"]
        until(lambda: hook.alerts == ["end"])
    assert tracked.runs_of(job_id) == []
    for pid in processes_of(tracked.home):
        os.kill(pid, signal.SIGKILL)
    until(lambda: not is_running(tracked.home))
    tracked.proxy.let_late_ones_go()
    Keeper().keep()
    until(lambda: not tracked.left)
    assert [it.info.status for it in tracked.runs_of(job_id)] == ["FINISHED"]


def test_a_job_without_tracking_costs_nothing(home: Path, workplace: Path) -> None:
    run("true").wait(SOON).tag("x")
    assert not (home / "delivery").exists()
