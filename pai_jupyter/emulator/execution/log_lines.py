"""Find lines of a log by arrival time, by binary search: lines are in order of arrival."""

from bisect import bisect_left, bisect_right

from pai_jupyter.store import LogFile


def finished(log: LogFile, *, is_over: bool) -> int:
    """Return the number of lines; an unfinished last line counts only once the job is over."""
    count, whole = log.counts()
    return count if is_over else whole


def numbers_between(log: LogFile, total: int, since: float | None, until: float | None) -> range:
    """Return which of the first `total` lines arrived between two times, both included; None = no limit."""

    def time_of(number: int) -> float:
        return next((line.time for line in log.lines(number, number + 1)), 0.0)

    every = range(total)
    start = 0 if since is None else bisect_left(every, since, key=time_of)
    stop = total if until is None else bisect_right(every, until, lo=start, key=time_of)
    return every[start:stop]
