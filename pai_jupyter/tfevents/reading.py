"""Read the scalars of one event file after an offset, as columns by tag; `block` reads one block.

Rule 1: the file is read in blocks with `pread`; with mmap, truncation would kill the process (SIGBUS).
Rule 2: the first head is checked before a block is read: an incomplete record costs only 12 bytes.
Rule 3: a record larger than a block has images or audio and is skipped unread.
Rule 4: a job can replace an event file by anything. A symlink is not followed, and a pipe does not block.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.tfevents.block import MAX_TAGS, Columns, read_block
from pai_jupyter.tfevents.frames import FRAME, HEAD, data_length

BLOCK = 16 * 1024 * 1024  # bytes


@dataclass(frozen=True, kw_only=True)
class Scalars:
    """The result of one read, by tag. `is_more`: more can be read at once. `notice`: a sentence about damage."""

    columns: Mapping[str, Columns] = field(default_factory=dict)
    is_more: bool = False
    notice: str = ""


def read_scalars(path: Path, offset: int = 0, folder: int | None = None, *, limit: int = BLOCK) -> tuple[Scalars, int]:
    """Read the scalars after byte `offset`, at most `limit` bytes, and return the offset at which to go on.

    `folder` is a descriptor of the file's directory; None = open `path`. At an incomplete or damaged record the offset is its
    beginning: once it is complete, the next call continues there.

    Raises:
        NotFoundError: there is no such file.
        PaiJupyterError: it cannot be read, or is not a file.
    """
    with _opened(path, folder) as fd:
        left = os.fstat(fd).st_size - offset
        head = os.pread(fd, HEAD, offset)
        length = data_length(head) if len(head) == HEAD else 0
        if length is None:
            return Scalars(notice=_damage(path, offset)), offset
        size = length + FRAME
        if size > left:
            return Scalars(), offset
        if size > limit:
            return Scalars(is_more=size < left), offset + size
        block = read_block(os.pread(fd, min(limit, left), offset))
    notices = [_damage(path, offset + block.end)] if block.is_damaged else []
    if block.is_crowded:
        notices.append(f"The event file {path.name!r} has more than {MAX_TAGS:,} tags; the first of them are shown.")
    is_more = not block.is_damaged and 0 < block.end < left and left > limit
    return Scalars(columns=block.columns, is_more=is_more, notice=" ".join(notices)), offset + block.end


def _damage(path: Path, offset: int) -> str:
    return f"The event file {path.name!r} is damaged at byte {offset:,}; what lies before that is shown."


@contextmanager
def _opened(path: Path, folder: int | None) -> Iterator[int]:
    """Open the file and yield its descriptor; raise the system's errors as our own."""
    try:
        name = path if folder is None else path.name
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise PaiJupyterError(f"'{path}' is no file, so it holds no scalars. Name an event file.")
            yield fd
        finally:
            os.close(fd)
    except FileNotFoundError as exc:
        raise NotFoundError(f"the event file '{path}' is gone. Look again: its job may have replaced it.") from exc
    except (OSError, ValueError) as exc:  # ValueError: a path with a NUL
        raise PaiJupyterError(f"cannot read the event file '{path}': {exc}. Check its permissions.") from exc
