"""A path as a base that the user gave and names below it that a job may have changed. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class JobDirectory:
    """A directory that a job writes, or one below it: `parts` below `base`. No job can change `base`."""

    base: Path
    parts: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The path for messages only; a job may have changed its meaning."""
        return self.base.joinpath(*self.parts)

    def below(self, *names: str) -> "JobDirectory":
        return JobDirectory(self.base, (*self.parts, *names))


def place_in(path: Path, bases: Iterable[Path]) -> JobDirectory:
    """Return `path` relative to the first of `bases` that contains it; if none does, `path` is the base."""
    for base in bases:
        if path.is_relative_to(base):
            return JobDirectory(base, path.relative_to(base).parts)
    return JobDirectory(path)
