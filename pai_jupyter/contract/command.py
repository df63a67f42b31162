"""Build the command of a job for `sh -c`, with every hyperparameter passed unchanged.

A shell splits and globs an unquoted `$PAI_USER_ARGS`: `--name a b` becomes three words. So an unquoted `$PAI_USER_ARGS` or
`${PAI_USER_ARGS}` becomes `"$@"`, and the words are arguments of the `sh -c`, also in subshells and in `$(...)`. In a function,
and after `set --` or `shift`, `"$@"` means other words; there the words are written into the text, quoted.

In quotes, here-documents, assignments and in scripts that the command runs, the variable stays as PAI documents it.
`quoting_needed` reports where that changes a value.
"""

import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass

from pai_jupyter.contract.shell import ShellContext, ShellReference, references
from pai_jupyter.contract.topology import Replica, role_of
from pai_jupyter.contract.values import check_passable, texts
from pai_jupyter.contract.words import user_args, words_by_name
from pai_jupyter.spec import JobSpec, env_name

_USER_ARGS = "PAI_USER_ARGS"
_CHANNELS = re.compile(r'(?: --\S+ "\$PAI_(?:INPUT|OUTPUT)_\w+")*')
_CHANGED_BY_A_SHELL = re.compile(r"[^\w@%+=:,./-]|^$")  # \w: letters of any alphabet; no shell splits or expands them
_CHANGED_BY_SPLITTING = re.compile(r"[ \t\n*?\[\\]|^$")


@dataclass(frozen=True, kw_only=True)
class Command:
    """A text for `sh -c`, and the words of its `"$@"`."""

    text: str
    arguments: tuple[str, ...] = ()

    @property
    def argv(self) -> tuple[str, ...]:
        return ("sh", "-c", self.text, "sh", *self.arguments)


def command(spec: JobSpec, replica: Replica | None = None) -> Command:
    """Build the command for `sh`: the replica role's own, else the job's.

    Raises:
        SpecError: the command or a hyperparameter cannot be passed to a program.
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

    Paths are quoted, since a file may be called `iris 数据.csv`. An option that names both an input and an output gets the input:
    the user gave it, while every job has an output like `model`.
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
    """Return a lint sentence for each place where the shell would change a hyperparameter's value."""
    found = references(command)
    return [*_held_arguments(spec, found), *_split_values(spec, found)]


def _held_arguments(spec: JobSpec, found: Collection[ShellReference]) -> list[str]:
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


def _split_values(spec: JobSpec, found: Collection[ShellReference]) -> list[str]:
    open_names = {it.name for it in found if it.place is not ShellContext.HELD}
    variables = {f"PAI_HPS_{env_name(name)}": (name, text) for name, text in texts(spec).items()}
    return [
        f"the command has ${variable} without quotes, where a shell splits the value of {name!r}. "
        f'Write "${variable}" with quotes.'
        for variable, (name, text) in variables.items()
        if variable in open_names and _CHANGED_BY_SPLITTING.search(text)
    ]
