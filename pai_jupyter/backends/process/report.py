"""What the files of a supervisor say about a job: its status, and the last events of its life. Reads, never writes."""

import json
import marshal
import math
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from pai_jupyter.backends import StatusReport
from pai_jupyter.backends.local.parallel import waiting_reason
from pai_jupyter.backends.process.fence import GIVEN_UP
from pai_jupyter.backends.process.supervisor.job import JobOrder
from pai_jupyter.backends.process.supervisor.processes import birth
from pai_jupyter.errors import NotFoundError
from pai_jupyter.events import Status, Usage

_LOST = "its supervisor was killed"


def read_supervisor(folder: Path) -> dict[str, Any]:  # Any: JSON values
    """Who supervises the job, and what: `pid`, `birth`, `began`, `replicas`, and `queued` where it had to wait.

    Raises:
        NotFoundError: no job was started in this folder.
    """
    unknown = f"no process was started for job {folder.name!r}. Type %pai_jobs to see the jobs."
    try:
        supervisor: dict[str, Any] = json.loads((folder / "run" / "supervisor.json").read_bytes())
    except (OSError, ValueError) as exc:
        raise NotFoundError(unknown) from exc
    if supervisor.get(GIVEN_UP):
        raise NotFoundError(unknown)
    return supervisor


def is_supervised(folder: Path) -> bool:
    """Whether the job's supervisor is alive; another process that has its number by now is none."""
    supervisor = read_supervisor(folder)
    return bool(birth(supervisor["pid"]) == supervisor["birth"])


def read_status(folder: Path) -> StatusReport:
    """How the job in `folder` stands.

    Raises:
        NotFoundError: no job was started in this folder.
    """
    alive = is_supervised(folder)  # asked first: its last act is to write exit.json
    end = _read_exit(folder)
    began = _began(folder)
    if end is None and alive and began is None:
        return StatusReport(status=Status.QUEUED, reason=waiting_reason("process", _place(folder)))
    if end is None and alive:
        return StatusReport(status=Status.RUNNING, started=began)
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
    """When the job began to run; None: it is queued, or ended so."""
    supervisor = read_supervisor(folder)
    if not supervisor.get("queued"):
        return float(supervisor["began"])
    with suppress(OSError):
        return (folder / "run" / "began").stat().st_mtime
    return None


def _place(folder: Path) -> str:
    with suppress(OSError):
        return (folder / "run" / "place").read_text()
    return ""


def read_replicas(folder: Path) -> list[str]:
    """The names of the job's replicas.

    Raises:
        NotFoundError: no job was started in this folder.
    """
    return list(read_supervisor(folder)["replicas"])


def read_variables(folder: Path) -> dict[str, dict[str, str]]:
    """What each replica was given on top of the supervisor's own environment; nothing where no order is left."""
    try:
        order: JobOrder = marshal.loads((folder / "run" / "job").read_bytes())  # noqa: S302  as the supervisor does
        return {replica["name"]: replica["environment"] for replica in order["replicas"]}
    except (OSError, ValueError, EOFError, TypeError, KeyError):
        return {}


def is_lost(folder: Path) -> bool:
    """Whether the supervisor has gone without a word of how the job ended; its processes may live on."""
    return not is_supervised(folder) and _read_exit(folder) is None


def waits_for_disk(folder: Path) -> bool:
    return (folder / "run" / "disk_full").exists()


class Samples:
    """What the replicas used while they ran, sample by sample; `read` goes on where it stopped."""

    def __init__(self, folder: Path) -> None:
        self._paths = {name: folder / "run" / f"{name}.samples" for name in read_replicas(folder)}
        self._offsets = dict.fromkeys(self._paths, 0)

    def read(self) -> Iterator[Usage]:
        for name, path in self._paths.items():
            try:
                with path.open("rb") as file:
                    file.seek(self._offsets[name])
                    data = file.read()
            except OSError:  # none was due yet
                continue
            whole = data.rfind(b"\n") + 1  # half a line is read again later
            self._offsets[name] += whole
            for line in data[:whole].decode(errors="replace").splitlines():
                yield from _sample(name, line)


def _sample(replica: str, line: str) -> Iterator[Usage]:
    with suppress(ValueError):  # a line of garbage, or of a newer version
        when, *fields = (None if word == "-" else float(word) for word in line.split())
        cpu, memory, gpu, gpu_memory = fields
        if when is not None and all(number is None or math.isfinite(number) for number in (when, *fields)):
            yield Usage(
                replica=replica,
                time=when,
                cpu=cpu,
                memory=None if memory is None else int(memory),
                gpu=gpu,
                gpu_memory=None if gpu_memory is None else int(gpu_memory),
            )


def usages(folder: Path) -> Iterator[Usage]:
    """What each replica of an ended job has used."""
    end = _read_exit(folder) or {"replicas": {}}
    for name, replica in end["replicas"].items():
        yield Usage(replica=name, time=end["ended"], cpu_time=replica["cpu_time"], peak_memory=replica["peak_memory"])


def in_words(exit_code: int) -> str:
    """An exit code as a person would say it: 137 is `killed by SIGKILL`."""
    try:
        name = signal.Signals(exit_code - 128).name
    except ValueError:
        return f"exit code {exit_code}"
    hint = ", as the system does when memory runs out" if name == "SIGKILL" else ""
    return f"killed by {name} (exit code {exit_code}){hint}"


def _reason(end: dict[str, Any]) -> str:  # Any: JSON values
    if end["reason"] or end["status"] != "failed":
        return str(end["reason"])
    words = in_words(end["exit_code"])
    return words if len(end["replicas"]) == 1 else f"replica {end['replica']}: {words}"


def _read_exit(folder: Path) -> dict[str, Any] | None:  # Any: JSON values
    try:
        end: dict[str, Any] = json.loads((folder / "run" / "exit.json").read_bytes())
    except (OSError, ValueError):
        return None
    return end


def _lost_reason(folder: Path) -> str:
    try:
        words = (folder / "run" / "supervisor.err").read_text(errors="replace").strip().splitlines()
    except OSError:
        words = []
    return f"{_LOST}: {words[-1]}" if words else _LOST


def _last_sign(folder: Path) -> float:
    """When the job last wrote to a log: the best guess at when it was lost."""
    files = [folder / "run" / "supervisor.json", *(folder / "logs").glob("*.log")]
    return max(file.stat().st_mtime for file in files)
