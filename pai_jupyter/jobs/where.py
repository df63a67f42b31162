"""Where a job runs, as people say it: "process (no image is given)" is a local process, for that reason.

Records and the wire keep the text of `place`; whoever shows it reads it here, and in `labextension/src/text/runlocation.ts`
by the same rule. A text that is not of its kind is shown as it came.
"""

import re
from dataclasses import dataclass

from pai_jupyter.backends import infos

_PLACE = re.compile(r"([a-z][\w-]{0,40}) \((.*)\)", re.DOTALL)
_AGAIN = re.compile(r"as job (\S{1,100})")


@dataclass(frozen=True, kw_only=True)
class Where:
    """`backend`: its title, e.g. "Docker"; `rerun_of`: the job that it is a rerun of; `reason`: why it runs there; or ""."""

    backend: str
    rerun_of: str = ""
    reason: str = ""

    def __str__(self) -> str:
        """Format as one line of text."""
        rerun = f" · rerun of {self.rerun_of}" if self.rerun_of else ""
        return self.backend + rerun + (f" ({self.reason})" if self.reason else "")


def titles() -> dict[str, str]:
    """Name in a place -> title, of each installed backend and its emulator."""
    found = {info.name: info.title for info in infos()}
    return found | {info.emulator: info.emulator_title for info in infos() if info.emulator}


def where_of(place: str) -> Where:
    """Read the text of a `Place`."""
    found = _PLACE.fullmatch(place)
    name, reason = (found[1], found[2]) if found else (place, "")
    title = titles().get(name)
    if title is None:
        return Where(backend=place)
    again = _AGAIN.fullmatch(reason)
    if again:
        return Where(backend=title, rerun_of=again[1])
    return Where(backend=title, reason=reason)
