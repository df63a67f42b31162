"""Sample the resource usage of a followed job's containers, every few seconds at first and less often later.

Rule 1: usage is optional. A sample that fails or takes too long is skipped; the next check of the job reports problems.
Rule 2: cores are computed from two samples; the first counts from the container's start.
"""

import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pai_jupyter.backends.docker.containers import ContainerState
from pai_jupyter.backends.docker.deployment import Deployment
from pai_jupyter.backends.docker.engine import Client
from pai_jupyter.backends.docker.faults import engine_errors
from pai_jupyter.backends.docker.outcome import read_time
from pai_jupyter.backends.process.supervisor.gpus import QUERY, read_answer
from pai_jupyter.backends.process.supervisor.usage import pause_after
from pai_jupyter.errors import BackendError
from pai_jupyter.events import Usage

FIRST = 0.5  # seconds from seeing the job run to the first sample
ONE_SHOT = (1, 41)  # the API version that samples at once; older ones wait for a second sample
GPU_TIMEOUT = 5.0  # seconds


class UsageSampler:
    """Samples the running replicas of a job when due. Blocking; times are of the monotonic clock."""

    def __init__(self) -> None:
        self._due: float | None = None  # None until a replica is seen running
        self._last: dict[str, tuple[float, float]] = {}  # replica -> time, CPU seconds by then

    def pause(self) -> float:
        """Return the seconds until the next sample is due; infinite while nothing runs."""
        return float("inf") if self._due is None else max(0.0, self._due - time.monotonic())

    def take(self, client: Client, job: Deployment, states: Mapping[str, ContainerState]) -> list[Usage]:
        """Measure the running replicas; return [] if no sample is due."""
        running = {replica: state.started for replica, state in states.items() if state.is_running and state.started}
        if not running or tuple(map(int, client.api_version.split("."))) < ONE_SHOT:
            self._due = None
            return []
        if self._due is None:
            self._due = time.monotonic() + FIRST
        if self.pause():
            return []
        gpu, gpu_memory = ask_gpus() if job.gpus else (None, None)
        found = [
            usage
            for replica, started in running.items()
            for usage in self._measure(client, job.container(replica), replica, started)
        ]
        self._due = time.monotonic() + pause_after(time.time() - min(running.values()))
        return [replace(usage, gpu=gpu, gpu_memory=gpu_memory) for usage in found]

    def _measure(self, client: Client, container: str, replica: str, started: float) -> Iterator[Usage]:
        with suppress(BackendError, KeyError, TypeError), engine_errors("measuring"):
            stats = client.stats(container, stream=False, one_shot=True)
            when = read_time(stats["read"])
            cpu_time = stats["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9
            before, used = self._last.get(replica, (started, 0.0))
            if when is not None and when > before:  # None: it has just ended
                self._last[replica] = when, cpu_time
                cores = max(0.0, cpu_time - used) / (when - before)
                yield Usage(replica=replica, time=when, cpu=round(cores, 3), memory=memory_of(stats))


def memory_of(stats: Mapping[str, Any]) -> int | None:  # Any: JSON of the engine
    """Return the bytes in use without page cache, like `docker stats` (cgroup 1 and 2)."""
    memory = stats.get("memory_stats") or {}
    details = memory.get("stats") or {}
    cache = details.get("total_inactive_file", details.get("inactive_file", 0))
    return max(0, memory["usage"] - cache) if "usage" in memory else None


def ask_gpus() -> tuple[float | None, int | None]:
    """Return load (0..1) and used bytes of this machine's GPUs, all of which a container with GPUs sees."""
    try:
        done = subprocess.run(QUERY, stdin=subprocess.DEVNULL, capture_output=True, timeout=GPU_TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None, None
    return read_answer(done.stdout.decode(errors="replace"))
