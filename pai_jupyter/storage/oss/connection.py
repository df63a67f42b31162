"""Create the SDK's buckets with our signatures, connections and time limits. The first import of `oss2` is here.

Rule 1: signature version 4 if the region is known, else version 1.
Rule 2: all buckets of a process share one connection pool, which saves handshakes.
Rule 3: an answer is accepted as OSS's if it has a request id; a gateway's "try later" is accepted, too. Redirects are not
    followed: OSS sends none, and a login page is not an object.
Rule 4: credentials are fetched for every request, so that a token can be renewed during an upload.
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

TIMEOUT = (10, 30)  # seconds to connect or to send a block; seconds without data of the answer
_BUSY, _FAILED = 429, 500  # statuses that a gateway in front of OSS may also send
CONNECTIONS = 16  # connections; enough for 8 small files, or 4 parts each of several large ones


def bucket(
    name: str, *, credentials: Credentials | None, endpoint: str | None = None, region: str | None = None
) -> "oss2.Bucket":
    """Create the SDK's bucket object; without credentials for public reading.

    Raises:
        SpecError: neither endpoint nor region is known.
        BackendError: the SDK is not installed.
    """
    oss2 = load()
    url = endpoint_url(endpoint, region)
    region = region_of(url) or region  # an address's endpoint overrides the session's region
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
            warnings.simplefilter("ignore")  # warnings about escapes in its source
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
    """Adapts `Credentials` to the SDK."""

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
    session.session.auth = lambda request: request  # else an entry in ~/.netrc would replace our signature
    session.session.get_redirect_target = lambda answer: None
    session.session.hooks["response"].append(_check_origin)
    return session


def _check_origin(answer: Any, **_: object) -> None:  # Any: requests has no types
    """Reject an answer that is not from OSS: a login portal's or a proxy's."""
    if answer.headers.get("x-oss-request-id") or answer.status_code == _BUSY or answer.status_code >= _FAILED:
        return
    answer.close()
    is_page = "html" in answer.headers.get("content-type", "").lower()
    raise NotOssError(f"status {answer.status_code}{' and an HTML page' if is_page else ''}, with no id of the request")
