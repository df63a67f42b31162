"""What is a number in a log, and what a line says."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

# No flags: `\d` would take the digits of all scripts, and `i` without its case the dotless one, which is none for `float`.
_DIGITS, _EXPONENT = r"[0-9]++", r"(?:[eE][-+]?[0-9]++)?"
NUMBER = (
    rf"[-+]?(?:{_DIGITS}(?:\.[0-9]*+)?{_EXPONENT}|\.{_DIGITS}{_EXPONENT}"
    r"|[nN][aA][nN]\b|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?\b)"
)
END = r"(?![\w/\\]|[.:-]\w|,[0-9])"  # behind a number: no unit, time, date, version, path, thousands
INT = r"[0-9]{1,15}"  # more digits are an id

_WHOLE_NUMBER = re.compile(NUMBER)


class ParsedLine(NamedTuple):  # three times as fast as a dataclass
    """What a line says. `epoch` of `epochs` and `step` of `steps`: as printed, counted from 0 or 1, who knows.

    Without `epoch` and `step` the line has no place: the values of each name are counted.
    """

    metrics: Mapping[str, float] = MappingProxyType({})
    epoch: float | None = None
    epochs: float | None = None
    is_share: bool = False  # `epoch` is how many epochs are done (1.27), not the number of the one that goes on
    step: float | None = None
    steps: float | None = None  # of one epoch, where there are epochs
    is_bar: bool = False  # one of many states of one bar
    is_aside: bool = False  # `step` counts something else than training: a validation, a download

    @property
    def share(self) -> float | None:
        """How much of its steps is done, from 0 to 1."""
        return self.step / self.steps if self.step is not None and self.steps else None


def parse_number(text: str) -> float | None:
    """Parse `text` as a number, nan and infinities included; None where it is none."""
    text = text.strip()
    return float(text) if _WHOLE_NUMBER.fullmatch(text) else None


def to_float(number: str | float | None) -> float | None:
    return None if number is None else float(number)
