"""`%pai_oss ls|cp|rm|cat`: list, copy, delete and print objects in OSS.

Rule 1: names in OSS are untrusted: they are shown without control characters, and downloaded only below the target directory.
Rule 2: without `-y`, `rm` only says what it would delete.
"""

import re
from argparse import Namespace
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.events import strip_ansi
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.table import Table, counted
from pai_jupyter.magics.transfers import size_text, transfer
from pai_jupyter.view import is_stable, said

if TYPE_CHECKING:
    from pai_jupyter.cloud.session import Session
    from pai_jupyter.storage import Entry, OssUrl, Storage

LISTED = 1000  # entries
SHOWN = 1024 * 1024  # bytes that `cat` prints, at most
_VERBS = {"ls": "[oss://...]", "cp": "SOURCE TARGET", "rm": "oss://... -y", "cat": "oss://..."}
_OSS = re.compile(r"oss://", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@magics_class
class OssMagics(Magics):
    """`%pai_oss`."""

    shell: Any  # IPython sets it

    @magic_arguments()
    @argument("verb", choices=tuple(_VERBS), help="list, copy to or from OSS, remove, print")
    @argument(
        "address", nargs="*", metavar="oss://BUCKET/KEY|PATH", help="address or path; a directory ends with a slash"
    )
    @argument(
        "-r", "--recursive", action="store_true", help="ls: with subdirectories; rm: a whole directory; cp: always"
    )
    @argument("-y", "--yes", action="store_true", help="rm: do not ask for confirmation")
    @line_magic
    def pai_oss(self, line: str) -> None:
        """List, copy, remove and print objects in OSS."""
        from pai_jupyter.cloud.session import need_session  # late: %load_ext must not load cloud libraries

        options = parse(self.pai_oss, expand(line, self.shell.user_ns), is_mixed=True)
        _check(options)
        session = need_session()
        match options.verb:
            case "ls":
                display(listing(session, *options.address, is_recursive=options.recursive))
            case "cp":
                copy(session, *options.address)
            case "rm":
                remove(session, options.address, is_recursive=options.recursive, is_sure=options.yes)
            case "cat":
                print(content(session, *options.address))  # noqa: T201


def listing(session: "Session", address: str | None = None, *, is_recursive: bool = False) -> Table:
    """List a directory (default: the session's bucket); if there is no such directory, the keys with that prefix."""
    url = _url(address or session.uri(""))
    found = list(islice(_entries(session, url, is_recursive=is_recursive), LISTED + 1))
    rows = [_row(entry) for entry in found[:LISTED]]
    if len(found) > LISTED:
        rows.append(["...", "", f"and more: only the first {LISTED} are shown"])
    where = f"oss://{url.bucket_name}/{url.object_key}"
    return Table(headers=["size", "changed (UTC)", "name"], rows=rows, empty=f"nothing is at {printable(where)}")


def copy(session: "Session", source: str, target: str) -> None:
    """Copy a file or a whole directory to or from OSS."""
    match _is_oss(source), _is_oss(target):
        case False, True:
            _url(target)
            transfer(
                f"uploading {printable(source)}",
                lambda report, cancel: session.upload(source, target, progress=report, cancel=cancel),
                lambda there, size: f"uploaded {size}: {printable(there)}",
            )
        case True, False:
            _url(source)
            transfer(
                f"downloading {printable(source)}",
                lambda report, cancel: session.download(source, target, progress=report, cancel=cancel),
                lambda there, size: f"downloaded {size}: {printable(str(there))}",
            )
        case _:
            raise SpecError(
                f"`cp` needs one address in OSS and one local path, e.g. %pai_oss cp ./data/ {session.uri('data/')}",
                field="cp",
            )


def remove(session: "Session", addresses: Sequence[str], *, is_recursive: bool, is_sure: bool) -> None:
    """Delete objects and, with `is_recursive`, whole directories.

    Raises:
        SpecError: unless `is_sure`; the message says what would be deleted.
        NotFoundError: there is nothing at an address; then nothing is deleted.
    """
    doomed = [(_bucket(session, url), _doomed(session, url, is_recursive=is_recursive)) for url in map(_url, addresses)]
    count = sum(len(entries) for _, entries in doomed)
    size = size_text(sum(entry.size for _, entries in doomed for entry in entries))
    what = f"{counted(count, 'object')}, {size}: {', '.join(map(printable, addresses))}"
    if not is_sure:
        raise SpecError(f"nothing was removed. This would remove {what}. To remove it, add -y", field="-y")
    for bucket, entries in doomed:
        bucket.delete(entry.key for entry in entries)
    print(said(f"removed {what}"))  # noqa: T201


def content(session: "Session", address: str) -> str:
    """Return the text of an object, without control characters, at most its first `SHOWN` bytes."""
    url = _url(address)
    bucket = _bucket(session, url)
    entry = bucket.head(url.object_key) if url.object_key else None
    if entry is None:
        raise NotFoundError(f"there is no object {address[:200]!r}. Look: %pai_oss ls {printable(_parent(address))}")
    data = bucket.read(url.object_key, size=SHOWN)
    if b"\0" in data:
        raise SpecError(
            f"{address[:200]!r} is not a text. Download it: %pai_oss cp {printable(address)} .", field="cat"
        )
    text = _CONTROLS.sub("", strip_ansi(data.decode("utf-8", "replace"))).removesuffix("\n")
    left = entry.size - len(data)
    return f"{text}\n... and {size_text(left)} more: %pai_oss cp {printable(address)} ." if left > 0 else text


def printable(text: str) -> str:
    """Replace unprintable characters in a name: control characters, line breaks, text direction marks."""
    return "".join(letter if letter.isprintable() else "�" for letter in text)


def _check(options: Namespace) -> None:
    least, most = {"ls": (0, 1), "cp": (2, 2), "rm": (1, 1000), "cat": (1, 1)}[options.verb]
    if not least <= len(options.address) <= most:
        raise SpecError(
            f"`{options.verb}` must be written %pai_oss {options.verb} {_VERBS[options.verb]}", field=options.verb
        )


def _entries(session: "Session", url: "OssUrl", *, is_recursive: bool) -> Iterator["Entry"]:
    bucket, key = _bucket(session, url), url.object_key
    directory = key if key.endswith("/") or not key else f"{key}/"
    below = bucket.list(directory, recursive=is_recursive)
    first = next(below, None)
    if first is not None:
        yield first
        yield from below
    elif directory != key:
        yield from bucket.list(key, recursive=is_recursive)


def _doomed(session: "Session", url: "OssUrl", *, is_recursive: bool) -> list["Entry"]:
    """Return the entries to delete at an address: an object, or a whole directory including its marker."""
    from pai_jupyter.storage import Entry

    bucket, key = _bucket(session, url), url.object_key
    entry = bucket.head(key) if key and not key.endswith("/") else None
    if entry is not None:
        return [entry]
    directory = key if key.endswith("/") or not key else f"{key}/"
    mark = [Entry(key=directory)] if directory and bucket.head(directory) is not None else []
    doomed = [*bucket.list(directory, recursive=True), *mark]
    if not doomed:
        raise NotFoundError(f"there is nothing at {str(url)[:200]!r}, so nothing was removed.")
    if not is_recursive:
        raise SpecError(
            f"{str(url)[:200]!r} is a directory, with {counted(len(doomed), 'object')} in it. To remove all of it, add -r",
            field="-r",
        )
    return doomed


def _bucket(session: "Session", url: "OssUrl") -> "Storage":
    """Open the whole bucket of an address, so that its keys are complete."""
    from pai_jupyter.storage import OssUrl, open_storage

    root = str(OssUrl(bucket_name=url.bucket_name, endpoint=url.endpoint, object_key=""))
    return open_storage(root, credentials=session.credentials, endpoint=session.oss_endpoint, region=session.region_id)


def _url(address: str) -> "OssUrl":
    from pai_jupyter.storage import parse_oss_url

    if not _is_oss(address):
        raise SpecError(f"{address[:200]!r} is not in OSS. Write oss://BUCKET/KEY", field="address")
    return parse_oss_url(address)


def _is_oss(address: str) -> bool:
    return _OSS.match(address) is not None


def _row(entry: "Entry") -> list[str]:
    when = "" if entry.modified is None else f"{datetime.fromtimestamp(entry.modified, UTC):%Y-%m-%d %H:%M:%S}"
    size = "" if entry.is_directory else size_text(entry.size)
    return [size, "…" if when and is_stable() else when, printable(entry.key)]


def _parent(address: str) -> str:
    return address.rpartition("/")[0] + "/"
