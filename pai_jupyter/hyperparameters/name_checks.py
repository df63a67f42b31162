"""Check the name of a value: whether the script declares it, and if not, whether anything in the script can take it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.alternatives import Alternatives
from pai_jupyter.hyperparameters.hyperparameter import Channel
from pai_jupyter.hyperparameters.offered_names import ambiguous_names
from pai_jupyter.hyperparameters.plain_variables import declaration, find_plain_variable
from pai_jupyter.hyperparameters.values import check, infer, number_in
from pai_jupyter.spec import is_hyperparameter_name


def _on_line(line: int) -> str:
    return f"on line {line}"


@dataclass(frozen=True, kw_only=True)
class NameChecks(Alternatives):
    """The hyperparameters of a script; `source` is its text, in which an undeclared name may be a variable.

    `where` says where a line of `source` is from: "on line 3", of a completed cell "in cell [7], line 1".
    """

    source: str = field(default="", repr=False, compare=False)
    where: Callable[[int], str] = field(default=_on_line, repr=False, compare=False)

    def _check_name(self, name: str, values: Mapping[str, object], *, is_strict: bool, is_closed: bool) -> None:
        declared = self.find(name)
        if any(is_given_input(it) and it.name == name for it in self.channels):
            raise SpecError(
                f"`{name}` is an input of this job, so it cannot have a value as well. Remove -i or -p.", field=name
            )
        if declared is not None and name != declared.name and declared.name in values:
            raise SpecError(f"`{name}` and `{declared.name}` are the same option. Give one of them.", field=name)
        full = self.full_name(name)
        meant = self.find(full) or self._switch_of(full) if declared is None and is_strict else None
        if meant is not None:  # left by `in_full`
            check(replace(meant, name=name), values[name])
            raise SpecError(f"`{name}` and `{meant.name}` are the same option. Give one of them.", field=name)
        if declared is None or declared.origin == "given":
            self._check_undeclared(name, values[name], is_strict=is_strict, is_closed=is_closed)

    def _check_undeclared(self, name: str, value: object, *, is_strict: bool, is_closed: bool) -> None:
        if not is_hyperparameter_name(name):
            raise SpecError(
                f"{name!r} cannot be a hyperparameter's name; use letters, digits, _, - and ., no _ in front.",
                field=name,
            )
        twin = self._twin(name)
        if twin is not None:
            raise SpecError(f"`{name}` is spelled `{twin}` in the script. Write -p {twin}=...", field=name)
        if is_strict or is_closed:
            self._refuse_plain_variable(name)
        if is_strict:
            raise SpecError(
                f"`{name}` is no option of the script, whose parse_args() stops at it. {self._hint(name, 'options')} "
                "To let it through write parse_known_args().",
                field=name,
            )
        if is_closed:
            raise SpecError(
                f"`{name}` is not declared by the script, and nothing in it reads it. {self._hint(name, 'hyperparameters')} "
                f"To use `{name}`, write `{_declaration(name, value)}` on a line of its own at the top level of the script.",
                field=name,
            )

    def _refuse_ambiguous(self, name: str) -> None:
        """Raise the error for a key that several of the script's dicts have."""
        names = ambiguous_names(name, (*self.suggestions, *self.entries)) if self.find(name) is None else []
        if names:
            listed = ", ".join(f"`{it}`" for it in names)
            raise SpecError(
                f"`{name}` is a key of several dicts: {listed}. Write the one that you mean: -p {names[0]}=...",
                field=name,
            )

    def _refuse_plain_variable(self, name: str) -> None:
        """Raise the error for a value given to a plain variable of the script."""
        variable = find_plain_variable(name, self.source)
        if variable is None:
            return
        where = self.where(variable.line)
        if not variable.block:
            text = f"`{name}` is a plain variable {where}. To give it values, write `{variable.declaration}` there."
        else:
            text = (
                f"`{name}` is set {where} inside `{variable.block}`, where it is not seen. Write "
                f"`{variable.declaration}` at the top level instead, or add `# hp:` behind it."
            )
        raise SpecError(text, field=name)


def _declaration(name: str, value: object) -> str:
    try:
        typed = infer(name, value)
    except SpecError:  # said by `check`
        typed = None
    number = number_in(typed)
    return declaration(name, typed if number is None else number)


def is_given_input(channel: Channel) -> bool:
    """Return whether the job has this input."""
    return channel.direction == "input" and not channel.candidate
