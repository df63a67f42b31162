"""The list of all jobs at the server: 2,000 that have ended; 100 that run, recorded by another process or followed here.

The peer is jupyter-scheduler, with as many jobs in its database. A goal that is no ratio stands behind a "/" in the name
of its row.
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import psutil

from pai_jupyter.backends.pai.services.job import PaiJob
from pai_jupyter.cloud.client import Client
from pai_jupyter.cloud.session import Site
from pai_jupyter.events import JobState, Status, StatusChanged
from pai_jupyter.jobs.job_index.index import PAUSE
from pai_jupyter.store import JobStore
from tests.bench.counted import counts
from tests.bench.harness import Row, at_most, below, interleaved, seconds
from tests.bench.listed import ENDED, GOING, make_ended, recording
from tests.bench.scheduler import PYTHON, Scheduler, scheduler
from tests.support.emulators import KEY, REGION, SECRET, WORKSPACE, Emulator, emulator
from tests.support.lists import record
from tests.support.pai_jobs import session_at
from tests.support.server import Server, running_server
from tests.support.tabs import Tab, open_tab

RUNS = 5
MEASURED = 15.0  # seconds
SETTLED = 45.0  # seconds until jobs at which nobody looks are asked for about as seldom as may be, twice a minute
NOBODY = 35.0  # seconds; a service is asked every half minute while somebody watches


def rows() -> Iterator[Row]:
    with _server_with_ended() as server:
        yield from _opening(server)
        if PYTHON.exists():
            with scheduler(ENDED) as peer:
                yield from _beside_the_peer(server, peer)
                yield from _recorded_elsewhere(server, peer)
        else:
            print(f"no {PYTHON}: `make bench` makes it where it can; jupyter-scheduler is not compared")  # noqa: T201
    yield from _followed_here()


@contextmanager
def _server_with_ended() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="pai-bench-", ignore_cleanup_errors=True) as folder:
        make_ended(Path(folder) / "home")
        with running_server(Path(folder)) as server:
            yield server


# --- a list that is opened -------------------------------------------------------------------------------------------


def _opening(server: Server) -> Iterator[Row]:
    (first, whole), again = asyncio.run(_open(server)), [asyncio.run(_open(server))[0] for _ in range(RUNS)]
    yield at_most(f"{ENDED:,} jobs, a new server: first rows (/ 100 ms)", first * 1000, 100, 1, "ms")
    yield at_most("  all rows (/ 2.5 s)", whole, 2.5, 1)
    yield at_most("  first rows when opened again (/ 100 ms)", statistics.median(again) * 1000, 100, 1, "ms")


async def _open(server: Server) -> tuple[float, float]:
    """Seconds from the request until the first rows are there, and until all are."""
    async with open_tab(server) as tab:
        begun = time.perf_counter()
        await tab.ask("watch_jobs")
        await tab.see(lambda push: push["rows"])
        first = time.perf_counter() - begun
        await tab.see(lambda push: push["is_whole"])
        return first, time.perf_counter() - begun


def _beside_the_peer(server: Server, peer: Scheduler) -> Iterator[Row]:
    """The same question over REST, as jupyter-scheduler's page asks it."""
    for most, goal in ((100, 0.5), (1_000, 0.5)):
        ours, theirs = interleaved(
            lambda most=most: seconds(lambda: _page(server, most)),  # type: ignore[misc]  # mypy: of a default
            lambda most=most: seconds(lambda: peer.page(most)),  # type: ignore[misc]
            runs=RUNS,
        )
        yield at_most(
            f"{most:,} of {ENDED:,} jobs asked for / jupyter-scheduler", ours * 1000, theirs * 1000, goal, "ms"
        )


def _page(server: Server, most: int) -> None:
    assert len(server.ask(f"jobs?limit={most}").json()["rows"]) == most


# --- jobs that another process records -------------------------------------------------------------------------------


def _recorded_elsewhere(server: Server, peer: Scheduler) -> Iterator[Row]:
    """Each with a metric a second."""
    with recording(server.home):
        ours = asyncio.run(_watched(server))
        with Load(peer.process.pid) as theirs:
            _ask_as_often(peer)
        with Load(server.process.pid) as nobody:
            time.sleep(MEASURED)
    yield at_most(f"{GOING} that run, recorded elsewhere: CPU (/ 0.1 cores)", ours, 0.1, 1, "cores")
    yield at_most("  that / jupyter-scheduler, asked as often", ours, theirs.cores, 0.5, "cores")
    yield below("  CPU while nobody watches", nobody.cores, 0, 0.01, "cores")


async def _watched(server: Server) -> float:
    """Cores of the server while a page watches."""
    async with open_tab(server) as tab:
        await tab.ask("watch_jobs")
        await tab.see(lambda push: push["is_whole"])
        with Load(server.process.pid) as load:
            await _go_on(tab, MEASURED)
        return load.cores


def _ask_as_often(peer: Scheduler) -> None:
    """What it costs the peer to have a page as current as ours."""
    for _ in range(int(MEASURED / PAUSE)):
        time.sleep(max(0.0, PAUSE - seconds(peer.all)))


# --- jobs of a service that this server follows ----------------------------------------------------------------------


def _followed_here() -> Iterator[Row]:
    """Their kernels are gone: the server follows them while somebody watches, and no longer."""
    with _served() as (service, server):
        load = asyncio.run(_watched_settled(server))
        yield at_most(f"{GOING} that run at a service, followed here: CPU (/ 0.1 cores)", load, 0.1, 1, "cores")
        time.sleep(1)  # what was on its way when the tab was closed
        before = counts(service.address)["requests"]
        with Load(server.process.pid) as nobody:
            time.sleep(NOBODY)
        yield below("  requests while nobody watches", counts(service.address)["requests"] - before, 0, 0)
        yield below("  CPU while nobody watches", nobody.cores, 0, 0.01, "cores")


@contextmanager
def _served() -> Iterator[tuple[Emulator, Server]]:
    """A service with jobs that run, and a server whose home has them, followed by nobody."""
    with tempfile.TemporaryDirectory(prefix="pai-bench-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        home.mkdir()
        with (
            emulator(Path(folder) / "data", module="tests.bench.quiet") as service,
            session_at(service.address, home, key=(KEY, SECRET), values={}),
        ):
            for number, each in enumerate(service.ask(lambda client: _start_all(service, client))):
                _record(service, JobStore(home), f"there-{number:03}", each)
            before = f"from pai_jupyter.config import settings; settings().use_emulator({service.address!r})"
            with running_server(Path(folder), before=before) as server:
                yield service, server


async def _start_all(service: Emulator, client: Client) -> list[str]:
    return await asyncio.gather(*(service.create(client) for _ in range(GOING)))


def _record(service: Emulator, store: JobStore, job_id: str, service_id: str) -> None:
    """Note a job of the service as ours, as whoever had submitted it did."""
    folder = record(job_id, status=Status.CREATED, store=store, backend="pai", created=time.time())
    site = Site(region=REGION, workspace=WORKSPACE, address=service.address)
    ref = PaiJob(job_id=job_id, kind="training", id=service_id, site=site).ref
    folder.start(ref, JobState().apply(StatusChanged(status=Status.QUEUED, time=time.time())))


async def _watched_settled(server: Server) -> float:
    """Cores of the server, once all jobs are followed and asked for more seldom."""
    async with open_tab(server) as tab:
        await tab.ask("watch_jobs")
        await tab.see(lambda _: _running(tab) == GOING)
        await _go_on(tab, SETTLED)
        with Load(server.process.pid) as load:
            await _go_on(tab, 2 * MEASURED)
        return load.cores


def _running(tab: Tab) -> int:
    """How many jobs run, as the tab has been told."""
    statuses = {row["id"]: row["status"] for push in tab.pushes for row in push["rows"]}
    return sum(status == "running" for status in statuses.values())


# --- all -------------------------------------------------------------------------------------------------------------


async def _go_on(tab: Tab, how_long: float) -> None:
    """Take what is pushed for so many seconds."""
    with suppress(TimeoutError):
        async with asyncio.timeout(how_long):
            await tab.see(lambda push: False)


@dataclass
class Load:
    """How many cores a process keeps busy within the block."""

    pid: int
    cores: float = 0.0

    def __enter__(self) -> Self:
        self._begun, self._busy = time.perf_counter(), self._used()
        return self

    def __exit__(self, *_: object) -> None:
        self.cores = (self._used() - self._busy) / (time.perf_counter() - self._begun)

    def _used(self) -> float:
        times = psutil.Process(self.pid).cpu_times()
        return float(times.user + times.system)
