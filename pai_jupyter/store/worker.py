"""Search for a regex in another process, which is killed at its deadline and has its own memory limit.

A regex of twenty letters may need hours, or all memory. In this process neither could be stopped, and no other thread would run
meanwhile.

    parent ── the query, as JSON ──► stdin
    stdout ── a line of JSON, then the numbers as int64 ──► parent

The worker (worker_main.py) takes 0.1 s to start. It limits its own memory and CPU time, in case its parent is killed.
"""

import json
import os
import subprocess
import sys
from array import array
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.store.search import FoundLines, Query

GRACE = 10.0  # seconds beyond the query's, to start and to count unindexed lines
_PACKAGE = Path(__file__).parents[2]
# The package's directory comes last and the current one is left out: a `json.py` beside a notebook must not be imported.
_BOOT = "import sys; sys.path.append(sys.argv[1]); from pai_jupyter.store.worker_main import main; main()"


def find_in_worker(log: Path, query: Query) -> FoundLines:
    """Run the search `query` in another process.

    Raises:
        SpecError: the pattern is no regular expression, or matches in too many ways.
        PaiJupyterError: no process can be started, or the log cannot be read.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _BOOT, str(_PACKAGE)],
            input=json.dumps({"log": os.fspath(log), "query": asdict(query)}).encode(),
            capture_output=True,
            timeout=query.seconds + GRACE,
            check=True,
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as exc:  # killed by its limit of time or memory
        raise SpecError(
            f"searching for {query.pattern[:100]!r} takes too much time or memory. Use a simpler pattern.",
            field="pattern",
        ) from exc
    except OSError as exc:
        raise PaiJupyterError(f"no process can be started to search in: {exc.strerror or exc}.") from exc
    head, _, body = done.stdout.partition(b"\n")
    return _found(json.loads(head), body)


def _found(reply: dict[str, Any], body: bytes) -> FoundLines:  # Any: parsed JSON
    if "mistake" in reply:
        raise SpecError(reply["mistake"], field="pattern")
    if "trouble" in reply:
        raise PaiJupyterError(reply["trouble"])
    numbers = array("q")
    numbers.frombytes(body)
    return FoundLines(numbers=numbers, **reply)
