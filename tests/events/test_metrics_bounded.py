r"""No pattern and no line takes more than a bounded time: those of users are switched off, what is built in is linear."""

import itertools
import json
import time
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pai_jupyter.events import LogChunk, Metric, Notice
from pai_jupyter.events.definitions import JOB_SECONDS, MAX_PATTERN, MAX_SIZE, DefinedMetrics, size_of
from pai_jupyter.events.metrics import MetricParser
from pai_jupyter.events.track import MAX_PARSED
from pai_jupyter.spec import MetricDefinition
from pai_jupyter.store import JobFolder
from tests.support.wire import RecordedJob

EVIL = MetricDefinition(name="acc", regex=r"acc: (?:a|aa)+=([0-9.]+)")
GOOD = MetricDefinition(name="loss", regex=r"loss=([0-9.]+)")
SLOW_LINE = b"acc: " + b"a" * 80 + b"=yes\n"
ENOUGH = 200  # slow lines


def read(parser: MetricParser, data: bytes) -> tuple[list[str], list[str]]:
    """Names of metrics, and notices."""
    found = parser.feed("worker-0", data, 0.0)
    return [e.name for e in found if isinstance(e, Metric)], [e.text for e in found if isinstance(e, Notice)]


def test_a_pattern_that_runs_out_of_time_is_switched_off_and_the_others_go_on() -> None:
    parser = MetricParser([EVIL, GOOD])
    begin = time.thread_time()
    names, notices = read(parser, SLOW_LINE * ENOUGH + b"loss=1\nacc: a=1\n")
    assert time.thread_time() - begin < 4 * JOB_SECONDS
    assert names == ["loss"]
    [notice] = notices
    assert notice.startswith("Metric 'acc' is not read from the log any more: its pattern takes too long")
    assert read(parser, SLOW_LINE * ENOUGH + b"loss=1\n") == (["loss"], [])


def test_one_english_line_that_took_a_pattern_hours_is_read_at_once() -> None:
    parser = MetricParser([MetricDefinition(name="acc", regex=r"acc:(?:\s*\w+)+=([0-9.]+)")])
    line = b"acc: the model looks fine today and will be trained a little longer tomorrow\n"
    begin = time.thread_time()
    assert read(parser, line + b"acc: it is=0.5\n") == (["acc"], [])
    assert time.thread_time() - begin < JOB_SECONDS


def test_whoever_goes_on_does_not_spend_the_time_again() -> None:
    parser = MetricParser([EVIL, GOOD])
    read(parser, SLOW_LINE * ENOUGH)
    begin = time.thread_time()
    next_one = MetricParser([EVIL, GOOD], state=json.loads(json.dumps(parser.state)))
    assert read(next_one, SLOW_LINE * 10_000 + b"loss=1\n") == (["loss"], [])
    assert time.thread_time() - begin < JOB_SECONDS


def test_what_was_spent_before_a_restart_counts() -> None:
    parser = MetricParser([EVIL])
    read(parser, SLOW_LINE * 5)
    spent = parser.state["definitions"]["spent"]
    assert 0 < spent < JOB_SECONDS
    assert MetricParser([EVIL], state=parser.state).state["definitions"]["spent"] == spent


def test_an_honest_pattern_that_an_interrupt_made_look_slow_goes_on_when_the_time_of_the_job_is_spent() -> None:
    parser = MetricParser([EVIL, GOOD])
    read(parser, SLOW_LINE * ENOUGH)
    spent = parser.state["definitions"]
    slow = itertools.count(step=100e-6)  # seconds: each look at the clock
    found = DefinedMetrics([EVIL, GOOD], state=spent, clock=slow.__next__, processor_clock=slow.__next__)
    assert [found.find("loss=1") for _ in range(3)] == [[("loss", 1.0)]] * 3
    assert found.take_sentences() == []
    assert found.state["off"] == [0]


def test_a_line_that_runs_out_of_its_time_costs_only_its_own_value() -> None:
    assert read(MetricParser([EVIL]), SLOW_LINE + b"acc: a=0.5\n") == (["acc"], [])


@pytest.mark.parametrize(
    "regex", [r"loss=([0-9.]+)", r".*loss=([0-9.]+)", r"[Ll]oss\s*[:=]\s*([-+0-9.eE]+)", r"^(?:\S+ )+loss=(\S+)$"]
)
def test_an_honest_pattern_may_search_any_number_of_lines(regex: str) -> None:
    parser = MetricParser([MetricDefinition(name="loss", regex=regex)])
    lines = b"".join(b"INFO worker says that batch %d went by in 0.1 s, loss=%d.5\n" % (i, i) for i in range(20_000))
    names, notices = read(parser, lines)
    assert len(names) == 20_000
    assert notices == []
    assert parser.state["definitions"]["spent"] < 0.05 * JOB_SECONDS


@pytest.mark.parametrize(
    "regex",
    [
        "(?:(?:(?:a{1000}){1000}){1000}){1000}()",
        "(?x)((((a{1000})(?#c){1000}) {1 000}) {1000})()",
        "x" * (MAX_PATTERN + 1) + "()",
        "(" * 90 + "a" + "){99}" * 90 + "()",
    ],
)
def test_a_pattern_too_large_to_compile_is_not_used_and_a_notice_says_so(regex: str) -> None:
    begin = time.thread_time()
    parser = MetricParser([MetricDefinition(name="acc", regex=regex), GOOD])
    assert time.thread_time() - begin < 2
    names, [notice] = read(parser, b"acc aaa\nloss=1\n")
    assert names == ["loss"]
    assert "too large" in notice
    again = MetricParser([MetricDefinition(name="acc", regex=regex), GOOD], state=parser.state)
    assert read(again, b"acc aaa\nloss=1\n") == (["loss"], [])


def test_many_patterns_that_are_just_small_enough_are_too_large_together() -> None:
    one = "(?:a{900}){99}()"
    assert size_of(one) < MAX_SIZE
    _, notices = read(MetricParser([MetricDefinition(name=f"m{i}", regex=one) for i in range(5)]), b"\n")
    assert len(notices) == 4


def test_dates_and_numbers_are_small_patterns() -> None:
    assert size_of(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2},\d{3} \[(?:INFO|WARN)\] val_acc=(\d{1,9}\.\d{1,9})") < 1_000


@pytest.mark.parametrize("state", [None, [], "x", 7, {"spent": "x", "off": {}}, {"spent": -1.0, "off": [True, 9, "0"]}])
def test_a_state_that_somebody_changed_is_taken_for_none(state: object) -> None:
    assert read(MetricParser([GOOD], state={"definitions": state}), b"loss=1\n") == (["loss"], [])


@pytest.mark.parametrize(
    ("regex", "line"),
    [
        (r".*loss=([0-9.]+).*", "a loss=0.5 b"),
        (r"[Ll]oss: *(\d+)", "Loss:   5"),
        (r"acc(?:uracy)?=(\d+)", "acc=5"),
        (r"accs?=(\d+)", "acc=5"),
        (r"ac{1,2}=(\d+)", "ac=5"),
        (r"a\x63c=(\d+)", "acc=5"),
        (r"a\143c=(\d+)", "acc=5"),
        (r"[\]a(b]c=(\d+)", "(c=5"),
        (r"[^]a]c=(\d+)", "xc=5"),
        (r"loss|acc=(\d+)", "acc=5"),
        (r"(?i)ACC=(\d+)", "acc=5"),
        (r"(?x)acc = (\d+)", "acc=5"),
        (r"(?:loss)*acc=(\d+)", "acc=5"),
        (r"\w+ (\d+)", "训练 5"),
        (r"训练=(\d+)", "训练=5"),
        (r"acc=(\d+)", "\x1b[1ma\x1b[0mcc=5"),
        (r"acc\.top-1=(\d+)", "acc.top-1=5"),
    ],
)
def test_no_line_is_passed_over_in_which_a_pattern_matches(regex: str, line: str) -> None:
    parser = MetricParser([MetricDefinition(name="m", regex=regex)])
    assert read(parser, f"before\n{line}\nbehind\n".encode()) == (["m"], [])


fragments = st.sampled_from(
    [
        *(
            " ",
            "\t",
            "a",
            "1",
            ".",
            "=",
            ":",
            "[",
            "(",
            "{",
            "'",
            '"',
            "|",
            "%|",
            "/",
            "e",
            "+",
            "'s ",
            "━",
            ",",
            "<",
            "]",
            "}",
        ),
        *(
            "epoch",
            "step",
            "iter",
            "epoch 1",
            "step 1/2 ",
            "epoch ",
            "train ",
            "loss",
            "loss=",
            "a=1",
            "a: ",
            "'a': ",
            '{"a":',
        ),
        *(
            "[1]",
            "[1]\ta:",
            "\ta:0.5",
            "1/1 [",
            "1/1 ",
            "==",
            "1%|",
            "1%|a| 1/1 [0<0, a",
            "1%|| 1/1[0<0,a]",
            "nan",
            "1e5",
        ),
        *(
            "a b c ",
            "loss a ",
            "accuracy of ",
            "Val: ",
            "train ",
            "tensor(",
            "-->",
            "| ",
            "|  |",
            "| a/ |",
            " - ",
            "%",
            "0.5",
        ),
        *(
            "loss 0.5 ",
            "loss: 0.5 at ",
            "  epoch  loss  ",
            "│",
            "1/2 ",
            "[1, ",
            "is ",
            "，",
            "：",
            "_",
            "@1",
            "(a) ",
            "nan ",
        ),
        *("\x1b[", "\x1b]", "\b", "训", "epoch 1 a=1", "{'step': 1, ", '{"step": 1, "a": ', ", ", "0<"),
    ]
)


ONCE_SLOW = ["epoch" + " " * 8_000 + "x", "epoch 1 a=" + "1" * 8_000 + "x", "1%|| 1/1[0<0,a]" * 546]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(fragments, st.sampled_from([1, 1, 2, 50, 10_000])), min_size=1, max_size=6))
def test_what_is_built_in_reads_any_line_in_linear_time(parts: list[tuple[str, int]]) -> None:
    room = MAX_PARSED // max(1, sum(count > 50 for _, count in parts))
    check_time("".join(fragment * min(count, room // len(fragment)) for fragment, count in parts))


@pytest.mark.parametrize("text", ONCE_SLOW, ids=["blanks", "digits", "bars"])
def test_lines_that_took_seconds_once_are_read_at_once(text: str) -> None:
    check_time(text)


def check_time(text: str) -> None:
    line = text.encode()[: MAX_PARSED - 1] + b"\n"
    begin = time.thread_time()
    MetricParser(total_epochs=3).feed("worker-0", line, 0.0)
    assert time.thread_time() - begin < 1  # thousands of times what an ordinary line of this length takes


def test_the_record_of_a_job_keeps_what_is_switched_off_and_says_so_once() -> None:
    job = RecordedJob(metric_definitions=(EVIL, GOOD))
    job.print(SLOW_LINE * ENOUGH + b"loss=1\n")
    job.release()
    lock = job.folder.try_lock()
    assert lock is not None
    with lock, closing(JobFolder(job.folder.path).writer("service")) as writer:
        begin = time.thread_time()
        data = SLOW_LINE * 1_000 + b"loss=2\n"
        cursor = writer.snapshot.positions["master-0"] + len(data)
        writer.record(LogChunk(replica="master-0", data=data, cursor=cursor, time=9.0))
        assert time.thread_time() - begin < JOB_SECONDS
    state = JobFolder(job.folder.path).read().state
    assert [notice.level for notice in state.notices] == ["warning"]
    assert state.metrics["loss"].count == 2
