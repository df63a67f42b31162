r"""Read the log of one instance by lines; a cursor is the number of lines before it.

The service returns logs in pages of a requested size, so a page that begins at the cursor needs a size that divides it.
`page_at` finds one, so that polling every second does not transfer a thousand old lines each time.

Rule 1: lines come in order, each once; lines of a page before the cursor are dropped.
Rule 2: the service may return fewer lines than asked for. Only for page 1 is its start known then, so its length is used as
    the page size for all. After an error a small size is used.
Rule 3: the launcher's end mark is not a line of the job: it is parsed and removed. One with lines behind it is of an attempt that
    failed and was followed by another one, so a log that ends with a failure is asked for again.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from pai_jupyter import contract
from pai_jupyter.errors import NotFoundError, ProtocolError, SpecError
from pai_jupyter.spec import Json

LARGEST, MODEST = 1000, 100  # lines per page: requested, and after an error
_SHORT = 200  # lines; a shorter log is requested as a whole
_NO_INSTANCE_YET = "TRAINING_JOB_INSTANCE_NOT_FOUND"


@dataclass(frozen=True, kw_only=True)
class LogPage:
    """Consecutive lines of a log; `cursor` is the position after them."""

    data: bytes
    cursor: int


Ask = Callable[[int, int], Awaitable[dict[str, Json]]]
"""Requests a page by number (from 1) and size."""


class LogReader(ABC):
    """Reads the log of one instance of `job_id` from `cursor` on."""

    def __init__(self, job_id: str, cursor: int) -> None:
        self.cursor = cursor
        self.exit_code: int | None = None  # exit code of the command, once the end mark was read
        self.left = ""  # names of the command's files that could not be saved
        self.saved = (0, "")  # the number of files saved from the working directory, and names of some
        self.unsaved = ""  # names of files there that could not be saved
        self._job_id = job_id

    @property
    def is_complete(self) -> bool:
        """Whether its last line was read."""
        return self.exit_code is not None

    @property
    def is_over(self) -> bool:
        """Whether no line can come any more: a failed replica may be started again."""
        return self.exit_code == 0

    @abstractmethod
    def read(self) -> AsyncIterator[LogPage]:
        """Yield all lines that are available now.

        Raises:
            PaiJupyterError: the service does not answer or rejects the request; the next call continues.
        """

    def take(self, lines: Sequence[str]) -> LogPage | None:
        """Advance the cursor by `lines`; return them as bytes without the end mark, None if none are left."""
        if not lines:
            return None
        mark, earlier = self._mark(lines[-1]), self._without_marks(lines[:-1])
        if mark is None:
            self.cursor += len(lines)
            self.exit_code = None  # that of an earlier attempt
            return LogPage(data=_joined([*earlier, lines[-1]]), cursor=self.cursor)
        self.exit_code, self.left, self.unsaved = int(mark["code"]), mark["left"] or "", mark["unsaved"] or ""
        self.saved = int(mark["number"] or 0), mark["saved"] or ""
        rest = lines[-1][: mark.start()]  # an unfinished last line before the mark
        self.cursor += len(lines) if rest else len(lines) - 1  # so that a resumed reader reads the mark again
        data = _joined(earlier) + rest.encode(errors="surrogatepass")
        return LogPage(data=data, cursor=self.cursor) if data else None

    def _mark(self, line: str) -> re.Match[str] | None:
        mark = contract.END_MARK.search(line)
        return mark if mark is not None and mark["job"] == self._job_id else None

    def _without_marks(self, lines: Sequence[str]) -> Sequence[str]:
        """Return the lines without the end marks of earlier attempts; what stands before one in its line is kept."""
        if not any(self._job_id in line and self._mark(line) for line in lines):
            return lines
        rests = [(line, self._mark(line)) for line in lines]
        return [line[: mark.start()] if mark else line for line, mark in rests if mark is None or mark.start()]


class PagedLog(LogReader):
    """A log in pages, requested by `ask`."""

    def __init__(self, job_id: str, ask: Ask, *, cursor: int = 0) -> None:
        super().__init__(job_id, cursor)
        self._ask = ask
        self._total = 0  # total lines, as of the last answer
        self._asked = LARGEST  # the requested size of a first page
        self._size = 0  # the most lines of a first page so far: allowed for any page
        self._is_sure = False  # no page may have more

    async def read(self) -> AsyncIterator[LogPage]:
        is_done = self.is_over
        while not is_done:
            number, size = self._next()
            is_trial = number == 1 and not self._is_sure
            page = await self._page(number, size)
            news = page[self.cursor - (number - 1) * size :]
            if found := self.take(news):
                yield found
            is_done = self.is_complete or self.cursor >= self._total or not (news or (is_trial and page))

    def _next(self) -> tuple[int, int]:
        """Return the number and the size of the next page to request."""
        is_worth_a_trial = self._size == 0 or self.cursor < _SHORT or self._total - self.cursor > self._size
        if not self._is_sure and is_worth_a_trial:
            return 1, self._asked
        return page_at(self.cursor, self._size, first=self._asked)

    async def _page(self, number: int, size: int) -> list[str]:
        try:
            answer = await self._ask(number, size)
        except NotFoundError as exc:
            if exc.code != _NO_INSTANCE_YET:
                raise
            return []
        except SpecError:
            if self._size or self._asked == MODEST:
                raise
            self._asked = MODEST
            return await self._page(number, MODEST)
        page = answer.get("Logs") or []
        if not isinstance(page, list):
            raise ProtocolError("`Logs` in the answer is not a list. Update pai_jupyter.")
        self._total = _total(answer, (number - 1) * size + len(page), is_full=len(page) == size)
        if number == 1:
            self._size = max(self._size, len(page))
            self._is_sure = len(page) < min(self._asked, self._total) or len(page) == self._asked
        return list(map(str, page))


def page_at(cursor: int, largest: int, *, first: int) -> tuple[int, int]:
    """Return number and size of a page with line `cursor` and few before it; page 1 has size `first`."""
    if cursor < min(_SHORT, largest):
        return 1, first
    largest = min(largest, cursor)
    size = min(range(largest, largest // 2, -1), key=lambda each: cursor % each)
    return cursor // size + 1, size


def _joined(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode(errors="surrogatepass")


def _total(answer: dict[str, Json], seen: int, *, is_full: bool) -> int:
    """Return the total number of lines; without `TotalCount`, assume one more after a full page."""
    try:
        return max(seen, int(str(answer.get("TotalCount", seen + is_full))))
    except ValueError as exc:
        raise ProtocolError("`TotalCount` in the answer is not a number. Update pai_jupyter.") from exc
