"""Files to OSS and back, against bare `oss2` on one thread, as one would write it. Both verify checksums.

With nothing but this machine between, a small file costs what the CPU takes at both ends, and threads gain little. A
bucket is farther away than that: so small files go once more at a latency of 10 ms, which the emulator then has.
Each run sends to keys of its own, for what is there already is not sent again.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pai_jupyter.cloud.session import Session, need_session
from pai_jupyter.storage.oss.connection import load
from tests.bench.harness import Row, at_most, interleaved, seconds
from tests.bench.services import bench_emulator
from tests.support.emulators import Emulator

SIZE, FILES, SMALL = 200_000_000, 2_000, 2_048  # bytes of the large file; how many small ones, and bytes of each
LATENCY, FEWER = 0.01, 300  # seconds; how many files then
RUNS = 3


def rows() -> Iterator[Row]:
    with bench_emulator("pai_jupyter.emulator") as running, tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch:
        there = Place(emulator=running, session=need_session(), bucket=running.bucket(), folder=Path(scratch))
        yield from _large(there)
        yield from _small(there, FILES, "2,000 files of 2 KB", 1.2)
        with _latency(running):
            yield from _small(there, FEWER, f"{FEWER} files of 2 KB at 10 ms", 0.4)


@dataclass(kw_only=True)
class Place:
    """Our session and a bare `bucket` at an emulator, and a directory of this machine."""

    emulator: Emulator
    session: Session
    bucket: Any  # oss2 has no types
    folder: Path
    _used: int = field(default=0, init=False)

    def name(self) -> str:
        """One that nobody has used, for a key or a file."""
        self._used += 1
        return f"run-{self._used}"

    def uploading(self, send: Callable[[str], object]) -> float:
        name = self.name()
        return seconds(lambda: send(name))

    def downloading(self, bring: Callable[[Path], object], size: int) -> float:
        """How long `bring` takes to make a file or a directory of that size."""
        to = self.folder / self.name()
        took = seconds(lambda: bring(to))
        assert sum(path.stat().st_size for path in [to, *to.rglob("*")] if path.is_file()) == size
        if to.is_dir():
            shutil.rmtree(to)
        else:
            to.unlink()
        return took


@contextmanager
def _latency(running: Emulator) -> Iterator[None]:
    running.fault("slow", seconds=LATENCY, times=None)
    yield
    running.clear_faults()


# --- one large file --------------------------------------------------------------------------------------------------


def _large(there: Place) -> Iterator[Row]:
    file = there.folder / "large.bin"
    file.write_bytes(os.urandom(SIZE))
    session, bucket, oss2 = there.session, there.bucket, load()
    up, down = (kind(root=str(there.folder)) for kind in (oss2.ResumableStore, oss2.ResumableDownloadStore))

    def upload() -> float:
        return there.uploading(lambda name: session.upload(file, session.uri(name)))

    def put() -> float:
        return there.uploading(lambda name: bucket.put_object_from_file(name, str(file)))

    def put_in_parts() -> float:
        return there.uploading(lambda name: oss2.resumable_upload(bucket, name, str(file), store=up))

    def download() -> float:
        return there.downloading(lambda to: session.download(session.uri("large"), to), SIZE)

    def get() -> float:
        return there.downloading(lambda to: bucket.get_object_to_file("large", str(to)), SIZE)

    def get_in_parts() -> float:
        return there.downloading(lambda to: oss2.resumable_download(bucket, "large", str(to), store=down), SIZE)

    yield at_most("upload 200 MB / oss2.put_object_from_file", *interleaved(upload, put, runs=RUNS), 1.3)
    yield at_most("upload 200 MB / oss2.resumable_upload", *interleaved(upload, put_in_parts, runs=RUNS), 1.3)
    bucket.put_object_from_file("large", str(file))
    yield at_most("download 200 MB / oss2.get_object_to_file", *interleaved(download, get, runs=RUNS), 1.3)
    yield at_most("download 200 MB / oss2.resumable_download", *interleaved(download, get_in_parts, runs=RUNS), 1.3)


# --- many small ones -------------------------------------------------------------------------------------------------


def _small(there: Place, count: int, what: str, goal: float) -> Iterator[Row]:
    session, bucket, oss2 = there.session, there.bucket, load()
    tree = _make_tree(there.folder / there.name(), count)
    prefix = f"{there.name()}/"

    def upload() -> float:
        return there.uploading(lambda name: session.upload(tree, session.uri(f"{name}/")))

    def put_each(name: str) -> None:
        for path in tree.iterdir():
            bucket.put_object_from_file(f"{name}/{path.name}", str(path))

    def download() -> float:
        return there.downloading(lambda to: session.download(session.uri(prefix), to), count * SMALL)

    def get_each(to: Path) -> None:
        to.mkdir()
        for entry in oss2.ObjectIteratorV2(bucket, prefix=prefix, max_keys=1000):
            bucket.get_object_to_file(entry.key, str(to / entry.key.removeprefix(prefix)))

    yield at_most(f"upload {what} / oss2", *interleaved(upload, lambda: there.uploading(put_each), runs=1), goal)
    session.upload(tree, session.uri(prefix))

    def get() -> float:
        return there.downloading(get_each, count * SMALL)

    yield at_most(f"download {what} / oss2", *interleaved(download, get, runs=1), goal)


def _make_tree(root: Path, count: int) -> Path:
    root.mkdir()
    for number in range(count):
        (root / f"f{number:04}.bin").write_bytes(os.urandom(SMALL))
    return root
