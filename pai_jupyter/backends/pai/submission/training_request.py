"""Build the body of CreateTrainingJob from a spec and its uploaded code and data. Pure.

`contract.training_job` is the part common to all backends. Added here: the code's location, the unique label, the launcher
around the command, and the channels in which the launcher saves files beside the other channels of /ml/output and those of the
working directory (it has no keys, so its targets must be mounted).

A registered component (`pai.algorithm`) has its own command, image and code at PAI, so a job of it has no launcher: no exit code, and
only its channels are kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pai_jupyter import contract
from pai_jupyter.backends.pai.services.job import LABEL
from pai_jupyter.spec import JobSpec, Json
from pai_jupyter.storage import OssUrl

MONITORING: Mapping[
    str, Json
] = {  # of an ElasticBatchJob, by article 1159835 of PAI's developers: a worker that fails is started again
    "EnableErrorMonitoringInAIMaster": True,
    "ErrorMonitoringArgs": " ".join(
        ("--job-execution-mode=Async", "--fault-tolerant-policy=OnFailure", "--max-num-of-same-error=20")
    ),
}


@dataclass(frozen=True, kw_only=True)
class UploadedPlaces:
    """The addresses of a job's code (if any) and inputs, in the service's form."""

    code: OssUrl | None
    inputs: Mapping[str, str]


def is_registered(spec: JobSpec) -> bool:
    """Return whether this is a job of a registered component."""
    return "algorithm" in spec.backend_options.get("pai", {})


def training_job(
    spec: JobSpec, places: UploadedPlaces, *, job_id: str, workspace: str, endpoint: str | None
) -> dict[str, Json]:
    """Build the request body; `endpoint` is the code bucket's, used if the code's address has none.

    Raises:
        SpecError: a value does not fit into the body.
    """
    sent = replace(spec, inputs=places.inputs, environments=own_environment(spec))
    options = spec.backend_options.get("pai", {})
    body = contract.training_job(sent, options)
    if (named := contract.read_pai_option(options, "algorithm")) is not None:
        return _registered(body, spec, named, job_id=job_id, workspace=workspace)
    algorithm, labels = body["AlgorithmSpec"], body.get("Labels", [])
    assert isinstance(algorithm, dict)
    assert isinstance(labels, list)
    algorithm["Command"] = ["sh", "-c", contract.launcher(spec, job_id=job_id)]
    if places.code is not None:
        algorithm["CodeDir"] = code_dir(places.code, endpoint)
    _add_ours(
        body, algorithm, spec, contract.WORKDIR, "What the job left in its working directory", f"{contract.WORKDIR}/"
    )
    _add_ours(body, algorithm, spec, contract.BESIDE, "What lies in /ml/output beside the other channels")
    body["Labels"] = [*labels, {"Key": LABEL, "Value": job_id}]
    body.setdefault("WorkspaceId", workspace)
    return body


def _registered(body: dict[str, Json], spec: JobSpec, named: Json, *, job_id: str, workspace: str) -> dict[str, Json]:
    """Name the registered component in place of its AlgorithmSpec; only the outputs that it has are sent."""
    assert isinstance(named, dict)
    del body["AlgorithmSpec"]
    outputs, labels = body.get("OutputChannels"), body.get("Labels", [])
    assert isinstance(outputs, list)
    assert isinstance(labels, list)
    body["OutputChannels"] = [each for each in outputs if isinstance(each, dict) and each.get("Name") in spec.outputs]
    body |= named
    if spec.effective_job_type == "ElasticBatchJob":
        body |= _as_elastic_batch(body, spec)
    body["Labels"] = [*labels, {"Key": LABEL, "Value": job_id}]
    body.setdefault("WorkspaceId", workspace)
    return body


def _as_elastic_batch(body: dict[str, Json], spec: JobSpec) -> dict[str, Json]:
    """Return the fields by which failed workers are started again, and `pai_shards` knows how many workers there are."""
    given, variables = body.get("Settings", {}), body.get("Environments", {})
    assert isinstance(given, dict)
    assert isinstance(variables, dict)
    workers = {contract.SHARDS_WORKERS: str(len(contract.replicas(spec)))}
    return {"Settings": {**MONITORING, **given}, "Environments": {**variables, **workers}}


def _add_ours(
    body: dict[str, Json], algorithm: dict[str, Json], spec: JobSpec, name: str, description: str, below: str = ""
) -> None:
    """Add a channel that the launcher fills, unless the user has a channel of its name; the launcher then reports the files."""
    if name in spec.outputs:
        return
    place: dict[str, Json] = {"OutputUri": f"{spec.output_path.rstrip('/')}/{below}"} if spec.output_path else {}
    about: dict[str, Json] = {"Description": description, "Required": False}
    for channels, channel in ((body["OutputChannels"], place), (algorithm["OutputChannels"], about)):
        assert isinstance(channels, list)
        channels.append({"Name": name, **channel})


def code_dir(place: OssUrl, endpoint: str | None) -> Json:
    """Return the code's location in the service's format; a key without trailing slash is a tar.gz."""
    host = place.endpoint or (endpoint or "").rstrip("/").rpartition("://")[2]
    value: dict[str, Json] = {"Bucket": place.bucket_name, "Key": place.object_key}
    return {"LocationType": "oss", "LocationValue": {**value, **({"Endpoint": host} if host else {})}}


def own_environment(spec: JobSpec) -> dict[str, str]:
    """Return the user's variables without those set by the contract (`PYTHONUNBUFFERED` excepted)."""
    of_contract = contract.environment(
        replace(spec, environments={}, compat=None), contract.replicas(spec)[0], by_service=True
    )
    ours = set(of_contract) - {"PYTHONUNBUFFERED"}
    return {name: value for name, value in spec.environments.items() if name not in ours}
