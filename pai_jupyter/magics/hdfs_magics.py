"""`%pai_hdfs ls|put|get|mkdir|rm`: list, copy, make and remove files in HDFS.

A path that begins with a slash is in the HDFS of the setting `hdfs_url`, without one in that of the chosen cluster of OpenPAI;
`hdfs://HOST/PATH` names another one.
"""

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from pai_jupyter.errors import SpecError
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.stored_files import StoredPlace, listing, printable, remove
from pai_jupyter.magics.transfers import transfer
from pai_jupyter.view import said

if TYPE_CHECKING:
    from pai_jupyter.cloud.hdfs import HdfsSession

_VERBS = {"ls": "[/PATH]", "put": "LOCAL... /PATH", "get": "/PATH... LOCAL", "mkdir": "/PATH...", "rm": "/PATH... -y"}
_MOST = 1000  # addresses
_FEWEST = {"ls": 0, "put": 2, "get": 2, "mkdir": 1, "rm": 1}
_UNRELIABLE = (
    "note: HDFS is not made to keep your files: servers of a cluster come and go, and its disks may fill up. Keep a copy of "
    "what you need elsewhere."
)


@magics_class
class HdfsMagics(Magics):
    """`%pai_hdfs`."""

    shell: Any  # IPython sets it
    _is_warned = False  # whether this kernel has been told what HDFS is not

    @magic_arguments()
    @argument("verb", choices=tuple(_VERBS), help="list, copy to HDFS, copy from HDFS, make a directory, remove")
    @argument(
        "address",
        nargs="*",
        metavar="/PATH|hdfs://HOST/PATH|LOCAL",
        help="path in HDFS, the last of `put`; local path; a directory ends with a slash",
    )
    @argument(
        "-r", "--recursive", action="store_true", help="ls: with subdirectories; rm: a whole directory; others: always"
    )
    @argument("-y", "--yes", action="store_true", help="rm: do not ask for confirmation")
    @line_magic
    def pai_hdfs(self, line: str) -> None:
        """List, copy, make and remove files in HDFS."""
        from pai_jupyter.jobs.job_files import file_session  # late: %load_ext must not load what only few need

        options = parse(self.pai_hdfs, expand(line, self.shell.user_ns), is_mixed=True)
        _check(options)
        session, addresses = file_session(), options.address
        match options.verb:
            case "ls":
                where = _uri(session, addresses[0]) if addresses else session.uri()
                display(listing(_place(session, where), where, is_recursive=options.recursive))
            case "put":
                self._warn()
                _put(session, addresses[:-1], _uri(session, addresses[-1]))
            case "get":
                _get(session, [_uri(session, address) for address in addresses[:-1]], addresses[-1])
            case "mkdir":
                for address in addresses:
                    _make(session, _uri(session, address))
            case "rm":
                places = [_place(session, _uri(session, address)) for address in addresses]
                remove(places, is_recursive=options.recursive, is_sure=options.yes)

    def _warn(self) -> None:
        if not self._is_warned:
            print(said(_UNRELIABLE))  # noqa: T201
            HdfsMagics._is_warned = True


def _put(session: "HdfsSession", sources: list[str], target: str) -> None:
    if len(sources) > 1 and not target.endswith("/"):
        raise SpecError(f"several files go into a directory. Write {printable(target)}/", field="put")
    for source in sources:
        transfer(
            f"uploading {printable(source)}",
            lambda report, cancel, note: session.upload(source, target, progress=report, note=note, cancel=cancel),  # noqa: B023  it runs at once
            lambda there, size: f"uploaded {size}: {printable(there)}",
        )


def _get(session: "HdfsSession", sources: list[str], target: str) -> None:
    if len(sources) > 1 and not target.endswith("/"):
        raise SpecError(f"several files go into a directory. Write {printable(target)}/", field="get")
    for source in sources:
        transfer(
            f"downloading {printable(source)}",
            lambda report, cancel, note: session.download(source, target, progress=report, note=note, cancel=cancel),  # noqa: B023  it runs at once
            lambda there, size: f"downloaded {size}: {printable(str(there))}",
        )


def _make(session: "HdfsSession", uri: str) -> None:
    place = _place(session, uri)
    if place.directory:
        place.storage.put(place.directory, b"")
    print(said(f"made {printable(uri)}"))  # noqa: T201


def _place(session: "HdfsSession", uri: str) -> StoredPlace:
    storage, key = session.whole(uri)
    return StoredPlace(storage=storage, key=key, address=uri)


def _uri(session: "HdfsSession", address: str) -> str:
    """Return the address of what the user typed.

    Raises:
        SpecError: it is no address in HDFS.
    """
    if address.lower().startswith("hdfs://"):
        return address
    if address.startswith("/"):
        return session.uri(address)
    raise SpecError(f"{address[:200]!r} is not in HDFS. Write /PATH or hdfs://HOST/PATH", field="address")


def _check(options: Namespace) -> None:
    most = 1 if options.verb == "ls" else _MOST
    if not _FEWEST[options.verb] <= len(options.address) <= most:
        raise SpecError(
            f"`{options.verb}` must be written %pai_hdfs {options.verb} {_VERBS[options.verb]}", field=options.verb
        )
