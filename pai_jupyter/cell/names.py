"""Find undefined names in a script, above all the notebook's own variables.

Rule 1: an error must be certain. With `import *` there is no finding but for names that are explained; with exec() or globals() a warning.
Rule 2: one finding per name, at its first use.
Rule 3: the remedy fits the name: an import for a module, the nearest name for a typo, `print` for `display`.
"""

import ast
import builtins
import difflib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pai_jupyter.cell.finding import Finding
from pai_jupyter.cell.flow import early_reads
from pai_jupyter.cell.scopes import Certainty, Scope, Scopes, read_scopes

# This may run inside IPython, which adds its own names to `builtins`.
NOTEBOOK_NAMES = frozenset(
    {"display", "get_ipython", "In", "Out", "_", "__", "___", "_ih", "_oh", "_dh", "__IPYTHON__"}
)
_MODULE = frozenset(
    ["__name__", "__file__", "__doc__", "__spec__", "__loader__", "__package__", "__builtins__", "__annotations__"]
)
PREDEFINED = (frozenset(dir(builtins)) | _MODULE | {"__cached__", "WindowsError"}) - NOTEBOOK_NAMES
_NOTEBOOK_ONLY = {
    "display": "`display` exists only in a notebook. Use print(...) in a job, or save the figure into PAI_OUTPUT_MODEL.",
    "get_ipython": "`get_ipython` exists only in a notebook. Delete the call, or write in Python what it does.",
}
_IMPORTS = {
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "sns": "import seaborn as sns",
    "tf": "import tensorflow as tf",
    "keras": "from tensorflow import keras",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "xgb": "import xgboost as xgb",
    "lgb": "import lightgbm as lgb",
    "tqdm": "from tqdm import tqdm",
    "Path": "from pathlib import Path",
    "defaultdict": "from collections import defaultdict",
    "partial": "from functools import partial",
    "DataLoader": "from torch.utils.data import DataLoader",
    "SummaryWriter": "from torch.utils.tensorboard import SummaryWriter",
} | {
    name: f"import {name}"
    for name in (
        "numpy",
        "pandas",
        "torch",
        "torchvision",
        "sklearn",
        "xgboost",
        "lightgbm",
        "tensorflow",
        "transformers",
    )
}


@dataclass(frozen=True, kw_only=True)
class Names:
    """The resolved names of a module: undefined ones, and uses of Python's builtins."""

    undefined: tuple[tuple[ast.Name, Certainty], ...]  # with those that are read before they are bound
    early: frozenset[str]  # the names of those
    possible: tuple[ast.Name, ...]  # bound only on some ways to where they are read
    builtins: tuple[ast.Name, ...]
    bound: frozenset[str]  # anywhere in the module
    has_star: bool

    def uses_builtin(self, *names: str) -> bool:
        return any(node.id in names for node in self.builtins)


def read_names(tree: ast.Module) -> Names:
    """Resolve every name that the module uses."""
    scopes = read_scopes(tree)
    undefined: list[tuple[ast.Name, Certainty]] = []
    builtin: list[ast.Name] = []
    module, declared = scopes.all[0], frozenset().union(*(scope.global_names for scope in scopes.all))
    early = early_reads(tree, module.bound, declared)
    for node, care in (*_unbound(scopes), *early.certain):
        if node.id in PREDEFINED:
            builtin.append(node)
        else:
            undefined.append((node, care))
    return Names(
        undefined=tuple(undefined),
        early=frozenset(node.id for node, _ in early.certain),
        possible=tuple(node for node in early.possible if node.id not in PREDEFINED),
        builtins=tuple(builtin),
        bound=frozenset().union(*(scope.bound for scope in scopes.all)),
        has_star=scopes.has_star,
    )


def undefined_names(names: Names, explanations: Mapping[str, str] = MappingProxyType({})) -> Iterator[Finding]:
    """Yield one finding for each undefined name; `explanations` are sentences for names that are known to be undefined.

    A name that some way through the code binds is told only if it is explained: the notebook has it.
    """
    is_open = names.uses_builtin("exec", "globals", "locals", "vars")
    expected = {node.id for node, care in names.undefined if care is Certainty.GUARDED}
    for node, care in _first_uses(names):
        if names.has_star and node.id not in explanations:
            continue
        is_certain = care is Certainty.SURE and not is_open and node.id not in expected
        yield Finding(
            line=node.lineno,
            column=node.col_offset,
            code="undefined-name",
            severity="error" if is_certain else "warning",
            message=explanations.get(node.id) or _message(node.id, names),
        )
    told = {node.id for node, _ in names.undefined}
    for name, node in {node.id: node for node in reversed(names.possible)}.items():
        if name in explanations and name not in told:
            yield Finding(
                line=node.lineno,
                column=node.col_offset,
                code="undefined-name",
                severity="warning",
                message=explanations[name],
            )


def _first_uses(names: Names) -> Iterator[tuple[ast.Name, Certainty]]:
    """Yield the most certain, then earliest use of each undefined name; guarded uses do not count."""
    uses = (use for use in names.undefined if use[1] is not Certainty.GUARDED)
    first: dict[str, tuple[ast.Name, Certainty]] = {}
    for node, care in sorted(uses, key=lambda use: (use[1], use[0].lineno, use[0].col_offset)):
        first.setdefault(node.id, (node, care))
    yield from first.values()


def _unbound(scopes: Scopes) -> Iterator[tuple[ast.Name, Certainty]]:
    """Yield the uses of names that no visible scope binds."""
    for scope in scopes.all:
        visible = list(_visible(scope))
        for node, care in scope.uses:
            if not any(node.id in bound for bound in visible):
                yield node, care


def _visible(scope: Scope) -> Iterator[set[str]]:
    """Yield the names of each scope visible from this one; outer class scopes are not visible."""
    yield scope.bound
    parent = scope.parent
    while parent is not None:
        if parent.kind != "class":
            yield parent.bound
        parent = parent.parent


def _message(name: str, names: Names) -> str:
    if name in _NOTEBOOK_ONLY:
        return _NOTEBOOK_ONLY[name]
    if name in names.early:
        return (
            f"`{name}` is used before it is assigned; the job does not see the notebook's variables. "
            "Assign it first, or read it from an input."
        )
    lost = f"`{name}` is not defined in this cell; the job does not see the notebook's variables."
    statement = _IMPORTS.get(name) or (f"import {name}" if name in sys.stdlib_module_names else None)
    if statement:
        return f"{lost} Add: {statement}"
    similar = difflib.get_close_matches(name, names.bound, n=1, cutoff=0.8) if len(name) > 2 else []
    if similar:
        return f"{lost} Is `{similar[0]}` meant?"
    return f"{lost} Define it in the cell, read it from an input, or send its module along with --include."
