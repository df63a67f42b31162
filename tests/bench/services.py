"""An emulator for benchmarks, with our session there and the peer's.

Its directory is in memory where there is such a place: how fast a service's disk is, is the service's affair.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.jobs import close_runtime
from tests.bench.counted import counts
from tests.bench.harness import seconds
from tests.bench.homes import bench_home
from tests.bench.peers import Peer, alipai
from tests.support.emulators import KEY, SECRET, Emulator, emulator
from tests.support.pai_jobs import session_at

_MEMORY = Path("/dev/shm")


@dataclass(frozen=True, kw_only=True)
class Services:
    """An emulator and the peer there; `tree` is the code that the peer submits, `folder` for whatever is needed."""

    emulator: Emulator
    peer: Peer
    folder: Path
    tree: Path

    def counts(self) -> Counter[str]:
        return counts(self.emulator.address)

    def counted(self, action: Callable[[], object]) -> tuple[float, Counter[str]]:
        """How long `action` takes, and what the emulator is asked meanwhile."""
        before = self.counts()
        took = seconds(action)
        return took, self.counts() - before


def memory() -> Path | None:
    """Return a directory in memory; None where there is none."""
    return _MEMORY if _MEMORY.is_dir() else None


@contextmanager
def bench_emulator(module: str) -> Iterator[Emulator]:
    """The emulator of this module, with our session there."""
    with (
        bench_home(),
        tempfile.TemporaryDirectory(prefix="pai-bench-", dir=memory(), ignore_cleanup_errors=True) as data,
        emulator(Path(data) / "data", module=module) as running,
        session_at(running.address, Path(os.environ["PAI_JUPYTER_HOME"]), key=(KEY, SECRET), values={}),
    ):
        try:
            yield running
        finally:
            close_runtime()


@contextmanager
def services(module: str, tree: Path) -> Iterator[Services]:
    with bench_emulator(module) as running, tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch:
        folder = Path(scratch)
        with alipai(running, folder, tree) as peer:
            yield Services(emulator=running, peer=peer, folder=folder, tree=tree)
