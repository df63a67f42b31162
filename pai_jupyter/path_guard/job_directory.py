"""What a path is made of: a base, which is the user's own, and names below it, which a job may have changed. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class JobDirectory:
    """A directory that a job writes, or one in it: `parts` below `base`. No job can change what `base` means."""

    base: Path
    parts: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """Where it is, for people; what it means may have changed by the time that it is used."""
        return self.base.joinpath(*self.parts)

    def below(self, *names: str) -> "JobDirectory":
        return JobDirectory(self.base, (*self.parts, *names))


def place_in(path: Path, bases: Iterable[Path]) -> JobDirectory:
    """`path` below the first of `bases` that holds it; where none does, it is a base itself."""
    for base in bases:
        if path.is_relative_to(base):
            return JobDirectory(base, path.relative_to(base).parts)
    return JobDirectory(path)
