"""Check mappings given as arguments."""

from collections.abc import Mapping
from typing import TypeVar

from pai_jupyter.errors import SpecError

Value = TypeVar("Value")


def named(field: str, given: Mapping[str, Value] | None) -> dict[str, Value]:
    """Return a copy of the mapping given for the argument `field`; {} for None.

    Raises:
        SpecError: it is not a mapping.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SpecError(
            f"`{field}` must be a dict of names and values, e.g. {{'lr': 0.1}}, and is {given!r:.100}.", field=field
        )
    return dict(given)
