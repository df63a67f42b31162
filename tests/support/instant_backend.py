"""The backend of tests/fakes/instant.py, installed as pip installs one, for this process and the drivers that it starts."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pai_jupyter.backends import forget_backends
from tests.support.paths import ROOT


@contextmanager
def installed_instant(folder: Path) -> Iterator[None]:
    """Within this block this process, and the drivers that it starts, have the backend `instant`."""
    facts = folder / "site" / "instant_backend-1.0.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: instant_backend\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[pai_jupyter.backends]\ninstant = tests.fakes.instant:InstantBackend\n")
    site = str(folder / "site")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [site, str(ROOT), os.environ.get("PYTHONPATH")])))
        patch.setenv("INSTANT_DOWN", str(folder / "down"))
        forget_backends()
        try:
            yield
        finally:
            forget_backends()
