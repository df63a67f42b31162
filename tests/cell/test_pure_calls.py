"""Statements of other cells with well-known calls that only make a value come along, if the kernel holds what they say."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from pai_jupyter.cell import Completion, complete_cell
from tests.support.notebooks import above, ran

IMPORTS = """
import collections, enum, functools, logging, os, os.path as osp, re, typing
from collections import namedtuple
from enum import Enum
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar
"""
F = "def f(a, b=0):\n    return (a, b)"


def values(completion: Completion) -> list[str]:
    return [each.name for each in completion.values]


@pytest.mark.parametrize(
    ("code", "use", "says"),
    [
        ('x = namedtuple("Pt", "x y")', "x(1, 2)", (1, 2)),
        ('x = collections.namedtuple("Pt", ["x", "y"])', "x(1, 2)", (1, 2)),
        ('x = NamedTuple("Pt", [("x", int)])', "x(1)", (1,)),
        ('x = Enum("A", "x y")', "x.y.value", 2),
        ('x = TypeVar("T")', "x.__name__", "T"),
        ("x = partial(f, 1)", "x(2)", (1, 2)),
        ("x = functools.partial(f, 1, b=N)", "x()", (1, 3)),
        ('x = f"run_{N}"', "x", "run_3"),
        ('x = f"run_{N:03d}_{DATA!r}"', "x", "run_003_'data'"),
        ('x = os.path.join(DATA, "x")', "x", "data/x"),
        ('x = osp.join(osp.dirname(DATA + "/y"), f"{N}")', "x", "data/3"),
        ('x = Path(DATA) / "x"', "x", Path("data/x")),
        ('ROOT = Path(DATA)\nx = ROOT / f"{N}" / "x"', "x", Path("data/3/x")),
        ('ROOT = Path(DATA)\nx = f"{ROOT}/x"', "x", "data/x"),
        ('x = re.compile("a+")', "x.pattern", "a+"),
        ("x = logging.getLogger(__name__)", "x.name", "__main__"),
    ],
)
def test_what_only_makes_a_value_comes_along(code: str, use: str, says: object) -> None:
    notebook = ran(IMPORTS, 'N, DATA = 3, "data"', F, code)
    assert values(notebook.complete(f"out = {use}")) == []
    assert notebook.job(f"out = {use}")["out"] == says
    assert values(complete_cell(use, above(IMPORTS, 'N, DATA = 3, "data"', F, code))) == []


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ('x = f"run_{N}"', "N = 4"),
        ('x = os.path.join(DATA, "x")', 'DATA = "other"'),
        ("x = Path(DATA)", 'DATA = "other"'),
        ("x = partial(f, N)", "N = 4"),
        ("x = partial(f, 1)", "def f(a, b=0):\n    return b"),
        ("x = partial(f, 1)", "x.keywords['b'] = 3"),
        ("x = re.compile(DATA)", 'DATA = "other"'),
        ("x = namedtuple(DATA, 'a b')", "N = 4"),  # nobody compares it with the name of now
        ("x = os.getcwd()", ""),
        ("x = sorted([1])", ""),
        ("x = Path.cwd()", ""),
        ("x = Path(DATA).exists()", ""),
        ("def partial(f, n):\n    return f\nx = partial(f, 1)", ""),
        ('x = f"{N:99999}"', ""),  # a width that could fill the memory
    ],
)
def test_what_is_not_certainly_the_same_stays_a_value(code: str, change: str) -> None:
    assert values(ran(IMPORTS, 'N, DATA = 3, "data"', F, code, change).complete("print(x)")) == ["x"]


@pytest.mark.parametrize(
    "code",
    [
        'device = "cuda" if torch.cuda.is_available() else "cpu"',
        'device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")',
        'if torch.cuda.is_available():\n    device = "cuda"\nelse:\n    device = "cpu"',
    ],
)
def test_the_device_is_decided_anew_in_the_job(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    torch, cuda = ModuleType("torch"), ModuleType("torch.cuda")  # a stand-in
    vars(torch).update(cuda=cuda, device=str)
    vars(cuda)["is_available"] = lambda: True
    monkeypatch.setitem(sys.modules, "torch", torch)
    notebook = ran("import torch", code)
    vars(cuda)["is_available"] = lambda: False
    completion = notebook.complete("print(device)")
    assert values(completion) == []
    assert completion.notes == ()
    assert notebook.job("print(device)")["device"] == "cpu"
