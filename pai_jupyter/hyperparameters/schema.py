"""The declarations of a script, and the only validation of values."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.hyperparameter import Channel, Hyperparameter, HyperparameterType, Note
from pai_jupyter.hyperparameters.plain_variables import declaration, find_plain_variable
from pai_jupyter.hyperparameters.values import check, infer, number_in, type_of
from pai_jupyter.hyperparameters.writing import write_values
from pai_jupyter.spec import ArgumentStyle, Scalar, env_name, is_hyperparameter_name

_LISTED = 12  # names in a message


@dataclass(frozen=True, kw_only=True)
class Schema:
    """The hyperparameters and channels of a script.

    `options` are the long names that its argparse knows, without dashes; `strict`: it fails on any other; `abbreviates`: it
    accepts unique prefixes. `is_closed`: run by the default command, nothing in the script can take an undeclared value.
    `source` is the script's text.
    """

    hyperparameters: tuple[Hyperparameter, ...] = ()
    channels: tuple[Channel, ...] = ()
    options: frozenset[str] = frozenset()
    strict: bool = False
    abbreviates: bool = True
    is_closed: bool = False
    source: str = field(default="", repr=False, compare=False)
    notes: tuple[Note, ...] = ()

    def find(self, name: str) -> Hyperparameter | None:
        """Find the hyperparameter or channel option with this name, else with this alias; None if missing."""
        declared = [*self.hyperparameters, *(channel.option for channel in self.channels)]
        exact = next((it for it in declared if it.name == name), None)
        return exact or next((it for it in declared if name in it.aliases), None)

    def full_name(self, name: str) -> str:
        """Resolve `name` as argparse does: `e` to `epochs` (`-e/--epochs`), `mom` to `momentum`.

        Returns `name` itself if it is declared, matches no option or several, or if other code may parse the arguments.
        """
        if self.find(name) is not None or not self.strict:
            return name
        by_letters = next((it.name for it in self.hyperparameters if name in it.letters), None)
        if by_letters is not None:
            return by_letters
        if self._switch_of(name) is not None or not self.abbreviates:
            return name
        begun = [option for option in (*self.options, "help") if option.startswith(name)]
        is_known = len(begun) == 1 and (self.find(begun[0]) or self._switch_of(begun[0])) is not None
        return begun[0] if name and is_known else name

    def in_full(self, values: Mapping[str, object]) -> dict[str, object]:
        """Return `values` under the full names of their options, `no-amp` as the negation of `amp`.

        A duplicate or an invalid value keeps its name; `errors` reports it.
        """
        found: dict[str, object] = {}
        for given, value in values.items():
            name, meant = self._meant(given, value)
            is_twice = name != given and (name in values or name in found)
            found.update({given: value} if is_twice else {name: meant})
        return found

    def _meant(self, given: str, value: object) -> tuple[str, object]:
        """Return the option and the value to which argparse would resolve these."""
        name = self.full_name(given)
        switch = self._switch_of(name)
        if switch is None:
            return name, value
        try:
            is_off = self.check(switch.name, value)
        except SpecError:
            return given, value
        return (switch.name, not is_off) if isinstance(is_off, bool) else (given, value)

    def _switch_of(self, name: str) -> Hyperparameter | None:
        """Return `amp` for the `no-amp` that `argparse.BooleanOptionalAction` adds."""
        declared = self.find(name[3:]) if name.startswith("no-") and self.find(name) is None else None
        return declared if declared is not None and declared.style == "switch" else None

    def check(self, name: str, value: object) -> Scalar:
        """Convert a value to its declared type, or infer one if undeclared; None means "no value".

        Raises:
            SpecError: with `field`; it names the hyperparameter, the problem and the allowed values.
        """
        declared = self.find(name)
        if declared is None or (declared.origin == "given" and declared.type != "Json"):
            return infer(name, value)
        return check(replace(declared, name=name), value)

    def errors(
        self,
        values: Mapping[str, object],
        *,
        passes_args: bool = True,
        runs_alone: bool = True,
        inputs: Collection[str] = (),
        recorded: Collection[str] = (),
    ) -> dict[str, str]:
        """Return all errors in `values` by name, for a form.

        `passes_args`: the command passes the values to the script's argparse; `runs_alone`: it runs nothing else that could
        take them; `inputs`: the channels that have a location; `recorded`: names of values of an earlier job.
        """
        found: dict[str, str] = {}
        values = self.in_full(values) if passes_args else values
        for name, value in values.items():
            is_closed = self.is_closed and passes_args and runs_alone and name not in recorded
            try:
                self._check_name(name, values, is_strict=self.strict and passes_args, is_closed=is_closed)
                self.check(name, value)
            except SpecError as exc:
                found[name] = str(exc)
        if passes_args:
            found.update(self._missing(values, inputs))
        return found

    def validate(
        self,
        values: Mapping[str, object],
        *,
        passes_args: bool = True,
        runs_alone: bool = True,
        recorded: Collection[str] = (),
    ) -> dict[str, Scalar]:
        """Return the values of a job, typed: the script's known defaults overridden by `values`.

        So `PAI_HPS` is complete. None removes a default: the job gets no value, and the script uses its own.

        Raises:
            SpecError: with `field`, for the first invalid value.
        """
        found = self.errors(values, passes_args=passes_args, runs_alone=runs_alone, recorded=recorded)
        for name, message in found.items():
            raise SpecError(message, field=name)
        values = self.in_full(values) if passes_args else values
        given = {self._primary(name) for name in values}
        defaults = {it.name: it.default for it in self.hyperparameters if it.name not in given}
        # in the order of the script, then the others
        order = {it.name: place for place, it in enumerate(self.hyperparameters)}
        merged = {**defaults, **{name: self.check(name, value) for name, value in values.items()}}
        names = sorted(merged, key=lambda name: order.get(self._primary(name), len(order)))
        return {name: merged[name] for name in names if merged[name] is not None}

    def new_names(self, names: Iterable[str]) -> list[str]:
        """Return the names that are not just another spelling of a declared one; `errors` reports those."""
        return [name for name in names if self.find(name) is not None or self._twin(name) is None]

    def argument_styles(self, values: Mapping[str, Scalar]) -> dict[str, ArgumentStyle]:
        """Return the argument style of each value that is not passed as `--name value`.

        A value declared by an assignment or a dict is never passed as an argument, even to a script that ignores unknown ones:
        it is in the source already, and argparse would take `--lr` for an abbreviation of `--lr_decay`.
        """
        styles: dict[str, ArgumentStyle] = {}
        for name, value in values.items():
            declared = self.find(name)
            if declared is not None and declared.style is not None:
                styles[name] = declared.style
            elif declared is not None and declared.places and name not in self.options:
                styles[name] = "assigned"
            elif (declared is None or declared.origin == "given") and number_in(value) is not None:
                styles[name] = "number"
        return styles

    def write_values(self, source: str, values: Mapping[str, Scalar]) -> str:
        """Return `source` with `values` written into the literals that declare them; line numbers do not change.

        `source` is the text from which this schema was read. Names that no assignment or dict declares are ignored. A nullable
        hyperparameter without a value becomes None.
        """
        by_primary = {self._primary(name): value for name, value in values.items()}
        edits = [
            (place, it, by_primary.get(it.name))
            for it in self.hyperparameters
            for place in it.places
            if by_primary.get(it.name) is not None
            or (it.nullable and it.default is not None and it.name not in by_primary)
        ]
        return write_values(source, edits)

    def including(self, values: Mapping[str, object]) -> "Schema":
        """Return this schema with a row for each of `values` that the script does not declare, for a form.

        A channel with a value is a plain hyperparameter, unless it is an input of the job.
        """
        plain = [it.option for it in self.channels if it.name in values and not _is_given_input(it)]
        unknown = [name for name in values if self.find(name) is None]
        rows = [Hyperparameter(name=name, type=_type_of_given(name, values[name]), origin="given") for name in unknown]
        names = {it.name for it in plain}
        return replace(
            self,
            hyperparameters=(*self.hyperparameters, *plain, *rows),
            channels=tuple(it for it in self.channels if it.name not in names),
        )

    def channel_options(self, values: Collection[str] = ()) -> frozenset[str]:
        """Return the options that the default command fills with channel paths, except those in `values`."""
        return frozenset(it.name for it in self.channels if it.name not in values)

    def _primary(self, name: str) -> str:
        declared = self.find(name)
        return declared.name if declared else name

    def _check_name(self, name: str, values: Mapping[str, object], *, is_strict: bool, is_closed: bool) -> None:
        declared = self.find(name)
        if any(_is_given_input(it) and it.name == name for it in self.channels):
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

    def _refuse_plain_variable(self, name: str) -> None:
        """Raise the error for a value given to a plain variable of the script."""
        variable = find_plain_variable(name, self.source)
        if variable is None:
            return
        if not variable.block:
            text = f"`{name}` is a plain variable on line {variable.line}. To give it values, write `{variable.declaration}` there."
        else:
            text = (
                f"`{name}` is set on line {variable.line} inside `{variable.block}`, where it is not seen. Write "
                f"`{variable.declaration}` at the top level instead, or add `# hp:` behind it."
            )
        raise SpecError(text, field=name)

    def _twin(self, name: str) -> str | None:
        """Return the declared name with the same environment variable, else None."""
        return next((it.name for it in self._declared() if env_name(it.name) == env_name(name)), None)

    def _hint(self, name: str, what: str) -> str:
        names = [it.name for it in self._declared()]
        close = get_close_matches(name, [*names, *(alias for it in self._declared() for alias in it.aliases)], n=1)
        if close:
            return f"Did you mean `{close[0]}`?"
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        return f"It has {', '.join(names[:_LISTED])}{more}." if names else f"It has no {what}."

    def _declared(self) -> list[Hyperparameter]:
        declared = [*self.hyperparameters, *(channel.option for channel in self.channels)]
        return [it for it in declared if it.origin != "given"]

    def _missing(self, values: Mapping[str, object], inputs: Collection[str]) -> Iterator[tuple[str, str]]:
        given = {self._primary(name) for name, value in values.items() if value not in (None, "")}
        for it in self.hyperparameters:
            is_absent = it.default is None or any(name in values for name in (it.name, *it.aliases))
            if it.required and it.name not in given and is_absent and not it.places:
                yield it.name, f"`{it.name}` has no value, and the script requires one. Give it: -p {it.name}=..."
        for channel in self.channels:
            if channel.candidate and channel.option.required and channel.name not in (*given, *inputs):
                yield (
                    channel.name,
                    f"`{channel.name}` has no place, and the script requires one. Give it: -i {channel.name}=./data",
                )


def _declaration(name: str, value: object) -> str:
    try:
        typed = infer(name, value)
    except SpecError:  # said by `check`
        typed = None
    number = number_in(typed)
    return declaration(name, typed if number is None else number)


def _type_of_given(name: str, value: object) -> HyperparameterType:
    typed = infer(name, value)
    number = number_in(typed)
    return type_of(typed if number is None else number)


def _is_given_input(channel: Channel) -> bool:
    return channel.direction == "input" and not channel.candidate
