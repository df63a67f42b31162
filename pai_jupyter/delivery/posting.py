"""Post to an address once, and tell how far the request came: only one that did not arrive whole may be sent again by anybody."""

import ssl
import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from pai_jupyter.delivery.answers import Answer

CONNECT, WRITE, READ = 10.0, 20.0, 30.0  # seconds
WHOLE = 60.0  # seconds for an answer with its body
MAX_ANSWER = 16 * 1024  # bytes of an answer that are read


class NotSentError(Exception):
    """The request did not leave, or not whole: it was not taken. `is_final`: nor will it be at the next try."""

    def __init__(self, why: str, *, is_final: bool = False) -> None:
        super().__init__(why)
        self.is_final = is_final


class NoAnswerError(Exception):
    """The request was sent whole, and the answer is lost: nobody knows what came of it."""


def post(address: str, body: bytes, headers: Mapping[str, str], *, begins: Callable[[], None]) -> Answer:
    """Post `body`; call `begins` right before the first byte of the request. Redirections are not followed.

    Raises:
        NotSentError, NoAnswerError: with the reason, which does not have the address.
    """
    import httpx  # late: most processes never send

    progress = _Progress(begins)
    timeout = httpx.Timeout(connect=CONNECT, write=WRITE, read=READ, pool=CONNECT)
    deadline = time.monotonic() + WHOLE
    try:
        with (
            httpx.Client(timeout=timeout, follow_redirects=False, verify=_certificates()) as client,
            client.stream(
                "POST",
                address,
                content=body,
                headers={"Content-Type": "application/json; charset=utf-8", "User-Agent": "pai_jupyter", **headers},
                extensions={"trace": progress.take},
            ) as response,
        ):
            return Answer(
                status=response.status_code,
                text=_text_of(response, deadline),
                retry_after=_retry_after(response.headers.get("Retry-After", "")),
            )
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError) as exc:
        raise NotSentError("its address is not valid", is_final=True) from exc
    except (httpx.HTTPError, OSError) as exc:  # OSError: certificates that cannot be read
        why = _reason(exc)
        if progress.is_whole:
            raise NoAnswerError(why) from exc
        raise NotSentError(why) from exc


@cache
def _certificates() -> ssl.SSLContext:
    """Read the certificates that are trusted, once: it takes 50 ms and more."""
    import httpx

    return httpx.create_ssl_context()


class _Progress:
    """Hears how a request goes; what a proxy is told first does not count."""

    def __init__(self, begins: Callable[[], None]) -> None:
        self._begins = begins
        self._has_begun = False
        self.is_whole = False

    def take(self, name: str, info: Mapping[str, Any]) -> None:  # Any: as httpcore gives it
        if getattr(info.get("request"), "method", b"") == b"CONNECT":
            return
        if name.endswith("send_request_headers.started") and not self._has_begun:
            self._has_begun = True
            self._begins()
        elif name.endswith("send_request_body.complete"):
            self.is_whole = True


def _text_of(response: Any, deadline: float) -> str:  # Any: httpx is imported late
    """Return the beginning of an answer's text; what breaks off behind its status is not needed."""
    import httpx

    data = b""
    try:
        for chunk in response.iter_bytes(4096):
            data += chunk
            if len(data) >= MAX_ANSWER or time.monotonic() > deadline:
                break
    except httpx.HTTPError:
        pass
    return data[:MAX_ANSWER].decode("utf-8", "replace")


def _retry_after(text: str) -> float:
    return float(text) if text.isdecimal() and len(text) < 9 else 0.0


def _reason(exc: Exception) -> str:
    import httpx

    match exc:
        case httpx.ConnectTimeout() | httpx.PoolTimeout():
            return f"no connection within {CONNECT:.0f} s"
        case httpx.ReadTimeout():
            return f"no answer within {READ:.0f} s"
        case httpx.WriteTimeout():
            return f"the message could not be sent within {WRITE:.0f} s"
        case httpx.ConnectError():
            return "cannot connect" if "CERTIFICATE" not in str(exc) else "its certificate is not trusted"
        case httpx.ProxyError():
            return "the proxy does not let it through"
        case _:
            return "the connection broke"
