"""The `difference` request: compare the scripts of two jobs line by line.

Rule 1: it takes at most `SECONDS`. Lines not matched by then are sent as gone and new, with `is_cut` set. `is_cut` is also
    set if a script has more than `MAX_COMPARED` lines or the answer more than `MOST_DIFFERENCE_LINES`; the rest is left out.
Rule 2: of equal lines only those next to a change are sent; a count stands for the others.
"""

import time
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher
from typing import TYPE_CHECKING, Literal, TypeAlias

from pai_jupyter.errors import NotFoundError
from pai_jupyter.jobs import Job
from pai_jupyter.wire.schema.limits import MAX_DIFFERENCE_LINE, MOST_DIFFERENCE_LINES
from pai_jupyter.wire.tabs.source import script_of

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.tabs import DifferenceAnswer

SECONDS = 2.0
MAX_COMPARED = 5_000  # lines of a script
AROUND = 3  # equal lines on each side of a change

Kind: TypeAlias = Literal["same", "gone", "new", "skipped"]
Line: TypeAlias = tuple[Kind, str]


def difference(job: Job, newer: Job) -> "DifferenceAnswer":
    """Answer a `difference` request: the changes from the script of `job` to that of `newer`. Blocking.

    Raises:
        NotFoundError: a script is not recorded on this machine.
        PaiJupyterError: a job's record cannot be read.
    """
    old, new = _lines(job), _lines(newer)
    lines, is_cut = compared(old, new, deadline=time.monotonic() + SECONDS)
    return {"lines": [{"kind": kind, "text": text[:MAX_DIFFERENCE_LINE]} for kind, text in lines], "is_cut": is_cut}


def _lines(job: Job) -> list[str]:
    script = script_of(job)
    if not script:
        raise NotFoundError(f"the script of job {job.id} is not recorded here, so there is nothing to compare it with.")
    return script.splitlines()


def compared(old: Sequence[str], new: Sequence[str], *, deadline: float) -> tuple[list[Line], bool]:
    """Compare two scripts until `deadline` (monotonic time); return the lines, and whether the result is incomplete."""
    matcher = _Hurried(old[:MAX_COMPARED], new[:MAX_COMPARED], deadline)
    lines: list[Line] = []
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            is_first, is_last = start == 0, end == len(old) and new_end == len(new)
            lines += _same(old[start:end], is_first=is_first, is_last=is_last)
        else:
            lines += [("gone", line) for line in old[start:end]]
            lines += [("new", line) for line in new[new_start:new_end]]
    is_cut = matcher.is_late or len(lines) > MOST_DIFFERENCE_LINES or max(len(old), len(new)) > MAX_COMPARED
    return lines[:MOST_DIFFERENCE_LINES], is_cut


def _same(lines: Sequence[str], *, is_first: bool, is_last: bool) -> Iterator[Line]:
    before, behind = 0 if is_first else AROUND, 0 if is_last else AROUND
    skipped = len(lines) - before - behind
    if skipped <= 1:  # a note about one skipped line would take a line, too
        yield from (("same", line) for line in lines)
        return
    yield from (("same", line) for line in lines[:before])
    yield "skipped", str(skipped)
    yield from (("same", line) for line in lines[len(lines) - behind :])


class _Hurried(SequenceMatcher[str]):
    """A matcher that finds no further matches after its deadline; the result is then valid, but longer."""

    def __init__(self, old: Sequence[str], new: Sequence[str], deadline: float) -> None:
        self.is_late = False
        self._deadline = deadline
        super().__init__(None, old, new)

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        if time.monotonic() > self._deadline:
            self.is_late = True
            return Match(alo, blo, 0)
        return super().find_longest_match(alo, ahi, blo, bhi)
