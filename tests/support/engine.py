"""A container engine for the tests: the one that answers, else one of our own below a temporary directory.

Rule 1: never a second dockerd while one runs. Two in one network namespace share docker0, and one breaks the other.
Rule 2: what we started we stop, by its process id; should we be killed, the kernel ends it (`setpriv --pdeathsig`).
Rule 3: only an engine of our own is ever restarted.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

from pai_jupyter.backends.docker.deployment import JOB_LABEL
from pai_jupyter.backends.docker.engine import Client, connect, engine_address, engine_answers

STARTS_WITHIN = 30.0  # seconds
STOPS_WITHIN = 30.0


class NoEngine(Exception):
    """There is no engine and none can be started; the text says why."""


class Engine:
    """A container engine at `address`; `is_ours` when this process started it."""

    def __init__(self, address: str, *, folder: Path | None = None) -> None:
        self.address = address
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_ours(self) -> bool:
        return self._folder is not None

    def start(self) -> None:
        """Start the daemon of our own and wait until it answers. On the main thread: it ends with the one it is from."""
        assert self._folder is not None
        folder = self._folder
        with (folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []),
                    *("dockerd", "--host", self.address, "--pidfile", str(folder / "pid")),
                    *("--data-root", str(folder / "data"), "--exec-root", str(folder / "exec")),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        if (
            not _wait(lambda: self._process_ended() or engine_answers(self.address), STARTS_WITHIN)
            or self._process_ended()
        ):
            last = (folder / "log").read_text(errors="replace").strip().splitlines()[-1:]
            self.stop()
            raise NoEngine(f"dockerd does not start here: {' '.join(last)}")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the daemon of our own, and its containers with it unless it is killed."""
        if self._process is not None and not self._process_ended():
            self._process.send_signal(how)
            try:
                self._process.wait(STOPS_WITHIN)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def containers_of(self, home: Path) -> list[str]:
        """The names of the containers, running or not, whose jobs live in the store at `home`."""
        with self.client() as client:
            return [
                container["Names"][0].lstrip("/")
                for container in client.containers(all=True, filters={"label": JOB_LABEL})
                if any(Path(mount["Source"]).is_relative_to(home) for mount in container["Mounts"])
            ]

    def remove_containers_of(self, home: Path) -> None:
        names = self.containers_of(home)
        with self.client() as client:
            for name in names:
                client.remove_container(name, force=True)

    def networks(self) -> set[str]:
        with self.client() as client:
            return {network["Name"] for network in client.networks()}

    def client(self) -> AbstractContextManager[Client]:
        """A client for looking at what a test has done; closed with its block."""
        return closing(connect(self.address))

    def remove(self) -> None:
        """Stop the daemon of our own and remove everything that it kept."""
        self.stop()
        if self._folder is not None:
            _unmount_below(self._folder)
            shutil.rmtree(self._folder, ignore_errors=True)

    def _process_ended(self) -> bool:
        return self._process is None or self._process.poll() is not None


@contextmanager
def running_engine() -> Iterator[Engine]:
    """The engine that answers, else one of our own that lives as long as the block.

    Raises:
        NoEngine: neither is to be had.
    """
    if engine_answers():
        yield Engine(engine_address())
        return
    _must_be_able_to_start()
    folder = Path(tempfile.mkdtemp(prefix="pai-engine-"))  # short: a socket's path has at most 107 bytes
    folder.chmod(0o711)  # its socket has an owner and a group of its own
    engine = Engine(f"unix://{folder}/docker.sock", folder=folder)
    try:
        engine.start()
        yield engine
    finally:
        engine.remove()


def _must_be_able_to_start() -> None:
    if shutil.which("dockerd") is None:
        raise NoEngine("no Docker engine answers and dockerd is not installed")
    if os.geteuid() != 0:
        raise NoEngine("no Docker engine answers and only root can start one")
    if _dockerd_runs():
        raise NoEngine(f"a dockerd runs here but does not answer at {engine_address()}; set DOCKER_HOST")


def _dockerd_runs() -> bool:
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if Path(os.fsdecode(process.read_bytes().split(b"\0")[0])).name == "dockerd":  # one that has died has none
                return True
    return False


def _unmount_below(folder: Path) -> None:
    mounts = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    for mount in sorted((m for m in mounts if m.startswith(f"{folder}/")), reverse=True):
        subprocess.run(["umount", "--lazy", mount], check=False, stderr=subprocess.DEVNULL)


def _wait(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False
