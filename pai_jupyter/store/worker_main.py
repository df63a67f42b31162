"""The program of the regex search process (worker.py): reads one query, writes one reply."""

import json
import sys
from contextlib import suppress
from pathlib import Path

from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.store.logs import LogFile
from pai_jupyter.store.search import Query
from pai_jupyter.store.worker import GRACE

MEMORY = 1 << 30  # bytes


def main() -> None:
    """Read one query from standard input and reply."""
    order = json.load(sys.stdin)
    query = Query(**order["query"])
    _limit(query.seconds + GRACE)
    try:
        found = LogFile(Path(order["log"])).find_here(query)
    except SpecError as exc:
        _reply({"mistake": str(exc)})
    except PaiJupyterError as exc:
        _reply({"trouble": str(exc)})
    else:
        _reply({"searched": found.searched, "is_more": found.is_more}, found.numbers.tobytes())


def _reply(head: dict[str, object], body: bytes = b"") -> None:
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + body)


def _limit(seconds: float) -> None:
    with suppress(ImportError, ValueError, OSError):  # the system has no such limit, or a lower one already
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
