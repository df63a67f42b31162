"""The third-party backend of tests/fakes/farm_backend, installed as pip installs one: a directory of packages, and the
entry point that its pyproject.toml declares."""

import os
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import invalidate_caches
from pathlib import Path

import pytest

from pai_jupyter.backends import forget_backends
from tests.support.paths import ROOT

PROJECT = ROOT / "tests" / "fakes" / "farm_backend"


@contextmanager
def installed_farm(folder: Path) -> Iterator[Path]:
    """Within this block this process, and those that it starts, have the backend `farm`; gives its $FARM_HOME."""
    site, home = folder / "site-packages", folder / "farm"
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    facts = site / f"farm_backend-{project['version']}.dist-info"
    for each in (facts, home / "jobs", home / "shared"):
        each.mkdir(parents=True)
    (site / "farm_backend").symlink_to(PROJECT / "farm_backend", target_is_directory=True)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    (facts / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in points.items())
            for group, points in project["entry-points"].items()
        )
    )
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


def replace_module(home: Path, source: str) -> None:
    """Have `source` in place of the package of the installed farm, whose $FARM_HOME this is."""
    site = home.parent / "site-packages"
    (site / "farm_backend").unlink()
    (site / "farm_backend.py").write_text(source)
    sys.modules.pop("farm_backend", None)
    invalidate_caches()  # the time of a folder is too coarse to show two changes at once
    forget_backends()
