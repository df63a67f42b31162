"""Imports of the package go one way: neither a module nor a package imports itself on a detour, late and for types included."""

from collections import defaultdict

import pytest

grimp = pytest.importorskip("grimp", reason="comes with import-linter: pip install 'pai_jupyter[dev]'")

OURS = "pai_jupyter"


def imports() -> dict[str, set[str]]:
    """What each module imports of ours. The front door is left out: it imports late, and nothing goes through it."""
    graph = grimp.build_graph(OURS, cache_dir=None)
    modules = graph.modules - {OURS}
    return {module: graph.find_modules_directly_imported_by(module) & modules for module in modules}


def circles(imported: dict[str, set[str]]) -> list[list[str]]:
    """The groups whose members all import each other, directly or by others."""
    reached = {each: _reached(each, imported) for each in imported}
    groups = {tuple(sorted(other for other in reached[each] if each in reached[other])) for each in imported}
    return [list(group) for group in sorted(groups) if group]


def _reached(start: str, imported: dict[str, set[str]]) -> set[str]:
    """The modules that `start` imports, directly or by others: itself only where there is a circle."""
    seen, waiting = set[str](), [*imported[start]]
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting += imported[module]
    return seen


def of_siblings(imported: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same among the members of each package: where `a.b.c` imports `a.d.e`, there `a.b` imports `a.d`."""
    found: dict[str, set[str]] = defaultdict(set)
    for module, others in imported.items():
        for other in others:
            one, two = module.split("."), other.split(".")
            depth = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), None)
            if depth is not None:  # a package and what is in it are no siblings
                found[".".join(one[: depth + 1])].add(".".join(two[: depth + 1]))
                found[".".join(two[: depth + 1])] |= set()
    return dict(found)


def test_no_module_imports_itself_on_a_detour() -> None:
    assert circles(imports()) == []


def test_no_package_imports_one_beside_it_that_imports_it() -> None:
    assert circles(of_siblings(imports())) == []
