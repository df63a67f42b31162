"""Sign requests as an `httpx.Auth` generator: each one has its own date and nonce.

The service accepts dates within 15 minutes of its clock. If it rejects ours, its answer has its own time: the difference is
stored, and the request, which was not carried out, is sent once more.
"""

import hashlib
import secrets
import time
from collections.abc import Callable, Generator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import parse_qsl

import httpx

from pai_jupyter.cloud.client.answer import code_of, json_object
from pai_jupyter.cloud.client.credential import Credential
from pai_jupyter.cloud.client.signatures import SignableRequest, sign

CLOCK_CODES = frozenset({"InvalidTimeStamp.Expired", "InvalidTimeStamp.Format", "IllegalTimestamp"})
_WORTH_LEARNING = 60.0  # seconds; a smaller difference is not why the service rejects a date


def fresh_nonce() -> str:
    return secrets.token_hex(16)


class Clock:
    """The service's clock: ours (`now`, in seconds since 1970) plus the difference learned from its answers."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self.skew = 0.0  # seconds that the service is ahead of this machine

    def time(self) -> datetime:
        return datetime.fromtimestamp(self._now() + self.skew, UTC)

    def skew_of(self, date: str | None) -> float | None:
        """Return the seconds by which the clock that wrote `date` (a Date header) is ahead; None without a date."""
        try:
            return parsedate_to_datetime(date or "").timestamp() - self._now()
        except (ValueError, OverflowError):
            return None

    def learn(self, date: str | None) -> bool:
        """Adopt the time in `date`; return whether it differs enough for a retry to succeed."""
        skew = self.skew_of(date)
        if skew is None or abs(skew - self.skew) < _WORTH_LEARNING:
            return False
        self.skew = skew
        return True


class SignatureAuth(httpx.Auth):
    """ACS3-HMAC-SHA256 with one credential."""

    requires_request_body = True
    requires_response_body = True  # the body says why a request was rejected

    def __init__(self, credential: Credential, *, clock: Clock, nonce: Callable[[], str] = fresh_nonce) -> None:
        self._credential = credential
        self._clock = clock
        self._nonce = nonce

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        self._sign(request)
        response = yield request
        before = self._clock.skew
        if is_clock_refusal(response) and self._clock.learn(response.headers.get("date")):
            self._sign(request)
            response = yield request
            if is_clock_refusal(response):  # the new date did not help, so it is dropped
                self._clock.skew = before

    def _sign(self, request: httpx.Request) -> None:
        headers, credential = request.headers, self._credential
        headers["x-acs-date"] = f"{self._clock.time():%Y-%m-%dT%H:%M:%SZ}"
        headers["x-acs-signature-nonce"] = self._nonce()
        headers["x-acs-content-sha256"] = hashlib.sha256(request.content).hexdigest()
        if credential.security_token is not None:
            headers["x-acs-accesskey-id"] = credential.access_key_id
            headers["x-acs-security-token"] = credential.security_token
        headers["authorization"] = sign(
            _message(request), access_key_id=credential.access_key_id, secret=credential.access_key_secret
        )


def is_clock_refusal(response: httpx.Response) -> bool:
    """Return whether the service rejected a request only for its date."""
    return response.is_error and code_of(json_object(response.content)) in CLOCK_CODES


def _message(request: httpx.Request) -> SignableRequest:
    path, _, query = request.url.raw_path.decode("ascii").partition("?")
    return SignableRequest(
        method=request.method,
        path=path,
        query=dict(parse_qsl(query, keep_blank_values=True)),
        headers={name.lower(): value for name, value in request.headers.items()},
        body=request.content,
    )
