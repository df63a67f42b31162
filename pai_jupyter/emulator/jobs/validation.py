"""Checks common to CreateTrainingJob and CreateJob: name, job type, priority, instance type. No I/O."""

from difflib import get_close_matches

from pai_jupyter.emulator.jobs.machines import INSTANCE_TYPES
from pai_jupyter.emulator.protocol.fields import check
from pai_jupyter.emulator.protocol.refusal import Fields, invalid, missing
from pai_jupyter.spec import Json

JOB_TYPES = (
    *("TFJob", "PyTorchJob", "MPIJob", "XGBoostJob", "OneFlowJob", "ElasticBatchJob", "SlurmJob", "RayJob"),
    "DataJuicerJob",
)
_NAME_LENGTH = 256
_PRIORITIES = range(1, 10)


def check_name(body: Fields, field: str) -> None:
    """Refuse a body whose job has no name, or one of more than 256 characters."""
    name = body.get(field)
    if not name:
        raise missing(field)
    if not isinstance(name, str) or len(name) > _NAME_LENGTH:
        raise invalid(field, name, f"a text of at most {_NAME_LENGTH} characters")


def check_priority(body: Fields) -> None:
    check("Priority", body.get("Priority"), lambda it: it in _PRIORITIES, "a whole number from 1 to 9")


def check_instance_type(field: str, value: Json) -> None:
    """Refuse an unknown instance type; the message names the most similar one."""
    close = get_close_matches(str(value), INSTANCE_TYPES)
    near = next((each for each in close if str(value) in each), next(iter(close), "ecs.c6.large"))
    wanted = f"an instance type of this region, e.g. {near}; ListEcsSpecs lists them"
    check(field, value or None, lambda it: isinstance(it, str) and it in INSTANCE_TYPES, wanted)
