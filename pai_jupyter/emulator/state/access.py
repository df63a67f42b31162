"""Authorize calls: check signatures, tokens, clock and nonces as the cloud does, with its error codes.

    ACS3   `Authorization: ACS3-HMAC-SHA256 ...`     covers the body and the headers that it names
    ROA    `Authorization: acs KEY:...`              does not cover the body
    RPC    `?Signature=...&SignatureMethod=HMAC-SHA1`
    bearer `x-acs-bearer-token: TOKEN` with `x-acs-signature-type: BEARERTOKEN`, in the query as `BearerToken` and
           `SignatureType`: no signature at all

Each signature becomes a `_SignedClaim`: key id, date, nonce, given signature, and a function that computes the expected
signature. A bearer token alone authorizes calls: without signature, date or nonce.

Rule 1: a nonce is used up only by a request with a valid signature, so nobody can use up another client's nonces.
Rule 2: signatures are checked on the path undecoded, the query decoded, and the body as bytes.
Rule 3: no secret or token leaves this module, also not in an exception.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from heapq import heappop, heappush

from pai_jupyter.cloud.client.signatures import ACS3, SignableRequest, Signature, acs3, parse_authorization, roa, rpc
from pai_jupyter.emulator.protocol.refusal import ApiRefusal

WINDOW = 15 * 60.0  # seconds by which a date may differ, and for which a nonce is remembered at least
_STAMP = "%Y-%m-%dT%H:%M:%SZ"
_BEARER = "BEARERTOKEN"


@dataclass(frozen=True, kw_only=True)
class EmulatorKey:
    """An access key; one with a `token` is temporary and valid only with it."""

    access_key_id: str
    secret: str = field(repr=False)
    token: str | None = field(default=None, repr=False)


class Keys:
    """The accepted access keys and bearer tokens."""

    def __init__(self, keys: Iterable[EmulatorKey] = (), *, bearer_tokens: Iterable[str] = ()) -> None:
        self._keys = {key.access_key_id: key for key in keys}
        self._bearer_tokens = tuple(bearer_tokens)

    def find(self, access_key_id: str) -> EmulatorKey | None:
        return self._keys.get(access_key_id)

    def has_bearer_token(self, given: str) -> bool:
        """Return whether this is one of the bearer tokens, in constant time."""
        sent = given.encode(errors="surrogatepass")
        return any(hmac.compare_digest(token.encode(), sent) for token in self._bearer_tokens)

    @property
    def first(self) -> EmulatorKey:
        """The first permanent key."""
        return next(key for key in self._keys.values() if key.token is None)


@dataclass(frozen=True, kw_only=True)
class _SignedClaim:
    access_key_id: str
    signature: str = field(repr=False)
    date: datetime
    nonce: str
    token: str | None = field(repr=False)
    sign: Callable[[str], Signature]


class AccessControl:
    """Admits or refuses requests; `now` is the services' clock, in Unix seconds."""

    def __init__(self, keys: Keys, now: Callable[[], float]) -> None:
        self._keys = keys
        self._now = now
        self._used: dict[tuple[str, str], float] = {}  # key id and nonce -> time until which it is remembered
        self._ends: list[tuple[float, tuple[str, str]]] = []  # the same as a heap by time

    def admit(self, message: SignableRequest) -> None:
        """Check that a request is authorized.

        Raises:
            ApiRefusal: it is not; with the cloud's code.
        """
        bearer_token = _bearer_token(message)
        if bearer_token is not None:
            self._admit_bearer(bearer_token)
            return
        claim = _claim(message)
        if abs(claim.date.timestamp() - self._now()) > WINDOW:
            raise ApiRefusal(400, "InvalidTimeStamp.Expired", "Specified time stamp or date value is expired.")
        key = self._keys.find(claim.access_key_id)
        if key is None:
            raise ApiRefusal(404, "InvalidAccessKeyId.NotFound", "Specified access key is not found.")
        _check_token(key, claim.token)
        if not claim.sign(key.secret).matches(claim.signature):
            raise ApiRefusal(
                400, "SignatureDoesNotMatch", "Specified signature does not match the one that the service calculated."
            )
        self._use_up(claim)

    def _admit_bearer(self, token: str) -> None:
        if not self._keys.has_bearer_token(token):
            raise ApiRefusal(403, "InvalidBearerToken", "Specified bearer token is not found.")

    def _use_up(self, claim: _SignedClaim) -> None:
        self.forget()
        nonce = (claim.access_key_id, claim.nonce)
        if nonce in self._used:
            raise ApiRefusal(400, "SignatureNonceUsed", "Specified signature nonce was used already.")
        # As long as the request itself would be valid: its date may be ahead of our clock.
        until = max(self._now(), claim.date.timestamp()) + WINDOW
        self._used[nonce] = until
        heappush(self._ends, (until, nonce))

    def forget(self) -> None:
        """Delete expired nonces."""
        now = self._now()
        while self._ends and self._ends[0][0] < now:
            del self._used[heappop(self._ends)[1]]


def _check_token(key: EmulatorKey, token: str | None) -> None:
    if key.token and not token:
        raise ApiRefusal(400, "MissingSecurityToken", "SecurityToken is mandatory for this action.")
    if token and not key.token:
        raise ApiRefusal(
            400, "InvalidSecurityToken.MismatchWithAccessKey", "Specified SecurityToken does not belong to this key."
        )
    if key.token and token and not hmac.compare_digest(key.token.encode(), token.encode(errors="surrogatepass")):
        raise ApiRefusal(400, "InvalidSecurityToken.Malformed", "Specified SecurityToken is malformed.")


def _bearer_token(message: SignableRequest) -> str | None:
    """Return the bearer token of an unsigned request; None if there is none."""
    for given, token, kind in (
        (message.headers, "x-acs-bearer-token", "x-acs-signature-type"),
        (message.query, "BearerToken", "SignatureType"),
    ):
        if given.get(token) and "authorization" not in message.headers and "Signature" not in message.query:
            if given.get(kind, "").upper() != _BEARER:
                raise ApiRefusal(400, "UnsupportedSignatureType", f"{kind} must be {_BEARER} with a bearer token.")
            return given[token]
    return None


def _claim(message: SignableRequest) -> _SignedClaim:
    headers = message.headers
    if "Signature" in message.query:
        return _by_query(message)
    if "authorization" not in headers:
        raise ApiRefusal(400, "MissingParameter", "Authorization is mandatory for this action.")
    given = parse_authorization(headers["authorization"])
    if given is None:
        raise ApiRefusal(400, "IncompleteSignature", "The Authorization header is malformed.")
    if given.scheme == ACS3:
        _check_coverage(message, given.signed_headers)
    return _SignedClaim(
        access_key_id=given.access_key_id,
        signature=given.signature,
        date=_date(headers.get("x-acs-date" if given.scheme == ACS3 else "date"), is_acs3=given.scheme == ACS3),
        nonce=_nonce(headers.get("x-acs-signature-nonce")),
        token=headers.get("x-acs-security-token"),
        sign=lambda secret: (
            acs3(message, given.signed_headers, secret) if given.scheme == ACS3 else roa(message, secret)
        ),
    )


def _by_query(message: SignableRequest) -> _SignedClaim:
    query = message.query
    if query.get("SignatureMethod") != "HMAC-SHA1":
        raise ApiRefusal(400, "InvalidParameter.SignatureMethod", "SignatureMethod must be HMAC-SHA1.")
    return _SignedClaim(
        access_key_id=query.get("AccessKeyId", ""),
        signature=query["Signature"],
        date=_date(query.get("Timestamp"), is_acs3=True),
        nonce=_nonce(query.get("SignatureNonce")),
        token=query.get("SecurityToken"),
        sign=lambda secret: rpc(message, secret),
    )


def _check_coverage(message: SignableRequest, signed: tuple[str, ...]) -> None:
    """Refuse a request whose signature does not cover the body and all headers that must be signed."""
    uncovered = {name for name in message.headers if name == "host" or name.startswith("x-acs-")} - {*signed}
    if uncovered:
        raise ApiRefusal(400, "IncompleteSignature", f"These headers must be signed: {', '.join(sorted(uncovered))}.")
    if message.headers.get("x-acs-content-sha256") != hashlib.sha256(message.body).hexdigest():
        raise ApiRefusal(400, "SignatureDoesNotMatch", "x-acs-content-sha256 is not the digest of the body.")


def _nonce(given: str | None) -> str:
    if not given:
        raise ApiRefusal(400, "MissingParameter", "SignatureNonce is mandatory for this action.")
    return given


def _date(given: str | None, *, is_acs3: bool) -> datetime:
    if not given:
        raise ApiRefusal(400, "MissingParameter", "Timestamp is mandatory for this action.")
    try:
        date = datetime.strptime(given, _STAMP).replace(tzinfo=UTC) if is_acs3 else parsedate_to_datetime(given)
        return date.replace(tzinfo=date.tzinfo or UTC)
    except (ValueError, OverflowError) as exc:
        raise ApiRefusal(
            400, "InvalidTimeStamp.Format", "Specified time stamp or date value is not well formatted."
        ) from exc
