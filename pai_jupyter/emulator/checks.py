"""What every service asks of a call before it does anything, and what its records have in common: ids, times."""

import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from string import ascii_lowercase, digits

from pai_jupyter.emulator.api import Call, Fields, Refusal
from pai_jupyter.emulator.lists import invalid
from pai_jupyter.spec import Json

_ID_LENGTH = 16


def stamp() -> str:
    """Now, as services write it: UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def new_id(prefix: str) -> str:
    """Create an id as the services do: a prefix, then random letters and digits."""
    return prefix + "".join(secrets.choice(ascii_lowercase + digits) for _ in range(_ID_LENGTH))


def text(call: Call, name: str, *, default: str | None = None) -> str:
    """Read a text of the body; without a default it is required."""
    value = call.body.get(name)
    if value in (None, ""):
        if default is None:
            raise missing(name)
        return default
    if not isinstance(value, str):
        raise invalid(name, value, "a text")
    return value


def one_of(call: Call, name: str, known: Iterable[str], *, default: str | None = None) -> str:
    """Read a text of the body that must be one of `known`."""
    value = text(call, name, default=default)
    if value not in (known := sorted(known)):
        raise invalid(name, value, f"one of {', '.join(known)}")
    return value


def objects(call: Call, name: str) -> list[Fields]:
    """Read a list of objects of the body; empty when missing."""
    value = call.body.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise invalid(name, value, "a list of objects")
    found = [each for each in value if isinstance(each, dict)]
    if len(found) < len(value):
        raise invalid(name, value, "a list of objects")
    return found


def workspace(call: Call, value: Json) -> str:
    """Read the workspace that a call names, which must exist; without one, the default workspace."""
    if value in (None, ""):
        return call.world.workspace_id
    if str(value) != call.world.workspace_id:
        raise Refusal(404, "WorkspaceNotFound", f"there is no workspace {str(value)[:100]!r}")
    return str(value)


def found(call: Call, kind: str, record_id: str, *, what: str) -> Fields:
    """Return a record, which must exist."""
    record = call.world.records(kind).get(record_id)
    if record is None:
        raise Refusal(404, f"{what}NotFound", f"there is no {what.lower()} {record_id[:100]!r}")
    return record


def missing(name: str) -> Refusal:
    """Create the refusal of a call that lacks a parameter."""
    return Refusal(400, "MissingParameter", f"{name} is mandatory for this action")
