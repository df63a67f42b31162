"""`%load_ext pai_jupyter` in a running IPython, against importing the incumbent's estimator (alipai, in its own venv)."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.bench.harness import Row, at_most, interleaved

OURS = """
import time, resource
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
shell.run_line_magic("load_ext", "pai_jupyter")
print(time.perf_counter() - start, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
# The incumbent's import looks for credentials; every socket but a local one is refused first.
PEER = """
import socket, time, resource
def refuse(*args, **kwargs): raise OSError("no network in a benchmark")
socket.socket.connect = refuse
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
import pai.estimator
print(time.perf_counter() - start, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def rows() -> Iterator[Row]:
    peer_python = Path(os.environ.get("ALIPAI_PYTHON", ".venv-alipai/bin/python"))
    if not peer_python.exists():
        print(f"no {peer_python}: `make bench` makes it; the import is not compared")  # noqa: T201
        return
    memory: dict[str, float] = {}

    def measure(name: str, python: str, code: str) -> float:
        out = subprocess.run([python, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True).stdout
        took, megabytes = out.split()[-2:]
        memory[name] = float(megabytes)
        return float(took)

    ours, peer = interleaved(
        lambda: measure("ours", sys.executable, OURS), lambda: measure("peer", str(peer_python), PEER), runs=5
    )
    yield at_most("%load_ext pai_jupyter / import pai.estimator", ours, peer, 0.1)
    yield at_most("  memory of that", memory["ours"], memory["peer"], 0.1, unit="MB")
