"""Explain a file that a script did not find although it lies beside the code: an ignore file kept it out of the package."""

import re
from pathlib import Path, PurePosixPath

from pai_jupyter.cell import Author, ExceptionFound
from pai_jupyter.package.kept_out import kept_out
from pai_jupyter.storage.opening import scheme_of
from pai_jupyter.store import JobRecord

_MISSING = re.compile(
    r"No such file or directory: (?P<quote>['\"])(?P<path>[^\n]{1,1000}?)(?P=quote)|name = '(?P<hdf>[^'\n]+)', errno = 2"
)
_TYPES = ("FileNotFoundError", "OSError", "BlockingIOError")
_WORKING_DIR = re.compile(r".*/ml/(?:usercode|code)/")


def why_missing(found: ExceptionFound | None, record: JobRecord, author: Author) -> str:
    """Return a sentence that names the missing file, the rule that left it out, and what to do; "" if there is none."""
    name = missing_path(found)
    root = record.spec.source_dir
    if not name or root is None or scheme_of(str(root)) or not Path(root).is_absolute():
        return ""
    rule = kept_out(Path(root), name)
    if rule is None:
        return ""
    where = f"{rule.file} line {rule.line}"
    if author in ("python", "step"):
        return (
            f"'{name}' is beside the code, but {where} `{rule.rule}` keeps it out of the package. Change that line, write a "
            ".paiignore, which decides in its place, or give the file as an input."
        )
    if not rule.is_in_root:  # it decides for what is included, too
        return (
            f"'{name}' is beside the code, but {where} `{rule.rule}` keeps it out of the package. Change that line, or give the "
            f"file as an input: -i NAME={_typed(Path(root) / name)}"
        )
    top = _typed(
        Path(root) / name.partition("/")[0]
    )  # a file is packed under its own name, a directory with what is in it
    return f"'{name}' is beside the code, but {where} `{rule.rule}` keeps it out of the package: --include {top}"


def missing_path(found: ExceptionFound | None) -> str:
    """Return the path of the missing file below the working directory; "" if it is not known or lies elsewhere."""
    if found is None or found.type.rpartition(".")[2] not in _TYPES:
        return ""
    said = _MISSING.search(found.message)
    path = _WORKING_DIR.sub("", said["path"] or said["hdf"] or "") if said else ""
    parts = PurePosixPath(path).parts
    return "" if not parts or parts[0] == "/" or ".." in parts else "/".join(parts)


def _typed(path: Path) -> str:
    """Return a path as a user would type it here."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
