"""What `%pai_oss` and `%pai_hdfs` have in common: listing what is stored, and removing it.

Rule 1: names in a storage are untrusted: they are shown without control characters.
Rule 2: nothing is removed unless it is confirmed; else it is said what would be.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.magics.table import Table, counted
from pai_jupyter.magics.transfers import size_text
from pai_jupyter.view import is_stable, said

if TYPE_CHECKING:
    from pai_jupyter.storage import Entry, Storage

LISTED = 1000  # entries


@dataclass(frozen=True, kw_only=True)
class StoredPlace:
    """A key in a bucket or in a file system, and the address that the user typed."""

    storage: "Storage"
    key: str
    address: str

    @property
    def directory(self) -> str:
        """The key, as that of a directory."""
        return self.key if self.key.endswith("/") or not self.key else f"{self.key}/"

    def entries(self, *, is_recursive: bool) -> Iterator["Entry"]:
        """Yield what is in this directory, else what begins so."""
        below = self.storage.list(self.directory, recursive=is_recursive)
        first = next(below, None)
        if first is not None:
            yield first
            yield from below
        elif self.directory != self.key:
            yield from self.storage.list(self.key, recursive=is_recursive)

    def file(self) -> "Entry | None":
        """Return the entry of the file; None if there is none."""
        return self.storage.head(self.key) if self.key and not self.key.endswith("/") else None

    def doomed(self, *, is_recursive: bool) -> list["Entry"]:
        """Return what is removed with this place: a file, or all of a directory and itself.

        Raises:
            NotFoundError: there is nothing.
            SpecError: it is a directory, and not `is_recursive`.
        """
        from pai_jupyter.storage import Entry

        entry = self.file()
        if entry is not None:
            return [entry]
        mark = [Entry(key=self.directory)] if self.key and self.storage.head(self.directory) is not None else []
        doomed = [*self.storage.list(self.directory, recursive=True), *mark]
        if not doomed:
            raise NotFoundError(f"there is nothing at {self.address[:200]!r}, so nothing was removed.")
        if not is_recursive:
            raise SpecError(
                f"{self.address[:200]!r} is a directory, with {counted(len(doomed), 'object')} in it. To remove all of it, add -r",
                field="-r",
            )
        return doomed

    def remove(self) -> None:
        if self.file() is not None:
            self.storage.delete([self.key])
        else:
            self.storage.delete_tree(self.directory)


def listing(place: StoredPlace, where: str, *, is_recursive: bool = False) -> Table:
    """List a directory; if there is no such directory, the keys with that prefix."""
    found = list(islice(place.entries(is_recursive=is_recursive), LISTED + 1))
    rows = [_row(entry) for entry in found[:LISTED]]
    if len(found) > LISTED:
        rows.append(["...", "", f"and more: only the first {LISTED} are shown"])
    return Table(headers=["size", "changed (UTC)", "name"], rows=rows, empty=f"nothing is at {printable(where)}")


def remove(places: Sequence[StoredPlace], *, is_recursive: bool, is_sure: bool) -> None:
    """Remove files and, with `is_recursive`, whole directories.

    Raises:
        SpecError: unless `is_sure`; the message says what would be removed.
        NotFoundError: there is nothing at an address; then nothing is removed.
    """
    doomed = [place.doomed(is_recursive=is_recursive) for place in places]
    count = sum(map(len, doomed))
    size = size_text(sum(entry.size for entries in doomed for entry in entries))
    what = f"{counted(count, 'object')}, {size}: {', '.join(printable(place.address) for place in places)}"
    if not is_sure:
        raise SpecError(f"nothing was removed. This would remove {what}. To remove it, add -y", field="-y")
    for place in places:
        place.remove()
    print(said(f"removed {what}"))  # noqa: T201


def printable(text: str) -> str:
    """Replace unprintable characters in a name: control characters, line breaks, text direction marks."""
    return "".join(letter if letter.isprintable() else "�" for letter in text)


def _row(entry: "Entry") -> list[str]:
    when = "" if entry.modified is None else f"{datetime.fromtimestamp(entry.modified, UTC):%Y-%m-%d %H:%M:%S}"
    size = "" if entry.is_directory else size_text(entry.size)
    return [size, "…" if when and is_stable() else when, printable(entry.key)]
