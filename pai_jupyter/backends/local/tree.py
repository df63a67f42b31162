"""Create the /ml tree of a job on disk, the same for a process and for a container.

Rule 1: `prepare` starts from scratch, so the next submission repairs one that died in it.
Rule 2: disk errors of the system are translated only here, in `disk_errors`.
"""

import errno
import json
import os
import shutil
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.backends import request_options
from pai_jupyter.backends.local.inputs import bring_inputs, has_tables
from pai_jupyter.backends.local.places import LocalInput, output_place, resolve_outputs
from pai_jupyter.backends.local.record import OUTPUTS
from pai_jupyter.backends.local.tables import session_of_the_cloud, write_credential
from pai_jupyter.backends.local.workdir import note_packed
from pai_jupyter.errors import BackendError, LimitExceededError, SpecError
from pai_jupyter.package import Package, unpack
from pai_jupyter.path_guard import make_folder, place_in
from pai_jupyter.spec import JobSpec

FULL = (errno.ENOSPC, errno.EDQUOT)
SHARDS_DONE = ".shards_done"  # file in /ml, beside its directories: in no channel. It says that all shards are done


@dataclass(frozen=True, kw_only=True)
class LocalTree:
    """A job's tree: `root` is its /ml, `output` the real directory behind /ml/output, `outputs` those of the channels."""

    folder: Path
    root: Path
    inputs: Mapping[str, LocalInput]
    output: Path
    outputs: Mapping[str, Path]

    @property
    def elsewhere(self) -> dict[str, Path]:
        """The output channels whose directories are not in `output`."""
        return {channel: path for channel, path in self.outputs.items() if path != self.output / channel}


def prepare(spec: JobSpec, package: Package, folder: Path, cancel: threading.Event | None = None) -> LocalTree:
    """Create the job's /ml below `folder`: unpacked code, files of the contract, an empty placeholder per channel.

    Remote inputs are fetched first, which may take long and ends when `cancel` is set.

    Raises:
        SpecError: a channel has no local path.
        BackendError: an input cannot be fetched, or the tree cannot be written; an incomplete tree is deleted.
    """
    output, outputs = output_place(spec, folder), resolve_outputs(spec, folder)
    with disk_errors(folder):
        inputs = bring_inputs(spec, folder, cancel or threading.Event())
    tree = LocalTree(folder=folder, root=folder / "ml", inputs=inputs, output=output, outputs=outputs)
    missing = _missing([*(output / name for name in ("logs", *outputs)), *outputs.values()])
    try:
        with disk_errors(folder):
            _clear(tree.root)
            _lay_out(tree)
            unpack(package.path, tree.root / "usercode", allow_large=True)  # its size was allowed when it was packed
            note_packed(folder, tree.root / "usercode")
            for name, content in contract.files(spec, request_options(spec)).items():
                _write(tree.root / name, content)
            record = {channel: str(path) for channel, path in tree.outputs.items()}
            _write(folder / OUTPUTS, json.dumps(record).encode())
            if has_tables(spec):
                write_credential(tree.root, session_of_the_cloud())
    except BaseException:
        with suppress(OSError):
            _clear(tree.root)
        for path in missing:
            with suppress(OSError):
                path.unlink() if path.is_symlink() else path.rmdir()
        raise
    return tree


@contextmanager
def disk_errors(place: Path) -> Iterator[None]:
    """Translate `OSError`s of work at `place` into errors for the user."""
    try:
        yield
    except OSError as exc:
        where = exc.filename or place
        if exc.errno in FULL:
            raise LimitExceededError(f"the disk that holds {where} is full. Make room and run it again.") from exc
        raise BackendError(
            f"cannot use {where}: {exc.strerror or exc}. Check its permissions, or set PAI_JUPYTER_HOME to a directory that "
            "you may write."
        ) from exc


def _clear(root: Path) -> None:
    """Delete the tree at `root`, or a file or link (not its target) in its place."""
    if root.is_symlink() or root.is_file():
        root.unlink()
    with suppress(FileNotFoundError):
        shutil.rmtree(root)


def _lay_out(tree: LocalTree) -> None:
    tree.root.mkdir(parents=True)  # everything below it is ours
    for name in ("usercode", "input/config", "input/data", "output"):
        (tree.root / name).mkdir(parents=True, exist_ok=True)
    for name in ("logs", "run"):
        (tree.folder / name).mkdir(parents=True, exist_ok=True)
    for channel, item in tree.inputs.items():
        place = tree.root / "input" / "data" / channel
        place.mkdir()
        if item.file is not None:
            (place / item.file).touch()
    for channel, path in tree.outputs.items():
        _make_output(tree, path, channel)
        if channel in tree.elsewhere:
            with suppress(SpecError):  # a link of an earlier job in the same `output_path`; it is not written through
                _make_output(tree, tree.output / channel, channel)
    (tree.root / "code").symlink_to("usercode")
    with suppress(FileExistsError, PermissionError):  # exists already, or the disk has no links
        (tree.output / "logs").symlink_to("tensorboard")


def _make_output(tree: LocalTree, path: Path, channel: str) -> None:
    """Create the directory of an output; a link that an earlier job left in /ml/output is not followed."""
    place = place_in(path, [tree.folder, tree.output])
    try:
        place.base.mkdir(parents=True, exist_ok=True)
        make_folder(place, what=f"output {channel!r}")
    except OSError as exc:
        if exc.errno in FULL or path.is_relative_to(tree.folder):
            raise  # a full disk or a fault of the home: `disk_errors` reports it
        raise BackendError(
            f"output {channel!r} cannot go to '{path}': {exc.strerror or exc}. Name another directory: -o {channel}=DIR"
        ) from exc


def _missing(folders: Iterable[Path]) -> list[Path]:
    """Return the missing directories among `folders` and their ancestors, deepest first."""
    wanted = {path for folder in folders for path in (folder, *folder.parents)}
    return sorted((path for path in wanted if not os.path.lexists(path)), key=lambda path: -len(path.parts))


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
