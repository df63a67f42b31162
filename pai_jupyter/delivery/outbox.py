"""What is due of one job for one recipient, and what became of it: `$PAI_JUPYTER_HOME/delivery/<recipient>/<job id>.jsonl`.

One entry a line, only appended, each synced before what it announces is done:

    {"job", "wanted", "time"}       the first: written before the job is submitted
    {"due": [messages], "read"}     read: bytes of events.jsonl from which they were made
    {"begins": id, "time"}          its first byte is about to leave
    {"sent"|"later"|"refused"|"unknown": id, "time", "why"}
    {"noted": id}                   the job's notices say what became of it

The file is deleted when the job has ended and nothing is left to send: that there is one means that something may be due.

Rule: an incomplete last line, of a process that was killed while it wrote, was announced by nobody and is cut off.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias, cast

from pai_jupyter.delivery.recipient import DueMessage, Result
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.spec import Json
from pai_jupyter.store.disk import AppendFile, create_file, make_folder, read_plain, to_bytes, translated
from pai_jupyter.typed_json import FieldError, Fields

DIRECTORY = "delivery"
_SUFFIX = ".jsonl"
_RESULTS = ("sent", "later", "refused", "unknown")
State: TypeAlias = Literal["due", "begun", "later", "sent", "refused", "unknown"]
_MAX = 16 * 1024 * 1024  # bytes; more is not ours


@dataclass(frozen=True, kw_only=True)
class OutboxEntry:
    """A message and how it stands; `failed`: since when tries fail, `tries`: those that failed in a row."""

    message: DueMessage
    state: State = "due"
    tries: int = 0
    failed: float = 0.0
    why: str = ""
    noted: State | None = None  # how it stood when the job's notices were told

    @property
    def is_open(self) -> bool:
        return self.state in ("due", "begun", "later")


def outbox_directory(home: Path, recipient: str) -> Path:
    return home / DIRECTORY / recipient


def open_jobs(home: Path, recipient: str) -> list[str]:
    """Return the ids of the jobs that have an outbox, oldest first; [] if nothing was ever due."""
    directory = outbox_directory(home, recipient)
    try:
        names = [path.name for path in directory.iterdir() if path.name.endswith(_SUFFIX) and path.name[0] != "."]
    except OSError:
        return []
    return sorted(name.removesuffix(_SUFFIX) for name in names)


def create_outbox(
    home: Path, recipient: str, job_id: str, wanted: Mapping[str, Json], now: float, *, read: int = 0
) -> None:
    """Write the outbox of a job that is about to be submitted, or of one whose events are known up to byte `read`.

    Raises:
        PaiJupyterError: it cannot be written.
    """
    path = outbox_directory(home, recipient) / f"{job_id}{_SUFFIX}"
    with translated(path):
        make_folder(path.parent)
        first = to_bytes({"job": job_id, "wanted": dict(wanted), "time": now}) + b"\n"
        create_file(path, first + (to_bytes({"due": [], "read": read}) + b"\n" if read else b""))


class Outbox:
    """One outbox. Only the process that holds the delivery's lock may `open` it to write.

    Raises:
        PaiJupyterError: it is damaged, or cannot be read.
    """

    def __init__(self, home: Path, recipient: str, job_id: str) -> None:
        self.path = outbox_directory(home, recipient) / f"{job_id}{_SUFFIX}"
        self.job_id = job_id
        self.wanted: Mapping[str, Json] = {}
        self.created = 0.0
        self.read = 0
        self.entries: dict[str, OutboxEntry] = {}
        self._open: dict[str, None] = {}  # ids of what is to be sent, in order
        with translated(self.path):
            data = read_plain(self.path, _MAX)
        whole = data.rfind(b"\n") + 1
        try:
            for line in data[:whole].splitlines():
                self._take(Fields.of(json.loads(line)))
        except (FieldError, ValueError, RecursionError) as exc:
            raise PaiJupyterError(f"'{self.path}' is damaged: {exc}. Delete it; what it had to send is lost.") from exc
        self._whole = whole
        self._file: AppendFile | None = None

    def open(self) -> None:
        """Open the file to write; cut off what a killed process has left of an entry."""
        self._file = AppendFile(self.path)
        self._file.cut(self._whole)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def delete(self) -> None:
        """Delete the file: nothing is left to send."""
        self.close()
        with translated(self.path):
            self.path.unlink(missing_ok=True)

    @property
    def unsent(self) -> list[OutboxEntry]:
        return [self.entries[name] for name in self._open]

    def add(self, messages: Iterable[DueMessage], read: int) -> None:
        """Write down what is due, but for what is known; `read`: the bytes of events.jsonl from which it was made."""
        new = [message for message in messages if message.id not in self.entries]
        if new:
            due = [{"id": it.id, "time": it.time, "body": dict(it.body)} for it in new]
            self._write({"due": due, "read": read})
        self.read = read

    def begin(self, message_id: str, now: float) -> None:
        self._write({"begins": message_id, "time": now})

    def end(self, message_id: str, result: Result, now: float, why: str = "") -> None:
        self._write({result: message_id, "time": now, "why": why})

    def note(self, message_id: str) -> None:
        self._write({"noted": message_id})

    def _write(self, entry: Mapping[str, object]) -> None:
        assert self._file is not None  # open to write
        self._file.append(to_bytes(entry) + b"\n")
        self._file.sync()
        self._take(Fields.of(json.loads(to_bytes(entry))))

    def _take(self, given: Fields) -> None:
        if given.has("job"):
            self.wanted, self.created = _json(given.inside("wanted")), given.time("time")
        elif given.has("due"):
            self.read = given.whole("read")
            for item, path in given.items("due"):
                inside = Fields.of(item, path)
                message = DueMessage(id=inside.line("id"), time=inside.time("time"), body=_json(inside.inside("body")))
                if message.id not in self.entries:
                    self.entries[message.id] = OutboxEntry(message=message)
                    self._open[message.id] = None
        elif given.has("begins"):
            self._change(given.line("begins"), state="begun")
        elif given.has("noted"):
            noted = given.line("noted")
            self._change(noted, noted=self.entries[noted].state if noted in self.entries else None)
        else:
            self._result(given)

    def _result(self, given: Fields) -> None:
        result = next((it for it in _RESULTS if given.has(it)), None)
        if result is None:
            return  # of a newer version
        message_id = given.line(result)
        known = self.entries.get(message_id)
        failed = 0.0 if known is None else known.failed or given.time("time")
        tries = 0 if known is None else known.tries + 1
        self._change(message_id, state=result, why=given.text("why", ""), failed=failed, tries=tries)

    def _change(self, message_id: str, **changes: object) -> None:
        if message_id in self.entries:
            entry = self.entries[message_id] = replace(self.entries[message_id], **changes)  # type: ignore[arg-type]  # its fields
            if not entry.is_open:
                self._open.pop(message_id, None)


def _json(given: Fields) -> Mapping[str, Json]:
    return cast(Mapping[str, Json], given.values)  # parsed from JSON
