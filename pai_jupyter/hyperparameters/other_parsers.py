"""Read the options of click, optparse and getopt that are not `--name VALUE`: flags, counts, repeated options.

An option with one value needs no declaration: undeclared values of such a script are passed as `--name VALUE`.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from pai_jupyter.hyperparameters.declaration import Declaration, Strength
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, HyperparameterType, Note
from pai_jupyter.hyperparameters.literals import NotLiteralError, read_literal
from pai_jupyter.hyperparameters.syntax import nodes_on_lines
from pai_jupyter.spec import Scalar, is_hyperparameter_name

MOST_TIMES = 100  # times that a counted option is given
_PARSERS = re.compile(r"\b(?:click|optparse|getopt)\b")
_CALLS = re.compile(r"\b(?:option|add_option|getopt|gnu_getopt)\s*\(")
_TYPES: dict[str, HyperparameterType] = {"int": "Int", "float": "Float"}
_FLAGS = ("store_true", "store_false", "store_const")
_OF_THE_PARSER = ("help", "version")


def read_other_parsers(module: ast.Module, source: str) -> Iterator[Declaration | Note]:
    """Read the calls that declare such options."""
    if not _PARSERS.search(source):
        return
    for node in nodes_on_lines(module, source, _CALLS):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Attribute(attr="option" | "add_option" as name) | ast.Name(id="option" as name):
                yield from _option(node, is_click=name == "option")
            case ast.Attribute(attr="getopt" | "gnu_getopt") | ast.Name(id="getopt" | "gnu_getopt"):
                yield from _long_options(node)


def _option(call: ast.Call, *, is_click: bool) -> Iterator[Declaration | Note]:
    """Read `@click.option("--amp", is_flag=True)` or `parser.add_option("--amp", action="store_true")`."""
    words = [word for word in map(_literal, call.args) if isinstance(word, str)]
    written = next((word for word in words if word.startswith("--")), "")
    on, _, off = (part.strip() for part in written.partition("/" if is_click else "\0"))
    name = on[2:]
    if not is_hyperparameter_name(name) or name in _OF_THE_PARSER:
        return
    given = {keyword.arg: _literal(keyword.value) for keyword in call.keywords if keyword.arg}
    declared = Hyperparameter(name=name, type="Bool", line=call.lineno, help=_help(given))
    if (typed := _several(declared, given, call) or _flag(declared, given, off=off)) is not None:
        yield Declaration(hyperparameter=typed, strength=Strength.ARGPARSE, line=call.lineno)
    elif off or given.get("is_flag") is True:
        flag = off or on
        text = f"the flag `{flag}` cannot be given by -p; write --command 'python train.py $PAI_USER_ARGS {flag}'"
        yield Note(line=call.lineno, text=text)


def _several(declared: Hyperparameter, given: Mapping[str, Scalar], call: ast.Call) -> Hyperparameter | None:
    """Describe an option that is counted or given once per value; None for any other option."""
    if given.get("count") is True or given.get("action") == "count":
        default = 0 if given.get("default") == 0 else None  # each use adds to it
        return replace(declared, type="Int", style="count", minimum=0, maximum=MOST_TIMES, default=default)
    if given.get("multiple") is True or given.get("action") == "append":
        return replace(declared, type="Json", style="repeat", item_type=_item_type(call), may_be_empty=True)
    return None


def _flag(declared: Hyperparameter, given: Mapping[str, Scalar], *, off: str) -> Hyperparameter | None:
    """Describe an option without a value; None if it takes one or its meaning is unclear."""
    action, default = given.get("action"), given.get("default")
    if off:
        known = default if isinstance(default, bool) else None
        return replace(declared, style="switch", default=known) if off == f"--no-{declared.name}" else None
    if action == "store_false" and given.get("dest") in (None, declared.name.replace("-", "_")):
        return replace(declared, style="no_flag", default=True)
    if action in _FLAGS or (given.get("is_flag") is True and not default):
        return replace(declared, style="flag", default=False)
    return None


def _long_options(call: ast.Call) -> Iterator[Declaration]:
    """Read `getopt(sys.argv[1:], "v", ["lr=", "amp"])`: a name without `=` is a flag."""
    words = (
        call.args[2] if len(call.args) > 2 else next((it.value for it in call.keywords if it.arg == "longopts"), None)
    )
    names = _literal(words) if words is not None else None
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str) and is_hyperparameter_name(name) and name not in _OF_THE_PARSER:
            flag = Hyperparameter(name=name, type="Bool", style="flag", default=False, line=call.lineno)
            yield Declaration(hyperparameter=flag, strength=Strength.ARGPARSE, line=call.lineno)


def _item_type(call: ast.Call) -> HyperparameterType:
    written = next((it.value for it in call.keywords if it.arg == "type"), None)
    name = written.id if isinstance(written, ast.Name) else str(_literal(written)) if written is not None else ""
    return _TYPES.get(name, "String")


def _help(given: Mapping[str, Scalar]) -> str:
    text = given.get("help")
    return " ".join(text.split()) if isinstance(text, str) else ""


def _literal(node: ast.expr) -> Scalar:
    try:
        return read_literal(node)
    except NotLiteralError:
        return None
