"""Parse the text of a job's target for people: "process (no image is given)" is a local process, for that reason.

Records and the wire have the text `place`; views parse it here and in labextension/src/text/runlocation.ts by the same rule. Other
text is shown unchanged.
"""

import re
from dataclasses import dataclass

from pai_jupyter.backends import infos, read_only_infos

_PLACE = re.compile(r"([a-z][\w-]{0,40}) \((.*)\)", re.DOTALL)
_AGAIN = re.compile(r"as job (\S{1,100})")


@dataclass(frozen=True, kw_only=True)
class Where:
    """A parsed target: `backend` (title, e.g. "Docker"), `rerun_of` (id of the first job) and `reason`; "" if missing."""

    backend: str
    rerun_of: str = ""
    reason: str = ""

    def __str__(self) -> str:
        """Format as one line of text."""
        rerun = f" · rerun of {self.rerun_of}" if self.rerun_of else ""
        return self.backend + rerun + (f" ({self.reason})" if self.reason else "")


def titles() -> dict[str, str]:
    """Return the titles of the installed backends and their emulators, by the name in the text."""
    known = (*infos(), *read_only_infos())
    found = {info.name: info.title for info in known}
    return found | {info.emulator: info.emulator_title for info in known if info.emulator}


def where_of(place: str) -> Where:
    """Parse the text of a `Target`."""
    found = _PLACE.fullmatch(place)
    name, reason = (found[1], found[2]) if found else (place, "")
    title, again = titles().get(name), _AGAIN.fullmatch(reason)
    if again:  # also of a backend that is no longer installed
        return Where(backend=title or name, rerun_of=again[1])
    return Where(backend=place) if title is None else Where(backend=title, reason=reason)
