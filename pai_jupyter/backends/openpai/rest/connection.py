"""A connection to one cluster as one user: found by probing, logged in when it must be, never in a hurry.

Rule 1: exceptions of the HTTP library become sentences here, without what was sent.
Rule 2: a request that is refused with 401 is repeated once, after a new login.
Rule 3: requests of a process to one cluster keep a distance, however many jobs are followed: servers refuse more than 600 a
    minute.
"""

import asyncio
import base64
import json
import logging
import math
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import httpx

from pai_jupyter.backends.openpai.clusters import Cluster, Secret, secret_of
from pai_jupyter.backends.openpai.rest.answers import error_of, fields_of, pause_of
from pai_jupyter.config import settings
from pai_jupyter.errors import AuthError, ProtocolError, UnavailableError, UncertainError

Generation = Literal["yarn", "kubernetes"]
DISTANCE = 0.1  # seconds between the beginnings of two requests
_TIMEOUT = httpx.Timeout(30.0, connect=10.0)
_EARLY = 300.0  # seconds before a token's end at which a new one is asked for
_LONGEST = 60  # characters of a version
_TRIES = 3  # of a request that the server says to repeat later
DIRECT = 9186  # the REST server's own port
NO_TOKEN = "one has letters, digits and signs of ASCII. Copy it from the cluster's portal again."  # noqa: S105  a sentence
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)
_SIGNED = re.compile(r"[?&](token|sig)=")  # addresses of logs, at the log manager and at Azure
logging.getLogger("httpx").addFilter(lambda record: _SIGNED.search(record.getMessage()) is None)


@dataclass(kw_only=True)
class ClusterKnowledge:
    """What a process has found out about one cluster and user; it outlives connections."""

    base: str = ""
    login: str = ""  # how users log in: basic, OIDC
    generation: Generation | None = None
    version: str = ""  # "" where a server does not say it
    token: str | None = field(default=None, repr=False)
    token_of: Secret | None = None  # which the token was given for
    ends: float = 0.0  # of the token; seconds since 1970, 0: never
    next_turn: float = 0.0  # of a request; as `time.monotonic`

    def log_out(self) -> None:
        """Forget the token, so that the next request logs in. Any thread may call it."""
        self.token = None


class ClusterConnection:
    """Requests to one cluster; belongs to one event loop."""

    def __init__(
        self,
        cluster: Cluster,
        *,
        known: ClusterKnowledge | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.cluster = cluster
        self._known = known or ClusterKnowledge()
        self._http = httpx.AsyncClient(timeout=_TIMEOUT, transport=transport, follow_redirects=False)
        self._login = asyncio.Lock()
        self._turn = asyncio.Lock()

    async def generation(self) -> Generation:
        """Find the server and its generation by asking; once.

        Raises:
            UnavailableError: nothing answers there.
            ProtocolError: what answers is no OpenPAI.
        """
        known = self._known
        if known.generation is None:
            known.base = await self._find_base()
            answer = await self._send("GET", f"{known.base}/api/v2/info", {})
            told = fields_of(answer) if answer.status_code == 200 else {}
            is_new, known.version = "launcherType" in told, str(told.get("version") or "")[:_LONGEST]
            known.generation = "kubernetes" if is_new else "yarn"
        return known.generation

    @property
    def version(self) -> str:
        """The server's version, as v1.8.0; known when the generation is, "" where it does not say it."""
        return self._known.version

    async def log_in(self) -> str:
        """Log in if that has to be, and return the user that the token is of.

        Raises:
            AuthError: the password is refused or missing, or the token has ended.
        """
        await self.generation()
        token = await self._logged_in()
        if self._known.ends and self._known.ends < time.time():
            raise AuthError(
                f"the token of {self.cluster.user} has ended. Give a new one: "
                "%pai_openpai cluster add NAME HOST USER --token"
            )
        return str(_claims(token).get("username") or self.cluster.user)

    async def ask(
        self,
        method: str,
        path: str,
        what: str,
        *,
        body: object = None,
        text: str | None = None,
        kind: str = "application/json",
        secrets: Iterable[str] = (),
    ) -> httpx.Response:
        """Make one request and return its good answer; `what` says it in words, `secrets` are in no error.

        Raises:
            BackendError, SpecError: it was refused (`answers.error_of`), or nobody answered.
        """
        answer = await self.answer(method, path, body=body, text=text, kind=kind)
        if answer.is_success:
            return answer
        raise error_of(answer, what, secrets=secrets)

    async def answer(
        self, method: str, path: str, *, body: object = None, text: str | None = None, kind: str = "application/json"
    ) -> httpx.Response:
        """As `ask`, for an answer that may be a refusal."""
        await self.generation()
        content = text.encode() if text is not None else _json(body)
        headers = {"Content-Type": kind} if content else {}
        for is_last in (False, True):
            token = await self._logged_in()
            answer = await self._patiently(method, f"{self._known.base}{path}", {**headers, **_bearer(token)}, content)
            if answer.status_code != 401 or is_last:
                break
            if (secret := secret_of(self.cluster)) is None or secret.kind != "password":
                break
            if self._known.token == token:
                self._known.token = None
        return answer

    async def piece(self, path: str, first: int, last: int | None) -> httpx.Response:
        """Ask for bytes of a file at an address of the portal, which carries a token of its own; `last` None: for all."""
        address = path if "://" in path else f"{self.portal}{path}"
        span = {} if last is None else {"Range": f"bytes={first}-{last}"}
        return await self._patiently("GET", address, span, None)

    @property
    def portal(self) -> str:
        """Where the cluster's pages are; known when the generation is."""
        return self._known.base.removesuffix("/rest-server").removesuffix(f":{DIRECT}")

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _find_base(self) -> str:
        address = self.cluster.address
        places = (
            [address, f"{address}/rest-server"]
            if address.endswith(f":{DIRECT}")
            else [f"{address}/rest-server", address]
        )
        for place in places:
            answer = await self._send("GET", f"{place}/api/v1/authn/info", {})
            if answer.status_code == 200 and "authn_type" in (about := fields_of(answer)):
                self._known.login = str(about["authn_type"])
                return place
        raise ProtocolError(
            f"what answers at {address} is no OpenPAI. Check the host: %pai_openpai cluster add NAME HOST USER"
        )

    async def _logged_in(self) -> str:
        known = self._known
        async with self._login:
            secret = self._secret()
            is_over = bool(known.ends) and time.time() > known.ends - _EARLY
            if known.token is None or known.token_of != secret or is_over:
                known.token = secret.value if secret.kind == "token" else await self._by_password(secret)
                settings().keep_secret(known.token)
                known.token_of, known.ends = secret, token_end(known.token)
            return known.token

    def _secret(self) -> Secret:
        cluster, secret = self.cluster, secret_of(self.cluster)
        if secret is None:
            raise AuthError(
                f"nobody has given the password of {cluster.user} at {cluster.address} to this process. "
                f"Type: %pai_openpai cluster add {cluster.name} {cluster.address} {cluster.user}"
            )
        if secret.kind == "token" and not is_token_text(secret.value):
            raise AuthError(f"the token of {cluster.user} at {cluster.address} is none: {NO_TOKEN}")
        return secret

    async def _by_password(self, secret: Secret) -> str:
        if self._known.login.upper() == "OIDC":
            raise AuthError(
                f"the cluster at {self.cluster.address} logs users in through Azure Active Directory (AAD), which is not supported. "
                f"Copy a token from its portal, and type: %pai_openpai cluster add {self.cluster.name} {self.cluster.address} "
                f"{self.cluster.user} --token"
            )
        body = _json({"username": self.cluster.user, "password": secret.value})
        address = f"{self._known.base}/api/v1/authn/basic/login"
        answer = await self._patiently("POST", address, {"Content-Type": "application/json"}, body)
        if not answer.is_success:
            raise error_of(answer, f"the login of {self.cluster.user}")
        token = fields_of(answer).get("token")
        if not isinstance(token, str) or not is_token_text(token):
            raise ProtocolError("the cluster's answer to a login has no token.")
        return token

    async def _patiently(
        self, method: str, address: str, headers: Mapping[str, str], content: bytes | None
    ) -> httpx.Response:
        """Send it again, a few times, where the server says to wait and for how long."""
        for left in range(_TRIES, 0, -1):
            answer = await self._send(method, address, headers, content)
            pause = pause_of(answer, time.time()) if answer.status_code == 429 else None
            if pause is None or left == 1:
                break
            await asyncio.sleep(pause)
        return answer

    async def _send(
        self, method: str, address: str, headers: Mapping[str, str], content: bytes | None = None
    ) -> httpx.Response:
        async with self._turn:
            await asyncio.sleep(max(self._known.next_turn - time.monotonic(), 0.0))
            self._known.next_turn = time.monotonic() + DISTANCE
        with _translated(method, self.cluster.address):
            return await self._http.request(method, address, headers=dict(headers), content=content)


def is_token_text(text: str) -> bool:
    """Return whether a text can be a token: a header takes it."""
    return re.fullmatch(r"[\x21-\x7e]+", text) is not None


def token_end(token: str) -> float:
    """Return the time at which a token ends, by what is in it; 0 if it does not end, or does not say."""
    try:
        end = float(str(_claims(token).get("exp") or 0))
    except ValueError:
        return 0.0
    return end if math.isfinite(end) else 0.0


def _claims(token: str) -> dict[str, object]:
    """Return what a token says of itself; {} if that cannot be read."""
    try:
        part = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, IndexError, RecursionError):
        return {}
    return claims if isinstance(claims, dict) else {}


def _bearer(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def _json(body: object) -> bytes | None:
    return None if body is None else json.dumps(body, ensure_ascii=False).encode()


@contextmanager
def _translated(method: str, address: str) -> Iterator[None]:
    try:
        yield
    except _NOT_SENT as exc:
        text = f"the cluster at {address} cannot be reached: {type(exc).__name__}. Check the host and the network."
    except (httpx.HTTPError, httpx.InvalidURL) as exc:
        text = f"the cluster at {address} did not answer: {type(exc).__name__}."
        if method != "GET":
            raise UncertainError(text) from None
    else:
        return
    raise UnavailableError(text)
