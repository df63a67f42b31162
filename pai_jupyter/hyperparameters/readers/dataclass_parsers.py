"""Dataclasses whose fields become options: HfArgumentParser, tyro, simple-parsing, draccus and pyrallis, Tap.

    HfArgumentParser((ModelArguments, TrainingArguments))     --lr 0.1   --amp False         --layers 64 32
    tyro.cli(Args), tyro.cli(main)                            --lr 0.1   --no-amp            --layers 64 32   --optim.lr 0.1
    simple_parsing.parse(Options), parser.add_arguments(...)  --lr 0.1   --amp False         --layers 64 32
    @draccus.wrap() def main(cfg: Config)                     --lr=0.1   --amp=false         --layers=[64,32] --optim.lr=0.1
    class Args(Tap), Args().parse_args()                      --lr 0.1   --amp, or nothing   --layers 64 32

draccus and TrlParser also read a file of values, so that a default is not sent: it would go over what that file says.
Fields of classes of transformers and trl are suggestions: they are many, and none is sent unless it is given.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pai_jupyter.hyperparameters.expressions import calls, dotted, keywords, last_part, text
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter
from pai_jupyter.hyperparameters.readers.dataclass_styles import (
    DRACCUS,
    HF,
    SIMPLE,
    TAP,
    TRL,
    TYRO,
    ParserManner,
    is_call,
)
from pai_jupyter.hyperparameters.readers.library_classes import library_classes
from pai_jupyter.hyperparameters.readers.parameters import (
    Parameter,
    all_fields,
    hyperparameter_of,
    is_dataclass,
    parameters_of,
)
from pai_jupyter.hyperparameters.readers.reader import Found, ScriptText, declared_by_parser
from pai_jupyter.hyperparameters.subparsers import subcommand

_LIBRARIES = re.compile(r"\b(HfArgumentParser|TrlParser|tyro|simple_parsing|draccus|pyrallis|Tap|argparse_dataclass)\b")
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def read_dataclasses(script: ScriptText) -> Found | None:
    """Read the classes that a parser is given."""
    if not _LIBRARIES.search(script.source):
        return None
    reader = _ClassReader(script)
    for call in calls(script.module):
        reader.read(call)
    for function in script.own_functions.values():
        reader.read_wrapped(function)
    for node in script.classes.values():
        if any(last_part(base) == "Tap" for base in node.bases):
            reader.add(node.name, TAP)
    return reader.found()


class _ClassReader:
    """Collects the options of the classes that calls name."""

    def __init__(self, script: ScriptText) -> None:
        self._script = script
        self._options: list[Hyperparameter] = []
        self._suggestions: list[Hyperparameter] = []
        self._holders: set[str] = set()

    def read(self, call: ast.Call) -> None:
        name, given = dotted(call.func), keywords(call)
        first = call.args[0] if call.args else None
        match name.rpartition(".")[2]:
            case "HfArgumentParser" | "TrlParser":
                manner = HF if name.endswith("HfArgumentParser") else TRL
                for each in _named(first or given.get("dataclass_types")):
                    self.add(each, manner)
            case "cli" if name.startswith("tyro."):
                self._tyro(first or given.get("f"), call, is_known="default" not in given)
            case "parse" if name.partition(".")[0] in ("simple_parsing", "sp"):
                for each in _named(first or given.get("config_class")):
                    self.add(each, SIMPLE)
            case "add_arguments" if "simple_parsing" in self._script.source:
                for each in _named(first or given.get("dataclass")):
                    self.add(each, SIMPLE)
            case "parse" if name.partition(".")[0] in ("draccus", "pyrallis"):
                for each in _named(first or given.get("config_class")):
                    self.add(each, DRACCUS)

    def read_wrapped(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """`@draccus.wrap()`: the class is the annotation of the first parameter."""
        if any(dotted(it) in ("draccus.wrap", "pyrallis.wrap") for it in function.decorator_list):
            for parameter in list(parameters_of(function))[:1]:
                self.add(parameter.annotated.class_name, DRACCUS)

    def _tyro(self, node: ast.expr | None, call: ast.Call, *, is_known: bool) -> None:
        names = list(_alternatives(node))
        if len(names) > 1:
            commands = {_command(name): name for name in names if name in self._script.classes}
            self._options.append(subcommand("command", tuple(commands), line=call.lineno))
            for command, name in commands.items():
                self.add(name, TYRO, command=command)
        elif node is not None and last_part(node) in self._script.functions:
            function = self._script.functions[last_part(node)]
            self._add(_expanded(parameters_of(function), self._script), TYRO)
        else:
            for name in names:
                self.add(name, TYRO, is_known=is_known)

    def add(self, name: str, manner: ParserManner, *, command: str | None = None, is_known: bool = True) -> None:
        """Add the options of a class of the script, or the suggestions of one of a known library."""
        classes = self._script.classes
        if name in self._holders and not command:  # two parsers, of which one runs
            return
        if name in classes:
            self._holders.update(self._below(name))
            fields = all_fields(classes[name], classes, is_flat=manner.is_flat)
            self._add(fields, manner, command=command, is_known=is_known)
        known = library_classes(name, tuple(_bases(name, classes)))
        for library_name in known:
            fields = all_fields(known[library_name], {}, is_flat=True)
            self._suggestions += (
                replace(it, only_if_given=True, required=False) for it in _options(fields, manner, self._script)
            )

    def _add_subgroups(self, field: Parameter, manner: ParserManner) -> None:
        """`subgroups({"adam": AdamConfig, "sgd": SGDConfig}, default="adam")`: a choice, and the fields of each."""
        call = field.default
        table = _table(call) if isinstance(call, ast.Call) else {}
        if not table or not isinstance(call, ast.Call):
            return
        default = text(keywords(call).get("default"))
        choice = Hyperparameter(
            name=field.name,
            type="String",
            default=default if default in table else None,
            choices=tuple(table),
            required="default" not in keywords(call),
            line=field.line,
            help=field.help,
        )
        self._options.append(choice)
        classes = self._script.classes
        for key, name in table.items():
            inner = all_fields(classes[name], classes, is_flat=True) if name in classes else ()
            self._holders.update(self._below(name))
            for option in _options(inner, manner, self._script):
                self._options.append(replace(option, commands=(key,), chosen_by=field.name, line=field.line))

    def _below(self, name: str) -> Iterator[str]:
        """Yield the class and those that its fields and bases name."""
        todo, seen = [name], set[str]()
        while todo:
            each = todo.pop()
            if each in self._script.classes and each not in seen:
                seen.add(each)
                node = self._script.classes[each]
                todo += [last_part(base) for base in node.bases]
                todo += [
                    it.id
                    for part in node.body
                    if isinstance(part, ast.AnnAssign)
                    for it in ast.walk(part)
                    if isinstance(it, ast.Name)
                ]
        yield from seen

    def _add(
        self, fields: Iterable[Parameter], manner: ParserManner, *, command: str | None = None, is_known: bool = True
    ) -> None:
        given = list(fields)
        for field in given:
            if is_call(field.default, "subgroups"):
                self._add_subgroups(field, manner)
        for option in _options(given, manner, self._script):
            if not is_known:  # `default=` gives other values
                shown = option.default_text or ("" if option.default is None else repr(option.default))
                option = replace(option, default=None, default_text=shown, required=False)
            self._options.append(replace(option, commands=(command,) if command else ()))

    def found(self) -> Found:
        times = Counter(it.name for it in self._options if not it.commands)
        # of several of one name the library makes other names
        options = [it for it in self._options if times[it.name] + bool(it.chosen_by) < 2]
        names = {it.name for it in options}
        suggestions: dict[str, Hyperparameter] = {}
        for it in self._suggestions:
            if it.name not in names:
                suggestions.setdefault(it.name, it)  # a class comes before those that it derives from
        return Found(
            declarations=tuple(map(declared_by_parser, options)),
            suggestions=tuple(suggestions.values()),
            holders=frozenset(self._holders),
        )


def _options(fields: Iterable[Parameter], manner: ParserManner, script: ScriptText) -> Iterator[Hyperparameter]:
    for parameter in fields:
        declared = hyperparameter_of(parameter, script.classes, enum=manner.enum)
        styled = None if declared is None else manner.style(declared, parameter)
        if styled is not None:
            yield replace(styled, only_if_given=manner.reads_files)


def _expanded(parameters: Iterable[Parameter], script: ScriptText) -> Iterator[Parameter]:
    """Yield parameters of a function, those that are dataclasses as their fields."""
    for parameter in parameters:
        inner = script.classes.get(parameter.annotated.class_name)
        if inner is not None and is_dataclass(inner, script.classes):
            yield from all_fields(inner, script.classes, prefix=f"{parameter.name}.")
        else:
            yield parameter


def _named(node: ast.expr | None) -> list[str]:
    match node:
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return [last_part(item) for item in items]
        case ast.Name() | ast.Attribute():
            return [last_part(node)]
        case _:
            return []


def _table(call: ast.Call) -> dict[str, str]:
    """Return the keys of `subgroups({...})`, each with the class that it stands for, "" where that is no name."""
    table = call.args[0] if call.args else keywords(call).get("subgroups")
    if not isinstance(table, ast.Dict):
        return {}
    pairs = ((text(key), value) for key, value in zip(table.keys, table.values, strict=True))
    return {key: last_part(value) if isinstance(value, ast.Name | ast.Attribute) else "" for key, value in pairs if key}


def _alternatives(node: ast.expr | None) -> Iterator[str]:
    """Yield the classes of `Train | Evaluate`, of `Union[Train, Evaluate]`, or the one."""
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _alternatives(left)
            yield from _alternatives(right)
        case ast.Subscript(value=value, slice=ast.Tuple(elts=items)) if last_part(value) == "Union":
            yield from (last_part(item) for item in items)
        case _:
            yield from _named(node)


def _command(name: str) -> str:
    """Return what tyro calls a class as a subcommand: `TrainArgs` -> `train-args`."""
    return _WORD.sub("-", name).replace("_", "-").lower()


def _bases(name: str, classes: Mapping[str, ast.ClassDef]) -> Iterator[str]:
    """Yield the names of all bases of a class; two modules may each have a class of one name that derives from the other's."""
    todo, seen = [name], set[str]()
    while todo:
        each = todo.pop()
        bases = [last_part(base) for base in classes[each].bases] if each in classes and each not in seen else []
        seen.add(each)
        yield from bases
        todo += bases
