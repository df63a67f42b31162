"""What a body of CreateTrainingJob must be like: required fields, kinds of values, enumerations. Pure.

Fields that the service does not know pass, as they do there; empty objects and lists count as not given.
"""

import re
from collections.abc import Callable, Collection
from typing import Any

from pai_jupyter.emulator.api import Fields, Refusal
from pai_jupyter.emulator.checks import missing
from pai_jupyter.emulator.lists import invalid
from pai_jupyter.spec import Json

JOB_TYPES = (
    *("TFJob", "PyTorchJob", "MPIJob", "XGBoostJob", "OneFlowJob", "ElasticBatchJob", "SlurmJob", "RayJob"),
    "DataJuicerJob",
)
_NAME_LENGTH = 256
_SPOT_STRATEGIES = ("SpotWithPriceLimit", "SpotAsPriceGo")
_ROUTES = ("eth0", "eth1")
_ECS = re.compile(r"ecs\.[a-z0-9-]+\.[a-z0-9-]+")
_PRIORITIES = range(1, 10)
_URI = re.compile(r"[a-z]+://.+", re.DOTALL)


def check_job(body: Fields) -> None:
    """Refuse a body that the service would refuse.

    Raises:
        Refusal: MissingParameter or InvalidParameter, with the name of the field.
    """
    name = body.get("TrainingJobName")
    if not name:
        raise missing("TrainingJobName")
    if not isinstance(name, str) or len(name) > _NAME_LENGTH:
        raise invalid("TrainingJobName", name, f"a text of at most {_NAME_LENGTH} characters")
    if bool(body.get("AlgorithmSpec")) == bool(body.get("AlgorithmName")):
        raise Refusal(400, "InvalidParameter", "give either AlgorithmSpec or AlgorithmName")
    if body.get("AlgorithmSpec"):
        check_algorithm(_mapping(body, "AlgorithmSpec"))
    _check_compute_resource(_mapping(body, "ComputeResource"))
    _check_values(body)
    _check_channels(body)


def check_algorithm(spec: Fields) -> None:
    """Refuse the AlgorithmSpec of a job, or of an algorithm's version, that the service would refuse."""
    for name in ("Command", "Image", "JobType"):
        if not spec.get(name):
            raise missing(f"AlgorithmSpec.{name}")
    if not _is_list_of(str, spec["Command"]):
        raise invalid("AlgorithmSpec.Command", spec["Command"], "a list of texts")
    _among("AlgorithmSpec.JobType", spec["JobType"], JOB_TYPES)
    for kind, required in (
        ("HyperParameters", ("Name", "Type")),
        ("MetricDefinitions", ("Name", "Regex")),
        ("InputChannels", ("Name",)),
        ("OutputChannels", ("Name",)),
        ("ResourceRequirements", ("Key", "Operator", "Values")),
    ):
        items_of(spec, kind, required, prefix="AlgorithmSpec.")
    _check_code(_mapping(spec, "CodeDir"))


def items_of(body: Fields, name: str, required: Collection[str] = (), *, prefix: str = "") -> list[Fields]:
    """The objects of a list, each with what it must have; empty when the list is not there."""
    value = body.get(name) or []
    if not _is_list_of(dict, value):
        raise invalid(f"{prefix}{name}", value, "a list of objects")
    assert isinstance(value, list)
    items = [item for item in value if isinstance(item, dict)]
    for item in items:
        for key in required:
            if item.get(key) in (None, ""):
                raise missing(f"{prefix}{name}.{key}")
    return items


def _check_compute_resource(resource: Fields) -> None:
    if not resource.get("EcsSpec") and not resource.get("ResourceId"):
        raise missing("ComputeResource")
    if resource.get("EcsSpec") and not _ECS.fullmatch(str(resource["EcsSpec"])):
        raise invalid("ComputeResource.EcsSpec", resource["EcsSpec"], "an instance type, e.g. ecs.c6.large")
    for name in ("EcsCount", "InstanceCount"):
        _check(f"ComputeResource.{name}", resource.get(name), _is_count, "a whole number from 1")
    spot = _mapping(resource, "SpotSpec")
    if spot:
        _among("ComputeResource.SpotSpec.SpotStrategy", spot.get("SpotStrategy"), _SPOT_STRATEGIES)
    _check_texts("ComputeResource.InstanceSpec", _mapping(resource, "InstanceSpec"))


def _check_values(body: Fields) -> None:
    items_of(body, "Labels", ("Key",))
    for item in items_of(body, "HyperParameters", ("Name",)):
        if not isinstance(item.get("Value"), str):
            raise invalid(f"HyperParameters.{item['Name']}", item.get("Value"), "a text")
    _check_texts("Environments", _mapping(body, "Environments"))
    _check("PythonRequirements", body.get("PythonRequirements"), lambda it: _is_list_of(str, it), "a list of texts")
    _check("Priority", body.get("Priority"), lambda it: it in _PRIORITIES, "a whole number from 1 to 9")
    for name, limit in _mapping(body, "Scheduler").items():
        _check(f"Scheduler.{name}", limit, lambda it: isinstance(it, int) and it >= 0, "a whole number from 0")
    route = _mapping(body, "UserVpc").get("DefaultRoute")
    if route:
        _among("UserVpc.DefaultRoute", route, _ROUTES)
    for name in ("ExperimentConfig", "Settings", "AssignNodeSpec", "CredentialConfig"):
        _mapping(body, name)
    _check_code(_mapping(body, "CodeDir"))


def _check_channels(body: Fields) -> None:
    for kind, uri in (("InputChannels", "InputUri"), ("OutputChannels", "OutputUri")):
        names = []
        for item in items_of(body, kind, ("Name",)):
            place = f"{kind}.{item['Name']}"
            if bool(item.get(uri)) == bool(item.get("DatasetId")):
                raise Refusal(400, "InvalidParameter", f"{place} must have either {uri} or DatasetId")
            _check(f"{place}.{uri}", item.get(uri), lambda it: bool(_URI.fullmatch(str(it))), "a URI")
            names.append(item["Name"])
        if len({*map(str, names)}) < len(names):
            raise Refusal(400, "InvalidParameter", f"{kind} has a name twice")


def _check_code(code: Fields) -> None:
    if not code:
        return
    _among("CodeDir.LocationType", code.get("LocationType"), ("oss",))
    value = _mapping(code, "LocationValue")
    for name in ("Bucket", "Key"):
        if not isinstance(value.get(name), str) or not value[name]:
            raise missing(f"CodeDir.LocationValue.{name}")


def _mapping(body: Fields, name: str) -> Fields:
    value = body.get(name) or {}
    if not isinstance(value, dict):
        raise invalid(name, value, "an object")
    return value


def _check_texts(name: str, values: Fields) -> None:
    for key, value in values.items():
        if not isinstance(value, str):
            raise invalid(f"{name}.{key}", value, "a text")


def _check(name: str, value: Json, is_good: Callable[[Any], bool], wanted: str) -> None:  # Any: JSON
    """Refuse a value that is given and no good."""
    if value is not None and not is_good(value):
        raise invalid(name, value, wanted)


def _among(name: str, value: Json, known: Collection[str]) -> None:
    if value not in known:
        raise invalid(name, value, f"one of {', '.join(known)}")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_list_of(kind: type, value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)
