"""What a body of CreateJob must be like: required fields, roles, numbers. Pure.

Fields that the service does not know pass; empty objects and lists count as not given.
"""

import re
from collections.abc import Mapping

from pai_jupyter.emulator.api import Fields
from pai_jupyter.emulator.checks import missing
from pai_jupyter.emulator.lists import invalid
from pai_jupyter.emulator.studio.wanted import JOB_TYPES, items_of
from pai_jupyter.spec import Json

# The roles of each kind of job, as the service's reference has them; kinds that are not here may have any.
ROLES: Mapping[str, tuple[str, ...]] = {
    "TFJob": ("Chief", "Master", "PS", "Worker", "Evaluator", "GraphLearn"),
    "PyTorchJob": ("Master", "Worker"),
    "XGBoostJob": ("Master", "Worker"),
    "OneFlowJob": ("Master", "Worker"),
    "ElasticBatchJob": ("Master", "AIMaster", "Worker"),
}
_ECS = re.compile(r"ecs\.[a-z0-9-]+\.[a-z0-9-]+")
_NAME_LENGTH = 256
_PRIORITIES = range(1, 10)


def check_job(body: Fields) -> None:
    """Refuse a body that the service would refuse.

    Raises:
        Refusal: MissingParameter or InvalidParameter, with the name of the field.
    """
    name = body.get("DisplayName")
    if not name:
        raise missing("DisplayName")
    if not isinstance(name, str) or len(name) > _NAME_LENGTH:
        raise invalid("DisplayName", name, f"a text of at most {_NAME_LENGTH} characters")
    if body.get("JobType") not in JOB_TYPES:
        raise invalid("JobType", body.get("JobType"), f"one of {', '.join(JOB_TYPES)}")
    specs = items_of(body, "JobSpecs", ("Type", "Image"))
    if not specs:
        raise missing("JobSpecs")
    for spec in specs:
        _check_role(body, spec)
    if len({str(spec["Type"]).lower() for spec in specs}) < len(specs):
        raise invalid("JobSpecs", [spec["Type"] for spec in specs], "roles of which each is there once")
    if not body.get("UserCommand") and not all(spec.get("UserCommand") for spec in specs):
        raise missing("UserCommand")
    _check_rest(body)


def _check_role(body: Fields, spec: Fields) -> None:
    roles = ROLES.get(str(body["JobType"]))
    if roles is not None and spec["Type"] not in roles:
        raise invalid("JobSpecs.Type", spec["Type"], f"one of {', '.join(roles)}")
    if not _is_whole(spec.get("PodCount", 1), at_least=1):
        raise invalid("JobSpecs.PodCount", spec.get("PodCount"), "a whole number from 1")
    if not spec.get("EcsSpec") and not spec.get("ResourceConfig"):
        raise missing("JobSpecs.EcsSpec")
    if spec.get("EcsSpec") and not _ECS.fullmatch(str(spec["EcsSpec"])):
        raise invalid("JobSpecs.EcsSpec", spec["EcsSpec"], "an instance type, e.g. ecs.c6.large")


def _check_rest(body: Fields) -> None:
    for source in items_of(body, "DataSources"):
        if bool(source.get("Uri")) == bool(source.get("DataSourceId")):
            raise invalid("DataSources", source, "an object with either Uri or DataSourceId")
    envs = body.get("Envs") or {}
    if not isinstance(envs, dict) or not all(isinstance(value, str) for value in envs.values()):
        raise invalid("Envs", envs, "an object of texts")
    libraries = body.get("ThirdpartyLibs") or []
    if not isinstance(libraries, list) or not all(isinstance(each, str) for each in libraries):
        raise invalid("ThirdpartyLibs", libraries, "a list of texts")
    if body.get("Priority") is not None and body["Priority"] not in _PRIORITIES:
        raise invalid("Priority", body["Priority"], "a whole number from 1 to 9")
    if not _is_whole(body.get("JobMaxRunningTimeMinutes") or 0, at_least=0):
        raise invalid("JobMaxRunningTimeMinutes", body["JobMaxRunningTimeMinutes"], "a whole number from 0")


def _is_whole(value: Json, *, at_least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= at_least
