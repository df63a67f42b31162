"""Job files of version 1, JSON: what clusters of the YARN generation (up to 0.17) take. Pure.

The rules are those of their servers, which read a number given as text, too; and stricter where a server lets pass what can
never run: no task, fewer than no GPUs, the same role twice, a port above 65535.
"""

from collections.abc import Iterator, Mapping

from pai_jupyter.backends.openpai.job_file.rules import (
    anything,
    below,
    fields,
    items,
    named,
    number_of,
    table,
    text,
    whole,
    wrong,
)

_NAME = r"[A-Za-z0-9._~]+"
_OF_NAMES = "letters, digits and . _ ~"
_LAST_PORT = 65_535

_PORT = {
    "label": named(_NAME, _OF_NAMES),
    "beginAt": whole(0, _LAST_PORT, is_coerced=True),
    "portNumber": whole(1, _LAST_PORT, is_coerced=True),
}
_ROLE = {
    "name": named(_NAME, _OF_NAMES),
    "taskNumber": whole(1, 10_000, is_coerced=True),
    "cpuNumber": whole(1, is_coerced=True),
    "memoryMB": whole(1, is_coerced=True),
    "shmMB": whole(1, is_coerced=True),
    "gpuNumber": whole(0, is_coerced=True),
    "portList": items(fields(_PORT, ["label"])),
    "command": text(may_be_empty=False),
    "minFailedTaskCount": whole(1, is_coerced=True, may_be_null=True),
    "minSucceededTaskCount": whole(1, is_coerced=True, may_be_null=True),
}
DIRECTORIES = ("authFile", "dataDir", "outputDir", "codeDir")
_JOB = {
    "jobName": named(r"[A-Za-z0-9._-]+", "letters, digits and . _ -"),
    "image": text(may_be_empty=False),
    **dict.fromkeys((*DIRECTORIES, "virtualCluster", "gpuType"), text()),
    "taskRoles": items(fields(_ROLE, ["name", "command"]), least=1),
    "retryCount": whole(-2, is_coerced=True),
    "jobEnvs": table(anything, named(r"[A-Za-z_][A-Za-z0-9_]*", "letters, digits and _")),
    "extras": table(anything, named(r"[A-Za-z0-9._]+", "letters, digits and . _")),
    "killAllOnCompletedTaskNumber": whole(0, is_coerced=True),
}
_check = fields(_JOB, ["jobName", "image", "taskRoles"])


def problems(config: Mapping[str, object]) -> Iterator[str]:
    """Yield a sentence for each thing that a server refuses or that cannot run."""
    if "protocolVersion" in config and "jobName" not in config:
        yield "this is a job file of version 2 (`protocolVersion`). Check it as v2, and name it *.pai.yaml"
        return
    yield from _check(config, "")
    roles = config.get("taskRoles")
    if isinstance(roles, list | tuple):
        yield from _twice([_text(role, "name") for role in roles], "taskRoles", "name")
        for number, role in enumerate(roles):
            if isinstance(role, Mapping):
                yield from _of_role(role, f"taskRoles[{number}]")
    environments = config.get("jobEnvs")
    if isinstance(environments, Mapping):
        for name, value in environments.items():
            if isinstance(value, Mapping | list | tuple) or value is None:
                yield wrong(f"jobEnvs.{str(name)[:60]}", value, "text or a number")


def _of_role(role: Mapping[str, object], place: str) -> Iterator[str]:
    tasks = _count(role, "taskNumber", 1)
    for name in ("minFailedTaskCount", "minSucceededTaskCount"):
        count = _count(role, name, 0)
        if tasks is not None and count is not None and count > tasks >= 1:
            yield f"`{below(place, name)}` is {count}, but the role has {tasks} tasks. Give {tasks} at most."
    memory, shared = _count(role, "memoryMB", 100), _count(role, "shmMB", 0)
    if memory is not None and shared is not None and shared > memory >= 1:
        yield f"`{place}.shmMB` is {shared}, but `memoryMB` is {memory}. Give {memory} at most."
    ports = role.get("portList")
    if isinstance(ports, list | tuple):
        yield from _twice([_text(port, "label") for port in ports], f"{place}.portList", "label")
        for number, port in enumerate(ports):
            if isinstance(port, Mapping):
                yield from _of_port(port, f"{place}.portList[{number}]")


def _of_port(port: Mapping[str, object], place: str) -> Iterator[str]:
    first, count = _count(port, "beginAt", 0), _count(port, "portNumber", 1)
    if first and count and count <= _LAST_PORT and first <= _LAST_PORT < first + count - 1:
        yield f"`{place}` ends at port {first + count - 1}; the last one is {_LAST_PORT}."


def _twice(names: list[str | None], place: str, field: str) -> Iterator[str]:
    given = [name for name in names if name is not None]
    for name in dict.fromkeys(name for name in given if given.count(name) > 1):
        yield f"`{place}` has the {field} {name[:60]!r} twice. Rename one of them."


def _text(value: object, name: str) -> str | None:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, str) else None


def _count(value: Mapping[str, object], name: str, default: int) -> int | None:
    return number_of(value[name], is_coerced=True) if value.get(name) is not None else default
