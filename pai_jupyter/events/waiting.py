"""The reason why a local job is queued: a sentence that can be parsed again, for lists and for Chinese.

The reason in a job's state is plain text. `labextension/src/text/waiting.ts` is the twin of `Waiting.read`.
"""

import re
from dataclasses import dataclass
from typing import Self

_SENTENCE = re.compile(r"waiting for a free slot: number (\d{1,6}) in line \(([\w.]{1,40}) = (\d{1,6})\)")


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """A queued job: its place (1 is next), and the setting that allows `limit` jobs at once."""

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
