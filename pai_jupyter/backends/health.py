"""What a backend has and lacks, as values: `%pai_doctor`, `%pai_config test` and the panel's list of backends show them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self


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


@dataclass(frozen=True, kw_only=True)
class Health:
    """Whether jobs can run on a backend (`is_ready`; None: not checked), a sentence about it, and the checks behind it."""

    is_ready: bool | None = None
    note: str = ""
    checks: tuple[Check, ...] = ()

    @classmethod
    def of(cls, checks: Sequence[Check]) -> Self:
        """Sum up `checks`: ready when all are good, else the first that is not, with its remedy."""
        wrong = next((check for check in checks if not check.is_good), None)
        if wrong is not None:
            note = f"{wrong.what}: {wrong.found}. {wrong.remedy}".rstrip()
            return cls(is_ready=False, note=note, checks=tuple(checks))
        note = "; ".join(f"{check.what}: {check.found}" for check in checks)
        return cls(is_ready=True, note=note, checks=tuple(checks))
