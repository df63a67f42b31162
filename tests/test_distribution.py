"""What is given to users: a sdist and a wheel that hold the built front end, so that nobody needs node to install them."""

import gzip
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.needs import lacking, need_program

ROOT = Path(__file__).parent.parent
FRONT = ROOT / "labextension"
MOST_BYTES = 60_000  # of the view, gzipped


@pytest.fixture(scope="module")
def built() -> None:
    """The front end, which `make test` builds where there is node."""
    if not (ROOT / "pai_jupyter" / "static" / "widget.js").is_file():
        lacking("node", "the front end is not built")


@pytest.fixture(scope="module")
def dist(built: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory with the sdist, and the wheel that was made from it where there is no node."""
    place = tmp_path_factory.mktemp("dist")
    run("-m", "build", "-q", "--no-isolation", "--sdist", "--outdir", str(place), str(ROOT))
    [sdist] = place.glob("*.tar.gz")
    run(
        *("-m", "pip", "wheel", "-q", "--no-deps", "--no-index", "--no-build-isolation", "-w", str(place), str(sdist)),
        environ=without_node(place),
    )
    return place


def run(*command: str, environ: Mapping[str, str] = os.environ) -> str:
    """Run Python away from the repository, whose own packages must not be found."""
    done = subprocess.run(
        [sys.executable, *command], env=dict(environ), cwd="/", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def without_node(place: Path) -> dict[str, str]:
    """An environment in which no program but Python is found, and no build is skipped by a variable."""
    (place / "bin").mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name != "SKIP_JUPYTER_BUILDER"}
    return {**kept, "PATH": str(place / "bin")}


def test_the_unit_tests_of_the_front_end_pass() -> None:
    if not (FRONT / "node_modules").is_dir():
        lacking("node", "labextension/node_modules is not there")
    npm = need_program("npm")
    done = subprocess.run([npm, "test", "--silent"], cwd=FRONT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.usefixtures("built")
def test_the_view_is_small() -> None:
    assert len(gzip.compress((ROOT / "pai_jupyter" / "static" / "widget.js").read_bytes(), 9)) <= MOST_BYTES


def test_the_sdist_holds_what_is_built_and_nothing_that_was_fetched(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert {"pai_jupyter/static/widget.js", "pai_jupyter/labextension/package.json", "labextension/src/index.ts"} <= {
        *names
    }
    assert not [name for name in names if "node_modules" in name or ".venv" in name]


def test_the_wheel_puts_the_extension_where_jupyter_looks(dist: Path) -> None:
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as archive:
        names = {name.partition(".data/data/")[2] or name for name in archive.namelist()}
    assert "pai_jupyter/static/widget.js" in names
    assert "share/jupyter/labextensions/pai-jupyter/package.json" in names
    assert "share/jupyter/labextensions/pai-jupyter/install.json" in names
    assert "etc/jupyter/jupyter_server_config.d/pai_jupyter.json" in names
    assert not [name for name in names if name.startswith("pai_jupyter/labextension/")]  # not twice


def test_jupyter_lists_both_extensions_of_an_installed_wheel(dist: Path, tmp_path: Path) -> None:
    wheel = next(dist.glob("*.whl"))
    environ = without_node(tmp_path)
    install = (
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--ignore-installed",
    )  # or pip removes the other
    run(*install, "--prefix", str(tmp_path), str(wheel), environ=environ)
    library = next(tmp_path.glob("lib/python*/site-packages"))
    environ |= {
        "PYTHONPATH": str(library),
        "JUPYTER_PATH": str(tmp_path / "share" / "jupyter"),
        "JUPYTER_CONFIG_PATH": str(tmp_path / "etc" / "jupyter"),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "JUPYTER_PREFER_ENV_PATH": "0",
    }
    shown = run("-m", "jupyter", "labextension", "list", environ=environ)
    assert "pai-jupyter" in shown
    assert "enabled" in shown
    shown = run("-m", "jupyter", "server", "extension", "list", environ=environ)
    assert re.search(r"pai_jupyter\.server \S*enabled", shown)
    assert re.search(r"pai_jupyter\.server [\d.]+ \S*OK", shown)
    where = run("-c", "import pai_jupyter; print(pai_jupyter.__file__)", environ=environ)
    assert Path(where.strip()).is_relative_to(tmp_path)


def test_no_file_of_the_front_end_names_a_package_registry() -> None:
    for file in (FRONT / "package-lock.json", FRONT / "package.json", FRONT / ".npmrc"):
        assert "registry.npmjs" not in file.read_text()
        assert '"resolved"' not in file.read_text()
