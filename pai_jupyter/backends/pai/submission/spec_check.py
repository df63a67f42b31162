"""Check what PAI cannot run, before anything is uploaded."""

from collections.abc import Iterator
from dataclasses import replace

from pai_jupyter import contract
from pai_jupyter.backends.local import passed_names, resolve_inputs
from pai_jupyter.backends.pai.submission.dlc_request import UNKNOWN_TO_DLC, with_worker_alone
from pai_jupyter.backends.pai.submission.option_check import pai_option_problems
from pai_jupyter.backends.rehearsal import runs_images
from pai_jupyter.cloud.session import need_session
from pai_jupyter.config import settings
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.spec import SERVICE_TYPES, JobSpec
from pai_jupyter.storage import parse_oss_url
from pai_jupyter.storage.opening import scheme_of

REMOTE = ("oss", "nas", "cpfs", "bmcpfs", "odps")  # schemes that the service mounts or reads itself
_LOCAL_TYPES = ("local", "local_gpu")
_ARCHIVES = (".tar.gz", ".tgz")


def check(spec: JobSpec) -> list[str]:
    """Return sentences for the user; [] if the job can be submitted."""
    try:
        notes = [f"note: {sentence}" for sentence in contract.role_notes(spec)]
        spec = with_worker_alone(spec)
    except SpecError as exc:
        return [str(exc)]
    return [
        *notes,
        *_check_machine(spec),
        *pai_option_problems(spec.backend_options.get("pai", {})),
        *_check_type(spec),
        *_check_roles(spec),
        *_check_source(spec),
        *_check_inputs(spec),
        *_check_outputs(spec),
        *_check_words(spec),
        *_check_passed(spec),
        *_check_session(spec),
    ]


def is_remote(place: str) -> bool:
    """Return whether the service reads this address itself, so that it is not uploaded."""
    return scheme_of(place) in REMOTE or contract.is_dataset_id(place)


def _check_machine(spec: JobSpec) -> Iterator[str]:
    has_quota = bool(spec.backend_options.get("pai", {}).get("resource_id"))
    wanted = {} if spec.roles else {spec.instance_type: "--instance-type ecs.c6.large"}
    for role in spec.roles:
        own = f"--role {role.name}={role.instance_count}:ecs.c6.large" if role.instance_type else None
        wanted.setdefault(role.instance_type or spec.instance_type, own or "--instance-type ecs.c6.large")
    for kind, remedy in wanted.items():
        if kind in _LOCAL_TYPES and not has_quota:
            yield (
                f"PAI needs an instance type; {kind!r} is this machine. Give one, e.g. {remedy}, or a quota: "
                "--option pai.resource_id=QUOTA."
            )
    if not spec.image_uri and not (spec.roles and all(role.image_uri for role in spec.roles)):
        yield "backend 'pai' needs an image, e.g. --image pytorch:latest-gpu. Type %pai_images to see what there is."


def _check_type(spec: JobSpec) -> Iterator[str]:
    if spec.effective_job_type not in SERVICE_TYPES:
        yield (
            f"PAI runs no jobs of the type {spec.effective_job_type}. Type --job-type with one of {', '.join(SERVICE_TYPES)}, or "
            "choose another backend: --backend docker."
        )


def _check_roles(spec: JobSpec) -> Iterator[str]:
    """Yield a sentence for each setting that DLC, which runs jobs with roles and ElasticBatchJobs, does not support."""
    options = spec.backend_options.get("pai", {})
    if not spec.roles:
        return
    what = "ElasticBatchJobs" if spec.effective_job_type == "ElasticBatchJob" else "jobs with roles"
    for name in UNKNOWN_TO_DLC:
        if options.get(name) is not None:
            yield f"the option pai.{name} is of the training service, and {what} run on DLC. Leave it out."
    for channel, place in spec.inputs.items():
        if scheme_of(place) == "odps":
            yield f"input {channel!r} is a table, which DLC, where {what} run, does not read. Read it in the script."
    if options.get("resource_id") and not options.get("instance_spec"):
        yield f"{what} in a quota need a share of its machines: --option pai.instance_spec={{'CPU': '4', 'Memory': '8Gi'}}"


def _check_passed(spec: JobSpec) -> Iterator[str]:
    if names := passed_names(spec):
        yield (
            f"`--pass-env {names[0]}` is for jobs of this machine: PAI keeps the variables of a job with it, for all who may see "
            f"the job. Where that will do, give it as --env {names[0]}=..."
        )


def _check_source(spec: JobSpec) -> Iterator[str]:
    source = spec.source_dir
    if not isinstance(source, str) or not scheme_of(source):
        return
    if scheme_of(source) != "oss":
        yield f"`source_dir` is {source!r}; PAI takes a directory of this machine, or one at oss://BUCKET/DIRECTORY/."
        return
    try:
        key = parse_oss_url(source).object_key
    except SpecError as exc:
        yield f"`source_dir`: {exc}"
        return
    if not key.endswith(("/", *_ARCHIVES)):
        yield f"`source_dir` is {source!r}; it ends with a slash where it is a directory, or with .tar.gz."


def _check_inputs(spec: JobSpec) -> Iterator[str]:
    for channel, place in spec.inputs.items():
        if contract.is_dataset_id(place):
            continue
        try:
            match scheme_of(place):
                case "":
                    resolve_inputs(replace(spec, inputs={channel: place}))
                case "oss":
                    parse_oss_url(place)
                case "file":
                    yield f"input {channel!r} is {place!r}; give the path itself, and it is uploaded: -i {channel}=PATH"
                case scheme if scheme not in REMOTE:
                    yield _unknown_scheme("input", channel, place)
        except SpecError as exc:
            yield f"input {channel!r}: {exc}" if scheme_of(place) else str(exc)


def _check_outputs(spec: JobSpec) -> Iterator[str]:
    if spec.output_path:
        yield from _check_output("output_path", spec.output_path)
    for channel, place in spec.outputs.items():
        yield from _check_output(f"output {channel!r}", place)


def _check_output(what: str, place: str) -> Iterator[str]:
    if contract.is_dataset_id(place) and what != "output_path":
        return
    try:
        if scheme_of(place) not in REMOTE:
            yield f"{what} is {place!r}, which PAI cannot write to. Give an address, e.g. oss://BUCKET/DIRECTORY/."
        elif scheme_of(place) == "oss":
            parse_oss_url(place)
    except SpecError as exc:
        yield f"{what}: {exc}"


def _check_words(spec: JobSpec) -> Iterator[str]:
    """Yield what a request cannot contain: a too long command, invalid Unicode, two roles with one name."""
    try:
        replicas = contract.replicas(spec)
        if spec.roles:
            contract.dlc_launcher(spec, replicas[0], job_id="j" * 13, code=None)
        else:
            contract.launcher(spec, job_id="j" * 13)
    except SpecError as exc:
        yield str(exc)


def _check_session(spec: JobSpec) -> Iterator[str]:
    try:
        session = need_session()
        if not spec.backend_options.get("pai", {}).get("workspace_id"):
            session.require_workspace()
        session.require_bucket()
    except PaiJupyterError as exc:
        yield str(exc)
        return
    if (address := session.endpoints.address) is not None:
        yield from _rehearsal(spec, address)


def _rehearsal(spec: JobSpec, address: str) -> Iterator[str]:
    emulator = settings().emulated(address)
    if not runs_images(emulator.runner):
        yield (
            f"note: this is a rehearsal: the job runs at the emulator on this machine, {address}, in this machine's Python: "
            "the image is neither checked nor used."
        )
    else:
        yield f"note: this is a rehearsal: the job runs at the emulator on this machine, {address}."
    for what, place in _data(spec):
        scheme = scheme_of(place)
        if scheme in REMOTE and scheme != "oss" and not emulator.has(place):
            yield (
                f"{what} is {place!r}, and the emulator has no {scheme}://. Give it a directory of this machine instead: "
                f"type %pai_config use emulator --stop, start python -m pai_jupyter.emulator --mount "
                f"{place.rstrip('/')}=DIRECTORY in a terminal, and type %pai_config use emulator."
            )


def _data(spec: JobSpec) -> Iterator[tuple[str, str]]:
    """Yield `(label, address)` for each input, each output and `output_path`."""
    for kind, places in (("input", spec.inputs), ("output", spec.outputs)):
        yield from ((f"{kind} {channel!r}", place) for channel, place in places.items())
    if spec.output_path:
        yield "output_path", spec.output_path


def _unknown_scheme(kind: str, channel: str, place: str) -> str:
    known = ", ".join(f"{scheme}://" for scheme in REMOTE)
    return f"{kind} {channel!r} is {place!r}, which PAI does not know; it takes {known}, a dataset id, or a local path."
