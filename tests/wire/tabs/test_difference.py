"""The difference of two scripts: what it tells, and that it ends in time whatever it is given."""

import random
import time
from typing import Any

import pytest

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.jobs import Job
from pai_jupyter.package import build
from pai_jupyter.wire import answer
from pai_jupyter.wire.schema.limits import MOST_DIFFERENCE_LINES
from pai_jupyter.wire.tabs.difference import MAX_COMPARED, compared, difference
from tests.support.lists import record
from tests.support.patience import SOON

NUMBERS = [f"line {number}" for number in range(20)]


def lines_of(old: list[str], new: list[str], *, seconds: float = 60.0) -> list[tuple[str, str]]:
    lines, is_cut = compared(old, new, deadline=time.monotonic() + seconds)
    assert not is_cut
    return [*lines]


def sides(lines: list[Any]) -> tuple[list[str], list[str]]:
    """Both scripts, as `lines` tell them."""
    old = [text for kind, text in lines if kind in ("same", "gone")]
    return old, [text for kind, text in lines if kind in ("same", "new")]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (["a"], ["a"], [("same", "a")]),
        (["a"], ["b"], [("gone", "a"), ("new", "b")]),
        (["a"], ["a", "b"], [("same", "a"), ("new", "b")]),
        (["a", "b"], ["b"], [("gone", "a"), ("same", "b")]),
        (["x", "a", "y"], ["x", "训", "y"], [("same", "x"), ("gone", "a"), ("new", "训"), ("same", "y")]),
        (["a", ""], ["a"], [("same", "a"), ("gone", "")]),
    ],
)
def test_each_line_is_told_as_what_became_of_it(old: list[str], new: list[str], told: list[tuple[str, str]]) -> None:
    assert lines_of(old, new) == told


def test_of_what_is_the_same_the_lines_next_to_a_change_are_told() -> None:
    new = [*NUMBERS[:9], "changed", *NUMBERS[10:]]
    assert lines_of(NUMBERS, new) == [
        ("skipped", "6"),
        *(("same", line) for line in NUMBERS[6:9]),
        ("gone", "line 9"),
        ("new", "changed"),
        *(("same", line) for line in NUMBERS[10:13]),
        ("skipped", "7"),
    ]


def test_between_two_changes_lines_on_both_sides_are_told() -> None:
    told = lines_of(NUMBERS, ["first", *NUMBERS[1:19], "last"])
    assert [text for kind, text in told if kind == "skipped"] == ["12"]
    assert [text for kind, text in told if kind == "same"] == [*NUMBERS[1:4], *NUMBERS[16:19]]


def test_a_single_line_is_not_skipped() -> None:
    assert all(kind != "skipped" for kind, _ in lines_of(NUMBERS[:5], [*NUMBERS[:4], "x"]))


def test_of_two_scripts_that_are_the_same_nothing_is_told_but_how_long_they_are() -> None:
    assert lines_of(NUMBERS, NUMBERS) == [("skipped", "20")]


def test_out_of_time_it_tells_a_longer_difference_and_says_so() -> None:
    old, new = [*NUMBERS], [*reversed(NUMBERS)]
    lines, is_cut = compared(old, new, deadline=0.0)
    assert is_cut
    assert sides(lines) == (old, new)


def test_the_worst_scripts_end_in_time() -> None:
    shuffled = random.Random(7)  # many lines again and again, in no order: nothing is harder to compare
    old, new = ([f"x = {shuffled.randrange(200)}" for _ in range(50_000)] for _ in range(2))
    began = time.monotonic()
    lines, is_cut = compared(old, new, deadline=time.monotonic() + 0.5)
    assert time.monotonic() - began < SOON
    assert is_cut
    assert len(lines) <= MOST_DIFFERENCE_LINES


def test_lines_behind_the_first_thousands_are_not_compared() -> None:
    old = [f"line {number}" for number in range(MAX_COMPARED + 10)]
    lines, is_cut = compared(old, [*old[:-1], "x"], deadline=time.monotonic() + 60)
    assert is_cut
    assert all(kind in ("same", "skipped") for kind, _ in lines)


# --- of jobs ---------------------------------------------------------------------------------------------------------


def scripted(job_id: str, script: bytes | None) -> Job:
    folder = record(job_id, entry_point="train.py", cell=f"%%pai_train {job_id}\npass")
    if script is not None:
        build(None, to=folder.path / "package.tar.gz", files={"train.py": script})
    return Job(folder)


def test_the_scripts_of_two_jobs_are_compared_as_they_were_sent() -> None:
    told: Any = difference(scripted("j1", b"a\r\nb\n"), scripted("j2", b"a\nc" + b"x" * 5_000))
    assert [line["kind"] for line in told["lines"]] == ["same", "gone", "new"]
    assert len(told["lines"][2]["text"]) == 1_000
    assert told["is_cut"] is False


def test_a_job_whose_script_is_not_known_here_is_a_sentence() -> None:
    with pytest.raises(NotFoundError, match="script of job j2"):
        difference(scripted("j1", b"a"), scripted("j2", None))


def test_a_damaged_package_is_a_sentence() -> None:
    job = scripted("j1", b"a")
    (job.folder.path / "package.tar.gz").write_bytes(b"damaged")
    with pytest.raises(NotFoundError, match="script of job j1"):
        difference(job, scripted("j2", b"b"))


async def test_it_is_asked_for_by_the_ids_of_both() -> None:
    scripted("j1", b"a\n")
    scripted("j2", b"b\n")
    told: Any = (await answer("difference", "j1", {"to": "j2"})).body
    assert [line["text"] for line in told["lines"]] == ["a", "b"]


@pytest.mark.parametrize("to", [None, 7, "nobody", "../j2", ""])
async def test_another_job_that_is_none_is_refused(to: Any) -> None:
    scripted("j1", b"a\n")
    with pytest.raises((SpecError, NotFoundError)):
        await answer("difference", "j1", {"to": to})


async def test_the_cell_of_a_job_is_told_as_it_was_written() -> None:
    scripted("j1", None)
    assert (await answer("cell", "j1", {})).body == {"cell": "%%pai_train j1\npass"}


async def test_a_job_without_a_cell_is_a_sentence() -> None:
    record("j1")
    with pytest.raises(NotFoundError, match="not started by a cell"):
        await answer("cell", "j1", {})
