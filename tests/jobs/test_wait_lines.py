"""What a wait says beside the log: each state that one waits in, and each notice, once."""

import pytest

from pai_jupyter.events import JobState, Notice, Status, StatusChanged, Waiting
from pai_jupyter.jobs import wait_lines
from pai_jupyter.jobs.wait_lines import WaitLines


def told_of(*states: JobState) -> list[str]:
    told: list[str] = []
    lines = WaitLines("j1", told.append)
    for state in states:
        for _ in range(2):
            lines.look(state)
    return told


def in_state(status: Status, reason: str = "") -> JobState:
    return JobState().apply(StatusChanged(status=status, time=1.0, reason=reason))


def in_line(place: int) -> JobState:
    return in_state(Status.QUEUED, Waiting(place=place, setting="process.max_jobs", limit=1).reason)


def test_a_queue_is_told_with_its_place_and_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wait_lines, "SAID_AFTER", 0.0)
    line = "job j1 is queued: waiting for a free slot: number {} in line (process.max_jobs = 1)"
    assert told_of(in_line(2), in_line(1), in_line(2), in_state(Status.RUNNING)) == [
        line.format(2),
        line.format(1),
        "job j1 is running.",
    ]


def test_what_passes_at_once_is_no_wait() -> None:
    assert told_of(in_line(1), in_state(Status.UNKNOWN, "no answer"), in_state(Status.RUNNING)) == []


def test_a_notice_is_told_as_it_comes() -> None:
    state = in_state(Status.RUNNING).apply(Notice(text="the disk is full.", time=1.0, level="warning"))
    assert told_of(state, state.apply(Notice(text="more", time=2.0))) == ["warning: the disk is full.", "note: more"]
