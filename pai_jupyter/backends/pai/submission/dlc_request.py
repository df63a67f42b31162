"""Build the body of DLC's CreateJob from a spec with roles, or of an ElasticBatchJob, and its uploaded code and data. Pure.

DLC only mounts data sources and runs one command: a launcher (`contract.dlc_launcher`) creates the tree of the contract from
them, and the variables are set here, except those about other replicas, which DLC sets.

    /ml/mount/code/               the package, or the directory that `source_dir` names
    /ml/input/data/<channel>/     an input; for a file its directory
    /ml/output/                   `output_path`; an output with its own location is mounted below
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from pai_jupyter import contract
from pai_jupyter.backends.pai.services.job import LABEL
from pai_jupyter.backends.pai.submission.training_request import MONITORING, UploadedPlaces, is_registered
from pai_jupyter.contract import PATHS, Replica
from pai_jupyter.spec import JobSpec, Json, Role
from pai_jupyter.storage import OssUrl

_CODE = "/ml/mount/code/"
_TYPES = {  # our roles in DLC's spelling
    "chief": "Chief",
    "master": "Master",
    "ps": "PS",
    "worker": "Worker",
    "evaluator": "Evaluator",
    "aimaster": "AIMaster",
}
# Options without a field in DLC.
UNKNOWN_TO_DLC = (
    *("experiment_config", "progress_definitions", "hyperparameter_definitions", "resource_requirements"),
    *("role_arn", "output_options", "algorithm"),
)


def with_worker_alone(spec: JobSpec) -> JobSpec:
    """Return an ElasticBatchJob with the one role that DLC is asked for, since it adds its own AIMaster; others unchanged.

    So is a job of a registered component, of which only the training service knows.
    """
    if spec.effective_job_type != "ElasticBatchJob" or is_registered(spec):
        return spec
    count = len(contract.replicas(spec))
    own = next((role for role in spec.roles if role.name.lower() == "worker"), Role(name="Worker"))
    return replace(spec, roles=(replace(own, instance_count=count),), instance_count=count)


def job(spec: JobSpec, places: UploadedPlaces, *, job_id: str, workspace: str) -> dict[str, Json]:
    """Build the body of DLC's CreateJob.

    Raises:
        SpecError: a value does not fit into the body.
    """
    options = spec.backend_options.get("pai", {})
    code = _mounted_code(places.code)
    first = contract.replicas(spec)[0]
    body: dict[str, Json] = {
        "DisplayName": re.sub(r"[^\w.-]+", "-", spec.name, flags=re.ASCII),
        "Description": options.get("description"),
        "WorkspaceId": str(options.get("workspace_id") or workspace),
        "JobType": spec.effective_job_type,
        "JobSpecs": [_role(spec, role, options, code, job_id) for role in spec.roles],
        "UserCommand": contract.dlc_launcher(spec, first, job_id=job_id, code=code),
        "Envs": {**_variables(spec, first, places)},
        "DataSources": [*_data_sources(spec, places, options)],
        "ThirdpartyLibs": [*spec.requirements],
        "ResourceId": options.get("resource_id"),
        "Priority": options.get("priority"),
        "UserVpc": options.get("user_vpc_config"),
        "CredentialConfig": options.get("credential_config"),
        "JobMaxRunningTimeMinutes": -(-spec.max_run_time // 60) if spec.max_run_time else None,
        "Settings": _settings(spec, options, job_id),
    }
    return _filled(body)


def file_of(place: str) -> str | None:
    """Return the file name of an input whose `oss://` address has no trailing slash, else None."""
    is_file = place.startswith("oss://") and not place.endswith("/")
    return PurePosixPath(place).name if is_file else None


def _role(spec: JobSpec, role: Role, options: Mapping[str, Json], code: str | None, job_id: str) -> Json:
    own = Replica(role=role.name.lower(), index=0)
    return _filled(
        {
            "Type": _TYPES.get(role.name.lower(), role.name),
            "Image": role.image_uri or spec.image_uri,
            "PodCount": role.instance_count,
            "EcsSpec": None if options.get("resource_id") else role.instance_type or spec.instance_type,
            "ResourceConfig": contract.read_pai_option(options, "instance_spec"),
            "SpotSpec": options.get("spot_spec"),
            "UseSpotInstance": options.get("use_spot_instance"),
            "AssignNodeSpec": options.get("assign_node_spec"),
            "UserCommand": contract.dlc_launcher(spec, own, job_id=job_id, code=code) if role.command else None,
        }
    )


def _variables(spec: JobSpec, replica: Replica, places: UploadedPlaces) -> dict[str, str]:
    """Return the contract's and the user's environment variables, without the topology variables."""
    files = {channel: name for channel, place in places.inputs.items() if (name := file_of(place))}
    every = contract.environment(replace(spec, compat=None), replica, input_files=files, by_service=True)
    return {name: value for name, value in every.items() if name not in contract.TOPOLOGY_VARIABLES}


def _data_sources(spec: JobSpec, places: UploadedPlaces, options: Mapping[str, Json]) -> Iterator[Json]:
    if places.code is not None:
        above = str(places.code).rpartition("/")[0]
        yield {"Uri": f"{above}/", "MountPath": _CODE}
    for channel, place in places.inputs.items():
        source = place.rpartition("/")[0] + "/" if file_of(place) else place
        yield {**_source(source), "MountPath": PATHS.input(channel), **_more(options, channel)}
    if spec.output_path:
        yield {"Uri": f"{spec.output_path.rstrip('/')}/", "MountPath": PATHS.output_dir}
    for channel, place in spec.outputs.items():
        yield {**_source(place), "MountPath": PATHS.output(channel)}


def _source(place: str) -> dict[str, Json]:
    return {"DataSourceId" if contract.is_dataset_id(place) else "Uri": place}


def _more(options: Mapping[str, Json], channel: str) -> dict[str, Json]:
    more = contract.channel_options(options, "input", channel)
    return {"DataSourceVersion" if name == "VersionName" else name: value for name, value in more.items()}


def _mounted_code(place: OssUrl | None) -> str | None:
    """Return the mount path of the code, a directory or an archive; None if there is no code."""
    return None if place is None else _CODE + place.object_key.rpartition("/")[2]


def _settings(spec: JobSpec, options: Mapping[str, Json], job_id: str) -> dict[str, Json]:
    given, labels = options.get("settings"), options.get("labels")
    settings = dict(given) if isinstance(given, dict) else {}
    tags = settings.get("Tags")
    own = {key: str(value) for key, value in labels.items()} if isinstance(labels, dict) else {}
    # event files are appended to, which a mounted bucket allows only with this option
    return {
        "EnableOssAppend": True,
        **(MONITORING if spec.effective_job_type == "ElasticBatchJob" else {}),
        **settings,
        "Tags": {**(tags if isinstance(tags, dict) else {}), **own, LABEL: job_id},
    }


def _filled(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}
