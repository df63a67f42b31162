"""The script of a job and the values written into it; the same code for cell, form, `-p`, `Estimator` and rerun.

A value is passed in one of two ways (contract/README.md, Command): as an argument in `$PAI_USER_ARGS`, or, if declared by an
assignment, written into the job's copy of the script on the same line.
"""

import io
import re
import shlex
import tokenize
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from posixpath import dirname, join, normpath

from pai_jupyter import contract
from pai_jupyter.config import refuse_secrets
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Schema, read_schema
from pai_jupyter.spec import JobSpec

_USER_ARGS = re.compile(r"\$(PAI_USER_ARGS\b|\{PAI_USER_ARGS\})")
_LARGEST_CONFIG = 1_000_000  # bytes of a file of values, or of a module, that is read for the form
_MOST_NAMES = 1_000  # of a directory that is listed for the form
_BETWEEN_COMMANDS = re.compile(r"[;&|\n()`]+")


@dataclass(frozen=True, kw_only=True)
class Script:
    """A script by its name in the package, with its declared hyperparameters; a shell script declares none."""

    name: str
    source: str
    schema: Schema
    encoding: str = "utf-8"  # from its coding line

    @property
    def content(self) -> bytes:
        """The bytes of the script in the package."""
        return self._encoded(self.source)

    def _encoded(self, source: str) -> bytes:
        try:
            return source.encode(self.encoding)
        except UnicodeEncodeError as exc:
            raise SpecError(
                f"{exc.object[exc.start : exc.end]!r} cannot be written into {self.name!r}, whose coding line says "
                f"{self.encoding}. Save it as UTF-8, and remove the coding line.",
                field="entry_point",
            ) from exc

    @classmethod
    def read(
        cls,
        name: str,
        source: str,
        *,
        inputs: Collection[str] = (),
        outputs: Collection[str] = (),
        beside: Collection[str] | None = (),
        encoding: str = "utf-8",
        roots: Collection[Path] = (),
        nearby: Collection[Path] = (),
    ) -> "Script":
        """Read the schema of `source`; `inputs` and `outputs` are the known channels of the job.

        `beside` are the names of other package entries that it may import; None = unknown.
        `roots` are where the files of the package come from: directories, and single files or directories by their name.
        `nearby` are directories from which Python modules may be packed, too.
        """
        if not name.endswith(".py"):
            return cls(name=name, source=source, schema=Schema(), encoding=encoding)

        def file(path: str) -> str | None:
            place = normpath(join(dirname(name), path))
            found = _packed_text(place, roots)
            return _packed_text(place, nearby) if found is None and place.endswith(".py") else found

        def names(directory: str) -> Collection[str]:
            return _packed_names(normpath(join(dirname(name), directory)), roots)

        schema = read_schema(source, inputs=inputs, outputs=outputs, beside=beside, file=file, names=names)
        return cls(name=name, source=source, schema=schema, encoding=encoding)

    def default_command(
        self, *, inputs: Collection[str], outputs: Collection[str], values: Collection[str] = ()
    ) -> str:
        """Return `python train.py $PAI_USER_ARGS` plus channels that are options of the script and not in `values`."""
        options = self.schema.channel_options(values)
        return contract.default_command(self.name, options=options, inputs=inputs, outputs=outputs)

    def apply(
        self, spec: JobSpec, values: Mapping[str, object], *, recorded: Collection[str] = ()
    ) -> tuple[JobSpec, dict[str, bytes]]:
        """Validate `values`; return the spec with them and the package files that they change.

        `recorded` are names of values of an earlier job, which may be unknown here.

        Raises:
            SpecError: a value does not fit the schema, nothing in the script takes it, or it is a known secret.
        """
        refuse_secrets(values.items(), is_line=True)  # before a sentence shows a value that does not fit
        checked = self.schema.validate(
            values,
            passes_args=passes_args(spec.command, self.name),
            runs_alone=contract.is_default_command(spec.command, self.name),
            recorded=recorded,
        )
        styles = self.schema.argument_styles(checked)
        source = self.schema.write_values(self.source, checked)
        files = {self.name: self._encoded(source)} if source != self.source else {}
        return replace(spec, hyperparameters=checked, argument_styles=styles), files


def passes_args(command: str, script: str) -> bool:
    """Return whether `command` passes the hyperparameters to `script`, and to nothing else."""
    handed = _handed(command)
    return bool(handed) and all(normpath(_script_of(part) or "") == normpath(script) for part in handed)


def entry_point_of(command: str) -> str | None:
    """Return the script that `command` runs with Python: "train.py" for `python -u train.py`; else None.

    Of several, the one that gets the hyperparameters.
    """
    found = (_script_of(part) for part in (*_handed(command), command))
    return next((name for name in found if name is not None), None)


def _handed(command: str) -> list[str]:
    """Return the parts of `command` that refer to the hyperparameters."""
    return [part for part in _BETWEEN_COMMANDS.split(command) if _USER_ARGS.search(part)]


def _script_of(command: str) -> str | None:
    try:
        words = shlex.split(command, comments=False)
    except ValueError:
        return None
    for place, word in enumerate(words):
        if re.fullmatch(r"(.*/)?(python[\d.]*|torchrun)", word):
            rest = (other for other in words[place + 1 :] if other.endswith(".py"))
            return next(rest, None)
    return None


def read_script_file(
    source_dir: Path,
    name: str,
    *,
    inputs: Collection[str] = (),
    outputs: Collection[str] = (),
    is_alone: bool = False,
) -> Script:
    """Read the script `name` below `source_dir`; `is_alone`: no other file of that directory is packed.

    Raises:
        SpecError: there is no such file, it is outside the directory, or not readable as text.
    """
    path = source_dir / name
    if Path(name).is_absolute() or ".." in Path(name).parts:  # it would not be packed, so the job could not run it
        raise SpecError(
            f"the script {name!r} must be in {str(source_dir)!r}, named from there, e.g. train.py", field="entry_point"
        )
    try:
        source, encoding = _read_text(path)
    except FileNotFoundError:
        raise SpecError(
            f"there is no {name!r} in {str(source_dir)!r}. Name the script with --entry-point.", field="entry_point"
        ) from None
    except OSError as exc:
        raise SpecError(f"{name!r} in {str(source_dir)!r} cannot be read: {exc}", field="entry_point") from exc
    except (SyntaxError, UnicodeError) as exc:
        raise SpecError(
            f"{name!r} in {str(source_dir)!r} is no text in UTF-8, or in what its coding line says. Save it as UTF-8.",
            field="entry_point",
        ) from exc
    beside = () if is_alone else names_in(source_dir, path.parent)
    roots = () if is_alone else (source_dir,)
    return Script.read(name, source, inputs=inputs, outputs=outputs, beside=beside, encoding=encoding, roots=roots)


def _packed_text(path: str, roots: Collection[Path]) -> str | None:
    """Return the text of a small file of the package; None where there is none."""
    for place in _packed(path, roots):
        try:
            if place.is_file() and place.stat().st_size <= _LARGEST_CONFIG:
                return place.read_text()
        except (OSError, UnicodeError):
            continue
    return None


def _packed_names(path: str, roots: Collection[Path]) -> Collection[str]:
    """Return the names in a directory of the package, of a large one only some; none where there is no such directory."""
    for place in _packed(path, roots):
        try:
            if place.is_dir():
                return [entry.name for entry in islice(place.iterdir(), _MOST_NAMES)]
        except OSError:
            continue
    return ()


def _packed(path: str, roots: Collection[Path]) -> Iterator[Path]:
    """Yield where a path of the package may come from; nothing outside of it."""
    if path.startswith(("/", "..")) or "\0" in path:
        return
    top, _, rest = path.partition("/")
    yield from (root / path for root in roots)
    yield from (root / rest if rest else root for root in roots if root.name == top)


def _read_text(path: Path) -> tuple[str, str]:
    """Return a script's text and its encoding, which is found by its coding line as in Python."""
    data = path.read_bytes()
    encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0] if path.suffix == ".py" else "utf-8-sig"
    with io.TextIOWrapper(io.BytesIO(data), encoding=encoding) as text:
        return text.read(), "utf-8" if encoding == "utf-8-sig" else encoding


def names_in(*directories: Path) -> frozenset[str] | None:
    """Return the names of the entries in these directories; None if one cannot be read."""
    try:
        return frozenset(path.name for directory in set(directories) for path in directory.iterdir())
    except OSError:
        return None
