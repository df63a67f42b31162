"""The three signatures of Alibaba Cloud's OpenAPI as pure functions: our client uses one, the emulator verifies all.

    acs3   ACS3-HMAC-SHA256   signs chosen headers and the body; sent by us and the newer official clients
    roa    HMAC-SHA1, "v2"    signs the path, `x-acs-*` and a few headers, not the body; sent by `alipai`
    rpc    HMAC-SHA1          signs the query, which has everything; sent by `alipai` to STS

Rule 1: queries are passed decoded. Clients write `a b` as `a+b` or `a%20b`; the signed form is canonical.
Rule 2: paths are passed as on the request line, to tell `/` from `%2F`.
Rule 3: signatures are compared in constant time, only by `Signature.matches`.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import quote

ACS3: Final = "ACS3-HMAC-SHA256"
ROA: Final = "acs"  # the scheme in the Authorization header
_ROA_HEADERS = ("accept", "content-md5", "content-type", "date")
_ACS3_HEADER = re.compile(rf"{ACS3} +Credential=([^\s,]+), *SignedHeaders=([a-z0-9;-]+), *Signature=([0-9a-f]+)")
_ROA_HEADER = re.compile(rf"{ROA} +([^\s:]+):([A-Za-z0-9+/=]+)")


@dataclass(frozen=True, kw_only=True)
class SignableRequest:
    """The parts of a request that signatures use; header names are lower-case."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = b""


@dataclass(frozen=True)
class Signature:
    string_to_sign: str
    value: str

    def matches(self, given: str) -> bool:
        """Return whether `given` is this signature, in constant time."""
        return hmac.compare_digest(self.value.encode(), given.encode(errors="surrogatepass"))


@dataclass(frozen=True, kw_only=True)
class Authorization:
    """A parsed Authorization header."""

    scheme: Literal["ACS3-HMAC-SHA256", "acs"]
    access_key_id: str
    signature: str
    signed_headers: tuple[str, ...] = ()


def sign(message: SignableRequest, *, access_key_id: str, secret: str) -> str:
    """Return the ACS3 Authorization header of `message`; sign only headers that proxies and libraries do not change."""
    names = signed_names(message.headers)
    value = acs3(message, names, secret).value
    return f"{ACS3} Credential={access_key_id},SignedHeaders={';'.join(names)},Signature={value}"


def parse_authorization(header: str) -> Authorization | None:
    """Parse an Authorization header of either scheme; None if it is neither."""
    if found := _ACS3_HEADER.fullmatch(header.strip()):
        access_key_id, names, signature = found.groups()
        signed = tuple(names.split(";"))
        return Authorization(scheme=ACS3, access_key_id=access_key_id, signature=signature, signed_headers=signed)
    if found := _ROA_HEADER.fullmatch(header.strip()):
        return Authorization(scheme=ROA, access_key_id=found[1], signature=found[2])
    return None


def signed_names(headers: Iterable[str]) -> list[str]:
    """Return the names of the headers to sign: host, content headers, and the service's own."""
    return sorted(name for name in headers if name in ("host", "content-type") or name.startswith("x-acs-"))


def acs3(message: SignableRequest, signed: Iterable[str], secret: str) -> Signature:
    """Sign `message` by ACS3, with the headers named in `signed`."""
    string = f"{ACS3}\n{_sha256(acs3_canonical_request(message, signed).encode())}"
    return Signature(string, hmac.new(secret.encode(), string.encode(), hashlib.sha256).hexdigest())


def acs3_canonical_request(message: SignableRequest, signed: Iterable[str]) -> str:
    names = sorted(signed)
    headers = "".join(f"{name}:{message.headers.get(name, '').strip()}\n" for name in names)
    query = canonical_query(message.query)
    return "\n".join([message.method, message.path, query, headers, ";".join(names), _sha256(message.body)])


def canonical_query(query: Mapping[str, str]) -> str:
    """Write a query in canonical form, as it is signed and as our client sends it."""
    return "&".join(f"{name}={quote(value, safe='~')}" for name, value in sorted(query.items()))


def roa(message: SignableRequest, secret: str) -> Signature:
    """Sign `message` by the older HMAC-SHA1 for paths; the body is not signed."""
    headers = message.headers
    own = [f"{name}:{value.strip()}" for name, value in sorted(headers.items()) if name.startswith("x-acs-")]
    query = "&".join(f"{name}={value}" if value else name for name, value in sorted(message.query.items()))
    resource = f"{message.path}?{query}" if query else message.path
    string = "\n".join([message.method, *(headers.get(name, "") for name in _ROA_HEADERS), *own, resource])
    return Signature(string, _hmac_sha1(secret, string))


def rpc(message: SignableRequest, secret: str) -> Signature:
    """Sign `message` by the HMAC-SHA1 for query-only calls, without its `Signature` parameter."""
    fields = sorted((name, value) for name, value in message.query.items() if name != "Signature")
    query = "&".join(f"{quote(name, safe='~')}={quote(value, safe='~')}" for name, value in fields)
    string = f"{message.method}&%2F&{quote(query, safe='~')}"
    return Signature(string, _hmac_sha1(f"{secret}&", string))


def _hmac_sha1(key: str, text: str) -> str:
    digest = hmac.new(key.encode(), text.encode(), hashlib.sha1)  # the algorithm is the protocol's, not our choice
    return base64.b64encode(digest.digest()).decode()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
