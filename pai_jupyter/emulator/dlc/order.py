"""A body of CreateJob as a job of this package, with just what DLC gives it. Pure.

A local job gets all of contract.md; one of DLC gets what its framework needs to find the others, and its data sources
where it wants them. So the command here begins by laying links to the data sources, and takes away the rest.

A data source is an output channel of the local job, since DLC mounts it to be read and written. One that is wanted at
`/ml/output` is the place of all outputs, one at `/ml/output/<channel>` is that channel; to others a link is laid.
"""

import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import cast, get_args

from pai_jupyter.contract.topology import ROLES
from pai_jupyter.emulator.api import Fields
from pai_jupyter.emulator.fields import items_of, list_of, mapping_of
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec, JobType, Role, env_name

OUTPUT = "/ml/output"
_MOUNTED_AT = "/mnt/data"
_CHANNEL = re.compile(rf"{OUTPUT}/([A-Za-z0-9-][\w-]*)", re.ASCII)
_OWN = ("PAI_JUPYTER_HOME", "PAI_JUPYTER_ML")  # the emulator's own, which its jobs inherit
_ROOT = '"${PAI_WORKING_DIR%usercode/}"'  # what /ml is, where a job has none of its own


def job_spec(
    body: Fields,
    mounts: Mapping[str, tuple[str, Path]],
    *,
    job_id: str,
    image: Callable[[str], str],
    is_container: bool,
) -> JobSpec:
    """The job that `body` asks for; `mounts` are its data sources by name: where it wants them, and where they lie here.

    Raises:
        SpecError: it cannot be run here.
    """
    job_type = str(body["JobType"])
    if job_type not in get_args(JobType):
        raise SpecError(f"the emulator runs no {job_type}; it runs {', '.join(get_args(JobType))}.", field="job_type")
    kind = cast(JobType, job_type)
    for wanted, _ in mounts.values():
        _check_mount(wanted, is_container=is_container)
    channels = {_CHANNEL.fullmatch(wanted): str(place) for wanted, place in mounts.values()}
    links = {
        name: wanted for name, (wanted, _) in mounts.items() if wanted != OUTPUT and not _CHANNEL.fullmatch(wanted)
    }
    roles = tuple(_roles(body, kind, job_id, links, image))
    whole = [str(place) for wanted, place in mounts.values() if wanted == OUTPUT]
    return JobSpec(
        name=job_id,
        command=_command(body, str(body.get("UserCommand") or "true"), job_id, links),
        image_uri=roles[0].image_uri,
        job_type=kind,
        instance_count=sum(role.instance_count for role in roles),
        roles=roles,
        output_path=whole[0] if whole else None,
        outputs={
            **{name: str(mounts[name][1]) for name in links},
            **{channel[1]: place for channel, place in channels.items() if channel},
        },
        environments={name: str(value) for name, value in mapping_of(body, "Envs").items()},
        requirements=tuple(map(str, list_of(body, "ThirdpartyLibs"))),
        max_run_time=60 * int(str(body.get("JobMaxRunningTimeMinutes") or 0)) or None,
    )


def mount_path(source: Fields, dataset: Fields) -> str:
    """Where a job wants a data source: as it says, else as the dataset says, else where the service puts data.

    Both say it in `MountPath`, or within `Options`, which is an object as JSON text.
    """
    said = (source.get("MountPath"), _options(source).get("mountPath"), _options(dataset).get("mountPath"))
    return str(next(filter(None, said), _MOUNTED_AT)).rstrip("/") or "/"


def _options(fields: Fields) -> Fields:
    """The options of a data source or a dataset; none where they are no JSON object: nobody has checked a dataset's."""
    given = fields.get("Options")
    try:
        read = json.loads(given) if isinstance(given, str) and given else given
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _roles(
    body: Fields, kind: JobType, job_id: str, links: Mapping[str, str], image: Callable[[str], str]
) -> Sequence[Role]:
    """The roles; where a kind needs a master and has none, the first worker is one."""
    roles = []
    for spec in items_of(body, "JobSpecs"):
        own = spec.get("UserCommand")
        role = Role(
            name=_role_name(str(spec["Type"]), kind),
            instance_count=int(str(spec.get("PodCount") or 1)),
            image_uri=image(str(spec["Image"])),
            command=_command(body, str(own), job_id, links) if own else None,
        )
        roles.append(role)
    if kind in ("PyTorchJob", "XGBoostJob") and roles[0].name == "worker" and len(roles) == 1:
        worker = roles[0]
        master = Role(name="master", image_uri=worker.image_uri, command=worker.command)
        rest = Role(
            name="worker",
            instance_count=worker.instance_count - 1,
            image_uri=worker.image_uri,
            command=worker.command,
        )
        return [master, rest] if worker.instance_count > 1 else [master]
    return roles


def _role_name(name: str, kind: JobType) -> str:
    role = name.lower()
    if kind == "ElasticBatchJob" and role == "master":
        return "aimaster"
    if role not in ROLES[kind]:
        raise SpecError(f"the emulator runs no {name} of a {kind}; it runs {', '.join(ROLES[kind])}.", field="roles")
    return role


def _command(body: Fields, command: str, job_id: str, links: Mapping[str, str]) -> str:
    """The command behind what DLC's job would find: its data sources in their places, and no variable of PAI's training."""
    kept = " ".join(f"-e {shlex.quote(f'^{name}$')}" for name in mapping_of(body, "Envs")) or "-e '^$'"
    return "\n".join(
        [
            *(_link(name, wanted) for name, wanted in links.items()),
            f"unset $(env | sed -n 's/^\\(PAI_[A-Za-z0-9_]*\\)=.*/\\1/p' | grep -v {kept}) {' '.join(_OWN)}",
            f"export DLC_JOB_ID={shlex.quote(job_id)}",
            f"exec sh -c {shlex.quote(command)}",
        ]
    )


def _link(name: str, wanted: str) -> str:
    """Lay a link to a data source at the place where the job wants it; below /ml there may be an empty directory."""
    root, below = (_ROOT, wanted.removeprefix("/ml/")) if wanted.startswith("/ml/") else ("", wanted)
    place = root + shlex.quote(below)
    source = f'"${{PAI_OUTPUT_{env_name(name)}%/}}"'
    # The replicas of a job may share a tree: whichever comes first lays the link.
    return f'mkdir -p "$(dirname {place})"; rmdir {place} 2>/dev/null; ln -sn {source} {place} 2>/dev/null; [ -d {place} ] || exit 1'


def _check_mount(wanted: str, *, is_container: bool) -> None:
    path = PurePosixPath(wanted)
    if not path.is_absolute() or ".." in path.parts or len(path.parts) < 2 or wanted == "/ml":
        raise SpecError(f"the mount path {wanted[:200]!r} is none; write e.g. /ml/input/data/train", field="MountPath")
    if not is_container and not wanted.startswith("/ml/"):
        raise SpecError(
            f"the mount path {wanted[:200]!r} is not below /ml, and jobs of this emulator run as processes, which see the"
            " rest of this machine as it is. Start it with --backend docker.",
            field="MountPath",
        )
