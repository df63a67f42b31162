"""What is given to users: a sdist and a wheel that hold the built front end, so that nobody needs node to install them."""

import gzip
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from pai_jupyter.view.widget import in_language
from tests.support.needs import lacking, need_program
from tests.support.paths import ROOT

FRONT = ROOT / "labextension"
# Bytes of a view, gzipped; whose script speaks Chinese, too, carries these words besides.
MOST_BYTES = {"widget.js": 60_000, "runwidget.js": 60_000, "widget.zh.js": 70_000, "runwidget.zh.js": 60_000}
# What is built, below pai_jupyter/: what stays inside of the package, and what goes where JupyterLab looks.
INSIDE = (*(f"static/{name}" for name in (*MOST_BYTES, "widget.css")), "locale/zh_CN/LC_MESSAGES/pai_jupyter.json")
SCHEMAS = tuple(f"schemas/pai-jupyter/{file.name}" for file in (FRONT / "schema").glob("*.json"))
BESIDE = tuple(f"labextension/{name}" for name in ("package.json", "install.json", "static/style.js", *SCHEMAS))


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


def run(*command: str, program: str = sys.executable, environ: Mapping[str, str] = os.environ) -> str:
    """Run Python away from the repository, whose own packages must not be found."""
    done = subprocess.run([program, *command], env=dict(environ), cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def without_node(place: Path) -> dict[str, str]:
    """An environment in which no program but Python is found, and no build is skipped by a variable."""
    (place / "bin").mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name != "SKIP_JUPYTER_BUILDER"}
    return {**kept, "PATH": str(place / "bin")}


@dataclass(frozen=True, kw_only=True)
class Place:
    """A virtual environment where pai_jupyter is not installed, on a machine without node; it has this one's packages."""

    folder: Path
    wheel: Path
    environ: Mapping[str, str]

    def python(self, *command: str) -> str:
        return run(*command, program=str(self.folder / "bin" / "python"), environ=self.environ)

    def pip(self, *command: str) -> str:
        return run("-m", "pip", "--python", str(self.folder), *command, environ=self.environ)

    def install(self) -> None:
        """With --ignore-installed: pip must not take away what else it sees."""
        self.pip("install", "-q", "--no-deps", "--no-index", "--ignore-installed", str(self.wheel))

    def files(self) -> set[str]:
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}


@pytest.fixture
def place(dist: Path, tmp_path: Path) -> Place:
    folder = tmp_path / "venv"
    run("-m", "venv", "--without-pip", str(folder))
    packages = next(folder.glob("lib/python*/site-packages"))
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    for name in ("etc/jupyter", "share/jupyter/labextensions"):  # as JupyterLab brings them
        (folder / name).mkdir(parents=True)
    kept = {name: value for name, value in without_node(tmp_path).items() if not name.startswith(("JUPYTER", "PYTHON"))}
    return Place(folder=folder, wheel=next(dist.glob("*.whl")), environ={**kept, "HOME": str(tmp_path)})


def test_the_unit_tests_of_the_front_end_pass() -> None:
    if not (FRONT / "node_modules").is_dir():
        lacking("node", "labextension/node_modules is not there")
    npm = need_program("npm")
    done = subprocess.run([npm, "test", "--silent"], cwd=FRONT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("name", MOST_BYTES)
def test_each_view_is_small(name: str) -> None:
    script = (ROOT / "pai_jupyter" / "static" / name).read_bytes()
    assert len(gzip.compress(script, 9)) <= MOST_BYTES[name]
    assert ("副本" in script.decode()) == name.endswith(".zh.js")


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("script", ["widget.js", "runwidget.js"])
def test_who_reads_chinese_gets_the_script_that_speaks_it(script: str) -> None:
    found = in_language(ROOT / "pai_jupyter" / "static" / script, "zh")
    assert "副本" in found.read_text(encoding="utf-8")
    assert in_language(ROOT / script, "en") == ROOT / script


def test_the_sdist_holds_what_is_built_and_nothing_that_was_fetched(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"pai_jupyter/{name}" for name in (*INSIDE, *BESIDE)} <= names
    assert {"labextension/src/index.ts", "labextension/build-locale.mjs", "labextension/style/panel.css"} <= names
    assert not [name for name in names if "node_modules" in name or ".venv" in name]


def test_the_wheel_puts_the_extension_where_jupyter_looks(dist: Path) -> None:
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as archive:
        names = {name.partition(".data/data/")[2] or name for name in archive.namelist()}
    assert {f"pai_jupyter/{name}" for name in INSIDE} <= names
    assert {f"share/jupyter/{name.replace('labextension/', 'labextensions/pai-jupyter/')}" for name in BESIDE} <= names
    assert "etc/jupyter/jupyter_server_config.d/pai_jupyter.json" in names
    assert not [name for name in names if name.startswith("pai_jupyter/labextension/")]  # not twice


def test_the_wheel_has_no_generator(dist: Path) -> None:
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as archive:
        names = archive.namelist()
    assert "pai_jupyter/wire/schema/asked.py" in names
    assert not [name for name in names if "/generate" in name]


def test_jupyter_lists_both_extensions_of_an_installed_wheel(place: Place) -> None:
    place.install()
    shown = place.python("-m", "jupyterlab.labextensions", "list")
    assert re.search(r"pai-jupyter v[\d.]+ \S*enabled\S* \S*OK\S* \(python, pai_jupyter\)", shown), shown
    shown = place.python("-m", "jupyter_server.extension.serverextension", "list")
    assert re.search(r"pai_jupyter\.server \S*enabled", shown), shown
    assert re.search(r"pai_jupyter\.server [\d.]+ \S*OK", shown), shown
    where = place.python("-c", "import pai_jupyter; print(pai_jupyter.__file__)")
    assert Path(where.strip()).is_relative_to(place.folder)


def test_jupyterlab_finds_the_language_pack_of_an_installed_wheel(place: Place) -> None:
    place.install()
    program = "from jupyterlab_server.translation_utils import get_installed_packages_locale as packs\n"
    shown = place.python("-c", f"{program}print(packs('zh_CN')[0]['pai_jupyter']['']['domain'])")
    assert shown.strip() == "pai_jupyter"


def test_uninstalling_leaves_nothing(place: Place) -> None:
    before = place.files()
    place.install()
    place.python("-c", "import pai_jupyter.server")  # what Python writes beside a module goes with it
    assert place.files() > before
    place.pip("uninstall", "--yes", "pai_jupyter")
    assert place.files() == before


def test_no_file_of_the_front_end_names_a_package_registry() -> None:
    for file in (FRONT / "package-lock.json", FRONT / "package.json", FRONT / ".npmrc"):
        assert "registry.npmjs" not in file.read_text()
        assert '"resolved"' not in file.read_text()
