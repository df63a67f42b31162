"""Write variables of the kernel into the cache of values, to be given to a job as its input `sent`.

Rule 1: whatever cannot be sent is an error before anything is packed or started, and leaves nothing behind.
Rule 2: no secret is sent: not under such a name, not as such a text, and none of the session's own in any file.
Rule 3: a checksum is computed while a file is written, on other threads; whether two files are the same is seen by reading both
    (cache). That is cheaper than a hash of all, and an array is written nearly as fast as by numpy.
"""

import hashlib
import json
import os
import sys
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from pai_jupyter.contract import is_secret
from pai_jupyter.errors import LimitExceededError, PaiJupyterError, SpecError
from pai_jupyter.values.cache import keep_set, new_set, share
from pai_jupyter.values.names import check_names
from pai_jupyter.values.pai_values import MANIFEST, file_name
from pai_jupyter.values.pai_values.arrangement import PICKLES, Arrangement, NotPickled
from pai_jupyter.values.pai_values.formats import LIBRARIES, describe, reason_of
from pai_jupyter.values.pai_values.writing import LIMIT, Sink, TooLarge

_DEEPEST = 20  # nested lists and dicts that are searched for secrets
_MOST = 100_000  # texts that are searched in a value
_SMALL = 1 << 20  # bytes; a larger piece is data of an array
_THREADS = min(4, os.cpu_count() or 1)
_AHEAD = 8  # pieces that wait for their checksum
SHORTEST_SECRET = 8  # bytes; shorter values occur in harmless files


@dataclass(frozen=True, kw_only=True)
class SentValues:
    """Values in the cache: the directory, the manifest's entries by name, the packages that a job needs to read them."""

    place: Path
    items: Mapping[str, Mapping[str, Any]]  # Any: JSON values
    requirements: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Describe each value by name, type, shape, format and size."""
        return [
            f"{name}: {in_words(item)}, {_format(item)}, {item['size']:,} bytes" for name, item in self.items.items()
        ]


def _format(item: Mapping[str, Any]) -> str:
    return "pickle" if item["format"] in PICKLES else str(item["format"])


def in_words(item: Mapping[str, Any]) -> str:
    """Return type, shape and dtype of a value: `numpy.ndarray (3, 4) float64`."""
    shape = ", ".join(map(str, item["shape"])) if "shape" in item else None
    parts = [item["type"], *([f"({shape})"] if shape is not None else []), item.get("dtype", "")]
    return " ".join(part for part in parts if part)


def described(value: object) -> str:
    """Return type, shape and size of a variable, as far as they are known without writing it."""
    item = describe(value)
    size = f", {item['bytes'] / 1e6:,.1f} MB" if "bytes" in item else ""
    return f"{in_words(item)}{size}"


def send_values(
    names: Sequence[str], namespace: Mapping[str, object], home: Path, *, secrets: Collection[str] = ()
) -> SentValues:
    """Write the variables `names` of `namespace`; `secrets` are texts that no file may hold.

    Raises:
        SpecError: a name is unknown or a secret's, or its value cannot be sent.
        PaiJupyterError: the home cannot be written.
    """
    check_names("--send", names)
    for name in names:
        _check(name, namespace)
    _check_size(names, namespace)
    forbidden = tuple(text.encode() for text in secrets if len(text) >= SHORTEST_SECRET)
    try:
        with new_set(home) as draft, ThreadPoolExecutor(_THREADS, thread_name_prefix="pai-jupyter-values") as pool:
            items = _Writing(namespace, home, draft, forbidden, pool).items(names)
            manifest = json.dumps({"version": 1, "values": items, "failed": {}}, sort_keys=True).encode()
            (draft / MANIFEST).write_bytes(manifest)
            (draft / MANIFEST).chmod(0o444)
            place = keep_set(home, draft, hashlib.sha256(manifest).hexdigest()[:32])
    except OSError as exc:
        raise LimitExceededError(
            f"the values cannot be written to {str(home)!r}: {exc.strerror or exc}. Make room there, or set PAI_JUPYTER_HOME "
            "to a directory that you can write to."
        ) from exc
    return SentValues(
        place=place, items=items, requirements=tuple(_requirements(items)), notes=tuple(_notes(names, namespace))
    )


def _notes(names: Sequence[str], namespace: Mapping[str, object]) -> Iterator[str]:
    """Say what is not in the job as it is in the notebook."""
    numpy = sys.modules.get("numpy")
    arrays = [name for name in names if numpy is not None and type(namespace[name]) is numpy.ndarray]
    for at, name in enumerate(arrays):
        for other in arrays[:at]:
            if _share_memory(numpy, namespace[name], namespace[other]):
                yield f"`{name}` and `{other}` share their memory here; in the job, each is an array of its own."
    for name in names:
        kind = type(namespace[name])
        is_device = (kind.__module__, kind.__qualname__) == ("torch", "device")
        if is_device or (name == "device" and kind is str):
            yield f"`{name}` is {str(namespace[name])!r}, that of this notebook. Choose it in the cell if the job's machine differs."


def _share_memory(numpy: Any, one: object, other: object) -> bool:  # Any: the module
    try:
        return one is not other and bool(numpy.shares_memory(one, other, max_work=1000))
    except RuntimeError:  # too much work: unknown
        return False


def _check(name: str, namespace: Mapping[str, object]) -> None:
    if name not in namespace:
        raise SpecError(
            f"`--send {name}`: the notebook has no variable `{name}`. Run the cell that defines it first.",
            field="--send",
        )
    if any(
        is_secret(key if isinstance(text, str) and len(text) >= SHORTEST_SECRET else "", text)
        for key, text in _texts(namespace[name])
    ):
        raise SpecError(
            f"`{name}` holds what looks like a secret (a key, a token, a password), and secrets are not written into files. "
            "Take it out, and give it to a local job as a variable: --pass-env NAME",
            field="--send",
        )


def _texts(value: object) -> Iterator[tuple[str, object]]:
    """Yield the texts in plain lists and dicts, with their keys; at most `_MOST`."""
    waiting: list[tuple[str, object, int]] = [("", value, 0)]
    for _ in range(_MOST):
        if not waiting:
            return
        key, each, depth = waiting.pop()
        if isinstance(each, str):
            yield key, each
        elif isinstance(each, dict) and depth < _DEEPEST:
            waiting += [(str(name), item, depth + 1) for name, item in list(each.items())[:_MOST]]
        elif isinstance(each, list | tuple | set) and depth < _DEEPEST:
            waiting += [(key, item, depth + 1) for item in list(each)[:_MOST]]


def _check_size(names: Sequence[str], namespace: Mapping[str, object]) -> None:
    """Reject arrays and tensors that are too large before they are written."""
    found = {name: describe(namespace[name]) for name in names}
    sizes = {
        name: item["bytes"] for name, item in found.items() if "bytes" in item and not item["type"].startswith("pandas")
    }
    if sum(sizes.values()) > LIMIT:
        raise _too_large(max(sizes, key=lambda name: sizes[name]), found)


def _too_large(name: str, found: Mapping[str, Mapping[str, Any]]) -> SpecError:
    return SpecError(
        f"the values to send are larger than {LIMIT >> 20} MiB together; the largest is `{name}` ({in_words(found[name])}). "
        f"Write it to a file, and give that as an input: -i {name.strip('_') or 'data'}=PATH",
        field="--send",
    )


class _Writing:
    """Writes values into the directory `draft`, which is to be a set of the cache in `home`."""

    def __init__(
        self,
        namespace: Mapping[str, object],
        home: Path,
        draft: Path,
        forbidden: Collection[bytes],
        pool: ThreadPoolExecutor,
    ) -> None:
        self._namespace, self._home, self._draft = namespace, home, draft
        self._forbidden, self._pool = forbidden, pool
        self._taken: set[str] = set()
        self._room = [LIMIT]

    def items(self, names: Sequence[str]) -> dict[str, dict[str, Any]]:  # Any: JSON values
        """Write all; return the entries of the manifest.

        Raises:
            SpecError: one cannot be sent.
        """
        arranged = Arrangement({name: self._namespace[name] for name in names}, self._namespace)
        for name, exc in arranged.failed.items():
            raise self._refusal(name, exc) from exc
        items = {}
        for name, (item, write) in arranged.own.items():
            try:
                items[name] = {**item, **self._file(name, item["format"], write)}
            except Exception as exc:  # a library raises anything
                raise self._refusal(name, exc) from exc
        if arranged.pickled:
            items.update(self._pickles(arranged))
        items.update((name, dict(items[first])) for name, first in arranged.same.items())
        return {name: items[name] for name in names}

    def _pickles(self, arranged: Arrangement) -> dict[str, dict[str, Any]]:
        written: dict[str, dict[str, Any]] = {}
        first = next(iter(arranged.pickled))
        try:
            own = self._file(first, "pickle", lambda sink: written.update(arranged.write_pickles(sink)))
        except NotPickled as exc:
            raise self._refusal(exc.name, exc.reason) from exc.reason
        except Exception as exc:  # found when the last piece is written
            raise self._refusal(first, exc) from exc
        return {name: {**own, **item} for name, item in written.items()}

    def _file(self, name: str, format_: str, write: Callable[[Sink], object]) -> dict[str, Any]:
        """Write one file; return the entries that say where and what it is."""
        path = self._draft / file_name(name, format_, self._taken)
        with path.open("wb") as file:
            checked = _CheckedFile(file, self._pool, self._forbidden)
            sink = Sink(checked.put, self._room)
            write(sink)
        own = {"cloudpickle": True} if checked.has_cloudpickle and format_ == "pickle" else {}
        digest = share(self._home, path, checked.digest())
        return {"file": path.name, "size": sink.count, "digest": digest, **own}

    def _refusal(self, name: str, exc: BaseException) -> BaseException:
        if isinstance(exc, TooLarge):
            return _too_large(name, {name: describe(self._namespace[name])})
        if isinstance(exc, _Exposed):
            return SpecError(
                f"`{name}` holds one of the secrets loaded in this session, and secrets are not written into files. Take it out.",
                field="--send",
            )
        if isinstance(exc, OSError | PaiJupyterError):
            return exc
        return SpecError(f"`{name}` cannot be sent: it {reason_of(exc)}", field="--send")


class _Exposed(PaiJupyterError):
    """A secret was found in what is written."""


class _CheckedFile:
    """Writes pieces to a file, computes their checksums meanwhile on other threads, and searches texts for secrets."""

    def __init__(self, file: BinaryIO, pool: ThreadPoolExecutor, forbidden: Collection[bytes]) -> None:
        self._file, self._pool, self._forbidden = file, pool, forbidden
        self._blocks: list[Future[bytes]] = []
        self._small = bytearray()
        self._end = b""
        self.has_cloudpickle = False

    def put(self, piece: bytes | memoryview) -> None:
        if len(piece) <= _SMALL:
            self._small += piece
            self._search(piece)
        if len(piece) > _SMALL or len(self._small) > _SMALL:
            self._sum(bytes(self._small))
            self._small.clear()
        if len(piece) > _SMALL:  # data of an array
            self._sum(piece)
        self._file.write(piece)

    def _sum(self, piece: bytes | memoryview) -> None:
        if len(self._blocks) >= _AHEAD:
            self._blocks[-_AHEAD].result()  # few pieces are kept alive
        self._blocks.append(self._pool.submit(lambda: zlib.crc32(piece).to_bytes(4, "big")))

    def _search(self, piece: bytes | memoryview) -> None:
        data = self._end + bytes(piece)
        self.has_cloudpickle = self.has_cloudpickle or b"cloudpickle" in data
        if any(secret in data for secret in self._forbidden):
            raise _Exposed("secret")
        self._end = data[-256:]

    def digest(self) -> str:
        """Return a checksum of the content, and of the pieces in which it came."""
        self._sum(bytes(self._small))
        return hashlib.sha256(b"".join(block.result() for block in self._blocks)).hexdigest()


def _requirements(items: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield what a job needs to read the values; cloudpickle in the kernel's version, for its pickles differ by it."""
    formats = [str(item["format"]) for item in items.values()]
    yield from dict.fromkeys(library for each in formats for library in LIBRARIES.get(each, ()))
    if any(item.get("cloudpickle") for item in items.values()):
        import cloudpickle

        yield f"cloudpickle=={cloudpickle.__version__}"
