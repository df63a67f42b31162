"""Job files of version 2, YAML: what living clusters (v1.x) take, and those of the YARN generation besides. Pure.

The rules are those of their servers; stricter where a server lets pass what can never run as it is meant: fewer than no GPUs,
a reference to a parameter that is not there (old servers leave a gap, new ones leave the reference), a role of a deployment
that the job does not have.
"""

import re
from collections.abc import Iterator, Mapping

from pai_jupyter.backends.openpai.job_file.rules import (
    Rule,
    anything,
    below,
    fields,
    flag,
    items,
    named,
    number_of,
    one_of,
    table,
    text,
    version,
    whole,
)

_name = named(r"[A-Za-z0-9_-]+", "letters, digits, - and _")
_role_name = named(r"[A-Za-z_][A-Za-z0-9_]*", "letters, digits and _, with no digit in front")
_KINDS = ("dockerimage", "script", "output", "data")
_REFERENCE = re.compile(r"<%\s*\$(\w+)\.([A-Za-z_]\w*)[^%]*%>")

_BASE: dict[str, Rule] = {
    "protocolVersion": one_of(2, "2"),
    "name": _name,
    "version": version,
    "contributor": text(),
    "description": text(),
}
_AUTH = fields({"username": text(), "password": text(), "registryuri": text()}, is_open=True)
_IMAGE = fields({**_BASE, "type": anything, "auth": _AUTH, "uri": text(may_be_empty=False)}, ["name", "uri"])
_DATA = fields({**_BASE, "uri": items(text(may_be_empty=False))}, ["name"], is_open=True)
_FILE = fields({**_BASE, "uri": text(may_be_empty=False)}, ["name"], is_open=True)
_RESOURCES = {
    "cpu": whole(1),
    "memoryMB": whole(1),
    "gpu": whole(0),
    "ports": table(whole(1, 65_535), _role_name, least=1),
}
_ROLE = {
    "protocolVersion": one_of(2, "2"),
    "instances": whole(1, 10_000),
    "completion": fields(
        {"minFailedInstances": whole(0, may_be_null=True), "minSucceededInstances": whole(0, may_be_null=True)}
    ),
    "taskRetryCount": whole(0),
    "dockerImage": text(may_be_empty=False),
    "data": text(may_be_empty=False),
    "output": text(may_be_empty=False),
    "script": text(may_be_empty=False),
    "prerequisites": items(text(may_be_empty=False)),
    "extraContainerOptions": fields({"shmMB": whole(1), "infiniband": flag}),
    "resourcePerInstance": fields(_RESOURCES, ["cpu", "memoryMB", "gpu"]),
    "commands": items(text(may_be_empty=False), least=1),
}
_COMMANDS = items(text(), least=1)
_DEPLOYMENT = {
    "protocolVersion": one_of(2, "2"),
    "name": _name,
    "taskRoles": table(fields({"preCommands": _COMMANDS, "postCommands": _COMMANDS}), _role_name, least=1),
}
_PLUGIN = fields(
    {"plugin": text(may_be_empty=False), "failurePolicy": one_of("fail", "ignore")}, ["plugin"], is_open=True
)
_HIVED_ROLE = {
    "skuType": text(may_be_empty=False),
    "pinnedCellId": text(may_be_empty=False),
    "skuNum": whole(1),
    "affinityGroupName": text(),
}
_EXTRAS = {
    "gangAllocation": flag,
    "storages": items(
        fields({"name": text(may_be_empty=False), "mountPath": text(may_be_empty=False)}, ["name"], is_open=True)
    ),
    "com.microsoft.pai.runtimeplugin": items(_PLUGIN),
    "hivedScheduler": fields(
        {"jobPriorityClass": one_of("prod", "test", "oppo"), "taskRoles": table(fields(_HIVED_ROLE, is_open=True))},
        is_open=True,
    ),
    "jobStatusChangeNotification": fields(
        dict.fromkeys(("running", "succeeded", "failed", "stopped", "retried"), flag)
    ),
}
_JOB = {
    **_BASE,
    "type": one_of("job"),
    "prerequisites": items(anything, least=1),
    "parameters": table(anything),
    "secrets": table(anything),
    "jobRetryCount": whole(0),
    "taskRoles": table(fields(_ROLE, ["dockerImage", "resourcePerInstance", "commands"]), _role_name, least=1),
    "deployments": items(fields(_DEPLOYMENT, ["name", "taskRoles"], is_open=True), least=1),
    "defaults": fields({"deployment": text(), "virtualCluster": text(may_be_empty=False)}, is_open=True),
    "extras": fields(_EXTRAS, is_open=True),
}
_check = fields(_JOB, ["protocolVersion", "name", "type", "taskRoles"])


def problems(config: Mapping[str, object]) -> Iterator[str]:
    """Yield a sentence for each thing that a server refuses or that cannot run as it is meant."""
    if "jobName" in config and "protocolVersion" not in config:
        yield "this is a job file of version 1 (`jobName`). Check it as v1, and name it *.pai.json"
        return
    yield from _check(config, "")
    for number, item in enumerate(_list(config, "prerequisites")):
        yield from _prerequisite(item, f"prerequisites[{number}]")
    yield from _twice(config)
    for name, role in _table(config, "taskRoles").items():
        if isinstance(role, Mapping):
            yield from _of_role(config, role, f"taskRoles.{name}")
    yield from _deployments(config)
    yield from _hived(config)


def _prerequisite(value: object, place: str) -> Iterator[str]:
    kind = value.get("type") if isinstance(value, Mapping) else None
    if isinstance(value, Mapping) and "plugin" in value:
        yield from fields(
            {"name": text(may_be_empty=False), "plugin": text(may_be_empty=False)}, ["name"], is_open=True
        )(value, place)
    elif isinstance(value, Mapping) and kind not in _KINDS:
        missing = f"`{below(place, 'type')}` is missing. Add it."
        yield next(one_of(*_KINDS)(kind, f"{place}.type")) if "type" in value else missing
    else:
        rule = _IMAGE if kind == "dockerimage" else _DATA if kind == "data" else _FILE
        yield from rule(value, place)
        if kind in ("data", "script", "output") and isinstance(value, Mapping) and "uri" not in value:
            yield f"`{below(place, 'uri')}` is missing. Add it."


def _twice(config: Mapping[str, object]) -> Iterator[str]:
    seen: set[tuple[object, object]] = set()
    for item in _list(config, "prerequisites"):
        if isinstance(item, Mapping) and isinstance(item.get("name"), str):
            key = (str(item.get("type")), item["name"])
            if key in seen:
                yield f"`prerequisites` has the name {item['name'][:60]!r} twice for one type. Rename one of them."
            seen.add(key)
    names = [str(item.get("name")) for item in _list(config, "deployments") if isinstance(item, Mapping)]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield f"`deployments` has the name {name[:60]!r} twice. Rename one of them."


def _of_role(config: Mapping[str, object], role: Mapping[str, object], place: str) -> Iterator[str]:
    for field, kind in (("dockerImage", "dockerimage"), ("data", "data"), ("output", "output"), ("script", "script")):
        wanted = role.get(field)
        if isinstance(wanted, str) and wanted and wanted not in (known := _prerequisites(config, kind)):
            yield _absent(f"{place}.{field}", wanted, "prerequisites", known)
    for wanted in _list(role, "prerequisites"):
        if isinstance(wanted, str) and wanted not in (known := _prerequisites(config, None)):
            yield _absent(f"{place}.prerequisites", wanted, "prerequisites", known)
    instances = number_of(role.get("instances", 1))
    for name, count in _table(role, "completion").items():
        number = number_of(count)
        if instances is not None and number is not None and number > instances >= 1:
            yield f"`{below(place, 'completion')}.{name}` is {number}, but the role has {instances} tasks. Give {instances} at most."
    for number, command in enumerate(_list(role, "commands")):
        if isinstance(command, str):
            yield from _references(config, role, command, f"{place}.commands[{number}]")


def _references(config: Mapping[str, object], role: Mapping[str, object], text: str, place: str) -> Iterator[str]:
    """Yield a sentence for each reference of a command that leads nowhere."""
    for kind, name in dict.fromkeys(_REFERENCE.findall(text)):
        if kind in ("parameters", "secrets"):
            if name not in (known := [str(key) for key in _table(config, kind)]):
                yield _absent(place, f"${kind}.{name}", kind, known)
        elif kind in ("script", "output", "data"):
            if kind not in role:
                yield f"`{place}` refers to '${kind}', but the role has no field {kind!r}. Add it."
        else:
            yield f"`{place}` refers to '${kind}'; use $parameters, $secrets, $script, $output or $data."


def _deployments(config: Mapping[str, object]) -> Iterator[str]:
    roles = [str(name) for name in _table(config, "taskRoles")]
    names = []
    for number, item in enumerate(_list(config, "deployments")):
        if isinstance(item, Mapping):
            names.append(str(item.get("name")))
            for name in _table(item, "taskRoles"):
                if str(name) not in roles:
                    yield _absent(f"deployments[{number}].taskRoles", str(name), "taskRoles", roles)
    wanted = _table(config, "defaults").get("deployment")
    if isinstance(wanted, str) and wanted not in names:
        yield _absent("defaults.deployment", wanted, "deployments", names)


def _hived(config: Mapping[str, object]) -> Iterator[str]:
    roles = [str(name) for name in _table(config, "taskRoles")]
    place = "extras.hivedScheduler.taskRoles"
    for name, role in _table(_table(_table(config, "extras"), "hivedScheduler"), "taskRoles").items():
        if str(name) not in roles:
            yield _absent(place, str(name), "taskRoles", roles)
        if isinstance(role, Mapping) and "skuType" in role and "pinnedCellId" in role:
            yield f"`{place}.{str(name)[:60]}` has both `skuType` and `pinnedCellId`. Give one of them."


def _prerequisites(config: Mapping[str, object], kind: str | None) -> list[str]:
    return [
        str(item.get("name"))
        for item in _list(config, "prerequisites")
        if isinstance(item, Mapping) and (kind is None or item.get("type") == kind)
    ]


def _absent(place: str, wanted: str, where: str, known: list[str]) -> str:
    return f"`{place}` names {wanted[:60]!r}, which `{where}` does not have; it has {', '.join(known)[:300] or 'none'}."


def _list(value: Mapping[str, object], name: str) -> list[object]:
    found = value.get(name)
    return list(found) if isinstance(found, list | tuple) else []


def _table(value: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}
