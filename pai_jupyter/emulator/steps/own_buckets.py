"""The emulator's buckets, from another process: over HTTP, as its clients do, with its own key.

The emulator may be restarted at another address at any time, or be away for a while: both are waited for.
"""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pai_jupyter.errors import NotFoundError, UnavailableError
from pai_jupyter.storage import OssUrl, download, parse_oss_url, upload

PATIENCE = 600.0  # seconds in which an emulator that is away may come back
_PAUSE = 0.5
T = TypeVar("T")


@dataclass(frozen=True)
class _Key:
    access_key_id: str
    access_key_secret: str
    security_token: str | None = None

    def get(self) -> "_Key":
        return self


class OwnBuckets:
    """The buckets of the emulator whose directory is `data`."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def fetch(self, uri: str, to: Path) -> None:
        """Copy an object to the file `to`, or all below an address that ends with a slash to below `to`.

        Raises:
            PaiJupyterError: there is nothing, or it cannot be copied.
        """
        to.parent.mkdir(parents=True, exist_ok=True)
        self._ask(lambda access: download(_plain(uri), to, **access))

    def fetch_existing(self, uri: str, to: Path) -> None:
        """Copy what is below an address, if anything is."""
        with suppress(NotFoundError):
            self.fetch(f"{uri.rstrip('/')}/", to)

    def store(self, place: Path, uri: str) -> str:
        """Copy a file or the content of a directory to an address; return the address."""
        self._ask(lambda access: upload(place, _plain(uri), **access))
        return uri

    def own_address(self, key: str) -> str:
        """Return an address in the bucket that the emulator creates at its start."""
        return f"oss://{self._patiently(lambda: self._read('address.json'))['bucket']}/{key}"

    def _ask(self, call: Callable[[dict[str, Any]], T]) -> T:  # Any: arguments of `storage`
        return self._patiently(lambda: call(self._access()))

    def _patiently(self, call: Callable[[], T]) -> T:
        """Call again as long as the emulator does not answer."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return call()
            except UnavailableError:
                if time.monotonic() > until:
                    raise
            time.sleep(_PAUSE)

    def _access(self) -> dict[str, Any]:  # Any: as above
        told, pair = self._read("address.json"), self._read("credentials.json")
        key = _Key(pair["access_key_id"], pair["access_key_secret"])
        return {"credentials": key, "endpoint": told["address"], "region": told["region"]}

    def _read(self, name: str) -> dict[str, str]:
        """Read one of the files that the emulator writes; they are gone while it is ended."""
        try:
            return dict(json.loads((self._data / name).read_text(encoding="utf-8")))
        except (OSError, ValueError) as exc:
            raise UnavailableError(f"the emulator of '{self._data}' is not running. Start it again.") from exc


def _plain(uri: str) -> str:
    """Return an address without its endpoint: every bucket is the emulator's."""
    url = parse_oss_url(uri)
    return str(OssUrl(bucket_name=url.bucket_name, object_key=url.object_key))
