"""Types that the other declarations use."""

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from pai_jupyter.events import Phase, Status
from pai_jupyter.wire.schema.limits import MAX_SENTENCE, Named, Number, Text, Words

JsonNumber: TypeAlias = Annotated[
    float | Annotated[str, Words("nan", "inf", "-inf")],
    Named("JsonNumber", "A number; nan and infinities as words, since JSON lacks them."),
]
Scalar: TypeAlias = Annotated[str | float | bool | None, Named("Scalar")]
Count: TypeAlias = Annotated[int, Number()]
"""A whole number, zero or more."""
LineNumber: TypeAlias = Annotated[int, Number(least=1)]
"""A line of a cell or a script, from 1."""
Pair: TypeAlias = Annotated[tuple[str, str], Named("Pair", "A name and its value.")]

StatusWord: TypeAlias = Annotated[str, Words(*Status), Named("Status", "The status of a job.")]
PhaseWord: TypeAlias = Annotated[str, Words(*Phase), Named("Phase", "What a job that has left the queue is doing.")]
Group: TypeAlias = Literal["metrics", "usage"]
Source: TypeAlias = Literal["log", "tensorboard", "usage"]
Truth: TypeAlias = Annotated[Literal["true", "false", "1", "0"], Named("Truth", "A boolean in a query.")]


class Nothing(TypedDict):
    """An object without fields."""


class PriceJson(TypedDict):
    """What a job costs: an amount an hour while it runs. Its own price, as of when it was submitted."""

    currency: str  # "CNY"
    per_hour: float  # of all its machines
    ceiling: NotRequired[float]  # the most, up to its time limit, in whole cents
    is_spot: NotRequired[bool]  # the amounts are the most: the discount is not known
    is_rehearsal: NotRequired[bool]  # at an emulator: nothing is charged


class WireError(TypedDict):
    """An error: what went wrong, where, and what to type next."""

    type: str
    message: Annotated[str, Text(least=1, most=MAX_SENTENCE)]
    hint: str


class FileShown(TypedDict):
    """The type of a file, and the beginning of a text; an image's bytes are the buffer."""

    size: Count
    type: Literal["text", "json", "image", "binary"]
    mime: str
    text: str
    is_cut: bool


class GreetingJson(TypedDict):
    """The versions of wire format and package, and the user's language; '' if not set."""

    api: Literal[1]
    version: str
    language: str
    notify_after: NotRequired[
        float
    ]  # seconds that a job takes at least whose end is told; an older server does not say


class JobNamed(TypedDict):
    """A job, by its id and its name."""

    job: str
    name: str
