"""Verify the signature of a request, as the OSS protocol defines it, before anything else. No I/O.

    v1       Authorization: OSS ID:SIGNATURE           hmac-sha1 of method, a few headers, path, sub-resources
    v2       Authorization: OSS2 AccessKeyId:ID,...    hmac-sha256 of the same with the whole query; obsolete
    v4       Authorization: OSS4-HMAC-SHA256 ...       hmac-sha256 with a key for one day and region
    ... url  a signed URL, with the same in the query; anybody may use it until it expires

Rule 1: the string to sign is built from the received request; the signature itself only says who signed, when, and which
        further headers it covers.
Rule 2: a temporary key is valid only with its token, and the token is signed, too.
Rule 3: the answer to a wrong signature has the string to sign, as from OSS, but no secret.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote

from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.emulator.oss_protocol.request import OssRequest
from pai_jupyter.emulator.oss_protocol.times import iso, read_http, read_stamp

Version = Literal["v1", "v2", "v4", "v1 url", "v2 url", "v4 url"]
Secret = Callable[[str, str | None], str]
"""Returns the secret of an access key id and its token (None for a permanent key), or raises `OssRefusal`."""
SKEW = 15 * 60  # seconds by which a client's clock may differ
LONGEST = 7 * 24 * 3600  # seconds for which a signed URL of version 4 may be valid
_NAMES = """
accessPoint accessPointPolicy acl append asyncFetch bucketArchiveDirectRead bucketInfo callback callback-var cloudboxes
cname comp continuation-token cors delete encryption endTime group httpsConfig inventory inventoryId lifecycle link live
location logging metaQuery objectInfo objectMeta partNumber policy position publicAccessBlock qos qosInfo qosRequester
redundancyTransition referer regionList replication replicationLocation replicationProgress requestPayment
requesterQosInfo resourceGroup resourcePool resourcePoolBuckets resourcePoolInfo response-cache-control
response-content-disposition response-content-encoding response-content-language response-content-type response-expires
restore security-token sequential startTime stat status style styleName symlink tagging transferAcceleration uploadId
uploads versionId versioning versions vod website worm wormExtend wormId x-oss-ac-forward-allow x-oss-ac-source-ip
x-oss-ac-subnet-mask x-oss-ac-vpc-id x-oss-access-point-name x-oss-async-process x-oss-process
x-oss-redundancy-transition-taskid x-oss-request-payer x-oss-target-redundancy-type x-oss-traffic-limit
x-oss-write-get-object-response
"""
SUBRESOURCES = frozenset(_NAMES.split())
_V2 = re.compile(r"OSS2 AccessKeyId:([^,]+),(?:AdditionalHeaders:([^,]*),)?Signature:(.+)")
_CREDENTIAL = re.compile(r"([^/,\s]+)/(\d{8})/([^/,\s]*)/oss/aliyun_v4_request")


@dataclass(frozen=True, kw_only=True)
class _Claim:
    """A signature to verify: the key id, the given signature, the string to sign, and the function that signs it."""

    version: Version
    access_key_id: str
    token: str | None = field(repr=False)
    signature: str = field(repr=False)
    text: str
    sign: Callable[[str], str]
    more: Mapping[str, str] = field(default_factory=dict)


def check(request: OssRequest, secret_of: Secret, *, region: str, now: float) -> Version | None:
    """Verify the signature and return its version, None for an unsigned request; `now` is in Unix seconds.

    Raises:
        OssRefusal: the signature is wrong, expired or malformed; with the code of the service.
    """
    claim = _claim(request, region, now)
    if claim is None:
        return None
    expected = claim.sign(secret_of(claim.access_key_id, claim.token))
    if not hmac.compare_digest(claim.signature.encode(errors="surrogateescape"), expected.encode()):
        raise OssRefusal(
            403,
            "SignatureDoesNotMatch",
            OSSAccessKeyId=claim.access_key_id,
            SignatureProvided=claim.signature,
            StringToSign=claim.text,
            **claim.more,
        )
    return claim.version


def _claim(request: OssRequest, region: str, now: float) -> _Claim | None:
    header, query = request.headers.get("authorization"), request.query
    if header is None:
        if query.get("x-oss-signature-version") == "OSS4-HMAC-SHA256":
            return _v4_url(request, region, now)
        if query.get("x-oss-signature-version") == "OSS2":
            return _v2_url(request, now)
        return _v1_url(request, now) if "Signature" in query else None
    if header.startswith("OSS4-HMAC-SHA256 "):
        return _v4_header(request, header, region, now)
    if header.startswith("OSS2 "):
        return _v2_header(request, header, now)
    if header.startswith("OSS "):
        return _v1_header(request, header, now)
    raise _malformed("Authorization", header)


def _v1_header(request: OssRequest, header: str, now: float) -> _Claim:
    access_key_id, _, signature = header.removeprefix("OSS ").partition(":")
    date = request.headers.get("x-oss-date") or request.headers.get("date", "")
    _check_clock(_read_date(date), now)
    token = request.headers.get("x-oss-security-token")
    return _v1("v1", request, date, access_key_id, token, signature)


def _v1_url(request: OssRequest, now: float) -> _Claim:
    query = request.query
    _check_expiry(_number(query, "Expires"), now)
    token = query.get("security-token")
    return _v1("v1 url", request, query["Expires"], query.get("OSSAccessKeyId", ""), token, query["Signature"])


def _v1(
    version: Version, request: OssRequest, date: str, access_key_id: str, token: str | None, signature: str
) -> _Claim:
    named = ((name, value) for name, value in request.query.items() if name in SUBRESOURCES)
    resource = f"/{request.bucket}/{request.key}" if request.bucket else "/"
    text = "\n".join([*_basics(request, date), *_oss_headers(request), resource + _query(named, str)])
    sign = _signer("sha1", text)
    return _Claim(version=version, access_key_id=access_key_id, token=token, signature=signature, text=text, sign=sign)


def _v2_header(request: OssRequest, header: str, now: float) -> _Claim:
    found = _V2.fullmatch(header)
    if found is None:
        raise _malformed("Authorization", header)
    date = request.headers.get("x-oss-date") or request.headers.get("date", "")
    _check_clock(_read_date(date), now)
    token = request.headers.get("x-oss-security-token")
    return _v2("v2", request, request.query, date, found[1], token, found[3], found[2] or "")


def _v2_url(request: OssRequest, now: float) -> _Claim:
    query = {name: value for name, value in request.query.items() if name != "x-oss-signature"}
    _check_expiry(_number(query, "x-oss-expires"), now)
    return _v2(
        "v2 url",
        request,
        query,
        query["x-oss-expires"],
        query.get("x-oss-access-key-id", ""),
        query.get("security-token"),
        request.query.get("x-oss-signature", ""),
        query.get("x-oss-additional-headers", ""),
    )


def _v2(  # all parts of a version 2 signature
    version: Version,
    request: OssRequest,
    query: Mapping[str, str],
    date: str,
    access_key_id: str,
    token: str | None,
    signature: str,
    additional: str,
) -> _Claim:
    names = sorted(filter(None, additional.split(";")))
    resource = _encode(f"/{request.bucket}/{request.key}" if request.bucket else "/")
    signed = _oss_headers(request, names)
    text = "\n".join([*_basics(request, date), *signed, ";".join(names), resource + _query(query.items(), _encode)])
    sign = _signer("sha256", text)
    return _Claim(version=version, access_key_id=access_key_id, token=token, signature=signature, text=text, sign=sign)


def _v4_header(request: OssRequest, header: str, region: str, now: float) -> _Claim:
    fields = dict(each.strip().partition("=")[::2] for each in header.removeprefix("OSS4-HMAC-SHA256 ").split(","))
    stamp = request.headers.get("x-oss-date", "")
    if request.headers.get("x-oss-content-sha256") != "UNSIGNED-PAYLOAD":
        raise _malformed("x-oss-content-sha256", request.headers.get("x-oss-content-sha256", ""))
    _check_clock(_read_stamp(stamp), now)
    token = request.headers.get("x-oss-security-token")
    return _v4("v4", request, request.query, fields, stamp, token, region)


def _v4_url(request: OssRequest, region: str, now: float) -> _Claim:
    query = {name: value for name, value in request.query.items() if name != "x-oss-signature"}
    stamp, holds = query.get("x-oss-date", ""), _number(query, "x-oss-expires")
    if holds > LONGEST:
        raise _malformed("x-oss-expires", query["x-oss-expires"])
    signed = _read_stamp(stamp)
    if signed > now + SKEW:
        raise OssRefusal(403, "AccessDenied", message="Request is not valid yet.")
    _check_expiry(signed + holds, now)
    fields = {
        "Credential": query.get("x-oss-credential", ""),
        "AdditionalHeaders": query.get("x-oss-additional-headers", ""),
        "Signature": request.query.get("x-oss-signature", ""),
    }
    return _v4("v4 url", request, query, fields, stamp, query.get("x-oss-security-token"), region)


def _v4(  # all parts of a version 4 signature
    version: Version,
    request: OssRequest,
    query: Mapping[str, str],
    fields: Mapping[str, str],
    stamp: str,
    token: str | None,
    region: str,
) -> _Claim:
    found = _CREDENTIAL.fullmatch(fields.get("Credential", ""))
    if found is None or found[2] != stamp[:8]:
        raise _malformed("Credential", fields.get("Credential", ""))
    if found[3] != region:
        raise OssRefusal(
            400, "InvalidArgument", message=f"Invalid signing region: the emulator's is {region}.", Region=region
        )
    canonical = _canonical(request, query, fields.get("AdditionalHeaders", ""))
    scope = f"{found[2]}/{region}/oss/aliyun_v4_request"
    digest = hashlib.sha256(canonical.encode(errors="surrogateescape")).hexdigest()
    text = f"OSS4-HMAC-SHA256\n{stamp}\n{scope}\n{digest}"

    def sign(secret: str) -> str:
        key = f"aliyun_v4{secret}".encode()
        for part in scope.split("/"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()

    return _Claim(
        version=version,
        access_key_id=found[1],
        token=token,
        signature=fields.get("Signature", ""),
        text=text,
        sign=sign,
        more={"CanonicalRequest": canonical},
    )


def _canonical(request: OssRequest, query: Mapping[str, str], additional: str) -> str:
    names = sorted(filter(None, additional.split(";")))
    return "\n".join(
        [
            request.method,
            _encode(f"/{request.bucket}/{request.key}" if request.bucket else "/", "/"),
            _query(query.items(), _encode).removeprefix("?"),
            *_oss_headers(request, ["content-type", "content-md5", *names]),
            "",
            ";".join(names),
            "UNSIGNED-PAYLOAD",
        ]
    )


def _basics(request: OssRequest, date: str) -> list[str]:
    return [request.method, request.headers.get("content-md5", ""), request.headers.get("content-type", ""), date]


def _oss_headers(request: OssRequest, names: Iterable[str] = ()) -> list[str]:
    named = {*names}
    signed = ((name, it) for name, it in request.headers.items() if name.startswith("x-oss-") or name in named)
    return [f"{name}:{value}" for name, value in sorted(signed)]


def _query(pairs: Iterable[tuple[str, str]], encode: Callable[[str], str]) -> str:
    encoded = sorted((encode(name), encode(value)) for name, value in pairs)
    joined = "&".join(f"{name}={value}" if value else name for name, value in encoded)
    return f"?{joined}" if joined else ""


def _encode(text: str, safe: str = "") -> str:
    return quote(text, safe=f"-_.~{safe}", errors="surrogateescape")


def _signer(digest: Literal["sha1", "sha256"], text: str) -> Callable[[str], str]:
    def sign(secret: str) -> str:
        made = hmac.new(secret.encode(), text.encode(errors="surrogateescape"), digest).digest()
        return base64.b64encode(made).decode()

    return sign


def _read_date(text: str) -> float:
    date = read_http(text)
    if date is None:
        raise OssRefusal(403, "AccessDenied", message="OSS authentication requires a valid Date.")
    return date


def _read_stamp(text: str) -> float:
    stamp = read_stamp(text)
    if stamp is None:
        raise _malformed("x-oss-date", text)
    return stamp


def _number(query: Mapping[str, str], name: str) -> int:
    text = query.get(name, "")
    if not re.fullmatch(r"\d{1,10}", text, re.ASCII):
        raise _malformed(name, text)
    return int(text)


def _check_clock(signed: float, now: float) -> None:
    if abs(now - signed) > SKEW:
        raise OssRefusal(
            403,
            "RequestTimeTooSkewed",
            MaxAllowedSkewMilliseconds=str(SKEW * 1000),
            RequestTime=iso(signed),
            ServerTime=iso(now),
        )


def _check_expiry(until: float, now: float) -> None:
    if now > until:
        raise OssRefusal(403, "AccessDenied", message="Request has expired.", Expires=iso(until), ServerTime=iso(now))


def _malformed(name: str, text: str) -> OssRefusal:
    return OssRefusal(400, "InvalidArgument", ArgumentName=name, ArgumentValue=text)
