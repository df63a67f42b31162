"""The folder of a job file: the settings of the client for VS Code in it, and the files that travel with the job.

`.vscode/settings.json`, JSON with comments, as that client has it:

    pai.job.upload.enabled           false: no files
    pai.job.upload.include, exclude  patterns; default: `**/*.py` and `**/*.sh`, nothing
    pai.job.generateJobName.enabled  false: the job's name is not completed by a suffix

Rule 1: patterns mean what they mean there: `{py,sh}` either, a leading `!` takes away, a directory is all that is below it, and
    hidden files are left out.
Rule 2: sizes are known before the first file is read.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.backends.openpai.job_file.reading import read_plain_json
from pai_jupyter.errors import SpecError
from pai_jupyter.storage.disk import disk_errors

MOST_CODE = 200_000_000  # bytes that a cluster copies into a task
SETTINGS = Path(".vscode") / "settings.json"
_INCLUDE = ("**/*.py", "**/*.sh")
_EITHER = re.compile(r"\{([^{}]*,[^{}]*)\}")


@dataclass(frozen=True, kw_only=True)
class FolderSettings:
    """What the settings say; `is_given`: they say that files travel, or which."""

    include: tuple[str, ...] = _INCLUDE
    exclude: tuple[str, ...] = ()
    has_own_name: bool = False
    is_given: bool = False


def read_settings(folder: Path) -> FolderSettings:
    """Read the settings beside a job file; those that are not there have their defaults.

    Raises:
        SpecError: they cannot be read.
    """
    path = folder / SETTINGS
    if not path.is_file():
        return FolderSettings()
    try:
        given = read_plain_json(path.read_text(encoding="utf-8-sig"))
        if not isinstance(given, Mapping):
            raise ValueError
        include, exclude = (_patterns(given.get(f"pai.job.upload.{name}")) for name in ("include", "exclude"))
    except (OSError, ValueError) as exc:
        raise SpecError(f"'{path}' cannot be read. Correct it, or type --upload GLOB", field="upload") from exc
    is_enabled = given.get("pai.job.upload.enabled")
    return FolderSettings(
        include=() if is_enabled is False else include or _INCLUDE,
        exclude=exclude,
        has_own_name=given.get("pai.job.generateJobName.enabled") is False,
        is_given=is_enabled is True or (bool(include) and is_enabled is not False),
    )


def travelling(folder: Path, patterns: Sequence[str] = ()) -> dict[str, bytes]:
    """Return the files that travel with a job file of this folder, by their paths; `patterns`: in place of the settings'.

    Raises:
        SpecError: the settings or a file cannot be read, a pattern of `patterns` matches nothing, or the files are more than a
            cluster takes.
    """
    settings = read_settings(folder) if not patterns else FolderSettings(include=tuple(patterns))
    found = _chosen(folder, settings)
    if unmatched := _unmatched(folder, patterns):
        raise SpecError(
            f"no file in {str(folder)!r} matches {unmatched[0]!r}. Check `--upload`; a pattern is e.g. **/*.py",
            field="upload",
        )
    sizes = {}
    for name, path in found.items():
        if not path.resolve().is_relative_to(folder.resolve()):
            raise SpecError(
                f"{name!r} is a link that leaves the job file's folder. Copy the file there, or exclude it.",
                field="upload",
            )
        with disk_errors(path):
            sizes[name] = path.stat().st_size
    if (size := sum(sizes.values())) > MOST_CODE:
        largest = max(sizes, key=lambda name: sizes[name])
        raise SpecError(
            f"the files are {size} bytes, and a cluster takes {MOST_CODE}; the largest is {largest!r}. Name fewer: --upload GLOB",
            field="upload",
        )
    read = {}
    for name, path in found.items():
        with disk_errors(path):
            read[name] = path.read_bytes()
    return read


def unmatched_patterns(folder: Path) -> list[str]:
    """Return the patterns of the settings that match no file; those that nobody wrote do not count."""
    settings = read_settings(folder)
    return _unmatched(folder, settings.include) if settings.include != _INCLUDE or settings.is_given else []


def _unmatched(folder: Path, patterns: Sequence[str]) -> list[str]:
    return [each for each in patterns if not each.startswith("!") and next(_matching(folder, each), None) is None]


def _chosen(folder: Path, settings: FolderSettings) -> dict[str, Path]:
    taken_away = [*settings.exclude, *(each[1:] for each in settings.include if each.startswith("!"))]
    without = {path for pattern in taken_away for path in _matching(folder, pattern)}
    wanted = {path for each in settings.include if not each.startswith("!") for path in _matching(folder, each)}
    return {path.relative_to(folder).as_posix(): path for path in sorted(wanted - without)}


def _matching(folder: Path, pattern: str) -> Iterator[Path]:
    """Yield the files that a pattern names, and those below a directory that it names."""
    for plain in _alternatives(pattern.removeprefix("./")):
        try:
            found = list(folder.glob(plain))
            for path in found:
                inside = [path] if path.is_file() else path.rglob("*") if path.is_dir() else ()
                yield from (each for each in inside if each.is_file() and not _is_hidden(each.relative_to(folder)))
        except (ValueError, NotImplementedError, IndexError) as exc:
            raise SpecError(
                f"{pattern[:60]!r} is no pattern of files below the job file's folder.", field="upload"
            ) from exc


def _alternatives(pattern: str) -> list[str]:
    found = _EITHER.search(pattern)
    if found is None:
        return [pattern]
    head, tail = pattern[: found.start()], pattern[found.end() :]
    return [each for word in found[1].split(",") for each in _alternatives(head + word + tail)]


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _patterns(value: object) -> tuple[str, ...]:
    """Return patterns; raise ValueError if they are none."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError
    return tuple(value)
