"""A job of OpenPAI's task roles: what its tasks are told of each other, and what the end of one means for the job. Pure.

A role has a name of its own (`demo_001`), its own command and image, and its tasks are equals. In a job of this type:
- the job fails when a role has more failures than it tolerates, and succeeds when a role has its sufficient successes, or when
  every task has ended; then what still runs is ended, as OpenPAI's framework controller does;
- every task finds the variables of OpenPAI's containers (its documents: "environment variables"). `host` may be a name
  where OpenPAI has an address: nobody knows the address of a container before its start;
- every task has a port `http` and a port `ssh`, whatever ports its role asks for.

`SHARED` lists the names that mean one thing in the training contract and another in OpenPAI; the contract's meaning holds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pai_jupyter.contract.topology import Replica, replicas, role_of
from pai_jupyter.spec import JobSpec, Role

SHARED = ("PAI_OUTPUT_DIR",)
"""Names of both vocabularies: OpenPAI's output directory, and an output channel `dir` of the training contract."""

ALWAYS = ("http", "ssh")  # ports that every task has
FIRST_PORT = 23_456  # where a task has a network of its own
_CPUS, _MEMORY, _SHARED_MEMORY = 1, 100, 64  # what a role has that says nothing; megabytes

Hosts = Callable[[Replica], str]
Ports = Callable[[Replica], Sequence[int]]


@dataclass(frozen=True, kw_only=True)
class RoleCompletion:
    """When the tasks of one role decide the job; `failures` and `successes` are counts, 0 for never."""

    replicas: tuple[str, ...]
    failures: int
    successes: int


def completions(spec: JobSpec) -> tuple[RoleCompletion, ...]:
    """Return when each role decides the job; () for a job of another type, whose `policy` does."""
    if spec.effective_job_type != "TaskRoles":
        return ()
    every = replicas(spec)
    return tuple(
        RoleCompletion(
            replicas=tuple(it.name for it in every if it.role == role.name.lower()),
            failures=role.tolerated_failures + 1 if role.tolerated_failures < role.instance_count else 0,
            successes=role.sufficient_successes,
        )
        for role in roles_of(spec)
    )


def roles_of(spec: JobSpec) -> tuple[Role, ...]:
    """Return the roles of the job; one without any has `worker`."""
    return spec.roles or (Role(name="worker", instance_count=spec.instance_count),)


def port_counts(role: Role) -> dict[str, int]:
    """Return how many ports a task has by label, in the order in which they are numbered."""
    return {**dict.fromkeys(ALWAYS, 1), **role.ports}


def port_count(spec: JobSpec, replica: Replica) -> int:
    """Return how many ports a task has."""
    return sum(port_counts(_role(spec, replica)).values())


def own_ports(spec: JobSpec, replica: Replica) -> list[int]:
    """Return the ports of a task that has a network of its own."""
    return list(range(FIRST_PORT, FIRST_PORT + port_count(spec, replica)))


def task_variables(spec: JobSpec, replica: Replica, *, host: Hosts, ports: Ports) -> dict[str, str]:
    """Return what OpenPAI tells a task of itself and of the others."""
    role, found = _role(spec, replica), _labelled(spec, replica, ports)
    return {
        **_of_container(spec, role, replica, host(replica), found),
        **_of_job(spec, host, ports),
        **_older_names(spec, role, replica, host(replica), found),
    }


def task_defaults(spec: JobSpec, working_dir: str) -> dict[str, str]:
    """Return the variables about the job that whoever submits it may give otherwise: `user~job` as its name, say."""
    name = spec.environments.get("PAI_JOB_NAME", spec.name)
    user = spec.environments.get("PAI_USER_NAME", "")
    return {
        **dict.fromkeys(("PAI_JOB_NAME", "FRAMEWORK_NAME", "PAI_FRAMEWORK_NAME"), name),
        **dict.fromkeys(("PAI_USER_NAME", "PAI_USERNAME", "HADOOP_USER_NAME"), user),
        "PAI_DEFAULT_FS_URI": "",
        "PAI_VIRTUAL_CLUSTER": "default",
        "PAI_WORK_DIR": working_dir,
    }


def _role(spec: JobSpec, replica: Replica) -> Role:
    return role_of(spec, replica) or roles_of(spec)[0]


def _labelled(spec: JobSpec, replica: Replica, ports: Ports) -> dict[str, str]:
    """Return a task's ports by label, as lists with commas."""
    given, labelled = list(ports(replica)), {}
    for label, count in port_counts(_role(spec, replica)).items():
        labelled[label], given = ",".join(map(str, given[:count])), given[count:]
    return labelled


def _resource(role: Role) -> str:
    return f"{role.gpus or 0},{role.cpus or _CPUS},{role.memory or _MEMORY},{role.shared_memory or _SHARED_MEMORY}"


def _of_container(spec: JobSpec, role: Role, replica: Replica, host: str, ports: Mapping[str, str]) -> dict[str, str]:
    index = str(replica.index)
    return {
        "PAI_CONTAINER_ID": replica.name,
        "PAI_CONTAINER_HOST_IP": host,
        "PAI_CONTAINER_HOST_PORT": ports["http"],
        "PAI_CONTAINER_SSH_PORT": ports["ssh"],
        "PAI_CONTAINER_HOST_PORT_LIST": ";".join(f"{label}:{numbers}" for label, numbers in ports.items()),
        **{f"PAI_CONTAINER_HOST_{label}_PORT_LIST": numbers for label, numbers in ports.items()},
        "PAI_CURRENT_TASK_ROLE_NAME": role.name,
        **dict.fromkeys(("PAI_TASK_INDEX", "PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX"), index),
        "PAI_RESOURCE": _resource(role),
    }


def _of_job(spec: JobSpec, host: Hosts, ports: Ports) -> dict[str, str]:
    roles, every = roles_of(spec), replicas(spec)
    found = {"PAI_TASK_ROLE_COUNT": str(len(roles)), "PAI_TASK_ROLE_LIST": ",".join(role.name for role in roles)}
    for role in roles:
        tasks = [it for it in every if it.role == role.name.lower()]
        found |= {
            f"PAI_TASK_ROLE_TASK_COUNT_{role.name}": str(len(tasks)),
            f"PAI_RESOURCE_{role.name}": _resource(role),
            f"PAI_MIN_FAILED_TASK_COUNT_{role.name}": str(role.tolerated_failures + 1),
            f"PAI_MIN_SUCCEEDED_TASK_COUNT_{role.name}": str(role.sufficient_successes or len(tasks)),
        }
        addresses = []
        for task in tasks:
            labelled = _labelled(spec, task, ports)
            addresses.append(f"{host(task)}:{labelled['http']}")
            found[f"PAI_HOST_IP_{role.name}_{task.index}"] = host(task)
            found |= {f"PAI_PORT_LIST_{role.name}_{task.index}_{label}": n for label, n in labelled.items()}
        found[f"PAI_TASK_ROLE_{role.name}_HOST_LIST"] = ",".join(addresses)
    return found


def _older_names(spec: JobSpec, role: Role, replica: Replica, host: str, ports: Mapping[str, str]) -> dict[str, str]:
    roles, number = roles_of(spec), str(len(replicas(spec)))
    gpus, cpus, memory, shared = _resource(role).split(",")
    return {
        "PAI_CURRENT_CONTAINER_IP": host,
        "PAI_CURRENT_CONTAINER_PORT": ports["http"],
        "PAI_TASK_ROLE_NAME": role.name,
        "PAI_TASK_ROLE_INDEX": str(replica.index),
        **dict.fromkeys(("PAI_TASK_ROLE_NUM", "PAI_CURRENT_TASK_ROLE_TASK_COUNT"), str(role.instance_count)),
        **dict.fromkeys(("PAI_TASK_CPU_NUM", "PAI_CURRENT_TASK_ROLE_CPU_COUNT"), cpus),
        **dict.fromkeys(("PAI_TASK_MEM_MB", "PAI_CURRENT_TASK_ROLE_MEM_MB"), memory),
        **dict.fromkeys(("PAI_TASK_GPU_NUM", "PAI_CURRENT_TASK_ROLE_GPU_COUNT"), gpus),
        "PAI_CURRENT_TASK_ROLE_SHM_MB": shared,
        "PAI_CURRENT_TASK_ROLE_MIN_FAILED_TASK_COUNT": str(role.tolerated_failures + 1),
        "PAI_CURRENT_TASK_ROLE_MIN_SUCCEEDED_TASK_COUNT": str(role.sufficient_successes or role.instance_count),
        **dict.fromkeys(("PAI_TASKS_NUM", "PAI_JOB_TASK_COUNT"), number),
        **dict.fromkeys(("PAI_TASK_ROLES_NUM", "PAI_JOB_TASK_ROLE_COUNT"), str(len(roles))),
        "PAI_JOB_TASK_ROLE_LIST": ",".join(each.name for each in roles),
    }
