"""Nothing outside a backend's own package asks for it by name: who wants to know something asks its info or a capability."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import pai_jupyter

ROOT = Path(pai_jupyter.__file__).parent
_GROUPS = tomllib.loads((ROOT.parent / "pyproject.toml").read_text())["project"]["entry-points"]
POINTS = {**_GROUPS["pai_jupyter.backends"], **_GROUPS["pai_jupyter.read_only_backends"]}


def literals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every text in the code, parts of f-strings too, but no docstring."""
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.lineno, node.value


def names_a_backend(text: str, name: str) -> bool:
    is_setting_of_others = text.startswith("pai.job.")  # of the client for VS Code
    return text == name or (text.startswith(f"{name}.") and not is_setting_of_others)


@pytest.mark.parametrize("name", POINTS)
def test_no_text_outside_a_backends_package_names_it(name: str) -> None:
    own = [ROOT.parent.joinpath(*POINTS[name].partition(":")[0].split(".")), ROOT / "emulator"]
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text!r}"
        for path in sorted(ROOT.rglob("*.py"))
        if not any(path.is_relative_to(folder) for folder in own)
        for line, text in literals(ast.parse(path.read_text()))
        if names_a_backend(text, name)
    ]
    assert found == []


@pytest.mark.parametrize("name", POINTS)
def test_no_module_outside_the_backends_imports_from_one(name: str) -> None:
    module = POINTS[name].partition(":")[0]
    own = [ROOT / "backends", ROOT / "emulator"]
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"
        for path in sorted(ROOT.rglob("*.py"))
        if not any(path.is_relative_to(folder) for folder in own)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom) and module in ast.unparse(node)
    ]
    assert found == []


@pytest.mark.parametrize("text", ["a", "a.b"])
def test_a_name_and_what_belongs_to_it_are_found(text: str) -> None:
    tree = ast.parse(f"'''a'''\nx = f'{{y}}' + {text!r}\nz = f'{text}{{y}}'")
    assert [line for line, found in literals(tree) if names_a_backend(found, "a")] == [2, 3]
