"""Sample the resource usage of a followed job's containers, every few seconds at first and less often later.

Rule 1: usage is optional. A sample that fails or takes too long is skipped; the next check of the job reports problems.
Rule 2: cores are computed from two samples; the first counts from the container's start.
"""

import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pai_jupyter.backends.docker.cards import read_own
from pai_jupyter.backends.docker.containers import ContainerState
from pai_jupyter.backends.docker.deployment import Deployment
from pai_jupyter.backends.docker.engine import Client
from pai_jupyter.backends.docker.faults import engine_errors
from pai_jupyter.backends.docker.outcome import read_time
from pai_jupyter.backends.process.supervisor.gpus import Answer, query, read_answer
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
        self._limits: dict[str, float | None] = {}  # container -> cores that it may use

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
        gpu, gpu_memory, gpu_limit = ask_gpus(read_own(job.run)) if job.gpus else (None, None, None)
        found = [
            usage
            for replica, started in running.items()
            for usage in self._measure(client, job.container(replica), replica, started)
        ]
        self._due = time.monotonic() + pause_after(time.time() - min(running.values()))
        return [replace(usage, gpu=gpu, gpu_memory=gpu_memory, gpu_memory_limit=gpu_limit) for usage in found]

    def _measure(self, client: Client, container: str, replica: str, started: float) -> Iterator[Usage]:
        with suppress(BackendError, KeyError, TypeError, ValueError), engine_errors("measuring"):
            stats = client.stats(container, stream=False, one_shot=True)
            when = read_time(stats["read"])
            cpu_time = stats["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9
            before, used = self._last.get(replica, (started, 0.0))
            if when is not None and when > before:  # None: it has just ended
                self._last[replica] = when, cpu_time
                cores = max(0.0, cpu_time - used) / (when - before)
                yield Usage(
                    replica=replica,
                    time=when,
                    cpu=round(cores, 3),
                    memory=memory_of(stats),
                    memory_limit=(stats.get("memory_stats") or {}).get("limit"),
                    cores=self._cores(client, container, stats),
                    **disk_of(stats),
                    **network_of(stats),
                )

    def _cores(self, client: Client, container: str, stats: Mapping[str, Any]) -> float | None:  # Any: JSON
        """Return the cores that the container may use: its own limit, else those of the machine."""
        if container not in self._limits:
            asked = client.inspect_container(container)["HostConfig"].get("NanoCpus") or 0
            self._limits[container] = asked / 1e9 or stats["cpu_stats"].get("online_cpus")
        return self._limits[container]


def disk_of(stats: Mapping[str, Any]) -> dict[str, int]:  # Any: JSON of the engine
    """Return the bytes read and written so far; {} where the engine counts none."""
    rows = (stats.get("blkio_stats") or {}).get("io_service_bytes_recursive") or []
    found: dict[str, int] = {}
    for row in rows:
        name = {"read": "read", "write": "written"}.get(str(row.get("op")).lower())
        if name is not None:
            found[name] = found.get(name, 0) + int(row["value"])
    return found


def network_of(stats: Mapping[str, Any]) -> dict[str, int]:  # Any: as above
    """Return the bytes received and sent so far; {} for a container with the network of the machine."""
    networks = list((stats.get("networks") or {}).values())
    if not networks:
        return {}
    return {
        "received": sum(int(each["rx_bytes"]) for each in networks),
        "sent": sum(int(each["tx_bytes"]) for each in networks),
    }


def memory_of(stats: Mapping[str, Any]) -> int | None:  # Any: JSON of the engine
    """Return the bytes in use without page cache, like `docker stats` (cgroup 1 and 2)."""
    memory = stats.get("memory_stats") or {}
    details = memory.get("stats") or {}
    cache = details.get("total_inactive_file", details.get("inactive_file", 0))
    return max(0, memory["usage"] - cache) if "usage" in memory else None


def ask_gpus(devices: Sequence[str] = ()) -> Answer:
    """Return load (0..1), bytes in use and all bytes of these GPUs of this machine, by default of all."""
    try:
        words = query(list(devices))
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=GPU_TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None, None, None
    return read_answer(done.stdout.decode(errors="replace"))
