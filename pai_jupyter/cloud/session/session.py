"""`Session`: region, workspace, bucket and keys, and requests with them.

Configured values are fields. Values that the cloud must be asked for (the workspace of this DSW instance, a workspace's default
bucket) are requested once, on demand, by `require_...`.
"""

import os
import threading
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pai_jupyter import storage
from pai_jupyter.cloud.client import Client, CredentialProvider, Endpoints, aiworkspace, dsw
from pai_jupyter.cloud.session import asking, persist
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json
from pai_jupyter.storage.progress import Report

if TYPE_CHECKING:
    import oss2

_DEFAULT_STORAGE = "modelExportPath"
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Session:
    """The region, workspace, bucket and keys of a notebook. Sessions with the same values are equal.

    `oss_endpoint` has no scheme unless it is http; for an emulator it is the emulator's address, as `endpoints.address`.

    Example:
        >>> from pai_jupyter import get_default_session
        >>> get_default_session().uri("data/train.csv")  # doctest: +ELLIPSIS
        'oss://.../data/train.csv'
    """

    region_id: str
    workspace_id: str | None = None
    oss_bucket_name: str | None = None
    oss_endpoint: str | None = None
    endpoints: Endpoints
    credentials: CredentialProvider = field(repr=False)

    @property
    def is_emulator(self) -> bool:
        """Whether this is an emulator on this machine."""
        return self.endpoints.address is not None

    @property
    def oss_bucket(self) -> "oss2.Bucket":
        """The bucket as an `oss2.Bucket`."""
        from pai_jupyter.storage.oss import bucket  # imported late: rarely needed

        return bucket(
            self.require_bucket(), credentials=self.credentials, endpoint=self.oss_endpoint, region=self.region_id
        )

    def client(self) -> Client:
        """Create a client of the services; the caller closes it (`async with`)."""
        return Client(self.endpoints, self.credentials)

    def ask(self, call: Callable[[Client], Awaitable[T]]) -> T:
        """Run `call` with a client and return its result; works from any code, also in a running loop."""

        async def question() -> T:
            async with self.client() as client:
                return await call(client)

        return asking.ask(question)

    def uri(self, key: str) -> str:
        """Return the address of `key` in this session's bucket."""
        return f"oss://{self.require_bucket()}/{key}"

    def open_storage(self, uri: str) -> storage.Storage:
        """Open the storage at `uri` with this session's credentials and endpoint, without a request."""
        return storage.open_storage(uri, **self._access())

    def upload(
        self,
        path: str | os.PathLike[str],
        uri: str,
        *,
        progress: Report | None = None,
        cancel: threading.Event | None = None,
    ) -> str:
        """Call `storage.upload` with this session's credentials and endpoint; return the address of the copy."""
        return storage.upload(path, uri, progress=progress, cancel=cancel, **self._access())

    def download(
        self,
        uri: str,
        path: str | os.PathLike[str],
        *,
        without: Collection[str] = (),
        progress: Report | None = None,
        cancel: threading.Event | None = None,
    ) -> Path:
        """Call `storage.download` with this session's credentials and endpoint; return the path of the copy."""
        return storage.download(uri, path, without=without, progress=progress, cancel=cancel, **self._access())

    def require_workspace(self) -> str:
        """Return the workspace id: the configured one, else that of this DSW instance (requested once).

        Raises:
            SpecError: there is none, with what to type.
        """
        workspace = self.workspace_id or self._dsw_workspace
        if workspace is None:
            raise SpecError(
                "no workspace is set. Type: %pai_config set workspace=ID, or %pai_config wizard", field="workspace"
            )
        return workspace

    def require_bucket(self) -> str:
        """Return the bucket: the configured one, else the workspace's default storage (requested once).

        Raises:
            SpecError: there is none, with what to type.
        """
        bucket = self.oss_bucket_name or self._default_bucket
        if bucket is None:
            raise SpecError(
                "no OSS bucket is set, and the workspace has no default storage. "
                "Type: %pai_config set bucket=NAME, or %pai_config wizard",
                field="bucket",
            )
        return bucket

    def persist_config(self) -> None:
        """Save region, workspace, bucket and endpoint, but no key, in the official SDK's file for next time.

        Prints the file's path and the source of keys for next time.
        """
        persist.persist(
            {
                "region_id": self.region_id,
                "workspace_id": self.workspace_id,
                "oss_bucket_name": self.oss_bucket_name,
                "oss_endpoint": None if self.oss_endpoint in oss_hosts(self.region_id) else self.oss_endpoint,
            },
            is_emulator=self.is_emulator,
        )

    def _access(self) -> dict[str, Any]:  # Any: arguments of `storage`, each with its own type
        return {"credentials": self.credentials, "endpoint": self.oss_endpoint, "region": self.region_id}

    @cached_property
    def _dsw_workspace(self) -> str | None:
        instance = os.environ.get("DSW_INSTANCE_ID")
        if not instance:
            return None
        answer = self.ask(lambda client: client.call(dsw.GET_INSTANCE, path={"instance_id": instance}))
        workspace = answer.get("WorkspaceId")
        return str(workspace) if workspace else None

    @cached_property
    def _default_bucket(self) -> str | None:
        workspace = self.workspace_id or self._dsw_workspace
        if workspace is None:
            return None
        path, query = {"workspace_id": workspace}, {"ConfigKeys": _DEFAULT_STORAGE}
        uri = _config(self.ask(lambda client: client.call(aiworkspace.LIST_CONFIGS, path=path, query=query)))
        return storage.parse_oss_url(uri).bucket_name if uri else None


def oss_hosts(region: str) -> tuple[str, str]:
    """Return the endpoints of OSS in `region`: the public one and the one inside its VPCs."""
    return f"oss-{region}.aliyuncs.com", f"oss-{region}-internal.aliyuncs.com"


def _config(answer: dict[str, Json]) -> str | None:
    """Find the default storage among a workspace's settings."""
    configs = answer.get("Configs")
    for config in configs if isinstance(configs, list) else []:
        if isinstance(config, dict) and config.get("ConfigKey") == _DEFAULT_STORAGE:
            value = config.get("ConfigValue")
            return value if isinstance(value, str) and value else None
    return None
