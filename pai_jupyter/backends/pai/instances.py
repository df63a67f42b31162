"""Name a job's instances as replicas (`master-0`, `worker-1`) by the service's role and number."""

import re
from collections.abc import Iterable

from pai_jupyter.backends.pai.status_map import Fields

_NUMBER = re.compile(r".*-(\d{1,6})")
_ROLE = re.compile(r"\w{1,40}", re.ASCII)


def replicas_of(instances: Iterable[Fields], *, name: str = "Name", role: str = "Role") -> dict[str, str]:
    """Return replica -> the service's instance name; independent of the order of `instances`."""
    found: dict[str, str] = {}
    for instance in sorted(str(each[name]) for each in instances if each.get(name)):
        found.setdefault(_replica(instance, _role_of(instance, instances, name, role), found), instance)
    return found


def _role_of(instance: str, instances: Iterable[Fields], name: str, role: str) -> str:
    said = next((str(each.get(role) or "") for each in instances if str(each.get(name)) == instance), "")
    return said.lower() if _ROLE.fullmatch(said) else "worker"


def _replica(instance: str, role: str, taken: dict[str, str]) -> str:
    number = _NUMBER.fullmatch(instance)
    wanted = f"{role}-{int(number[1])}" if number else f"{role}-0"
    while wanted in taken:
        wanted = f"{role}-{int(wanted.rpartition('-')[2]) + 1}"
    return wanted
