"""Tab completion of a magic's line: options, and values that are known on this machine.

It uses no network, except for OSS addresses (`bucket_paths`). Images and instance types are completed if they were listed
before.

IPython splits a line at `:`, `=` and other characters and asks for completions of the last part, its `symbol`. Here whole
words are completed; from each match, the text before `symbol` is cut off.
"""

import argparse
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias, get_args

from pai_jupyter.backends import LOCAL_TYPES, backend_names, infos
from pai_jupyter.config.names import SETTINGS
from pai_jupyter.jobs import list_jobs
from pai_jupyter.magics.bucket_paths import bucket_paths
from pai_jupyter.spec import JobType

MAX_JOBS = 50

Words: TypeAlias = Callable[[str], Iterable[str]]
"""Returns completions of a magic's positional argument, given the unfinished word."""


def job_names(_word: str) -> list[str]:
    return [word for job in list_jobs(limit=MAX_JOBS, refresh=False) for word in (job.id, job.name)]


def search_words(_word: str) -> list[str]:
    """Return the words to complete in a search of jobs: states, and columns with a colon."""
    from pai_jupyter.jobs.job_index.row import SEARCHED

    states = ("active", "queued", "running", "succeeded", "failed", "stopped")
    return [*(f"state:{state}" for state in states), *(f"{field}:" for field in SEARCHED), *job_names("")]


def frameworks(_word: str) -> list[str]:
    from pai_jupyter.cloud.images import FRAMEWORKS  # late, as below: %load_ext must not load cloud libraries

    return list(FRAMEWORKS)


def config_words(_word: str) -> list[str]:
    """Return the completions of %pai_config: its verbs and settings."""
    return ["show", "set", "use", "test", "wizard", *(f"{name}=" for name in SETTINGS)]


def boards(word: str) -> list[str]:
    """Return the completions for TensorBoard sources: jobs, local paths and OSS paths."""
    return bucket_paths(word) if word.startswith("oss:") else [*job_names(word), *_paths(word)]


def oss_words(word: str) -> list[str]:
    """Return the completions of %pai_oss: its verbs, OSS addresses and local paths."""
    if word.startswith("oss:"):
        return bucket_paths(word)
    return ["ls", "cp", "rm", "cat", *bucket_paths(""), *_paths(word)]


def _orders() -> list[str]:
    from pai_jupyter.jobs.job_index.row import SORTED

    return list(SORTED)


def _known(kind: str) -> list[str]:
    from pai_jupyter.cloud.known import known

    return known(kind)


_VALUES: Mapping[str, Callable[[], Iterable[str]]] = {
    "--backend": backend_names,
    "--image": lambda: _known("images"),
    "--instance-type": lambda: (*LOCAL_TYPES, *(name for info in infos() for name in info.instances())),
    "--job-type": lambda: get_args(JobType),
    "--requirements": lambda: ("auto", "none", *_paths("")),
    "--option": lambda: (f"{info.full_name(option)}=" for info in infos() for option in info.options),
    "--scope": lambda: ("training", "inference", "develop"),
    "--sort": lambda: _orders(),
    "--state": lambda: ("queued", "running", "succeeded", "failed", "stopped"),
}
_PATH_OPTIONS = frozenset({"--include", "--source-dir", "--params", "--entry-point"})
_CHANNEL_OPTIONS = frozenset({"-i", "--input", "-o", "--output"})


def complete(parser: argparse.ArgumentParser, line: str, symbol: str, *, words: Words | None = None) -> list[str]:
    """Return the completions of `symbol` at the end of `line`; `words` completes positional arguments."""
    before, _, word = line.rpartition(" ")
    previous = (before.split() or [""])[-1].removesuffix("=")
    if word.startswith("-"):
        candidates: Iterable[str] = (option for action in parser._actions for option in action.option_strings)  # noqa: SLF001  argparse has no public list
    elif previous in _VALUES:
        candidates = _VALUES[previous]()
    elif previous in _CHANNEL_OPTIONS:
        name, equals, place = word.partition("=")
        found = bucket_paths(place) if place.startswith("oss:") else _paths(place)
        candidates = (f"{name}={each}" for each in found) if equals else ()
    elif previous in _PATH_OPTIONS:
        candidates = _paths(word)
    else:
        candidates = words(word) if words is not None else ()
    known = len(word) - len(symbol)
    return sorted({each[known:] for each in candidates if each.startswith(word)})


def _paths(symbol: str) -> list[str]:
    """Return the entries of the directory in `symbol`; directories end with a slash."""
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
