"""The `files` request: the output channels of a job, their directories, previews, and pieces of files.

Parameters come from a browser and names from a job; trust neither. Open files only through `path_guard`.
Rule 1: a file's type follows from its bytes, never from its name. An SVG counts as text: as an image it could run scripts.
Rule 2: answers are small: the first part of a text, an image of at most 4 MiB, a piece of at most 1 MiB.
Rule 3: sizes may be outdated at once: a file can grow, shrink and vanish while it is read.
"""

import codecs
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from pai_jupyter import path_guard
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.jobs import Job
from pai_jupyter.wire.files.file_roots import Root, file_channels, root_of
from pai_jupyter.wire.schema.limits import MAX_OFFSET, MAX_PIECE, MOST_ENTRIES

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.tabs import ChannelJson, FileChannels, FileDirectory, FileNamed, FilePiece, FilePreview
    from pai_jupyter.wire.schema.values import FileShown

Answer: TypeAlias = tuple[
    Mapping[str, Any], tuple[bytes, ...]
]  # Any: each kind of answer has its own type, checked where it is built

MAX_TEXT = 64 * 1024  # bytes
MAX_IMAGE = 4 * 1024 * 1024
_PROBE = 8192  # bytes; a NUL among the first ones means binary (git's rule)
_TEXT_SHARE = 0.1  # a larger share of undecodable characters means binary, too
_IMAGES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


def files(job: Job, parameters: Mapping[str, object]) -> Answer:
    """Answer a `files` request with JSON and binary parts. Blocking.

    Raises:
        SpecError: the parameters are invalid, or the file cannot be shown.
        NotFoundError: there is no such channel or file.
    """
    channel, path = _text(parameters, "channel"), _text(parameters, "path") or ""
    if channel is None:
        channels = [_channel(job, name) for name in file_channels(job)]
        every: FileChannels = {"kind": "channels", "channels": channels}
        return every, ()
    root = root_of(job, channel)
    where: FileNamed = {"channel": channel, "path": path}
    with path_guard.reading(f"{path!r} in output {channel!r}"):
        if "offset" in parameters or "length" in parameters:
            offset, length = _number(parameters, "offset", MAX_OFFSET), _number(parameters, "length", MAX_PIECE)
            return _piece(root, where, offset, length)
        if parameters.get("preview"):
            about, buffers = preview(root, where["path"])
            shown: FilePreview = {"kind": "preview", **where, **about}
            return shown, buffers
        return _directory(root, where), ()


def open_file(job: Job, channel: str, path: str) -> tuple[BinaryIO, int]:
    """Open a file of an output channel and return it with its size in bytes; the caller closes it.

    It returns an open file, not a path: before the caller opened a path, the job could replace the file by a link.

    Raises:
        SpecError, NotFoundError: as `files`.
    """
    return root_of(job, channel).open(path)


def package_file(job: Job) -> tuple[BinaryIO, int]:
    """Open the submitted package and return it with its size in bytes; the caller closes it.

    Raises:
        NotFoundError: the package is gone.
    """
    file = path_guard.open_file(
        path_guard.JobDirectory(job.folder.path), "package.tar.gz", what=f"the folder of job {job.id}"
    )
    return file, os.fstat(file.fileno()).st_size


def _channel(job: Job, channel: str) -> "ChannelJson":
    """Describe a channel for the list; `note` says why it cannot be browsed, if so."""
    place, note = job.output(channel), ""
    try:
        place = root_of(job, channel).uri
    except PaiJupyterError as exc:
        note = str(exc)
    return {"name": channel, "uri": path_guard.shown(place), "is_open": not note, "note": note}


def _directory(root: Root, where: "FileNamed") -> "FileDirectory":
    """List the entries of a directory, at most `MOST_ENTRIES`."""
    page = root.page(where["path"], MOST_ENTRIES)
    entries = [item.to_json() for item in page.items]
    return {"kind": "directory", **where, "entries": entries, "is_cut": page.after is not None}


def preview(root: Root, path: str) -> "tuple[FileShown, tuple[bytes, ...]]":
    """Return the beginning of a text, a whole image, or only the type and size of the file."""
    file, size = root.open(path)
    with file:
        head = file.read(MAX_TEXT)
        mime = _image_type(head)
        image = head + file.read(MAX_IMAGE + 1 - len(head)) if mime else b""
    if mime and len(image) <= MAX_IMAGE:
        return {"size": size, "type": "image", "mime": mime, "text": "", "is_cut": False}, (image,)
    text = None if mime else _as_text(head, is_cut=size > len(head))
    if text is None:
        mime = mime or "application/octet-stream"
        return {"size": size, "type": "binary", "mime": mime, "text": "", "is_cut": True}, ()
    about: FileShown = {"size": size, "type": "text", "mime": "text/plain", "text": text, "is_cut": size > len(head)}
    if size <= len(head) and _is_json(text):
        about = {**about, "type": "json", "mime": "application/json"}
    return about, ()


def _image_type(head: bytes) -> str | None:
    """Return the MIME type of an image that all browsers can draw and that cannot hold a script, else None."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for magic, mime in _IMAGES.items() if head.startswith(magic)), None)


def _as_text(head: bytes, *, is_cut: bool) -> str | None:
    """Decode the bytes as UTF-8, replacing errors; None if they are binary. A character cut off at the end is dropped."""
    if b"\0" in head[:_PROBE]:
        return None
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(head, final=not is_cut)
    return text if text.count("\ufffd") <= _TEXT_SHARE * len(text) else None


def _is_json(text: str) -> bool:
    """Return whether the text is a JSON object or array."""
    try:
        return text.lstrip()[:1] in ("{", "[") and isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def _piece(root: Root, where: "FileNamed", offset: int, length: int) -> Answer:
    """Return at most `length` bytes from `offset`; fewer at the end of the file."""
    file, size = root.open(where["path"])
    with file:
        data = b""
        if offset < size:
            file.seek(offset)
            data = file.read(length)
    piece: FilePiece = {"kind": "bytes", **where, "offset": offset, "size": size}
    return piece, (data,)


def _text(parameters: Mapping[str, object], name: str) -> str | None:
    value = parameters.get(name)
    if value is not None and not isinstance(value, str):
        raise SpecError(f"`{name}` of a files request must be a text.", field=name)
    if value is not None and len(value) > path_guard.LONGEST:
        raise SpecError(f"`{name}` of a files request is longer than {path_guard.LONGEST:,} characters.", field=name)
    return value


def _number(parameters: Mapping[str, object], name: str, most: int) -> int:
    value = parameters.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise SpecError(f"`{name}` of a files request must be a whole number from 0 to {most:,}.", field=name)
    return value
