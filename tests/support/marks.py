"""Marked secrets, and the search for them: in texts, and in every file below a folder, packed ones unpacked.

A secret is found as it is, as in an address (quoted once or twice), in JSON, in HTML, and in base64 wherever it begins.
"""

import base64
import gzip
import html
import io
import json
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, quote_plus


def spellings(secret: str) -> set[bytes]:
    """Every form in which somebody might write a secret down."""
    quoted = {quote(secret, safe=""), quote(secret, safe="~"), quote(secret), quote_plus(secret)}
    twice = {quote(text, safe="") for text in quoted}
    texts = {secret, html.escape(secret), json.dumps(secret)[1:-1], repr(secret)[1:-1], *quoted, *twice}
    return {text.encode() for text in texts} | {*_base64(secret.encode())}


def _base64(secret: bytes) -> Iterator[bytes]:
    for before in range(3):  # what stands before it moves its letters; those at both ends depend on their neighbours
        letters = base64.b64encode(bytes(before) + secret)
        yield letters[-(-before * 8 // 6) : len(letters) // 4 * 4 - 4]


def found_in(data: bytes | str, marks: Mapping[str, str]) -> set[str]:
    """The names of the marks that are in `data`."""
    content = data.encode() if isinstance(data, str) else data
    return {name for name, secret in marks.items() if any(text in content for text in spellings(secret))}


def found_below(root: Path, marks: Mapping[str, str]) -> dict[str, set[str]]:
    """The files below `root` that hold marks, by their paths; `a.tar.gz!b` is b in an archive."""
    found: dict[str, set[str]] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if marked := found_in(name, marks):
            found[f"(name) {name}"] = marked
        if path.is_file():
            for inside, data in contents(path.read_bytes()):
                if marked := found_in(data, marks):
                    found[name + inside] = marked
    return found


def contents(data: bytes) -> Iterable[tuple[str, bytes]]:
    """The bytes of a file, and what is in it if it is packed."""
    yield "", data
    if not data.startswith(b"\x1f\x8b"):
        return
    with suppress(OSError, EOFError):
        yield "!", gzip.decompress(data)
    with suppress(tarfile.TarError, OSError, EOFError), tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            if (file := archive.extractfile(member) if member.isfile() else None) is not None:
                yield f"!{member.name}", file.read()
