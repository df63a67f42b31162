"""Write values as pickles, several in one file, and read them.

Rule 1: what several values share is one object again: an optimizer has the parameters of the model that went with it. One
    pickler writes them all, one after the other, and one reader reads them in that order.
Rule 2: a part that has a file of its own, since it is itself a variable that goes, too, is not written again: the pickle refers to it.
Rule 3: reading a pickle runs its code; who calls this module has decided that it may.
"""

from __future__ import annotations

import importlib
import io
import pickle
import sys
import types
from typing import Any, BinaryIO, Callable, List, Mapping, Optional, Tuple  # Any: values are of any type

from .definitions import MODULE, Definitions, with_definition
from .writing import Sink, ValueNotRead, ValueNotWritten, first_line

Reference = Tuple[Any, ...]  # the name of a variable, and the keys that lead to a part of it


def check_sensible(value: Any) -> None:
    """Refuse what can be pickled by no means, or only so that it is of no use."""
    if isinstance(value, types.ModuleType):
        raise ValueNotWritten(f"is a module. Write `import {value.__name__}` in the cell instead.")
    if isinstance(value, io.IOBase) and not isinstance(value, (io.BytesIO, io.StringIO)):
        raise ValueNotWritten("is an open file, which no other process can read from. Open it in the cell instead.")
    if isinstance(value, types.GeneratorType):
        raise ValueNotWritten("is a generator, which cannot be copied. Make it in the cell, or take list(...) of it.")


class Pickles:
    """Writes values into a sink, one pickle after the other.

    `references` are the parts that have files of their own, by identity; `names` those of the writer, for its classes.
    """

    def __init__(
        self,
        sink: Sink,
        *,
        references: Optional[Mapping[int, Reference]] = None,
        names: Optional[Mapping[str, Any]] = None,
    ) -> None:
        self._watched = _MainWatch(sink)
        main = vars(sys.modules["__main__"]) if names is None else names
        self._pickler, self._has_cloudpickle = _pickler(self._watched, references or {}, main)

    def add(self, value: Any) -> None:
        """Write one more value.

        Raises:
            Exception: whatever an object raises when it is pickled; then nothing more can be written.
        """
        self._pickler.dump(value)
        if self._watched.has_main and not self._has_cloudpickle:
            raise ValueNotWritten(
                "is of a class or function of the notebook, which needs the package cloudpickle. "
                "Type %pip install cloudpickle"
            )


def _pickler(file: Any, references: Mapping[int, Reference], names: Mapping[str, Any]) -> Tuple[Any, bool]:
    """Return a pickler, and whether it is cloudpickle's."""
    try:
        base = importlib.import_module("cloudpickle").Pickler
    except ImportError:
        base = None

    class Plain(pickle.Pickler):
        pass

    class Clever(base or object):  # type: ignore[misc]  # cloudpickle has no types
        def reducer_override(self, obj: Any) -> Any:
            if isinstance(obj, io.IOBase):  # cloudpickle would copy what is in the file
                check_sensible(obj)
            reduced = super().reducer_override(obj)
            return with_definition(obj, reduced, names) if isinstance(obj, type) else reduced

    chosen: Any = Clever if base else Plain
    if references:  # a call for each part of a value
        chosen.persistent_id = lambda self, obj: references.get(id(obj))
    return chosen(file, protocol=5), base is not None


class _MainWatch:
    """Passes a pickle on to a sink, and notes whether it refers to `__main__`."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._end = b""
        self.has_main = False

    def write(self, data: Any) -> int:
        if len(data) <= 1 << 20:  # larger ones are data of arrays
            piece = bytes(data)
            self.has_main = self.has_main or b"__main__" in self._end + piece
            self._end = piece[-16:]
        return self._sink.write(data)


class PickleReader:
    """Reads the values of one file in their order, and keeps them."""

    def __init__(
        self,
        file: BinaryIO,
        *,
        follow: Optional[Callable[[Reference], Any]] = None,
        definitions: Optional[Definitions] = None,
    ) -> None:
        self._unpickler = _Unpickler(file)
        self._unpickler.follow = follow
        self._unpickler.definitions = definitions
        self._values: List[Any] = []

    def value(self, index: int) -> Any:
        """Return the value at a place in the file, from 0.

        Raises:
            ValueNotRead: it, or one before it, cannot be read.
        """
        while len(self._values) <= index:
            self._values.append(self._next())
        return self._values[index]

    def _next(self) -> Any:
        try:
            return self._unpickler.load()
        except ValueNotRead:
            raise
        except ModuleNotFoundError as exc:
            missing = (exc.name or "").partition(".")[0]
            raise ValueNotRead(f"needs the module {missing}. Add %pip install {missing} to the cell.") from exc
        except Exception as exc:  # the code of a pickle raises anything
            raise ValueNotRead(f"cannot be unpickled: {type(exc).__name__}: {first_line(exc)}") from exc


class _Unpickler(pickle.Unpickler):
    """Follows references, takes the reader's classes, and puts what is of torch on the CPU where there is no GPU."""

    follow: Optional[Callable[[Reference], Any]] = None
    definitions: Optional[Definitions] = None

    def persistent_load(self, pid: Any) -> Any:
        if self.follow is None:
            raise ValueNotRead("refers to another variable, which is not read with it.")
        return self.follow(pid)

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("torch.storage", "_load_from_bytes"):
            torch = importlib.import_module("torch")
            if not torch.cuda.is_available():
                return lambda data: torch.load(io.BytesIO(data), map_location="cpu", weights_only=False)
        found = super().find_class(module, name)
        return self.definitions.find(name, found) if self.definitions and module == MODULE else found
