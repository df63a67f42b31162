"""Read the files of `%pip install -r FILE`: their lines take its place, as the job has no such file.

Rule 1: a file may name others (`-r`), relative to itself. One that names files of this machine is an error.
Rule 2: a line with a password is an error: it would be recorded and sent.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from pai_jupyter.cell.pip import without_secret
from pai_jupyter.errors import SpecError

_DEEPEST = 10  # files that name files
_LIST = re.compile(r"(?:-r|--requirement)[ =]*(?P<file>\S.*)")
_LOCAL = re.compile(r"(?:-c|--constraint|-e|--editable)\b.*|(?:\.{0,2}/|\.$|~|file:).*")


def with_listed(requirements: tuple[str, ...], base: Path) -> tuple[str, ...]:
    """Replace each `-r FILE` by the lines of that file, which is relative to `base`.

    Raises:
        SpecError: there is no such file, or a line of it cannot be kept for a job.
    """
    return tuple(dict.fromkeys(line for each in requirements for line in _lines(each, base, 0)))


def _lines(line: str, base: Path, depth: int) -> Iterator[str]:
    found = _LIST.fullmatch(line)
    if found is None:
        yield line
        return
    path = base / Path(found["file"]).expanduser()
    for inner in _read(path, found["file"], depth):
        if _LOCAL.fullmatch(inner):
            raise SpecError(
                f"`{inner}` in {path.name!r} names a file of this machine. Take the line out, and send what it names "
                "along with --include.",
                field="requirements",
            )
        yield from _lines(without_secret(inner), path.parent, depth + 1)


def _read(path: Path, written: str, depth: int) -> list[str]:
    if depth >= _DEEPEST:
        raise SpecError(f"`{written}` names itself. Take the line out.", field="requirements")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else "it is not UTF-8"
        raise SpecError(
            f"`pip install -r {written}`: the file cannot be read: {reason}. It is looked for beside the notebook.",
            field="requirements",
        ) from exc
    joined = re.sub(r"\\\n", " ", text)
    lines = (re.sub(r"(?:^|\s)#.*", "", line).strip() for line in joined.splitlines())
    return [line for line in lines if line]
