"""The TensorBoard processes behind apps; each shows a folder that is updated from OSS while it runs.

    DIR/tensorboards/<id>/runs         the objects below the app's address, as files
                          board.log    TensorBoard's output
                          secret       the secret prefix of its address

An app is a record with the `_pid` and `_port` of its process. A task per app watches the process: it sets the app running
when the board answers, downloads new objects, and notices the process's end. A board that outlives a killed emulator is
adopted by the next one.

Rule 1: start and end of an app hold its lock, so they never overlap.
Rule 2: an app's status is only in its record. A task ends when its app has another process.
"""

import asyncio
import logging
import shutil
import time
from collections import defaultdict
from pathlib import Path

from pai_jupyter.emulator.object_store.store import ObjectStore
from pai_jupyter.emulator.protocol.refusal import Fields
from pai_jupyter.emulator.protocol.times import stamp
from pai_jupyter.emulator.state.records import Records
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.storage import parse_oss_url
from pai_jupyter.tensorboard import server

KIND = "tensorboards"
ALIVE = ("Creating", "Running")
REFRESHED_EVERY = 2.0  # seconds
_UP_WITHIN = 60.0  # seconds; a first start compiles TensorBoard's modules
_PAUSE = 0.2  # seconds
_log = logging.getLogger(__name__)


class Boards:
    """The processes of one emulator's TensorBoard apps."""

    def __init__(self, data: Path, records: Records, objects: ObjectStore) -> None:
        self._data = data
        self._records = records
        self._objects = objects
        self._tasks: set[asyncio.Task[None]] = set()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def launch(self, app: str) -> None:
        """Start and watch the process of an app whose record says `Creating`."""
        self._spawn(app)

    async def end(self, app: str) -> None:
        """End the process, if there is one; its folder stays until the app starts again."""
        async with self._locks[app]:
            await asyncio.to_thread(self._end, self._records.get(app) or {}, app)

    async def forget(self, app: str) -> None:
        """End the process and delete its folder."""
        await self.end(app)
        await asyncio.to_thread(shutil.rmtree, self._folder(app), ignore_errors=True)
        self._locks.pop(app, None)

    def resume(self) -> None:
        """Watch the apps that an earlier emulator left running, and start those that it had not started."""
        for record in self._records.all():
            if record["Status"] in ALIVE:
                self._spawn(str(record["TensorboardId"]))

    async def aclose(self) -> None:
        """End all processes; the records stay, so that the next emulator starts them again."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for record in self._records.all():
            if record["Status"] in ALIVE:
                await self.end(str(record["TensorboardId"]))

    def _spawn(self, app: str) -> None:
        task = asyncio.get_running_loop().create_task(self._run(app))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, app: str) -> None:
        try:
            async with self._locks[app]:
                pid = await self._process(app)
            await self._tend(app, pid)
        except (PaiJupyterError, OSError) as exc:
            self._fail(app, str(exc))

    async def _process(self, app: str) -> int:
        """Return the pid of the app's process, starting one if none runs."""
        record = self._records.get(app) or {}
        pid = _number(record, "_pid")
        if server.is_alive(pid, self._runs(app)):
            return pid
        # Shielded: a cancelled start would leave a process that is in no record.
        return await asyncio.shield(asyncio.to_thread(self._start, record, app))

    def _start(self, record: Fields, app: str) -> int:
        shutil.rmtree(self._folder(app), ignore_errors=True)
        self._folder(app).mkdir(parents=True, mode=0o700)
        self._runs(app).mkdir(mode=0o700)
        self._fill(record, app)
        pid, port = server.start(self._runs(app), self._folder(app) / "board.log")
        url = server.address_of(port, self._folder(app))
        self._records.change(app, _pid=pid, _port=port, _started=time.time(), TensorboardUrl=url)
        return pid

    async def _tend(self, app: str, pid: int) -> None:
        begun = time.monotonic()
        while (record := self._records.get(app)) and record["Status"] in ALIVE and record["_pid"] == pid:
            if not server.is_alive(pid, self._runs(app)):
                self._fail(app, "TensorBoard has ended by itself")
            elif _has_expired(record):
                self._records.change(app, Status="Stopped", ReasonCode="MaxRunningTime", GmtFinishTime=stamp())
                await self.end(app)
            elif record["Status"] == "Creating":
                await self._await_answer(app, record, begun)
            else:
                await self._refresh(app, record)

    async def _await_answer(self, app: str, record: Fields, begun: float) -> None:
        if await asyncio.to_thread(server.answers, _number(record, "_port")):
            if (self._records.get(app) or {}).get("Status") == "Creating":  # not stopped meanwhile
                self._records.change(app, Status="Running", GmtModifyTime=stamp())
        elif time.monotonic() - begun > _UP_WITHIN:
            await self.end(app)
            self._fail(app, f"TensorBoard does not answer after {_UP_WITHIN:g} s")
        else:
            await asyncio.sleep(_PAUSE)

    async def _refresh(self, app: str, record: Fields) -> None:
        await asyncio.sleep(REFRESHED_EVERY)
        try:
            await asyncio.to_thread(self._fill, record, app)
        except (PaiJupyterError, OSError):
            _log.warning("the objects of TensorBoard app %s cannot be read", app, exc_info=True)

    def _fill(self, record: Fields, app: str) -> None:
        url = parse_oss_url(str(record["_shown"]))
        self._objects.materialise(url.bucket_name, url.object_key, self._runs(app))

    def _end(self, record: Fields, app: str) -> None:
        if record.get("_pid") is not None:
            server.end(_number(record, "_pid"), self._runs(app))

    def _fail(self, app: str, reason: str) -> None:
        if self._records.get(app) is not None:
            self._records.change(
                app, Status="Failed", ReasonCode="TensorboardFailed", ReasonMessage=reason, GmtFinishTime=stamp()
            )

    def _folder(self, app: str) -> Path:
        return self._data / "tensorboards" / app

    def _runs(self, app: str) -> Path:
        return self._folder(app) / "runs"


def _has_expired(record: Fields) -> bool:
    minutes = _number(record, "MaxRunningTimeMinutes")
    started = record.get("_started")
    return minutes > 0 and isinstance(started, float) and time.time() - started > minutes * 60


def _number(record: Fields, name: str) -> int:
    value = record.get(name)
    return value if isinstance(value, int) else 0
