"""Check the body of CreateTrainingJob: required fields, types, enumerations. No I/O.

Unknown fields are ignored, as by the service; empty objects and lists count as not given.
"""

import re

from pai_jupyter.emulator.jobs.validation import JOB_TYPES, check_instance_type, check_name, check_priority
from pai_jupyter.emulator.protocol.fields import among, check, is_list_of, is_whole, items_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields, invalid, missing

_SPOT_STRATEGIES = ("SpotWithPriceLimit", "SpotAsPriceGo")
_ROUTES = ("eth0", "eth1")
_URI = re.compile(r"[a-z]+://.+", re.DOTALL)


def check_job(body: Fields) -> None:
    """Refuse a body that the service would refuse.

    Raises:
        ApiRefusal: MissingParameter or InvalidParameter, with the name of the field.
    """
    check_name(body, "TrainingJobName")
    if bool(body.get("AlgorithmSpec")) == bool(body.get("AlgorithmName")):
        raise ApiRefusal(400, "InvalidParameter", "give either AlgorithmSpec or AlgorithmName")
    if body.get("AlgorithmSpec"):
        check_algorithm(_mapping(body, "AlgorithmSpec"))
    _check_compute_resource(_mapping(body, "ComputeResource"))
    _check_values(body)
    _check_channels(body)


def check_algorithm(spec: Fields) -> None:
    """Refuse an AlgorithmSpec, of a job or of an algorithm's version, that the service would refuse."""
    for name in ("Command", "Image", "JobType"):
        if not spec.get(name):
            raise missing(f"AlgorithmSpec.{name}")
    if not is_list_of(str, spec["Command"]):
        raise invalid("AlgorithmSpec.Command", spec["Command"], "a list of texts")
    among("AlgorithmSpec.JobType", spec["JobType"], JOB_TYPES)
    for kind, required in (
        ("HyperParameters", ("Name", "Type")),
        ("MetricDefinitions", ("Name", "Regex")),
        ("InputChannels", ("Name",)),
        ("OutputChannels", ("Name",)),
        ("ResourceRequirements", ("Key", "Operator", "Values")),
    ):
        items_of(spec, kind, required, prefix="AlgorithmSpec.")
    _check_code(_mapping(spec, "CodeDir"))


def _check_compute_resource(resource: Fields) -> None:
    if not resource.get("EcsSpec") and not resource.get("ResourceId"):
        raise missing("ComputeResource")
    check_instance_type("ComputeResource.EcsSpec", resource.get("EcsSpec"))
    for name in ("EcsCount", "InstanceCount"):
        check(f"ComputeResource.{name}", resource.get(name), lambda it: is_whole(it, least=1), "a whole number from 1")
    spot = _mapping(resource, "SpotSpec")
    if spot:
        among("ComputeResource.SpotSpec.SpotStrategy", spot.get("SpotStrategy"), _SPOT_STRATEGIES)
    _check_texts("ComputeResource.InstanceSpec", _mapping(resource, "InstanceSpec"))


def _check_values(body: Fields) -> None:
    items_of(body, "Labels", ("Key",))
    for item in items_of(body, "HyperParameters", ("Name",)):
        if not isinstance(item.get("Value"), str):
            raise invalid(f"HyperParameters.{item['Name']}", item.get("Value"), "a text")
    _check_texts("Environments", _mapping(body, "Environments"))
    check("PythonRequirements", body.get("PythonRequirements"), lambda it: is_list_of(str, it), "a list of texts")
    check_priority(body)
    for name, limit in _mapping(body, "Scheduler").items():
        check(f"Scheduler.{name}", limit, lambda it: isinstance(it, int) and it >= 0, "a whole number from 0")
    route = _mapping(body, "UserVpc").get("DefaultRoute")
    if route:
        among("UserVpc.DefaultRoute", route, _ROUTES)
    for name in ("ExperimentConfig", "Settings", "AssignNodeSpec", "CredentialConfig"):
        _mapping(body, name)
    _check_code(_mapping(body, "CodeDir"))


def _check_channels(body: Fields) -> None:
    for kind, uri in (("InputChannels", "InputUri"), ("OutputChannels", "OutputUri")):
        names = []
        for item in items_of(body, kind, ("Name",)):
            place = f"{kind}.{item['Name']}"
            if bool(item.get(uri)) == bool(item.get("DatasetId")):
                raise ApiRefusal(400, "InvalidParameter", f"{place} must have either {uri} or DatasetId")
            check(f"{place}.{uri}", item.get(uri), lambda it: bool(_URI.fullmatch(str(it))), "a URI")
            names.append(item["Name"])
        if len({*map(str, names)}) < len(names):
            raise ApiRefusal(400, "InvalidParameter", f"{kind} has two items with the same name")


def _check_code(code: Fields) -> None:
    if not code:
        return
    among("CodeDir.LocationType", code.get("LocationType"), ("oss",))
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
