"""Where a job of DLC wants its data sources, and which of these places the emulator can give. Pure.

The service mounts a data source over whatever is there. The emulator lays a link, and a link hides nothing: places that
the tree of the job needs itself, two sources in one place, and a source inside of another are refused when a job is
created, before there is a job.

Below /ml/output the local job has real places: a source for all of it, and others for channels in it, fit together.
"""

import json
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from pai_jupyter.emulator.api import Fields
from pai_jupyter.errors import SpecError

OUTPUT = "/ml/output"
CHANNEL = re.compile(rf"{OUTPUT}/([A-Za-z0-9-][\w-]*)", re.ASCII)
_MOUNTED_AT = "/mnt/data"
_TAKEN = {  # by what the tree of a job has there itself: what to write instead
    "/ml/input": "/ml/input/data/train",
    "/ml/input/config": "/ml/input/data/train",
    "/ml/usercode": "/ml/mount/code",
    "/ml/code": "/ml/mount/code",
    f"{OUTPUT}/logs": f"{OUTPUT}/tensorboard",
}
_SHOWN = 200  # characters of a path in a sentence


def mount_path(source: Fields, dataset: Fields) -> str:
    """Return the mount path of a data source: its own, else the dataset's, else the service's default.

    Both say it in `MountPath`, or within `Options`, which is an object as JSON text.
    """
    said = (source.get("MountPath"), _options(source).get("mountPath"), _options(dataset).get("mountPath"))
    path = str(next(filter(None, said), _MOUNTED_AT))
    return f"/{PurePosixPath(path.lstrip('/'))}" if path.startswith("/") else path


def check_mount_paths(paths: Sequence[str], *, is_container: bool) -> None:
    """Refuse data sources that the emulator cannot give in these places.

    Raises:
        SpecError: which of them, and what to write instead.
    """
    for path in paths:
        _check(path, is_container=is_container)
    around: list[str] = []  # the paths that a path is inside of stand before it
    for path in sorted(paths, key=lambda each: f"{each}/"):
        while around and not f"{path}/".startswith(f"{around[-1]}/"):
            around.pop()
        for outer in around:
            _check_pair(outer, path)
        around.append(path)


def _check(path: str, *, is_container: bool) -> None:
    parts, shown = PurePosixPath(path).parts, path[:_SHOWN]
    if not path.startswith("/") or ".." in parts or "\0" in path or path in ("/.", "/ml"):
        raise SpecError(f"the mount path {shown!r} is none; write e.g. /ml/input/data/train", field="MountPath")
    if not is_container and not path.startswith("/ml/"):
        raise SpecError(
            f"the mount path {shown!r} is not below /ml, and jobs of this emulator run as processes, which see the"
            " rest of this machine as it is. Start it with --backend docker.",
            field="MountPath",
        )
    if path in _TAKEN:
        raise SpecError(
            f"the emulator mounts nothing at {shown!r}: the job has files of its own there. Write e.g. {_TAKEN[path]}",
            field="MountPath",
        )


def _check_pair(outer: str, inner: str) -> None:
    if outer == inner:
        raise SpecError(
            f"two data sources have the mount path {outer[:_SHOWN]!r}. Give each its own.", field="MountPath"
        )
    if outer != OUTPUT or not CHANNEL.fullmatch(inner):
        raise SpecError(
            f"the mount path {inner[:_SHOWN]!r} is inside of {outer[:_SHOWN]!r}, which the emulator cannot mount. Give them "
            "places beside each other, e.g. /ml/input/data/a and /ml/input/data/b",
            field="MountPath",
        )


def _options(fields: Fields) -> Fields:
    """Parse the options of a data source or a dataset; none where they are no JSON object (datasets are unchecked)."""
    given = fields.get("Options")
    try:
        read = json.loads(given) if isinstance(given, str) and given else given
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}
