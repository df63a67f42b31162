"""Tab on a magic's line: its options, and the values of those whose values are known here. No network, ever."""

import argparse
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from pai_jupyter.backends import backend_names
from pai_jupyter.jobs import list_jobs
from pai_jupyter.spec import JobType

MAX_JOBS = 50

_VALUES: Mapping[str, Callable[[], Iterable[str]]] = {
    "--backend": backend_names,
    "--instance-type": lambda: ("local", "local_gpu"),
    "--job-type": lambda: get_args(JobType),
    "--requirements": lambda: ("auto", "none", *_paths("")),
    "--option": lambda: ("docker.memory=", "docker.cpus=", "docker.shm_size="),
    "--state": lambda: ("queued", "running", "succeeded", "failed", "stopped"),
}
_PATH_OPTIONS = frozenset({"--include", "--source-dir", "--params", "--entry-point"})
_CHANNEL_OPTIONS = frozenset({"-i", "--input", "-o", "--output"})


def complete(parser: argparse.ArgumentParser, line: str, symbol: str, *, jobs: bool) -> list[str]:
    """What may stand at the end of `line`, whose unfinished last word is `symbol`.

    `jobs` says that the magic takes jobs as its words.
    """
    words = line[: len(line) - len(symbol)].split()
    previous = words[-1].removesuffix("=") if words else ""
    if symbol.startswith("-"):
        candidates: Iterable[str] = (option for action in parser._actions for option in action.option_strings)  # noqa: SLF001  argparse has no public list
    elif previous in _VALUES:
        candidates = _VALUES[previous]()
    elif previous in _PATH_OPTIONS or (words[-2:-1] and words[-2] in _CHANNEL_OPTIONS) or "=" in previous:
        candidates = _paths(symbol)
    elif jobs:
        candidates = _jobs()
    else:
        candidates = ()
    return sorted({each for each in candidates if each.startswith(symbol)})


def _jobs() -> list[str]:
    return [word for job in list_jobs(limit=MAX_JOBS, refresh=False) for word in (job.id, job.name)]


def _paths(symbol: str) -> list[str]:
    """Entries of the directory that `symbol` is in; directories with a slash."""
    directory, _, _ = symbol.rpartition("/")
    base = Path(directory or ("/" if symbol.startswith("/") else ".")).expanduser()
    prefix = f"{directory}/" if "/" in symbol else ""
    try:
        entries = list(base.iterdir())
    except OSError:
        return []
    return [
        f"{prefix}{entry.name}{'/' if entry.is_dir() else ''}" for entry in entries if not entry.name.startswith(".")
    ]


def install(shell: Any, magics: Mapping[str, tuple[Callable[..., object], bool]]) -> None:  # Any: IPython is untyped
    """Register completion for `magics`: name with its % signs -> (the magic, whether it takes jobs)."""
    for name, (magic, jobs) in magics.items():
        shell.set_hook("complete_command", _hook(magic, jobs=jobs), str_key=name)


def _hook(magic: Callable[..., object], *, jobs: bool) -> Callable[[object, Any], list[str]]:
    def hook(_shell: object, event: Any) -> list[str]:  # Any: IPython's event
        parser: Any = magic.parser  # type: ignore[attr-defined]  # set by magic_arguments
        return complete(parser, event.line, event.symbol, jobs=jobs)

    return hook
