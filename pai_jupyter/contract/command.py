"""The command of a job as `sh -c` runs it, with every hyperparameter handed over unchanged.

A plain shell splits and globs an unquoted `$PAI_USER_ARGS`: `--name a b` becomes three words. So an unquoted
`$PAI_USER_ARGS` or `${PAI_USER_ARGS}` becomes `"$@"`, and the words are arguments of the `sh -c`. That holds in subshells and
in `$(...)` too. In a function, and behind `set --` or `shift`, `"$@"` are other words; there the words themselves are
written into the text, quoted.

Inside quotes, here-documents and assignments the variable keeps the plain form of the documents; so it does in a script
file that the command runs. `quoting_needed` says where that changes a value.
"""

import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass

from pai_jupyter.contract.shell import Reference, ShellContext, references
from pai_jupyter.contract.topology import Replica, role_of
from pai_jupyter.contract.values import check_passable, texts, user_args, words_by_name
from pai_jupyter.spec import JobSpec, env_name

_USER_ARGS = "PAI_USER_ARGS"
_CHANNELS = re.compile(r'(?: --\S+ "\$PAI_(?:INPUT|OUTPUT)_\w+")*')
_CHANGED_BY_A_SHELL = re.compile(r"[^\w@%+=:,./-]|^$")  # \w: letters of every script, which no shell splits or expands
_CHANGED_BY_SPLITTING = re.compile(r"[ \t\n*?\[\\]|^$")


@dataclass(frozen=True, kw_only=True)
class Command:
    """A text for `sh -c` and the words that `"$@"` stands for in it."""

    text: str
    arguments: tuple[str, ...] = ()

    @property
    def argv(self) -> tuple[str, ...]:
        return ("sh", "-c", self.text, "sh", *self.arguments)


def command(spec: JobSpec, replica: Replica | None = None) -> Command:
    """Build the command that `sh` runs: that of the replica's role, else the job's own.

    Raises:
        SpecError: the command or a hyperparameter cannot be handed to a program.
    """
    role = role_of(spec, replica) if replica else None
    text = (role and role.command) or spec.command
    words = user_args(spec)
    found = [it for it in references(text) if it.name == _USER_ARGS and it.place is not ShellContext.HELD]
    for reference in reversed(found):
        exact = '"$@"' if reference.place is ShellContext.OPEN else shlex.join(words)
        text = text[: reference.start] + exact + text[reference.end :]
    check_passable(text, what="`command`", field="command")
    is_passed = any(reference.place is ShellContext.OPEN for reference in found)
    return Command(text=text, arguments=words if is_passed else ())


def default_command(script: str, *, options: Collection[str], inputs: Collection[str], outputs: Collection[str]) -> str:
    """Build the default command: the script, its hyperparameters, and each channel it has an option for.

    The paths are quoted, since a file may be called `iris 数据.csv`. An option that is an input and an output gets the
    input: that one somebody asked for, an output like `model` every job has.
    """
    given = {name: f"PAI_OUTPUT_{env_name(name)}" for name in outputs}
    given.update({name: f"PAI_INPUT_{env_name(name)}" for name in inputs})
    channels = [name for name in dict.fromkeys((*inputs, *outputs)) if name in options]
    program = "bash" if script.endswith(".sh") else "python"
    return " ".join(
        [program, shlex.quote(script), f"${_USER_ARGS}", *(f'--{name} "${given[name]}"' for name in channels)]
    )


def is_default_command(command: str, script: str) -> bool:
    """Return whether `command` only runs `script` with the hyperparameters and channel paths."""
    start = default_command(script, options=(), inputs=(), outputs=())
    return command.startswith(start) and _CHANNELS.fullmatch(command[len(start) :]) is not None


def quoting_needed(spec: JobSpec, command: str) -> list[str]:
    """Sentences for the lint: where a shell would change a hyperparameter's value on its way to the script."""
    found = references(command)
    return [*_held_arguments(spec, found), *_split_values(spec, found)]


def _held_arguments(spec: JobSpec, found: Collection[Reference]) -> list[str]:
    changed = [
        name for name, words in words_by_name(spec).items() if any(_CHANGED_BY_A_SHELL.search(word) for word in words)
    ]
    if not changed or not any(it.name == _USER_ARGS and it.place is ShellContext.HELD for it in found):
        return []
    names = ", ".join(map(repr, changed))
    return [
        f"the command has ${_USER_ARGS} inside quotes, a here-document or an assignment, where the value of {names} "
        f"does not arrive as it is. Write ${_USER_ARGS} without quotes, directly behind the program."
    ]


def _split_values(spec: JobSpec, found: Collection[Reference]) -> list[str]:
    open_names = {it.name for it in found if it.place is not ShellContext.HELD}
    variables = {f"PAI_HPS_{env_name(name)}": (name, text) for name, text in texts(spec).items()}
    return [
        f"the command has ${variable} without quotes, where a shell splits the value of {name!r}. "
        f'Write "${variable}" with quotes.'
        for variable, (name, text) in variables.items()
        if variable in open_names and _CHANGED_BY_SPLITTING.search(text)
    ]
