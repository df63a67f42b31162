"""The declaration of one hyperparameter, as plain values; other modules read it from code."""

import ast
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pai_jupyter.spec import ArgumentStyle, Scalar

HyperparameterType: TypeAlias = Literal["Int", "Float", "String", "Bool", "Json"]  # Json: lists and dicts
Origin: TypeAlias = Literal[
    "argparse", "assignment", "dict", "given"
]  # given: by the user only; the script declares none


@dataclass(frozen=True, kw_only=True)
class Span:
    """The position of a literal in the source: lines from 1, columns from 0 in UTF-8 bytes, as `ast` counts them."""

    line: int
    column: int
    end_line: int
    end_column: int


def span_of(node: ast.expr) -> Span:
    """Return where an expression stands."""
    return Span(
        line=node.lineno,
        column=node.col_offset,
        end_line=node.end_lineno or node.lineno,
        end_column=node.end_col_offset or node.col_offset,
    )


@dataclass(frozen=True, kw_only=True)
class Hyperparameter:
    """One hyperparameter with its type and constraints.

    `default` None: there is none, or only running the script would tell; then `default_text` is its source.
    `minimum` and `maximum` are inclusive unless `open_minimum`, `open_maximum`; of a String they bound the length.
    `step` is for a form's control; it is not a constraint.
    `style` is how the parser takes it; `item_type` the type of each item of nargs or append, of which there may be none if
    `may_be_empty`. `nullable`: the annotation allows None. `aliases` are its other long names, `letters` those with a single
    dash. `spellings` are names that users know and its parser does not: the parameter `batch_size` of `--batch-size`.
    `commands` are the subcommands that have it; empty: it is an option of the program itself. With `chosen_by` they are values
    of that hyperparameter instead. `no_dash`: its parser takes a value that begins with `-` for an option.
    `only_if_given`: its default is not sent, because a file that the script reads may have set another.
    `places` are the literals (assignments, dict entries) that declare it; a value is written into all of them.
    """

    name: str
    type: HyperparameterType
    default: Scalar = None
    default_text: str = ""
    required: bool = False
    choices: tuple[Scalar, ...] = ()
    minimum: int | float | None = None
    maximum: int | float | None = None
    open_minimum: bool = False
    open_maximum: bool = False
    step: int | float | None = None
    log: bool = False
    help: str = ""
    origin: Origin = "argparse"
    style: ArgumentStyle | None = None
    item_type: HyperparameterType | None = None
    may_be_empty: bool = False
    nullable: bool = False
    line: int | None = None
    places: tuple[Span, ...] = ()
    aliases: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()
    spellings: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    chosen_by: str = ""
    no_dash: bool = False
    only_if_given: bool = False


@dataclass(frozen=True, kw_only=True)
class Channel:
    """An option of the script that holds the path of an input or output.

    A `candidate` looks like an input, but the job has no such input; if it is given a value, it is a plain hyperparameter.
    """

    option: Hyperparameter
    direction: Literal["input", "output"]
    candidate: bool = False

    @property
    def name(self) -> str:
        return self.option.name


@dataclass(frozen=True, kw_only=True)
class Note:
    """A remark on a line of the source for users of the form; the linter shows it as a warning."""

    line: int
    text: str
