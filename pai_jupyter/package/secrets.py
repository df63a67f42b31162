"""Keep secrets out of packages: a package is copied to other machines and lies in job folders for months.

A private key, or one of the user's own loaded secrets, refuses the package. What only looks like an access key id warns.
Rule 1: nothing that is found is ever repeated: a finding is a file and a line.
Rule 2: looking is part of the one reading that packing does anyway, by `bytes.find`; a regular expression only confirms.
Rule 3: only what looks like text is searched: a file with a NUL in its first 8 KiB is not (git's own rule).
"""

import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass

from pai_jupyter.errors import PackageError

SHORTEST_SECRET = 8  # shorter values ("true", "cn-1") stand in innocent files
_TEXT_PROBE = 8192
# The end of the line follows a real key at once (escaped inside JSON); a quote follows the words in somebody's source code.
_PRIVATE_KEY = re.compile(rb"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----[ \t]*(?:[\r\n]|\\[rn])")
_ACCESS_KEY_ID = re.compile(rb"(?<![0-9A-Za-z+/])LTAI[0-9A-Za-z]{12,}")
_DOTENV = re.compile(r"(?:.*/)?\.env(?:\..+)?")
_EXAMPLES = (".example", ".sample", ".template", ".dist")


class SecretScanner:
    """Knows what to look for; `scan(name)` looks for it in one file."""

    def __init__(self, secrets: Collection[str] = ()) -> None:
        self.secrets = tuple(sorted({text.encode() for text in secrets if len(text) >= SHORTEST_SECRET}))
        # What a chunk must keep of the one before it, for a secret that lies across both.
        self.overlap = max([256, *map(len, self.secrets)])

    @property
    def mark(self) -> str:
        """Tells one set of secrets from another. Sixteen bits: enough to notice a change, too few to guess from."""
        return hashlib.sha256(b"\0".join(self.secrets)).hexdigest()[:4]

    def scan(self, name: str) -> "FileScan":
        return FileScan(name=name, scanner=self)


@dataclass(kw_only=True)
class FileScan:
    """The search through one file, fed with its bytes in order. `suspect_line` is the first that `warning` is about."""

    name: str
    scanner: SecretScanner
    suspect_line: int = 0
    _seen: bytes = b""  # the last chunk, with what was kept of those before
    _lines: int = 0  # line ends before `_seen`
    _is_text: bool | None = None

    def feed(self, chunk: bytes) -> None:
        """Search the next `chunk`.

        Raises:
            PackageError: it holds a private key or a loaded secret.
        """
        if self._is_text is None:
            self._is_text = b"\0" not in chunk[:_TEXT_PROBE]
        if self._is_text:
            self._advance(chunk)
            self._search()

    def _advance(self, chunk: bytes) -> None:
        if not self._seen:
            self._seen = chunk  # nearly every file is one chunk: no copy
            return
        cut = max(0, len(self._seen) - self.scanner.overlap)
        self._lines += self._seen.count(b"\n", 0, cut)
        self._seen = self._seen[cut:] + chunk

    def _search(self) -> None:
        data = self._seen
        if b"PRIVATE KEY-----" in data and (key := _PRIVATE_KEY.search(data)):
            raise self._refusal("a private key", key.start())
        for secret in self.scanner.secrets:
            if (at := data.find(secret)) >= 0:
                raise self._refusal("one of the secrets loaded in this session", at)
        if not self.suspect_line and b"LTAI" in data and (found := _ACCESS_KEY_ID.search(data)):
            self.suspect_line = self._line(found.start())

    def _line(self, at: int) -> int:
        return self._lines + self._seen.count(b"\n", 0, at) + 1

    def _refusal(self, what: str, at: int) -> PackageError:
        return PackageError(
            f"{self.name!r} line {self._line(at)} holds {what}, which would travel with the job. "
            "Take it out, or name the file in .paiignore."
        )


def warning(name: str, suspect_line: int) -> str | None:
    """Return the warning for a file that may hold a secret and is packed all the same."""
    if suspect_line:
        return f"{name!r} line {suspect_line} holds what looks like an access key id (LTAI...); it goes with the job."
    if _DOTENV.fullmatch(name) and not name.endswith(_EXAMPLES):
        return f"{name!r} goes with the job; if it holds secrets, name it in .paiignore."
    return None
