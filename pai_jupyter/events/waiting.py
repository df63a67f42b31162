"""Why a local job is queued: a sentence that can be read back, so that lists show the place and views say it in Chinese.

The state of a job has one reason, which is text. `labextension/src/text/waiting.ts` is the twin of `Waiting.read`.
"""

import re
from dataclasses import dataclass
from typing import Self

_SENTENCE = re.compile(r"waiting for a free slot: number (\d{1,6}) in line \(([\w.]{1,40}) = (\d{1,6})\)")


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """A job in line: its place, 1 is next, and the setting that lets only `limit` jobs run at once."""

    place: int
    setting: str
    limit: int

    @property
    def reason(self) -> str:
        return f"waiting for a free slot: number {self.place} in line ({self.setting} = {self.limit})"

    @classmethod
    def read(cls, reason: str) -> Self | None:
        """Parse a `reason` that `text` wrote; return None for any other text."""
        found = _SENTENCE.fullmatch(reason)
        return cls(place=int(found[1]), setting=found[2], limit=int(found[3])) if found else None
