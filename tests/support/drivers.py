"""The processes that drive runs, for tests that end them."""

import os
import signal
from contextlib import suppress
from pathlib import Path


def drivers_of(home: Path) -> list[int]:
    """The PIDs of all drivers of runs in this home."""
    return [pid for pid, words in _processes() if str(words[-1]).startswith(f"{home}/runs/") and "-c" in words]


def _processes() -> list[tuple[int, list[str]]]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = os.fsdecode(path.read_bytes()).rstrip("\0").split("\0")
            found.append((int(path.parent.name), words))
    return found


def kill_machine(mark: str) -> None:
    """Kill every process but this one that has `mark` in its environment, as a power cut does: who could write how jobs end, first."""
    for is_wanted in (_is_driver, _is_supervisor, lambda words: True):
        while found := [pid for pid, words in _processes() if _has(pid, mark) and is_wanted(words)]:
            for pid in found:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def _is_driver(words: list[str]) -> bool:
    return "pai_jupyter.runs.drive_main" in " ".join(words)


def _is_supervisor(words: list[str]) -> bool:
    return "supervisor.main" in " ".join(words)


def _has(pid: int, mark: str) -> bool:
    if pid == os.getpid():
        return False
    with suppress(OSError):
        return mark.encode() in Path(f"/proc/{pid}/environ").read_bytes()
    return False
