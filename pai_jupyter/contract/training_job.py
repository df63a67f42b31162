"""Build the body of PAI's CreateTrainingJob and the files below /ml/input/config.

The body lacks what only an upload can tell: `AlgorithmSpec.CodeDir` and the URIs of inputs and outputs given as local paths. A
local job finds the same body in training_job.json. Names and nesting are the service's; empty fields are left out.

`environments` may hold secrets; in the file their values become ***.
"""

import json
import re
from collections.abc import Mapping
from types import MappingProxyType

from pai_jupyter.contract.pai_options import PAI_OPTIONS, channel_options, read_pai_option
from pai_jupyter.contract.paths import output_channels
from pai_jupyter.contract.secret_names import is_secret
from pai_jupyter.contract.topology import replicas
from pai_jupyter.contract.values import texts
from pai_jupyter.spec import JobSpec, Json

_DATASET = re.compile(r"d-[a-z0-9]{8,}")  # the id of a PAI dataset; a local path that looks like one is written ./d-...
_NO_OPTIONS: Mapping[str, Json] = MappingProxyType({})
_CHANNELS: dict[str, dict[str, Json]] = {  # the descriptions of PAI's own client
    "model": {"Description": "Training output models", "Required": True},
    "checkpoints": {"Description": "Training checkpoints channel"},
    # event files are appended to, which a mounted bucket allows only with this option
    "tensorboard": {"Description": "TensorBoard logs channel", "Properties": {"ossAppendable": "true"}},
}


def files(spec: JobSpec, options: Mapping[str, Json] = _NO_OPTIONS) -> dict[str, bytes]:
    """Return the files of every job, by path below /ml; `options` as in `training_job`."""
    body = training_job(spec, options)
    if spec.environments:
        body["Environments"] = {
            name: "***" if is_secret(name, value) else value for name, value in spec.environments.items()
        }
    return {
        "input/config/hyperparameters.json": _document({**texts(spec)}),
        "input/config/training_job.json": _document(body),
    }


def training_job(spec: JobSpec, options: Mapping[str, Json] = _NO_OPTIONS) -> dict[str, Json]:
    """Build the body of CreateTrainingJob, without cloud credentials.

    Args:
        spec: the job.
        options: the job's options that are fields of the body, by their names in `PAI_OPTIONS`.

    Raises:
        SpecError: an option has an invalid value.
    """
    body: dict[str, Json] = {
        "TrainingJobName": spec.name,
        "AlgorithmSpec": _algorithm(spec),
        "ComputeResource": _compute_resource(spec, is_quota=bool(options.get("resource_id"))),
        "HyperParameters": [{"Name": name, "Value": text} for name, text in texts(spec).items()],
        "InputChannels": [
            {"Name": name, **_place(place, "InputUri"), **channel_options(options, "input", name)}
            for name, place in spec.inputs.items()
        ],
        "OutputChannels": [
            {"Name": name, **_output(spec, name), **channel_options(options, "output", name)}
            for name in output_channels(spec)
        ],
        "Environments": {**spec.environments},
        "PythonRequirements": [*spec.requirements],
        "Scheduler": _filled({"MaxRunningTimeInSeconds": spec.max_run_time}),
    }
    _place_options(body, options)
    return _filled(body)


def is_dataset_id(place: str) -> bool:
    """Return whether `place` is a PAI dataset id; a local path of that form is written `./d-...`."""
    return _DATASET.fullmatch(place) is not None


def _place_options(body: dict[str, Json], options: Mapping[str, Json]) -> None:
    """Write each option into `body` at the place given by the table."""
    for name, option in PAI_OPTIONS.items():
        value = read_pai_option(options, name)
        if not option.path or value in (None, "", [], {}):
            continue
        *above, field = option.path
        inside = body
        for part in above:
            next_inside = inside[part]
            assert isinstance(next_inside, dict)
            inside = next_inside
        inside[field] = value


def _algorithm(spec: JobSpec) -> dict[str, Json]:
    return _filled(
        {
            "Command": ["sh", "-c", spec.command],
            "Image": spec.image_uri,
            "JobType": spec.effective_job_type,
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


def _compute_resource(spec: JobSpec, *, is_quota: bool) -> dict[str, Json]:
    """Return the resources: instances of the public pool or a share of a quota, which have different fields."""
    count = len(replicas(spec))
    return {"InstanceCount": count} if is_quota else {"EcsCount": count, "EcsSpec": spec.instance_type}


def _place(place: str, name: str) -> dict[str, Json]:
    return {"DatasetId" if is_dataset_id(place) else name: place}


def _output(spec: JobSpec, name: str) -> dict[str, Json]:
    if name in spec.outputs:
        return _place(spec.outputs[name], "OutputUri")
    return {"OutputUri": f"{spec.output_path.rstrip('/')}/{name}/"} if spec.output_path else {}


def _filled(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def _document(value: dict[str, Json]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=4) + "\n").encode()
