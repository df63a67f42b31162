"""The rules for names in workflows. Pure.

A step's name is a part of references (`{{pipelines.NAME.outputs.parameters.x}}`), of paths and of addresses in the console.
"""

import re
from collections.abc import Iterable

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.parameter_types import shown

LONGEST_STEP = 30  # as PAI's SDK says, though it never checks
LONGEST = 128  # of a variable, and of a step of a manifest that PAI has accepted
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")


def check_step_name(name: object, *, longest: int = LONGEST_STEP) -> str:
    """Return the name of a step.

    Raises:
        SpecError: it cannot be one.
    """
    if not isinstance(name, str) or not name:
        raise SpecError(f"the name of a step is text, and {name!r:.50} is none. Give e.g. name='train'.", field="name")
    if len(name) > longest:
        raise SpecError(
            f"the step {shown(name)} has a name of {len(name)} characters; there may be {longest}. Shorten it.",
            field="name",
        )
    return _plain(name, "step")


def check_variable_name(name: object, what: str) -> str:
    """Return the name of a parameter or an artifact.

    Raises:
        SpecError: it cannot be one.
    """
    if not isinstance(name, str) or not name:
        raise SpecError(
            f"the name of a {what} is text, and {name!r:.50} is none. Give e.g. 'learning_rate'.", field="name"
        )
    if len(name) > LONGEST:
        raise SpecError(
            f"the {what} {shown(name)} has a name of {len(name)} characters; there may be {LONGEST}. Shorten it.",
            field="name",
        )
    if what == "parameter":  # those of scripts may be `train.learning_rate`
        _plain(name.replace(".", "_"), what, name)
        return name
    return _plain(name, what)


def check_identity(text: object, what: str) -> str:
    """Return an identifier or a version under which something is saved; a version is free text.

    Raises:
        SpecError: it is empty, too long, or not one line of text.
    """
    if text is not None and not isinstance(text, str):
        raise SpecError(f"the {what} is {text!r:.50}; it must be text, e.g. {str(text)!r:.50}.", field=what)
    if text is None or not text.strip():
        raise SpecError(f"a component is saved under an identifier and a version; its {what} is missing.", field=what)
    if len(text) > LONGEST or not text.isprintable():
        raise SpecError(f"the {what} {shown(text)} must be one line of at most {LONGEST} characters.", field=what)
    return text


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that are there more than once."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
    return [name for name, count in seen.items() if count > 1]


def _plain(name: str, what: str, whole: str | None = None) -> str:
    if not _NAME.fullmatch(name):
        raise SpecError(
            f"the {what} {shown(whole or name)} has a name with other characters than letters, digits, _ and -. Rename it.",
            field="name",
        )
    return name
