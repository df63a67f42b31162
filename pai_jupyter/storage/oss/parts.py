"""A large file in parts: where each of them lies. Pure."""

from dataclasses import dataclass

MOST_PARTS = 10_000  # of one upload: a limit of OSS


@dataclass(frozen=True, kw_only=True, slots=True)
class FilePart:
    """Bytes `start` to `end`, the last one not included. Numbers begin at 1."""

    number: int
    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


def split(size: int, part_size: int) -> list[FilePart]:
    """Parts of `part_size` bytes, or of as many times twice of that as `MOST_PARTS` asks for."""
    while size > part_size * MOST_PARTS:
        part_size *= 2
    starts = range(0, size, part_size)
    return [FilePart(number=n, start=start, end=min(start + part_size, size)) for n, start in enumerate(starts, 1)]
