"""One thing that was looked at, as a value."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing looked at; `remedy` is empty where nothing need be done."""

    what: str
    found: str
    remedy: str = ""
    is_good: bool = True
    is_there: bool = True  # else it is neither good nor bad

    @property
    def mark(self) -> str:
        return "✗" if not self.is_good else "✓" if self.is_there else "–"
