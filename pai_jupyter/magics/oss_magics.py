"""`%pai_oss ls|cp|rm|cat`: list, copy, delete and print objects in OSS (`stored_files`).

Rule: names in OSS are untrusted: they are shown without control characters, and downloaded only below the target directory.
"""

import re
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.events import strip_ansi
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.stored_files import StoredPlace, listing, printable, remove
from pai_jupyter.magics.transfers import size_text, transfer

if TYPE_CHECKING:
    from pai_jupyter.cloud.session import Session
    from pai_jupyter.storage import OssUrl, Storage

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
                place = _place(session, *(options.address or [session.uri("")]))
                url = _url(place.address)
                where = f"oss://{url.bucket_name}/{url.object_key}"
                display(listing(place, where, is_recursive=options.recursive))
            case "cp":
                copy(session, *options.address)
            case "rm":
                places = [_place(session, address) for address in options.address]
                remove(places, is_recursive=options.recursive, is_sure=options.yes)
            case "cat":
                print(content(session, *options.address))  # noqa: T201


def copy(session: "Session", source: str, target: str) -> None:
    """Copy a file or a whole directory to or from OSS."""
    match _is_oss(source), _is_oss(target):
        case False, True:
            _url(target)
            transfer(
                f"uploading {printable(source)}",
                lambda report, cancel, _: session.upload(source, target, progress=report, cancel=cancel),
                lambda there, size: f"uploaded {size}: {printable(there)}",
            )
        case True, False:
            _url(source)
            transfer(
                f"downloading {printable(source)}",
                lambda report, cancel, _: session.download(source, target, progress=report, cancel=cancel),
                lambda there, size: f"downloaded {size}: {printable(str(there))}",
            )
        case _:
            raise SpecError(
                f"`cp` needs one address in OSS and one local path, e.g. %pai_oss cp ./data/ {session.uri('data/')}",
                field="cp",
            )


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


def _check(options: Namespace) -> None:
    least, most = {"ls": (0, 1), "cp": (2, 2), "rm": (1, 1000), "cat": (1, 1)}[options.verb]
    if not least <= len(options.address) <= most:
        raise SpecError(
            f"`{options.verb}` must be written %pai_oss {options.verb} {_VERBS[options.verb]}", field=options.verb
        )


def _place(session: "Session", address: str) -> StoredPlace:
    url = _url(address)
    return StoredPlace(storage=_bucket(session, url), key=url.object_key, address=address)


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


def _parent(address: str) -> str:
    return address.rpartition("/")[0] + "/"
