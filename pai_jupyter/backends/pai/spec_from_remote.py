"""Reconstruct a spec from the service's job description. Pure.

Rule 1: it is for display, and for the follower, which needs the metric definitions; it is never submitted.
Rule 2: the description may lack fields and may have values that we would not send. Invalid values are left out.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pai_jupyter.backends.pai.services import status_map
from pai_jupyter.backends.pai.services.status_map import Fields
from pai_jupyter.contract import BESIDE, OUR_CHANNELS
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import RESERVED_CHANNELS, JobSpec, MetricDefinition, Role

LONGEST_NAME = 100
_NOT_ASKED_FOR = RESERVED_CHANNELS | OUR_CHANNELS | {BESIDE}


def spec_of(fields: Fields) -> JobSpec:
    """Reconstruct a spec from the service's job description, leaving out invalid values."""
    spec = JobSpec(name=_name(fields), command=_command(fields))
    for name, value in _others(fields).items():
        with suppress(SpecError):
            spec = replace(spec, **{name: value})
    return spec


def _others(fields: Fields) -> dict[str, Any]:  # Any: fields of a spec, each with its own type
    """Return the other fields of the spec that the description holds, not yet validated."""
    algorithm, resource = _inside(fields, "AlgorithmSpec"), _inside(fields, "ComputeResource")
    outputs = _values(fields, "OutputChannels", "OutputUri", "DatasetId")
    return {
        "image_uri": _text(algorithm.get("Image")) or None,
        "instance_type": _text(resource.get("EcsSpec")) or "local",
        "instance_count": _count(resource.get("EcsCount") or resource.get("InstanceCount")),
        "job_type": algorithm.get("JobType") or "PyTorchJob",
        "roles": tuple(_roles(fields)),
        "hyperparameters": _values(fields, "HyperParameters", "Value"),
        "inputs": _values(fields, "InputChannels", "InputUri", "DatasetId"),
        "outputs": {name: place for name, place in outputs.items() if name not in _NOT_ASKED_FOR},
        "environments": {
            key: value for key, value in _inside(fields, "Environments").items() if isinstance(value, str)
        },
        "metric_definitions": tuple(_metrics(algorithm)),
        "max_run_time": _seconds(_inside(fields, "Scheduler").get("MaxRunningTimeInSeconds")),
    }


def _name(fields: Fields) -> str:
    plain = re.sub(r"[/\\]", "_", status_map.line(fields.get("TrainingJobName")))
    return plain[:LONGEST_NAME].strip() or "a job of PAI"


def _command(fields: Fields) -> str:
    """Return the job's command, the last element of the shell argv; a placeholder if there is none."""
    command = _inside(fields, "AlgorithmSpec").get("Command")
    last = command[-1] if isinstance(command, list) and command else command
    return _text(last).strip() or "(not reported by the service)"


def _roles(fields: Fields) -> list[Role]:
    return [
        Role(
            name=_text(each.get("Type")).lower(),
            instance_count=_count(each.get("PodCount")),
            instance_type=_text(each.get("EcsSpec")) or None,
            image_uri=_text(each.get("Image")) or None,
        )
        for each in status_map.objects(fields, "JobSpecs")
        if _text(each.get("Type"))
    ]


def _metrics(algorithm: Fields) -> list[MetricDefinition]:
    return [
        MetricDefinition(name=_text(each.get("Name")), regex=_text(each.get("Regex")))
        for each in status_map.objects(algorithm, "MetricDefinitions")
        if each.get("Name") and each.get("Regex")
    ]


def _values(fields: Fields, name: str, *keys: str) -> dict[str, str]:
    """Map the `Name` of each object in the list `name` to the first of `keys` that it has."""
    found = {
        _text(each.get("Name")): next(filter(None, map(each.get, keys)), None)
        for each in status_map.objects(fields, name)
    }
    return {key: value for key, value in found.items() if key and isinstance(value, str)}


def _inside(fields: Fields, name: str) -> Mapping[str, object]:
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _seconds(value: object) -> int | None:
    """Parse a positive whole number of seconds, as number or text; return None for anything else."""
    text = str(value)
    return int(text) if re.fullmatch(r"[1-9][0-9]{0,9}", text, re.ASCII) else None


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 1
