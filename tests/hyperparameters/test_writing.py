"""Values on their way back into text: into the literals of the source, and onto a magic's line."""

import json
import math
import shlex
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import as_options, read_schema
from pai_jupyter.magics.lines import expand
from pai_jupyter.spec import Scalar

TEXT = st.text(st.one_of(st.characters(), st.sampled_from("'\"\\\n\r{}中文é#\t\u2028")), max_size=20)
FLOATS = st.floats()
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), FLOATS, TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=6,
).filter(lambda value: isinstance(value, list | dict))
SOURCE = """\
# 头 comment
é中 = 1; lr: float = 1e-4; name: str = '中文' ; after = (2)  # 尾
clip: float = float("nan")
text: str = '''first
second'''; tail = 3
layers: list = [  # widths
    64,
    # 中
    64,
]
many: int = (
    7
)
hp = {"深": 1, "decay": 0.5, "eps":
      1e-8, "betas": (0.9,
              0.999)}
line_of_end = inspect.currentframe().f_lineno
"""


def run(source: str) -> dict[str, Any]:  # Any: the names of a script
    names: dict[str, Any] = {}
    exec(compile("import inspect\n" + source, "train.py", "exec"), names)
    return names


def write(source: str, values: dict[str, Scalar]) -> str:
    return read_schema(source).write_values(source, values)


@settings(max_examples=300)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "lr": FLOATS,
            "name": TEXT,
            "clip": FLOATS,
            "text": TEXT,
            "layers": JSON,
            "many": st.integers(),
            "decay": FLOATS,
            "eps": FLOATS,
        },
    )
)
def test_rewritten_source_has_the_values_and_its_lines(values: dict[str, Scalar]) -> None:
    before, after = run(SOURCE), run(write(SOURCE, values))
    for name in ("lr", "name", "clip", "text", "layers", "many"):
        assert repr(after[name]) == repr(values.get(name, before[name]))
    for name in ("decay", "eps"):
        assert repr(after["hp"][name]) == repr(values.get(name, before["hp"][name]))
    for name in ("é中", "after", "tail", "line_of_end"):
        assert after[name] == before[name]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_number_and_kind_of_line_ends_stay(newline: str) -> None:
    source = SOURCE.replace("\n", newline)
    written = write(source, {"text": "x", "layers": [1], "many": 9, "betas": [0.5, 0.6]})
    assert written.count("\n") == source.count("\n")
    assert written.count("\r") == source.count("\r")
    assert run(written)["many"] == 9


@pytest.mark.parametrize(
    ("source", "values", "written"),
    [
        ("lr: float = 0.1  # rate", {"lr": 0.5}, "lr: float = 0.5  # rate"),
        ("lr: float = 1e-4", {"lr": 0.0001}, "lr: float = 1e-4"),
        ("lr: float = 1", {"lr": 1.0}, "lr: float = 1"),
        ("lr: float = 0.1", {}, "lr: float = 0.1"),
        ("lr: float = 0.1", {"lr": None}, "lr: float = 0.1"),
        ("lr: float = 0.1", {"other": 3}, "lr: float = 0.1"),
        ("x = 1; lr: float = 0.1; y = 2", {"lr": -0.5}, "x = 1; lr: float = -0.5; y = 2"),
        ("a = '中'; lr = 0.1  # hp: [0..1]", {"lr": 0.25}, "a = '中'; lr = 0.25  # hp: [0..1]"),
        ("betas = 0.9, 0.99  # hp:", {"betas": [0.8, 0.9]}, "betas = (0.8, 0.9)  # hp:"),
        ("b: tuple = (1, 2)", {"b": [3]}, "b: tuple = (3,)"),
        ("b: list = [True]", {"b": [1]}, "b: list = [1]"),
        ("lr: float = \\\n  0.1", {"lr": 0.5}, "lr: float = \\\n  0.5"),
        ("lr: float = 0.1\nlr: float = 0.2", {"lr": 0.5}, "lr: float = 0.5\nlr: float = 0.5"),
        ("hp = {'lr': 0.1}\nlr: float = 0.2", {"lr": 0.5}, "hp = {'lr': 0.5}\nlr: float = 0.5"),
        ("def f():\n    lr = 0.1  # hp:\n", {"lr": 0.5}, "def f():\n    lr = 0.5  # hp:\n"),
        (
            "p.add_argument('--lr', type=float, default=0.1)",
            {"lr": 0.5},
            "p.add_argument('--lr', type=float, default=0.1)",
        ),
        ("x: float = None", {"x": math.inf}, 'x: float = float("inf")'),
        ("x = '\x0c\u2028'\nlr: float = 0.1", {"lr": 0.5}, "x = '\x0c\u2028'\nlr: float = 0.5"),
        ("a = 1\rlr: float = 0.1\r", {"lr": 0.5}, "a = 1\rlr: float = 0.5\r"),
    ],
)
def test_only_the_literal_changes(source: str, values: dict[str, Scalar], written: str) -> None:
    assert write(source, values) == written


def test_defaults_leave_the_source_as_it_is() -> None:
    schema = read_schema(SOURCE)
    assert schema.write_values(SOURCE, schema.validate({})) == SOURCE


# as a line

LINE_SCHEMA = read_schema(
    """
lr: float = 0.1
name: str = "a b"
free: str = ""
amp: bool = True
layers: list = [1]
p.add_argument("--batch-size", type=int)
p.add_argument("---odd", type=int)
"""
)


def from_line(line: str) -> dict[str, str]:
    """The values of a line, read as the magic reads it: variables, words, pairs."""
    words = shlex.split(expand(line, {"x": "WRONG", "name": "WRONG", "a": "WRONG"}))
    pairs = [word for word in words if word != "-p"]
    return dict(pair.removeprefix("--param=").split("=", 1) for pair in pairs)


ONE_LINE = st.text(st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("'\" \\${}x?*=#-中"))).filter(
    lambda text: len(f"{text}.".splitlines()) == 1
)


@settings(max_examples=300)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "lr": st.floats(allow_nan=False, allow_infinity=False),
            "name": ONE_LINE,
            "free": ONE_LINE,
            "amp": st.booleans(),
            "layers": st.lists(
                st.one_of(
                    st.integers(),
                    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x85\u2028\u2029")),
                )
            ),
            "batch-size": st.integers(),
            "-odd": st.integers(),
            "extra": st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False)),
            "note": ONE_LINE.filter(lambda text: text[:2].strip("-.0123456789") != ""),
        },
    )
)
def test_line_gives_the_values_back(values: dict[str, Scalar]) -> None:
    expected = LINE_SCHEMA.validate(values)
    line = as_options(values, LINE_SCHEMA)
    assert len(line.splitlines()) <= 1
    assert json.dumps(LINE_SCHEMA.validate(from_line(line))) == json.dumps(expected)


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"lr": 0.003, "free": "a b"}, "-p lr=0.003 -p 'free=a b'"),
        ({"lr": 0.1, "name": "a b", "amp": True, "layers": [1], "free": ""}, ""),
        ({"amp": False}, "-p amp=False"),
        ({"lr": None}, ""),
        ({"batch-size": None, "name": None}, ""),
        ({"layers": [1, "a"]}, "-p 'layers=[1, \"a\"]'"),
        ({"free": "it's"}, "-p 'free=it'\"'\"'s'"),
        ({"free": "{x}"}, "-p 'free={''x}'"),
        ({"free": "why?"}, "-p 'free=why?'"),
        ({"-odd": 3}, "--param=-odd=3"),
        ({"extra": 3}, "-p extra=3"),
        ({}, ""),
    ],
)
def test_values_that_differ_from_the_defaults_as_a_line(values: dict[str, Scalar], line: str) -> None:
    assert as_options(values, LINE_SCHEMA) == line


@pytest.mark.parametrize("text", ["a\nb", "a\n", "a\rb", "a\u2028b", "\x85"])
def test_line_break_cannot_stand_on_a_line(text: str) -> None:
    with pytest.raises(SpecError, match="--params FILE") as caught:
        as_options({"free": text}, LINE_SCHEMA)
    assert caught.value.field == "free"
