"""Reading `run/job`, which our launcher wrote with `marshal`: only plain values, whatever is in the file by now.

`marshal.loads` trusts its bytes, and may crash the whole interpreter with those that somebody has changed.
"""

import struct

_DEPTH = 20
_LENGTH, _REFERENCE = struct.Struct("<i"), 0x80
_CONSTANTS: dict[int, object] = {ord("N"): None, ord("T"): True, ord("F"): False}
_END = object()


class PlainMarshal:
    """The value in `data`.

    Raises:
        ValueError: it is none of plain values: None, booleans, numbers, texts, lists, tuples, dicts.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._seen: list[object] = []  # what a later value may refer to, by number

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
            self._seen.append(_END)  # its number comes before those of what is in it
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
        """Read a count of values and check that the data can hold as many: each takes at least one byte."""
        if not 0 <= (number := self._number()) <= len(self._data):
            raise ValueError("more values than bytes")
        return number

    def _take(self, size: int) -> bytes:
        piece = self._data[self._at : self._at + size]
        if size < 0 or len(piece) < size:
            raise ValueError("it ends too early")
        self._at += size
        return piece
