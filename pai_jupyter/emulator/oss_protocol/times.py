"""Format and parse times as OSS does, in UTC. No I/O."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_STAMP = "%Y%m%dT%H%M%SZ"


def iso(seconds: float) -> str:
    """Format Unix seconds for XML."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.000Z"


def http(seconds: float) -> str:
    """Format Unix seconds for headers."""
    return f"{datetime.fromtimestamp(seconds, UTC):%a, %d %b %Y %H:%M:%S} GMT"


def read_http(text: str) -> float | None:
    """Parse an HTTP date to Unix seconds; None if it is invalid."""
    try:
        date = parsedate_to_datetime(text)
        return date.replace(tzinfo=date.tzinfo or UTC).timestamp()
    except (ValueError, OverflowError):
        return None


def read_stamp(text: str) -> float | None:
    """Parse the time of a version 4 signature (`20260102T030405Z`) to Unix seconds; None if it is invalid."""
    try:
        return datetime.strptime(text, _STAMP).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
