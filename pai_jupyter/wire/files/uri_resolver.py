"""Kinds of addresses that the explorer knows; each lists addresses to start at, and resolves an address to a `ResolvedUri`.

A new kind is a new entry of `KINDS`; `explorer` treats the spots of all kinds alike.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, Protocol

from pai_jupyter import path_guard
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.jobs import Job
from pai_jupyter.storage import OssUrl, Storage, parse_oss_url
from pai_jupyter.storage.address import region_of
from pai_jupyter.store import JobStore
from pai_jupyter.wire.files.file_roots import DirectoryPage, Item, Root, StorageRoot, file_channels, root_of
from pai_jupyter.wire.protocol.jobs import find_job

if TYPE_CHECKING:
    from pai_jupyter.cloud.session import Session

_NOT_HERE = "Delete jobs in the list of jobs."


@dataclass(frozen=True, kw_only=True)
class ResolvedUri:
    """A resolved address: `path` in `root`, whose own address is `base` and whose parent's address is `above`.

    `kept_because` says why nothing may be deleted there; "" if deleting is allowed. Without a `store` nothing can be uploaded.
    """

    root: Root
    base: str
    above: str
    path: str = ""
    kept_because: str = ""
    store: Storage | None = None
    spell: Callable[[str], str] = path_guard.spelled

    @property
    def uri(self) -> str:
        """The address, written as that of a directory."""
        return self.uri_of(self.path, is_directory=True)

    @property
    def parent(self) -> str:
        return self.uri_of(self.path.rpartition("/")[0], is_directory=True) if self.path else self.above

    def uri_of(self, path: str, *, is_directory: bool) -> str:
        return self.base + self.spell(path) + ("/" if path and is_directory else "")

    def below(self, name: str) -> str:
        """Return the path of the entry `name` in this directory."""
        return f"{self.path}/{name}" if self.path else name


class UriKind(Protocol):
    """One kind of address."""

    def places(self) -> Iterator[tuple[str, str]]:
        """Yield display names and addresses to start at.

        Raises:
            PaiJupyterError: the following ones cannot be listed.
        """

    def find(self, rest: str) -> ResolvedUri:
        """Resolve an address; `rest` is its part after the colon."""


class Jobs:
    """Addresses `job:...`: the jobs on this machine, and their outputs wherever they are stored."""

    def places(self) -> Iterator[tuple[str, str]]:
        yield "jobs", "job:"

    def find(self, rest: str) -> ResolvedUri:
        job_id, _, rest = rest.partition("/")
        channel, _, path = rest.partition("/")
        if not job_id:
            return ResolvedUri(root=_JobList(), base="job:", above="", kept_because=_NOT_HERE)
        job = find_job(job_id)
        if not channel:
            return ResolvedUri(root=_ChannelList(job), base=f"job:{job_id}/", above="job:", kept_because=_NOT_HERE)
        return ResolvedUri(
            root=root_of(job, channel),
            base=f"job:{job_id}/{channel}/",
            above=f"job:{job_id}/",
            path=path_guard.unspelled(path).removesuffix("/"),
            kept_because="" if job.status.is_terminal else f"job {job_id} has not ended. Stop it first.",
        )


class Buckets:
    """Addresses `oss://...`, read with this process's session; its key is sent only to endpoints of OSS or the session's own."""

    def places(self) -> Iterator[tuple[str, str]]:
        from pai_jupyter.cloud.session import get_default_session  # late: most users run jobs only on this machine

        if (session := get_default_session()) is not None:
            yield session.require_bucket(), session.uri("")

    def find(self, rest: str) -> ResolvedUri:
        from pai_jupyter.cloud.session import need_session

        session = need_session()
        url = bucket_url(f"oss:{rest}", session)
        base = str(url).removesuffix(url.object_key)
        storage = session.open_storage(base)
        return ResolvedUri(
            root=StorageRoot(storage, f"bucket {url.bucket_name!r}", base),
            base=base,
            above="",
            path=url.object_key.removesuffix("/"),
            store=storage,
            spell=str,
        )


class FileSystems:
    """Addresses `hdfs://...`, read as the user of the settings, or of the cluster that they are in."""

    def places(self) -> Iterator[tuple[str, str]]:
        from pai_jupyter.jobs.cluster_files import file_sessions  # late, as above

        for name, session in file_sessions():
            yield name, session.uri()

    def find(self, rest: str) -> ResolvedUri:
        from pai_jupyter.jobs.cluster_files import session_at
        from pai_jupyter.storage.hdfs import parse_hdfs_url

        url = parse_hdfs_url(encodable(f"hdfs:{rest}", field="uri"))
        storage = session_at(url.host).open_storage(url.root)
        return ResolvedUri(
            root=StorageRoot(storage, f"HDFS {url.host!r}", url.root),
            base=url.root,
            above="",
            path=url.path.removesuffix("/"),
            store=storage,
            spell=str,
        )


KINDS: Mapping[str, UriKind] = {"job": Jobs(), "oss": Buckets(), "hdfs": FileSystems()}


def find_spot(uri: str) -> ResolvedUri:
    """Resolve the address `uri`.

    Raises:
        SpecError: it is not an address, or its kind is unknown.
        NotFoundError: there is no such job or channel.
    """
    scheme, colon, rest = uri.partition(":")
    if not colon or scheme not in KINDS or len(uri) > path_guard.LONGEST:
        known = ", ".join(f"{name}:..." for name in KINDS)
        raise SpecError(f"{uri[:100]!r} is not an address that can be browsed. Use one of {known}.", field="uri")
    return KINDS[scheme].find(rest)


def bucket_url(uri: str, session: "Session") -> OssUrl:
    """Parse an `oss://` address.

    Raises:
        SpecError: the address is invalid, or its endpoint is neither this session's own nor one of OSS.
    """
    url = parse_oss_url(encodable(uri, field="uri"))
    own = (session.oss_endpoint or "").rpartition("://")[2].rstrip("/")
    if url.endpoint and url.endpoint != own and region_of(url.endpoint) is None:
        raise SpecError(
            f"{url.endpoint!r} is not a known endpoint of OSS. Write oss://{url.bucket_name}/KEY.",
            field="uri",
        )
    return url


def encodable(text: str, *, field: str) -> str:
    """Return `text` if it can be encoded as UTF-8.

    Raises:
        SpecError: it has a lone surrogate.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SpecError(f"`{field}` has an invalid character (half of a surrogate pair).", field=field) from None
    return text


class _NoFiles:
    """A root that has only directories."""

    uri = ""

    def open(self, path: str) -> tuple[BinaryIO, int]:
        raise SpecError("this is a directory. List it instead.", field="uri")

    def remove(self, path: str, *, is_directory: bool = False) -> int:
        raise SpecError(_NOT_HERE, field="uri")


class _JobList(_NoFiles):
    def page(self, path: str, most: int, after: str = "") -> DirectoryPage:
        folders = (folder for folder in JobStore().folders() if not after or folder.id < after)
        first = list(islice(folders, most + 1))
        items = [
            Item(
                name=each.id,
                is_directory=True,
                modified=each.record.created,
                label=f"{each.record.spec.name} {each.id}",
            )
            for each in first[:most]
        ]
        return DirectoryPage(items=items, after=first[most - 1].id if len(first) > most else None)


class _ChannelList(_NoFiles):
    def __init__(self, job: Job) -> None:
        self._job = job

    def page(self, path: str, most: int, after: str = "") -> DirectoryPage:
        """List the channels that can be browsed; notes say why others cannot."""
        items: list[Item] = []
        notes: list[str] = []
        for channel in file_channels(self._job):
            try:
                root_of(self._job, channel)
                items.append(Item(name=channel, is_directory=True))
            except PaiJupyterError as exc:
                notes.append(str(exc))
        return DirectoryPage(items=items, notes=tuple(dict.fromkeys(notes)))
