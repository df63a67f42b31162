"""The runs table: 10,000 runs of 20 values and 30 metrics, at a new server and in a page.

The peer is MLflow's search of runs over the same runs in its SQLite store, in an environment of its own. It answers with the
first 100, as a page of its UI asks for. Of several times the best counts, on both sides: other programs load the machine.
"""

import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.bench.harness import Row, at_most, seconds
from tests.bench.table_jobs import JOBS, make_home, write_runs
from tests.bench.table_page import rows_of_page
from tests.support.paths import ROOT
from tests.support.server import Server, running_server

PYTHON = ROOT / ".venv-mlflow" / "bin" / "python"
RUNS = 7
SERVERS = 3
COLUMNS = ["job:status", "job:name", *(f"last:metric_{at}" for at in range(30)), "value:lr", "value:opt"]


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="pai-bench-", ignore_cleanup_errors=True) as folder:
        make_home(Path(folder) / "home")
        peer = _peer(Path(folder))
        with running_server(Path(folder)) as server:
            first = seconds(lambda: _ask(server))
            yield at_most(f"{JOBS:,} runs, table never opened before (/ 0.5 s)", first, 0.5, 40)
        opened = []
        for _ in range(SERVERS):
            with running_server(Path(folder)) as server:
                opened.append(seconds(lambda: _ask(server)))
                if len(opened) == SERVERS:
                    yield from _beside("open, a new server", min(opened), 0.5, peer.get("open"))
                    yield from _questions(server, peer)
        yield from rows_of_page(Path(folder) / "home", Path(folder) / "page")


def _questions(server: Server, peer: Mapping[str, float]) -> Iterator[Row]:
    again = min(seconds(lambda: _ask(server)) for _ in range(RUNS))
    yield from _beside("open again", again, 0.5, peer.get("open"))
    directions = (number % 2 == 0 for number in range(RUNS))
    sort = min(
        seconds(lambda is_down=is_down: _ask(server, sort="last:metric_3", descending=is_down))  # type: ignore[misc]
        for is_down in directions
    )
    yield from _beside("sort by a metric", sort, 0.1, peer.get("sort"))
    texts = (f"metric_3>0.9{number} opt=adam" for number in range(RUNS))
    found = min(seconds(lambda text=text: _ask(server, text=text)) for text in texts)  # type: ignore[misc]
    yield from _beside("filter", found, 0.1, peer.get("filter"))
    first = seconds(lambda: _ask(server, text="run-99"))
    yield at_most("  first search for a text (/ 200 ms)", first * 1000, 200, 1, "ms")
    texts = (f"run-9{number}" for number in range(RUNS))
    found = min(seconds(lambda text=text: _ask(server, text=text)) for text in texts)  # type: ignore[misc]
    yield at_most("  search for a text (/ 100 ms)", found * 1000, 100, 1, "ms")
    starts = range(0, JOBS, JOBS // 20)
    window = min(seconds(lambda start=start: _ask(server, start=start)) for start in starts)  # type: ignore[misc]
    yield at_most("  a window while scrolling (/ 100 ms)", window * 1000, 100, 1, "ms")


def _beside(what: str, ours: float, goal: float, peer: float | None) -> Iterator[Row]:
    yield at_most(f"  {what} (/ {goal * 1000:.0f} ms)", ours * 1000, goal * 1000, 1, "ms")
    if peer is not None:
        yield at_most(f"  {what} / mlflow.search_runs", ours * 1000, peer * 1000, 1, "ms")


def _ask(server: Server, **asked: Any) -> None:
    body = {"columns": COLUMNS, "limit": 100, "descending": True, **asked}
    reply = server.ask("table", method="POST", body=json.dumps(body).encode())
    assert reply.status == 200, reply.body


def _peer(folder: Path) -> dict[str, float]:
    """Seconds of the peer for each question; {} where its environment is missing."""
    if not PYTHON.exists():
        print(f"no {PYTHON}: `make bench` makes it where it can; MLflow is not compared")  # noqa: T201
        return {}
    write_runs(folder / "runs.json")
    words = [PYTHON, ROOT / "tests" / "bench" / "mlflow_peer.py", folder / "runs.json", folder / "mlflow.db"]
    told = subprocess.run(words, check=True, capture_output=True, text=True, cwd=folder).stdout
    found: dict[str, float] = json.loads(told.splitlines()[-1])
    return found
