"""Alerts of a running job: a metric that is no number, and no progress; each told once."""

import math

import pytest

from pai_jupyter.events import Event, LogChunk, Metric, Notice, Status, Usage
from pai_jupyter.events.alerts import GRACE, MAX_TOLD, NAN, STALLED, AlertWatch

RUNS = Status.RUNNING
START = 1_000_000.0


def line(time: float) -> LogChunk:
    return LogChunk(replica="master-0", data=b"a line\n", cursor=1, time=time)


def uses(time: float, cpu: float, gpu: float | None = None) -> Usage:
    return Usage(replica="master-0", time=time, cpu=cpu, gpu=gpu)


def metric(value: float, name: str = "loss", step: float | None = 3) -> Metric:
    return Metric(name=name, value=value, time=START, step=step)


def watched(watch: AlertWatch, *, until: float, since: float = START, status: Status = RUNS) -> list[Notice]:
    """What is due while the watch is asked every 10 s."""
    found: list[Notice] = []
    now = since
    while now <= until:
        found += watch.due(now, status)
        now += 10.0
    return found


def see(watch: AlertWatch, *events: Event) -> AlertWatch:
    for event in events:
        watch.see(event)
    return watch


@pytest.mark.parametrize(("value", "word"), [(math.nan, "nan"), (math.inf, "inf"), (-math.inf, "-inf")])
def test_a_metric_that_is_no_number_is_told_once(value: float, word: str) -> None:
    watch = see(AlertWatch(), metric(0.5), metric(value), metric(value))
    (notice,) = watch.due(START, RUNS)
    assert (notice.text, notice.alert, notice.level) == (f"`loss` became {word} at step 3.", NAN, "warning")
    see(watch, metric(0.5), metric(value))
    assert watch.due(START + 1, RUNS) == []


def test_metrics_that_break_together_share_a_notice() -> None:
    watch = see(AlertWatch(), *(metric(math.nan, f"m{index}") for index in range(7)))
    (notice,) = watch.due(START, RUNS)
    assert notice.text == "`m0`, `m1`, `m2`, `m3`, `m4` and 2 more metrics became nan at step 3."


def test_each_metric_is_told_with_what_it_became() -> None:
    watch = see(AlertWatch(), metric(math.nan), metric(math.inf, "accuracy"), metric(math.nan, "f1"))
    assert [it.text for it in watch.due(START, RUNS)] == [
        "`loss`, `f1` became nan at step 3.",
        "`accuracy` became inf at step 3.",
    ]


def test_a_job_that_prints_ever_new_names_gets_an_end_of_notices() -> None:
    watch = see(AlertWatch(), *(metric(math.nan, f"m{index}") for index in range(MAX_TOLD + 10)))
    assert len(watch.due(START, RUNS)) == 1
    assert see(watch, metric(math.nan, "new")).due(START, RUNS) == []
    assert len(watch.told) == MAX_TOLD


def test_neither_line_nor_cpu_is_a_standstill_told_until_it_goes_on() -> None:
    watch = see(AlertWatch(stall_after=600), line(START), uses(START, 0.9))
    assert watched(watch, until=START + 590) == []
    see(watch, uses(START + 590, 0.001))
    (notice,) = watched(watch, since=START + 600, until=START + 5_000)
    assert notice.alert == STALLED
    assert notice.text == "No progress for 10 min: no new line in the log, and no use of the CPU."
    see(watch, line(START + 5_000))
    (again,) = watch.due(START + 5_010, RUNS)
    assert (again.text, again.alert) == ("The job goes on.", "")
    assert [it.alert for it in watched(watch, since=START + 5_020, until=START + 6_000)] == [STALLED]


@pytest.mark.parametrize("sign", [line(START + 500), uses(START + 500, 0.5), uses(START + 500, 0.0, gpu=0.8)])
def test_any_sign_of_life_counts(sign: Event) -> None:
    watch = see(AlertWatch(stall_after=600), line(START))
    watched(watch, until=START + 490)
    see(watch, sign)
    assert watched(watch, since=START + 500, until=START + 1_090) == []


def test_where_the_cpu_is_not_known_the_notice_says_so() -> None:
    (notice,) = watched(see(AlertWatch(stall_after=60), line(START)), until=START + 200)
    assert notice.text == "No progress for 1 min: no new line in the log. Its use of the CPU is not known."


def test_a_use_of_the_cpu_that_nobody_asks_for_any_more_is_not_known() -> None:
    watch = see(AlertWatch(stall_after=600), line(START), uses(START, 3.9))
    (notice,) = watched(watch, until=START + 700)
    assert notice.text == "No progress for 10 min: no new line in the log. Its use of the CPU is not known."


@pytest.mark.parametrize("status", [Status.QUEUED, Status.SUCCEEDED, Status.UNKNOWN])
def test_only_a_job_that_runs_can_stand_still(status: Status) -> None:
    watch = AlertWatch(stall_after=60)
    assert watched(watch, until=START + 1_000, status=status) == []
    assert watched(watch, since=START + 1_010, until=START + 1_050) == []  # it has only just begun to run


def test_zero_turns_it_off() -> None:
    assert watched(see(AlertWatch(stall_after=0), line(START)), until=START + 9_000) == []


def test_who_has_just_begun_to_watch_waits() -> None:
    recorded = see(AlertWatch(), line(START)).to_json()
    watch = AlertWatch.from_json(recorded, stall_after=600)
    late = START + 7_200
    assert watched(watch, since=late, until=late + GRACE - 10) == []
    assert [it.alert for it in watched(watch, since=late + GRACE, until=late + GRACE)] == [STALLED]


def test_a_machine_that_has_slept_does_not_take_that_for_a_standstill() -> None:
    watch = see(AlertWatch(stall_after=600), line(START))
    watched(watch, until=START + 60)
    woke = START + 8 * 3600
    assert watched(watch, since=woke, until=woke + 50) == []
    see(watch, line(woke + 55))
    assert watched(watch, since=woke + 60, until=woke + 640) == []


def test_a_job_that_cannot_be_reached_is_not_called_stalled() -> None:
    watch = see(AlertWatch(stall_after=60), line(START))
    for second in range(0, 600, 10):
        assert watch.due(START + second, RUNS, is_reached=False) == []


def test_the_next_recorder_tells_nothing_twice() -> None:
    watch = see(AlertWatch(stall_after=60), line(START), metric(math.nan))
    assert [it.alert for it in watched(watch, until=START + 70)] == [NAN, STALLED]
    heir = see(AlertWatch.from_json(watch.to_json(), stall_after=60), metric(math.nan))
    assert watched(heir, since=START + 80, until=START + 900) == []


@pytest.mark.parametrize(
    "damaged", [None, {}, {"told": 3, "active": "x", "sampled": True, "stalled": []}, {"active": math.nan}]
)
def test_what_is_not_recorded_or_damaged_counts_as_not_seen(damaged: dict[str, object] | None) -> None:
    assert AlertWatch.from_json(damaged) == AlertWatch()
