"""The folder of one run, `$PAI_JUPYTER_HOME/runs/<id>/`, and how runs are found. Folders 0700, files 0600.

    run.json       the run as requested, with its plan: written once, behind the packages; no run is without it
    journal.jsonl  what was done (journal_file); drive.lock: held by the process that drives the run
    stop           an empty file: the run is to be stopped; give-way: a driver that waits for a secret is to end
    packages/      the code of its steps, tar.gz
    inputs/        what the input files of each try were (inputs)
    end.json       the row of an ended run, for lists: made of the other files
    driver.err     what the driver's process says before it ends with an error

Rule: a damaged run never hides others; an id is a safe folder name, any other text is no run.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.runs.plan import Plan
from pai_jupyter.runs.plan_json import plan_from_json, plan_to_json
from pai_jupyter.spec import Json
from pai_jupyter.store import FollowLock, new_job_id
from pai_jupyter.store import home as default_home
from pai_jupyter.store.disk import make_folder, make_new_folder, read_json, replace_file, to_bytes, translated
from pai_jupyter.store.lock import try_lock
from pai_jupyter.typed_json import FieldError, Fields

SCHEMA = 1
_ID = re.compile(r"r[A-Za-z0-9_-]{3,63}")
_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}")


About: TypeAlias = str | tuple[str, ...] | Mapping[str, str]  # a field of a record


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """A run as requested. `earlier`: the run whose unchanged results it takes over; `anew`: paths of steps that run in any case.

    `directory`: where it was started, against which relative paths are meant; `settings`: those made in its kernel. `created`: in
    seconds since the epoch.
    """

    id: str
    plan: Plan
    created: float
    notebook: str = ""
    cell: str = ""
    directory: str = ""
    earlier: str = ""
    anew: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        texts = {name: getattr(self, name) for name in _TEXTS}
        given: dict[str, Json] = {name: text for name, text in texts.items() if text}
        return {
            "schema": SCHEMA,
            "id": self.id,
            "name": self.plan.name,
            "created": self.created,
            **given,
            "anew": list(self.anew),
            "settings": dict(self.settings),
            "plan": plan_to_json(self.plan),
        }

    @classmethod
    def from_json(cls, value: object) -> "RunRecord":
        """Read what `to_json` wrote.

        Raises:
            FieldError: it is damaged.
        """
        given = Fields.of(value, "run")
        return cls(
            id=given.line("id"),
            plan=plan_from_json(given.inside("plan").values),
            created=given.time("created"),
            anew=tuple(str(path) for path, _ in given.items("anew")),
            settings=given.texts("settings"),
            **{name: given.text(name, "") for name in _TEXTS},
        )


_TEXTS = ("notebook", "cell", "directory", "earlier")


class RunFolder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.id = path.name
        self.home = path.parent.parent
        self.journal = path / "journal.jsonl"
        self.packages = path / "packages"

    @cached_property
    def record(self) -> RunRecord:
        """The run as requested.

        Raises:
            PaiJupyterError: run.json is missing or damaged.
        """
        path = self.path / "run.json"
        try:
            return RunRecord.from_json(read_json(path))
        except FieldError as exc:
            raise PaiJupyterError(f"'{path}' is damaged: {exc}") from exc

    @property
    def is_there(self) -> bool:
        """Whether the run was not deleted; True if the disk does not answer."""
        try:
            (self.path / "run.json").stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True
        return True

    @property
    def is_stop_wanted(self) -> bool:
        return os.path.lexists(self.path / "stop")

    def want_stop(self) -> None:
        """Ask for the run to be stopped.

        Raises:
            PaiJupyterError: that cannot be written down.
        """
        self._touch("stop")

    @property
    def must_give_way(self) -> bool:
        return os.path.lexists(self.path / "give-way")

    def ask_to_give_way(self) -> None:
        self._touch("give-way")

    def clear_way(self) -> None:
        with suppress(OSError):
            (self.path / "give-way").unlink(missing_ok=True)

    def try_lock(self) -> FollowLock | None:
        """Take the lock of the driver; None while another process holds it.

        Raises:
            PaiJupyterError: it cannot be used; NotFoundError: the run was deleted.
        """
        return try_lock(self.path / "drive.lock")

    def _touch(self, name: str) -> None:
        with translated(self.path):
            (self.path / name).touch(mode=0o600)


def create_run_folder(
    plan: Plan,
    *,
    home: Path | None,
    now: float,
    random: int,
    packages: Mapping[str, Path],
    **about: About,
) -> RunFolder:
    """Write down a new run, its packages first. `about`: further fields of the record.

    Raises:
        PaiJupyterError: that cannot be written; nothing is left behind.
    """
    run_id = "r" + new_job_id(now, random)[1:]
    path = runs_directory(home) / run_id
    record = RunRecord.from_json({"id": run_id, "created": now, "plan": plan_to_json(plan), **_plain(about)})
    with translated(path):
        make_folder(path.parent)
        make_new_folder(path)
        try:
            make_new_folder(path / "packages")
            for name, archive in packages.items():
                _copy_package(archive, path / "packages", name)
            replace_file(path / "run.json", to_bytes(record.to_json()))
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise
    return RunFolder(path)


def _plain(about: Mapping[str, About]) -> dict[str, object]:
    return {name: list(it) if isinstance(it, tuple) else it for name, it in about.items()}


def _copy_package(archive: Path, folder: Path, name: str) -> None:
    if not _PACKAGE.fullmatch(name):
        raise SpecError(f"a package of a run cannot be called {name[:100]!r}. Use letters, digits, `-`, `_` and `.`.")
    to = folder / name
    shutil.copyfile(archive, to)
    to.chmod(0o600)


def runs_directory(home: Path | None = None) -> Path:
    return (home or default_home()) / "runs"


def open_run_folder(run_id: str, home: Path | None = None) -> RunFolder:
    """Open the folder of the run with this id, or whose id alone begins so.

    Raises:
        NotFoundError: there is no such run.
        SpecError: several ids begin so.
    """
    directory = runs_directory(home)
    if _ID.fullmatch(run_id) and (directory / run_id / "run.json").is_file():
        return RunFolder(directory / run_id)
    found = [each for each in run_ids(home) if run_id and each.startswith(run_id)]
    if len(found) > 1:
        shown = ", ".join(found[:5])
        raise SpecError(
            f"{run_id[:100]!r} is the beginning of several runs: {shown}. Type more of the id.", field="run"
        )
    if not found:
        raise NotFoundError(f"there is no run {run_id[:100]!r}. Type %pai_runs to see them.")
    return RunFolder(directory / found[0])


def run_ids(home: Path | None = None) -> list[str]:
    """Return the ids of all runs, newest first; [] if there was none yet.

    Raises:
        PaiJupyterError: the directory of runs cannot be read.
    """
    directory = runs_directory(home)
    try:
        with os.scandir(directory) as entries:
            return sorted((it.name for it in entries if _ID.fullmatch(it.name) and _is_run(it.path)), reverse=True)
    except FileNotFoundError:
        return []
    except OSError as exc:
        raise PaiJupyterError(
            f"the list of runs cannot be read: '{directory}': {exc.strerror or exc}. Check that it is a directory of yours."
        ) from exc


def _is_run(path: str) -> bool:
    return os.path.lexists(f"{path}/run.json")


def run_folders(home: Path | None = None) -> Iterator[RunFolder]:
    """Yield the folders of all runs, newest first."""
    return (RunFolder(runs_directory(home) / run_id) for run_id in run_ids(home))
