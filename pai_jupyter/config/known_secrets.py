"""Refuse known secrets where a text would be kept, packed or sent in clear. The only place that says so for values.

A secret that a job needs is a variable with a secret's name (`contract.is_secret`): its value is in no record. Any other value, name
or text with a known secret in it is refused before anything is written. Sources are searched while they are packed (`package.secrets`).

Rule: the sentence says where, and never repeats the secret.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from pai_jupyter.contract import is_secret
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import env_name


def refuse_in_values(given: Iterable[tuple[str, object]], secrets: Collection[str], *, is_line: bool) -> None:
    """Refuse the first of the named values that holds a secret. `is_line`: a job, whose variables are given on a magic's line.

    Raises:
        SpecError: it names the value, and the variable to use.
    """
    for name, value in given:
        if _holds([name, value], secrets):
            shown = "..." if _holds(name, secrets) else name
            raise SpecError(_sentence(shown, _variable(shown.strip(".") or "my"), is_line=is_line), field=shown)


def refuse_in_texts(given: Iterable[tuple[str, str]], secrets: Collection[str]) -> None:
    """Refuse the first of these texts that holds a secret: words for people, of which no job needs a variable.

    Raises:
        SpecError: it names the text.
    """
    for name, text in given:
        if _holds(text, secrets):
            raise SpecError(
                f"`{name}` holds one of the secrets loaded in this session, and it would be kept for others to read. Leave it out.",
                field=name,
            )


def refuse_in_cell(cell: str, secrets: Collection[str]) -> None:
    """Refuse a cell that would be kept with a run.

    Raises:
        SpecError: a secret is in it; it names the line.
    """
    places = [at for secret in secrets if (at := cell.find(secret)) >= 0]
    if places:
        raise SpecError(
            f"line {cell.count(chr(10), 0, min(places)) + 1} of the cell holds one of the secrets loaded in this session, and the "
            "cell is kept with its run. Have the text in a variable, e.g. MY_SECRET = getpass.getpass() in another cell, and give "
            "that to jobs: environments={'MY_SECRET': MY_SECRET}"
        )


def place_of_secret(value: object, secrets: Collection[str]) -> str | None:
    """Return where in an object a secret is, e.g. `taskRoles[0].command`; None if none is."""
    if not _holds(value, secrets):
        return None
    parts = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, inside in parts:
        if _holds(str(key), secrets):
            return "..."
        if (place := place_of_secret(inside, secrets)) is not None:
            shown = f"[{key}]" if isinstance(key, int) else str(key)
            return f"{shown}{'' if not place or place.startswith('[') else '.'}{place}"
    return ""


def plain_variables(variables: Mapping[str, object]) -> list[tuple[str, object]]:
    """Return the variables whose values are kept in clear."""
    return [(name, value) for name, value in variables.items() if not is_secret(name, value)]


def _sentence(name: str, variable: str, *, is_line: bool) -> str:
    if is_line:
        return (
            f"`{name}` holds one of the secrets loaded in this session, which would be kept in records. Take it out; what a job needs "
            f"of it, give as a variable with a secret's name, which is masked there: --env {variable}=..."
        )
    return (
        f"`{name}` holds one of the secrets loaded in this session, which would be kept in records. Take it out; what a job needs "
        f"of it, give as a variable with a secret's name, which is masked there: environments={{'{variable}': ...}}"
    )


def _variable(name: str) -> str:
    """Return a name of a variable whose value is masked."""
    variable = env_name(name)
    return variable if is_secret(variable) else f"{variable}_SECRET"


def _holds(value: object, secrets: Collection[str]) -> bool:
    return bool(secrets) and any(secret in text for text in _texts(value) for secret in secrets)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield str(name)
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, int | float):
        yield str(value)
