"""Sending a 1-GB array of the notebook (written, hashed, addressed by content) against `numpy.save` of it."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pai_jupyter.values import send_values
from tests.bench.harness import Row, at_least, interleaved, seconds

SIZE = 1_000_000_000  # bytes


def rows() -> Iterator[Row]:
    array = np.random.default_rng(7).random(SIZE // 8)
    with tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch:
        base = Path(scratch)

        def ours() -> float:
            shutil.rmtree(base / "home", ignore_errors=True)
            return seconds(lambda: send_values(["X"], {"X": array}, base / "home"))

        def peer() -> float:
            (base / "X.npy").unlink(missing_ok=True)
            return seconds(lambda: np.save(base / "X.npy", array))

        mine, theirs = interleaved(ours, peer, runs=5)
        yield at_least("send a 1-GB array / numpy.save", SIZE / 1e6 / mine, SIZE / 1e6 / theirs, 0.5, unit="MB/s")
