"""One declaration of a hyperparameter, and merging several of the same name.

`# hp:` comment > annotation > argparse > dict: type, default and constraints come from the strongest declaration; ties: the
last, whose value the script uses. A given value still goes to all of them: each literal, and the option.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.comments import Constraint
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, Note
from pai_jupyter.hyperparameters.literals import NotLiteralError, read_literal
from pai_jupyter.hyperparameters.values import allowed, check
from pai_jupyter.spec import Scalar


class DeclarationPriority(IntEnum):
    """The priority of a declaration; the highest wins."""

    DICT = 0
    ARGPARSE = 1
    ANNOTATION = 2
    COMMENT = 3


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """One declaration of a hyperparameter in the source."""

    hyperparameter: Hyperparameter
    strength: DeclarationPriority
    line: int


def merge(declarations: Iterable[Declaration]) -> list[Hyperparameter]:
    """Merge the declarations into one hyperparameter per name, in the order of the source."""
    by_name: dict[str, list[Declaration]] = {}
    for declaration in sorted(declarations, key=lambda it: it.line):
        by_name.setdefault(declaration.hyperparameter.name, []).append(declaration)
    return [_merge_same(same_name) for same_name in by_name.values()]


def _merge_same(declarations: list[Declaration]) -> Hyperparameter:
    found = [it.hyperparameter for it in sorted(declarations, key=lambda it: (it.strength, it.line))]
    winner = found[-1]
    options = [it for it in found if it.origin == "argparse"]
    option = options[-1] if options else None
    if len({repr(it.default) for it in options}) > 1 and option is not None and option.commands and option is winner:
        winner = replace(winner, default=None, default_text=repr(winner.default))  # each subcommand has its own
    return replace(
        winner,
        help=next((it.help for it in reversed(found) if it.help), ""),
        places=tuple(place for it in found for place in it.places),
        style=option.style if option else None,
        item_type=option.item_type if option else None,
        may_be_empty=option.may_be_empty if option else False,
        aliases=option.aliases if option else (),
        letters=option.letters if option else (),
        spellings=option.spellings if option else (),
        commands=tuple(name for it in options for name in it.commands) if all(it.commands for it in options) else (),
        chosen_by=option.chosen_by if option else "",
        no_dash=option.no_dash if option else False,
        only_if_given=option.only_if_given if option else False,
    )


def notes_on_defaults(declared: Iterable[Hyperparameter]) -> Iterator[Note]:
    """Yield a note for each default that its own declaration forbids; it is never sent, but the script uses it."""
    for it in declared:
        is_constrained = it.choices or it.minimum is not None or it.maximum is not None
        if (
            it.default is not None
            or not it.default_text
            or not is_constrained
            or it.style in ("words", "repeat", "count")
        ):
            continue
        try:
            default = read_literal(ast.parse(it.default_text, mode="eval").body)
            if default != "":  # people write that for "none"
                check(it, default)
        except SpecError:
            text = f"the default of `{it.name}` is {it.default_text}, but only {allowed(it)} is allowed; change one of them"
            yield Note(line=it.line or 1, text=text)
        except (NotLiteralError, SyntaxError, ValueError):
            continue  # only the running script knows it


def constrain(declared: Hyperparameter, constraint: Constraint | None, *, line: int) -> Hyperparameter:
    """Apply a `# hp:` comment to a declaration.

    Raises:
        SpecError: with `line`, if it does not fit the type.
    """
    if constraint is None:
        return declared
    has_range = constraint.minimum is not None or constraint.maximum is not None
    if has_range and declared.type in ("Bool", "Json"):
        raise SpecError(
            f"line {line}: `{declared.name}` is {declared.type}, which has no range; remove it from `# hp:`", line=line
        )
    changed = replace(declared, help=constraint.help or declared.help)
    if has_range:
        changed = replace(
            changed,
            minimum=constraint.minimum,
            maximum=constraint.maximum,
            open_minimum=constraint.open_minimum,
            open_maximum=constraint.open_maximum,
            step=constraint.step,
            log=constraint.log,
            choices=(),
        )
    if constraint.choices:
        try:
            changed = with_choices(changed, constraint.choices)
        except SpecError as exc:
            raise SpecError(f"line {line}: a choice in `# hp:` does not go with the type: {exc}", line=line) from exc
    return changed


def with_choices(declared: Hyperparameter, choices: Iterable[Scalar]) -> Hyperparameter:
    """Set the choices, each in the declared type.

    Raises:
        SpecError: one of them has another type.
    """
    unchecked = replace(declared, choices=(), minimum=None, maximum=None)
    return replace(unchecked, choices=tuple(check(unchecked, choice) for choice in choices))


def with_default(declared: Hyperparameter, default: Scalar, text: str) -> Hyperparameter:
    """Set the default; one that violates the declaration is not sent, only shown as `text`."""
    lenient = replace(declared, default=default)  # a nan or infinite default is valid
    try:
        return replace(declared, default=check(lenient, default))
    except SpecError:
        return replace(declared, default=None, default_text=text)
