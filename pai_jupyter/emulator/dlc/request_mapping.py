"""Convert a body of CreateJob to a job of this package that gets only what DLC gives a job. No I/O.

A local job gets everything in contract/README.md; a DLC job gets only its framework's variables, its data sources at their
mount paths, and its `Envs`. Shell lines before the command (`command`) make the difference.

A data source becomes an output channel of the local job, since DLC mounts it for reading and writing. One mounted at
`/ml/output` becomes `output_path`, one at `/ml/output/<channel>` that channel; other mount paths are links.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pai_jupyter.contract.roles import ROLES
from pai_jupyter.emulator.dlc.command import Frame
from pai_jupyter.emulator.dlc.mount_paths import CHANNEL, OUTPUT, check_mount_paths
from pai_jupyter.emulator.protocol.fields import items_of, list_of, mapping_of
from pai_jupyter.emulator.protocol.refusal import Fields
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import SERVICE_TYPES, JobSpec, JobType, Role


def job_spec(
    body: Fields,
    mounts: Mapping[str, tuple[str, Path]],
    *,
    job_id: str,
    image: Callable[[str], str],
    is_container: bool,
    work: Path | None = None,
) -> JobSpec:
    """Build the job that `body` asks for; `mounts` maps its data sources to mount path and local directory.

    `work` is a directory for packages that its commands install, used outside containers and deleted with the job.

    Raises:
        SpecError: the emulator cannot run it.
    """
    job_type = str(body["JobType"])
    if job_type not in SERVICE_TYPES:
        raise SpecError(f"the emulator cannot run {job_type}; it runs {', '.join(SERVICE_TYPES)}.", field="job_type")
    kind: JobType = job_type
    check_mount_paths([wanted for wanted, _ in mounts.values()], is_container=is_container)
    channels = {CHANNEL.fullmatch(wanted): str(place) for wanted, place in mounts.values()}
    links = {name: wanted for name, (wanted, _) in mounts.items() if wanted != OUTPUT and not CHANNEL.fullmatch(wanted)}
    envs = {name: str(value) for name, value in mapping_of(body, "Envs").items()}
    frame = Frame(job_id=job_id, links=links, envs=envs, work=None if is_container else work)
    roles = tuple(_roles(body, kind, frame, image))
    whole = [str(place) for wanted, place in mounts.values() if wanted == OUTPUT]
    return JobSpec(
        name=job_id,
        command=frame.around(str(body.get("UserCommand") or "true")),
        image_uri=roles[0].image_uri,
        job_type=kind,
        instance_count=sum(role.instance_count for role in roles),
        roles=roles,
        output_path=whole[0] if whole else None,
        outputs={
            **{name: str(mounts[name][1]) for name in links},
            **{channel[1]: place for channel, place in channels.items() if channel},
        },
        environments=frame.environments,
        requirements=tuple(map(str, list_of(body, "ThirdpartyLibs"))),
        max_run_time=60 * int(str(body.get("JobMaxRunningTimeMinutes") or 0)) or None,
    )


def _roles(body: Fields, kind: JobType, frame: Frame, image: Callable[[str], str]) -> Sequence[Role]:
    """Return the roles; if the job type needs a master and the body has only workers, the first worker becomes master."""
    roles = []
    for spec in items_of(body, "JobSpecs"):
        own = spec.get("UserCommand")
        role = Role(
            name=_role_name(str(spec["Type"]), kind),
            instance_count=int(str(spec.get("PodCount") or 1)),
            image_uri=image(str(spec["Image"])),
            command=frame.around(str(own)) if own else None,
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
        raise SpecError(f"a {kind} has no role {name} in the emulator; it has {', '.join(ROLES[kind])}.", field="roles")
    return role
