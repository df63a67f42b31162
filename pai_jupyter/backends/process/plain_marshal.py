"""Read `run/job`, written by our launcher with `marshal`, safely: plain values only, even if the file was changed.

`marshal.loads` trusts its input; changed bytes may crash the interpreter.
"""

import struct

_DEPTH = 20
_LENGTH, _REFERENCE = struct.Struct("<i"), 0x80
_CONSTANTS: dict[int, object] = {ord("N"): None, ord("T"): True, ord("F"): False}
_END = object()


class PlainMarshal:
    """Reads the value in `data`.

    Raises:
        ValueError: it has other than plain values (None, booleans, numbers, texts, lists, tuples, dicts).
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._seen: list[object] = []  # values that later ones may refer to by number

    def read(self) -> object:
        try:
            return self._value(0)
        except (struct.error, IndexError, TypeError, RecursionError) as exc:
            raise ValueError("no marshalled plain values") from exc

    def _value(self, depth: int) -> object:
        code = self._data[self._at]
        self._at += 1
        kind = chr(code & ~_REFERENCE)
        if depth > _DEPTH:
            raise ValueError("nested too deeply")
        place = len(self._seen)
        if code & _REFERENCE:
            self._seen.append(_END)  # a container's number precedes those of its items
        value = self._of_kind(kind, depth)
        if code & _REFERENCE:
            self._seen[place] = value
        return value

    def _of_kind(self, kind: str, depth: int) -> object:
        match kind:
            case "N" | "T" | "F":
                return _CONSTANTS[ord(kind)]
            case "0":
                return _END
            case "i":
                return self._number()
            case "g":
                return struct.unpack("<d", self._take(8))[0]
            case "u" | "t":
                return self._take(self._number()).decode("utf-8", "surrogatepass")
            case "a" | "A":
                return self._take(self._number()).decode("ascii")
            case "z" | "Z":
                return self._take(self._take(1)[0]).decode("ascii")
            case "[" | "(":
                return [self._value(depth + 1) for _ in range(self._count())]
            case ")":
                return [self._value(depth + 1) for _ in range(self._take(1)[0])]
            case "{":
                return self._dict(depth)
            case "r":
                return self._seen[self._count()]
            case _:
                raise ValueError(f"a value of kind {kind!r}")

    def _dict(self, depth: int) -> dict[object, object]:
        found: dict[object, object] = {}
        while (key := self._value(depth + 1)) is not _END:
            found[key] = self._value(depth + 1)
        return found

    def _number(self) -> int:
        number: int = _LENGTH.unpack(self._take(4))[0]
        return number

    def _count(self) -> int:
        """Read a number of values and check that enough bytes are left: each takes at least one."""
        if not 0 <= (number := self._number()) <= len(self._data):
            raise ValueError("more values than bytes")
        return number

    def _take(self, size: int) -> bytes:
        piece = self._data[self._at : self._at + size]
        if size < 0 or len(piece) < size:
            raise ValueError("it ends too early")
        self._at += size
        return piece
