"""Read a job's status and final events from its supervisor's files. Never writes.

Rule: files may have been changed and are read with type and size checks; damage gives a sentence or nothing, not a traceback.
"""

import json
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pai_jupyter.backends import StatusReport
from pai_jupyter.backends.local.parallel import waiting_reason
from pai_jupyter.backends.local.slots.pool import is_held
from pai_jupyter.backends.process.fence import GIVEN_UP
from pai_jupyter.backends.process.plain_marshal import PlainMarshal
from pai_jupyter.backends.process.supervisor.processes import birth, space
from pai_jupyter.errors import NotFoundError, PaiJupyterError, ProtocolError
from pai_jupyter.events import Status, Usage
from pai_jupyter.store.disk import read_plain, translated
from pai_jupyter.typed_json import FieldError, Fields, check_depth, line_of

MAX_PLACE = 64  # bytes of the file with the queue position
MAX_TROUBLE = 1000  # bytes of the system's error message
_ENDS = ("succeeded", "failed", "stopped")
_LOST = "its supervisor was killed"
_LEFT = "processes of the job may still run: %pai_stop {} ends them"

_NO_ORDER = (OSError, ValueError, PaiJupyterError)


def read_supervisor(folder: Path) -> dict[str, Any]:  # Any: JSON values
    """Read the supervisor's `pid`, `birth`, `space`, `began` (epoch seconds) and `queued` (had to wait).

    Raises:
        NotFoundError: no job was started in this folder.
    """
    with _damage("supervisor.json"):
        given = _supervisor(folder)
        return {
            "pid": given.whole("pid", least=0, most=2**31 - 1),
            "birth": given.line("birth"),
            "space": given.line("space", ""),  # missing in files of older versions
            "began": given.time("began"),
            "queued": given.flag("queued"),
        }


def _supervisor(folder: Path) -> Fields:
    unknown = f"no process was started for job {folder.name!r}. Type %pai_jobs to see the jobs."
    try:
        said = Fields.of(_read_json(folder / "run" / "supervisor.json"))
    except (NotFoundError, ValueError, RecursionError) as exc:
        if (end := _read_exit(folder)) is None:
            raise NotFoundError(unknown) from exc
        # It has ended, and exit.json has the needed fields.
        return Fields.of({"pid": 0, "birth": "", "began": end["began"], "replicas": list(end["replicas"])})
    if said.flag(GIVEN_UP):
        raise NotFoundError(unknown)
    return said


def _read_json(path: Path) -> Any:  # Any: parsed JSON
    """Parse a JSON file; a temporarily unreadable file raises another error than a missing one."""
    with translated(path):
        data = read_plain(path)
    return json.loads(data)


def is_supervised(folder: Path) -> bool:
    """Return whether the job's supervisor is alive, and its PID was not reused.

    A supervisor in another container or on another machine has no valid PID here; its file lock shows that it lives.
    """
    supervisor = read_supervisor(folder)
    with translated(folder):
        if not is_here(supervisor):
            return is_held(str(folder / "run" / "supervisor.json"))
        return lives(supervisor["pid"], supervisor["birth"])


def is_here(supervisor: Mapping[str, Any]) -> bool:  # Any: as `read_supervisor` gives it
    """Return whether the supervisor's PID is valid in this boot and PID namespace."""
    return supervisor["space"] in ("", space())


def lives(pid: object, born: object) -> bool:
    """Return whether process `pid` exists and has the start time `born`.

    Raises:
        OSError: that cannot be determined now.
    """
    return isinstance(pid, int) and pid > 0 and birth(pid) == born


def read_status(folder: Path) -> StatusReport:
    """Return the status of the job in `folder`.

    Raises:
        NotFoundError: no job was started in this folder.
    """
    alive = is_supervised(folder)  # checked first: writing exit.json is the supervisor's last act
    began = _began(folder)
    if alive and began is None:
        return StatusReport(status=Status.QUEUED, reason=waiting_reason("process", _place(folder)))
    if alive:  # exit.json is only valid once the supervisor has ended; the job could have written it
        return StatusReport(status=Status.RUNNING, started=began)
    end = _read_exit(folder)
    if end is None:
        return StatusReport(status=Status.FAILED, reason=_lost_reason(folder), started=began, ended=_last_sign(folder))
    return StatusReport(
        status=Status(end["status"]),
        reason=_reason(end),
        exit_code=end["exit_code"],
        started=began,
        ended=end["ended"],
    )


def _began(folder: Path) -> float | None:
    """Return when the job began to run; None if it is queued or ended while queued."""
    supervisor = read_supervisor(folder)
    if not supervisor.get("queued"):
        return float(supervisor["began"])
    with suppress(OSError):
        return (folder / "run" / "began").stat().st_mtime
    return None


def _place(folder: Path) -> str:
    with suppress(OSError, ValueError, PaiJupyterError):
        return read_plain(folder / "run" / "place", MAX_PLACE).decode()
    return ""


def read_replicas(folder: Path) -> list[str]:
    """Return the names of the job's replicas.

    Raises:
        NotFoundError: no job was started in this folder.
    """
    with _damage("supervisor.json"):
        return [line_of(name, path, limit=100) for name, path in _supervisor(folder).items("replicas")]


def read_variables(folder: Path) -> dict[str, dict[str, str]]:
    """Return each replica's variables beyond the supervisor's environment; {} without a readable order."""
    try:
        replicas = [Fields.of(item, path) for item, path in _read_order(folder).items("replicas")]
        return {replica.line("name"): replica.texts("environment") for replica in replicas}
    except _NO_ORDER:
        return {}


def _read_order(folder: Path) -> Fields:
    return Fields.of(PlainMarshal(read_plain(folder / "run" / "job")).read())


def may_have_left_processes(folder: Path) -> bool:
    """Return whether the job's processes can outlive its supervisor; True if that is not known."""
    try:
        return not _read_order(folder).flag("closed")
    except _NO_ORDER:
        return True


def has_ended(folder: Path) -> bool:
    """Return whether a readable record of the job's end exists; without one, its processes may live on."""
    with suppress(PaiJupyterError):
        return _read_exit(folder) is not None
    return False


def waits_for_disk(folder: Path) -> bool:
    return (folder / "run" / "disk_full").exists()


def disk_trouble(folder: Path) -> str:
    """Return the system's message about a faulty disk that the job waits for; "" if the disk is full or works."""
    try:
        return read_plain(folder / "run" / "disk_full", MAX_TROUBLE).decode(errors="replace")
    except (OSError, PaiJupyterError):  # there is space again, or the job has replaced the file
        return ""


def usages(folder: Path) -> Iterator[Usage]:
    """Yield CPU time (seconds), peak memory, and bytes read and written of each replica of an ended job."""
    end = _read_exit(folder) or {"replicas": {}}
    for name, replica in end["replicas"].items():
        yield Usage(replica=name, time=end["ended"], **replica)


def in_words(exit_code: int) -> str:
    """Describe an exit code in words, e.g. 137 as `killed by SIGKILL`."""
    try:
        name = signal.Signals(exit_code - 128).name
    except ValueError:
        return f"exit code {exit_code}"
    hint = ", as the system does when memory runs out" if name == "SIGKILL" else ""
    return f"killed by {name} (exit code {exit_code}){hint}"


def _reason(end: dict[str, Any]) -> str:  # Any: JSON values
    if end["reason"] or end["status"] != "failed" or end["exit_code"] is None:
        return str(end["reason"])
    words = in_words(end["exit_code"])
    return words if len(end["replicas"]) == 1 else f"replica {end['replica']}: {words}"


def _read_exit(folder: Path) -> dict[str, Any] | None:  # Any: JSON values
    try:
        said = _read_json(folder / "run" / "exit.json")
    except (NotFoundError, ValueError, RecursionError):
        return None
    with _damage("exit.json"):
        check_depth(said, "exit.json")
        given = Fields.of(said)
        if (status := given.line("status")) not in _ENDS:
            raise FieldError("status", f"must be one of {', '.join(_ENDS)}")
        replicas = {name: Fields.of(item, path) for name, item, path in given.inside("replicas").all()}
        return {
            "status": status,
            "reason": given.text("reason", ""),
            "exit_code": given.whole("exit_code", least=-1000, most=1000) if given.has("exit_code") else None,
            "began": given.time("began", given.time("ended")),
            "ended": given.time("ended"),
            "replica": given.line("replica", ""),
            "replicas": {
                name: {
                    "cpu_time": _seconds(each, "cpu_time"),
                    **{
                        key: each.whole(key) if each.has(key) else None  # older versions have not all of them
                        for key in ("peak_memory", "read", "written")
                    },
                }
                for name, each in replicas.items()
            },
        }


def _seconds(given: Fields, name: str) -> float | None:
    return given.time(name) if given.has(name) else None


@contextmanager
def _damage(file: str) -> Iterator[None]:
    try:
        yield
    except FieldError as exc:
        raise ProtocolError(f"run/{file} is damaged: {exc} The logs beside it may still be read.") from exc


def _lost_reason(folder: Path) -> str:
    if (folder / "run" / "exit.json").exists():
        return "run/exit.json, which said how it has ended, is damaged. The log may say more"
    try:
        words = read_plain(folder / "run" / "supervisor.err").decode(errors="replace").strip().splitlines()
    except (OSError, PaiJupyterError):
        words = []
    reason = f"{_LOST}: {words[-1][:1000]}" if words else _LOST
    if _began(folder) is None:
        return f"{reason} while it waited for a free slot, so nothing of it has run"
    return f"{reason}; {_LEFT.format(folder.name)}" if may_have_left_processes(folder) else reason


def _last_sign(folder: Path) -> float:
    """Return when the job last wrote to a log, the best guess of when it was lost; of a link its own time."""
    last = (folder / "run" / "supervisor.json").stat().st_mtime
    for file in (folder / "logs").glob("*.log"):
        with suppress(OSError):  # deleted meanwhile
            last = max(last, file.lstat().st_mtime)
    return last
