"""Logs in pages of a service whose pages are as they are: every line once, in order, at few requests."""

import random
from collections.abc import Sequence

import pytest

from pai_jupyter.backends.pai.services.logs import PagedLog, page_at
from pai_jupyter.contract import end_mark
from pai_jupyter.errors import NotFoundError, ProtocolError, SpecError, UnavailableError
from pai_jupyter.spec import Json


class Log:
    """A service's log; its pages have `largest` lines, and sizes from `refused` on are refused."""

    def __init__(self, lines: Sequence[str] = (), *, largest: int = 1000, refused: int = 10**9) -> None:
        self.lines = list(lines)
        self.largest, self.refused = largest, refused
        self.asked: list[tuple[int, int]] = []
        self.trouble: list[Exception] = []

    async def ask(self, number: int, size: int) -> dict[str, Json]:
        self.asked.append((number, size))
        if self.trouble:
            raise self.trouble.pop(0)
        if size >= self.refused:
            raise SpecError("PageSize is too large")
        size = min(size, self.largest)
        return {"Logs": [*self.lines[(number - 1) * size : number * size]], "TotalCount": str(len(self.lines))}


def numbered(start: int, stop: int) -> list[str]:
    return [f"line {number}" for number in range(start, stop)]


async def read(reader: PagedLog) -> str:
    return b"".join([found.data async for found in reader.read()]).decode()


def text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("largest", [7, 20, 100, 333, 500, 1000])
@pytest.mark.parametrize("seed", range(8))
async def test_a_growing_log_is_read_once_whatever_the_pages(largest: int, seed: int) -> None:
    chance = random.Random(seed)
    log = Log(numbered(0, chance.choice((0, 1, 50, 150, 700, 1500))), largest=largest)
    start = chance.randint(0, len(log.lines))
    reader, found = PagedLog("j1", log.ask, cursor=start), ""
    for _ in range(12):
        found += await read(reader)
        assert found == text(log.lines[start:])
        assert reader.cursor == len(log.lines)
        log.lines += numbered(len(log.lines), len(log.lines) + chance.choice((0, 1, 3, 90, 400, 2500)))


async def test_a_mark_with_lines_behind_it_is_of_an_earlier_attempt() -> None:
    mark = end_mark("j1", 137)
    log = Log(["a", mark])
    reader = PagedLog("j1", log.ask)
    assert await read(reader) == "a\n"
    assert (reader.exit_code, reader.is_over) == (137, False)
    assert await read(reader) == ""
    log.lines += ["started again", f"unfinished{mark}", "b"]
    assert await read(reader) == "started again\nunfinished\nb\n"
    assert (reader.exit_code, reader.is_complete) == (None, False)
    log.lines += [end_mark("j2", 1), end_mark("j1", 0)]
    assert await read(reader) == f"{end_mark('j2', 1)}\n"
    assert (reader.exit_code, reader.is_over) == (0, True)


async def test_two_thousand_lines_are_two_requests() -> None:
    log = Log(numbered(0, 2000))
    assert await read(PagedLog("j1", log.ask)) == text(log.lines)
    assert log.asked == [(1, 1000), (2, 1000)]


@pytest.mark.parametrize("first", [1, 150, 300])
@pytest.mark.parametrize("more", [1, 3, 90, 650, 5000])
async def test_a_log_that_was_short_at_first_is_read_in_few_requests(first: int, more: int) -> None:
    log = Log(numbered(0, first))
    reader = PagedLog("j1", log.ask)
    await read(reader)
    log.lines += numbered(first, first + more)
    log.asked.clear()
    assert await read(reader) == text(log.lines[first:])
    assert len(log.asked) <= 2 + more // 1000


@pytest.mark.parametrize("cursor", [200, 613, 999, 1000, 2003, 5003, 99_991])
def test_a_look_for_new_lines_brings_few_old_ones(cursor: int) -> None:
    number, size = page_at(cursor, 1000, first=1000)
    before = cursor - (number - 1) * size
    assert 0 <= before <= 5
    assert before < size <= 1000


async def test_a_refused_size_is_made_modest() -> None:
    log = Log(numbered(0, 450), largest=100, refused=101)
    assert await read(PagedLog("j1", log.ask)) == text(log.lines)
    assert {size for _, size in log.asked[1:]} == {100}


async def test_a_refusal_that_size_does_not_explain_is_raised() -> None:
    with pytest.raises(SpecError):
        await read(PagedLog("j1", Log(refused=1).ask))


async def test_a_log_that_is_not_there_yet_has_no_lines() -> None:
    log = Log(numbered(0, 3))
    log.trouble.append(NotFoundError("none yet", code="TRAINING_JOB_INSTANCE_NOT_FOUND"))
    reader = PagedLog("j1", log.ask)
    assert await read(reader) == ""
    assert await read(reader) == text(log.lines)


async def test_a_job_that_is_gone_is_not_found() -> None:
    log = Log()
    log.trouble.append(NotFoundError("gone", code="TrainingJobNotFound"))
    with pytest.raises(NotFoundError):
        await read(PagedLog("j1", log.ask))


async def test_reading_goes_on_where_it_was_cut_off() -> None:
    log = Log(numbered(0, 2500))
    reader, found = PagedLog("j1", log.ask), ""
    async for lines in reader.read():
        found += lines.data.decode()
        log.trouble = [UnavailableError("cut")] if reader.cursor == 1000 else []
        if log.trouble:
            break
    with pytest.raises(UnavailableError):
        await read(reader)
    assert found + await read(reader) == text(log.lines)


@pytest.mark.parametrize("total", ["many", None])
async def test_an_answer_that_is_none_is_said(total: Json) -> None:
    async def ask(_: int, __: int) -> dict[str, Json]:
        return {"Logs": {"a": "b"} if total is None else [], "TotalCount": total}

    with pytest.raises(ProtocolError):
        await read(PagedLog("j1", ask))


async def test_without_a_total_a_full_page_is_not_the_last() -> None:
    log = Log(numbered(0, 2100))

    async def ask(number: int, size: int) -> dict[str, Json]:
        answer = await log.ask(number, size)
        del answer["TotalCount"]
        return answer

    assert await read(PagedLog("j1", ask)) == text(log.lines)


# --- the end mark ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [[], ["a"], numbered(0, 999), numbered(0, 1000), numbered(0, 1500)])
async def test_the_mark_is_noted_and_taken_out(before: list[str]) -> None:
    reader = PagedLog("j1", Log([*before, end_mark("j1", 3)]).ask)
    assert await read(reader) == text(before)
    assert (reader.is_complete, reader.exit_code, reader.cursor) == (True, 3, len(before))


async def test_a_mark_behind_a_line_without_an_end_leaves_the_line_as_it_was() -> None:
    reader = PagedLog("j1", Log(["a", "训练" + end_mark("j1", 0)]).ask)
    assert await read(reader) == "a\n训练"
    assert (reader.is_complete, reader.cursor) == (True, 2)


async def test_whoever_comes_back_finds_the_mark_again() -> None:
    log = Log([*numbered(0, 400), end_mark("j1", 0)])
    reader = PagedLog("j1", log.ask, cursor=400)
    assert await read(reader) == ""
    assert reader.is_complete


@pytest.mark.parametrize(
    "line", [end_mark("other", 0), f"{end_mark('j1', 0)} he said", "pai_jupyter: job j1 ended", end_mark("j1", "-1")]
)
async def test_what_only_looks_like_the_mark_is_a_line(line: str) -> None:
    reader = PagedLog("j1", Log([line]).ask)
    assert await read(reader) == f"{line}\n"
    assert not reader.is_complete


async def test_half_a_character_passes() -> None:
    reader = PagedLog("j1", Log(["\ud800"]).ask)
    assert [found.data async for found in reader.read()] == [b"\xed\xa0\x80\n"]
