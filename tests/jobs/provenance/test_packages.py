"""The packages of this Python: the same as pip would freeze, read once."""

import json
import os
import site
import subprocess
import sys
from pathlib import Path

import pytest

from pai_jupyter.jobs.provenance import packages
from pai_jupyter.jobs.provenance.packages import are_known, installed_packages


@pytest.fixture
def site_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of packages that is the only one."""
    monkeypatch.setattr(site, "getsitepackages", lambda: [str(tmp_path)])
    monkeypatch.setattr(site, "ENABLE_USER_SITE", None)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(packages, "_known", (None, ()))
    return tmp_path


def install(directory: Path, name: str, version: str, origin: dict[str, object] | None = None) -> Path:
    place = directory / f"{name.replace('-', '_')}-{version}.dist-info"
    place.mkdir()
    (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nName: not-this\n")
    if origin is not None:
        (place / "direct_url.json").write_text(json.dumps(origin))
    return place


def test_they_are_those_that_pip_freezes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    frozen = subprocess.run(
        [sys.executable, "-m", "pip", "freeze", "--all"], capture_output=True, text=True, check=False
    )
    if frozen.returncode:
        pytest.skip("this Python has no pip")
    plain = {line.lower() for line in frozen.stdout.splitlines() if "==" in line and not line.startswith(("#", "-e"))}
    assert plain <= {line.lower() for line in installed_packages()}


def test_a_package_from_elsewhere_says_where_it_is_from_without_a_login(site_directory: Path) -> None:
    install(site_directory, "a-b", "1.0")
    git = {"vcs": "git", "commit_id": "abc123"}
    install(site_directory, "from-git", "2", {"url": "https://hush-hush@h.invalid/x.git", "vcs_info": git})
    install(site_directory, "here", "3", {"url": "file:///src/here", "dir_info": {"editable": True}})
    install(site_directory, "wheel", "4", {"url": "https://u:pw@h.invalid/w.whl?token=1", "archive_info": {}})
    install(site_directory, "odd", "5", {"url": 7})
    assert installed_packages() == (
        "a-b==1.0",
        "from-git @ git+https://h.invalid/x.git@abc123",
        "-e /src/here  # here==3",
        "odd==5",
        "wheel @ https://h.invalid/w.whl",
    )


def test_they_are_read_again_when_something_was_installed(site_directory: Path) -> None:
    install(site_directory, "one", "1")
    assert not are_known()
    assert installed_packages() == ("one==1",)
    assert are_known()
    install(site_directory, "two", "2")
    os.utime(site_directory, ns=(1, 1))
    assert installed_packages() == ("one==1", "two==2")


def test_a_damaged_package_is_left_out(site_directory: Path) -> None:
    (site_directory / "bad-1.dist-info").mkdir()
    (site_directory / "worse-1.dist-info").write_text("")
    (site_directory / "old-1.egg-info").write_text("Name: old\nVersion: 1\n")
    install(site_directory, "good", "1")
    assert installed_packages() == ("good==1", "old==1")
