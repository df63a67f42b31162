"""Build all environment variables of one replica of a job.

The user's `environments` never replace a variable of the contract, since scripts rely on those. `PYTHONUNBUFFERED` is only a
default, so that logs arrive as they are printed; the user may change it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from pai_jupyter.contract.compat import compat_variables
from pai_jupyter.contract.paths import PATHS, Paths, output_channels
from pai_jupyter.contract.task_roles import own_ports, task_defaults, task_variables
from pai_jupyter.contract.topology import (
    PORTS,
    SHARDS_DONE,
    SHARDS_WORKERS,
    Replica,
    host_name,
    replicas,
    topology,
)
from pai_jupyter.contract.values import as_json, check_passable, texts
from pai_jupyter.contract.words import user_args
from pai_jupyter.spec import JobSpec, env_name

GPUS = "NVIDIA_VISIBLE_DEVICES"
_ALL_DIRECTORIES: Mapping[str, str] = MappingProxyType({})


def environment(
    spec: JobSpec,
    replica: Replica,
    *,
    paths: Paths = PATHS,
    input_files: Mapping[str, str] = _ALL_DIRECTORIES,
    host: Callable[[Replica], str] | None = None,
    port: Callable[[Replica], int] | None = None,
    task_ports: Callable[[Replica], Sequence[int]] | None = None,
    gpus: int = 0,
    by_service: bool = False,
    shards_done: str | None = None,
) -> dict[str, str]:
    """Build a replica's environment variables: those of the contract and the user's own.

    Args:
        spec: The job.
        replica: The replica that gets the variables.
        paths: Location of its /ml tree.
        input_files: Channel -> file name, for each input that is one file.
        host: Gives the host name under which others reach a replica; default `host_name`.
        port: Gives the port of a replica; default: the job type's.
        task_ports: Gives the ports of a task of TaskRoles; default: `own_ports`.
        by_service: Whether PAI sets the variables about other replicas, not a backend of this machine.
        shards_done: Path of a file that all replicas share, whose existence ends an ElasticBatchJob; None: nothing looks for it.
        gpus: Number of GPUs that the replica sees. With 0 the variable is left out; unset it if the image sets it.

    Raises:
        SpecError: a variable cannot be handed to a program.
    """
    is_task = spec.effective_job_type == "TaskRoles" and not by_service
    host = host or (lambda it: host_name(spec, it))
    contract = {
        **(
            task_variables(spec, replica, host=host, ports=task_ports or (lambda it: own_ports(spec, it)))
            if is_task
            else {}
        ),
        **_places(spec, paths, input_files),
        **_hyperparameters(spec),
        **topology(
            spec,
            replica,
            host=host,
            port=port or (lambda _: PORTS[spec.effective_job_type]),
            by_service=by_service,
        ),
        **({GPUS: ",".join(map(str, range(gpus)))} if gpus else {}),
        **_shards(spec, shards_done, by_service=by_service),
    }
    own = {name: value for name, value in spec.environments.items() if name not in contract and name != GPUS}
    defaults = task_defaults(spec, paths.working_dir) if is_task else {}
    compat = compat_variables(spec, replica, paths=paths, input_files=input_files, gpus=gpus)
    variables = {"PYTHONUNBUFFERED": "1", **defaults, **compat, **contract, **own}
    for name, value in variables.items():
        check_passable(
            f"{name}={value}",
            what=f"the variable {name}",
            field="environments" if name in own else "hyperparameters",
        )
    return variables


def not_used(spec: JobSpec, *, by_service: bool = False) -> list[str]:
    """Return a note for each of the user's variables that the contract overrides; `by_service` as in `environment`.

    Raises:
        SpecError: a variable cannot be passed to a program, or the job type lacks one of its roles.
    """
    if not spec.environments:
        return []
    ours = environment(replace(spec, environments={}, compat=None), replicas(spec)[0], by_service=by_service)
    of_contract = {GPUS, *ours} - {"PYTHONUNBUFFERED", *task_defaults(spec, "")}
    return [
        f"the value given for {name} is not used: every job gets its own, as the training contract says."
        for name in spec.environments
        if name in of_contract
    ]


def _places(spec: JobSpec, paths: Paths, input_files: Mapping[str, str]) -> dict[str, str]:
    inputs = {f"PAI_INPUT_{env_name(name)}": paths.input(name) + input_files.get(name, "") for name in spec.inputs}
    outputs = {f"PAI_OUTPUT_{env_name(name)}": paths.output(name) for name in output_channels(spec)}
    has_tables = any(place.startswith("odps://") for place in spec.inputs.values())
    return {
        "PAI_WORKING_DIR": paths.working_dir,
        "PAI_CONFIG_DIR": paths.config_dir,
        **inputs,
        **outputs,
        "PAI_OUTPUT_LOGS": paths.output("tensorboard"),  # the same channel under its older name
        **({"PAI_ODPS_CREDENTIAL": paths.odps_credential} if has_tables else {}),
    }


def _shards(spec: JobSpec, done: str | None, *, by_service: bool) -> dict[str, str]:
    if spec.effective_job_type != "ElasticBatchJob":
        return {}
    workers = {SHARDS_WORKERS: str(len(replicas(spec)))} if by_service else {}
    return {**workers, **({SHARDS_DONE: done} if done else {})}


def _hyperparameters(spec: JobSpec) -> dict[str, str]:
    return {
        "PAI_HPS": as_json(spec),
        # as PAI documents it; a shell splits it again, so `command` passes the exact words
        "PAI_USER_ARGS": " ".join(user_args(spec)),
        **{f"PAI_HPS_{env_name(name)}": text for name, text in texts(spec).items()},
    }
