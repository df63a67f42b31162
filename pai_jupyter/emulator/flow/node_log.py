"""The lines of a node's log: those of its job's replicas by time."""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pai_jupyter import contract
from pai_jupyter.emulator.execution.log_lines import finished, numbers_between
from pai_jupyter.jobs import Job
from pai_jupyter.store import LogFile


@dataclass(frozen=True, kw_only=True)
class LogQuery:
    """Which lines are wanted: a time range in Unix seconds, a text that they contain, and the page."""

    since: float | None
    until: float | None
    keyword: str
    is_reverse: bool
    start: int
    size: int


def node_lines(job: Job, query: LogQuery, *, is_over: bool) -> tuple[Sequence[str], int]:
    """Return a page of lines and the number of all that the query selects. Blocking."""
    logs = [job.folder.log(replica.name) for replica in contract.replicas(job.spec)]
    if len(logs) == 1 and not query.keyword:
        return _page_of_one(logs[0], query, is_over=is_over)
    merged = heapq.merge(*(_timed(log, query, is_over=is_over) for log in logs))
    texts = [text for _, text in merged if query.keyword in text]
    if query.is_reverse:
        texts.reverse()
    return texts[query.start : query.start + query.size], len(texts)


def _page_of_one(log: LogFile, query: LogQuery, *, is_over: bool) -> tuple[Sequence[str], int]:
    numbers = _numbers(log, query, is_over=is_over)
    if not query.is_reverse:
        page = numbers[query.start : query.start + query.size]
        return [line.text for line in log.lines(page.start, page.stop)], len(numbers)
    end = max(0, len(numbers) - query.start)
    page = numbers[max(0, end - query.size) : end]
    return [line.text for line in log.lines(page.start, page.stop)][::-1], len(numbers)


def _timed(log: LogFile, query: LogQuery, *, is_over: bool) -> Iterator[tuple[float, str]]:
    numbers = _numbers(log, query, is_over=is_over)
    return ((line.time, line.text) for line in log.lines(numbers.start, numbers.stop))


def _numbers(log: LogFile, query: LogQuery, *, is_over: bool) -> range:
    return numbers_between(log, finished(log, is_over=is_over), query.since, query.until)
