"""One class, one name over the whole package: a name stands for one thing, wherever one reads it.

`SHARED` are the names that still stand for several classes, and for how many. It only shrinks: a class that takes a name
which is in use fails here, and so does a name in the list that stands for one class by now: take it off.
"""

import ast
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.paths import ROOT

PACKAGE = ROOT / "pai_jupyter"
SHARED: Mapping[str, int] = {}


def shared_names(root: Path) -> dict[str, list[str]]:
    """The names of classes below `root` that several have, and where each is."""
    places = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(root)}:{node.lineno}")
    return {name: found for name, found in places.items() if len(found) > 1}


def told(places: Mapping[str, Sequence[str]]) -> str:
    return "\n".join(f"{name}: {', '.join(found)}" for name, found in sorted(places.items()))


def test_no_class_takes_a_name_that_another_has() -> None:
    more = {name: found for name, found in shared_names(PACKAGE).items() if len(found) > SHARED.get(name, 1)}
    assert not more, f"give the new class a name of its own:\n{told(more)}"


def test_a_name_that_stands_for_fewer_classes_is_taken_off_the_list() -> None:
    shared = shared_names(PACKAGE)
    fewer = {name: count for name, count in SHARED.items() if len(shared.get(name, [""])) < count}
    assert not fewer, f"these stand for fewer classes by now; write so in SHARED: {sorted(fewer)}"


def test_a_name_within_another_class_counts_too(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("class Line: ...\nclass Own:\n    class Inner: ...\n")
    (tmp_path / "two.py").write_text("def make():\n    class Line: ...\nclass Inner: ...\n")
    assert shared_names(tmp_path) == {"Line": ["one.py:1", "two.py:2"], "Inner": ["one.py:3", "two.py:3"]}
