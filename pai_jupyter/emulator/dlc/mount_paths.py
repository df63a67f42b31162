"""Mount paths of a DLC job's data sources, and checks whether the emulator can provide them. No I/O.

The service mounts a data source over existing files. The emulator creates a link, which cannot hide files. So CreateJob is
refused if a mount path is one of the job's own directories, if two sources have the same path, or if one is inside another.

/ml/output is an exception: one source may be mounted there and others at its channels, since the local job has real
directories for them.
"""

import json
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from pai_jupyter.emulator.protocol.refusal import Fields
from pai_jupyter.errors import SpecError

OUTPUT = "/ml/output"
CHANNEL = re.compile(rf"{OUTPUT}/([A-Za-z0-9-][\w-]*)", re.ASCII)
_MOUNTED_AT = "/mnt/data"
_RESERVED = {  # paths that the job's own tree uses -> what to write instead
    "/ml/input": "/ml/input/data/train",
    "/ml/input/config": "/ml/input/data/train",
    "/ml/usercode": "/ml/mount/code",
    "/ml/code": "/ml/mount/code",
    f"{OUTPUT}/logs": f"{OUTPUT}/tensorboard",
}
_SHOWN = 200  # characters of a path in a sentence


def mount_path(source: Fields, dataset: Fields) -> str:
    """Return the mount path of a data source: its own, else the dataset's, else the service's default.

    It is in the source's `MountPath`, or in `mountPath` of `Options` (JSON text) of the source or the dataset.
    """
    said = (source.get("MountPath"), _options(source).get("mountPath"), _options(dataset).get("mountPath"))
    path = str(next(filter(None, said), _MOUNTED_AT))
    return f"/{PurePosixPath(path.lstrip('/'))}" if path.startswith("/") else path


def check_mount_paths(paths: Sequence[str], *, is_container: bool) -> None:
    """Check that the emulator can mount data sources at these paths.

    Raises:
        SpecError: it cannot; the message names the path and what to write instead.
    """
    for path in paths:
        _check(path, is_container=is_container)
    around: list[str] = []  # outer paths of the current one; sorting puts them before it
    for path in sorted(paths, key=lambda each: f"{each}/"):
        while around and not f"{path}/".startswith(f"{around[-1]}/"):
            around.pop()
        for outer in around:
            _check_pair(outer, path)
        around.append(path)


def _check(path: str, *, is_container: bool) -> None:
    parts, shown = PurePosixPath(path).parts, path[:_SHOWN]
    if not path.startswith("/") or ".." in parts or "\0" in path or path in ("/.", "/ml"):
        raise SpecError(f"the mount path {shown!r} is invalid; write e.g. /ml/input/data/train", field="MountPath")
    if not is_container and not path.startswith("/ml/"):
        raise SpecError(
            f"the mount path {shown!r} is not below /ml, and jobs of this emulator run as processes, which can only"
            " mount below /ml. Start the emulator with --backend docker.",
            field="MountPath",
        )
    if path in _RESERVED:
        raise SpecError(
            f"the emulator cannot mount at {shown!r}, where the job has its own files. Write e.g. {_RESERVED[path]}",
            field="MountPath",
        )


def _check_pair(outer: str, inner: str) -> None:
    if outer == inner:
        raise SpecError(
            f"two data sources have the mount path {outer[:_SHOWN]!r}. Give each its own.", field="MountPath"
        )
    if outer != OUTPUT or not CHANNEL.fullmatch(inner):
        raise SpecError(
            f"the mount path {inner[:_SHOWN]!r} is inside of {outer[:_SHOWN]!r}, which the emulator cannot mount. Use "
            "separate paths, e.g. /ml/input/data/a and /ml/input/data/b",
            field="MountPath",
        )


def _options(fields: Fields) -> Fields:
    """Parse the options of a data source or dataset; {} if they are not a JSON object (those of datasets are not checked)."""
    given = fields.get("Options")
    try:
        read = json.loads(given) if isinstance(given, str) and given else given
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}
