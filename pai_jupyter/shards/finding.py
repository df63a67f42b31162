"""Find whether the code of a job imports `pai_shards`, and give the file that it needs for that.

Rule 1: a module of that name that the package has already is the user's own, and stays.
Rule 2: what is read is the script, the Python files beside it and in the packages beside it, and the modules that a cell imports.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path, PurePosixPath

MODULE = "pai_shards"
_IMPORT = re.compile(
    rf"^(?:.*;)?[ \t]*(?:import[ \t][^#\n]*\b{MODULE}\b|from[ \t]+{MODULE}[ \t]+import\b)".encode(), re.MULTILINE
)
_MOST_FILES = 500  # that are read
_LARGEST = 1 << 20  # bytes of a file that is read


@dataclass(frozen=True, kw_only=True)
class ShardsImport:
    """Whether the code imports the module, and the files that its package lacks for it.

    `behind` is the first line of the script that stands behind its loop over the shards; None: there is none.
    """

    is_there: bool = False
    files: Mapping[str, bytes] = field(default_factory=dict)
    behind: int | None = None


def find_shards(
    script: str | None,
    *,
    directory: Path | None,
    files: Mapping[str, bytes],
    modules: Sequence[tuple[Path, str]] = (),
) -> ShardsImport:
    """Look through the code of a package.

    Args:
        script: the name of the script in the package, if it is known.
        directory: what is packed; None: nothing but `files` and `modules`.
        files: what is packed besides, by name.
        modules: files and directories (root and name) that lie at the top of the package.
    """
    folder = str(PurePosixPath(script or "").parent)
    others = [root / name for root, name in modules]
    beside = directory / folder if directory is not None else None
    if not any(map(_IMPORT.search, chain(files.values(), _contents(beside, others)))):
        return ShardsImport()
    name = str(PurePosixPath(folder) / f"{MODULE}.py")
    behind = _behind(next(_script(script, directory, files), b""))
    is_own = name in files or any(path.stem == MODULE for path in others)
    if is_own or (beside is not None and any((beside / each).exists() for each in (MODULE, f"{MODULE}.py"))):
        return ShardsImport(is_there=True, behind=behind)
    return ShardsImport(
        is_there=True, files={name: (Path(__file__).parent / f"{MODULE}.py").read_bytes()}, behind=behind
    )


def _script(name: str | None, directory: Path | None, files: Mapping[str, bytes]) -> Iterator[bytes]:
    if name is None:
        return
    if name in files:
        yield files[name]
    elif directory is not None:
        yield from _read([directory / name])


def _behind(source: bytes) -> int | None:
    """Return the line of the first statement behind the first loop over shards at the top of the script; maybe another loop."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    loops = [number for number, node in enumerate(body) if isinstance(node, ast.For) and _is_of_shards(node.iter)]
    return body[loops[0] + 1].lineno if loops and loops[0] + 1 < len(body) else None


def _is_of_shards(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="shards") | ast.Name(id="shards")):
            return True
        case ast.Call(args=[first, *_]):  # enumerate(shards(...)), tqdm(shards(...))
            return _is_of_shards(first)
    return False


def _contents(directory: Path | None, modules: Sequence[Path]) -> Iterator[bytes]:
    found = chain(
        (path for path in modules if path.suffix == ".py"),
        *(path.rglob("*.py") for path in modules if path.is_dir()),
        *(directory.glob(pattern) for pattern in ("*.py", "*/*.py") if directory is not None),
    )
    yield from _read(islice(found, _MOST_FILES))


def _read(paths: Iterable[Path]) -> Iterator[bytes]:
    for path in paths:
        with suppress(OSError):  # packing says what cannot be read
            if path.is_file() and path.stat().st_size <= _LARGEST:
                yield path.read_bytes()
