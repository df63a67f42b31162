"""The `job_config` of a step, a Map as `JobConfig.to_dict` and PAI's SDK write it, read back. Pure."""

from collections.abc import Mapping

from pai_jupyter.errors import SpecError
from pai_jupyter.estimator import JobConfig
from pai_jupyter.spec import MAX_INSTANCES, Json, Role
from pai_jupyter.typed_json import FieldError, Fields


def read_job_config(given: Mapping[str, Json]) -> JobConfig | None:
    """Read a `job_config`; None for an empty one.

    Raises:
        SpecError: it is damaged.
    """
    try:
        fields = Fields.of(given, "job_config")
        roles = tuple(_role(Fields.of(it, path)) for it, path in fields.items("JobSpecs"))
        if not roles:
            return None
        minutes = fields.whole("JobMaxRunningTimeMinutes", 0)
        return JobConfig(
            roles=roles,
            resource_id=fields.optional_line("ResourceId"),
            priority=fields.whole("Priority") if fields.has("Priority") else None,
            max_run_time=minutes * 60 or None,
        )
    except FieldError as exc:
        raise SpecError(
            f"{exc} Give job_config=JobConfig.create(worker_count=1, worker_instance_type='ecs.c6.large').to_dict()",
            field="job_config",
        ) from exc


def _role(fields: Fields) -> Role:
    return Role(
        name=fields.line("Type", "Worker").lower(),
        instance_count=fields.whole("PodCount", 1, least=1, most=MAX_INSTANCES),
        instance_type=fields.optional_line("EcsSpec"),
    )
