"""Arrange several values in files so that what they share stays shared; read them again.

A value with a format of its own has a file of its own. All others are in one file of pickles, which refers to the former where
it has them in it. The manifest's entry of such a pickle has its place in the file:

    "net": {"file": "net.pkl", "format": "pickles", "index": 0, ...}, "opt": {"file": "net.pkl", "format": "pickles", "index": 1, ...}

Two names of one value have one file. A single pickle has the format `pickle`, which older readers know, too.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import (
    Any,
    BinaryIO,
    Callable,
    Dict,
    Iterable,
    Iterator,
    Mapping,
    Optional,
    Tuple,
)  # Any: values of any type

from .definitions import Definitions
from .formats import describe, plan, read_value
from .pickles import PickleReader, Pickles, Reference, check_sensible
from .writing import Sink, ValueNotRead

PICKLES = ("pickle", "pickles")
_MOST = 1000  # values of one file of pickles
_ATOMS = (str, int, float, bool, type(None))


class NotPickled(Exception):
    """One of the pickled values could not be written: its name and the reason."""

    def __init__(self, name: str, reason: BaseException) -> None:
        super().__init__(name)
        self.name, self.reason = name, reason


class Arrangement:
    """Which value goes into which file.

    own: the entry and what writes the file, for values with a file of their own
    same: names of values that another name has, too
    pickled: the entries of those in the file of pickles, in their order
    failed: why others cannot be written
    """

    def __init__(self, values: Mapping[str, Any], names: Optional[Mapping[str, Any]] = None) -> None:
        self._values, self._names = values, names
        self.own: Dict[str, Tuple[Dict[str, Any], Callable[[Sink], object]]] = {}
        self.same: Dict[str, str] = {}
        self.pickled: Dict[str, Dict[str, Any]] = {}
        self.failed: Dict[str, BaseException] = {}
        self._references: Dict[int, Reference] = {}
        for name in values:
            self._place(name)
        self._refer(len(values) > 1)

    def _place(self, name: str) -> None:
        value = self._values[name]
        first = next((other for other in self.own if self._values[other] is value), None)
        if first is not None and not isinstance(value, _ATOMS):
            self.same[name] = first
            return
        try:
            item, write = plan(value)
        except Exception as exc:  # an object raises anything when it is looked at
            self.failed[name] = exc
            return
        if item["format"] == "pickle":
            self.pickled[name] = item
        else:
            self.own[name] = item, write

    def _refer(self, are_several: bool) -> None:
        """Find the parts of values with files of their own; two of them that share one are pickled instead."""
        owners: Dict[int, str] = {}
        shared = set()
        for name in self.own if are_several else ():
            for path, part in _parts((), self._values[name]):
                other = owners.setdefault(id(part), name)
                if other != name:
                    shared |= {other, name}
                self._references[id(part)] = (name, *path)
        for name in [each for each in self._values if each in shared]:
            del self.own[name]
            self.pickled[name] = dict(describe(self._values[name]), format="pickle")
        self._references = {at: path for at, path in self._references.items() if path[0] in self.own}
        for name, first in list(self.same.items()):
            if first in shared:
                del self.same[name]
                self.pickled[name] = dict(self.pickled[first])

    def leave_out(self, name: str) -> None:
        """Leave out a value that cannot be written; what refers to it has a copy of its own."""
        self.pickled.pop(name, None)
        self._references = {at: path for at, path in self._references.items() if path[0] != name}

    def write_pickles(self, sink: Sink) -> Dict[str, Dict[str, Any]]:
        """Write all pickled values; return their entries, without the file.

        Raises:
            NotPickled: one of them cannot be written. Leave it out, and write all again.
        """
        pickles = Pickles(sink, references=self._references, names=self._names)
        written = {}
        for index, (name, item) in enumerate(self.pickled.items()):
            start = sink.count
            try:
                check_sensible(self._values[name])
                pickles.add(self._values[name])
            except Exception as exc:  # whatever an object raises when it is pickled
                raise NotPickled(name, exc) from exc
            own = {"format": "pickles", "index": index} if len(self.pickled) > 1 else {}
            written[name] = dict(item, size=sink.count - start, **own)
        return written


def _parts(path: Tuple[Any, ...], value: Any) -> Iterator[Tuple[Tuple[Any, ...], Any]]:
    """Yield a value with a file of its own, and all in it, that others may have, too, with the keys that lead there."""
    if isinstance(value, _ATOMS):
        return
    yield path, value
    if isinstance(value, list):
        inner: Iterable[Tuple[Any, Any]] = enumerate(value)
    else:
        inner = value.items() if isinstance(value, dict) else ()
    for key, each in inner:
        if not isinstance(each, _ATOMS):
            yield from _parts((*path, key), each)


class ValueReader:
    """Reads values by name; each file once, so that what was one object is one object.

    items: the manifest's entries; open_file: opens the file of a value.
    definitions: the reader's classes; None without.
    """

    def __init__(
        self,
        items: Mapping[str, Mapping[str, Any]],
        open_file: Callable[[str], BinaryIO],
        *,
        allow_pickle: bool,
        definitions: Optional[Definitions] = None,
    ) -> None:
        self._items, self._open_file = items, open_file
        self._allow_pickle, self._definitions = allow_pickle, definitions
        self._read: Dict[str, Any] = {}
        self._pickles: Dict[str, PickleReader] = {}
        self._files = ExitStack()

    def close(self) -> None:
        self._files.close()

    def read(self, name: str) -> Any:
        """Return a value.

        Raises:
            ValueNotRead: it cannot be read, or may not be.
        """
        item = self._items[name]
        if item.get("format") in PICKLES and self._allow_pickle:
            return self._pickled(name, item)
        key = repr((item.get("file"), item.get("format")))  # anything, in a hostile manifest
        if key not in self._read:
            with self._open_file(name) as file:
                self._read[key] = read_value(item, file)
        return self._read[key]

    def _pickled(self, name: str, item: Mapping[str, Any]) -> Any:
        index = item.get("index", 0)
        if type(index) is not int or not 0 <= index < _MOST:
            raise ValueNotRead("has a place in its file that is none.")
        key = repr(item.get("file"))
        if key not in self._pickles:
            file = self._files.enter_context(self._open_file(name))
            self._pickles[key] = PickleReader(file, follow=self._follow, definitions=self._definitions)
        return self._pickles[key].value(index)

    def _follow(self, reference: Reference) -> Any:
        name, *path = reference
        if name not in self._items:
            raise ValueNotRead(f"needs `{name}`, which is not there.")
        found = self.read(name)
        for key in path:
            found = found[key]
        return found
