"""Subcommands of argparse: to which of them an `add_argument` speaks.

    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", parents=[common])
    train.add_argument("--lr")                                      an option of `train`
    common.add_argument("--seed")                                   of each that has it for a parent
    def add_data(p): p.add_argument("--data")                       of each that it is called with

A variable stands for the parser that it was given last, above the line. Where the name of a subcommand is made while the
script runs, nothing is known: all options are said to the program.
"""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from pai_jupyter.hyperparameters.expressions import constant, dotted, keywords, last_part, text
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter

_GROUPS = ("add_argument_group", "add_mutually_exclusive_group")


def subcommand(name: str, choices: tuple[str, ...], *, line: int | None = None) -> Hyperparameter:
    """Describe the choice of a subcommand."""
    return Hyperparameter(
        name=name, type="String", choices=choices, required=True, style="command", line=line, help="subcommand"
    )


@dataclass(frozen=True, kw_only=True)
class _Named:
    """A parser that a variable stands for from a line on; no `commands`: the program's own."""

    line: int
    variable: str
    commands: tuple[str, ...]


@dataclass(kw_only=True)
class Subparsers:
    """The subcommands of a script; `choice` is the hyperparameter that chooses one, None where there are none."""

    choice: Hyperparameter | None = None
    named: list[_Named] = field(default_factory=list)

    def commands_of(self, call: ast.Call) -> tuple[str, ...]:
        """Return the subcommands to which `x.add_argument(...)` adds an option; none: it is the program's."""
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        return self.of_parser(receiver, call.lineno) if self.choice is not None else ()

    def of_parser(self, receiver: ast.expr | None, line: int) -> tuple[str, ...]:
        """Return the subcommands whose parser an expression is at a line."""
        if isinstance(receiver, ast.Call):
            if last_part(receiver.func) == "add_parser":
                name = constant(receiver.args[0]) if receiver.args else None
                return (name,) if isinstance(name, str) else ()
            return self.of_parser(receiver.func.value, line) if isinstance(receiver.func, ast.Attribute) else ()
        above = [it for it in self.named if it.variable == dotted(receiver) and it.line <= line]
        return max(above, key=lambda it: it.line).commands if above else ()


def read_subparsers(module: ast.Module, source: str) -> Subparsers:
    """Find the subcommands, where each has a name that is known."""
    if "add_subparsers" not in source:
        return Subparsers()
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call)]
    adding = [it for it in calls if last_part(it.func) == "add_subparsers"]
    parsers = [it for it in calls if last_part(it.func) == "add_parser"]
    parsers.sort(key=lambda it: it.lineno)  # a chained call stands deeper in the tree
    names = [constant(it.args[0]) if it.args else None for it in parsers]
    known = tuple(dict.fromkeys(name for name in names if isinstance(name, str)))
    if len(adding) != 1 or not known or len(names) != len([name for name in names if isinstance(name, str)]):
        return Subparsers()
    given = keywords(adding[0])
    choice = replace(
        subcommand(text(given.get("dest")) or "command", known, line=adding[0].lineno),
        required=constant(given.get("required")) is True,
    )
    found = Subparsers(choice=choice)
    _name_parsers(found, module, parsers)
    return found


def _name_parsers(found: Subparsers, module: ast.Module, parsers: Iterable[ast.Call]) -> None:
    """Collect the variables that parsers and their groups are given to, parents and parameters of helpers included."""
    statements = [it for it in ast.walk(module) if isinstance(it, ast.Assign) and isinstance(it.value, ast.Call)]
    for statement in sorted(statements, key=lambda it: it.lineno):
        call = statement.value
        if not isinstance(call, ast.Call):
            continue
        commands: tuple[str, ...]
        variable, verb = dotted(statement.targets[0]), last_part(call.func)
        if verb == "add_parser":
            commands = (str(constant(call.args[0])),)
        elif verb in _GROUPS and isinstance(call.func, ast.Attribute):
            commands = found.of_parser(call.func.value, call.lineno)
        elif verb.endswith("ArgumentParser"):
            commands = _children(variable, parsers)
        else:
            continue
        found.named.append(_Named(line=statement.lineno, variable=variable, commands=commands))
    found.named += _of_helpers(found, module)


def _children(variable: str, parsers: Iterable[ast.Call]) -> tuple[str, ...]:
    """Return the subcommands that have this parser for a parent."""
    return tuple(
        str(constant(call.args[0]))
        for call in parsers
        if variable and variable in [dotted(it) for it in getattr(keywords(call).get("parents"), "elts", [])]
    )


def _of_helpers(found: Subparsers, module: ast.Module) -> list[_Named]:
    """Return the parameters of functions of the script that are called with a subcommand's parser."""
    helpers = {it.name: it for it in ast.walk(module) if isinstance(it, ast.FunctionDef)}
    commands: dict[tuple[str, str], list[str]] = {}
    for call in (node for node in ast.walk(module) if isinstance(node, ast.Call)):
        helper = helpers.get(dotted(call.func))
        for argument, parameter in zip(call.args, helper.args.args if helper else (), strict=False):
            names = found.of_parser(argument, call.lineno)
            if helper is not None and names:
                commands.setdefault((helper.name, parameter.arg), []).extend(names)
    return [
        _Named(line=helpers[name].lineno, variable=parameter, commands=tuple(dict.fromkeys(names)))
        for (name, parameter), names in commands.items()
    ]
