"""Files to HDFS and back, against PyPI's `hdfs`: with 8 threads and chunks of 1 MiB, and as it is by default.

At a real HDFS of Hadoop 2.7.3 where `make hdfs` has been run, else at the emulated one; the rows say which. Ours stores a file
under a hidden name, looks at its length and renames it, two requests more than `hdfs`. At the real one they are small beside
what its data node does; at the emulated one every request costs the same, and the goal of small uploads is that of 4 to 2.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import hdfs

from pai_jupyter.storage import download, upload
from pai_jupyter.storage.hdfs import HdfsAccess
from tests.bench.harness import Row, at_most, interleaved, seconds
from tests.bench.homes import bench_home
from tests.bench.services import memory
from tests.support.hadoop import is_prepared, real_hdfs
from tests.support.hdfs import USER, access, place, uri
from tests.support.paths import ROOT

SIZE, FILES, FEWER, SMALL = 200_000_000, 500, 100, 2_048  # bytes of the large file; small files, bytes of each
RUNS, RUNS_SMALL = 5, 3
TUNED = {"n_threads": 8, "chunk_size": 1024 * 1024}
_SERVE = """
import sys
from pathlib import Path
from tests.support.hdfs import emulated
with emulated(Path(sys.argv[1])) as there:
    print(there.base, flush=True)
    sys.stdin.read()
"""


def rows() -> Iterator[Row]:
    with (
        bench_home(),
        tempfile.TemporaryDirectory(prefix="pai-bench-", dir=memory()) as scratch,
        _server() as server,
        place(server, "bench"),
    ):
        there = Place(server=server, folder=Path(scratch))
        yield from _large(there)
        yield from _small(there)


@dataclass(frozen=True)
class Server:
    """An HDFS, as the rows call it, and the base of its WebHDFS."""

    name: str
    base: str


@dataclass(kw_only=True)
class Place:
    """An HDFS with a directory `bench` for everybody, and a directory of this machine."""

    server: Server
    folder: Path
    _used: int = field(default=0, init=False)

    @property
    def name(self) -> str:
        return self.server.name

    @property
    def access(self) -> HdfsAccess:
        return access(self.server)

    def peer(self) -> hdfs.InsecureClient:
        return hdfs.InsecureClient(self.server.base.removesuffix("/webhdfs/v1"), user=USER, root="/bench")

    def fresh(self) -> str:
        """A name that nobody has used, there and here."""
        self._used += 1
        return f"run-{self._used}"

    def sent(self, path: Path) -> str:
        """Upload with ours; the name there."""
        name = self.fresh()
        upload(path, uri(f"bench/{name}" + ("/" if path.is_dir() else "")), hdfs=self.access)
        return name

    def ours_up(self, path: Path) -> float:
        return seconds(lambda: self.sent(path))

    def peer_up(self, path: Path, **options: int) -> float:
        return seconds(lambda: self.peer().upload(self.fresh(), str(path), **options))

    def ours_down(self, name: str) -> float:
        return self._down(lambda to: download(uri(f"bench/{name}"), to, hdfs=self.access))

    def peer_down(self, name: str, **options: int) -> float:
        return self._down(lambda to: self.peer().download(name, str(to), **options))

    def _down(self, bring: Callable[[Path], object]) -> float:
        to = self.folder / self.fresh()
        took = seconds(lambda: bring(to))
        shutil.rmtree(to) if to.is_dir() else to.unlink()
        return took


def _large(there: Place) -> Iterator[Row]:
    file = there.folder / "large.bin"
    file.write_bytes(os.urandom(SIZE))
    name = there.sent(file)  # the first time is that of Java's compiler
    for peer, options in _peers():
        took = interleaved(lambda: there.ours_up(file), lambda: there.peer_up(file, **options), runs=RUNS)  # noqa: B023  they run at once
        yield at_most(f"{there.name}: upload 200 MB / {peer}", *took, 1.1)
        took = interleaved(lambda: there.ours_down(name), lambda: there.peer_down(name, **options), runs=RUNS)  # noqa: B023
        yield at_most(f"{there.name}: download 200 MB / {peer}", *took, 1.1)


def _small(there: Place) -> Iterator[Row]:
    for count, runs, (peer, options), goal in ((FILES, RUNS_SMALL, _peers()[0], 1.1), (FEWER, 1, _peers()[1], 0.6)):
        tree = _make_tree(there.folder / there.fresh(), count)
        name = there.sent(tree)
        took = interleaved(lambda: there.ours_up(tree), lambda: there.peer_up(tree, **options), runs=runs)  # noqa: B023
        yield at_most(f"{there.name}: upload {count} files of 2 KB / {peer}", *took, goal)
        took = interleaved(lambda: there.ours_down(name), lambda: there.peer_down(name, **options), runs=runs)  # noqa: B023
        yield at_most(f"{there.name}: download {count} files of 2 KB / {peer}", *took, goal)


def _peers() -> list[tuple[str, dict[str, int]]]:
    return [("hdfs, 8 threads", TUNED), ("hdfs as it is", {})]


def _make_tree(root: Path, count: int) -> Path:
    root.mkdir()
    for number in range(count):
        (root / f"f{number:04}.bin").write_bytes(os.urandom(SMALL))
    return root


@contextmanager
def _server() -> Iterator[Server]:
    """An HDFS in memory."""
    with tempfile.TemporaryDirectory(prefix="pai-bench-", dir=memory(), ignore_cleanup_errors=True) as data:
        if is_prepared():
            with real_hdfs(Path(data)) as real:
                yield Server("HDFS 2.7.3", real.base)
        else:
            with _emulated(data) as base:
                yield Server("emulated HDFS", base)


@contextmanager
def _emulated(data: str) -> Iterator[str]:
    """An emulated HDFS in a process of its own; the base of its WebHDFS."""
    command = [sys.executable, "-c", _SERVE, data]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.communicate()
