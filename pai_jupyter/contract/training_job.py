"""The body of PAI's CreateTrainingJob, and the files below /ml/input/config.

The body is what the service is sent, less what only an upload can know: `AlgorithmSpec.CodeDir` and the places of inputs
and outputs that were not given as URIs. A local job finds the same body in training_job.json. Names and nesting are the
service's; what is empty is left out.

A spec should hold no secret, yet `environments` may; on its way into the file, a value whose name looks like one becomes ***.
"""

import json
import re
from collections.abc import Mapping

from pai_jupyter.contract.paths import output_channels
from pai_jupyter.contract.secret_names import is_secret
from pai_jupyter.contract.topology import replicas
from pai_jupyter.contract.values import texts
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec, Json

_DATASET = re.compile(r"d-[a-z0-9]{8,}")  # the id of a PAI dataset; a local path of that form is written ./d-...
_CHANNELS: dict[str, dict[str, Json]] = {  # as PAI's own client describes them
    "model": {"Description": "Training output models", "Required": True},
    "checkpoints": {"Description": "Training checkpoints channel"},
    # event files grow by appending, which a mounted bucket allows only when asked to
    "tensorboard": {"Description": "TensorBoard logs channel", "Properties": {"ossAppendable": "true"}},
}
_OPTIONS = {  # option -> field of the body; the mapping goes in as it is, with the service's own names inside
    "settings": "Settings",
    "user_vpc_config": "UserVpc",
    "experiment_config": "ExperimentConfig",
}


def files(spec: JobSpec) -> dict[str, bytes]:
    """The files that every job finds, by their path below /ml."""
    body = training_job(spec)
    if spec.environments:
        body["Environments"] = {name: "***" if is_secret(name) else value for name, value in spec.environments.items()}
    return {
        "input/config/hyperparameters.json": _document({**texts(spec)}),
        "input/config/training_job.json": _document(body),
    }


def training_job(spec: JobSpec) -> dict[str, Json]:
    """The body of CreateTrainingJob, with no credentials in it.

    Raises:
        SpecError: a `pai.` option has a value that the body cannot take.
    """
    options = spec.backend_options.get("pai", {})
    body: dict[str, Json] = {
        "TrainingJobName": spec.name,
        "WorkspaceId": str(options.get("workspace_id") or ""),
        "AlgorithmSpec": _algorithm(spec),
        "ComputeResource": _compute_resource(spec, options),
        "HyperParameters": [{"Name": name, "Value": text} for name, text in texts(spec).items()],
        "InputChannels": [_input(name, place) for name, place in spec.inputs.items()],
        "OutputChannels": [_output(spec, name) for name in output_channels(spec)],
        "Environments": {**spec.environments},
        "PythonRequirements": [*spec.requirements],
        "Scheduler": _filled({"MaxRunningTimeInSeconds": spec.max_run_time}),
        "Labels": [{"Key": key, "Value": value} for key, value in _mapping(options, "labels").items()],
        "Priority": options.get("priority"),
        **{field: _mapping(options, option) for option, field in _OPTIONS.items()},
    }
    return _filled(body)


def _algorithm(spec: JobSpec) -> dict[str, Json]:
    return _filled(
        {
            "Command": ["sh", "-c", spec.command],
            "Image": spec.image_uri,
            "JobType": spec.job_type,
            "SupportsDistributedTraining": True,
            "InputChannels": [{"Name": name, "Required": False} for name in spec.inputs],
            "OutputChannels": [
                {"Name": name, "Required": False, **_CHANNELS.get(name, {})} for name in output_channels(spec)
            ],
            "MetricDefinitions": [
                _filled({"Name": metric.name, "Regex": metric.regex, "Description": metric.description})
                for metric in spec.metric_definitions
            ],
        }
    )


def _compute_resource(spec: JobSpec, options: Mapping[str, Json]) -> dict[str, Json]:
    """Machines by the hour, or a share of a quota; the service names and counts the two differently."""
    count = len(replicas(spec))
    if options.get("resource_id"):
        return _filled(
            {
                "ResourceId": options["resource_id"],
                "InstanceCount": count,
                "InstanceSpec": _mapping(options, "instance_spec"),
            }
        )
    return _filled({"EcsCount": count, "EcsSpec": spec.instance_type, "SpotSpec": _mapping(options, "spot_spec")})


def _input(name: str, place: str) -> Json:
    kind = "DatasetId" if _DATASET.fullmatch(place) else "InputUri"
    return {"Name": name, kind: place}


def _output(spec: JobSpec, name: str) -> Json:
    below = f"{spec.output_path.rstrip('/')}/{name}/" if spec.output_path else None
    return _filled({"Name": name, "OutputUri": spec.outputs.get(name, below)})


def _mapping(options: Mapping[str, Json], name: str) -> dict[str, Json]:
    value = options.get(name) or {}
    if not isinstance(value, dict):
        raise SpecError(
            f"the option pai.{name} is {value!r}; it must be a mapping, e.g. {{'team': 'vision'}}.", field="options"
        )
    return value


def _filled(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def _document(value: dict[str, Json]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=4) + "\n").encode()
