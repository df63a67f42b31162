"""Find the files of a package: one walk over `source_dir`, and the paths of `include`.

Rule 1: the walk reads names and `stat`s, not content; that is enough to know whether a tree has changed.
Rule 2: a symbolic link to a place outside the directory is rejected. One that stays inside is packed as a link.
Rule 3: a file that cannot be packed is an error that names it, or is left out with a warning; never silently.
"""

import errno
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pai_jupyter.errors import PackageError
from pai_jupyter.package.ignore import VENV_MARK, IgnoreRules
from pai_jupyter.package.manifest import FILE_MODE, LINK_MODE, PROGRAM_MODE

_PACKAGE_NAME = re.compile(r"(?:(?!\.\.?/)[^/\0]+/)*(?!\.\.?\Z)[^/\0]+")
_KINDS = {stat.S_IFSOCK: "a socket", stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


@dataclass(frozen=True, kw_only=True, slots=True)
class FileSignature:
    """The `stat` fields that change with a file's content. `changed` is ctime, which no tool can set back."""

    size: int
    modified: int
    changed: int
    inode: int

    @classmethod
    def of(cls, info: os.stat_result) -> "FileSignature":
        return cls(size=info.st_size, modified=info.st_mtime_ns, changed=info.st_ctime_ns, inode=info.st_ino)


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """One file to pack: its name in the package and its path. A link has a `target` and no size."""

    name: str
    path: str
    mode: int
    size: int
    signature: FileSignature
    target: str = ""


@dataclass(kw_only=True)
class Tree:
    """The files found so far, by name in the package, and warnings about files left out."""

    without: str = ""  # a directory that the walk skips
    sources: dict[str, Source] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Source]:
        """Iterate over the files by name, the order of the archive."""
        return (self.sources[name] for name in sorted(self.sources))

    def add(self, source: Source) -> None:
        other = self.sources.setdefault(source.name, source)
        if other.path != source.path:
            raise PackageError(
                f"{source.path!r} and {other.path!r} would both be {source.name!r} in the package. Rename one of them."
            )


def collect(
    source_dir: Path | None,
    include: Sequence[Path] = (),
    *,
    modules: Sequence[tuple[Path, str]] = (),
    without: Path | None = None,
    limit: int | None = None,
) -> Tree:
    """Collect everything under `source_dir`, and each of `include` under its base name; stop after `limit` files.

    Of `modules` (a directory and the name of a file or directory in it) those are added whose name is not there yet and that
    the ignore files of that directory do not leave out.
    The directory `without` is skipped if the walk meets it; a path named in `include` is packed.

    Raises:
        PackageError: see the rules above; also if two files would have the same name.
    """
    tree = Tree(without=os.path.realpath(without) if without else "")
    if source_dir is not None:
        if not os.path.isdir(source_dir):  # noqa: PTH112  Path.is_dir raises if a parent is not accessible
            raise PackageError(
                f"`source_dir` is {str(source_dir)!r}, and there is no such directory. Check --source-dir."
            )
        _walk(Path(os.path.realpath(source_dir)), "", tree, limit)
    for path in include:
        _include(path, tree, limit)
    for root, name in modules:
        _add_module(root, name, tree, limit)
    if include or modules:
        _check_nesting(tree.sources, tree.sources)
    return tree


def check_extra(tree: Tree, files: Mapping[str, bytes], source_dir: Path | None) -> None:
    """Reject extra `files` that would replace a file on disk."""
    for name in files:
        if name in tree.sources:
            way_out = f"--entry-point NAME{Path(name).suffix}" if name.endswith(".py") else "rename the file on disk"
            raise PackageError(
                f"{name!r} is already in {str(source_dir)!r}, and the cell would take its place. Choose another name: {way_out}."
            )
        if not _PACKAGE_NAME.fullmatch(name):
            raise PackageError(f"{name!r} is no name for a file of a package; it must be relative, without '..'.")
        _check_name(name, name)
    _check_nesting(files, tree.sources)
    _check_nesting(tree.sources, files)


def _include(path: Path, tree: Tree, limit: int | None) -> None:
    if not os.path.exists(path):  # noqa: PTH110  as in collect
        raise PackageError(f"--include {str(path)!r}: there is no such file or directory.")
    real = Path(os.path.realpath(path))
    if not real.name:
        raise PackageError(f"--include {str(path)!r}: this is the whole machine. Name a directory inside.")
    # The name as typed: a link in `include` is packed as its target.
    base = Path(os.path.abspath(path)).name  # noqa: PTH100  Path.resolve would follow the link
    if real.is_dir():
        _walk(real, base + "/", tree, limit)
    elif (source := _source(str(real), base, os.stat(real), real.parent, tree)) is not None:  # noqa: PTH116  as in _walk
        tree.add(source)


def _add_module(root: Path, name: str, tree: Tree, limit: int | None) -> None:
    if any(source.partition("/")[0] == name for source in tree.sources):
        return
    entries = _entries(root)
    rules = IgnoreRules.of_root(entries).entering(root, "", entries)
    entry = entries.get(name)
    if entry is None or entry.is_symlink():
        _include(root / name, tree, limit)
        return
    is_directory = entry.is_dir()
    if rules.hides(f"{name}/" if is_directory else name, f"{name}/" if is_directory else name):
        tree.warnings.append(
            f"the code imports {name!r}, which {rules.file_name} leaves out. If the job needs it: --include {root / name}"
        )
    elif is_directory:
        _walk(root, "", tree, limit, [(f"{name}/", rules)])
    else:
        _add_entry(entry, root, name, tree)


def _walk(
    root: Path,
    prefix: str,
    tree: Tree,
    limit: int | None,
    pending: Sequence[tuple[str, IgnoreRules | None]] = (("", None),),
) -> None:
    """Add everything under `root`, with `prefix` ("" or "base/") before each name; `pending` are directories in it."""
    pending = list(pending)
    while pending and (limit is None or len(tree.sources) <= limit):
        inside, rules = pending.pop()
        if inside and str(root / inside) == tree.without:
            continue
        entries = _entries(root / inside)
        if inside and VENV_MARK in entries:
            continue
        rules = (rules or IgnoreRules.of_root(entries)).entering(root / inside, inside, entries)
        for base, entry in entries.items():
            name = inside + base
            if entry.is_dir(follow_symlinks=False):
                if not rules.hides(name + "/", base + "/"):
                    pending.append((name + "/", rules))
            elif not rules.hides(name, base):
                _add_entry(entry, root, prefix + name, tree)


def _entries(directory: Path) -> dict[str, os.DirEntry[str]]:
    try:
        with os.scandir(directory) as found:
            return {entry.name: entry for entry in found}
    except FileNotFoundError:
        return {}  # deleted since its parent was listed
    except OSError as exc:
        raise PackageError(f"{str(directory)!r} cannot be read: {exc.strerror}. Name it in .paiignore.") from exc


def _add_entry(entry: os.DirEntry[str], root: Path, name: str, tree: Tree) -> None:
    try:
        source = _source(entry.path, name, entry.stat(follow_symlinks=False), root, tree)
    except FileNotFoundError:
        return  # deleted since its directory was listed
    except OSError as exc:
        raise PackageError(f"{entry.path!r} cannot be read: {exc.strerror}. Name it in .paiignore.") from exc
    if source is not None:
        tree.add(source)


def _source(path: str, name: str, info: os.stat_result, root: Path, tree: Tree) -> Source | None:
    _check_name(name, path)
    if stat.S_ISREG(info.st_mode):
        mode = PROGRAM_MODE if info.st_mode & stat.S_IXUSR else FILE_MODE
        return Source(name=name, path=path, mode=mode, size=info.st_size, signature=FileSignature.of(info))
    if stat.S_ISLNK(info.st_mode):
        if _is_circle(path):
            tree.warnings.append(f"{name!r} is a link that leads in a circle; it was left out.")
            return None
        target = _checked_target(path, name, root)
        return Source(name=name, path=path, mode=LINK_MODE, size=0, signature=FileSignature.of(info), target=target)
    tree.warnings.append(f"{name!r} is {_KINDS.get(stat.S_IFMT(info.st_mode), 'no file')}; it was left out.")
    return None


def _is_circle(path: str) -> bool:
    """Return whether the link at `path` leads back to itself."""
    try:
        os.stat(path)  # noqa: PTH116  as in _walk
    except OSError as exc:
        return exc.errno == errno.ELOOP
    return False


def _checked_target(path: str, name: str, root: Path) -> str:
    """Return a link's target; it must stay inside the root, and inside the package after unpacking."""
    target = str(Path(path).readlink())
    inside = os.path.normpath(Path(path).relative_to(root).parent / target)
    stays = not Path(target).is_absolute() and Path(inside).parts[:1] != (os.pardir,)
    if not stays or not Path(os.path.realpath(path)).is_relative_to(root):
        raise PackageError(
            f"{name!r} is a link to {target!r}, which leaves the source directory. "
            "Name it in .paiignore, add what it points to by --include PATH, or give data as an input (-i NAME=PATH)."
        )
    _check_name(target, path)
    return target


def _check_name(name: str, path: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError as exc:
        shown = os.fsencode(path).decode(errors="backslashreplace")
        raise PackageError(f"the file name '{shown}' is not UTF-8. Rename the file, or name it in .paiignore.") from exc


def _check_nesting(names: Collection[str], others: Collection[str]) -> None:
    """Reject one of `others` whose path is a directory for one of `names`."""
    for name in names if others else ():
        end = name.find("/")
        while end > 0:
            if name[:end] in others:
                raise PackageError(f"{name[:end]!r} and {name!r} cannot both be in the package. Rename one of them.")
            end = name.find("/", end + 1)
