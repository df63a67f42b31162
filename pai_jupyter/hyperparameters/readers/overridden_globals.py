"""nanoGPT's configurator: every global of the script that is a number, a text or a truth value is an option.

    config_keys = [k for k, v in globals().items() if not k.startswith("_") and isinstance(v, (int, float, bool, str))]
    exec(open("configurator.py").read())

It reads `--learning_rate=0.1` as a literal of Python, and refuses one of another type. No default is sent: a file of values,
`config/train_gpt2.py`, may have set another.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from pai_jupyter.hyperparameters.expressions import constant, is_literal, unparsed
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter
from pai_jupyter.hyperparameters.literals import NotLiteralError, read_arithmetic
from pai_jupyter.hyperparameters.readers.reader import Found, ScriptText, declared_by_parser
from pai_jupyter.hyperparameters.values import type_of
from pai_jupyter.spec import is_hyperparameter_name

_CONFIGURATOR = re.compile(r"""\bexec\s*\(\s*open\s*\(\s*["']([\w./-]*configurat\w*\.py)["']""")


def read_overridden_globals(script: ScriptText) -> Found | None:
    """Read the globals above the line that runs the configurator."""
    found = _CONFIGURATOR.search(script.source)
    if found is None:
        return None
    line = script.source.count("\n", 0, found.start()) + 1
    declared: dict[str, Hyperparameter] = {it.name: it for it in _globals(script.module, line)}
    return Found(declarations=tuple(map(declared_by_parser, declared.values())))


def _globals(module: ast.Module, line: int) -> Iterator[Hyperparameter]:
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if statement.lineno < line:
                yield from _global(name, value)


def _global(name: str, node: ast.expr) -> Iterator[Hyperparameter]:
    """Describe a global; one that is made while the script runs has a type that only the script knows."""
    if not is_hyperparameter_name(name):
        return
    try:
        value = read_arithmetic(node)
    except NotLiteralError:
        yield from _made(name, node)
        return
    if isinstance(value, bool | int | float | str):
        yield Hyperparameter(
            name=name, type=type_of(value), default=value, line=node.lineno, style="literal", only_if_given=True
        )


def _made(name: str, node: ast.expr) -> Iterator[Hyperparameter]:
    """Describe a global that is made while the script runs: of one of two literals, of text, or of anything."""
    declared = Hyperparameter(
        name=name, type="String", default_text=unparsed(node), line=node.lineno, style="glued", only_if_given=True
    )
    match node:
        case ast.IfExp(body=body, orelse=other):
            types = {type_of(constant(each)) if is_literal(each) else "?" for each in (body, other)}
            kind = type_of(constant(body))
            yield replace(declared, type=kind, style="literal") if types == {kind} else declared
        case ast.JoinedStr():
            yield replace(declared, style="literal")
        case ast.BinOp() | ast.BoolOp():
            yield declared
