"""The roles of a distributed job: as texts, held against the type of the job, and in words. Pure.

A role is written NAME=COUNT or NAME=COUNT:TYPE, e.g. `worker=2:ecs.c6.large`; its name may be in upper or lower case.

Rule 1: every door (magic, form, panel, `Estimator`) checks roles here; `cell.wording` rewords the sentences for Python.
Rule 2: everything that shows a job's machines shows `machines_text` or `roles_text`.
"""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from pai_jupyter.errors import SpecError
from pai_jupyter.spec import OF_THE_SERVICE, SERVICE_TYPES, JobSpec, JobType, Role

ROLES: dict[JobType, tuple[str, ...]] = {  # the order of replicas, and so of RANK
    "TFJob": ("chief", "master", "ps", "worker", "evaluator"),  # master is chief's older name
    "PyTorchJob": ("master", "worker"),
    "XGBoostJob": ("master", "worker"),
    "ElasticBatchJob": ("aimaster", "worker"),
    "TaskRoles": ("worker",),  # offered; it may have any
}
_TASK_ROLE = re.compile(r"[A-Za-z0-9_~][A-Za-z0-9._~]*")
_ONE_AT_MOST = (("chief", "master"), ("evaluator",))  # in a cluster of TensorFlow, with an older name
_NOT_OFFERED = {"TFJob": "master", "ElasticBatchJob": OF_THE_SERVICE}
_DIGITS = 9  # of a count; `JobSpec` has a lower limit


def offered_roles(job_type: JobType) -> tuple[str, ...]:
    """Return the roles to choose from: those of the type, without an older name and the service's own."""
    return tuple(name for name in ROLES[job_type] if name != _NOT_OFFERED.get(job_type))


def read_role(text: str) -> Role:
    """Parse `worker=2` or `worker=2:ecs.c6.large`.

    Raises:
        SpecError: the text has another form, or its count is no whole number from 1.

    Example:
        >>> read_role("worker=2").instance_count
        2
    """
    name, equals, machines = (part.strip() for part in text.partition("="))
    count, colon, kind = (part.strip() for part in machines.partition(":"))
    if not name or not equals or (colon and not kind):
        raise SpecError(
            f"`--role {text}` is not of the form NAME=COUNT or NAME=COUNT:TYPE, e.g. --role worker=2 or "
            "--role worker=2:ecs.c6.large",
            field="roles",
        )
    if not count.isdecimal() or len(count) > _DIGITS or int(count) < 1:
        raise SpecError(
            f"`--role {text}`: the count must be a whole number from 1, e.g. --role {name}=2", field="roles"
        )
    return Role(name=name, instance_count=int(count), instance_type=kind or None)


def role_text(role: Role) -> str:
    """Return the text that `read_role` parses; a command or image of the role's own is not in it."""
    return f"{role.name}={role.instance_count}" + (f":{role.instance_type}" if role.instance_type else "")


def check_roles(roles: Sequence[Role], job_type: JobType) -> None:
    """Check that a job of this type can have these roles.

    Raises:
        SpecError: a role is unknown to the type or there twice, it has not exactly one master, or AIMaster alone.
    """
    for role in roles:
        if job_type == "TaskRoles":
            _check_task_role(role)
        elif role.name.lower() not in ROLES[job_type]:
            raise SpecError(
                f"`--role {role_text(role)}`: {job_type} has no role {role.name!r}; it has "
                f"{', '.join(offered_roles(job_type))}. Type e.g. --role worker={role.instance_count}",
                field="roles",
            )
    counts = Counter(role.name.lower() for role in roles)
    if twice := next((role for role in roles if counts[role.name.lower()] > 1), None):
        total = sum(role.instance_count for role in roles if role.name.lower() == twice.name.lower())
        raise SpecError(
            f"`--role {role_text(twice)}`: the role {twice.name!r} is given twice. Type it once: "
            f"--role {twice.name}={total}",
            field="roles",
        )
    masters = sum(role.instance_count for role in roles if role.name.lower() == "master")
    if job_type in ("PyTorchJob", "XGBoostJob") and masters != 1:
        raise SpecError(
            f"{job_type} needs exactly one master, and {masters} are asked for. Type --role master=1", field="roles"
        )
    if job_type == "ElasticBatchJob" and not counts["worker"]:
        raise SpecError(
            "ElasticBatchJob needs workers: nothing of yours runs in an AIMaster. Type --role worker=2", field="roles"
        )


def _check_task_role(role: Role) -> None:
    if not _TASK_ROLE.fullmatch(role.name):
        raise SpecError(
            f"`--role {role_text(role)}`: a role of TaskRoles has letters, digits and . _ ~ in its name, and no . in front. "
            f"Type e.g. --role worker={role.instance_count}",
            field="roles",
        )


def check_asked(roles: Sequence[Role], job_type: JobType | None, instance_count: int | None) -> None:
    """Check the roles that a user asks for, with the type and the number of instances asked for (None: not given).

    Raises:
        SpecError: as `check_roles`; or it is not clear of which type they are; or the number is another one.
    """
    if not roles:
        return
    if job_type is None:
        types = _types_for(roles)
        raise SpecError(
            f"`--role {role_text(roles[0])}` needs a job type, one of {', '.join(types)}. Type e.g. --job-type {types[0]}",
            field="roles",
        )
    if job_type not in ROLES:  # `JobSpec` says it
        return
    check_roles(roles, job_type)
    total = sum(role.instance_count for role in _own(roles))
    if instance_count not in (None, total):
        raise SpecError(
            f"`--instance-count {instance_count}` disagrees with the roles, which are {total} instances: "
            f"{_in_words(roles)}. Leave out `--instance-count`.",
            field="instance_count",
        )


def role_notes(spec: JobSpec) -> list[str]:
    """Return notes about roles that are left out, and about those that the job's framework will not have."""
    notes = []
    if any(role.name.lower() == OF_THE_SERVICE for role in spec.roles):
        notes = ["the role AIMaster is left out: PAI runs its own, and jobs of this machine need none."]
    if spec.effective_job_type == "TFJob":
        notes += [_too_many(spec, names) for names in _ONE_AT_MOST if _count(spec, names) > 1]
    return notes


def _too_many(spec: JobSpec, names: Sequence[str]) -> str:
    there = [name for name in names if _count(spec, [name])]
    what = there[0] if len(there) == 1 else "chief (master is its older name)"
    return f"TensorFlow takes one {what} at most, and the roles have {_count(spec, names)}: its strategies refuse such a cluster."


def _count(spec: JobSpec, names: Sequence[str]) -> int:
    return sum(role.instance_count for role in spec.roles if role.name.lower() in names)


def _types_for(roles: Sequence[Role]) -> list[JobType]:
    """Return the types that can have these roles; all types if none can."""
    fitting: list[JobType] = []
    for job_type in SERVICE_TYPES:
        names = {*offered_roles(job_type), OF_THE_SERVICE}
        with suppress(SpecError):
            check_roles(roles, job_type)
            fitting += [job_type] if all(role.name.lower() in names for role in roles) else []
    return fitting or list(SERVICE_TYPES)


def roles_text(spec: JobSpec) -> str:
    """Return a job's roles in words, "1 chief, 2 worker"; "" for a job without roles.

    Where roles differ in their instance types, each has its own: "1 chief (ecs.c6.large), 2 worker (ecs.gn6i-c4g1.xlarge)".
    An AIMaster, which is left out, is not among them.
    """
    kinds = _instance_types(spec)
    return _in_words(spec.roles, kinds if len(set(kinds)) > 1 else ())


def machines_text(spec: JobSpec) -> str:
    """Return a job's machines: "ecs.c6.large ×2"; of a job with roles "ecs.c6.large · 1 chief, 2 worker"."""
    kinds = dict.fromkeys(_instance_types(spec))
    if not spec.roles:
        return f"{spec.instance_type} ×{spec.instance_count}"
    return " · ".join([*(kinds if len(kinds) == 1 else ()), roles_text(spec)])


def _instance_types(spec: JobSpec) -> list[str]:
    return [role.instance_type or spec.instance_type for role in _own(spec.roles)]


def _in_words(roles: Sequence[Role], kinds: Sequence[str] = ()) -> str:
    own = _own(roles)
    shown = [f" ({kind})" for kind in kinds] or [""] * len(own)
    return ", ".join(f"{role.instance_count} {role.name.lower()}{kind}" for role, kind in zip(own, shown, strict=True))


def _own(roles: Sequence[Role]) -> list[Role]:
    return [role for role in roles if role.name.lower() != OF_THE_SERVICE]
