"""Find the line of an ignore file that keeps a file out of the package, for a script that misses the file."""

from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.errors import PackageError
from pai_jupyter.package.ignore import IgnoreRules

MOST_PARTS = 50  # directories above a file


@dataclass(frozen=True, kw_only=True)
class KeptOut:
    """Line number and text of a rule in the ignore file `file`, a path below the root."""

    file: str
    line: int
    rule: str

    @property
    def is_in_root(self) -> bool:
        return "/" not in self.file


def kept_out(root: Path, name: str) -> KeptOut | None:
    """Return what keeps the file `name` below `root` out of a package of `root`.

    None: it is no file there, it is packed, or it is left out whatever the ignore files say.
    """
    parts = name.split("/")
    if len(parts) > MOST_PARTS or any(part in ("", ".", "..") for part in parts) or not _is_file(root, name):
        return None
    rules: IgnoreRules | None = None
    inside = ""
    try:
        for number, part in enumerate(parts):
            entries = [entry.name for entry in (root / inside).iterdir()]
            rules = (rules or IgnoreRules.of_root(entries)).entering(root / inside, inside, entries)
            end = "/" if number < len(parts) - 1 else ""
            if (found := rules.decided_by(f"{inside}{part}{end}", f"{part}{end}")) is not None:
                folder, rule = found
                return KeptOut(file=f"{folder}{rules.file_name}", line=rule.line, rule=rule.text)
            inside = f"{inside}{part}/"
    except (OSError, ValueError, PackageError):
        return None
    return None


def _is_file(root: Path, name: str) -> bool:
    try:
        return (root / name).is_file()
    except (OSError, ValueError):
        return False
