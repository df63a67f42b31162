"""The emulator's answers, against a bare route of the same server, and against itself with fewer records.

All requests are signed beforehand, so that both sides cost their client the same. A goal that is no ratio stands behind a
"/" in the name of its row.
"""

import asyncio
import hashlib
import http.client
import secrets
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from pai_jupyter.cloud.client import Client, paistudio
from pai_jupyter.cloud.client.signatures import SignableRequest, sign
from tests.bench.counted import HEADER
from tests.bench.harness import Row, at_most, interleaved, seconds
from tests.support.emulators import KEY, SECRET, Emulator, emulator

CALLS, RUNS = 300, 3
VALUES, JOBS, FEW = 2_000, 2_000, 20
DEADLINE = 60.0  # seconds
# It prints its values and goes on: a job that is being followed.
PRINTS = f"python3 -u -c 'import time\nfor i in range({VALUES}): print(\"loss=\", i)\ntime.sleep(600)'"
METRICS = [{"Name": "loss", "Regex": "loss= ([0-9.]+)"}]


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="pai-bench-", ignore_cleanup_errors=True) as scratch:
        for name, count in (("few", FEW), ("many", JOBS)):
            _make_jobs(Path(scratch) / name, count)
        with (
            emulator(Path(scratch) / "few", module="tests.bench.counted") as few,
            emulator(Path(scratch) / "many", module="tests.bench.counted") as many,
        ):
            page = ("/api/v1/trainingjobs", {"PageSize": "20"})
            took, peer = _pair(Call(many, *page), Call(few, *page))
            yield at_most(f"a page of {JOBS:,} jobs / of {FEW}", took * 1000, peer * 1000, 2, "ms")
            job = few.ask(lambda client: _printed(few, client))
            took, bare = _pair(Call(few, f"/api/v1/trainingjobs/{job}"), Call(few, "/", is_bare=True))
            yield at_most(f"GetTrainingJob, {VALUES:,} values / a bare route", took * 1000, bare * 1000, 3, "ms")


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
    from pai_jupyter.emulator.state.records import Records

    records, made = Records(data / "state" / "trainingjobs"), _now()
    for number in range(count):
        records.put(
            f"train{number}",
            {
                "TrainingJobId": f"train{number}", "TrainingJobName": "a", "Status": "Succeed", "WorkspaceId": "10001",
                "GmtCreateTime": made, "StatusTransitions": [], "Body": {}, "IsTempAlgo": True,
            },
        )  # fmt: skip


@dataclass(frozen=True)
class Call:
    """A request that may be made often: signed anew each time, before the time is taken."""

    service: Emulator
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    is_bare: bool = False

    @cached_property
    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.service.host)

    def seconds(self) -> float:
        line = self.path + (
            "?" + "&".join(f"{name}={value}" for name, value in self.query.items()) if self.query else ""
        )
        headers = {HEADER: "1"} if self.is_bare else _signed(self.service.host, self.path, self.query)
        return seconds(lambda: self._ask(line, headers))

    def _ask(self, line: str, headers: dict[str, str]) -> None:
        self._connection.request("GET", line, headers=headers)
        answer = self._connection.getresponse()
        said = answer.read()
        assert answer.status == 200, said


def _pair(ours: Call, peer: Call) -> tuple[float, float]:
    """Seconds of both, the better of several pairs of medians: a slow moment of the machine is nobody's."""
    pairs = [interleaved(ours.seconds, peer.seconds, runs=CALLS) for _ in range(RUNS)]
    return min(pairs, key=lambda pair: pair[0] / pair[1])


def _signed(host: str, path: str, query: Mapping[str, str]) -> dict[str, str]:
    headers = {
        "host": host,
        "x-acs-version": paistudio.SERVICE.version,
        "x-acs-date": _now(),
        "x-acs-signature-nonce": secrets.token_hex(16),
        "x-acs-content-sha256": hashlib.sha256(b"").hexdigest(),
    }
    message = SignableRequest(method="GET", path=path, query=query, headers=headers, body=b"")
    return {**headers, "authorization": sign(message, access_key_id=KEY, secret=SECRET)}


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
