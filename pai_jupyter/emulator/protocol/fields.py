"""Read and check fields of a body or a record. No I/O.

Rule: empty counts as not given, as in the cloud; so a missing list or object is an empty one.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from pai_jupyter.emulator.protocol.refusal import Fields, invalid, missing
from pai_jupyter.spec import Json


def mapping_of(fields: Fields, name: str) -> Fields:
    """Read an object; {} if there is none."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def list_of(fields: Fields, name: str) -> Sequence[object]:
    """Read a list; [] if there is none."""
    value = fields.get(name)
    return value if isinstance(value, list) else []


def items_of(fields: Fields, name: str, required: Collection[str] = (), *, prefix: str = "") -> list[Fields]:
    """Read the objects of a list, each with its required fields.

    Raises:
        ApiRefusal: it is not a list of objects, or an object lacks a required field.
    """
    value = fields.get(name) or []
    if not is_list_of(dict, value):
        raise invalid(f"{prefix}{name}", value, "a list of objects")
    assert isinstance(value, list)
    items = [item for item in value if isinstance(item, dict)]
    for item in items:
        for key in required:
            if item.get(key) in (None, ""):
                raise missing(f"{prefix}{name}.{key}")
    return items


def check(name: str, value: Json, is_good: Callable[[Any], bool], wanted: str) -> None:  # Any: JSON
    """Refuse a value that is given and invalid."""
    if value is not None and not is_good(value):
        raise invalid(name, value, wanted)


def among(name: str, value: Json, known: Collection[str]) -> None:
    """Refuse a value that is missing or not one of `known`."""
    if value not in known:
        raise invalid(name, value, f"one of {', '.join(known)}")


def is_whole(value: object, *, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def is_list_of(kind: type, value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)
