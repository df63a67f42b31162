"""Times as clients write them: ISO 8601, in UTC unless they say otherwise. Pure."""

from datetime import UTC, datetime

from pai_jupyter.emulator.lists import invalid


def moment(text: str, name: str = "time") -> datetime:
    """Read a time; `name` is the parameter that has it.

    Raises:
        Refusal: it is none.
    """
    try:
        read = datetime.fromisoformat(text)
    except ValueError as exc:
        raise invalid(name, text, "a time such as 2026-01-01T00:00:00Z") from exc
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def written(seconds: float) -> str:
    """Format epoch seconds as the service does, with milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def seconds_between(start: str, end: str) -> int:
    return max(0, round((moment(end) - moment(start)).total_seconds()))
