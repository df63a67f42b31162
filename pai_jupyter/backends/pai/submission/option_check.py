"""Check the options `pai.<key>` of a job against the table `contract.PAI_OPTIONS`.

Rule 1: an option that is not in the table is an error that lists the known ones; likewise an unknown name in a mapping.
Rule 2: an option must not contain a secret: records and files of jobs show options.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from pai_jupyter.contract import PAI_OPTIONS, PRIVATE_WORDS, read_pai_option
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json

# `Key` and `Token` alone are not secrets here.
_SECRET = re.compile(PRIVATE_WORDS, re.IGNORECASE)
_CHANNEL_NAMES = {
    "input_options": ("VersionName", "Options", "RoleArn"),
    "output_options": ("VersionName", "RoleArn"),
}


def pai_option_problems(options: Mapping[str, Json]) -> list[str]:
    """Return a sentence for each invalid option of PAI."""
    problems = []
    for name, value in options.items():
        if name not in PAI_OPTIONS:
            listed = ", ".join(f"pai.{known}" for known in PAI_OPTIONS)
            problems.append(f"backend 'pai' has no option 'pai.{name}'{_hint(name, PAI_OPTIONS)}; it has {listed}.")
            continue
        try:
            read_pai_option(options, name)
        except SpecError as exc:
            problems.append(str(exc))
        else:
            problems += _misnamed(name, value)
    if "instance_spec" in options and not options.get("resource_id"):
        problems.append("the option pai.instance_spec is a share of a quota; name that too: pai.resource_id=QUOTA")
    return problems


def _misnamed(name: str, value: Json) -> Iterator[str]:
    """Yield a sentence for each unknown name in a mapping and for each secret."""
    if not isinstance(value, dict):
        return
    if name in _CHANNEL_NAMES:
        for channel, item in value.items():
            yield from _unknown_names(f"pai.{name}[{channel!r}]", item, _CHANNEL_NAMES[name])
    elif PAI_OPTIONS[name].names:
        yield from _unknown_names(f"pai.{name}", value, PAI_OPTIONS[name].names)
    if secret := _secret_in(value):
        yield f"the option pai.{name} holds {secret!r}, a secret. Options are recorded; let a role give it (RoleArn)."


def _unknown_names(place: str, value: Json, known: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"the option {place} is {value!r}; it must be a mapping with some of {', '.join(known)}."
        return
    for name in value:
        if name not in known:
            yield f"the option {place} has no {name!r}{_hint(name, known)}; it has {', '.join(known)}."


def _secret_in(value: Json) -> str | None:
    """Return the first key anywhere in `value` that looks like a secret's name, else None."""
    if isinstance(value, list):
        return next(filter(None, map(_secret_in, value)), None)
    if not isinstance(value, dict):
        return None
    return next(filter(_SECRET.search, value), None) or next(filter(None, map(_secret_in, value.values())), None)


def _hint(name: str, known: Iterable[str]) -> str:
    lower = {each.lower().replace("_", ""): each for each in known}
    near = get_close_matches(name.lower().replace("_", ""), lower, n=1)
    return f" (did you mean {lower[near[0]]!r}?)" if near else ""
