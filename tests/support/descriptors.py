"""What this process holds open below a folder: other descriptors come and go with threads and the garbage collector."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def open_below(folder: Path) -> list[Path]:
    """List what is open of `folder` and of what lies in it, by the path that the kernel names."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # that of the listing itself is closed by now
            found.append(descriptor.readlink())
    return [path for path in found if path.is_relative_to(folder)]
