"""Verify that an answer proves the transfer: a status alone is not enough."""

from collections.abc import Callable
from typing import Any

from pai_jupyter.storage.oss.faults import NotOssError, damaged


def check_etag(answer: Any) -> None:  # Any: oss2 has no types
    """Check that the answer has the ETag that every object and every part has.

    Raises:
        NotOssError: it has no ETag.
    """
    if answer.etag is None:
        raise _unproved(answer, "etag")


def check_object(answer: Any) -> None:  # Any: oss2 has no types
    """Check that an answer has an object's ETag and length.

    Raises:
        NotOssError: one of them is missing.
    """
    check_etag(answer)
    if answer.content_length is None:
        raise _unproved(answer, "length")


def check_stored(answer: Any, md5: Callable[[], str]) -> None:  # Any: oss2 has no types
    """Check that OSS stored what was sent: by the SDK's checksum if OSS gives one, else by the MD5 in the ETag.

    Raises:
        NotOssError: the answer has neither.
        InconsistentError: OSS has other content; the SDK's own class, so that it is retried.
    """
    check_etag(answer)
    if answer.crc is None and answer.etag.upper() != md5():
        raise damaged(answer.request_id)


def _unproved(answer: Any, what: str) -> NotOssError:  # Any: oss2 has no types
    answer.resp.response.close()  # a connection with the rest of an answer in it is of no further use
    return NotOssError(f"it tells no {what} of the object")
