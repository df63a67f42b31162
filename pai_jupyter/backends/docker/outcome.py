"""Derive a job's outcome from the ends of its replicas. Pure, except for reading and writing one small record.

`run/<replica>.exit.json` is written before a container is removed, so that its end stays known.
Rule 1: the first failed replica fails the job; the job succeeds when all deciding replicas have, or when the shards are done.
    Later ends change nothing, and neither does that of a replica which ended because of the others.
Rule 2: every reason is one sentence with the limit, image or signal, and the remedy.
"""

import json
import os
import re
import shutil
import signal
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pai_jupyter.backends.docker import script
from pai_jupyter.backends.docker.faults import error_from_text
from pai_jupyter.backends.docker.starter.engine import NOT_STARTED
from pai_jupyter.contract import RoleCompletion
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Status, Usage
from pai_jupyter.store.disk import read_plain
from pai_jupyter.typed_json import Fields

EXIT = ".exit.json"  # behind the name of a replica
_LONGEST_NOTE = 1024  # bytes
_CPU_TIME = re.compile(r"(\d{1,12})m(\d{1,12}(?:\.\d{1,12})?)s (\d{1,12})m(\d{1,12}(?:\.\d{1,12})?)s")
_PEAK = re.compile(r"\d{1,18}")
_ROOM = 1 << 20  # bytes; a disk with less free space counts as full
_WITH_THE_MACHINE = (
    137,
    143,
    255,
)  # exit codes of what ran when it went down; 255: the engine's, of what it finds dead
_START_SLACK = 0.5  # seconds that a busy engine takes to record a container's start


@dataclass(frozen=True, kw_only=True)
class ReplicaExit:
    """The end of one container. Times are seconds since the epoch; `is_gone`: it was removed otherwise.

    `is_lost`: it ended with the machine, and not by itself.
    """

    code: int | None
    started: float | None = None
    ended: float | None = None
    is_out_of_memory: bool = False
    error: str = ""
    is_gone: bool = False
    is_lost: bool = False

    @classmethod
    def from_state(
        cls,
        state: Mapping[str, Any],  # Any: `State` of the engine's inspect
        *,
        booted: float = 0.0,
    ) -> "ReplicaExit":
        """Read the end of a container that nobody has recorded yet; `booted`: when its machine was started, 0: not known."""
        started = read_time(state.get("StartedAt", ""))
        return cls(
            code=state["ExitCode"],
            started=started,
            is_lost=started is not None and started < booted and state["ExitCode"] in _WITH_THE_MACHINE,
            ended=read_time(state.get("FinishedAt", "")),
            is_out_of_memory=bool(state.get("OOMKilled")),
            error=state.get("Error", ""),
        )

    @property
    def duration(self) -> float:
        return self.ended - self.started if self.started is not None and self.ended is not None else 0.0


@dataclass(frozen=True, kw_only=True)
class ExitFacts:
    """The facts besides an exit that explain it. Times in seconds."""

    image: str
    memory: str | None = None
    max_run_time: int | None = None
    has_run: bool = True  # False: it ended during preparation
    full_disk: Path | None = None


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The job's outcome; `replica` is the failed one, `since` the time at which it was decided (None: not known).

    `reason`: why it failed; "": `explain` says it.
    """

    status: Status
    exit_code: int | None = None
    replica: str = ""
    since: float | None = None
    reason: str = ""


def verdict(
    exits: Mapping[str, ReplicaExit],
    deciding: Collection[str],
    *,
    completions: Sequence[RoleCompletion] = (),
    dismissed: Collection[str] = (),
    done: float | None = None,
) -> Verdict | None:
    """Derive the job's outcome from the exits so far; None while it is undecided.

    Args:
        exits: The ends of replicas.
        deciding: The replicas whose success is the job's.
        completions: When each role decides, in place of `deciding`.
        dismissed: Replicas that ended because of the others.
        done: When the shards were done; None: they are not, or the job has none.
    """
    waiting = set(deciding)
    in_order = sorted(set(exits) - set(dismissed), key=lambda name: exits[name].ended or float("inf"))
    if completions:
        return _counted(exits, in_order, completions)
    for name in in_order:
        item = exits[name]
        if done is not None and (item.ended is None or item.ended > done):
            break
        if item.code != 0:
            return Verdict(status=Status.FAILED, exit_code=item.code, replica=name, since=item.ended)
        waiting.discard(name)
        if not waiting:
            return Verdict(status=Status.SUCCEEDED, exit_code=0, since=item.ended)
    return None if done is None else Verdict(status=Status.SUCCEEDED, exit_code=0, since=done)


def _counted(
    exits: Mapping[str, ReplicaExit], in_order: Sequence[str], completions: Sequence[RoleCompletion]
) -> Verdict | None:
    """Derive the outcome of a job of TaskRoles: the first role with its failures or successes decides, else the last end."""
    ends = {each: [0, 0] for each in completions}  # successes and failures of each role
    for name in in_order:
        item, role = exits[name], next(each for each in completions if name in each.replicas)
        ends[role][item.code != 0] += 1
        successes, failures = ends[role]
        if 0 < role.failures <= failures and item.code != 0:
            return Verdict(status=Status.FAILED, exit_code=item.code, replica=name, since=item.ended)
        if 0 < role.successes <= successes or in_order.index(name) == sum(len(r.replicas) for r in completions) - 1:
            return Verdict(status=Status.SUCCEEDED, exit_code=0, since=item.ended)
    return None


def explain(item: ReplicaExit, about: ExitFacts) -> str:
    """Explain in one sentence why a replica failed."""
    if item.is_lost:
        return "the machine was restarted while it ran"
    if item.is_gone or item.code is None:
        return "its container was removed by somebody else, and its exit code with it"
    if item.code == NOT_STARTED and item.started is None and item.error:
        known = error_from_text(item.error, f"starting image {about.image!r}")
        return str(known).rstrip(".") if known else f"the engine did not start its container: {item.error}"
    reason = f"exit code {item.code}"
    for cause in (_memory(item, about), _preparation(item, about), _code(item, about)):
        if cause:
            reason += f": {cause}"
            break
    if about.full_disk is not None:
        reason += f"; the disk that holds {about.full_disk} is full"
    return f"{reason} ({item.error})" if item.error else reason


def _memory(item: ReplicaExit, about: ExitFacts) -> str | None:
    if not item.is_out_of_memory:
        return None
    if about.memory:
        return f"out of memory (limit {about.memory}). Raise it with --option docker.memory=..., or use less"
    return "out of memory (no limit is set, the machine itself has no more)"


def _preparation(item: ReplicaExit, about: ExitFacts) -> str | None:
    if about.has_run:
        return None
    missing = "Use an image that has it (--image NAME)"
    return {
        script.NO_PYTHON: f"image {about.image!r} has no `python`. {missing}",
        script.NO_PIP: f"image {about.image!r} has no `pip` to install the requirements. {missing}, "
        "or run with --requirements none",
        script.NO_REQUIREMENTS: "installing the requirements failed; the end of the log has pip's reason",
    }.get(item.code or 0)


def _code(item: ReplicaExit, about: ExitFacts) -> str | None:
    code, limit = item.code or 0, about.max_run_time
    if code == script.TIME_IS_UP and limit is not None and item.duration >= limit - _START_SLACK:
        return f"it ran longer than max_run_time ({limit} s)"
    if code == 126:
        return "the command is there but cannot be executed"
    if code == 127:
        return f"the command, or a program that it calls, is not in image {about.image!r}"
    if code == 137:
        return "killed (SIGKILL): by `docker kill`, by the engine, or because the machine had no memory left"
    if code == 143:
        return "terminated (SIGTERM) from outside, e.g. by `docker stop` or because the engine went down"
    if 128 < code < 128 + signal.NSIG:
        return f"killed by {signal.Signals(code - 128).name}" if code - 128 in set(signal.Signals) else None
    return None


def full_disk(folder: Path) -> Path | None:
    """Return `folder` if its disk is full, else None."""
    return folder if shutil.disk_usage(folder).free < _ROOM else None


def read_exit(run: Path, replica: str) -> ReplicaExit | None:
    """Read a replica's exit record; return None if it is missing or damaged."""
    try:
        given = Fields.of(json.loads(read_plain(run / f"{replica}{EXIT}")))
        return ReplicaExit(
            code=given.whole("code", least=-1000, most=100_000) if given.has("code") else None,
            started=given.time("started") if given.has("started") else None,
            ended=given.time("ended") if given.has("ended") else None,
            is_out_of_memory=given.values.get("is_out_of_memory") is True,
            error=given.text("error", ""),
            is_gone=given.values.get("is_gone") is True,
            is_lost=given.values.get("is_lost") is True,
        )
    except (OSError, ValueError, RecursionError, PaiJupyterError):
        return None


def save_exit(run: Path, replica: str, item: ReplicaExit) -> None:
    """Record how a replica ended, so that its container can be removed."""
    unfinished = run / f"{replica}.exit.{os.getpid()}"
    with unfinished.open("w") as file:
        json.dump(asdict(item), file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(run / f"{replica}{EXIT}")


def read_usage(run: Path, replica: str, ended: float) -> Usage | None:
    """Read the CPU time (seconds) and peak memory (bytes) that the container's script recorded at its end.

    The job can write that file, too; invalid content gives None.
    """
    try:
        lines = read_plain(run / f"{replica}.usage", _LONGEST_NOTE).decode("ascii").splitlines()
    except (OSError, ValueError, PaiJupyterError):
        return None
    found = _CPU_TIME.fullmatch(lines[1]) if len(lines) > 1 else None
    if found is None:
        return None
    seconds = [60 * int(found[each]) + float(found[each + 1]) for each in (1, 3)]
    peak = lines[2] if len(lines) > 2 and _PEAK.fullmatch(lines[2]) else None
    return Usage(replica=replica, time=ended, cpu_time=sum(seconds), peak_memory=int(peak) if peak else None)


def read_time(text: str) -> float | None:
    """Convert the engine's time to seconds since the epoch; return None for "never" (year 1) or bad text."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)", text)
    if found is None or text.startswith("0001-"):
        return None
    whole = datetime.fromisoformat(found[1] + found[3].replace("Z", "+00:00")).timestamp()
    return whole + float(found[2] or 0)
