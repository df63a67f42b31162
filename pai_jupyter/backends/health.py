"""Check results of a backend, for `%pai_doctor`, `%pai_config test` and the panel's list of backends."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check; `remedy` is "" if nothing needs to be done."""

    what: str
    found: str
    remedy: str = ""
    is_good: bool = True
    is_there: bool = True  # else it is only information

    @property
    def mark(self) -> str:
        return "✗" if not self.is_good else "✓" if self.is_there else "–"


@dataclass(frozen=True, kw_only=True)
class Health:
    """Whether jobs can run on a backend (`is_ready`; None = not checked), a sentence about it, and the checks."""

    is_ready: bool | None = None
    note: str = ""
    checks: tuple[Check, ...] = ()

    @classmethod
    def of(cls, checks: Sequence[Check]) -> Self:
        """Summarize `checks`: ready if all are good, else the first failed one with its remedy."""
        wrong = next((check for check in checks if not check.is_good), None)
        if wrong is not None:
            note = f"{wrong.what}: {wrong.found}. {wrong.remedy}".rstrip()
            return cls(is_ready=False, note=note, checks=tuple(checks))
        note = "; ".join(f"{check.what}: {check.found}" for check in checks)
        return cls(is_ready=True, note=note, checks=tuple(checks))
