"""Packing 8,000 files / 200 MB against `tar | gzip -1`; and again, unchanged."""

import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pai_jupyter.package import build
from tests.bench.harness import Row, at_most, interleaved, seconds

FILES, TOTAL = 8_000, 200_000_000


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch:
        base = Path(scratch)
        tree = base / "tree"
        _make_tree(tree)
        cache = base / "cache"

        def first() -> float:
            shutil.rmtree(cache, ignore_errors=True)
            return seconds(lambda: build(tree, to=base / "ours.tar.gz", cache_dir=cache))

        def again() -> float:
            return seconds(lambda: build(tree, to=base / "ours.tar.gz", cache_dir=cache))

        def peer() -> float:
            command = f"tar -C {tree} -cf - . | gzip -1 > {base / 'peer.tar.gz'}"
            return seconds(lambda: subprocess.run(["sh", "-c", command], check=True))

        ours, theirs = interleaved(first, peer, runs=3)
        yield at_most("pack 8,000 files / 200 MB / tar + gzip -1", ours, theirs, 1.3)
        ours, theirs = interleaved(again, peer, runs=3)
        yield at_most("the same tree again, unchanged", ours, theirs, 0.15)


def _make_tree(root: Path) -> None:
    """Files as a project has them: text that compresses to a third or so, in 80 directories, older than a minute."""
    import os
    import time

    rng = random.Random(7)
    words = [bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz_", k=rng.randint(3, 9))) for _ in range(5_000)]
    old = time.time() - 3600
    for number in range(FILES):
        directory = root / f"d{number % 80:02}"
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / f"f{number:05}.py"
        size = TOTAL // FILES
        path.write_bytes(b" ".join(rng.choices(words, k=size // 7))[:size])
        os.utime(path, (old, old))
