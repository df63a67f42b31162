"""fire: `fire.Fire(train)`, a class, a dict of functions, or the whole script.

Every parameter is an option, `--lr=0.1`, and its value is read as a literal of Python; so it goes back as one: `--amp=False`,
`--name='1e3'`. Of a class the methods are subcommands, of a dict its keys, of `fire.Fire()` the functions of the script.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from pai_jupyter.hyperparameters.expressions import calls, constant, dotted, keywords, last_part
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter
from pai_jupyter.hyperparameters.local_modules import Function
from pai_jupyter.hyperparameters.readers.parameters import hyperparameter_of, parameters_of
from pai_jupyter.hyperparameters.readers.reader import Found, ScriptText, declared_by_parser
from pai_jupyter.hyperparameters.subparsers import subcommand

_FIRE = re.compile(r"\bfire\b")


def read_fire(script: ScriptText) -> Found | None:
    """Read what `fire.Fire(...)` is given."""
    if not _FIRE.search(script.source):
        return None
    call = next((it for it in calls(script.module) if dotted(it.func) in ("fire.Fire", "Fire")), None)
    if call is None or "command" in keywords(call):
        return None
    program, commands = _functions(call, script)
    declared = [it for function in program for it in _options(function, script)]
    if len(commands) > 1 or (commands and isinstance(_component(call), ast.Dict | None)):
        declared.append(subcommand("command", tuple(commands), line=call.lineno))
    for name, function in commands.items():
        declared += [replace(it, commands=(name,)) for it in _options(function, script)]
    functions = [*program, *commands.values()]
    is_complete = bool(functions) and not any(it.args.kwarg or it.args.vararg for it in functions)
    return Found(
        declarations=tuple(map(declared_by_parser, declared)),
        modules=frozenset({"fire"}) if is_complete else frozenset(),
    )


def _component(call: ast.Call) -> ast.expr | None:
    return call.args[0] if call.args else keywords(call).get("component")


def _functions(call: ast.Call, script: ScriptText) -> tuple[list[Function], Mapping[str, Function]]:
    """Return the functions whose parameters are the program's own, and the subcommands."""
    match _component(call):
        case None:
            return [], {name: it for name, it in script.own_functions.items() if not name.startswith("_")}
        case ast.Dict(keys=keys, values=values):
            pairs = (
                (constant(key), script.functions.get(last_part(value))) for key, value in zip(keys, values, strict=True)
            )
            return [], {name: it for name, it in pairs if isinstance(name, str) and it is not None}
        case ast.expr() as component:
            name = last_part(component)
            if name in script.functions:
                return [script.functions[name]], {}
            methods = dict(_methods(script.classes[name])) if name in script.classes else {}
            first = methods.pop("__init__", None)
            is_built = isinstance(component, ast.Call)  # fire.Fire(Trainer()): its parameters are given already
            return [first] if first is not None and not is_built else [], methods


def _methods(node: ast.ClassDef) -> Iterator[tuple[str, Function]]:
    for statement in node.body:
        if isinstance(statement, Function) and (statement.name == "__init__" or not statement.name.startswith("_")):
            yield statement.name, statement


def _options(function: Function, script: ScriptText) -> Iterator[Hyperparameter]:
    for parameter in parameters_of(function):
        declared = hyperparameter_of(parameter, script.classes, enum="name")
        if declared is not None and not declared.choices:
            own = parameter.name
            yield replace(
                declared, style="literal", item_type=None, aliases=(own.replace("_", "-"),) if "_" in own else ()
            )
