"""Imports of the package go one way: no module imports itself on a detour, not even late or for its types alone."""

import pytest

grimp = pytest.importorskip("grimp", reason="of import-linter: pip install 'pai_jupyter[dev]'")

OURS = "pai_jupyter"


def circles() -> list[list[str]]:
    """Groups of modules that all import each other, directly or by others. The front door may import everything late."""
    graph = grimp.build_graph(OURS, cache_dir=None)
    modules = sorted(graph.modules - {OURS})
    imported = {module: sorted(graph.find_modules_directly_imported_by(module) - {OURS}) for module in modules}
    reached = {module: _reached(module, imported) for module in modules}
    groups = {tuple(sorted(other for other in reached[each] if each in reached[other])) for each in modules}
    return [list(group) for group in sorted(groups) if group]


def _reached(start: str, imported: dict[str, list[str]]) -> set[str]:
    """The modules that `start` imports, directly or by others: itself only where there is a circle."""
    seen, waiting = set[str](), list(imported[start])
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting += imported[module]
    return seen


def test_no_module_imports_itself_on_a_detour() -> None:
    assert circles() == []
