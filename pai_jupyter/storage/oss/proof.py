"""What an answer must have in it before a transfer counts as done: a status alone proves nothing."""

from collections.abc import Callable
from typing import Any

from pai_jupyter.storage.oss.faults import NotOssError, damaged


def check_etag(answer: Any) -> None:  # Any: oss2 has no types
    """Every object, and every part, has an etag.

    Raises:
        NotOssError: it has none.
    """
    if answer.etag is None:
        raise _unproved(answer, "etag")


def check_object(answer: Any) -> None:  # Any: oss2 has no types
    """What there is of an object: its etag, and how many bytes come.

    Raises:
        NotOssError: one of them is missing.
    """
    check_etag(answer)
    if answer.content_length is None:
        raise _unproved(answer, "length")


def check_stored(answer: Any, md5: Callable[[], str]) -> None:  # Any: oss2 has no types
    """Whether what was sent is there: the SDK has compared the checksum, where one is told; else the etag is the MD5.

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
