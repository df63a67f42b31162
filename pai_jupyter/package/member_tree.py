"""The tree of an archive in memory: the path of each member and the target of each link.

Python's `tarfile` resolves paths with the system's `realpath`, whose answers are wrong beyond its length limits. Here paths are
resolved without the system, component by component, over the archive's own links.

Rule 1: no member is below a link or a file, and no member replaces one of another kind.
Rule 2: no link leaves the tree at any step, neither by `..` nor through other links.
Rule 3: work is bounded: number and length of names, depth, chained links, total steps.
"""

import unicodedata

from pai_jupyter.errors import PackageError
from pai_jupyter.package.members import Member, MemberKind

MAX_DEPTH = 128  # nesting depth of directories
MAX_NAME = 4096  # bytes of a path; the system's limit
MEAN_NAME = 320  # characters per name on average, which bounds memory
MAX_LINKS = 40  # chained links; Linux's limit
MAX_STEPS = 1_000_000  # total steps of resolving the links of an archive


class TooLargeError(PackageError):
    """The archive exceeds a limit that the caller can lift."""


class MemberTree:
    """The members so far by path; `sizes` of the files in bytes, `links` with their targets."""

    def __init__(self, limit: int) -> None:
        self.sizes: dict[str, int] = {}
        self.links: dict[str, str] = {}
        self._directories: set[str] = set()
        self._limit = limit
        self._steps = 0
        self._names = 0  # characters
        self._folded: set[str] = set()

    def add(self, member: Member) -> str:
        """Add `member`; return its path below the root, "" for the root itself.

        Raises:
            PackageError: its path or kind is invalid, or there are too many members.
        """
        if member.kind is MemberKind.OTHER:
            raise PackageError(
                f"{member.name!r} is {member.what}, and only plain files, directories and links are unpacked"
            )
        path = _path(member.name, f"{member.name!r}")
        if not path and member.kind is not MemberKind.DIRECTORY:
            raise PackageError(f"{member.name!r} is no name for a {member.kind}")
        self._add_directories(path.rpartition("/")[0], member.name)
        match member.kind:
            case MemberKind.DIRECTORY:
                self._add_directories(path, member.name)
            case MemberKind.FILE:
                self._check_kind(path, member, others=(self.links, self._directories))
                self.sizes[path] = member.size
            case MemberKind.HARD_LINK:
                self._check_kind(path, member, others=(self.links, self._directories))
                self.sizes[path] = self.sizes[self.linked_file(member)]
            case MemberKind.LINK:
                self._check_kind(path, member, others=(self.sizes, self._directories))
                self.links[path] = self._checked_target(member)
        self._names += len(path) + len(member.target)
        if len(self.sizes) + len(self.links) + len(self._directories) > self._limit:
            raise TooLargeError(f"it holds more than {self._limit:,} files and directories")
        if self._names > MEAN_NAME * self._limit:
            raise TooLargeError("its names are longer than those of files are")
        return path

    def linked_file(self, member: Member) -> str:
        """Return the path of the earlier file that a hard link names."""
        target = _path(member.target, f"{member.name!r} is a hard link to {member.target!r}, which")
        if target not in self.sizes:
            raise PackageError(f"{member.name!r} is a hard link to {member.target!r}, which is no file before it")
        return target

    def check_links(self) -> None:
        """Resolve every link.

        Raises:
            PackageError: one leaves the tree or is circular.
        """
        self._folded = {_folded(path) for path in self.links}
        for path in self.links:
            self._follow(path)

    def _add_directories(self, path: str, name: str) -> None:
        while path and path not in self._directories:
            for others, what in ((self.links, "link"), (self.sizes, "file")):
                if path in others:
                    raise PackageError(f"{name!r} lies below {path!r}, which is a {what}")
            self._directories.add(path)
            self._names += len(path)
            path = path.rpartition("/")[0]

    @staticmethod
    def _check_kind(
        path: str, member: Member, *, others: tuple[dict[str, int] | dict[str, str] | set[str], ...]
    ) -> None:
        if any(path in other for other in others):
            raise PackageError(f"{member.name!r} is there twice, as a {member.kind} and as something else")

    @staticmethod
    def _checked_target(member: Member) -> str:
        target = member.target
        if not target or "\0" in target or len(target.encode(errors="surrogateescape")) >= MAX_NAME:
            raise PackageError(f"{member.name!r} is a link to nothing that has a name")
        if target.startswith("/"):
            raise PackageError(f"{member.name!r} is a link to {target!r}, an absolute path")
        return target

    def _follow(self, link: str) -> None:
        """Resolve `link`; missing parts count as directories that may be created later."""
        *at, last = link.split("/")
        pending, passed = [last], 0
        where = f"{link!r} is a link to {self.links[link]!r}, which"
        while pending:
            part = pending.pop()
            self._steps += 1
            if self._steps > MAX_STEPS:
                raise PackageError("its links lead through too many other links")
            if part == "..":
                if not at:
                    raise PackageError(f"{where} leads out of the archive")
                at.pop()
            elif part not in ("", "."):
                at.append(part)
                path = "/".join(at)
                if path in self.links:
                    passed += 1
                    at.pop()
                    pending.extend(reversed(self.links[path].split("/")))
                elif path not in self._directories and path not in self.sizes and _folded(path) in self._folded:
                    raise PackageError(f"{where} leads through two names that some disks take for one")
            if passed > MAX_LINKS:
                raise PackageError(f"{where} leads in a circle, or through more than {MAX_LINKS} links")
            if len(at) > MAX_DEPTH:
                raise PackageError(f"{where} leads more than {MAX_DEPTH} directories down")


def _path(name: str, what: str) -> str:
    """Return the path below the root for a member's `name`."""
    if name.startswith("/") and name.strip("/"):  # `tar.add(directory, arcname="")` calls the root itself "/"
        raise PackageError(f"{what} is an absolute path")
    if "\0" in name or len(name.encode(errors="surrogateescape")) >= MAX_NAME:
        raise PackageError(f"{what[:100]} is no name of a file")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise PackageError(f"{what} leads upwards")
    if len(parts) > MAX_DEPTH:
        raise PackageError(f"{what[:100]}… is more than {MAX_DEPTH} directories down")
    return "/".join(parts)


def _folded(path: str) -> str:
    """Fold a path as a file system that ignores case and Unicode composition does."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
