"""A job file as a job that this machine can run: its roles, commands and variables, for simulation and for the emulator. Pure.

Both versions' commands run in bash, as a cluster runs them. Templates of version 2 are filled in; what leads nowhere stays.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pai_jupyter.backends.openpai.job_file.hiding import REFERENCE, hidden
from pai_jupyter.backends.openpai.job_file.rules import number_of
from pai_jupyter.backends.openpai.job_file.variables import filled_in
from pai_jupyter.spec import JobSpec, Role

_TEMPLATE = re.compile(r"<%\s*\$(\w+)((?:\.[A-Za-z_]\w*|\[\d+\])+)\s*%>")
_PART = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+)\]")


def runnable(
    config: Mapping[str, Any],  # Any: JSON
    version: str,
    *,
    user: str,
    file_system: str = "",
    joined_by: str = "\n",
) -> JobSpec:
    """Return a checked and completed job file as a job of task roles.

    Args:
        config: The job file.
        version: "v1" or "v2".
        user: Who submits it.
        file_system: The cluster's PAI_DEFAULT_FS_URI; "" where there is no HDFS.
        joined_by: Between the lines of a role's commands: newer servers take newlines, older ones ` && `.
    """
    name = str(config["jobName" if version == "v1" else "name"])
    bare, secrets = hidden(config)
    roles = tuple(_v1(bare) if version == "v1" else _v2(bare, joined_by))
    variables = {"PAI_JOB_NAME": f"{user}~{name}", "PAI_USER_NAME": user, "PAI_DEFAULT_FS_URI": file_system}
    if version == "v1":
        variables |= _directories(config, name, user, file_system)
    return JobSpec(
        name=name[:100],
        command=roles[0].command or "true",
        image_uri=roles[0].image_uri,
        job_type="TaskRoles",
        roles=roles,
        environments=variables
        | {name: value for name, value in secrets.items() if name in _named_by(roles)}
        | {key: str(value) for key, value in (config.get("jobEnvs") or {}).items()},
    )


def _v1(config: Mapping[str, Any]) -> Iterator[Role]:  # Any: JSON
    for role in config["taskRoles"]:
        count = _whole(role, "taskNumber", 1)
        yield Role(
            name=role["name"],
            instance_count=count,
            command=in_bash(role["command"]),
            image_uri=config["image"],
            cpus=_whole(role, "cpuNumber", 1),
            memory=_whole(role, "memoryMB", 100),
            shared_memory=_whole(role, "shmMB", 64),
            gpus=_whole(role, "gpuNumber", 0) or None,
            ports={port["label"]: _whole(port, "portNumber", 1) for port in role.get("portList") or ()},
            tolerated_failures=_tolerated(role.get("minFailedTaskCount", 1), count),
            sufficient_successes=number_of(role.get("minSucceededTaskCount"), is_coerced=True) or 0,
        )


def _v2(config: Mapping[str, Any], joined_by: str) -> Iterator[Role]:  # Any: JSON
    images = {
        item["name"]: item["uri"] for item in config.get("prerequisites") or () if item.get("type") == "dockerimage"
    }
    for name, role in config["taskRoles"].items():
        count, resources, completion = (
            role.get("instances", 1),
            role["resourcePerInstance"],
            role.get("completion") or {},
        )
        lines = [filled(line, config, role).strip() for line in _commands(config, name, role)]
        yield Role(
            name=name,
            instance_count=int(count),
            command=in_bash(joined_by.join(lines)),
            image_uri=images[role["dockerImage"]],
            cpus=int(resources["cpu"]),
            memory=int(resources["memoryMB"]),
            shared_memory=int((role.get("extraContainerOptions") or {}).get("shmMB", 512)),
            gpus=int(resources["gpu"]) or None,
            ports={label: int(number) for label, number in (resources.get("ports") or {}).items()},
            tolerated_failures=_tolerated(completion.get("minFailedInstances") or 1, int(count)),
            sufficient_successes=int(completion.get("minSucceededInstances") or count),
        )


def _commands(config: Mapping[str, Any], name: str, role: Mapping[str, Any]) -> list[str]:  # Any: JSON
    """Return a role's commands with those of the chosen deployment around them."""
    wanted = (config.get("defaults") or {}).get("deployment")
    chosen: Mapping[str, Any] = next(  # Any: JSON
        (each for each in config.get("deployments") or () if each["name"] == wanted), {}
    )
    around = (chosen.get("taskRoles") or {}).get(name) or {}
    return [*(around.get("preCommands") or ()), *role["commands"], *(around.get("postCommands") or ())]


def filled(text: str, config: Mapping[str, Any], role: Mapping[str, Any]) -> str:  # Any: JSON
    """Fill in `<% $parameters.epochs %>` and its like."""

    def value(found: re.Match[str]) -> str:
        inside: Any = _named(found[1], config, role)  # Any: JSON
        for key, number in _PART.findall(found[2]):
            try:
                inside = inside[key] if key else inside[int(number)]
            except (KeyError, IndexError, TypeError):
                return found[0]
        return str(inside)

    return _TEMPLATE.sub(value, text)


def in_bash(command: str) -> str:
    """Return the command as bash runs it; in an image without bash, as sh does. Secrets come into it when it is run."""
    quoted = REFERENCE.sub(lambda found: f"'\"{found[0]}\"'", shlex.quote(command))
    return f'exec "$(command -v bash || command -v sh)" -c {quoted}'


def _named_by(roles: Iterable[Role]) -> set[str]:
    return {name for role in roles for name in REFERENCE.findall(role.command or "")}


def _named(kind: str, config: Mapping[str, Any], role: Mapping[str, Any]) -> Any:  # Any: JSON
    if kind in ("parameters", "secrets"):
        return config.get(kind) or {}
    items = config.get("prerequisites") or ()
    return next((item for item in items if item.get("type") == kind and item.get("name") == role.get(kind)), {})


def _directories(config: Mapping[str, Any], name: str, user: str, file_system: str) -> dict[str, str]:  # Any: JSON
    given = {key: str(config.get(key) or "") for key in ("dataDir", "outputDir", "codeDir")}
    given["outputDir"] = given["outputDir"] or f"{file_system}/Output/{user}/{name}"
    places = {
        key: filled_in(place.replace("$PAI_DEFAULT_FS_URI", file_system, 1), job=name, user=user)
        for key, place in given.items()
    }
    return {"PAI_DATA_DIR": places["dataDir"], "PAI_OUTPUT_DIR": places["outputDir"], "PAI_CODE_DIR": places["codeDir"]}


def _tolerated(failures: object, count: int) -> int:
    """Return how many failures do not matter: all of them, where none decides."""
    number = number_of(failures, is_coerced=True)
    return count if number is None else number - 1


def _whole(value: Mapping[str, Any], name: str, default: int) -> int:  # Any: JSON
    return number_of(value.get(name, default), is_coerced=True) or 0
