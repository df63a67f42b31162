"""Times as OSS writes and reads them, all of them in UTC. No I/O."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_STAMP = "%Y%m%dT%H%M%SZ"


def iso(seconds: float) -> str:
    """Format epoch seconds for XML."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.000Z"


def http(seconds: float) -> str:
    """Format epoch seconds for headers."""
    return f"{datetime.fromtimestamp(seconds, UTC):%a, %d %b %Y %H:%M:%S} GMT"


def read_http(text: str) -> float | None:
    """Seconds since 1970; None for what is no time."""
    try:
        date = parsedate_to_datetime(text)
        return date.replace(tzinfo=date.tzinfo or UTC).timestamp()
    except (ValueError, OverflowError):
        return None


def read_stamp(text: str) -> float | None:
    """Parse a time of a version 4 signature: `20260102T030405Z`."""
    try:
        return datetime.strptime(text, _STAMP).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
