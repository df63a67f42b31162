"""Generate names of unnamed jobs: `iris-1`, `iris-2`, unique in a home even with concurrent submissions.

    names.json   {stem: the last number used}; names.lock is held briefly while it is read and written

Rule 1: a number is never reused, not even after its job was deleted: its outputs elsewhere have that name.
Rule 2: a new stem continues after the existing jobs with that stem, including names given by users.
Rule 3: a stem that ends with a time (`fit_20261122-090000`) is a name without a number; a second job of that second is `...-2`.
Rule 4: if the lock is not free in time, the job's id replaces the number: a job never fails for its name.
"""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.store.disk import make_folder, read_json, replace_file, to_bytes, translated
from pai_jupyter.store.jobstore import JobStore

PATIENCE = 5.0  # seconds
MAX_STEMS = 5_000
STAMP = re.compile(r"_\d{8}-\d{6}(-\d+)?$")
_NUMBERED = re.compile(r"(.+)-(\d{1,9})", re.DOTALL)


class JobNames:
    """The names given in a store's home."""

    def __init__(self, store: JobStore) -> None:
        self._store = store
        self._path = store.home / "names.json"

    def take(self, stem: str, job_id: str) -> str:
        """Reserve a name for the job that no other job has or gets.

        Raises:
            PaiJupyterError: the home is not writable.
        """
        with self._book() as book:
            if book is None:
                return f"{stem}-{job_id}"
            number = book.get(stem, self._last(stem)) + 1
            self._write({**_without(book, stem), stem: number})
        return _named(stem, number)

    def give_back(self, stem: str, name: str) -> None:
        """Release the name of a job that was not started, unless a later one was numbered since."""
        with self._book() as book:
            number = (book or {}).get(stem, 0)
            if book is None or _named(stem, number) != name:
                return
            self._write({**_without(book, stem), **({stem: number - 1} if number > 1 else {})})

    def note(self, name: str) -> None:
        """Record a name given by the user, so that no job is numbered like it."""
        numbered = _NUMBERED.fullmatch(name)
        if numbered is None or not self._path.exists():
            return
        with self._book() as book:
            if book is not None and int(numbered[2]) > book.get(numbered[1], int(numbered[2])):
                self._write({**book, numbered[1]: int(numbered[2])})

    def _last(self, stem: str) -> int:
        """Return the highest number among existing jobs with this stem."""
        names = (folder.record.spec.name for folder in self._store.folders())
        if STAMP.search(stem):
            return sum(name == stem for name in names)
        found = (_NUMBERED.fullmatch(name) for name in names)
        return max((int(each[2]) for each in found if each is not None and each[1] == stem), default=0)

    @contextmanager
    def _book(self) -> Iterator[dict[str, int] | None]:
        """Yield the numbers by stem with the lock held; None if another process holds it for too long."""
        from filelock import FileLock, Timeout  # 50 ms: imported only to submit a job

        make_folder(self._store.home)
        with translated(self._path):
            lock = FileLock(self._path.with_suffix(".lock"), timeout=PATIENCE, mode=0o600)
            try:
                lock.acquire()
            except Timeout:
                yield None
                return
            try:
                yield self._read()
            finally:
                lock.release()

    def _read(self) -> dict[str, int]:
        try:
            given = read_json(self._path)
        except PaiJupyterError:  # missing or damaged: the jobs show which names are taken
            return {}
        items = given.items() if isinstance(given, dict) else ()
        return {
            stem: last
            for stem, last in items
            if isinstance(last, int) and not isinstance(last, bool) and 0 < last < 10**9
        }

    def _write(self, book: dict[str, int]) -> None:
        """Write the numbers of the stems used last; time stamps of other days are never needed again."""
        today = time.strftime("_%Y%m%d-")
        kept = [(stem, last) for stem, last in book.items() if today in stem or not STAMP.search(stem)]
        replace_file(self._path, to_bytes(dict(kept[-MAX_STEMS:])))


def _without(book: Mapping[str, int], stem: str) -> dict[str, int]:
    return {each: last for each, last in book.items() if each != stem}


def _named(stem: str, number: int) -> str:
    return stem if number == 1 and STAMP.search(stem) else f"{stem}-{number}"
