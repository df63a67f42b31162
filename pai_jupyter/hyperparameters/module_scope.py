"""The names that a module binds in its own scope, and the statements that do: nothing is run, no function is entered.

A name that is bound once has one value for the whole of the script. One that is bound again, in a loop, under a condition or
through `global`, may have lost its first value before anything reads it.
"""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from pai_jupyter.hyperparameters.syntax import nodes_on_lines

_PARTS = ("body", "orelse", "handlers", "finalbody", "cases")
_MOST_FUNCTIONS = 200  # whose calls are looked at
_GLOBAL = re.compile(r"\bglobal[ \t]+(\w+(?:[ \t]*,[ \t]*\w+)*)")
_WALRUS = re.compile(r"\b(\w+)\s*:=")

# decorators whose library calls the function with the values of its own command line
_WRAPPED = re.compile(
    r"(?i)\b(?:hydra|click|typer|app|cli|draccus|pyrallis|fire|parser|tyro|sacred|ex)\b|command|option|argument|parse|\.(?:main|wrap|automain)\b"
)

Scope: TypeAlias = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, kw_only=True)
class CalledFunction:
    """A function of the script, and its only call. `is_plain`: nothing goes in, and nothing is wrapped around it."""

    function: ast.FunctionDef
    call: ast.Call

    @property
    def is_plain(self) -> bool:
        arguments, given = self.function.args, (*self.call.args, *self.call.keywords)
        return not (arguments.args or arguments.kwonlyargs or self.function.decorator_list or given)


def scope_statements(module: Scope) -> Iterator[ast.stmt | ast.ExceptHandler | ast.match_case]:
    """Yield the statements of a module's or a function's own scope in source order, those inside `if`, `for`, `with` and `try` included."""
    todo: list[ast.stmt | ast.ExceptHandler | ast.match_case] = list(reversed(module.body))
    while todo:
        statement = todo.pop()
        yield statement
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            todo += [each for part in reversed(_PARTS) for each in reversed(getattr(statement, part, ()))]


def plain_statements(module: Scope | ast.If | ast.With | ast.AsyncWith) -> Iterator[ast.stmt]:
    """Yield the statements that run whenever the script does: those below `if __name__ == "__main__":` and `with` included."""
    for statement in module.body:
        match statement:
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))) | ast.With() | ast.AsyncWith():
                yield from plain_statements(statement)
            case _:
                yield statement


def calls_of_functions(module: ast.Module, source: str) -> tuple[CalledFunction, ...]:
    """Return the functions that the script calls at one place when it runs, and nowhere else: `main()`, `train(lr=0.1)`.

    So is one that is the only argument of a call, `plac.call(main)`: it gets no values from us. A function that a library for
    command lines wraps is not among them: the library may give it other values.
    """
    functions = {it.name: it for it in module.body if isinstance(it, ast.FunctionDef)}
    found: dict[str, ast.Call] = {}
    todo: list[Scope] = [module]
    while todo:
        for call in _calls_within(plain_statements(todo.pop())):
            match call:
                case _ if len(found) == _MOST_FUNCTIONS:
                    break
                case ast.Call(func=ast.Name(id=name)) if name in functions and name not in found:
                    found[name] = call
                    todo.append(functions[name])
                case ast.Call(args=[ast.Name(id=name)], keywords=[]) if name in functions and name not in found:
                    found[name] = ast.Call(func=call.args[0], args=[], keywords=[])  # `plac.call(main)`
                    todo.append(functions[name])
    times = _times_named(module, source, found)
    return tuple(
        CalledFunction(function=functions[name], call=call)
        for name, call in found.items()
        if times[name] == 1 and not any(_WRAPPED.search(ast.unparse(it)) for it in functions[name].decorator_list)
    )


def _calls_within(statements: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """Yield the calls that these statements make themselves, in source order: a function that they define is not entered."""
    todo = list(statements)[::-1]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Call):
            yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            todo += reversed(list(ast.iter_child_nodes(node)))


def _times_named(module: ast.Module, source: str, names: Collection[str]) -> Counter[str]:
    """Count how often code names each of `names`; comments and texts do not count, but for `"train"`."""
    if not names:
        return Counter()
    word = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    found: Counter[str] = Counter()
    for node in nodes_on_lines(module, source, word):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)) if name in names:
                found[name] += 1
    return found


def bindings(module: Scope, source: str) -> Counter[str]:
    """Count how often each name is bound in the scope; `global` anywhere counts as once more where it is bound."""
    found: Counter[str] = Counter()
    for statement in scope_statements(module):
        found.update(_bound(statement))
    found.update(name for name in _bound_elsewhere(source) if name in found)
    return found


@lru_cache(maxsize=2)  # the scopes of one script are asked for one after another
def _bound_elsewhere(source: str) -> tuple[str, ...]:
    """Return the names that `global` and `:=` may bind."""
    again = [name.strip() for names in _GLOBAL.findall(source) for name in names.split(",")]
    return (*again, *(_WALRUS.findall(source) if ":=" in source else ()))


def _bound(statement: ast.stmt | ast.ExceptHandler | ast.match_case) -> Iterator[str]:
    match statement:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            for target in targets:
                yield from _names(target)
        case ast.AugAssign(target=target) | ast.For(target=target) | ast.AsyncFor(target=target):
            yield from _names(target)
        case ast.AnnAssign(target=target, value=ast.expr()):
            yield from _names(target)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                yield from _names(item.optional_vars) if item.optional_vars else ()
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in names)
        case (
            ast.FunctionDef(name=name)
            | ast.AsyncFunctionDef(name=name)
            | ast.ClassDef(name=name)
            | ast.ExceptHandler(name=str(name))
        ):
            yield name


def _names(target: ast.expr) -> Iterator[str]:
    """Yield the names that a target binds; `x[0] = 1` and `x.a = 1` bind none."""
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            for each in targets:
                yield from _names(each)
        case ast.Starred(value=value):
            yield from _names(value)
