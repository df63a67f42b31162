"""jsonargparse and LightningCLI: the parameters of functions and classes as options, `--optim.lr 0.1`.

    CLI(main)                                     the parameters of a function, of several functions a subcommand each
    CLI(Config)                                   those of a class
    LightningCLI(Model, Data)                     `--model.lr`, `--data.batch_size`, and `fit` in front of them
    parser.add_class_arguments(Model, "model")    the same, one by one

Values are read as YAML by the type of the parameter, so `--amp False` and `--layers [64,32]` come out as they are meant. No
default is sent: a file behind `--config` may say another. Options of Lightning's own Trainer are suggestions.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from pai_jupyter.hyperparameters.expressions import calls, constant, dotted, keywords, last_part, text
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter
from pai_jupyter.hyperparameters.readers.library_classes import library_class
from pai_jupyter.hyperparameters.readers.parameters import (
    Parameter,
    all_fields,
    hyperparameter_of,
    is_dataclass,
    parameters_of,
)
from pai_jupyter.hyperparameters.readers.reader import Found, ScriptText, declared_by_parser
from pai_jupyter.hyperparameters.subparsers import subcommand

_LIBRARIES = re.compile(r"jsonargparse|LightningCLI")
_LIGHTNING_COMMANDS = ("fit", "validate", "test", "predict")
_TRAINER = {
    "max_epochs": "Int",
    "max_steps": "Int",
    "accelerator": "String",
    "devices": "String",
    "precision": "String",
    "gradient_clip_val": "Float",
    "accumulate_grad_batches": "Int",
    "limit_train_batches": "Float",
    "limit_val_batches": "Float",
    "fast_dev_run": "Bool",
}  # what is offered where Lightning is not installed


def read_jsonargparse(script: ScriptText) -> Found | None:
    """Read what a CLI, or a parser of jsonargparse, is given."""
    if not _LIBRARIES.search(script.source):
        return None
    declared: list[Hyperparameter] = []
    suggestions: list[Hyperparameter] = []
    for call in calls(script.module):
        name = last_part(call.func)
        if name in ("CLI", "auto_cli") and dotted(call.func) in ("CLI", "auto_cli", f"jsonargparse.{name}"):
            declared += _cli(call, script)
        elif name.endswith("LightningCLI"):
            declared += _lightning(call, script)
            suggestions += _trainer()
        elif name in ("add_class_arguments", "add_dataclass_arguments", "add_function_arguments"):
            declared += _added(call, script)
    if not declared and not suggestions:
        return None
    return Found(declarations=tuple(map(declared_by_parser, declared)), suggestions=tuple(suggestions))


def _cli(call: ast.Call, script: ScriptText) -> Iterator[Hyperparameter]:
    """`CLI(main)`, `CLI([train, test])`; without an argument the functions of the script."""
    node = call.args[0] if call.args else keywords(call).get("components")
    match node:
        case None:
            names = [name for name in script.own_functions if not name.startswith("_")]
        case ast.List(elts=items) | ast.Tuple(elts=items):
            names = [last_part(item) for item in items]
        case _:
            names = [last_part(node)]
    if len(names) > 1:
        yield replace(subcommand("command", tuple(names), line=call.lineno), only_if_given=True)
    for name in names:
        for option in _parameters(name, script, prefix=""):
            yield replace(option, commands=(name,) if len(names) > 1 else ())
        if len(names) == 1 and name in script.classes:
            yield from _methods(name, script)


def _methods(name: str, script: ScriptText) -> Iterator[Hyperparameter]:
    """Yield the methods of a class that is no dataclass as subcommands."""
    node = script.classes[name]
    if is_dataclass(node, script.classes):
        return
    methods = {it.name: it for it in node.body if isinstance(it, ast.FunctionDef) and not it.name.startswith("_")}
    if methods:
        yield subcommand("command", tuple(methods), line=node.lineno)
    for method, function in methods.items():
        for option in _options(parameters_of(function), script, prefix=""):
            yield replace(option, commands=(method,))


def _lightning(call: ast.Call, script: ScriptText) -> Iterator[Hyperparameter]:
    """`LightningCLI(Model, Data)`: the parameters of both, and the subcommand."""
    given = keywords(call)
    first = [*call.args, None, None]
    model, data = given.get("model_class", first[0]), given.get("datamodule_class", first[1])
    commands = _LIGHTNING_COMMANDS if constant(given.get("run")) is not False else ()
    if commands:
        yield replace(subcommand("subcommand", commands, line=call.lineno), default="fit", required=False)
    for node, prefix in ((model, "model."), (data, "data.")):
        for option in _parameters(last_part(node), script, prefix=prefix):
            yield replace(option, commands=commands, required=False)  # a file behind --config may give it


def _trainer() -> Iterator[Hyperparameter]:
    """Yield the options of Lightning's Trainer: out of its source where it is installed, else the common ones."""
    node = library_class("Trainer")
    init = (
        next((it for it in node.body if isinstance(it, ast.FunctionDef) and it.name == "__init__"), None)
        if node
        else None
    )
    empty = ScriptText(module=ast.Module(body=[], type_ignores=[]), source="")
    if init is not None:
        yield from _options(parameters_of(init), empty, prefix="trainer.")
        return
    for name, kind in _TRAINER.items():
        yield Hyperparameter(name=f"trainer.{name}", type=kind, only_if_given=True)  # type: ignore[arg-type]  # a literal


def _added(call: ast.Call, script: ScriptText) -> Iterator[Hyperparameter]:
    """`parser.add_class_arguments(Model, "model")`: below that name, if there is one."""
    below = text(call.args[1]) if len(call.args) > 1 else text(keywords(call).get("nested_key"))
    if call.args:
        yield from _parameters(last_part(call.args[0]), script, prefix=f"{below}." if below else "")


def _parameters(name: str, script: ScriptText, *, prefix: str) -> Iterator[Hyperparameter]:
    """Yield the options of a function, a dataclass, or of what makes an object of a class."""
    if name in script.functions:
        yield from _options(parameters_of(script.functions[name]), script, prefix=prefix)
    elif name in script.classes and is_dataclass(script.classes[name], script.classes):
        fields = all_fields(script.classes[name], script.classes, prefix=prefix)
        yield from _options(fields, script, prefix="")
    elif name in script.classes:
        body = script.classes[name].body
        init = next((it for it in body if isinstance(it, ast.FunctionDef) and it.name == "__init__"), None)
        if init is not None:
            yield from _options(parameters_of(init), script, prefix=prefix)


def _options(parameters: Iterator[Parameter], script: ScriptText, *, prefix: str) -> Iterator[Hyperparameter]:
    for parameter in parameters:
        named = replace(parameter, name=f"{prefix}{parameter.name}")
        inner = script.classes.get(parameter.annotated.class_name)
        if inner is not None and is_dataclass(inner, script.classes):
            yield from _options(all_fields(inner, script.classes, prefix=f"{named.name}."), script, prefix="")
            continue
        declared = hyperparameter_of(named, script.classes, enum="name")
        if declared is not None:
            yield replace(declared, item_type=None, nullable=False, only_if_given=True)
