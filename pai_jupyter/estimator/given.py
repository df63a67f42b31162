"""Values that Python's callers give by name."""

from collections.abc import Mapping
from typing import TypeVar

from pai_jupyter.errors import SpecError

Value = TypeVar("Value")


def named(field: str, given: Mapping[str, Value] | None) -> dict[str, Value]:
    """Return a copy of what was given for the argument `field`; nothing is an empty one.

    Raises:
        SpecError: it is no mapping.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SpecError(
            f"`{field}` must be a dict of names and values, e.g. {{'lr': 0.1}}, and is {given!r:.100}.", field=field
        )
    return dict(given)
