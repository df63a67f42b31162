"""The options of `%%pai_train` and `%pai_train` as IPython's decorators, built from the table in `training`."""

from collections.abc import Callable
from typing import Any, TypeVar

from IPython.core.magic_arguments import argument, argument_group

from pai_jupyter.backends import infos
from pai_jupyter.training.arguments import GROUPS, NAME, LineArgument

F = TypeVar("F", bound=Callable[..., Any])  # Any: a magic's method, as IPython decorates it


def train_args(function: F) -> F:
    """Decorate `function` with all options; the first is the outermost decorator, so help lists it first."""
    decorators: list[Callable[[F], F]] = [_decorator(NAME)]
    for group in GROUPS:
        decorators += [argument_group(group.title), *map(_decorator, group.arguments)]
    decorators.append(argument_group("options of backends, for --option", description=_options_of_backends()))
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def _options_of_backends() -> str:
    """List the options of all installed backends, one per line."""
    given = [(f"{info.full_name(each)}=", each) for info in infos() for each in info.options]
    width = max((len(name) for name, _ in given), default=0)
    return "\n".join(f"{name:{width}} {option.help} ({option.kind})" for name, option in given)


def _decorator(given: LineArgument) -> Callable[[F], F]:
    decorator: Callable[[F], F] = argument(*given.names, **given.how)
    return decorator
