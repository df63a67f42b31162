"""Options that only some choices have: those of a subcommand, and those of one alternative of a choice.

    commands=("train",)                          an option of the subcommand `train`
    commands=("adam",), chosen_by="optimizer"    an option that there is only with `--optimizer adam`

Rule: only what the chosen one has is shown and sent; a value for another's option is an error, unless it changes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.declared_names import DeclaredNames
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter
from pai_jupyter.hyperparameters.values import same

_OF_THE_COMMAND = ("command", "positional")


def place_of(declared: Hyperparameter) -> int:
    """Return the sort key of an option: the program's own, then the subcommand, then the options of the subcommand."""
    return 1 if declared.style == "command" else 2 if declared.commands and not declared.chosen_by else 0


@dataclass(frozen=True, kw_only=True)
class Alternatives(DeclaredNames):
    """The hyperparameters of a script, of which some depend on a choice."""

    def chooser(self, declared: Hyperparameter) -> Hyperparameter | None:
        """Return the hyperparameter whose value decides whether there is this option; None if it is always there."""
        if not declared.commands:
            return None
        found = (it for it in self.hyperparameters if _chooses(it, declared))
        return next(found, None)

    def applies(self, declared: Hyperparameter | None, values: Mapping[str, object]) -> bool:
        """Return whether `values` choose what has this option; an undeclared one is the program's."""
        if declared is None or not declared.commands:
            return True
        chooser = self.chooser(declared)
        chosen: object = chooser.default if chooser is not None else None
        if chooser is not None:
            given = next((values[name] for name in (chooser.name, *chooser.aliases) if name in values), None)
            chosen = chosen if given is None or given == "" else given
        return chosen in declared.commands

    def _check_choice(self, name: str, values: Mapping[str, object]) -> None:
        """Refuse an option that the values do not choose, unless its value is the default."""
        declared = self.find(name)
        if declared is None or self.applies(declared, values):
            return
        if same(self.check(name, values[name]), declared.default):
            return
        own, chooser = declared.commands[0], self.chooser(declared)
        choice = chooser.name if chooser is not None else "command"
        raise SpecError(
            f"`{name}` is an option of the subcommand `{own}`, which is not the chosen one. Remove it, or give -p {choice}={own}."
            if not declared.chosen_by
            else f"`{name}` is an option only with `{choice}` = `{own}`. Remove it, or give -p {choice}={own}.",
            field=name,
        )

    def _leaves_to_command(self, values: Mapping[str, object]) -> bool:
        """Return whether the command may give a subcommand or a positional argument that the values do not."""
        return any(it.style in _OF_THE_COMMAND and it.name not in values for it in self.hyperparameters)

    def _beside_command(self, values: Mapping[str, object]) -> Self:
        """Return the schema for a command that gives these itself: `python train.py fit data.csv $PAI_USER_ARGS`."""
        left = {it.name for it in self.hyperparameters if it.style in _OF_THE_COMMAND} - set(values)
        is_command_left = any(it.name in left and it.style == "command" for it in self.hyperparameters)
        kept = []
        for it in self.hyperparameters:
            if it.style == "command" and is_command_left:
                continue
            is_of_command = bool(it.commands) and not it.chosen_by
            is_loose = it.name in left or (is_command_left and is_of_command)
            commands = () if is_command_left and is_of_command else it.commands
            kept.append(replace(it, commands=commands, only_if_given=True, required=False) if is_loose else it)
        return replace(self, hyperparameters=tuple(kept))


def _chooses(it: Hyperparameter, declared: Hyperparameter) -> bool:
    return it.name == declared.chosen_by if declared.chosen_by else it.style == "command"
