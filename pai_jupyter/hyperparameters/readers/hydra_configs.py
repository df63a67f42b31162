"""Hydra and OmegaConf: `conf/config.yaml` beside the code, dataclasses in it, and `key=value` on the command line.

    @hydra.main(config_path="conf", config_name="config")      conf/config.yaml, and of its defaults list conf/model/resnet.yaml
    ConfigStore.instance().store(name="config", node=Config)   the fields of a dataclass
    OmegaConf.merge(OmegaConf.load("config.yaml"), OmegaConf.from_cli())

A value goes back as `model.lr=0.1`. No default is sent: it would go over what an experiment's file sets. What has no value
in the file, or one that is made while the script runs, is sent as it was typed, and so is a name that is not known here. What
lies in the directory of a group are its choices.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from posixpath import basename, dirname, join, normpath
from typing import cast

from pai_jupyter.hyperparameters.expressions import calls, constant, dotted, keywords, last_part, text
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter
from pai_jupyter.hyperparameters.readers.parameters import all_fields, hyperparameter_of, parameters_of
from pai_jupyter.hyperparameters.readers.reader import Found, ScriptText, declared_by_parser
from pai_jupyter.hyperparameters.readers.yaml_subset import Unread, YamlValue, read_yaml
from pai_jupyter.hyperparameters.values import type_of
from pai_jupyter.spec import ArgumentStyle, Scalar, is_hyperparameter_name

_LIBRARIES = re.compile(r"\bhydra\b|\bfrom_cli\b|\bfrom_dotlist\b")
_GLOBAL = re.compile(r"#\s*@package\s+_global_")
_MOST = 500  # values of one configuration
_MOST_CHOICES = 100  # files of one group
_OTHER_PLACES = re.compile(
    r"ConfigStore|SearchPath|searchpath|hydra_plugins"
)  # of configurations, beside the directory


def read_hydra(script: ScriptText) -> Found | None:
    """Read the configuration of a Hydra app, or of a script that merges OmegaConf's command line."""
    if not _LIBRARIES.search(script.source):
        return None
    main = next(_mains(script), None)
    if main is not None:
        given, function = main
        return _found(_hydra(script, given, function), script)
    if any(last_part(call.func) in ("from_cli", "from_dotlist") for call in calls(script.module)):
        return _found(_omegaconf(script), script)
    return None


def _found(values: Iterator[Hyperparameter], script: ScriptText) -> Found:
    unique: dict[str, Hyperparameter] = {}
    for value in values:
        if len(unique) < _MOST:
            unique[value.name] = value
    return Found(
        declarations=tuple(map(declared_by_parser, unique.values())),
        holders=frozenset(_config_classes(script)),
        undeclared="override",
    )


def _mains(script: ScriptText) -> Iterator[tuple[Mapping[str, ast.expr], ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield the arguments of each `@hydra.main(...)` with its function."""
    for function in script.own_functions.values():
        for decorator in function.decorator_list:
            if dotted(decorator) in ("hydra.main", "main") and isinstance(decorator, ast.Call):
                names = ("config_path", "config_name")
                yield {**dict(zip(names, decorator.args, strict=False)), **keywords(decorator)}, function


def _hydra(
    script: ScriptText, given: Mapping[str, ast.expr], function: ast.FunctionDef | ast.AsyncFunctionDef
) -> Iterator[Hyperparameter]:
    name = text(given.get("config_name"))
    written = _written_path(given.get("config_path"))
    if not name and written.endswith((".yaml", ".yml")):  # as before Hydra 1.1
        written, name = dirname(written) or ".", basename(written)
    stored = dict(_stored(script))
    parameter = next(parameters_of(function), None)
    node = stored.get(("", name)) or (parameter.annotated.class_name if parameter is not None else "")
    yield from _of_class(node, script, style="hydra")
    for (group, _), class_name in stored.items():
        if group:
            yield from _of_class(class_name, script, style="hydra", prefix=f"{group.replace('/', '.')}.")
    for directory in (written, join("..", written)) if name else ():  # below the project's root: root / "configs"
        found = list(_of_file(script, directory, name.removesuffix(".yaml"), prefix="", depth=0))
        if found:
            yield from found
            return


def _written_path(node: ast.expr | None) -> str:
    """Return the directory as it is written: a text, or the last text of `root / "configs"`; "." where there is none."""
    match node:
        case ast.BinOp(right=right):
            return _written_path(right)
        case ast.Call(args=[*_, last]):
            return _written_path(last)
        case _:
            return text(node) or "."


def _stored(script: ScriptText) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield group, name and class of each `store(group=, name=, node=)`."""
    for call in calls(script.module):
        given = keywords(call)
        if last_part(call.func) == "store" and "node" in given:
            yield (text(given.get("group")), text(given.get("name"))), last_part(given["node"])


def _config_classes(script: ScriptText) -> set[str]:
    """Return the classes of the script that are configurations: their fields are no constants of their own."""
    named = {name for _, name in _stored(script)}
    for call in calls(script.module):
        if last_part(call.func) == "structured" and call.args:
            named.add(last_part(call.args[0]))
    for _, function in _mains(script):
        named.update(it.annotated.class_name for it in parameters_of(function))
    inside = {
        it.id
        for name in named & set(script.classes)
        for part in script.classes[name].body
        for it in ast.walk(part)
        if isinstance(it, ast.Name)
    }
    return (named | inside) & set(script.classes)


def _of_class(name: str, script: ScriptText, *, style: ArgumentStyle, prefix: str = "") -> Iterator[Hyperparameter]:
    if name not in script.classes:
        return
    for field in all_fields(script.classes[name], script.classes, prefix=prefix):
        declared = hyperparameter_of(field, script.classes, enum="name")
        if declared is None:
            continue
        if text(field.default) == "???":
            declared = replace(declared, default=None, default_text="", required=True)
        is_typed = declared.type != "String" or field.annotated.type == "String"
        yield replace(
            declared, style=style if is_typed else "override", item_type=None, nullable=False, only_if_given=True
        )


def _of_file(script: ScriptText, directory: str, name: str, *, prefix: str, depth: int) -> Iterator[Hyperparameter]:
    """Yield the values of a configuration file, after those of the files in its defaults list."""
    path = normpath(join(directory, f"{name}.yaml"))
    content = script.file(path)
    if content is None or depth > 5:
        return
    values = read_yaml(content)
    below = "" if _GLOBAL.search(content) else prefix
    defaults = values.pop("defaults", None)
    for entry in defaults if isinstance(defaults, list) else ():
        yield from _default(script, directory, entry, prefix=below, group=dirname(name), depth=depth)
    values.pop("hydra", None)
    yield from _values(values, below, style="hydra")


def _default(
    script: ScriptText, directory: str, entry: Scalar, *, prefix: str, group: str, depth: int
) -> Iterator[Hyperparameter]:
    """Read one entry of a defaults list: `model: resnet`, or a file that this one builds on."""
    if isinstance(entry, str) and entry != "_self_":
        yield from _of_file(script, directory, join(group, entry.removesuffix(".yaml")), prefix=prefix, depth=depth + 1)
    for key, choice in entry.items() if isinstance(entry, dict) else ():
        key = key.removeprefix("optional ").strip()
        if (
            key in ("hydra", "")
            or key.startswith("override ")
            or "@" in key
            or not is_hyperparameter_name(key.replace("/", "."))
        ):
            continue
        inner = join(group, key)
        if "/" not in inner:
            yield _group(script, join(directory, inner), inner, choice)
        if isinstance(choice, str):
            choice = choice.removesuffix(".yaml")
            package = f"{inner.replace('/', '.')}."
            yield from _of_file(script, directory, join(inner, choice), prefix=package, depth=depth + 1)


def _group(script: ScriptText, directory: str, name: str, choice: Scalar) -> Hyperparameter:
    """Describe the choice of a file in a directory of configurations, where nothing else adds to the directory."""
    shown = choice.removesuffix(".yaml") if isinstance(choice, str) else ""
    files = script.names(normpath(directory)) if not _OTHER_PLACES.search(script.source) else ()
    choices = tuple(sorted(it.removesuffix(".yaml") for it in files if it.endswith(".yaml") and it[0].isalnum()))
    is_known = 1 < len(choices) <= _MOST_CHOICES and shown in choices
    return Hyperparameter(
        name=name,
        type="String",
        default=shown if is_known else None,
        default_text=shown,
        choices=choices if is_known else (),
        style="override",
        only_if_given=True,
        help=f"{name}/*.yaml",
    )


def _values(values: Mapping[str, YamlValue], prefix: str, *, style: ArgumentStyle) -> Iterator[Hyperparameter]:
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            if value:
                yield from _values(value, f"{name}.", style=style)
        elif is_hyperparameter_name(name) and not key.startswith("_"):
            yield _value(name, value, style)


def _value(name: str, value: YamlValue, style: ArgumentStyle) -> Hyperparameter:
    if isinstance(value, Unread) or value is None:
        is_needed = isinstance(value, Unread) and value.text == "???"
        shown = "" if value is None or is_needed else value.text if isinstance(value, Unread) else ""
        return Hyperparameter(
            name=name, type="String", default_text=shown, required=is_needed, style="override", only_if_given=True
        )
    default = cast(Scalar, value)
    return Hyperparameter(name=name, type=type_of(default), default=default, style=style, only_if_given=True)


def _omegaconf(script: ScriptText) -> Iterator[Hyperparameter]:
    """Yield the values of the files, dicts and dataclasses that the script makes configurations of."""
    for call in calls(script.module):
        first = call.args[0] if call.args else None
        match dotted(call.func).rpartition(".")[2]:
            case "load" if "OmegaConf" in dotted(call.func) and text(first):
                content = script.file(normpath(text(first)))
                yield from _values(read_yaml(content), "", style="dotlist") if content is not None else ()
            case "structured":
                yield from _of_class(last_part(first), script, style="dotlist")
            case "create" if isinstance(constant(first), dict):
                given = constant(first)
                yield from _values(given, "", style="dotlist") if isinstance(given, dict) else ()
