"""typer: the parameters of the function that `typer.run(main)` or `@app.command()` names.

lr: float = 0.1                                    --lr 0.1
amp: bool = False                                  --amp, --no-amp
batch_size: int = typer.Option(64, "--bs")         --bs 64
data: Annotated[Path, typer.Argument()]            a value without a name, as is each parameter without a default
layers: list[int] = [64]                           --layers 64 --layers 32
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from pai_jupyter.hyperparameters.expressions import calls, constant, dotted, keywords, last_part, text
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter
from pai_jupyter.hyperparameters.local_modules import Function
from pai_jupyter.hyperparameters.readers.commands import commands_of
from pai_jupyter.hyperparameters.readers.parameters import Parameter, hyperparameter_of, parameters_of
from pai_jupyter.hyperparameters.readers.reader import Found, ScriptText, declared_by_parser
from pai_jupyter.hyperparameters.subparsers import subcommand
from pai_jupyter.spec import is_hyperparameter_name

_TYPER = re.compile(r"\btyper\b")
_LENIENT = re.compile(r"ignore_unknown_options|allow_extra_args|add_typer|\bcls\s*=|@\w+\.callback")


def read_typer(script: ScriptText) -> Found | None:
    """Read the functions that typer makes commands of."""
    if not _TYPER.search(script.source):
        return None
    commands = commands_of(script, "typer")
    names = commands.names
    if len(names) > 1:
        declared = [subcommand("command", names)]
        for name, function in commands.functions.items():
            declared += [replace(it, commands=(name,)) for it in _options(function, script)]
    else:
        functions = [*commands.functions.values(), *_run(script)]
        declared = [it for function in functions[:1] for it in _options(function, script)]
    if not declared:
        return None
    is_complete = not _LENIENT.search(script.source)
    return Found(
        declarations=tuple(map(declared_by_parser, declared)),
        modules=frozenset({"typer"}) if is_complete else frozenset(),
    )


def _run(script: ScriptText) -> Iterator[Function]:
    """Yield the functions of `typer.run(main)`."""
    for call in calls(script.module):
        if dotted(call.func) == "typer.run" and call.args and last_part(call.args[0]) in script.functions:
            yield script.functions[last_part(call.args[0])]


@dataclass(frozen=True, kw_only=True)
class _Said:
    """What `typer.Option(...)` or `typer.Argument(...)` says of a parameter."""

    parameter: Parameter
    is_argument: bool
    words: tuple[str, ...] = ()
    given: dict[str, ast.expr] = field(default_factory=dict)


def _options(function: Function, script: ScriptText) -> Iterator[Hyperparameter]:
    for parameter in parameters_of(function):
        if parameter.annotated.class_name == "Context":
            continue
        said = _said(_resolved(parameter, script))
        declared = hyperparameter_of(said.parameter, script.classes, enum="value")
        if declared is not None:
            declared = replace(declared, help=text(said.given.get("help")) or declared.help, nullable=False)
            styled = _argument(declared, said) if said.is_argument else _option(declared, said)
            yield from () if styled is None else (styled,)


def _resolved(parameter: Parameter, script: ScriptText) -> Parameter:
    """Replace a default that is a name of the script, `LR = typer.Option(0.1)`, by what the name stands for."""
    if not isinstance(parameter.default, ast.Name):
        return parameter
    for statement in script.module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if name == parameter.default.id:
                return replace(parameter, default=call)
    return parameter


def _said(parameter: Parameter) -> _Said:
    """Read the marker of a parameter, behind `=` or within `Annotated[...]`."""
    marker, is_default = None, True
    match parameter.default, parameter.annotation:
        case ast.Call() as call, _ if last_part(call.func) in ("Option", "Argument"):
            marker = call
        case _, ast.Subscript(value=value, slice=ast.Tuple(elts=[_, *rest])) if last_part(value) == "Annotated":
            marker = next(
                (it for it in rest if isinstance(it, ast.Call) and last_part(it.func) in ("Option", "Argument")), None
            )
            is_default = False
    if marker is None:
        return _Said(parameter=parameter, is_argument=parameter.default is None)
    given, words = dict(keywords(marker)), list(marker.args)
    if is_default:
        first = given.pop("default", None) or (words.pop(0) if words else None)
        is_needed = first is None or (isinstance(first, ast.Constant) and first.value is Ellipsis)
        parameter = replace(parameter, default=None if is_needed else first)
    names = tuple(word for word in map(constant, words) if isinstance(word, str))
    is_argument = last_part(marker.func) == "Argument"
    return _Said(parameter=parameter, is_argument=is_argument, words=names, given=given)


def _argument(declared: Hyperparameter, said: _Said) -> Hyperparameter:
    return replace(declared, style="positional", may_be_empty=not declared.required)


def _option(declared: Hyperparameter, said: _Said) -> Hyperparameter | None:
    """Describe an option under the name that the line has for it."""
    long = [word.partition("/")[0] for word in said.words if word.startswith("--")]
    own = declared.name
    name = long[0][2:] if long else own.strip("_").replace("_", "-").lower()
    if not is_hyperparameter_name(name):
        return None
    declared = replace(
        declared, name=name, spellings=(own,) if own != name else (), aliases=tuple(word[2:] for word in long[1:])
    )
    off = next((word.partition("/")[2] for word in said.words if "/" in word), None)
    if declared.type == "Bool":
        return _switch(declared, is_named=bool(long), off=off)
    if constant(said.given.get("count")) is True:
        return replace(declared, type="Int", style="count", minimum=0, maximum=100)
    if declared.type == "Json":
        is_tuple = said.parameter.annotation is not None and "uple[" in ast.unparse(said.parameter.annotation)
        default = declared.default or None  # an empty list is what it has without the option
        return replace(
            declared,
            style="words" if is_tuple else "repeat",
            item_type=declared.item_type or "String",
            may_be_empty=not is_tuple and default is None and not declared.default_text,
            default=default,
        )
    bounds = {each: constant(said.given.get(each)) for each in ("min", "max")}
    if declared.type in ("Int", "Float") and constant(said.given.get("clamp")) is not True:
        low, high = bounds["min"], bounds["max"]
        declared = replace(
            declared,
            minimum=low if isinstance(low, int | float) else None,
            maximum=high if isinstance(high, int | float) else None,
        )
    return declared


def _switch(declared: Hyperparameter, *, is_named: bool, off: str | None) -> Hyperparameter | None:
    """Describe a truth value: two flags, or one where the option has a name of its own."""
    if off == f"--no-{declared.name}" or (off is None and not is_named):
        return replace(declared, style="switch", required=False)
    if off is None and declared.default is not True:
        return replace(declared, style="flag", default=False, required=False)
    return None
