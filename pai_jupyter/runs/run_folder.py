"""The folder of one run, `$PAI_JUPYTER_HOME/runs/<id>/`, and how runs are found. Folders 0700, files 0600.

    run.json       the run as requested, with its plan: written once, behind the packages; no run is without it
    journal.jsonl  what was done (journal_file); drive.lock: held by the process that drives the run
    stop           an empty file: the run is to be stopped; give-way: a driver that waits for a secret is to end
    packages/      the code of its steps, tar.gz; its bytes are shared with its jobs, with reruns and with what is packed already
    inputs/        what the input files of each try were (inputs)
    end.json       the row of an ended run, for lists: made of the other files
    driver.err     what the driver's process says before it ends with an error

`runs/.new-<id>` is one that is being written, `runs/.deleted-<id>` one that is being deleted: what a killed process leaves of
either is removed later.

Rule: a damaged run never hides others; an id is a safe folder name, any other text is no run.
"""

import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.runs.damage import read_record
from pai_jupyter.runs.plan import Plan
from pai_jupyter.runs.plan_json import plan_from_json, plan_to_json
from pai_jupyter.spec import Json
from pai_jupyter.store import FollowLock, new_job_id
from pai_jupyter.store import home as default_home
from pai_jupyter.store.disk import make_folder, make_new_folder, replace_file, to_bytes, translated
from pai_jupyter.store.lock import try_lock
from pai_jupyter.typed_json import FieldError, Fields

SCHEMA = 1
_ID = re.compile(r"r[A-Za-z0-9_-]{3,63}")
_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}")
_NEW, _DELETED = ".new-", ".deleted-"  # before the id
_LEFTOVER = 3600.0  # seconds after which nobody writes a new run any more


About: TypeAlias = str | tuple[str, ...] | Mapping[str, str]  # a field of a record


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """A run as requested. `earlier`: the run whose unchanged results it takes over; `anew`: paths of steps that run in any case.

    `directory`: where it was started, against which relative paths are meant; `python`: that of its kernel, in which its processes
    run, whoever drives it; `settings`: those made in its kernel. `created`: in seconds since the epoch.
    """

    id: str
    plan: Plan
    created: float
    notebook: str = ""
    cell: str = ""
    directory: str = ""
    python: str = ""
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
            FieldError: it is damaged, or a newer version has written it.
        """
        given = Fields.of(value, "run")
        if given.whole("schema", SCHEMA) > SCHEMA:
            raise FieldError("schema", "is that of a newer pai_jupyter; type: %pip install --upgrade pai_jupyter")
        return cls(
            id=given.line("id"),
            plan=plan_from_json(given.inside("plan").values),
            created=given.time("created"),
            anew=tuple(str(path) for path, _ in given.items("anew")),
            settings=given.texts("settings"),
            **{name: given.text(name, "") for name in _TEXTS},
        )


_TEXTS = ("notebook", "cell", "directory", "python", "earlier")


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
        return read_record(self.path / "run.json", RunRecord.from_json)

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

    def delete(self) -> None:
        """Delete the folder, at once for everybody else.

        Raises:
            PaiJupyterError: a file cannot be deleted.
        """
        waste = self.path.with_name(f"{_DELETED}{self.id}")
        with translated(self.path):
            self.path.rename(waste)
            shutil.rmtree(waste)

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
    draft = path.with_name(f"{_NEW}{run_id}")
    with translated(path):
        make_folder(path.parent)
        _sweep(path.parent)
        make_new_folder(draft)
        try:
            make_new_folder(draft / "packages")
            for name, archive in packages.items():
                _take_package(archive, draft / "packages", name)
            replace_file(draft / "run.json", to_bytes(record.to_json()))
            draft.rename(path)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
    return RunFolder(path)


def _sweep(directory: Path) -> None:
    """Remove what killed processes have left of runs that they wrote or deleted."""
    for path in directory.glob(".*-*"):
        with suppress(OSError):  # another process also sweeps
            is_old = time.time() - path.lstat().st_mtime > _LEFTOVER
            if path.name.startswith(_DELETED) or (path.name.startswith(_NEW) and is_old):
                shutil.rmtree(path, ignore_errors=True)


def _plain(about: Mapping[str, About]) -> dict[str, object]:
    return {name: list(it) if isinstance(it, tuple) else it for name, it in about.items()}


def _take_package(archive: Path, folder: Path, name: str) -> None:
    """Link what this home has packed, which never changes; copy anything else."""
    if not _PACKAGE.fullmatch(name):
        raise SpecError(f"a package of a run cannot be called {name[:100]!r}. Use letters, digits, `-`, `_` and `.`.")
    to, own = folder / name, Path(os.path.realpath(folder.parent.parent.parent))
    with suppress(OSError):  # another disk, or one without links
        if own in (found := Path(os.path.realpath(archive))).parents:
            os.link(found, to)
            return
    shutil.copyfile(archive, to)
    to.chmod(0o600)


def runs_directory(home: Path | None = None) -> Path:
    return (home or default_home()) / "runs"


def open_run_folder(run_id: str, home: Path | None = None) -> RunFolder:
    """Open the folder of the run with this id, or whose id alone begins so; else of the newest run of this name.

    Raises:
        NotFoundError: there is no such run.
        SpecError: several ids begin so.
    """
    directory = runs_directory(home)
    if _ID.fullmatch(run_id) and _is_run(f"{directory}/{run_id}"):
        return RunFolder(directory / run_id)
    ids = run_ids(home)
    is_id = run_id in ids or sum(each.startswith(run_id) for each in ids) == 1
    if not is_id and (named := next((it for it in ids if _name_of(directory / it) == run_id), None)) is not None:
        return RunFolder(directory / named)
    return RunFolder(directory / meant_run(run_id, ids))


def meant_run(run_id: str, ids: Sequence[str]) -> str:
    """Return the one of `ids` that is this, or that alone begins so.

    Raises:
        NotFoundError: there is no such run.
        SpecError: several ids begin so.
    """
    found = [run_id] if run_id in ids else [each for each in ids if run_id and each.startswith(run_id)]
    if len(found) > 1:
        shown = ", ".join(found[:5])
        raise SpecError(
            f"{run_id[:100]!r} is the beginning of several runs: {shown}. Type more of the id.", field="run"
        )
    if not found:
        raise NotFoundError(f"there is no run {run_id[:100]!r}. Type %pai_runs to see them.")
    return found[0]


def _name_of(path: Path) -> str | None:
    with suppress(PaiJupyterError):  # its record is damaged
        return RunFolder(path).record.plan.name
    return None


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
    """Return whether this is the folder of a run: also of one that cannot be read, or whose run.json is lost."""
    for name in ("run.json", "journal.jsonl"):
        with suppress(FileNotFoundError, NotADirectoryError):
            with suppress(PermissionError):
                os.lstat(f"{path}/{name}")
            return True
    return False


def run_folders(home: Path | None = None) -> Iterator[RunFolder]:
    """Yield the folders of all runs, newest first."""
    return (RunFolder(runs_directory(home) / run_id) for run_id in run_ids(home))
