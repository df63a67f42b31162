"""Tab completion of a magic's line: options, and values that are known on this machine.

It uses no network, except for OSS addresses (`bucket_paths`). Images and instance types are completed if they were listed
before.

IPython splits a line at `:`, `=` and other characters and asks for completions of the last part, its `symbol`. Here whole
words are completed; from each match, the text before `symbol` is cut off.
"""

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias, get_args

from pai_jupyter.backends import LOCAL_TYPES, backend_names, infos
from pai_jupyter.config import settings, trackers
from pai_jupyter.config.names import SETTINGS, WEBHOOK
from pai_jupyter.contract import WORKDIR, offered_roles, output_channels
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.jobs import Job, all_rows, list_jobs, runtime
from pai_jupyter.magics.bucket_paths import bucket_paths, hdfs_paths
from pai_jupyter.spec import Compat, JobType

MAX_JOBS = 50
NEWEST_TAGGED = 1_000  # jobs whose tags are offered
_ALERTS_ON = "notify.on="
_ALERTS = ("off", "failed", "nan", "stalled", "end")
_JOB_TYPE = re.compile(r"--job-type[= ]+(\w+)")

Before: TypeAlias = Sequence[str]
Words: TypeAlias = Callable[[str, Before], Iterable[str]]
"""Returns completions of a magic's positional argument, given the unfinished word and the words before it."""


def job_names(_word: str, _before: Before = ()) -> list[str]:
    return [word for job in list_jobs(limit=MAX_JOBS, refresh=False) for word in (job.id, job.name)]


def component_words(word: str, before: Before = ()) -> list[str]:
    """Return the names of saved components, and the YAML files here."""
    from pai_jupyter.component.saved import SUFFIXES, list_saved

    if before and before[-1] not in ("--run", "--register", "--registered", "--delete", "-y", "--wait", "--no-wait"):
        return []
    files = [each for each in _paths(word) if each.endswith((*SUFFIXES, "/"))]
    return [*dict.fromkeys(path.parent.name for path in list_saved()), *files]


def manifest_words(word: str, before: Before = ()) -> list[str]:
    """Return the YAML files here."""
    return [] if before else [each for each in _paths(word) if each.endswith((".yaml", ".yml", "/"))]


def run_words(word: str, before: Before = ()) -> list[str]:
    """Return the ids of runs, once, and the words of a filter of jobs."""
    from pai_jupyter.runs import list_runs

    has_words = any(not each.startswith("-") for each in before)
    ids = [] if has_words else [row.id for row in list_runs()[:MAX_JOBS]]
    return [*ids, *search_words(word), *_numbers()]


def _table_columns(word: str, line: str) -> list[str]:
    """Return the columns of the runs table; those of `--columns` behind a comma, too, and of `--sort` behind a minus."""
    from pai_jupyter.jobs.table import read_table

    titles = [column.title for column in read_table().columns.values()]
    before = word[: word.rfind(",") + 1] or ("-" if word.startswith("-") else "")
    return [*(["all"] if line.endswith("--columns ") else []), *(before + title for title in titles)]


def _numbers() -> list[str]:
    """Return the names of values and metrics, for a condition."""
    from pai_jupyter.jobs.table import read_table

    return [column.title for column in read_table().shown if column.part in ("value", "metric")]


def _steps(line: str) -> list[str]:
    """Return the paths of the steps of the line's run."""
    from pai_jupyter.runs import list_runs
    from pai_jupyter.runs.run_folder import open_run_folder

    named = next((row.id for row in list_runs()[:MAX_JOBS] if row.id in line.split()), None)
    return [step.name for step in open_run_folder(named).record.plan.graph.steps] if named else []


def search_words(_word: str, _before: Before = ()) -> list[str]:
    """Return the words to complete in a search of jobs: states, and columns with a colon."""
    from pai_jupyter.jobs.job_index.columns import SEARCHED
    from pai_jupyter.jobs.job_index.search import STATES

    known = [*(f"state:{state}" for state in STATES), "star:yes", "star:no", *(f"tag:{tag}" for tag in _tags())]
    return [*known, *(f"{field}:" for field in SEARCHED), *job_names("")]


def tag_words(_word: str, before: Before = ()) -> list[str]:
    """Return the completions of %pai_tag: jobs, behind the first one tags as well."""
    return [*job_names(""), *(_tags() if before else ())]


def _tags() -> list[str]:
    """Return the tags of the newest jobs."""
    with suppress(PaiJupyterError):
        return sorted({tag for row in runtime().run(all_rows(newest=NEWEST_TAGGED)) for tag in row.tags})
    return []


def frameworks(_word: str, _before: Before = ()) -> list[str]:
    from pai_jupyter.cloud.images import FRAMEWORKS  # late, as below: %load_ext must not load cloud libraries

    return list(FRAMEWORKS)


def config_words(word: str, before: Before = ()) -> list[str]:
    """Return the completions of %pai_config: its verbs, behind `set` the settings, behind `use` what can be used."""
    match before:
        case []:
            return ["show", "set", "use", "test", "wizard", "drop"]
        case ["drop"]:
            from pai_jupyter.delivery.tracking.left import left_at  # late, as below
            from pai_jupyter.store import home

            return list(left_at(home()))
        case ["set", name] if name == trackers.NAME:
            return [trackers.EXAMPLE, trackers.OFF]
        case ["set", *_] if word.startswith(_ALERTS_ON):
            return [_ALERTS_ON + ",".join([*word.removeprefix(_ALERTS_ON).split(",")[:-1], each]) for each in _ALERTS]
        case ["set", *_]:
            return [*(f"{name}=" for name in SETTINGS), *WEBHOOK, trackers.NAME]
        case ["use"]:
            with suppress(SpecError):  # an invalid file is reported by the magic
                return ["emulator", *settings().profile_names()]
            return ["emulator"]
        case _:
            return []


def download_words(word: str, before: Before = ()) -> list[str]:
    """Return the completions of %pai_download: jobs, behind a colon their outputs, then directories."""
    name, colon, _ = word.partition(":")
    if before:
        return _paths(word)
    if not colon:
        return job_names(word)
    job = _job_of([name])
    return [f"{name}:{channel}" for channel in (*output_channels(job.spec), WORKDIR)] if job else []


def _job_of(words: Before) -> Job | None:
    """Return the newest job with one of these names or ids."""
    return next((job for job in list_jobs(limit=MAX_JOBS, refresh=False) if {job.id, job.name} & {*words}), None)


def _replicas(words: Before) -> list[str]:
    """Return the replicas of the line's job."""
    job = _job_of(words)
    return job.replicas if job else []


def boards(word: str, _before: Before = ()) -> list[str]:
    """Return the completions for TensorBoard sources: jobs, local paths and OSS paths."""
    return bucket_paths(word) if word.startswith("oss:") else [*job_names(word), *_paths(word)]


def oss_words(word: str, _before: Before = ()) -> list[str]:
    """Return the completions of %pai_oss: its verbs, OSS addresses and local paths."""
    if word.startswith("oss:"):
        return bucket_paths(word)
    return ["ls", "cp", "rm", "cat", *bucket_paths(""), *_paths(word)]


def hdfs_words(word: str, _before: Before = ()) -> list[str]:
    """Return the completions of %pai_hdfs: its verbs, paths in HDFS and local paths."""
    if word.startswith("hdfs:"):
        return hdfs_paths(word)
    return ["ls", "put", "get", "mkdir", "rm", *hdfs_paths(word), *_paths(word)]


def job_file_words(word: str, before: Before = ()) -> list[str]:
    """Return the completions of %pai_openpai: its verbs, behind `cluster` what is done with one and their names, else job files."""
    match before:
        case []:
            return ["submit", "simulate", "validate", "cluster"]
        case ["cluster"]:
            return ["add", "list", "use", "check", "delete"]
        case ["cluster", "use" | "check" | "delete"]:
            return _clusters()
        case ["cluster", *_]:
            return []
        case _:
            return [each for each in _paths(word) if each.endswith((".json", ".yaml", ".yml", "/"))]


def _clusters() -> list[str]:
    from pai_jupyter.jobs.job_files import job_files

    with suppress(PaiJupyterError):  # it is reported by the magic
        return [each.name for each in job_files().known_clusters()]
    return []


def _orders() -> list[str]:
    from pai_jupyter.magics.list_magics import ORDERS

    return list(ORDERS)


def _known(kind: str) -> list[str]:
    from pai_jupyter.cloud.known import known

    return known(kind)


def _instance_types() -> list[str]:
    return [*LOCAL_TYPES, *(name for info in infos() for name in info.instances())]


def _roles(line: str, word: str) -> list[str]:
    """Return the roles of the line's job type, without one all roles; behind a count and a colon the instance types."""
    machines, colon, _ = word.partition(":")
    if colon:
        return [f"{machines}:{kind}" for kind in _instance_types()]
    asked = _JOB_TYPE.search(line)
    types = [name for name in get_args(JobType) if asked is None or asked[1] == name]
    return [f"{role}=" for name in types for role in offered_roles(name)]


_VALUES: Mapping[str, Callable[[], Iterable[str]]] = {
    "--add": lambda: _tags(),
    "--remove": lambda: _tags(),
    "--tag": lambda: _tags(),
    "--cluster": _clusters,
    "--backend": backend_names,
    "--image": lambda: _known("images"),
    "--instance-type": _instance_types,
    "--compat": lambda: get_args(Compat),
    "--job-type": lambda: get_args(JobType),
    "--requirements": lambda: ("auto", "none", *_paths("")),
    "--option": lambda: (f"{info.full_name(option)}=" for info in infos() for option in info.options),
    "--machine": lambda: ("CPU", "GPU"),
    "--scope": lambda: ("training", "inference", "develop"),
    "--sort": lambda: _orders(),
    "--state": lambda: ("queued", "running", "succeeded", "failed", "stopped"),
}
_PATH_OPTIONS = frozenset({"--include", "--source-dir", "--source", "--save", "--params", "--entry-point", "--csv"})
_WRITERS = ("%pai_report", "%pai_logs", "%pai_stack")  # their -o is a file
_TABLE_OPTIONS = frozenset({"--columns", "--sort", "--group-by"})
_CHANNEL_OPTIONS = frozenset({"-i", "--input", "--inputs", "-o", "--output", "--outputs"})


def complete(parser: argparse.ArgumentParser, line: str, symbol: str, *, words: Words | None = None) -> list[str]:
    """Return the completions of `symbol` at the end of `line`; `words` completes positional arguments."""
    before, _, word = line.rpartition(" ")
    previous = (before.split() or [""])[-1].removesuffix("=")
    if word.startswith("--") and "=" in word:
        previous, _, word = word.partition("=")
    is_value = previous in _TABLE_OPTIONS and word.startswith("-")  # --sort=-loss
    if not is_value and word.startswith("-"):
        candidates: Iterable[str] = (option for action in parser._actions for option in action.option_strings)  # noqa: SLF001  argparse has no public list
    elif previous in _TABLE_OPTIONS and line.lstrip().startswith("%pai_runs"):
        candidates = _table_columns(word, line)
    elif previous in _VALUES:
        candidates = _VALUES[previous]()
    elif previous == "--from-step":
        candidates = _steps(line)
    elif previous == "--role":
        candidates = _roles(line, word)
    elif previous == "--replica":
        candidates = _replicas(before.split()[1:])
    elif previous in _PATH_OPTIONS or (previous == "-o" and line.lstrip().startswith(_WRITERS)):
        candidates = _paths(word)
    elif previous in _CHANNEL_OPTIONS:
        name, equals, place = word.partition("=")
        found = bucket_paths(place) if place.startswith("oss:") else _paths(place)
        candidates = (f"{name}={each}" for each in found) if equals else ()
    else:
        candidates = words(word, before.split()[1:]) if words is not None else ()
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
