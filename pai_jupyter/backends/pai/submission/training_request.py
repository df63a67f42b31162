"""Build the body of CreateTrainingJob from a spec and its uploaded code and data. Pure.

`contract.training_job` is the part common to all backends. Added here: the code's location, the unique label, the launcher
around the command, and the channel in which the launcher saves files beside the other channels of /ml/output (it has no keys,
so its target must be mounted).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pai_jupyter import contract
from pai_jupyter.backends.pai.services.job import LABEL
from pai_jupyter.spec import JobSpec, Json
from pai_jupyter.storage import OssUrl


@dataclass(frozen=True, kw_only=True)
class UploadedPlaces:
    """The addresses of a job's code (if any) and inputs, in the service's form."""

    code: OssUrl | None
    inputs: Mapping[str, str]


def training_job(
    spec: JobSpec, places: UploadedPlaces, *, job_id: str, workspace: str, endpoint: str | None
) -> dict[str, Json]:
    """Build the request body; `endpoint` is the code bucket's, used if the code's address has none.

    Raises:
        SpecError: a value does not fit into the body.
    """
    sent = replace(spec, inputs=places.inputs, environments=own_environment(spec))
    body = contract.training_job(sent, spec.backend_options.get("pai", {}))
    algorithm, labels = body["AlgorithmSpec"], body.get("Labels", [])
    assert isinstance(algorithm, dict)
    assert isinstance(labels, list)
    algorithm["Command"] = ["sh", "-c", contract.launcher(spec, job_id=job_id)]
    if places.code is not None:
        algorithm["CodeDir"] = code_dir(places.code, endpoint)
    _add_beside(body, algorithm, spec)
    body["Labels"] = [*labels, {"Key": LABEL, "Value": job_id}]
    body.setdefault("WorkspaceId", workspace)
    return body


def _add_beside(body: dict[str, Json], algorithm: dict[str, Json], spec: JobSpec) -> None:
    """Add the channel for files beside the others, unless the user has a channel of its name; the launcher then reports them."""
    name = contract.BESIDE
    if name in spec.outputs:
        return
    place: dict[str, Json] = {"OutputUri": f"{spec.output_path.rstrip('/')}/"} if spec.output_path else {}
    about: dict[str, Json] = {"Description": "What lies in /ml/output beside the other channels", "Required": False}
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
    of_contract = contract.environment(replace(spec, environments={}), contract.replicas(spec)[0])
    ours = set(of_contract) - {"PYTHONUNBUFFERED"}
    return {name: value for name, value in spec.environments.items() if name not in ours}
