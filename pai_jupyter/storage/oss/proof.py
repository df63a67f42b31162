"""What an answer must have in it before a transfer counts as done: a status alone proves nothing."""

from collections.abc import Callable
from typing import Any

from pai_jupyter.storage.oss.faults import NotOssError, damaged


def check_etag(answer: Any) -> None:  # Any: oss2 has no types
    """Check that the answer has the ETag that every object and every part has.

    Raises:
        NotOssError: it has none.
    """
    if answer.etag is None:
        raise _unproved(answer, "etag")


def check_object(answer: Any) -> None:  # Any: oss2 has no types
    """Check the ETag and the length that an answer announces for an object.

    Raises:
        NotOssError: one of them is missing.
    """
    check_etag(answer)
    if answer.content_length is None:
        raise _unproved(answer, "length")


def check_stored(answer: Any, md5: Callable[[], str]) -> None:  # Any: oss2 has no types
    """Check that OSS has what was sent: by the SDK's checksum where OSS gives one, else by the MD5 in the ETag.

    Raises:
        NotOssError: nothing of that is told.
        InconsistentError: something else is there; the SDK's own, so that it is tried again as that is.
    """
    check_etag(answer)
    if answer.crc is None and answer.etag.upper() != md5():
        raise damaged(answer.request_id)


def _unproved(answer: Any, what: str) -> NotOssError:  # Any: oss2 has no types
    answer.resp.response.close()  # a connection with the rest of an answer in it is of no further use
    return NotOssError(f"it tells no {what} of the object")
