"""Events, their JSON, and the fold. The cases are recorded: a twin in another language must fold them alike."""

import json
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pai_jupyter.events import (
    JobState,
    Link,
    LogChunk,
    Metric,
    Notice,
    Phase,
    PhaseChanged,
    Progress,
    ReplicaChanged,
    Status,
    StatusChanged,
    StoredEvent,
    Usage,
    event_from_json,
    event_to_json,
)
from pai_jupyter.events.state import MAX_METRICS, MAX_NOTICES, MAX_REPLICAS
from tests.support.paths import DATA

FOLD_CASES = json.loads((DATA / "fold_cases.json").read_text())

EVENTS: list[StoredEvent] = [
    StatusChanged(status=Status.FAILED, time=1.5, reason="exit code 1", exit_code=1),
    StatusChanged(status=Status.RUNNING, time=1.0),
    PhaseChanged(phase=Phase.PREPARING, time=1.0, replica="worker-0", offset=0),
    ReplicaChanged(replica="worker-0", status=Status.RUNNING, time=1.0),
    ReplicaChanged(replica="worker-1", status=Status.FAILED, time=2.0, exit_code=1, attempt=3),
    Metric(name="损失", value=0.5, time=1.0, step=3.0, replica="worker-0"),
    Metric(name="loss", value=math.inf, time=1.0),
    Metric(name="loss", value=-math.inf, time=1.0),
    Progress(done=3.0, time=1.0, total=10.0, unit="epoch"),
    Usage(replica="worker-0", time=1.0, cpu=1.5, peak_memory=5),
    Link(name="console", url="http://a/b"),
    Notice(text="the engine does not answer", time=1.0, level="warning"),
]


class Case(NamedTuple):
    """One recorded case: what happened, the state it adds up to, and what that shows at the time `now`."""

    name: str
    events: list[dict[str, Any]]  # Any: JSON values
    state: dict[str, Any]  # Any: JSON values
    now: float
    seen: dict[str, Any]  # Any: JSON values


def fold(events: list[dict[str, Any]]) -> JobState:  # Any: JSON values
    state = JobState()
    for item in events:
        event = event_from_json(item)
        state = state.apply(event) if event else state
    return state


def plain(value: object) -> Any:  # Any: JSON values
    """`value` as somebody else reads it; strict, as JavaScript is."""
    return json.loads(json.dumps(value, allow_nan=False))


@pytest.fixture(params=[Case(**case) for case in FOLD_CASES], ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    recorded: Case = request.param
    return recorded


def test_events_add_up_to_the_recorded_state(case: Case) -> None:
    assert plain(fold(case.events).to_json()) == case.state


def test_a_state_comes_back_from_its_json(case: Case) -> None:
    assert plain(JobState.from_json(case.state).to_json()) == case.state


def test_a_state_that_came_back_folds_on_alike(case: Case) -> None:
    half = len(case.events) // 2
    state = JobState.from_json(plain(fold(case.events[:half]).to_json()))
    for item in case.events[half:]:
        event = event_from_json(item)
        state = state.apply(event) if event else state
    assert plain(state.to_json()) == case.state


def test_a_state_shows_what_was_recorded(case: Case) -> None:
    state = fold(case.events)
    seen = {
        "elapsed": state.elapsed(case.now),
        "fraction": state.fraction,
        "eta": state.eta(case.now),
        "phase": state.phase,
        "phase_times": state.phase_times(case.now),
        "ended": state.ended,
    }
    assert plain(seen) == case.seen


def test_a_replica_of_a_stored_state_that_is_malformed_is_left_out() -> None:
    good = {"status": "running", "time": 1.0}
    stored = {
        "a": good,
        "b": 7,
        "c": {**good, "status": "resting"},
        "d": {**good, "attempt": None},
        "e": {"status": "running"},
    }
    state = JobState.from_json({"status": "running", "replicas": stored})
    assert state.replicas == {"a": ReplicaChanged(replica="a", status=Status.RUNNING, time=1.0)}


@pytest.mark.parametrize(
    ("reason", "first"),
    [
        ("replica worker-1: exit code 5", "worker-1"),
        ("worker-1: exit code 5: killed by SIGKILL", "worker-1"),
        ("worker-10: exit code 5", "worker-10"),
        ("master-0: exit code 1", "worker-0"),  # that one has not failed
        ("pai_shards: other sizes", "worker-0"),
        ("", "worker-0"),
    ],
)
def test_the_failed_replica_is_the_one_that_the_reason_names_else_the_first(reason: str, first: str) -> None:
    """One that waits for its next attempt has failed, too, and earlier than the cause."""
    state = JobState().apply(ReplicaChanged(replica="master-0", status=Status.STOPPED, time=9.0))
    for time, name in enumerate(("worker-0", "worker-1", "worker-10")):
        state = state.apply(ReplicaChanged(replica=name, status=Status.FAILED, time=time))
    state = state.apply(StatusChanged(status=Status.FAILED, time=9.0, reason=reason))
    assert state.failed_replica == first
    assert [last.replica for last in state.standing_replicas][:2] == [first, "master-0"]


def test_a_state_from_before_replicas_is_written_as_it_was() -> None:
    assert "replicas" not in JobState.from_json(JobState().to_json()).to_json()


def test_replicas_without_end_do_not_grow_the_state_with_them() -> None:
    state = JobState()
    for number in range(MAX_REPLICAS + 5):
        state = state.apply(ReplicaChanged(replica=f"worker-{number}", status=Status.RUNNING, time=1.0))
    last = f"worker-{MAX_REPLICAS - 1}"
    state = state.apply(ReplicaChanged(replica=last, status=Status.FAILED, time=2.0))
    assert (len(state.replicas), state.replicas[last].status) == (MAX_REPLICAS, Status.FAILED)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_from_its_json(event: StoredEvent) -> None:
    assert event_from_json(plain(event_to_json(event))) == event


def test_nan_comes_back_from_json() -> None:
    event = event_from_json(plain(event_to_json(Metric(name="loss", value=math.nan, time=1.0))))
    assert isinstance(event, Metric)
    assert math.isnan(event.value)


def test_the_json_of_an_event_holds_only_what_differs_from_the_defaults() -> None:
    assert event_to_json(Metric(name="loss", value=0.5, time=1.0)) == {
        "kind": "Metric",
        "name": "loss",
        "value": 0.5,
        "time": 1.0,
    }


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"kind": "Rewarded", "time": 1.0},
        {"kind": "StatusChanged", "status": "hibernating", "time": 1.0},
        {"kind": "PhaseChanged", "phase": "dreaming", "time": 1.0},
        {"kind": "Metric", "name": "loss"},
        {"kind": "Metric", "name": "loss", "value": "half", "time": 1.0},
        {"kind": "LogChunk", "replica": "worker-0"},
    ],
)
def test_what_this_version_cannot_understand_is_no_event(value: dict[str, Any]) -> None:
    assert event_from_json(value) is None


def test_fields_of_a_newer_version_are_ignored() -> None:
    value = {"kind": "Link", "name": "a", "url": "http://b", "icon": "star"}
    assert event_from_json(value) == Link(name="a", url="http://b")


@pytest.mark.parametrize(("name", "url"), [("console", "http://b"), ("page", "http://b"), ("deploy", None)])
def test_a_job_has_the_page_that_its_service_has_for_it(name: str, url: str | None) -> None:
    assert JobState().apply(Link(name=name, url="http://b")).url == url


def test_a_status_of_a_newer_version_reads_as_unknown() -> None:
    assert JobState.from_json({"status": "hibernating"}).status is Status.UNKNOWN


def test_a_log_chunk_changes_nothing() -> None:
    state = JobState(status=Status.RUNNING)
    assert state.apply(LogChunk(replica="worker-0", data=b"x", cursor=1, time=1.0)) is state


def test_one_bad_step_does_not_hide_the_best_value() -> None:
    state = JobState()
    for value in (0.5, math.nan, 0.4):
        state = state.apply(Metric(name="loss", value=value, time=1.0))
    assert (state.metrics["loss"].minimum, state.metrics["loss"].maximum) == (0.4, 0.5)


@given(st.lists(st.sampled_from(EVENTS), max_size=12), st.floats(0, 100))
def test_the_fold_takes_every_event_in_every_state(events: list[StoredEvent], now: float) -> None:
    state = JobState()
    for event in events:
        state = state.apply(event)
    looks: list[Callable[[float], object]] = [state.elapsed, state.eta, state.phase_times]
    for look in looks:
        look(now)
    assert state.fraction is None or 0 <= state.fraction <= 1


def test_a_talkative_job_does_not_grow_its_state() -> None:
    state = JobState()
    for i in range(5 * MAX_METRICS):
        state = state.apply(Metric(name=f"metric {i}", value=i, time=1.0))
        state = state.apply(Notice(text=f"notice {i}", time=1.0))
    assert (len(state.metrics), len(state.notices)) == (MAX_METRICS, MAX_NOTICES)
