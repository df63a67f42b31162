"""Split a large file into parts. Pure."""

from dataclasses import dataclass

MOST_PARTS = 10_000  # parts of one upload: OSS's limit


@dataclass(frozen=True, kw_only=True, slots=True)
class FilePart:
    """Bytes `start` to `end` (exclusive). Numbers begin at 1."""

    number: int
    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


def split(size: int, part_size: int) -> list[FilePart]:
    """Split `size` bytes into parts of `part_size`, doubled until there are at most `MOST_PARTS`."""
    while size > part_size * MOST_PARTS:
        part_size *= 2
    starts = range(0, size, part_size)
    return [FilePart(number=n, start=start, end=min(start + part_size, size)) for n, start in enumerate(starts, 1)]
