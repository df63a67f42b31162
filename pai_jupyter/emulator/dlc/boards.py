"""The TensorBoard processes behind the apps: each shows a folder that is filled anew from OSS as long as it runs.

    DIR/tensorboards/<id>/runs         the objects below the app's address, as files
                          board.log    what TensorBoard says of itself
                          secret       what its address begins with

An app is a record; its process is known by `_pid` and `_port` in that. Whoever tends a board is a task of this process:
it says when the board answers, brings new objects, and notices its end. A board that runs when the emulator is killed
is found again by the next one.

Rule 1: one change at a time for an app: starting and ending it hold its lock.
Rule 2: an app's status is in its record and nowhere else. A tender whose app has another process by now ends.
"""

import asyncio
import logging
import shutil
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.emulator.api import Fields
from pai_jupyter.emulator.checks import stamp
from pai_jupyter.emulator.records import Records
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.storage import parse_oss_url
from pai_jupyter.tensorboard import server

if TYPE_CHECKING:
    from pai_jupyter.emulator.world import World

KIND = "tensorboards"
ALIVE = ("Creating", "Running")
REFRESHED_EVERY = 2.0  # seconds
_UP_WITHIN = 60.0  # seconds; a first start compiles TensorBoard's modules
_PAUSE = 0.2
_log = logging.getLogger(__name__)


class Boards:
    """The processes of one emulator's TensorBoard apps."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._tasks: set[asyncio.Task[None]] = set()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @property
    def _records(self) -> Records:
        return self._world.records(KIND)

    def launch(self, app: str) -> None:
        """Start the process of an app whose record says `Creating`, and tend it."""
        self._spawn(app)

    async def end(self, app: str) -> None:
        """End the process, if there is one; what it showed stays until the app starts again."""
        async with self._locks[app]:
            await asyncio.to_thread(self._end, self._records.get(app) or {}, app)

    async def forget(self, app: str) -> None:
        """End the process, and remove all that is left of it."""
        await self.end(app)
        await asyncio.to_thread(shutil.rmtree, self._folder(app), ignore_errors=True)
        self._locks.pop(app, None)

    def resume(self) -> None:
        """Take up the apps that an earlier emulator has left running, or was about to start."""
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
        # A cancelled start would leave a process that no record knows.
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
            if (self._records.get(app) or {}).get("Status") == "Creating":  # nobody has stopped it meanwhile
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
            _log.warning("the objects of TensorBoard app %s cannot be brought", app, exc_info=True)

    def _fill(self, record: Fields, app: str) -> None:
        url = parse_oss_url(str(record["_shown"]))
        self._world.objects.materialise(url.bucket_name, url.object_key, self._runs(app))

    def _end(self, record: Fields, app: str) -> None:
        if record.get("_pid") is not None:
            server.end(_number(record, "_pid"), self._runs(app))

    def _fail(self, app: str, reason: str) -> None:
        if self._records.get(app) is not None:
            self._records.change(
                app, Status="Failed", ReasonCode="TensorboardFailed", ReasonMessage=reason, GmtFinishTime=stamp()
            )

    def _folder(self, app: str) -> Path:
        return self._world.data / "tensorboards" / app

    def _runs(self, app: str) -> Path:
        return self._folder(app) / "runs"


def _has_expired(record: Fields) -> bool:
    minutes = _number(record, "MaxRunningTimeMinutes")
    started = record.get("_started")
    return minutes > 0 and isinstance(started, float) and time.time() - started > minutes * 60


def _number(record: Fields, name: str) -> int:
    value = record.get(name)
    return value if isinstance(value, int) else 0
