"""Read and validate fields of a call's body; an invalid one raises `ApiRefusal`."""

from collections.abc import Iterable

from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields, invalid, missing
from pai_jupyter.spec import Json


def text(call: ApiCall, name: str, *, default: str | None = None) -> str:
    """Read a text of the body; without a default it is required."""
    value = call.body.get(name)
    if value in (None, ""):
        if default is None:
            raise missing(name)
        return default
    if not isinstance(value, str):
        raise invalid(name, value, "a text")
    return value


def one_of(call: ApiCall, name: str, known: Iterable[str], *, default: str | None = None) -> str:
    """Read a text of the body that must be one of `known`."""
    value = text(call, name, default=default)
    if value not in (known := sorted(known)):
        raise invalid(name, value, f"one of {', '.join(known)}")
    return value


def objects(call: ApiCall, name: str) -> list[Fields]:
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


def workspace(call: ApiCall, value: Json) -> str:
    """Read the workspace that a call names, which must exist; without one, the default workspace."""
    if value in (None, ""):
        return call.world.workspace_id
    if str(value) != call.world.workspace_id:
        raise ApiRefusal(404, "WorkspaceNotFound", f"there is no workspace {str(value)[:100]!r}")
    return str(value)


def found(call: ApiCall, kind: str, record_id: str, *, what: str) -> Fields:
    """Return a record, which must exist."""
    record = call.world.records(kind).get(record_id)
    if record is None:
        raise ApiRefusal(404, f"{what}NotFound", f"there is no {what.lower()} {record_id[:100]!r}")
    return record
