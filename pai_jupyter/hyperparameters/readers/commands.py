"""Subcommands of click and typer: which functions are one, and what each is called on the command line.

@click.command()      the program itself, where nothing else is a command
@click.group()        a program with subcommands; its own options come before them
@cli.command("fit")   a subcommand; without a name that of the function: `train_model` -> `train-model`
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from pai_jupyter.hyperparameters.expressions import constant, dotted, keywords
from pai_jupyter.hyperparameters.local_modules import Function
from pai_jupyter.hyperparameters.readers.reader import ScriptText


@dataclass(frozen=True, kw_only=True)
class Commands:
    """The commands of a script: `names` where they are subcommands, `functions` that are one, `owners` of calls by id."""

    names: tuple[str, ...]
    functions: Mapping[str, Function]
    owners: Mapping[int, str]

    def owner(self, call: ast.Call) -> str | None:
        """Return the subcommand in whose decorators a call stands; None where it is said to the program."""
        return self.owners.get(id(call)) if len(self.names) > 1 else None


def commands_of(script: ScriptText, library: str) -> Commands:
    """Find the functions that are commands of `library`."""
    found: dict[str, Function] = {}
    owners: dict[int, str] = {}
    for node in ast.walk(script.module) if f"{library}" in script.source else ():
        if not isinstance(node, Function):
            continue
        name = _command_name(node, library)
        if name is None:
            continue
        found[name] = node
        owners.update(
            (id(call), name) for it in node.decorator_list for call in ast.walk(it) if isinstance(call, ast.Call)
        )
    return Commands(names=tuple(found), functions=found, owners=owners)


def _command_name(node: Function, library: str) -> str | None:
    """Return what a function is called as a subcommand; None where it is none, or the program itself."""
    for decorator in node.decorator_list:
        holder, _, verb = dotted(decorator).rpartition(".")
        if verb != "command" or holder in ("", library):
            continue
        call = decorator if isinstance(decorator, ast.Call) else None
        said = constant(call.args[0] if call.args else keywords(call).get("name")) if call else None
        return said if isinstance(said, str) else node.name.lower().replace("_", "-").strip("-")
    return None
