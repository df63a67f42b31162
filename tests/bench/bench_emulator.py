"""The emulator's answers, against a bare route of the same server, and against itself with fewer records.

All requests are signed beforehand, so that both sides cost their client the same. A goal that is no ratio stands behind a
"/" in the name of its row.
"""

import asyncio
import hashlib
import http.client
import secrets
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from pai_jupyter.cloud.client import Client, paistudio
from pai_jupyter.cloud.client.signatures import Message, sign
from tests.bench.counted import HEADER
from tests.bench.harness import Row, at_most, seconds
from tests.emulators import KEY, SECRET, Emulator, emulator

CALLS, RUNS = 300, 3
VALUES, JOBS, FEW = 2_000, 2_000, 20
DEADLINE = 60.0  # seconds
# It prints its values and goes on: a job that is being followed.
PRINTS = f"python3 -u -c 'import time\nfor i in range({VALUES}): print(\"loss=\", i)\ntime.sleep(600)'"
METRICS = [{"Name": "loss", "Regex": "loss= ([0-9.]+)"}]


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="pai-bench-", ignore_cleanup_errors=True) as scratch:
        data = Path(scratch) / "data"
        _make_jobs(data, FEW)
        with emulator(data, module="tests.bench.counted") as running:
            job = running.ask(lambda client: _printed(running, client))
            took, bare = _pair(running, f"/api/v1/trainingjobs/{job}")
            yield at_most("GetTrainingJob, 2,000 values / a bare route", took * 1000, bare * 1000, 3, "ms")
            few = _page(running)
        _make_jobs(data, JOBS)
        with emulator(data, module="tests.bench.counted") as running:
            yield at_most(f"a page of {JOBS:,} jobs / of {FEW}", _page(running) * 1000, few * 1000, 2, "ms")


async def _printed(running: Emulator, client: Client) -> str:
    """A job that has printed all its values and runs on; its id."""
    job = await running.create(client, PRINTS, MetricDefinitions=METRICS)
    deadline = time.monotonic() + DEADLINE
    while True:
        told = await client.call(paistudio.GET_TRAINING_JOB, path={"training_job_id": job})
        last = told["LatestMetrics"]
        if isinstance(last, list) and last and isinstance(last[0], dict) and last[0]["Value"] == VALUES - 1:
            return job
        assert time.monotonic() < deadline, told
        await asyncio.sleep(0.1)


def _make_jobs(data: Path, count: int) -> None:
    """Have so many jobs on record that have ended, as an emulator finds them when it begins."""
    from pai_jupyter.emulator.records import Records

    records, made = Records(data / "state" / "trainingjobs"), _now()
    for number in range(count):
        records.put(
            f"train{number}",
            {
                "TrainingJobId": f"train{number}", "TrainingJobName": "a", "Status": "Succeed", "WorkspaceId": "10001",
                "GmtCreateTime": made, "StatusTransitions": [], "Body": {}, "IsTempAlgo": True,
            },
        )  # fmt: skip


def _page(running: Emulator) -> float:
    """Seconds of a page of 20 jobs."""
    return _pair(running, "/api/v1/trainingjobs", {"PageSize": "20"})[0]


def _pair(running: Emulator, path: str, query: Mapping[str, str] | None = None) -> tuple[float, float]:
    """Seconds of a call, and of a bare route, in turn on one connection: the best of several medians."""
    connection = http.client.HTTPConnection(running.host)
    line = path + ("?" + "&".join(f"{name}={value}" for name, value in query.items()) if query else "")

    def ask(target: str, headers: Mapping[str, str]) -> None:
        connection.request("GET", target, headers=dict(headers))
        answer = connection.getresponse()
        said = answer.read()
        assert answer.status == 200, said

    best = []
    for _ in range(RUNS):
        pairs = [
            (seconds(lambda: ask(line, headers)), seconds(lambda: ask("/", {HEADER: "1"})))  # noqa: B023
            for headers in [_signed(running.host, path, query or {}) for _ in range(CALLS)]
        ]
        best.append(tuple(statistics.median(column) for column in zip(*pairs, strict=True)))
    took, bare = min(best, key=lambda pair: pair[0] / pair[1])
    return took, bare


def _signed(host: str, path: str, query: Mapping[str, str]) -> dict[str, str]:
    headers = {
        "host": host,
        "x-acs-version": paistudio.SERVICE.version,
        "x-acs-date": _now(),
        "x-acs-signature-nonce": secrets.token_hex(16),
        "x-acs-content-sha256": hashlib.sha256(b"").hexdigest(),
    }
    message = Message(method="GET", path=path, query=query, headers=headers, body=b"")
    return {**headers, "authorization": sign(message, access_key_id=KEY, secret=SECRET)}


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
