"""The files and directories of an emulated HDFS: rows in one SQLite file, content in files beside it.

Paths have no leading slash; the root is "". Names are ordered by their UTF-8 bytes, as Hadoop lists them.

Rule 1: permissions are those of owner and others: every user is in a group of his own. The one who formatted it may do all.
Rule 2: a file that is being written is listed with the length that it had before; its writer holds it until `close`.
"""

import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.emulator.webhdfs.refusal import HdfsRefusal, missing

SUPERUSER = "root"
_WRITE, _READ = 2, 4
_SCHEMA = """
CREATE TABLE IF NOT EXISTS inode (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT UNIQUE NOT NULL, parent TEXT, is_file INTEGER NOT NULL,
    owner TEXT NOT NULL, permission TEXT NOT NULL, length INTEGER NOT NULL, modified INTEGER NOT NULL,
    content TEXT NOT NULL, writer TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS by_parent ON inode (parent);
"""
_COLUMNS = "id, path, is_file, owner, permission, length, modified, content, writer"


@dataclass(frozen=True, kw_only=True)
class Inode:
    """A file or a directory; `modified` is in milliseconds."""

    id: int
    path: str
    is_file: bool
    owner: str
    permission: str
    length: int
    modified: int
    content: str
    writer: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


class Namespace:
    """An HDFS in the directory `data`."""

    def __init__(self, data: Path, now: Callable[[], float]) -> None:
        self._content = data / "blocks"
        self._content.mkdir(parents=True, exist_ok=True)
        self._now = now
        self._lock = threading.RLock()
        self._db = sqlite3.connect(data / "names.sqlite", check_same_thread=False, isolation_level="IMMEDIATE")
        self._db.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; {_SCHEMA}")
        with self._changing():
            if self.find("") is None:
                self._insert("", SUPERUSER, "755", is_file=False)
            self._db.execute("UPDATE inode SET writer = ''")  # writers of an emulator that was killed

    def close(self) -> None:
        self._db.close()

    def find(self, path: str) -> Inode | None:
        with self._lock:
            row = self._db.execute(f"SELECT {_COLUMNS} FROM inode WHERE path = ?", (path,)).fetchone()  # noqa: S608
        return _inode(row) if row else None

    def get(self, path: str) -> Inode:
        found = self.find(path)
        if found is None:
            raise missing(path)
        return found

    def children(self, path: str) -> list[Inode]:
        with self._lock:
            query = f"SELECT {_COLUMNS} FROM inode WHERE parent = ? ORDER BY path"  # noqa: S608
            return [_inode(row) for row in self._db.execute(query, (path,))]

    def below(self, path: str) -> list[Inode]:
        """Return all that lies below a directory."""
        return [each for child in self.children(path) for each in (child, *self.below(child.path))]

    def make_directories(self, path: str, user: str, permission: str) -> None:
        with self._changing():
            self._make_directories(path, user, permission)

    def create(self, path: str, user: str, permission: str, *, replaces: bool) -> tuple[Path, str]:
        """Begin a file; return where its content goes, and the token of its writer."""
        with self._changing():
            there = self.find(path)
            if there is not None and not there.is_file:
                raise HdfsRefusal("FileAlreadyExistsException", f"/{path} already exists as a directory")
            if there is not None and not replaces:
                raise HdfsRefusal("FileAlreadyExistsException", f"/{path} for client 127.0.0.1 already exists")
            above = path.rpartition("/")[0]
            self._make_directories(above, user, "777")  # whatever the permission of the file
            self._allow(user, self.get(above), _WRITE)
            if there is not None:
                self._forget(there)
            made = self._insert(path, user, permission, is_file=True, writer=secrets.token_hex(8))
            self.content(made).touch()
            return self.content(made), made.writer

    def append(self, path: str, user: str) -> tuple[Path, str]:
        """Begin to write behind the end of a file; return as `create` does."""
        with self._changing():
            found = self.file(path)
            self._allow(user, found, _WRITE)
            if found.writer:
                raise HdfsRefusal(
                    "RemoteException",
                    f"Failed to APPEND_FILE /{path} for DFSClient_1 on 127.0.0.1 because this file lease is currently owned "
                    "by DFSClient_2 on 127.0.0.1",
                )
            writer = secrets.token_hex(8)
            self._db.execute("UPDATE inode SET writer = ? WHERE id = ?", (writer, found.id))
            return self.content(found), writer

    def close_file(self, writer: str) -> None:
        """End the writing of a file with what it has.

        Raises:
            HdfsRefusal: it was deleted or replaced meanwhile.
        """
        with self._changing():
            query = f"SELECT {_COLUMNS} FROM inode WHERE writer = ?"  # noqa: S608
            row = self._db.execute(query, (writer,)).fetchone()
            if row is None:
                raise HdfsRefusal("RemoteException", "No lease on the file: it does not exist any more.")
            found = _inode(row)
            size = self.content(found).stat().st_size
            self._db.execute(
                "UPDATE inode SET writer = '', length = ?, modified = ? WHERE id = ?", (size, self._time(), found.id)
            )

    def file(self, path: str, *, user: str = SUPERUSER) -> Inode:
        """Return a file that this user may read."""
        found = self.get(path)
        if not found.is_file:
            raise HdfsRefusal("FileNotFoundException", f"Path is not a file: /{path}")
        self._allow(user, found, _READ)
        return found

    def content(self, inode: Inode) -> Path:
        return self._content / inode.content

    def rename(self, path: str, to: str, user: str, *, option: str) -> bool:
        """Rename; without an `option` as the shell does (False: not done), else strictly: `NONE` or `OVERWRITE`."""
        with self._changing():
            source, target = self.find(path), self.find(to)
            if not option and target is not None and not target.is_file:
                to = f"{to}/{path.rpartition('/')[2]}"  # into the directory
                target = self.find(to)
            above = self.find(to.rpartition("/")[0])
            if not option and (source is None or target is not None or above is None or above.is_file):
                return False
            if source is None:
                raise HdfsRefusal("FileNotFoundException", f"rename source /{path} is not found.")
            if above is None:
                raise HdfsRefusal("FileNotFoundException", f"rename destination parent /{to} not found.")
            self._check_target(source, target, is_overwritten=option == "OVERWRITE")
            self._allow(user, above, _WRITE)
            self._allow(user, self.get(path.rpartition("/")[0]), _WRITE)
            if target is not None:
                self._forget(target)
            self._move(source, to)
            return True

    def delete(self, path: str, user: str, *, is_recursive: bool) -> bool:
        with self._changing():
            found = self.find(path)
            if found is None or not path:
                return False
            below = self.below(path)
            if below and not is_recursive:
                raise HdfsRefusal("PathIsNotEmptyDirectoryException", f"`/{path} is non empty': Directory is not empty")
            self._allow(user, self.get(path.rpartition("/")[0]), _WRITE)
            for each in (*below, found):
                self._forget(each)
            return True

    def change(self, path: str, user: str, *, permission: str | None = None, owner: str | None = None) -> None:
        with self._changing():
            found = self.get(path)
            if user not in (SUPERUSER, found.owner):
                raise HdfsRefusal("AccessControlException", "Permission denied")
            self._db.execute(
                "UPDATE inode SET permission = ?, owner = ? WHERE id = ?",
                (permission or found.permission, owner or found.owner, found.id),
            )

    def _make_directories(self, path: str, user: str, permission: str) -> None:
        there = self.find(path)
        if there is not None and there.is_file:
            raise HdfsRefusal("FileAlreadyExistsException", f"Path is not a directory: /{path}")
        if there is not None:
            return
        above = path.rpartition("/")[0]
        if (parent := self.find(above)) is not None and parent.is_file:
            raise HdfsRefusal("FileAlreadyExistsException", f"Parent path is not a directory: /{above}")
        self._make_directories(above, user, permission)
        self._allow(user, self.get(above), _WRITE)
        self._insert(path, user, permission, is_file=False)

    def _insert(self, path: str, owner: str, permission: str, *, is_file: bool, writer: str = "") -> Inode:
        above = path.rpartition("/")[0] if path else None
        content = secrets.token_hex(16) if is_file else ""
        self._db.execute(
            "INSERT INTO inode (path, parent, is_file, owner, permission, length, modified, content, writer) "
            "VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)",
            (path, above, is_file, owner, permission, self._time(), content, writer),
        )
        return self.get(path)

    def _move(self, source: Inode, to: str) -> None:
        for each in (source, *self.below(source.path)):
            path = to + each.path.removeprefix(source.path)
            self._db.execute(
                "UPDATE inode SET path = ?, parent = ? WHERE id = ?", (path, path.rpartition("/")[0], each.id)
            )

    def _check_target(self, source: Inode, target: Inode | None, *, is_overwritten: bool) -> None:
        if target is None:
            return
        what = f"Source /{source.path} and destination /{target.path}"
        if source.is_file != target.is_file:
            kind = "files" if target.is_file else "directories"
            raise HdfsRefusal("IOException", f"{what} must both be {kind}")
        if not is_overwritten:
            raise HdfsRefusal("FileAlreadyExistsException", f"rename destination /{target.path} already exists")
        if self.children(target.path):
            raise HdfsRefusal("IOException", f"rename destination directory is not empty: /{target.path}")

    def _forget(self, inode: Inode) -> None:
        self._db.execute("DELETE FROM inode WHERE id = ?", (inode.id,))
        if inode.is_file:
            self.content(inode).unlink(missing_ok=True)

    def _allow(self, user: str, inode: Inode, right: int) -> None:
        bits = int(inode.permission[-3] if user == inode.owner else inode.permission[-1])
        if user == SUPERUSER or bits & right:
            return
        access, kind = "WRITE" if right == _WRITE else "READ", "-" if inode.is_file else "d"
        raise HdfsRefusal(
            "AccessControlException",
            f'Permission denied: user={user}, access={access}, inode="/{inode.path}":{inode.owner}:supergroup:{kind}{inode.permission}',
        )

    def _time(self) -> int:
        return int(self._now() * 1000)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._lock, self._db:
            yield


def _inode(row: tuple[object, ...]) -> Inode:
    return Inode(**dict(zip(_COLUMNS.split(", "), row, strict=True)))  # type: ignore[arg-type]  # as the schema has them


def told(inode: Inode, suffix: str = "", *, children: int = 0) -> dict[str, object]:
    """Return a `FileStatus` of WebHDFS."""
    return {
        "accessTime": inode.modified if inode.is_file else 0,
        "blockSize": 134217728 if inode.is_file else 0,
        "childrenNum": children,
        "fileId": 16384 + inode.id,
        "group": "supergroup",
        "length": inode.length,
        "modificationTime": inode.modified,
        "owner": inode.owner,
        "pathSuffix": suffix,
        "permission": inode.permission,
        "replication": int(inode.is_file),
        "storagePolicy": 0,
        "type": "FILE" if inode.is_file else "DIRECTORY",
    }
