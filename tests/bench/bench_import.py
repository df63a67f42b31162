"""`%load_ext pai_jupyter` in a running IPython, against importing the incumbent's estimator (alipai, in its own venv).

Each number is the median of fresh processes, ours and the peer's in turn.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.bench.harness import Row, at_most, below

RUNS = 5
MOST_MODULES = 60
# Seconds, megabytes and modules of ours by %load_ext; seconds with the first magic, which imports its work.
OURS = """
import sys, time, resource
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
shell.run_line_magic("load_ext", "pai_jupyter")
loaded = time.perf_counter() - start
megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
modules = sum(name.partition(".")[0] == "pai_jupyter" for name in sys.modules)
shell.run_cell_magic("pai_train", "--lint", "lr: float = 0.1")
print(loaded, megabytes, modules, time.perf_counter() - start)
"""
# The incumbent's import looks for credentials; every socket but a local one is refused first.
PEER = """
import sys, socket, time, resource
def refuse(*args, **kwargs): raise OSError("no network in a benchmark")
socket.socket.connect = refuse
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
import pai.estimator
loaded = time.perf_counter() - start
megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
print(loaded, megabytes, sum(name.partition(".")[0] == "pai" for name in sys.modules), loaded)
"""


def rows() -> Iterator[Row]:
    peer_python = Path(os.environ.get("ALIPAI_PYTHON", ".venv-alipai/bin/python"))
    if not peer_python.exists():
        print(f"no {peer_python}: `make bench` makes it; the import is not compared")  # noqa: T201
        return
    with tempfile.TemporaryDirectory() as home:
        pairs = [(_measured(sys.executable, OURS, home), _measured(str(peer_python), PEER, home)) for _ in range(RUNS)]
    ours, peer = ([median(column) for column in zip(*runs, strict=True)] for runs in zip(*pairs, strict=True))
    yield at_most("%load_ext pai_jupyter / import pai.estimator", ours[0], peer[0], 0.1)
    yield at_most("  memory of that", ours[1], peer[1], 0.1, unit="MB")
    yield below("  modules of that", ours[2], peer[2], MOST_MODULES)
    yield at_most("  with the first magic, a %%pai_train --lint", ours[3], peer[3], 0.5)


def _measured(python: str, code: str, home: str) -> list[float]:
    """What a fresh process of `python` says at its end."""
    command, environ = [python, "-W", "ignore", "-c", code], {**os.environ, "PAI_JUPYTER_HOME": home}
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=environ).stdout
    return [float(number) for number in out.split()[-4:]]
