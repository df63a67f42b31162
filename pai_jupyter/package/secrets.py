"""Keep secrets out of packages: a package is copied to other machines and stays in job folders for months.

A private key or one of the user's loaded secrets is an error; a text that looks like an access key id is a warning.
Rule 1: a finding is a file and a line; it never repeats the secret.
Rule 2: the search uses the bytes that packing reads anyway, with `bytes.find`; a regex only confirms.
Rule 3: only text is searched: not a file with a NUL in its first 8 KiB (git's rule).
"""

import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass

from pai_jupyter.errors import PackageError

SHORTEST_SECRET = 8  # bytes; shorter values ("true", "cn-1") occur in harmless files
_TEXT_PROBE = 8192
# After these words a real key has a line end (escaped in JSON); source code that only mentions them has a quote.
_PRIVATE_KEY = re.compile(rb"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----[ \t]*(?:[\r\n]|\\[rn])")
_ACCESS_KEY_ID = re.compile(rb"(?<![0-9A-Za-z+/])LTAI[0-9A-Za-z]{12,}")
_DOTENV = re.compile(r"(?:.*/)?\.env(?:\..+)?")
_EXAMPLES = (".example", ".sample", ".template", ".dist")


class SecretScanner:
    """The secrets to look for; `scan(name)` searches one file."""

    def __init__(self, secrets: Collection[str] = ()) -> None:
        self.secrets = tuple(sorted({text.encode() for text in secrets if len(text) >= SHORTEST_SECRET}))
        # Bytes of the previous chunk to keep, for a secret across both.
        self.overlap = max([256, *map(len, self.secrets)])

    @property
    def mark(self) -> str:
        """A 16-bit hash of the set of secrets: enough to notice a change, too short to guess them from."""
        return hashlib.sha256(b"\0".join(self.secrets)).hexdigest()[:4]

    def scan(self, name: str) -> "FileScan":
        return FileScan(name=name, scanner=self)


@dataclass(kw_only=True)
class FileScan:
    """The search of one file, fed with its bytes in order. `suspect_line` is the first line for `warning`."""

    name: str
    scanner: SecretScanner
    suspect_line: int = 0
    _seen: bytes = b""  # the last chunk, with the kept end of earlier ones
    _lines: int = 0  # line ends before `_seen`
    _is_text: bool | None = None

    def feed(self, chunk: bytes) -> None:
        """Search the next `chunk`.

        Raises:
            PackageError: it contains a private key or a loaded secret.
        """
        if self._is_text is None:
            self._is_text = b"\0" not in chunk[:_TEXT_PROBE]
        if self._is_text:
            self._advance(chunk)
            self._search()

    def _advance(self, chunk: bytes) -> None:
        if not self._seen:
            self._seen = chunk  # most files are one chunk: no copy
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
    """Return the warning for a packed file that may contain a secret."""
    if suspect_line:
        return f"{name!r} line {suspect_line} holds what looks like an access key id (LTAI...); it goes with the job."
    if _DOTENV.fullmatch(name) and not name.endswith(_EXAMPLES):
        return f"{name!r} goes with the job; if it holds secrets, name it in .paiignore."
    return None
