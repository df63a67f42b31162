"""Metadata of buckets, objects and uploads in one SQLite file: plain reads and writes without rules of their own.

Keys are stored as UTF-8 bytes, the order in which OSS lists them. Callers hold the store's lock and use `with index:` for a
transaction, which a killed emulator has either completed or not.
"""

import json
import os
import sqlite3
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pai_jupyter.emulator.oss_protocol.model import Bucket, Content, MultipartUpload, Object, Piece, UploadedPart

_SCHEMA = """
CREATE TABLE IF NOT EXISTS bucket (name TEXT PRIMARY KEY, acl TEXT NOT NULL, created INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS object (
    bucket TEXT, key BLOB, pieces TEXT NOT NULL, etag TEXT NOT NULL, crc TEXT NOT NULL, kind TEXT NOT NULL,
    headers TEXT NOT NULL, acl TEXT, modified INTEGER NOT NULL, PRIMARY KEY (bucket, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS upload (
    id TEXT PRIMARY KEY, bucket TEXT NOT NULL, key BLOB NOT NULL, headers TEXT NOT NULL, acl TEXT,
    begun INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS part (
    upload TEXT, number INTEGER, pieces TEXT NOT NULL, etag TEXT NOT NULL, crc TEXT NOT NULL, modified INTEGER NOT NULL,
    PRIMARY KEY (upload, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS mirrored (path BLOB PRIMARY KEY, stamp TEXT NOT NULL, etag TEXT NOT NULL) WITHOUT ROWID;
"""


class ObjectIndex:
    """The rows of the index; see `transaction` for locking."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level="IMMEDIATE")
        # A power failure may lose the last changes, a killed process none, as the system has what it wrote.
        self._db.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; {_SCHEMA}")

    def __enter__(self) -> Self:
        self._db.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._db.__exit__(kind, error, trace)

    def close(self) -> None:
        self._db.close()

    def put_bucket(self, bucket: Bucket) -> None:
        self._do("REPLACE INTO bucket VALUES (?, ?, ?)", bucket.name, bucket.acl, bucket.created)

    def drop_bucket(self, name: str) -> None:
        self._do("DELETE FROM bucket WHERE name = ?", name)

    def bucket(self, name: str) -> Bucket | None:
        return next((bucket for bucket in self.buckets() if bucket.name == name), None)

    def buckets(self) -> list[Bucket]:
        rows = self._rows("SELECT * FROM bucket ORDER BY name")
        return [Bucket(name=name, acl=acl, created=created) for name, acl, created in rows]

    def put_object(self, it: Object) -> None:
        content = (_pieces_text(it.content), it.content.etag, str(it.content.crc))
        row = (it.bucket, it.key.encode(), *content, it.kind, json.dumps(dict(it.headers)), it.acl, it.modified)
        self._do("REPLACE INTO object VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *row)

    def drop_object(self, bucket: str, key: str) -> None:
        self._do("DELETE FROM object WHERE bucket = ? AND key = ?", bucket, key.encode())

    def find(self, bucket: str, key: str) -> Object | None:
        rows = self._rows("SELECT * FROM object WHERE bucket = ? AND key = ?", bucket, key.encode())
        return next(map(_object, rows), None)

    def objects(self, bucket: str, start: bytes, end: bytes) -> Generator[Object]:
        """Yield the objects with keys from `start` up to but not including `end`, in order."""
        query = "SELECT * FROM object WHERE bucket = ? AND key >= ? AND key < ? ORDER BY key"
        with closing(self._db.execute(query, (bucket, start, end))) as rows:
            yield from map(_object, rows)

    def put_upload(self, it: MultipartUpload) -> None:
        row = (it.upload_id, it.bucket, it.key.encode(), json.dumps(dict(it.headers)), it.acl, it.begun)
        self._do("INSERT INTO upload VALUES (?, ?, ?, ?, ?, ?)", *row)

    def drop_upload(self, upload_id: str) -> None:
        self._do("DELETE FROM part WHERE upload = ?", upload_id)
        self._do("DELETE FROM upload WHERE id = ?", upload_id)

    def upload(self, upload_id: str) -> MultipartUpload | None:
        return next(map(_upload, self._rows("SELECT * FROM upload WHERE id = ?", upload_id)), None)

    def uploads(self, bucket: str) -> list[MultipartUpload]:
        """List the uploads of a bucket by key, then by id."""
        return list(map(_upload, self._rows("SELECT * FROM upload WHERE bucket = ? ORDER BY key, id", bucket)))

    def put_part(self, upload_id: str, part: UploadedPart) -> None:
        content = (_pieces_text(part.content), part.content.etag, str(part.content.crc))
        self._do("REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)", upload_id, part.number, *content, part.modified)

    def parts(self, upload_id: str) -> list[UploadedPart]:
        return list(map(_part, self._rows("SELECT * FROM part WHERE upload = ? ORDER BY number", upload_id)))

    def part(self, upload_id: str, number: int) -> UploadedPart | None:
        rows = self._rows("SELECT * FROM part WHERE upload = ? AND number = ?", upload_id, number)
        return next(map(_part, rows), None)

    def pieces(self) -> set[str]:
        """Return the names of all files that hold content."""
        rows = self._rows("SELECT pieces FROM object UNION ALL SELECT pieces FROM part")
        return {piece.name for (text,) in rows for piece in _pieces(text)}

    def put_stamp(self, path: bytes, stamp: str, etag: str) -> None:
        """Record the stamp of a file whose content equals the object with this ETag."""
        self._do("REPLACE INTO mirrored VALUES (?, ?, ?)", path, stamp, etag)

    def stamps(self, directory: bytes) -> dict[bytes, tuple[str, str]]:
        """Return the recorded stamp and ETag of each file below a directory, by path."""
        low, high = directory + b"/", directory + b"0"  # "0" is the character after "/"
        rows = self._rows("SELECT * FROM mirrored WHERE path > ? AND path < ?", low, high)
        return {path: (stamp, etag) for path, stamp, etag in rows}

    def drop_stamps_of_gone(self) -> None:
        """Delete the stamps of files that no longer exist."""
        paths = [path for (path,) in self._rows("SELECT path FROM mirrored")]
        self._db.executemany("DELETE FROM mirrored WHERE path = ?", [(it,) for it in paths if not os.path.lexists(it)])

    def _do(self, statement: str, *values: object) -> None:
        self._db.execute(statement, values)

    def _rows(self, query: str, *values: object) -> list[Any]:  # Any: rows are typed where they are unpacked
        return self._db.execute(query, values).fetchall()


def _pieces_text(content: Content) -> str:
    return " ".join(f"{piece.name}:{piece.size}" for piece in content.pieces)


def _pieces(text: str) -> tuple[Piece, ...]:
    pairs = (each.split(":") for each in text.split())
    return tuple(Piece(name=name, size=int(size)) for name, size in pairs)


def _content(pieces: str, etag: str, crc: str) -> Content:
    return Content(pieces=_pieces(pieces), etag=etag, crc=int(crc))


def _object(row: Any) -> Object:  # Any: a row
    bucket, key, pieces, etag, crc, kind, headers, acl, modified = row
    content = _content(pieces, etag, crc)
    return Object(
        bucket=bucket,
        key=key.decode(),
        content=content,
        kind=kind,
        headers=json.loads(headers),
        acl=acl,
        modified=modified,
    )


def _part(row: Any) -> UploadedPart:  # Any: a row
    _, number, pieces, etag, crc, modified = row
    return UploadedPart(number=number, content=_content(pieces, etag, crc), modified=modified)


def _upload(row: Any) -> MultipartUpload:  # Any: a row
    upload_id, bucket, key, headers, acl, begun = row
    return MultipartUpload(
        upload_id=upload_id, bucket=bucket, key=key.decode(), headers=json.loads(headers), acl=acl, begun=begun
    )
