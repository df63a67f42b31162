"""Decide which files of a source directory are not packed.

Rule 1: never packed: `NEVER_PACKED`, `NEVER_PACKED_SUFFIXES`, and any directory with a `pyvenv.cfg`.
Rule 2: if the root has a `.paiignore`, those files decide, else `.gitignore` files; both as in git, nested ones included.
Rule 3: no line overrides rule 1 (the common `!*/` would pack `.git`). Other dotfiles are packed.

Ignore files above the root are not read: a package does not depend on anything outside its directory.
"""

import os
import re
import stat
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pai_jupyter.errors import PackageError
from pai_jupyter.package.quick import quick

if TYPE_CHECKING:
    from pathspec.pattern import RegexPattern

PAIIGNORE, GITIGNORE = ".paiignore", ".gitignore"
VENV_MARK = "pyvenv.cfg"
LARGEST = 1 << 20  # the largest ignore file, bytes
NEVER_PACKED = frozenset(
    {
        *(".git", ".hg", ".svn", ".DS_Store", "Thumbs.db"),
        *("__pycache__", ".ipynb_checkpoints", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"),
        *(".tox", ".nox", ".eggs", "node_modules"),
    }
)
NEVER_PACKED_SUFFIXES = (".pyc", ".pyo")


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """One compiled line of an ignore file. Without an inner slash it matches only the last part of a path."""

    pattern: "RegexPattern"
    is_anchored: bool
    line: int  # its number in the file
    text: str

    def matches(self, name: str, base: str) -> bool:
        """Return whether the line matches this file or directory itself; its parents were decided by the walk."""
        found = self.pattern.match_file(name if self.is_anchored else base)
        if found is None:
            return False
        # pathspec's only group is the slash after the directory that the pattern names.
        last = found.match.lastindex
        return last is None or found.match.end(last) == len(found.match.string)


@dataclass(frozen=True, kw_only=True)
class _Level:
    """The ignore file of one directory, last line first; `skip` is the length of that directory's name, with its slash."""

    rules: tuple[_Rule, ...]
    skip: int

    def last_match(self, name: str, base: str) -> _Rule | None:
        """Return the last rule that matches: its `pattern.include` says whether to ignore; None without a match."""
        for rule in self.rules:
            if rule.matches(name[self.skip :], base):
                return rule
        return None


@dataclass(frozen=True, kw_only=True)
class IgnoreRules:
    """The rules in one directory: its own ignore file first, then those of its parents."""

    file_name: str
    levels: tuple[_Level, ...] = ()

    @classmethod
    def of_root(cls, names: Collection[str]) -> Self:
        """Return the rules for a root with entries of these `names`, before its own ignore file is read."""
        return cls(file_name=PAIIGNORE if PAIIGNORE in names else GITIGNORE)

    def entering(self, directory: Path, prefix: str, names: Collection[str]) -> Self:
        """Return the rules inside `directory`; `names` are its entries, `prefix` its path below the root ("a/b/")."""
        if self.file_name not in names:
            return self
        level = _Level(rules=_read_rules(directory / self.file_name), skip=len(prefix))
        return replace(self, levels=(level, *self.levels))

    def hides(self, name: str, base: str) -> bool:
        """Return whether `name` is left out; `base` is its last part. Both end in a slash for a directory."""
        bare = base.removesuffix("/")
        if bare in NEVER_PACKED or bare.endswith(NEVER_PACKED_SUFFIXES):
            return True
        return self.decided_by(name, base) is not None

    def decided_by(self, name: str, base: str) -> tuple[str, _Rule] | None:
        """Return the rule that leaves `name` out, after the directory of its file ("a/b/"); None if none does."""
        for level in self.levels:
            if (rule := level.last_match(name, base)) is not None:
                return (name[: level.skip], rule) if rule.pattern.include else None
        return None


def _read_rules(path: Path) -> tuple[_Rule, ...]:
    """Read the rules of an ignore file, last line first.

    Raises:
        PackageError: it cannot be read.
    """
    try:
        # As in git, a name that is not UTF-8 must match a pattern with the same bytes.
        text = os.fsdecode(_content(path).removeprefix(b"\xef\xbb\xbf"))
    except FileNotFoundError:
        return ()  # gone since its directory was read
    except OSError as exc:
        raise PackageError(f"{str(path)!r} cannot be read: {exc.strerror}.") from exc
    rules = [_read_rule(line, number) for number, line in enumerate(text.split("\n"), 1)]
    return tuple(rule for rule in reversed(rules) if rule is not None)


def _content(path: Path) -> bytes:
    """Read a regular file; reject pipes, devices and files that are too large."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            return b""  # there is no ignore file
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            raise PackageError(f"{str(path)!r} is no plain file of at most {LARGEST >> 20} MiB. Remove it.")
        return os.read(handle, LARGEST)
    finally:
        os.close(handle)


def _read_rule(line: str, number: int = 1) -> _Rule | None:
    from pathspec import GitIgnoreSpec, RegexPattern  # imported late: 30 ms, and most directories have no ignore file

    line = said = line.rstrip("\r")
    # `a/**` means all in a/, not a/ itself; pathspec treats it like `a/`.
    line = f"{line}/*" if line.endswith("/**") else line
    try:
        (pattern,) = GitIgnoreSpec.from_lines([line]).patterns
    except ValueError:
        return None  # a lone `!`: git ignores it, too
    is_anchored = "/" in line.rstrip().removeprefix("!").removesuffix("/")
    if pattern.include is None or pattern.regex is None:
        return None
    regex = re.compile(quick(pattern.regex.pattern), pattern.regex.flags)
    return _Rule(pattern=RegexPattern(regex, pattern.include), is_anchored=is_anchored, line=number, text=said)
