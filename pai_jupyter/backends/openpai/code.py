"""Code on HDFS before the job is submitted: of a job file of version 1 in its `codeDir`, of a cell one packed file if it is large.

Rule 1: the code is there whole, or nothing of it: a directory that was not there before is removed again when something fails, and
    when the cluster refuses the job.
Rule 2: what a cluster would refuse is refused before the first byte is sent.
"""

import asyncio
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from pai_jupyter.backends.openpai.clusters import Cluster
from pai_jupyter.backends.openpai.job_folder import MOST_CODE
from pai_jupyter.backends.openpai.prologue import PackedCode
from pai_jupyter.backends.openpai.rest.connection import DIRECT
from pai_jupyter.backends.progress_note import noting_progress
from pai_jupyter.backends.threads import in_thread
from pai_jupyter.cloud.hdfs import hdfs_session
from pai_jupyter.errors import PaiJupyterError, SpecError, UnavailableError
from pai_jupyter.package import Package, unpack
from pai_jupyter.storage import Storage, open_storage, upload
from pai_jupyter.storage.address import shown
from pai_jupyter.storage.disk import walk
from pai_jupyter.storage.hdfs import HdfsAccess, HdfsUrl, parse_hdfs_url

PACKED = "code.tar.gz"  # of a cell
FILE_SYSTEM = "$PAI_DEFAULT_FS_URI"


def hdfs_of(cluster: Cluster) -> HdfsAccess:
    """Return who asks for files of the cluster, and where: at its proxy, unless `hdfs_url` names the same host."""
    set_here, parts = hdfs_session().access, urlsplit(cluster.address)
    base = f"{cluster.address}/webhdfs/api/v1"
    if parts.port == DIRECT:
        base = f"http://{parts.hostname}:50070"
    if set_here.host == parts.hostname:
        base = set_here.base
    found = HdfsAccess.of(user=cluster.user, base=base)
    return HdfsAccess(user=found.user, base=found.base, data_nodes=set_here.data_nodes)


def directory_url(directory: str, host: str, *, field: str = "codeDir") -> HdfsUrl:
    """Return the address of a directory that the job file names in `field`, in the HDFS at `host`.

    Raises:
        SpecError: it is no directory in HDFS.
    """
    plain = directory.removeprefix(FILE_SYSTEM)
    url = parse_hdfs_url(plain) if plain.startswith("hdfs://") else HdfsUrl(host=host, path=plain.strip("/"))
    is_whole = plain.startswith(("/", "hdfs://"))
    if not is_whole or not url.path.strip("/") or "$" in url.path or "/../" in f"/{url.path}/":
        raise SpecError(
            f"`{field}` is {shown(directory)}; it must be a directory in HDFS. Write: {FILE_SYSTEM}/$PAI_USER_NAME/$PAI_JOB_NAME",
            field=field,
        )
    return HdfsUrl(host=url.host, port=url.port, path=url.path.strip("/"))


@dataclass(frozen=True, kw_only=True)
class CodeDirectory:
    """The `codeDir` of a job; `is_new`: nothing was there before."""

    access: HdfsAccess
    url: HdfsUrl
    is_new: bool

    @classmethod
    def find(cls, cluster: Cluster, code_dir: str) -> "CodeDirectory":
        """Look what is there. Blocking."""
        access = hdfs_of(cluster)
        url = directory_url(code_dir, access.host)
        is_new = open_storage(url.root, hdfs=access).head(f"{url.path}/") is None
        return cls(access=access, url=url, is_new=is_new)

    def send(self, package: Package, cancel: threading.Event, *, folder: Path) -> None:
        """Put the files of the package there. Blocking; the progress note goes to `folder`, the job's.

        Raises:
            SpecError: there is nothing, or more than a cluster takes.
            TransferCancelled: `cancel` was set.
            PaiJupyterError: something cannot be sent.
        """
        with TemporaryDirectory() as place, noting_progress(folder, "sending the code") as progress:
            source = Path(place) / "code"
            unpack(package.path, source, allow_large=True)
            self._check(source)
            try:
                upload(source, f"{self.url}/", hdfs=self.access, progress=progress, cancel=cancel)
            except BaseException:
                self.take_back()
                raise

    def send_packed(self, package: Package, cancel: threading.Event, *, folder: Path) -> None:
        """Put the package there as it is. Blocking; the progress note goes to `folder`, the job's.

        Raises:
            TransferCancelled: `cancel` was set.
            PaiJupyterError: it cannot be sent.
        """
        with noting_progress(folder, "sending the code") as progress:
            try:
                upload(package.path, f"{self.url}/{PACKED}", hdfs=self.access, progress=progress, cancel=cancel)
            except BaseException:
                self.take_back()
                raise

    def take_back(self) -> None:
        """Remove the code again, unless something was there before. Blocking."""
        if self.is_new:
            with suppress(PaiJupyterError):  # the first error is reported
                open_storage(self.url.root, hdfs=self.access).delete_tree(f"{self.url.path}/")

    def _check(self, source: Path) -> None:
        sizes = {found.key: found.size for found in walk(source)}
        before = {} if self.is_new else {entry.key: entry.size for entry in self._storage.list(recursive=True)}
        if (size := sum({**before, **sizes}.values())) > MOST_CODE:
            raise SpecError(
                f"`codeDir` would have {size} bytes with what is at {self.url} already, and a cluster takes {MOST_CODE}. Name a "
                "directory of the job's own, or fewer files.",
                field="codeDir",
            )

    @property
    def _storage(self) -> Storage:
        return open_storage(f"{self.url}/", hdfs=self.access)


async def send_code(cluster: Cluster, code_dir: str, package: Package, *, folder: Path) -> CodeDirectory | None:
    """Put the code of a job file where it says; return the place, None if nothing was sent. `folder` is the job's.

    Raises:
        PaiJupyterError: as `CodeDirectory.send`; without files, `codeDir` is not there.
    """
    if not code_dir:
        return None
    if not package.files:
        await asyncio.to_thread(_check_there, cluster, code_dir)
        return None
    place = await asyncio.to_thread(CodeDirectory.find, cluster, code_dir)
    await in_thread(lambda cancel: place.send(package, cancel, folder=folder))
    return place


def packed_code(cluster: Cluster, name: str) -> PackedCode:
    """Return where the code of a cell lies that is too large for a job file."""
    return PackedCode(base=hdfs_of(cluster).base, user=cluster.user, path=f"/{cluster.user}/{name}/{PACKED}")


async def send_packed(cluster: Cluster, code: PackedCode, package: Package, *, folder: Path) -> CodeDirectory:
    """Put the package where `code` says; return the place. `folder` is the job's.

    Raises:
        PaiJupyterError: it cannot be sent.
    """
    place = await asyncio.to_thread(CodeDirectory.find, cluster, code.path.removesuffix(f"/{PACKED}"))
    await in_thread(lambda cancel: place.send_packed(package, cancel, folder=folder))
    return place


def _check_there(cluster: Cluster, code_dir: str) -> None:
    """Refuse a job whose `codeDir` is not there, and to which no files go. Blocking.

    Raises:
        SpecError: it is not there.
    """
    with suppress(UnavailableError):  # a cluster may reach what this machine does not
        if (place := CodeDirectory.find(cluster, code_dir)).is_new:
            raise SpecError(
                f"there is no `codeDir` at {place.url}, and no file goes there with the job, which would fail. Name files: --upload "
                "GLOB, or leave `codeDir` out.",
                field="codeDir",
            )
