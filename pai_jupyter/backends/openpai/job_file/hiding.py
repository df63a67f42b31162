"""Secrets of a job file, taken out of it: where one stood, the file names a variable. Pure.

They are the values of `secrets`, the passwords of `auth`, and texts of `jobEnvs`, `parameters` and `extras` that look like one.
A variable's name is that of a secret, so records mask it, and a rerun asks for it as for any other.

Rule: a job file that is kept, shown or printed has the references; only what is submitted has the values.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from pai_jupyter.contract import is_secret

REFERENCE = re.compile(r"\$\{(OPENPAI_SECRET_\w+)\}")
_FIELDS = ("secrets", "jobEnvs", "parameters", "extras")
_TEMPLATE = re.compile(r"\s*<%[^%]*%>\s*")  # names a secret, and is none


def hidden(config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:  # Any: JSON
    """Return the job file with references, and the values by the names of their variables."""
    values: dict[str, str] = {}

    def hide(value: Any, *path: object) -> str:  # Any: JSON
        name = "OPENPAI_SECRET_" + re.sub(r"\W", "_", "_".join(map(str, path)), flags=re.ASCII)
        while name in values:
            name += "_"
        values[name] = value if isinstance(value, str) else json.dumps(value)
        return f"${{{name}}}"

    found = dict(config)
    for field in _FIELDS:
        if isinstance(inside := config.get(field), Mapping):
            found[field] = _hidden(inside, hide, field, is_all=field == "secrets")
    if isinstance(items := config.get("prerequisites"), list):
        found["prerequisites"] = [_without_password(item, hide, number) for number, item in enumerate(items)]
    return found, values


def restored(config: Any, values: Mapping[str, str]) -> Any:  # Any: JSON
    """Return the job file with the values in place of references; what has no value stays."""
    if isinstance(config, str):
        found = REFERENCE.fullmatch(config)
        return values.get(found[1], config) if found else config
    if isinstance(config, Mapping):
        return {name: restored(value, values) for name, value in config.items()}
    return [restored(value, values) for value in config] if isinstance(config, list) else config


def references(config: Mapping[str, Any]) -> list[str]:  # Any: JSON
    """Return the variables that the job file names in place of secrets."""
    places = [config.get(name) for name in (*_FIELDS, "prerequisites")]
    return list(dict.fromkeys(REFERENCE.findall(json.dumps(places))))


def _without_password(item: Any, hide: Callable[..., str], number: int) -> Any:  # Any: JSON
    auth = item.get("auth") if isinstance(item, Mapping) else None
    if not isinstance(auth, Mapping):
        return item
    return {**item, "auth": _hidden(auth, hide, str(item.get("name") or number), "auth", is_all=False)}


def _hidden(value: Any, hide: Callable[..., str], *path: object, is_all: bool) -> Any:  # Any: JSON
    if isinstance(value, Mapping):
        return {name: _hidden(inside, hide, *path, name, is_all=is_all) for name, inside in value.items()}
    if isinstance(value, list):
        return [_hidden(inside, hide, *path, number, is_all=is_all) for number, inside in enumerate(value)]
    if value is None or value == "" or (isinstance(value, str) and _is_named(value)):
        return value
    name = next(str(part) for part in reversed(path) if not isinstance(part, int))
    looks_secret = (isinstance(value, str) or path[0] == "jobEnvs") and is_secret(name, value)
    return hide(value, *path) if is_all or looks_secret else value


def _is_named(value: str) -> bool:
    return bool(REFERENCE.fullmatch(value) or _TEMPLATE.fullmatch(value))
