"""Check the body of CreateJob: required fields, roles, numbers. No I/O.

Unknown fields are ignored; empty objects and lists count as not given.
"""

from collections.abc import Mapping

from pai_jupyter.emulator.jobs.validation import JOB_TYPES, check_instance_type, check_name, check_priority
from pai_jupyter.emulator.protocol.fields import among, is_list_of, is_whole, items_of
from pai_jupyter.emulator.protocol.refusal import Fields, invalid, missing

# The roles of each job type, from the service's reference; job types not listed here may have any role.
ROLES: Mapping[str, tuple[str, ...]] = {
    "TFJob": ("Chief", "Master", "PS", "Worker", "Evaluator", "GraphLearn"),
    "PyTorchJob": ("Master", "Worker"),
    "XGBoostJob": ("Master", "Worker"),
    "OneFlowJob": ("Master", "Worker"),
    "ElasticBatchJob": ("Master", "AIMaster", "Worker"),
}


def check_job(body: Fields) -> None:
    """Refuse a body that the service would refuse.

    Raises:
        ApiRefusal: MissingParameter or InvalidParameter, with the name of the field.
    """
    check_name(body, "DisplayName")
    among("JobType", body.get("JobType"), JOB_TYPES)
    specs = items_of(body, "JobSpecs", ("Type", "Image"))
    if not specs:
        raise missing("JobSpecs")
    for spec in specs:
        _check_role(body, spec)
    if len({str(spec["Type"]).lower() for spec in specs}) < len(specs):
        raise invalid("JobSpecs", [spec["Type"] for spec in specs], "a list of different roles")
    if not body.get("UserCommand") and not all(spec.get("UserCommand") for spec in specs):
        raise missing("UserCommand")
    _check_rest(body)


def _check_role(body: Fields, spec: Fields) -> None:
    roles = ROLES.get(str(body["JobType"]))
    if roles is not None:
        among("JobSpecs.Type", spec["Type"], roles)
    if not is_whole(spec.get("PodCount", 1), least=1):
        raise invalid("JobSpecs.PodCount", spec.get("PodCount"), "a whole number from 1")
    if not spec.get("EcsSpec") and not spec.get("ResourceConfig"):
        raise missing("JobSpecs.EcsSpec")
    check_instance_type("JobSpecs.EcsSpec", spec.get("EcsSpec"))


def _check_rest(body: Fields) -> None:
    for source in items_of(body, "DataSources"):
        if bool(source.get("Uri")) == bool(source.get("DataSourceId")):
            raise invalid("DataSources", source, "an object with either Uri or DataSourceId")
    envs = body.get("Envs") or {}
    if not isinstance(envs, dict) or not all(isinstance(value, str) for value in envs.values()):
        raise invalid("Envs", envs, "an object of texts")
    libraries = body.get("ThirdpartyLibs") or []
    if not is_list_of(str, libraries):
        raise invalid("ThirdpartyLibs", libraries, "a list of texts")
    check_priority(body)
    if not is_whole(body.get("JobMaxRunningTimeMinutes") or 0, least=0):
        raise invalid("JobMaxRunningTimeMinutes", body["JobMaxRunningTimeMinutes"], "a whole number from 0")
