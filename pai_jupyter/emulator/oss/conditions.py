"""The conditional headers (If-*) and Range of a request. No I/O."""

import re
from collections.abc import Mapping

from pai_jupyter.emulator.oss_protocol.model import Object
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal, not_modified
from pai_jupyter.emulator.oss_protocol.times import read_http

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})(?:,.*)?", re.ASCII)  # of several ranges, the service uses the first


def check(found: Object, headers: Mapping[str, str], *, of: str = "if-") -> None:
    """Check the conditional headers whose names begin with `of`.

    Raises:
        OssRefusal: PreconditionFailed, or 304 (not modified).
    """
    match, none_match = headers.get(f"{of}match"), headers.get(f"{of}none-match")
    if match is not None and match.strip('"') != found.content.etag:
        raise OssRefusal(412, "PreconditionFailed", Condition=f"{of}match")
    unmodified = read_http(headers.get(f"{of}unmodified-since", ""))
    if unmodified is not None and found.modified > unmodified:
        raise OssRefusal(412, "PreconditionFailed", Condition=f"{of}unmodified-since")
    if none_match is not None and none_match.strip('"') == found.content.etag:
        raise not_modified()
    modified = read_http(headers.get(f"{of}modified-since", ""))
    if modified is not None and found.modified <= modified:
        raise not_modified()


def span(headers: Mapping[str, str], size: int) -> tuple[int, int] | None:
    """Return the requested byte range, end excluded; None for the whole object.

    By default the service ignores a range that exceeds the object, and sends the whole; with
    `x-oss-range-behavior: standard` it follows HTTP.

    Raises:
        OssRefusal: InvalidRange.
    """
    found = _RANGE.fullmatch(headers.get("range", ""))
    if found is None or not (found[1] or found[2]):
        return None
    if found[1]:
        start, end = int(found[1]), int(found[2]) + 1 if found[2] else size
        fits = start < size and end <= size
    else:
        start, end = max(size - int(found[2]), 0), size
        fits = 0 < int(found[2]) <= size
    if start >= end and found[2]:
        return None  # start after end: ignored
    if fits:
        return start, end
    if headers.get("x-oss-range-behavior") != "standard":
        return None
    if start >= size:
        raise OssRefusal(416, "InvalidRange", ActualObjectSize=str(size)).with_headers(content_range=f"bytes */{size}")
    return start, min(end, size)
