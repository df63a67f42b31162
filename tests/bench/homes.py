"""A job store of the benchmark's own."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def bench_home() -> Iterator[None]:
    """Jobs go to a directory that is gone afterwards, on the disk that a user's would be on."""
    before = os.environ.get("PAI_JUPYTER_HOME")
    with tempfile.TemporaryDirectory(prefix="pai-bench-home-", ignore_cleanup_errors=True) as home:
        os.environ["PAI_JUPYTER_HOME"] = home
        try:
            yield
        finally:
            os.environ.pop("PAI_JUPYTER_HOME", None)
            if before is not None:
                os.environ["PAI_JUPYTER_HOME"] = before
