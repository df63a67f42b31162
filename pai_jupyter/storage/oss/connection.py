"""Buckets of the SDK as we use them: signatures, connections, time limits. The one place that imports `oss2` first.

Rule 1: version 4 signatures wherever the region is known; version 1 only where it is not.
Rule 2: all buckets of a process share one pool of connections: a pool for each costs a handshake for each request.
Rule 3: an answer counts as one of OSS when it names its request, as all of OSS's do; a gateway's "try later" is let through.
    No redirection is followed: OSS answers from where it is asked, and a login page is no object.
Rule 4: the credentials are asked for every request, so that a token may be renewed in the middle of an upload.
"""

import os
import warnings
from functools import cache, lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pai_jupyter.errors import BackendError
from pai_jupyter.storage.address import endpoint_url, region_of
from pai_jupyter.storage.oss.faults import NotOssError
from pai_jupyter.storage.oss.secrecy import quieten
from pai_jupyter.storage.protocol import Credentials

if TYPE_CHECKING:
    import oss2

TIMEOUT = (10, 30)  # seconds to connect and to send a block, seconds until the answer goes on
_BUSY, _FAILED = 429, 500  # statuses with which a gateway before OSS answers, too
CONNECTIONS = 16  # at once; 8 small files, or 4 parts each of several large ones


def bucket(
    name: str, *, credentials: Credentials | None, endpoint: str | None = None, region: str | None = None
) -> "oss2.Bucket":
    """Create the SDK's bucket; without credentials, one for public reading.

    Raises:
        SpecError: neither endpoint nor region is known.
        BackendError: the SDK is not installed.
    """
    oss2 = load()
    url = endpoint_url(endpoint, region)
    region = region_of(url) or region  # what an address names counts more than the region of a session
    return oss2.Bucket(
        _auth(oss2, credentials, region),
        url,
        name,
        region=region,
        session=_session(os.getpid()),
        connect_timeout=TIMEOUT,
        app_name="pai_jupyter",
        enable_crc=True,
    )


def service(*, credentials: Credentials, endpoint: str | None = None, region: str | None = None) -> "oss2.Service":
    """Create the SDK's service object, for requests about an account.

    Raises:
        SpecError: neither endpoint nor region is known.
        BackendError: the SDK is not installed.
    """
    oss2 = load()
    url = endpoint_url(endpoint, region)
    region = region_of(url) or region
    return oss2.Service(
        _auth(oss2, credentials, region),
        url,
        region=region,
        session=_session(os.getpid()),
        connect_timeout=TIMEOUT,
        app_name="pai_jupyter",
    )


@cache
def load() -> ModuleType:
    """Import the SDK and silence its logger."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in its own source, as Python compiles it
            import oss2
    except ModuleNotFoundError as exc:
        raise BackendError(f"OSS needs the package {exc.name!r}. Type: %pip install 'pai_jupyter[oss]'") from exc
    quieten()
    _check_speed()
    return oss2  # type: ignore[no-any-return]  # oss2 has no types


def _check_speed() -> None:
    try:
        import crcmod._crcfunext  # noqa: F401
    except ImportError:
        warnings.warn(
            "crcmod lacks its C part here, so checksums take 40 times as long: 17 s for 200 MB. "
            "Type: %pip install --force-reinstall --no-deps crcmod-plus",
            RuntimeWarning,
            stacklevel=2,
        )


class _SdkCredentials:
    """`Credentials` as the SDK asks for them."""

    def __init__(self, oss2: ModuleType, credentials: Credentials) -> None:
        self._oss2 = oss2
        self._credentials = credentials

    def get_credentials(self) -> Any:  # Any: oss2 has no types
        key = self._credentials.get()
        return self._oss2.credentials.Credentials(key.access_key_id, key.access_key_secret, key.security_token or "")


def _auth(oss2: ModuleType, credentials: Credentials | None, region: str | None) -> Any:  # Any: oss2 has no types
    if credentials is None:
        return oss2.AnonymousAuth()
    auth = oss2.ProviderAuthV4 if region else oss2.ProviderAuth
    return auth(_SdkCredentials(oss2, credentials))


@lru_cache(maxsize=1)
def _session(process: int) -> "oss2.Session":  # a forked child must not share its parent's connections
    session = load().Session(pool_size=CONNECTIONS)
    session.session.auth = lambda request: request  # else an entry in ~/.netrc takes the place of our signature
    session.session.get_redirect_target = lambda answer: None
    session.session.hooks["response"].append(_check_origin)
    return session


def _check_origin(answer: Any, **_: object) -> None:  # Any: requests has no types
    """Refuse what somebody on the way has answered: a portal that wants a login, a proxy with a page of its own."""
    if answer.headers.get("x-oss-request-id") or answer.status_code == _BUSY or answer.status_code >= _FAILED:
        return
    answer.close()
    is_page = "html" in answer.headers.get("content-type", "").lower()
    raise NotOssError(f"status {answer.status_code}{' and an HTML page' if is_page else ''}, with no id of the request")
