"""Check mappings and roles given as arguments."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from pai_jupyter import contract
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Role, check_role

Value = TypeVar("Value")


def named(field: str, given: Mapping[str, Value] | None) -> dict[str, Value]:
    """Return a copy of the mapping given for the argument `field`; {} for None.

    Raises:
        SpecError: it is not a mapping.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SpecError(
            f"`{field}` must be a dict of names and values, e.g. {{'lr': 0.1}}, and is {given!r:.100}.", field=field
        )
    return dict(given)


def given_roles(given: Sequence[Role | str]) -> tuple[Role, ...]:
    """Return the roles given as objects or as texts, `worker=2:ecs.c6.large`.

    Raises:
        SpecError: one is neither, a text is invalid, or a count is no whole number from 1.
    """
    if not isinstance(given, list | tuple) or not all(isinstance(each, str | Role) for each in given):
        raise SpecError(
            f"`roles` must be a list of texts or `Role`s, e.g. ['chief=1', 'worker=2'], and is {given!r:.100}.",
            field="roles",
        )
    roles = tuple(contract.read_role(each) if isinstance(each, str) else each for each in given)
    for role in roles:
        check_role(role)
    return roles
