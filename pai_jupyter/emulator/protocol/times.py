"""Parse and format times: ISO 8601, in UTC unless another zone is given."""

from datetime import UTC, datetime

from pai_jupyter.emulator.protocol.refusal import invalid


def moment(text: str, name: str = "time") -> datetime:
    """Parse a time; `name` is the parameter, for the error.

    Raises:
        ApiRefusal: it is not a valid time.
    """
    try:
        read = datetime.fromisoformat(text)
    except ValueError as exc:
        raise invalid(name, text, "a time such as 2026-01-01T00:00:00Z") from exc
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def stamp() -> str:
    """Return the current time as services write it: UTC, in seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def written(seconds: float) -> str:
    """Format Unix seconds as services do, with milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def seconds_between(start: str, end: str) -> int:
    return max(0, round((moment(end) - moment(start)).total_seconds()))
