"""Pack a source directory: find the files, reject secrets, write the archive.

The archive has the entries of the tree sorted by name, then the extra files: so running a changed cell with an unchanged
directory packs only the cell.
"""

import errno
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from pai_jupyter.errors import LimitExceededError, PackageError
from pai_jupyter.package.files import Source, Tree, check_extra, collect
from pai_jupyter.package.manifest import Package, PackagedFile, digest
from pai_jupyter.package.secrets import SecretScanner, warning

if TYPE_CHECKING:
    from pai_jupyter.package.cache import PackageCache

SIZE_LIMIT, COUNT_LIMIT = 500_000_000, 10_000
LARGE = 100_000_000  # bytes of a package whose largest files are named
# A source_dir given by mistake (a home, /) has millions of files; this many are enough to name the fullest directories.
WALK_LIMIT = 10 * COUNT_LIMIT
# A tree that is packed in a few milliseconds gains nothing from the cache.
WORTH_CACHING = 1 << 20

Packed: TypeAlias = list[tuple[PackagedFile, int]]
"""Files, each with the line that looks like an access key id (0 = none)."""


def build(
    source_dir: Path | None,
    *,
    to: Path,
    files: Mapping[str, bytes] = MappingProxyType({}),
    overlay: Mapping[str, bytes] = MappingProxyType({}),
    include: Sequence[Path] = (),
    modules: Sequence[tuple[Path, str]] = (),
    without: Path | None = None,
    secrets: Collection[str] = (),
    allow_large: bool = False,
    cache_dir: Path | None = None,
    progress_callback: Callable[[str], None] = lambda text: None,
) -> Package:
    """Pack `source_dir`, the extra `files`, `modules` and each of `include` (under its base name) into the tar.gz `to`.

    The same inputs give the same bytes. A name of `files` must not exist on disk; one of `overlay` replaces a file on disk.
    The directory `without` is left out if it is inside.
    `secrets` are values that no file may contain. With `cache_dir`, an unchanged tree is not read again. `progress_callback` is
    told of much data before they are packed.

    Raises:
        PackageError: a file is unreadable, not packable or contains a secret; two files have the same name; it is too large.
        LimitExceededError: the disk is full. Nothing is left behind in either case.
    """
    tree = collect(source_dir, include, modules=modules, without=without, limit=None if allow_large else WALK_LIMIT)
    for name in overlay:
        tree.sources.pop(name, None)
    files = {**files, **overlay}
    check_extra(tree, files, source_dir)
    if not allow_large:
        _check_size(tree, files)
    if large := _large(tree):
        progress_callback(large[0])
    scanner = SecretScanner(secrets)
    cache = _cache(cache_dir, tree, source_dir, [*include, *(root / name for root, name in modules)], scanner)
    with _written(to) as (out, temporary):
        packed = _write_tree(tree, out, temporary, scanner, cache)
        packed += _write_extra(files, out, scanner)
    if large:
        progress_callback("")
    packed.sort(key=lambda pair: pair[0].name)
    found = [text for file, line in packed if (text := warning(file.name, line))]
    names = tuple(file for file, _ in packed)
    return Package(path=to, digest=digest(names), files=names, warnings=(*tree.warnings, *large, *found))


def _write_tree(tree: Tree, out: BinaryIO, path: Path, scanner: SecretScanner, cache: "PackageCache | None") -> Packed:
    from pai_jupyter.package import archive

    if cache is None:
        return list(archive.pack(tree, out, scanner))
    if not cache.is_empty and (stored := _copy_stored(tree, out, scanner, cache)) is not None:
        return stored
    packed = list(archive.pack(tree, out, scanner))
    out.flush()
    cache.keep_tree(digest(file for file, _ in packed), path, out.tell())
    _keep_index(cache, tree, packed)
    return packed


def _copy_stored(tree: Tree, out: BinaryIO, scanner: SecretScanner, cache: "PackageCache") -> Packed | None:
    """Write the tree's entries from the cache if they are there; read only files that the cache does not know."""
    from pai_jupyter.package.archive import examine
    from pai_jupyter.package.cache import copy

    packed = []
    for source in tree:
        sha256, line = cache.recall(source) or examine(source, scanner)
        packed.append((PackagedFile(name=source.name, size=source.size, mode=source.mode, sha256=sha256), line))
    stored = cache.open_tree(digest(file for file, _ in packed))
    if stored is None:
        return None
    with stored:
        copy(stored, out, os.fstat(stored.fileno()).st_size)
    _keep_index(cache, tree, packed)
    return packed


def _keep_index(cache: "PackageCache", tree: Tree, packed: Packed) -> None:
    cache.keep_index((tree.sources[file.name], file.sha256, line) for file, line in packed)


def _write_extra(files: Mapping[str, bytes], out: BinaryIO, scanner: SecretScanner) -> Packed:
    from pai_jupyter.package import archive

    return list(archive.pack_extra(files, out, scanner))


def _cache(
    folder: Path | None, tree: Tree, source_dir: Path | None, include: Sequence[Path], scanner: SecretScanner
) -> "PackageCache | None":
    work = sum(
        source.size + 4096 for source in tree.sources.values()
    )  # opening a file costs about as much as reading a page
    if folder is None or work < WORTH_CACHING:
        return None
    from pai_jupyter.package.cache import PackageCache

    roots = [os.path.realpath(path) if path else "" for path in (source_dir, *include)]
    return PackageCache(folder, roots, mark=scanner.mark)


@contextmanager
def _written(to: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """Write a draft that replaces `to` when the block succeeds and is deleted when it fails."""
    temporary = to.with_name(f"{to.name}.{os.urandom(4).hex()}.tmp")
    try:
        with os.fdopen(os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            yield out, temporary
        temporary.replace(to)
    except OSError as exc:
        message = f"the package cannot be written to {str(to)!r}: {exc.strerror or exc}."
        if exc.errno in (errno.ENOSPC, errno.EDQUOT):
            raise LimitExceededError(f"{message} Make room there.") from exc
        raise PackageError(f"{message} Set PAI_JUPYTER_HOME to a directory that you can write to.") from exc
    finally:
        with suppress(OSError):  # e.g. the disk is read-only now: the first error is reported
            temporary.unlink(missing_ok=True)


def _check_size(tree: Tree, files: Mapping[str, bytes]) -> None:
    sources = list(tree.sources.values())
    total = sum(source.size for source in sources) + sum(map(len, files.values()))
    if total > SIZE_LIMIT:
        raise PackageError(_too_large(f"{_size(total)} (the limit is {_size(SIZE_LIMIT)})", _largest_files(sources)))
    count = len(sources) + len(files)
    if count > COUNT_LIMIT:
        raise PackageError(_too_large(f"{count:,} files (the limit is {COUNT_LIMIT:,})", _fullest_directories(sources)))


def _large(tree: Tree) -> list[str]:
    """Return a sentence about a tree so large that some of it is probably data; [] for others."""
    sources = list(tree.sources.values())
    total = sum(source.size for source in sources)
    if total < LARGE:
        return []
    return [
        f"the package holds {_size(total)} beside the code. The largest: {', '.join(_largest_files(sources))}. Name in .paiignore "
        "what the job need not have, or give data as an input (-i NAME=PATH)."
    ]


def _too_large(what: str, largest: Sequence[str]) -> str:
    return (
        f"the package would hold {what}. The largest: {', '.join(largest)}. Name in .paiignore what the job need not have, "
        "give data as an input (-i NAME=PATH), or allow it: --option package.allow_large=true"
    )


def _largest_files(sources: Sequence[Source]) -> list[str]:
    largest = sorted(sources, key=lambda source: (-source.size, source.name))[:5]
    return [f"{source.name!r} {_size(source.size)}" for source in largest]


def _fullest_directories(sources: Sequence[Source]) -> list[str]:
    counts = Counter(source.name.rpartition("/")[0] for source in sources)
    largest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:5]
    return [f"{directory + '/' if directory else './'!r} {count:,} files" for directory, count in largest]


def _size(count: int) -> str:
    return f"{count / 1e6:,.0f} MB" if count >= 1e6 else f"{count / 1e3:,.0f} kB"
