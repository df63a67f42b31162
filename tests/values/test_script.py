"""Lines that load and save values, without a line of the cell moving."""

import ast

import pytest

from pai_jupyter.cell import lint, read_cell
from pai_jupyter.values import module_files, with_values

CELLS = {
    "plain": "%%pai_train --send X\nprint(X)\n",
    "blank lines above": "\n\n%%pai_train --send X\nprint(X)\n",
    "a docstring": '%%pai_train --send X\n"""What it does."""\nprint(X)\n',
    "a future import": "%%pai_train --send X\nfrom __future__ import annotations\nprint(X)\n",
    "a long future import": "%%pai_train\n'doc'\nfrom __future__ import (\n    annotations,\n)  # 训练\nprint(X)\n",
    "a future import with a comment": "%%pai_train\nfrom __future__ import annotations  # 训练 first\nprint(X)\n",
    "a future import and more": "%%pai_train\nfrom __future__ import annotations; y = 2\nprint(X)\n",
    "an encoding": "%%pai_train -p encoding=gbk --send X\nprint(X)  # 训练\n",
    "a magic": "%%pai_train --send X\n%pip install x\n!ls\nprint(X)\n",
    "a comment at the end": "%%pai_train --send X\nif True:\n    print(X)  # done",
    "no code": "%%pai_train --send X\n",
}


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
def test_line_n_stays_line_n(cell: str) -> None:
    before = read_cell(cell).source
    after = with_values(before, ["X"], ["y", "z"])
    compile(after, "train.py", "exec")
    lines, own = after.split("\n"), before.split("\n")
    for number, line in enumerate(own):
        if "print" in line:
            assert lines[number] == line
    assert len(lines) <= len(before.rstrip().split("\n")) + 2
    calls = [ast.unparse(node) for node in ast.walk(ast.parse(after)) if isinstance(node, ast.Call)]
    assert calls.count("pai_values.load('X')") == 1
    assert calls.count("pai_values.save('y', 'z')") == 1


def test_several_names_are_loaded_at_once_and_are_no_undefined_names() -> None:
    source = read_cell("%%pai_train\nprint(X, y, gone)\n").source
    after = with_values(source, ["X", "y"], [])
    assert after.split("\n")[0] == 'import pai_values; X, y = pai_values.load("X", "y")'
    assert [finding.message.split("`")[1] for finding in lint(after)] == ["gone"]


def test_a_script_that_python_cannot_parse_stays_as_it_is() -> None:
    assert with_values("# x\nprint(\n", ["X"], ["y"]) == "# x\nprint(\n"
    assert with_values("print(1)\n", [], []) == "print(1)\n"


def test_the_module_needs_nothing_of_ours() -> None:
    for name, content in module_files().items():
        assert name.startswith("pai_values/")
        assert b"pai_jupyter." not in content.replace(b"pai_jupyter: ", b"")
        ast.parse(content, feature_version=(3, 8))
    assert "pai_values/__init__.py" in module_files()
