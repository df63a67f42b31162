"""The third-party backend of tests/fakes/farm_backend, installed as pip installs one: a directory of packages and an entry point."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import invalidate_caches
from pathlib import Path

import pytest

from pai_jupyter.backends import forget_backends
from tests.support.paths import ROOT

SOURCE = ROOT / "tests" / "fakes" / "farm_backend"


@contextmanager
def installed_farm(folder: Path) -> Iterator[Path]:
    """Within this block this process, and those that it starts, have the backend `farm`; gives its $FARM_HOME."""
    site, home = folder / "site-packages", folder / "farm"
    facts = site / "farm_backend-1.0.dist-info"
    for each in (facts, home / "jobs", home / "shared"):
        each.mkdir(parents=True)
    (site / "farm_backend").symlink_to(SOURCE, target_is_directory=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: farm-backend\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[pai_jupyter.backends]\nfarm = farm_backend:FarmBackend\n")
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        patch.setenv("PYTHONPATH", path)
        patch.setenv("FARM_HOME", str(home))
        invalidate_caches()
        forget_backends()
        try:
            yield home
        finally:
            sys.modules.pop("farm_backend", None)
            forget_backends()
