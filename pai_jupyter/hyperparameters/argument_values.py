"""What an option of argparse may be: its choices, its default, its help, and what a flag means.

A default is sent to the script only where argparse makes the same value of its text: a text through any `type`, a number
through `int` or `float`. Any other default (an expression, a number without `type`) stays the script's own affair.
"""

import ast
import re
from dataclasses import replace

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.declaration import with_choices, with_default
from pai_jupyter.hyperparameters.expressions import constant, unparsed
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter
from pai_jupyter.hyperparameters.literals import NotLiteralError, read_literal
from pai_jupyter.spec import Scalar

_MAX_CHOICES = 1_000


def flag_of(declared: Hyperparameter, given: dict[str, ast.expr], *, same_dest: bool) -> Hyperparameter:
    """Describe an option without an argument: it is true where it is given, or false."""
    is_inverse = constant(given["action"]) == "store_false" and same_dest
    default: Scalar = is_inverse
    if same_dest and "default" in given:
        value = constant(given["default"])
        default = value if isinstance(value, bool) or value is None else default
    return replace(declared, type="Bool", style="no_flag" if is_inverse else "flag", default=default)


def with_choices_of(declared: Hyperparameter, node: ast.expr | None) -> Hyperparameter:
    """Set the choices where their literals are seen."""
    if node is None:
        return declared
    try:
        if isinstance(node, ast.Call):
            return _with_range(declared, node)
        values = read_literal(ast.List(elts=node.elts)) if isinstance(node, ast.Set) else read_literal(node)
        return with_choices(declared, values if isinstance(values, list | dict) else ())
    except (NotLiteralError, SpecError):
        return declared  # only the running script knows them


def _with_range(declared: Hyperparameter, call: ast.Call) -> Hyperparameter:
    """`choices=range(1, 10)`: a range where the numbers follow one another, choices where they skip some."""
    bounds = [read_literal(word) for word in call.args]
    if not (
        isinstance(call.func, ast.Name) and call.func.id == "range" and declared.type == "Int" and 1 <= len(bounds) <= 3
    ):
        raise NotLiteralError
    numbers = range(*(bound for bound in bounds if isinstance(bound, int)))
    if not numbers:
        return declared
    if numbers.step == 1:
        return replace(declared, minimum=numbers[0], maximum=numbers[-1])
    return with_choices(declared, numbers) if len(numbers) <= _MAX_CHOICES else declared


def with_default_of(declared: Hyperparameter, node: ast.expr | None) -> Hyperparameter:
    """Set the default, if argparse makes the same of its text."""
    if node is None:
        return declared
    text = unparsed(node)
    try:
        default = read_literal(node)
    except NotLiteralError:
        return replace(declared, default_text=text)
    if not _survives(declared, default):
        return replace(declared, default_text=text)
    return with_default(declared, default, text)


def _survives(declared: Hyperparameter, default: Scalar) -> bool:
    """Return whether argparse, given `default` as text, gets the same value as with no text at all."""
    if declared.style == "words":
        return default is None or (isinstance(default, list) and bool(default))
    if declared.style in ("repeat", "count"):  # each use adds to the default
        return default is None or (default == 0 and declared.style == "count")
    match default:
        case None:
            return True
        case str():
            return declared.type != "Bool" or declared.style is None
        case bool():
            return declared.type == "Bool"
        case int() | float():
            return declared.type in ("Int", "Float")
        case _:
            return declared.type == "Json"


def help_of(declared: Hyperparameter, given: dict[str, ast.expr]) -> str:
    """Return the help with what argparse fills in."""
    written = constant(given.get("help"))
    text = written if isinstance(written, str) else ""
    default = declared.default_text or str(declared.default)
    known = {
        "default": default,
        "prog": "train.py",
        "type": declared.type,
        "dest": declared.name,
        "choices": str(list(declared.choices)),
    }
    text = re.sub(r"%\((\w+)\)[sdrfg]", lambda found: known.get(found[1], found[0]), text)
    return " ".join(text.replace("%%", "%").split())
