"""The three signatures of Alibaba Cloud's OpenAPI, as pure functions: our client signs with one, the emulator verifies all.

    acs3   ACS3-HMAC-SHA256   signs the chosen headers and the body; what we send, and the newer official clients
    roa    HMAC-SHA1, "v2"    signs the path, `x-acs-*` and a few headers, not the body; what `alipai` sends
    rpc    HMAC-SHA1          signs the query, which holds everything; what `alipai` sends to STS

Rule 1: a query comes in decoded. Clients write `a b` as `a+b` or `a%20b`; what is signed has one spelling of its own.
Rule 2: a path comes in as it stands on the request line: whether its `/` was a `%2F` must not be forgotten.
Rule 3: signatures are compared in constant time, and by nobody but `Signature.matches`.
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
ROA: Final = "acs"  # the scheme in its Authorization header
_ROA_HEADERS = ("accept", "content-md5", "content-type", "date")
_ACS3_HEADER = re.compile(rf"{ACS3} +Credential=([^\s,]+), *SignedHeaders=([a-z0-9;-]+), *Signature=([0-9a-f]+)")
_ROA_HEADER = re.compile(rf"{ROA} +([^\s:]+):([A-Za-z0-9+/=]+)")


@dataclass(frozen=True, kw_only=True)
class SignableRequest:
    """A request as signatures see it; names of headers are lower-case."""

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
    """What an Authorization header says."""

    scheme: Literal["ACS3-HMAC-SHA256", "acs"]
    access_key_id: str
    signature: str
    signed_headers: tuple[str, ...] = ()


def sign(message: SignableRequest, *, access_key_id: str, secret: str) -> str:
    """Give the ACS3 Authorization header of `message`, signing what a proxy or a library on the way leaves alone."""
    names = signed_names(message.headers)
    value = acs3(message, names, secret).value
    return f"{ACS3} Credential={access_key_id},SignedHeaders={';'.join(names)},Signature={value}"


def parse_authorization(header: str) -> Authorization | None:
    """Read an Authorization header of either scheme; None when it is neither."""
    if found := _ACS3_HEADER.fullmatch(header.strip()):
        access_key_id, names, signature = found.groups()
        signed = tuple(names.split(";"))
        return Authorization(scheme=ACS3, access_key_id=access_key_id, signature=signature, signed_headers=signed)
    if found := _ROA_HEADER.fullmatch(header.strip()):
        return Authorization(scheme=ROA, access_key_id=found[1], signature=found[2])
    return None


def signed_names(headers: Iterable[str]) -> list[str]:
    """Return the names of the headers to sign: host, content, and those that the service defines."""
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
    """Spell a query in the one way that is signed, and that our client sends too."""
    return "&".join(f"{name}={quote(value, safe='~')}" for name, value in sorted(query.items()))


def roa(message: SignableRequest, secret: str) -> Signature:
    """Sign `message` by the older HMAC-SHA1 for paths; its body is not covered."""
    headers = message.headers
    own = [f"{name}:{value.strip()}" for name, value in sorted(headers.items()) if name.startswith("x-acs-")]
    query = "&".join(f"{name}={value}" if value else name for name, value in sorted(message.query.items()))
    resource = f"{message.path}?{query}" if query else message.path
    string = "\n".join([message.method, *(headers.get(name, "") for name in _ROA_HEADERS), *own, resource])
    return Signature(string, _hmac_sha1(secret, string))


def rpc(message: SignableRequest, secret: str) -> Signature:
    """Sign `message` by the HMAC-SHA1 for calls that are all query; the `Signature` in it, if any, does not count."""
    fields = sorted((name, value) for name, value in message.query.items() if name != "Signature")
    query = "&".join(f"{quote(name, safe='~')}={quote(value, safe='~')}" for name, value in fields)
    string = f"{message.method}&%2F&{quote(query, safe='~')}"
    return Signature(string, _hmac_sha1(f"{secret}&", string))


def _hmac_sha1(key: str, text: str) -> str:
    digest = hmac.new(key.encode(), text.encode(), hashlib.sha1)  # the algorithm is the protocol's, not our choice
    return base64.b64encode(digest.digest()).decode()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
