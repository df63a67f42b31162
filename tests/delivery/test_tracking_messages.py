"""What is due at MLflow, by which names, and what errors mean: without a server."""

import json
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.local.workdir import note_packed
from pai_jupyter.config import Settings
from pai_jupyter.delivery.outbox import open_jobs
from pai_jupyter.delivery.recipient import Due, DueMessage, JobNews
from pai_jupyter.delivery.starting import is_needed
from pai_jupyter.delivery.tracking import outputs, wanted
from pai_jupyter.delivery.tracking.due import due_messages
from pai_jupyter.delivery.tracking.names import accepted, accepted_files
from pai_jupyter.delivery.tracking.outputs import kept_elsewhere, read_output, sent_outputs
from pai_jupyter.delivery.tracking.recipient import TrackingRecipient
from pai_jupyter.delivery.tracking.trouble import outcome_of
from pai_jupyter.delivery.tracking.wanted import NAME, experiment_of, wanted_tracking
from pai_jupyter.errors import SpecError
from pai_jupyter.events import JobState, Metric
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobFolder, JobRecord, JobStore

DAY = 24 * 3600.0


def news(count: int, *, now: float, last: dict[str, DueMessage] | None = None, start: int = 0, **given: Any) -> JobNews:
    events = [Metric(name="loss", value=1.0, time=now, step=float(it)) for it in range(count)]
    about: dict[str, Any] = {
        "folder": JobFolder(Path("j1")),
        "wanted": {},
        "state": JobState(),
        "has_ended": False,
        "events": events,
        "ends": [start + 10 * (it + 1) for it in range(count)],
        "start": start,
        "end": start + 10 * count,
        "created": 0.0,
        "now": now,
        "last": last or {},
    }
    return JobNews(**{**about, **given})


def due(given: JobNews) -> Due:
    return due_messages(given, (), list)


def test_a_job_of_days_makes_few_messages() -> None:
    told: dict[str, DueMessage] = {}
    read, now = 0, 0.0
    while now < 3 * DAY:
        now += 2
        found = due(news(1, now=now, last=told, start=read))
        told |= {it.id: it for it in found.messages}
        read = found.read
    assert len(told) < 2500


def test_many_metrics_are_cut_into_messages_that_join() -> None:
    found = due(news(2500, now=1.0, has_ended=True))
    ranges = [(it.body["from"], it.body["to"]) for it in found.messages if it.body["kind"] == "metrics"]
    assert ranges == [(0, 10_000), (10_000, 20_000), (20_000, 25_000)]
    assert (found.read, found.waits) == (25_000, False)


def test_what_is_not_due_yet_waits() -> None:
    last = {"j1-metrics-0": DueMessage(id="j1-metrics-0", time=99.0, body={"kind": "metrics"})}
    found = due(news(1001, now=100.0, last=last))
    assert [it.id for it in found.messages] == ["j1-start", "j1-metrics-0"]
    assert (found.read, found.waits) == (10_000, True)


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        (["val loss/a-b.c_d", "精度"], ["val loss/a-b.c_d", "精度"]),
        (["a@b", "a#b", "a_b"], ["a_b", "a_b_2", "a_b_3"]),
        (["/a", "a//b", "../x", ".", "a/", " b "], ["a", "a/b", "__/x", "_", "a_2", "b"]),
        (["x" * 251, "x" * 252], ["x" * 250, "x" * 248 + "_2"]),
    ],
)
def test_names_are_those_that_mlflow_takes(names: list[str], taken: list[str]) -> None:
    assert list(accepted(names).values()) == taken


def test_a_name_keeps_its_own_whatever_comes_behind_it() -> None:
    names = ["b@1", "a", "b#1", "b_1"]
    assert all(accepted(names)[name] == accepted(names[: n + 1])[name] for n, name in enumerate(names))


def test_names_of_files_do_not_change_the_address() -> None:
    assert list(accepted_files(["a/b c.txt", "a#b?c%20", "a_b_c_20", "训练"]).values()) == [
        "a/b c.txt",
        "a_b_c_20",
        "a_b_c_20_2",
        "训练",
    ]


class RestException(Exception):  # of MLflow's name
    def __init__(self, status: int) -> None:
        super().__init__("INVALID_PARAMETER_VALUE: no /home/alice/x, s3cr3t")
        self.error_code, self._status = "INVALID_PARAMETER_VALUE", status

    def get_http_status_code(self) -> int:
        return self._status


@pytest.mark.parametrize(
    ("error", "result", "why"),
    [
        (RestException(400), "refused", "it answers 400: no …/x, ***"),
        (RestException(404), "refused", "it answers 404: no …/x, ***"),
        (RestException(429), "later", "it answers 429"),
        (RestException(403), "later", "it answers 403: check MLFLOW_TRACKING_USERNAME and _PASSWORD, or _TOKEN"),
        (RestException(500), "later", "it answers 500"),
        (
            ValueError("API request to endpoint /x failed with error code 404 != 200. Response: 'x'"),
            "later",
            "it answers 404",
        ),
        (ValueError("too many 503 error responses"), "later", "it answers 503"),
        (ValueError("whatever"), "later", "its answer is not that of an MLflow server"),
    ],
)
def test_only_what_a_server_of_mlflow_refuses_is_not_sent_again(error: Exception, result: str, why: str) -> None:
    found = outcome_of(error, lambda text: text.replace("s3cr3t", "***"))
    assert (found.result, found.why) == (result, why)


@pytest.mark.parametrize(
    ("about", "experiment"),
    [
        ({"notebook": "iris.ipynb", "stem": "iris-train"}, "iris"),
        ({"stem": "train"}, "train"),
        ({}, "train-3"),
    ],
)
def test_the_experiment_is_the_notebook_else_the_name(about: dict[str, str], experiment: str) -> None:
    record = JobRecord(
        id="j1",
        spec=JobSpec(name="train-3", command="true"),
        backend="process",
        created=1.0,
        **about,  # type: ignore[arg-type]
    )
    assert experiment_of(record, {"experiment": ""}) == experiment
    assert experiment_of(record, {"experiment": "mine"}) == "mine"


def job_with_files_beside_its_channels(home: Path) -> JobFolder:
    """A job that has changed one of two packed files, and left files in its working directory and beside its channels."""
    record = JobRecord(id="j1", spec=JobSpec(name="a", command="true"), backend="process", created=1.0)
    folder = JobStore(home).create(record)
    work, output = folder.path / "ml" / "usercode", folder.path / "output"
    for path in (work / "plots" / "__pycache__", output / "model", folder.path / "run"):
        path.mkdir(parents=True)
    for name in ("train.py", "data.csv"):
        (work / name).write_text("packed")
    note_packed(folder.path, work)
    channels = {name: str(output / name) for name in ("model", "output_parameters")}
    (folder.path / "run" / "outputs.json").write_text(json.dumps(channels))
    for path in (work / "data.csv", work / "plots" / "a.svg", work / "plots" / "__pycache__" / "x.pyc"):
        path.write_text("written by it")
    for path in (output / "model" / "m.txt", output / "summary.txt"):
        path.write_text("written by it")
    return folder


def test_what_a_job_leaves_beside_its_channels_is_sent_too(home: Path) -> None:
    folder = job_with_files_beside_its_channels(home)
    sent = sent_outputs(folder)
    assert [it["name"] for it in sent] == [
        "model/m.txt",
        "beside_channels/summary.txt",
        "workdir/data.csv",
        "workdir/plots/a.svg",
    ]
    assert kept_elsewhere(folder, sent) == {}
    assert read_output(folder, "workdir", "plots/a.svg") == b"written by it"


def test_what_is_too_much_of_it_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = job_with_files_beside_its_channels(home)
    monkeypatch.setattr(outputs, "MOST_FILES", 3)
    assert kept_elsewhere(folder, sent_outputs(folder)) == {
        "workdir": "1 file is where the job was submitted: %pai_download j1:workdir"
    }
    assert kept_elsewhere(folder, [])["beside_channels"].startswith("1 file is")


def test_elsewhere_the_working_directory_is_named(home: Path) -> None:
    spec = JobSpec(name="a", command="true", output_path="oss://bucket/a/")
    folder = JobStore(home).create(JobRecord(id="j1", spec=spec, backend="pai", created=1.0))
    assert kept_elsewhere(folder, sent_outputs(folder))["workdir"] == "oss://bucket/a/workdir/"


def given_settings(tmp_path: Path, **environ: str) -> Settings:
    return Settings(environ=environ, home=tmp_path, cwd=tmp_path, user_file=tmp_path / "config.toml")


def test_only_the_names_of_login_variables_are_kept(tmp_path: Path) -> None:
    environ = {"PAI_JUPYTER_TRACKING": "mlflow:http://h:5000/", "MLFLOW_TRACKING_TOKEN": "s3cr3t"}
    found = wanted_tracking(given_settings(tmp_path, **environ), environ)
    assert found == {"address": "http://h:5000", "experiment": "", "needs": ["MLFLOW_TRACKING_TOKEN"]}
    recipient = TrackingRecipient(given_settings(tmp_path), {})
    assert recipient.destination(found) == ""
    assert TrackingRecipient(given_settings(tmp_path), environ).destination(found) == "http://h:5000"


@pytest.mark.parametrize("value", ["off", ""])
def test_off_is_no_tracking(tmp_path: Path, value: str) -> None:
    assert wanted_tracking(given_settings(tmp_path, PAI_JUPYTER_TRACKING=value), {}) is None


def test_a_login_in_a_variable_is_refused_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="has a login in it") as caught:
        wanted_tracking(given_settings(tmp_path, PAI_JUPYTER_TRACKING="mlflow:http://me:s3cr3t@h"), {})
    assert "s3cr3t" not in str(caught.value)


def test_without_the_client_no_process_is_started(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pai_jupyter.delivery.outbox import create_outbox

    create_outbox(home, NAME, "j1", {"address": "http://h:5000", "needs": []}, 1.0)
    assert is_needed(home)
    monkeypatch.setattr(wanted, "find_spec", lambda name: None)
    assert not is_needed(home)
    assert open_jobs(home, NAME) == ["j1"]
