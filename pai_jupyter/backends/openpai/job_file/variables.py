"""What is filled in on this side before a job file is sent: its name's suffix, `$PAI_JOB_NAME` and `$PAI_USER_NAME`. Pure.

Servers fill in the first of each in directories only, and in the container PAI_JOB_NAME is `user~job`, whereas the code lies
in a directory of the bare job's name. So every one is filled in here, with the bare names.
"""

import re
from collections.abc import Mapping
from typing import cast

from pai_jupyter.backends.openpai.job_file.v1 import DIRECTORIES
from pai_jupyter.spec import Json

_VARIABLE = re.compile(
    r"\$(?:\{(PAI_JOB_NAME|PAI_USER_NAME|PAI_USERNAME)\}|(PAI_JOB_NAME|PAI_USER_NAME|PAI_USERNAME)(?![A-Za-z0-9_]))"
)
_SUFFIX = re.compile(r"_[0-9a-f]{8}")
SUFFIX_LENGTH = 9
ONE_LOG = "exec 2>&1"
"""Clusters of v0.14 keep what a task says on stderr in a file of its own, without times: only one of both can be followed."""
_ONE_LOG = (
    f"true; {ONE_LOG}; "  # not in front: those clusters put `eval` before a command, whose redirections end with it
)


def suffixed(name: str, digits: str) -> str:
    """Return the name with `_<8 hex>`, in place of one that it has."""
    bare = name[:-SUFFIX_LENGTH] if _SUFFIX.fullmatch(name[-SUFFIX_LENGTH:]) and len(name) > SUFFIX_LENGTH else name
    return f"{bare}_{digits[:8]}"


def filled_in(text: str, *, job: str, user: str) -> str:
    """Replace every `$PAI_JOB_NAME`, `${PAI_JOB_NAME}` and `$PAI_USER_NAME`."""
    return _VARIABLE.sub(lambda found: job if "JOB" in found[0] else user, text)


def completed(config: Mapping[str, Json], version: str, *, name: str, user: str) -> dict[str, Json]:
    """Return a checked job file under this name, with its variables filled in."""

    def fill(value: Json) -> Json:
        return filled_in(value, job=name, user=user) if isinstance(value, str) else value

    roles = config.get("taskRoles")
    if version == "v1":
        done = [{**role, "command": fill(role["command"])} for role in cast(list[dict[str, Json]], roles)]
        places = {field: fill(config[field]) for field in DIRECTORIES if field in config}
        return {**config, **places, "jobName": name, "taskRoles": cast(Json, done)}
    filled = {
        role: {**value, "commands": [fill(line) for line in cast(list[Json], value["commands"])]}
        for role, value in cast(dict[str, dict[str, Json]], roles).items()
    }
    return {**config, "name": name, "taskRoles": cast(Json, filled)}


def with_one_log(config: Mapping[str, Json], version: str) -> dict[str, Json]:
    """Return a checked job file whose tasks write stderr where they write stdout."""
    if version == "v1":
        roles = cast(list[dict[str, Json]], config["taskRoles"])
        return {**config, "taskRoles": [{**role, "command": f"{_ONE_LOG}{role['command']}"} for role in roles]}
    merged: dict[str, Json] = {}
    for name, role in cast(dict[str, dict[str, Json]], config["taskRoles"]).items():
        first, *rest = cast(list[str], role["commands"])
        merged[name] = {**role, "commands": [_ONE_LOG + first.lstrip(), *rest]}
    return {**config, "taskRoles": merged}
