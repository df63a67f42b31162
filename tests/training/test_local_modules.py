"""The user's own modules that a cell imports: found as Python finds them, in turn, and never run."""

import sys
from pathlib import Path

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.package import build
from pai_jupyter.training.local_modules import LocalModules, find_local_modules

RUNS = "raise SystemExit('imported')\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with notebooks/, src/mine/, and its .git."""
    for name, text in {
        ".git/HEAD": "",
        "notebooks/helpers.py": RUNS + "import more\nfrom plots import draw\n",
        "notebooks/more.py": "import torch, os, helpers\n",
        "notebooks/plots/__init__.py": "from . import inner\nfrom mine.layers import Block\n",
        "notebooks/plots/inner.py": "import deep\n",
        "notebooks/plots/look.json": "{}",
        "notebooks/plots/__pycache__/x.pyc": "",
        "notebooks/deep.py": "",
        "notebooks/unused.py": "",
        "notebooks/data/a.csv": "1",
        "notebooks/spaced/a.py": "",
        "src/mine/__init__.py": "",
        "src/mine/layers.py": "import matplotlib.pyplot\n",
        "venv/pyvenv.cfg": "",
        "venv/lib/python3/site-packages/installed.py": "",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def found(source: str, base: Path, *, known: tuple[str, ...] = (), entry_point: str = "train.py") -> LocalModules:
    return find_local_modules(source, base, known=known, entry_point=entry_point)


def names(local: LocalModules) -> list[str]:
    return sorted(module.name for module in local.modules)


def packed(local: LocalModules, to: Path, **options: list[Path]) -> tuple[list[str], tuple[str, ...]]:
    package = build(None, to=to / "p.tar.gz", modules=[(it.root, it.name) for it in local.modules], **options)  # type: ignore[arg-type]
    return [file.name for file in package.files], package.warnings


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import deep", ["deep.py"]),
        ("import deep as d, os, json", ["deep.py"]),
        ("from deep import *", ["deep.py"]),
        ("def f():\n    import deep", ["deep.py"]),
        ("import importlib\nimportlib.import_module('deep')", ["deep.py"]),
        ("import spaced.a", ["spaced"]),
        ("import data", []),
        ("import torch, numpy, pandas, not_there", []),
        ("from . import deep", []),
        ("import deep; import (", []),
        ("x = 'import deep'", []),
        ("import deep, deep", ["deep.py"]),
    ],
)
def test_modules_beside_the_notebook_are_found(project: Path, source: str, expected: list[str]) -> None:
    assert names(found(source, project / "notebooks")) == expected


def test_what_modules_import_in_turn_is_found(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.syspath_prepend(str(project / "src"))
    local = found("import helpers", project / "notebooks")
    assert names(local) == ["deep.py", "helpers.py", "mine", "more.py", "plots"]
    assert any("matplotlib" in text for text in local.sources)
    files, warnings = packed(local, tmp_path_factory.mktemp("to"))
    assert files == [
        "deep.py",
        "helpers.py",
        "mine/__init__.py",
        "mine/layers.py",
        "more.py",
        "plots/__init__.py",
        "plots/inner.py",
        "plots/look.json",
    ]
    assert warnings == ()
    assert "helpers" not in sys.modules
    assert local.note == (
        "sent along, since the cell imports it: `helpers.py`, `more.py`, `plots/`, `mine/`, `deep.py`"
    )


def test_a_path_that_the_cell_adds_is_looked_into(project: Path) -> None:
    source = "import sys\nsys.path.append('../src')\nsys.path.insert(0, '..')\nfrom mine.layers import Block\nimport src.mine"
    assert names(found(source, project / "notebooks")) == ["mine", "src"]


def test_what_is_sent_anyway_is_left_alone(project: Path) -> None:
    assert names(found("import deep, more", project / "notebooks", known=("deep.py", "x"))) == [
        "helpers.py",
        "more.py",
        "plots",
    ]


def test_installed_packages_are_not_sent(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(project / "venv/lib/python3/site-packages"))
    local = found("import installed, pytest, json, pai_jupyter", project / "notebooks")
    assert (local.modules, local.findings) == ((), ())


def test_an_editable_install_is_named(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "shared_code").mkdir()
    (other / "shared_code" / "__init__.py").write_text(RUNS)
    monkeypatch.syspath_prepend(str(other))
    local = found("x = 1\nfrom shared_code.a import b", project / "notebooks")
    assert local.modules == ()
    assert [(each.line, each.code, each.severity) for each in local.findings] == [(2, "editable-install", "warning")]
    assert f"--include {other / 'shared_code'}" in local.findings[0].message


def test_a_module_named_as_the_cells_file_is_an_error(project: Path) -> None:
    with pytest.raises(SpecError, match=r"--entry-point cell_deep\.py"):
        found("import deep", project / "notebooks", entry_point="deep.py")


def test_ignore_files_decide(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (project / "notebooks/.paiignore").write_text("deep.py\nplots/*.json\n")
    local = found("import plots", project / "notebooks")
    files, warnings = packed(local, tmp_path_factory.mktemp("to"))
    assert files == ["plots/__init__.py", "plots/inner.py"]
    path = project.resolve() / "notebooks" / "deep.py"
    assert warnings == (
        f"the code imports 'deep.py', which .paiignore leaves out. If the job needs it: --include {path}",
    )


def test_include_decides(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    to = tmp_path_factory.mktemp("to")
    (to / "plots").mkdir()
    (to / "plots" / "__init__.py").write_text("")
    local = found("import plots", project / "notebooks")
    files, _ = packed(local, to, include=[to / "plots"])
    assert files == ["deep.py", "plots/__init__.py"]


def test_a_module_by_a_link_is_sent(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (project / "notebooks/linked.py").symlink_to(project / "src/mine/layers.py")
    local = found("import linked", project / "notebooks")
    assert packed(local, tmp_path_factory.mktemp("to")) == (["linked.py"], ())
