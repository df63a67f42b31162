"""The declarations of a script, and the only validation of values."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.alternatives import place_of
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, HyperparameterType, Note
from pai_jupyter.hyperparameters.name_checks import NameChecks, is_given_input
from pai_jupyter.hyperparameters.values import infer, number_in, type_of
from pai_jupyter.hyperparameters.writing import write_values
from pai_jupyter.spec import ArgumentStyle, Scalar


@dataclass(frozen=True, kw_only=True)
class Schema(NameChecks):
    """What a script declares, and what it offers.

    `options` are the long names that its argparse knows, without dashes; `strict`: it fails on any other; `abbreviates`: it
    accepts unique prefixes. `is_closed`: run by the default command, nothing in the script can take an undeclared value.
    `undeclared` is the style of an undeclared value otherwise; None: `--name value`.
    """

    is_closed: bool = False
    undeclared: ArgumentStyle | None = None
    notes: tuple[Note, ...] = ()

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
        if not runs_alone and self._leaves_to_command(values):
            return self._beside_command(values).errors(
                values, passes_args=passes_args, inputs=inputs, recorded=[*recorded, *values]
            )
        found: dict[str, str] = {}
        values = self.in_full(values) if passes_args else values
        for name, value in values.items():
            is_closed = self.is_closed and passes_args and runs_alone and name not in recorded
            try:
                if name not in recorded:
                    self._refuse_ambiguous(name)
                self._check_name(name, values, is_strict=self.strict and passes_args, is_closed=is_closed)
                self.check(name, value)
                self._check_choice(name, values)
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
        if not runs_alone and self._leaves_to_command(values):
            names = [*recorded, *values]
            return self._beside_command(values).validate(values, passes_args=passes_args, recorded=names)
        found = self.errors(values, passes_args=passes_args, runs_alone=runs_alone, recorded=recorded)
        for name, message in found.items():
            raise SpecError(message, field=name)
        values = self.in_full(values) if passes_args else values
        given = {self._primary(name) for name in values}
        sent = [it for it in self.hyperparameters if not it.only_if_given and self.applies(it, values)]
        defaults = {it.name: it.default for it in sent if it.name not in given}
        values = {name: value for name, value in values.items() if self.applies(self.find(name), values)}
        # in the order of the script, then the others
        known = [*self.hyperparameters, *(it.option for it in self.channels)]
        order = {it.name: place for place, it in enumerate(sorted(known, key=place_of))}
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
            elif self.undeclared is not None and (declared is None or declared.origin == "given"):
                styles[name] = self.undeclared
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
            for it in (*self.hyperparameters, *self.suggestions, *self.entries)
            for place in it.places
            if by_primary.get(it.name) is not None
            or (it in self.hyperparameters and it.nullable and it.default is not None and it.name not in by_primary)
        ]
        return write_values(source, edits)

    def including(self, values: Mapping[str, object]) -> "Schema":
        """Return this schema with a row for each of `values` that the script does not declare or only offers, for a form.

        A channel with a value is a plain hyperparameter, unless it is an input of the job.
        """
        plain = [it.option for it in self.channels if it.name in values and not is_given_input(it)]
        unknown = [name for name in values if self.find(name) is None]
        rows = [Hyperparameter(name=name, type=_type_of_given(name, values[name]), origin="given") for name in unknown]
        chosen = [it for it in (*self.suggestions, *self.entries) if {it.name, *it.aliases}.intersection(values)]
        names = {it.name for it in plain}
        return replace(
            self,
            hyperparameters=(*self.hyperparameters, *chosen, *plain, *rows),
            suggestions=tuple(it for it in self.suggestions if it not in chosen),
            entries=tuple(it for it in self.entries if it not in chosen),
            channels=tuple(it for it in self.channels if it.name not in names),
        )

    def channel_options(self, values: Collection[str] = ()) -> frozenset[str]:
        """Return the options that the default command fills with channel paths, except those in `values`."""
        return frozenset(it.name for it in self.channels if it.name not in values)

    def _missing(self, values: Mapping[str, object], inputs: Collection[str]) -> Iterator[tuple[str, str]]:
        given = {self._primary(name) for name, value in values.items() if value not in (None, "")}
        for it in self.hyperparameters:
            is_absent = it.default is None or any(name in values for name in (it.name, *it.aliases))
            if not self.applies(it, values):
                continue
            if it.required and it.name not in given and is_absent and not it.places:
                yield it.name, f"`{it.name}` has no value, and the script requires one. Give it: -p {it.name}=..."
        for channel in self.channels:
            is_asked_for = channel.candidate and channel.option.required and self.applies(channel.option, values)
            if is_asked_for and channel.name not in (*given, *inputs):
                yield (
                    channel.name,
                    f"`{channel.name}` has no place, and the script requires one. Give it: -i {channel.name}=./data",
                )


def _type_of_given(name: str, value: object) -> HyperparameterType:
    typed = infer(name, value)
    number = number_in(typed)
    return type_of(typed if number is None else number)
