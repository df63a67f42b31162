"""`JobConfig`: the resources of a `CustomJob`, as in PAI's "Custom training jobs" and DLC."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from pai_jupyter.backends import LOCAL_TYPES, request_option
from pai_jupyter.errors import SpecError, explaining_keywords
from pai_jupyter.estimator.given import given_roles, named
from pai_jupyter.spec import JobType, Json, Role

# DLC's names of roles (CreateJob, JobSpecs[].Type), by ours.
_TYPES = {
    "aimaster": "AIMaster",
    "chief": "Chief",
    "master": "Master",
    "ps": "PS",
    "worker": "Worker",
    "evaluator": "Evaluator",
}
_CREATE = "JobConfig.create(worker_count=1, worker_instance_type='ecs.c6.large')"
_by_role = explaining_keywords(instance_type=_CREATE, instance_count=_CREATE)
_WITH_MASTER = ("PyTorchJob", "XGBoostJob")


@dataclass(frozen=True, kw_only=True)
class JobConfig:
    """Machines by role; build it with `create`.

    Args:
        roles: at least one, each with a count and an instance type.
        resource_id: a quota to run in, instead of instance types of the public pool.
        priority: 1 to 9, within that quota.
        max_run_time: seconds.
        user_vpc: the network that the job can reach, as PAI has it: {"VpcId": ..., "SwitchId": ..., "SecurityGroupId": ...}.
        workspace_id: a workspace of PAI, in place of the session's.

    Example:
        >>> config = JobConfig.create(worker_count=2, worker_instance_type="ecs.c6.large")
        >>> str(config)
        '2 worker on ecs.c6.large'
    """

    roles: tuple[Role, ...]
    resource_id: str | None = None
    priority: int | None = None
    max_run_time: int | None = None
    user_vpc: Mapping[str, Json] | None = None
    workspace_id: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "roles", given_roles(self.roles))
        if self.user_vpc is not None:
            object.__setattr__(self, "user_vpc", named("user_vpc", self.user_vpc))
        if self.workspace_id is not None:
            object.__setattr__(self, "workspace_id", str(self.workspace_id))
        if not self.roles:
            raise SpecError(
                "no role of this JobConfig has a machine. Type: "
                "JobConfig.create(worker_count=1, worker_instance_type='ecs.c6.large')",
                field="job_config",
            )

    @classmethod
    @_by_role
    def create(
        cls,
        *,
        worker_count: int = 0,
        worker_instance_type: str | None = None,
        master_count: int = 0,
        master_instance_type: str | None = None,
        chief_count: int = 0,
        chief_instance_type: str | None = None,
        ps_count: int = 0,
        ps_instance_type: str | None = None,
        evaluator_count: int = 0,
        evaluator_instance_type: str | None = None,
        resource_id: str | None = None,
        priority: int | None = None,
        max_run_time: int | None = None,
        user_vpc: Mapping[str, Json] | None = None,
        workspace_id: str | None = None,
    ) -> Self:
        """Build the config from machines per role: `JobConfig.create(worker_count=1, worker_instance_type=...)`.

        Raises:
            SpecError: no role has a machine, or one has no type.
        """
        wanted = {
            "chief": (chief_count, chief_instance_type),
            "master": (master_count, master_instance_type),
            "ps": (ps_count, ps_instance_type),
            "worker": (worker_count, worker_instance_type),
            "evaluator": (evaluator_count, evaluator_instance_type),
        }
        roles = tuple(
            _role(name, count, kind, has_quota=resource_id is not None)
            for name, (count, kind) in wanted.items()
            if count
        )
        return cls(
            roles=roles,
            resource_id=resource_id,
            priority=priority,
            max_run_time=max_run_time,
            user_vpc=user_vpc,
            workspace_id=workspace_id,
        )

    @classmethod
    def from_instance_type(cls, **given: Any) -> Self:  # Any: as `create` has them
        """Build the config with `create`, by its name in later versions of PAI's SDK."""
        return cls.create(**given)

    def to_dict(self) -> dict[str, Json]:
        """Return the config as workflows expect it for `job_config`. `ImageUri` is empty: a component has its own image."""
        jobs: list[Json] = [
            {
                "Type": _TYPES.get(role.name.lower(), role.name),
                "EcsSpec": role.instance_type,
                "PodCount": role.instance_count,
                "ImageUri": None,
            }
            for role in self.roles
        ]
        more = {
            "ResourceId": self.resource_id,
            "WorkspaceId": self.workspace_id,
            "Priority": self.priority,
            "UserVPC": None if self.user_vpc is None else dict(self.user_vpc),
            "JobMaxRunningTimeMinutes": -(-self.max_run_time // 60) if self.max_run_time else None,
        }
        return {"JobSpecs": jobs, **{name: value for name, value in more.items() if value is not None}}

    def is_plain(self, job_type: JobType) -> bool:
        """Return whether a job of this type without roles would have the same replicas."""
        first = self.roles[0]
        is_lone_master = first.name == "master" and first.instance_count == 1 and job_type in _WITH_MASTER
        return len(self.roles) == 1 and (first.name == "worker" or is_lone_master)

    def notes(self, job_type: JobType) -> list[str]:
        """Return a note if a job of this type has other replicas than the config says, else []."""
        count = self.roles[0].instance_count
        if not self.is_plain(job_type) or job_type not in _WITH_MASTER or count < 2:
            return []
        return [
            f"a {job_type} has a master: the {count} workers of `job_config` run as 1 master and {count - 1} worker. With "
            f"master_count=1 and worker_count={count} there are {count + 1} replicas."
        ]

    def machine_here(self, instance_type: str) -> str:
        """Return the instance type of a job of this machine: `instance_type`, unless each role has one of this machine."""
        kinds = [role.instance_type for role in self.roles_here if role.instance_type]
        return kinds[0] if len(kinds) == len(self.roles) else instance_type

    @property
    def roles_here(self) -> tuple[Role, ...]:
        """The roles for jobs of this machine: without instance types that it does not have."""
        return tuple(
            replace(role, instance_type=None) if role.instance_type not in LOCAL_TYPES else role for role in self.roles
        )

    def not_used_here(self, instance_type: str) -> list[str]:
        """Return notes naming what a job of this machine does not use of the config, and if it does not use `instance_type`."""
        own = {role.instance_type for role in self.roles_here}
        notes = []
        if instance_type != "local" and not own & {None, instance_type}:
            notes = [
                f"`instance_type` {instance_type!r} is not used: the roles of `job_config` have instance types of their own."
            ]
        types = dict.fromkeys(
            role.instance_type for role in self.roles if role.instance_type not in (None, *LOCAL_TYPES)
        )
        names = [*map(str, types), *(option.rpartition(".")[2] for option in self.options)]
        if names:
            notes += [f"all roles run on this machine; of `job_config` not used here: {', '.join(names)}"]
        return notes

    @property
    def options(self) -> dict[str, Json]:
        """Return the options for a `JobSpec`."""
        given: dict[str, Json] = {
            "resource_id": self.resource_id,
            "priority": self.priority,
            "workspace_id": self.workspace_id,
            "user_vpc_config": None if self.user_vpc is None else dict(self.user_vpc),
        }
        return {request_option(name): value for name, value in given.items() if value is not None}

    def __str__(self) -> str:
        given = (f"{field.name}={getattr(self, field.name)}" for field in fields(self)[1:] if getattr(self, field.name))
        machines = (f"{role.instance_count} {role.name} on {role.instance_type}" for role in self.roles)
        return ", ".join([*machines, *given])


JobConfig.__init__ = _by_role(JobConfig.__init__)  # type: ignore[method-assign]  # the dataclass has made it


def given_config(given: object) -> JobConfig:
    """Return what was given for `job_config`.

    Raises:
        SpecError: it is no `JobConfig`.
    """
    if not isinstance(given, JobConfig):
        raise SpecError(
            f"`job_config` must be a JobConfig, and is {given!r:.100}. Type: "
            "JobConfig.create(worker_count=1, worker_instance_type='ecs.c6.large')",
            field="job_config",
        )
    return given


def _role(name: str, count: int, kind: str | None, *, has_quota: bool) -> Role:
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise SpecError(f"`{name}_count` is {count!r}; it is a number of machines, e.g. 1.", field="job_config")
    if kind is None and not has_quota:
        raise SpecError(
            f"the role {name} has no machine: give {name}_instance_type, e.g. 'ecs.c6.large'.", field="job_config"
        )
    return Role(name=name, instance_count=count, instance_type=kind)
