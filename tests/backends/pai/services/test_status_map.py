"""What the service says of a job, in our words."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from pai_jupyter.backends.pai.following.log_readers import replicas_of
from pai_jupyter.backends.pai.services import status_map
from pai_jupyter.events import Status

# Every word that the official clients document for a training job, and for a job of DLC.
TRAINING = "Creating Created Initializing Submitted Running Succeed Failed Terminated CreateFailed InitializeFailed"
DLC = (
    "Creating Queuing Bidding EnvPreparing SanityChecking Running Restarting Stopping SucceededReserving "
    "FailedReserving Succeeded Failed Stopped"
)
ENDS = "Succeed Failed Terminated CreateFailed InitializeFailed SucceededReserving FailedReserving Succeeded Stopped"
T0 = datetime(2026, 1, 1, tzinfo=UTC).timestamp()


def job(status: str, *transitions: str, **more: Any) -> dict[str, Any]:  # Any: JSON
    times = [{"Status": each, "StartTime": f"2026-01-01T00:00:{n:02}Z"} for n, each in enumerate(transitions)]
    return {"Status": status, "StatusTransitions": times, **more}


def test_every_documented_word_has_a_status() -> None:
    assert status_map.STATUS.keys() == {*TRAINING.split(), *DLC.split()}


def test_these_and_no_others_are_the_end() -> None:
    assert {word for word, status in status_map.STATUS.items() if status.is_terminal} == set(ENDS.split())


@pytest.mark.parametrize("fields", [{}, {"Status": None}, {"Status": "Reticulating", "StatusTransitions": "x"}])
def test_a_word_that_nobody_knows_is_no_end(fields: dict[str, Any]) -> None:
    report = status_map.report_of(fields)
    assert (report.status, report.ended) == (Status.UNKNOWN, None)


def test_a_report_has_the_times_of_the_transitions() -> None:
    report = status_map.report_of(
        job("Failed", "Creating", "Submitted", "Running", "Failed", ReasonMessage="exit code 3")
    )
    assert (report.started, report.ended) == (T0 + 2, T0 + 3)
    assert (report.status, report.reason, report.exit_code) == (Status.FAILED, "exit code 3", 3)


def test_without_transitions_the_last_change_is_the_end() -> None:
    assert status_map.ended(job("Terminated", GmtModifiedTime="2026-01-01T00:00:09Z")) == T0 + 9


@pytest.mark.parametrize(
    ("status", "reason", "code"),
    [
        ("Succeed", "", 0),
        ("Failed", "container exited with exit code 137", 137),
        ("Failed", "Exit Code: 1, see the log", 1),
        ("Failed", "exit_code=2", 2),
        ("Failed", "exited with status 255", 255),
        ("Failed", "out of memory", None),
        ("Failed", "error code 7", None),
        ("Terminated", "exit code 143", None),
        ("Running", "exit code 1", None),
    ],
)
def test_the_exit_code_is_read_where_it_is_said(status: str, reason: str, code: int | None) -> None:
    assert status_map.exit_code_of({"Status": status, "ReasonMessage": reason}) == code


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"ReasonCode": "NoStock", "ReasonMessage": "no machine"}, "no machine"),
        ({"ReasonCode": "NoStock", "ReasonMessage": ""}, "NoStock"),
        ({"Status": "Running", "ReasonCode": "Running"}, ""),
        ({"ReasonMessage": "a\nb\x1b[31m\x00c"}, "a b [31m c"),
        ({"ReasonMessage": "x" * 10_000}, "x" * 499 + "…"),
        ({"ReasonMessage": None}, ""),
    ],
)
def test_a_reason_is_one_short_line(fields: dict[str, Any], reason: str) -> None:
    assert status_map.reason_of(fields) == reason


@pytest.mark.parametrize("text", ["", None, "yesterday", "9999-99-99", 7, "2026-01-01T99:00:00Z"])
def test_what_is_no_time_is_none(text: object) -> None:
    assert status_map.read_time(text) is None


def test_times_are_written_as_the_service_takes_them() -> None:
    assert re.fullmatch(r"2026-01-01T00:00:00Z", status_map.write_time(T0))
    assert status_map.read_time(status_map.write_time(T0)) == T0


# --- instances ---------------------------------------------------------------------------------------------------


def instance(name: str, role: str = "") -> dict[str, Any]:  # Any: JSON
    return {"Name": name, "Role": role}


@pytest.mark.parametrize(
    ("instances", "names"),
    [
        ([instance("t1-master-0", "Master")], ["master-0"]),
        (
            [instance("t-worker-1", "Worker"), instance("t-master-0", "master"), instance("t-worker-0", "Worker")],
            ["master-0", "worker-0", "worker-1"],
        ),
        ([instance("pod-x", "Chief")], ["chief-0"]),
        ([instance("a-0", "Worker"), instance("b-0", "Worker")], ["worker-0", "worker-1"]),
        ([instance("a-0", "../etc"), instance("b-3", "")], ["worker-0", "worker-3"]),
        ([{"Role": "Master"}, {"Name": None}], []),
    ],
)
def test_instances_are_replicas_in_any_order(instances: list[dict[str, Any]], names: list[str]) -> None:
    assert sorted(replicas_of(instances)) == names
    assert replicas_of(instances) == replicas_of(instances[::-1])
