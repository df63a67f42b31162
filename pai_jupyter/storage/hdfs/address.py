"""Addresses `hdfs://HOST[:PORT]/path`, and who asks for them where: `HdfsAccess`. No I/O.

Rule 1: a path is taken literally, `%`, `#` and `?` included; `hdfs://` addresses are not percent-encoded.
Rule 2: the port of an address is that of Hadoop's own protocol. It is not used here: WebHDFS has a base of its own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from getpass import getuser
from typing import Self
from urllib.parse import quote, urlsplit

from pai_jupyter.errors import SpecError
from pai_jupyter.storage.address import check_key, shown

HTTP_PORT = 50070  # of the name node, in Hadoop 2; Hadoop 3 has 9870
PREFIX = "/webhdfs/v1"
_HOST = r"[A-Za-z0-9](?:[\w.-]*\w)?"
_HDFS_URL = re.compile(rf"hdfs://({_HOST})(:\d{{1,5}})?(?:/(.*))?", re.DOTALL | re.IGNORECASE)
_BASE = re.compile(rf"https?://{_HOST}(:\d{{1,5}})?(/.*)?")
_NODE = re.compile(rf"({_HOST}(?::\d{{1,5}})?)=({_HOST}(?::\d{{1,5}})?)")
_USER = re.compile(r"[A-Za-z_][A-Za-z0-9._-]*[$]?")  # what a name node accepts as `user.name`


@dataclass(frozen=True, kw_only=True)
class HdfsUrl:
    """A parsed `hdfs://` address; `path` has no leading slash."""

    host: str
    path: str
    port: str = ""

    @property
    def root(self) -> str:
        """The address of the whole file system."""
        return f"hdfs://{self.host}{self.port}/"

    def __str__(self) -> str:
        return self.root + self.path


def parse_hdfs_url(uri: str) -> HdfsUrl:
    """Parse `hdfs://HOST/path` or `hdfs://HOST:PORT/path`.

    Raises:
        SpecError: it is not such an address.

    Example:
        >>> parse_hdfs_url("hdfs://master:9000/demo/data").path
        'demo/data'
    """
    found = _HDFS_URL.fullmatch(uri)
    if found is None:
        raise SpecError(f"{shown(uri)} is no address in HDFS. Write it as hdfs://HOST/PATH.", field="uri")
    return HdfsUrl(host=found[1], port=found[2] or "", path=(found[3] or "").lstrip("/"))


def check_path(key: str) -> None:
    """Reject a key that is not a path below a directory of HDFS.

    Raises:
        SpecError: it leaves the directory, or has a colon, which HDFS does not store.
    """
    check_key(key)
    if ":" in key:
        raise SpecError(f"the name {shown(key)} has a colon, which HDFS refuses. Rename the file.", field="key")


def user_name(name: str) -> str:
    """Return the user name if WebHDFS accepts it.

    Raises:
        SpecError: it does not.
    """
    if not _USER.fullmatch(name):
        raise SpecError(
            f"{shown(name)} cannot be the name of a user of HDFS: letters, digits, `.`, `_` and `-`, a letter first. "
            "Type: %pai_config set hdfs_user=NAME",
            field="hdfs_user",
        )
    return name


def base_url(text: str) -> str:
    """Return the base of WebHDFS's requests: `text`, completed by `/webhdfs/v1` if it names only a host.

    Raises:
        SpecError: it is no http address.
    """
    if not _BASE.fullmatch(text):
        raise SpecError(
            f"{shown(text)} is no address of WebHDFS; examples: http://HOST:50070, https://HOST/webhdfs/api/v1",
            field="hdfs_url",
        )
    path = urlsplit(text).path.rstrip("/")
    return text.rstrip("/") + ("" if path else PREFIX)


def node_map(text: str) -> Mapping[str, str]:
    """Parse `NAME=HOST[:PORT],...`, where data nodes are reached instead of at the names that the name node gives.

    Raises:
        SpecError: it is no such list.
    """
    found = [_NODE.fullmatch(word) for word in re.split(r"[,\s]+", text.strip(", "))] if text.strip(", ") else []
    if None in found:
        raise SpecError(
            f"{shown(text)} is no list of data nodes; an example: node-1=10.0.0.5:50075,node-2=10.0.0.6:50075",
            field="hdfs_datanodes",
        )
    return {node[1]: node[2] for node in found if node is not None}


@dataclass(frozen=True, kw_only=True)
class HdfsAccess:
    """Who asks (`user`), at which WebHDFS (`base`), and where its data nodes are reached.

    `base` is for the host of its own address; other hosts are asked at port 50070. WebHDFS checks no password: the name of a
    user is a claim, and no token or key is ever sent.
    """

    user: str = ""
    base: str = ""
    data_nodes: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, *, user: str = "", base: str = "", data_nodes: str = "") -> Self:
        """Check and complete what a user has written.

        Raises:
            SpecError: one of them is invalid.
        """
        return cls(
            user=user_name(user) if user else "",
            base=base_url(base) if base else "",
            data_nodes=node_map(data_nodes),
        )

    @property
    def host(self) -> str:
        """The host of `base`; "" without one."""
        return urlsplit(self.base).hostname or ""

    @property
    def name(self) -> str:
        """The user: the given one, else the one who runs this process."""
        return self.user or user_name(getuser())

    def base_of(self, url: HdfsUrl) -> str:
        if self.base and self.host.lower() == url.host.lower():
            return self.base
        return f"http://{url.host}:{HTTP_PORT}{PREFIX}"

    def reached(self, node: str) -> str:
        """Return `HOST:PORT` at which the data node `HOST:PORT` is reached."""
        host, _, port = node.partition(":")
        mapped = self.data_nodes.get(node) or self.data_nodes.get(host)
        if mapped is None:
            return node
        return mapped if ":" in mapped or not port else f"{mapped}:{port}"


def encoded(path: str) -> str:
    """Percent-encode a path for a request to the name node."""
    return quote(path, safe="/~")
