"""The socket of a browser tab: what is asked and pushed over it, who may open it, and that nobody can burst the server."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from tornado.httpclient import HTTPClientError
from tornado.websocket import WebSocketClosedError

from pai_jupyter.jobs import close_runtime
from pai_jupyter.store import JobFolder, JobStore
from tests.support.programs import Program, lines
from tests.support.server import AUTHORIZED, Server, running_server
from tests.support.started import begin, ended_in, open_gate, until
from tests.support.tabs import DeafClient, open_tab

GATED = Program(before=lines(0, 20), after=lines(20, 40))
MB = 1024 * 1024
KERNEL = """
import sys, time
from contextlib import suppress
from pathlib import Path
from tests.support.programs import Program, lines
from tests.support.started import begin
job = begin(Program(before=lines(0, 20), after=lines(20, 40)), backend="process", gate=Path(sys.argv[1]))
print(job.id, flush=True)
time.sleep(600)
"""
# A client that reads nothing is given up after two seconds instead of thirty; how many jobs are watched is in a file.
BEFORE = """
import pathlib, threading, time
from pai_jupyter.server import socket
from pai_jupyter.wire.job_view import poller
socket.STALLED = 2.0
def count():
    while True:
        pathlib.Path({path!r}).write_text(str(len(poller._watches)))
        time.sleep(0.05)
threading.Thread(target=count, daemon=True).start()
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with running_server(folder, before=BEFORE.format(path=str(folder / "watched"))) as server:
        yield server


@pytest.fixture
def in_home(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Jobs of this test go to the server's home."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    yield
    close_runtime()


@pytest.fixture(scope="module")
def job_id(server: Server) -> str:
    """A job that has ended, in the server's home."""
    return ended_in(server.home, Program(before=lines(0, 40))).id


def is_snapshot(push: Any) -> bool:  # Any: JSON values
    return bool(push["kind"] == "snapshot")


def has_status(status: str) -> Any:  # Any: a condition on a push
    """Whether a push tells of this status, be it by an event or by the whole state."""

    def tells(push: Any) -> bool:
        told = [event.get("status") for event in push.get("events") or ()]
        return status in [*told, (push.get("state") or {}).get("status")]

    return tells


async def test_a_view_is_given_a_snapshot_and_asks_for_lines(server: Server, job_id: str) -> None:
    async with open_tab(server) as tab:
        assert (await tab.ask("hello", job_id))["ok"] == {"api": 1}
        snapshot = await tab.see(is_snapshot)
        assert snapshot["job"]["id"] == job_id
        assert snapshot["tail"]["lines"][-1] == "line 39"
        window = (await tab.ask("lines", job_id, replica="master-0", start=0, stop=2))["ok"]
        assert window["lines"] == ["line 0", "line 1"]


async def test_a_view_asks_for_the_tensorboard_of_its_job(server: Server, job_id: str) -> None:
    async with open_tab(server) as tab:
        assert (await tab.ask("board", job_id, action="show"))["ok"] == {"state": "stopped", "url": "", "note": ""}


@pytest.mark.usefixtures("in_home")
async def test_two_tabs_are_told_of_the_same_job(server: Server, gate: Path) -> None:
    job = begin(GATED, backend="process", gate=gate)
    async with open_tab(server) as first, open_tab(server) as second:
        for tab in (first, second):
            await tab.ask("hello", job.id)
        open_gate(gate)
        for tab in (first, second):
            await tab.see(has_status("succeeded"))
            await tab.see(lambda push: "line 39" in (push.get("tail") or {}).get("lines", ()))


def start_kernel(server: Server, gate: Path) -> "subprocess.Popen[str]":
    """A process that submits a job, says its id, follows it and sits there."""
    environ = {**os.environ, "PAI_JUPYTER_HOME": str(server.home)}
    return subprocess.Popen([sys.executable, "-c", KERNEL, gate], env=environ, stdout=subprocess.PIPE, text=True)


async def test_a_job_whose_kernel_was_killed_is_followed_to_its_end_by_the_server(server: Server, gate: Path) -> None:
    with start_kernel(server, gate) as kernel:
        assert kernel.stdout is not None
        job_id = kernel.stdout.readline().strip()
        async with open_tab(server) as tab:
            await tab.ask("hello", job_id)
            await tab.see(has_status("running"))
            kernel.kill()
            kernel.wait()
            open_gate(gate)
            await tab.see(has_status("succeeded"))
    folder = JobStore(server.home).open(job_id)
    await until_recorded(folder)
    assert folder.log("master-0").count() == 40


async def until_led(folder: JobFolder) -> None:
    """Somebody follows the job and writes its folder."""

    def is_led() -> bool:
        lock = folder.try_lock()
        if lock is None:
            return True
        with lock:
            return False

    await asyncio.to_thread(until, is_led)


async def until_recorded(folder: JobFolder) -> None:
    """The end of the job is on the disk, whoever follows it."""
    await asyncio.to_thread(until, lambda: folder.read().state.status.is_terminal)


@pytest.mark.usefixtures("in_home")
async def test_a_job_is_followed_on_when_the_last_tab_is_closed(server: Server, gate: Path) -> None:
    job = begin(GATED, backend="process", gate=gate)
    until(lambda: str(job.status) == "running")
    async with open_tab(server) as tab:
        await tab.ask("hello", job.id)
        close_runtime()
        await until_led(job.folder)
    open_gate(gate)
    await until_recorded(job.folder)


async def test_nothing_is_watched_for_a_tab_that_is_closed(server: Server, job_id: str) -> None:
    watched = server.folder / "watched"
    until(lambda: watched.read_text() == "0")
    async with open_tab(server) as tab:
        await tab.ask("hello", job_id)
        await asyncio.to_thread(until, lambda: watched.read_text() == "1")
    await asyncio.to_thread(until, lambda: watched.read_text() == "0")


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.usefixtures("in_home")
async def test_a_view_is_complete_again_on_a_server_that_was_restarted(
    tmp_path: Path, gate: Path, end: signal.Signals
) -> None:
    with running_server(tmp_path) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_HOME", str(server.home))
        job = begin(GATED, backend="process", gate=gate)
        until(lambda: job.folder.log("master-0").count() == 20)
        async with open_tab(server) as tab:
            await tab.ask("hello", job.id)
            server.stop(end)
            await tab.closed()
        open_gate(gate)
        job.wait()
        server.start()
        async with open_tab(server) as tab:
            await tab.ask("hello", job.id)
            snapshot = await tab.see(is_snapshot)
    assert snapshot["counts"] == {"master-0": 40}
    assert snapshot["state"]["status"] == "succeeded"


# --- who may open it


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "token another"}, {**AUTHORIZED, "Host": "evil.example"}], ids=str
)
async def test_nobody_opens_it_without_the_token_or_by_another_name(server: Server, headers: dict[str, str]) -> None:
    await check_refused(server, headers)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "http://127.0.0.1.evil.example"]
)
async def test_a_page_from_elsewhere_does_not_open_it(server: Server, origin: str) -> None:
    await check_refused(server, server.log_in().headers(Origin=origin))


async def check_refused(server: Server, headers: dict[str, str]) -> None:
    with pytest.raises(HTTPClientError) as caught:
        async with open_tab(server, headers):
            pass
    assert caught.value.code == 403


async def test_a_page_of_the_server_itself_opens_it(server: Server, job_id: str) -> None:
    headers = server.log_in().headers(Origin=f"http://127.0.0.1:{server.port}")
    async with open_tab(server, headers) as tab:
        assert "ok" in await tab.ask("hello", job_id)


# --- hostile clients


@pytest.mark.parametrize(
    "request_",
    [
        "",
        "{",
        "null",
        "[]",
        "[" * 100_000,
        "1e999",
        "9" * 5000,
        '"\ud800"'.encode("utf-8", "replace").decode(),
        b"{}",
        b"\xff",
    ],
    ids=lambda value: repr(value)[:20],
)
async def test_what_is_no_request_is_answered_with_an_error(server: Server, job_id: str, request_: str | bytes) -> None:
    async with open_tab(server) as tab:
        await tab.send(request_)
        assert set((await tab.answer_to(None))["error"]) == {"type", "message", "hint"}
        assert "ok" in await tab.ask("hello", job_id)


HOSTILE: list[dict[str, Any]] = [  # Any: JSON values
    {"kind": "nothing"},
    {"kind": None},
    {"kind": ["lines"]},
    {"kind": "__init__"},
    {"job": None},
    {"job": {"a": 1}},
    {"job": "../secret"},
    {"job": "x" * 100_000},
    {"job": "j1\0"},
    {"view": {"a": []}},
    {"view": "x" * 100_000},
    {"kind": "lines", "replica": "../../../secret", "start": 0, "stop": 10},
    {"kind": "lines", "replica": "master-0", "start": -1, "stop": 10},
    {"kind": "lines", "replica": "master-0", "start": 0, "stop": 10**30},
    {"kind": "lines", "replica": "master-0", "start": 1.5, "stop": True},
    {"kind": "lines", "replica": "master-0", "numbers": list(range(10_000))},
    {"kind": "lines", "replica": "master-0", "numbers": [-1, None, "a"]},
    {"kind": "search", "replica": "master-0", "pattern": "(" * 50_000, "regex": True},
    {"kind": "search", "replica": "master-0", "pattern": "\ud800"},
    {"kind": "search", "replica": "master-0", "pattern": "a", "limit": 10**12},
    {"kind": "search", "replica": "master-0", "pattern": "a", "level": "loud"},
    {"kind": "points", "group": "everything"},
    {"kind": "points", "group": "metrics", "live": "yes"},
    {"kind": "files", "channel": "model", "path": "../../../../secret"},
    {"kind": "files", "channel": "../..", "path": "secret"},
    {"kind": "files", "channel": "model", "path": "model.bin", "offset": -1, "length": 10**12},
    {"kind": "files", "channel": "model", "path": "link", "preview": True},
    {"kind": "board", "action": "explode"},
    {"unknown": [[[[[[]]]]]]},
]


@pytest.mark.parametrize("fields", HOSTILE, ids=lambda value: repr(value)[:50])
async def test_a_hostile_request_is_answered_and_finds_nothing(
    server: Server, job_id: str, fields: dict[str, Any]
) -> None:
    (server.home / "secret").write_text("hunter2")
    link = JobStore(server.home).path(job_id) / "output" / "model" / "link"
    if not link.is_symlink():
        link.symlink_to(server.home / "secret")
    async with open_tab(server) as tab:
        await tab.send({"id": 7, "kind": "files", "job": job_id, "view": "v", **fields})
        answer = await tab.answer_to(7)
        assert "hunter2" not in str(answer)
        assert answer.get("error", {}).get("type") != "InternalError"
        assert "ok" in await tab.ask("hello", job_id)
    assert "Traceback" not in server.log


async def test_a_request_that_is_too_large_closes_the_socket_and_no_more(server: Server, job_id: str) -> None:
    async with open_tab(server) as tab:
        with suppress(WebSocketClosedError):  # the server does not read it to the end
            await tab.send("x" * (2 * MB))
        await tab.closed()
    async with open_tab(server) as tab:
        assert "ok" in await tab.ask("hello", job_id)


async def test_a_client_that_asks_and_never_reads_costs_little_memory_and_is_given_up(
    server: Server, job_id: str
) -> None:
    model = JobStore(server.home).path(job_id) / "output" / "model"
    (model / "large").write_bytes(os.urandom(MB))
    ask = {"id": 1, "kind": "files", "job": job_id, "view": "v", "channel": "model", "path": "large"}
    process = psutil.Process(server.process.pid)
    seen = [process.memory_info().rss]
    client = DeafClient(server)
    await asyncio.to_thread(
        client.ask_until_closed, {**ask, "offset": 0, "length": MB}, lambda: seen.append(process.memory_info().rss)
    )
    assert max(seen) - seen[0] < 60 * MB
    until(lambda: not connections(process, client.port))
    async with open_tab(server) as tab:
        assert "ok" in await tab.ask("hello", job_id)


def connections(process: psutil.Process, port: int) -> list[object]:
    """The server's ends of connections from this port."""
    return [each for each in process.net_connections("tcp") if each.raddr and each.raddr.port == port]
