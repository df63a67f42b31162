"""What OSS checks of a request before it looks at anything else: who signed it, how, and when. By the protocol, not by oss2."""

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import quote

SKEW = timedelta(minutes=15)
_V1_SIGNED = frozenset({"uploads", "uploadId", "partNumber", "delete", "continuation-token", "security-token"})
_CREDENTIAL = re.compile(r"Credential=([^/]+)/(\d{8})/([^/]+)/oss/aliyun_v4_request")


class Refusal(Exception):
    """An error answer: HTTP status, code, and further elements of its XML."""

    def __init__(self, status: int, code: str, **more: str) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.more = more


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request as it arrived. Header names are in lower case; `query` is decoded."""

    method: str
    bucket: str
    key: str
    query: Mapping[str, str]
    headers: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Key:
    """An access key that the service knows."""

    secret: str
    token: str | None = None
    is_expired: bool = False


def check(request: Request, keys: Mapping[tuple[str, str | None], Key], now: datetime) -> str:
    """The version of the signature, "v1" or "v4", with "url" behind it for a signed address.

    Raises:
        Refusal: it is missing or wrong, in the words of the service.
    """
    header = request.headers.get("authorization", "")
    if header.startswith("OSS4-HMAC-SHA256 "):
        _check_v4(request, keys, now, header)
        return "v4"
    if header.startswith("OSS "):
        _check_v1(request, keys, now, header)
        return "v1"
    if "x-oss-signature" in request.query:
        _check_v4_url(request, keys, now)
        return "v4 url"
    raise Refusal(403, "AccessDenied")


def _known(keys: Mapping[tuple[str, str | None], Key], key_id: str, token: str | None) -> Key:
    if not any(known == key_id for known, _ in keys):
        raise Refusal(403, "InvalidAccessKeyId")
    key = keys.get((key_id, token))
    if key is None:
        raise Refusal(403, "InvalidSecurityToken")
    if key.is_expired:
        raise Refusal(403, "SecurityTokenExpired")
    return key


def _check_v4(request: Request, keys: Mapping[tuple[str, str | None], Key], now: datetime, header: str) -> None:
    found, signature = _CREDENTIAL.search(header), re.search(r"Signature=([0-9a-f]{64})", header)
    if found is None or signature is None or request.headers.get("x-oss-content-sha256") != "UNSIGNED-PAYLOAD":
        raise Refusal(400, "InvalidArgument")
    key = _known(keys, found[1], request.headers.get("x-oss-security-token"))
    stamp = request.headers.get("x-oss-date", "")
    _check_time(datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC), now)
    canonical = _canonical(request, request.query)
    _compare(signature[1], _sign_v4(key.secret, found[2], found[3], stamp, canonical), canonical)


def _check_v4_url(request: Request, keys: Mapping[tuple[str, str | None], Key], now: datetime) -> None:
    query = dict(request.query)
    signature = query.pop("x-oss-signature")
    found = _CREDENTIAL.search("Credential=" + query["x-oss-credential"])
    if found is None:
        raise Refusal(400, "InvalidArgument")
    key = _known(keys, found[1], query.get("x-oss-security-token"))
    stamp = query["x-oss-date"]
    signed = datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    if now > signed + timedelta(seconds=int(query["x-oss-expires"])):
        raise Refusal(403, "AccessDenied")
    canonical = _canonical(request, query)
    _compare(signature, _sign_v4(key.secret, found[2], found[3], stamp, canonical), canonical)


def _canonical(request: Request, query: Mapping[str, str]) -> str:
    pairs = sorted((quote(name, safe="-_.~"), quote(value, safe="-_.~")) for name, value in query.items())
    signed = {
        n: v for n, v in request.headers.items() if n.startswith("x-oss-") or n in ("content-type", "content-md5")
    }
    return "\n".join(
        [
            request.method,
            quote(f"/{request.bucket}/{request.key}" if request.bucket else "/", safe="/-_.~"),
            "&".join(f"{name}={value}" if value else name for name, value in pairs),
            "".join(f"{name}:{value.strip()}\n" for name, value in sorted(signed.items())),
            "",
            "UNSIGNED-PAYLOAD",
        ]
    )


def _sign_v4(secret: str, day: str, region: str, stamp: str, canonical: str) -> str:
    scope = f"{day}/{region}/oss/aliyun_v4_request"
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    text = f"OSS4-HMAC-SHA256\n{stamp}\n{scope}\n{digest}"
    key = f"aliyun_v4{secret}".encode()
    for part in (day, region, "oss", "aliyun_v4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _check_v1(request: Request, keys: Mapping[tuple[str, str | None], Key], now: datetime, header: str) -> None:
    key_id, _, signature = header.removeprefix("OSS ").partition(":")
    key = _known(keys, key_id, request.headers.get("x-oss-security-token"))
    date = request.headers.get("x-oss-date") or request.headers.get("date", "")
    _check_time(parsedate_to_datetime(date), now)
    named = sorted((name, value) for name, value in request.query.items() if name in _V1_SIGNED)
    resources = "&".join(f"{name}={value}" if value else name for name, value in named)
    lines = [
        request.method,
        request.headers.get("content-md5", ""),
        request.headers.get("content-type", ""),
        date,
        *(f"{name}:{value}" for name, value in sorted(request.headers.items()) if name.startswith("x-oss-")),
        f"/{request.bucket}/{request.key}" + (f"?{resources}" if resources else ""),
    ]
    text = "\n".join(lines)
    expected = base64.b64encode(hmac.new(key.secret.encode(), text.encode(), hashlib.sha1).digest()).decode()
    _compare(signature, expected, text)


def _check_time(signed: datetime, now: datetime) -> None:
    if abs(now - signed) > SKEW:
        raise Refusal(403, "RequestTimeTooSkewed")


def _compare(given: str, expected: str, signed: str) -> None:
    if not hmac.compare_digest(given, expected):
        raise Refusal(403, "SignatureDoesNotMatch", SignatureProvided=given, StringToSign=signed)
