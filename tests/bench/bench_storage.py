"""Files to OSS and back, against bare `oss2` as one would write it, at the emulator's OSS: both verify checksums.

Each run has keys of its own, for what is there already is not sent again. The emulator sums up what it gets, too, and
shares the machine: where the bytes fly through, it is what is measured.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pai_jupyter.cloud.session import need_session
from pai_jupyter.storage.oss.connection import load
from tests.bench.harness import Row, at_most, interleaved, seconds
from tests.bench.services import bench_emulator
from tests.emulators import Emulator

SIZE, FILES, SMALL = 200_000_000, 2_000, 2_048  # bytes of the large file; how many small ones, and bytes of each


def rows() -> Iterator[Row]:
    with bench_emulator("pai_jupyter.emulator") as running, tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch:
        there = Place(emulator=running, folder=Path(scratch))
        yield from _large(there)
        yield from _small(there)


@dataclass(kw_only=True)
class Place:
    """A bucket of the emulator and a directory of ours, each with names that nobody has used."""

    emulator: Emulator
    folder: Path
    _used: int = field(default=0, init=False)

    def name(self) -> str:
        self._used += 1
        return f"run-{self._used}"

    def bucket(self) -> Any:  # Any: oss2 has no types
        return self.emulator.bucket()


def _large(there: Place) -> Iterator[Row]:
    file = there.folder / "large.bin"
    file.write_bytes(os.urandom(SIZE))
    oss2 = load()
    session, bucket = need_session(), there.bucket()

    def upload() -> float:
        uri = session.uri(there.name())
        return seconds(lambda: session.upload(file, uri))

    def put() -> float:
        key = there.name()
        return seconds(lambda: bucket.put_object_from_file(key, str(file)))

    def upload_in_parts() -> float:
        key = there.name()
        store = oss2.ResumableStore(root=str(there.folder))
        return seconds(lambda: oss2.resumable_upload(bucket, key, str(file), store=store))

    yield at_most("upload 200 MB / oss2.put_object_from_file", *interleaved(upload, put, runs=3), 1.2)
    yield at_most("upload 200 MB / oss2.resumable_upload", *interleaved(upload, upload_in_parts, runs=3), 1.2)
    there.emulator.bucket().put_object_from_file("large.bin", str(file))

    def bring() -> float:
        return _timed(there, lambda to: session.download(session.uri("large.bin"), to))

    def get() -> float:
        return _timed(there, lambda to: bucket.get_object_to_file("large.bin", str(to)))

    def get_in_parts() -> float:
        store = oss2.ResumableDownloadStore(root=str(there.folder))
        return _timed(there, lambda to: oss2.resumable_download(bucket, "large.bin", str(to), store=store))

    yield at_most("download 200 MB / oss2.get_object_to_file", *interleaved(bring, get, runs=3), 1.2)
    yield at_most("download 200 MB / oss2.resumable_download", *interleaved(bring, get_in_parts, runs=3), 1.2)


def _timed(there: Place, action: Callable[[Path], object]) -> float:
    to = there.folder / there.name()
    took = seconds(lambda: action(to))
    if to.is_dir():
        shutil.rmtree(to)
    else:
        assert to.stat().st_size == SIZE
        to.unlink()
    return took


def _small(there: Place) -> Iterator[Row]:
    tree = there.folder / "tree"
    tree.mkdir()
    for number in range(FILES):
        (tree / f"f{number:04}.bin").write_bytes(os.urandom(SMALL))
    session, bucket = need_session(), there.bucket()

    def upload() -> float:
        uri = session.uri(f"{there.name()}/")
        return seconds(lambda: session.upload(tree, uri))

    def put() -> float:
        prefix = there.name()

        def put_all() -> None:
            for path in tree.iterdir():
                bucket.put_object_from_file(f"{prefix}/{path.name}", str(path))

        return seconds(put_all)

    yield at_most("upload 2,000 files of 2 KB / oss2, one by one", *interleaved(upload, put, runs=1), 0.8)
    session.upload(tree, session.uri("tree/"))
    again = seconds(lambda: session.upload(tree, session.uri("tree/")))
    print("again", again)

    def bring() -> float:
        return _timed(there, lambda to: session.download(session.uri("tree/"), to))

    def get() -> float:
        def get_all(to: Path) -> None:
            to.mkdir()
            for entry in load().ObjectIteratorV2(bucket, prefix="tree/"):
                bucket.get_object_to_file(entry.key, str(to / Path(entry.key).name))

        return _timed(there, get_all)

    yield at_most("download 2,000 files of 2 KB / oss2, one by one", *interleaved(bring, get, runs=1), 0.8)
