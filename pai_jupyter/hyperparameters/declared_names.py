"""The names that a script declares, and what a name that is given stands for.

Rule: a name is found as it is written; else as another name of the same option, else as its beginning where the parser takes that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.hyperparameter import Channel, Hyperparameter
from pai_jupyter.hyperparameters.values import check, infer
from pai_jupyter.spec import Scalar, env_name

_LISTED = 12  # names in a message


@dataclass(frozen=True, kw_only=True)
class DeclaredNames:
    """The hyperparameters and channels of a script by name.

    `suggestions` are values of the script that nobody declared: constants, config dicts and classes. `entries` are those of
    other dicts, reached by their dotted names and not offered. `options` are the long names that its argparse knows, without
    dashes; `strict`: it stops at any other. `abbreviates`: it takes the beginning of an option's name for it.
    """

    hyperparameters: tuple[Hyperparameter, ...] = ()
    channels: tuple[Channel, ...] = ()
    suggestions: tuple[Hyperparameter, ...] = ()
    entries: tuple[Hyperparameter, ...] = ()
    options: frozenset[str] = frozenset()
    strict: bool = False
    abbreviates: bool = True

    def find(self, name: str) -> Hyperparameter | None:
        """Find the hyperparameter, channel option or suggestion of this name, else with this alias; None if missing."""
        declared = [*self.hyperparameters, *(channel.option for channel in self.channels)]
        declared += [*self.suggestions, *self.entries]
        exact = next((it for it in declared if it.name == name), None)
        return exact or next((it for it in declared if name in it.aliases), None)

    def full_name(self, name: str) -> str:
        """Return the name of the option that `name` stands for: `batch-size` for a parameter `batch_size`.

        Of argparse also `e` of `-e/--epochs`, `mom` for `--momentum`, where nothing but argparse takes the words. `name`
        itself where it is declared, or stands for none or several.
        """
        if self.find(name) is not None:
            return name
        by_spelling = next((it.name for it in self.hyperparameters if name in it.spellings), None)
        if by_spelling is not None or not self.strict:
            return by_spelling or name
        by_letters = next((it.name for it in self.hyperparameters if name in it.letters), None)
        if by_letters is not None:
            return by_letters
        if self._switch_of(name) is not None or not self.abbreviates:
            return name
        begun = [option for option in (*self.options, "help") if option.startswith(name)]
        is_known = len(begun) == 1 and (self.find(begun[0]) or self._switch_of(begun[0])) is not None
        return begun[0] if name and is_known else name

    def in_full(self, values: Mapping[str, object]) -> dict[str, object]:
        """`values` under the full names of their options, `no-amp` as the opposite of `amp`.

        What is given twice so, or is no value, keeps its name: `errors` has a sentence for it.
        """
        found: dict[str, object] = {}
        for given, value in values.items():
            name, meant = self._meant(given, value)
            is_twice = name != given and (name in values or name in found)
            found.update({given: value} if is_twice else {name: meant})
        return found

    def _meant(self, given: str, value: object) -> tuple[str, object]:
        """Return the option and the value that argparse would resolve these to."""
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
            SpecError: with `field`; the sentence names the hyperparameter, what is wrong and what is allowed.
        """
        declared = self.find(name)
        if declared is None or (declared.origin == "given" and declared.type != "Json"):
            return infer(name, value)
        return check(replace(declared, name=name), value)

    def _primary(self, name: str) -> str:
        declared = self.find(name)
        return declared.name if declared else name

    def _twin(self, name: str) -> str | None:
        """Return the declared name that maps to the same variable, else None."""
        return next((it.name for it in self._declared() if env_name(it.name) == env_name(name)), None)

    def _hint(self, name: str, what: str) -> str:
        names = [it.name for it in self._declared()]
        close = get_close_matches(name, [*names, *(alias for it in self._declared() for alias in it.aliases)], n=1)
        if close:
            return f"Did you mean `{close[0]}`?"
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        return f"It has {', '.join(names[:_LISTED])}{more}." if names else f"It has no {what}."

    def _declared(self) -> list[Hyperparameter]:
        declared = [*self.hyperparameters, *(channel.option for channel in self.channels), *self.suggestions]
        return [it for it in declared if it.origin != "given"]
