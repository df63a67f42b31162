"""Resolve which names code binds and uses in each scope, by Python's rules but without control flow.

Rule 1: a name that is bound anywhere in a scope is bound; order and conditions do not count.
Rule 2: each use has a certainty of failing if its name is unbound: see `Certainty`.
Rule 3: the walk has its own stack, so that deeply nested code cannot exhaust Python's. `symtable` is not used: its layout
    differs between versions, and it hides annotations.
"""

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal, cast

from pai_jupyter.cell.nodes import last_name

_ASKING = frozenset({"globals", "locals", "vars", "dir", "TYPE_CHECKING", "version_info", "PY2", "PY3"})


class Certainty(IntEnum):
    """How certainly a use of an unbound name raises NameError."""

    SURE = 0
    MAYBE = 1  # in an annotation (newer Pythons do not evaluate it), or in a `try` that may catch it
    GUARDED = 2  # the code expects it: `except NameError`, `if "x" in globals()`, `if TYPE_CHECKING`


@dataclass(kw_only=True)
class Scope:
    """The names of one module, class, function or comprehension."""

    kind: Literal["module", "class", "function", "comprehension"]
    parent: "Scope | None" = None
    bound: set[str] = field(default_factory=set)
    uses: list[tuple[ast.Name, Certainty]] = field(default_factory=list)
    global_names: set[str] = field(default_factory=set)

    def owner(self) -> "Scope":
        """Return the scope in which `:=` binds: the nearest one that is not a comprehension."""
        scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass(frozen=True, kw_only=True)
class Scopes:
    """All scopes of a module, the module's own first; `has_star`: `import *` may bind further names."""

    all: tuple[Scope, ...]
    has_star: bool


def read_scopes(tree: ast.Module) -> Scopes:
    """Walk the whole module once."""
    walk = _Walk(has_lazy_annotations=any(map(_makes_annotations_lazy, tree.body)))
    walk.later([*tree.body], walk.module, Certainty.SURE)
    walk.run()
    for scope in walk.scopes:
        walk.module.bound |= scope.bound & scope.global_names
    return Scopes(all=tuple(walk.scopes), has_star=walk.has_star)


class _Walk:
    """The walk in progress: scopes found so far, and the nodes still to read, each with its scope and care."""

    def __init__(self, *, has_lazy_annotations: bool) -> None:
        self.module = Scope(kind="module")
        self.scopes = [self.module]
        self.has_star = False
        self._has_lazy_annotations = has_lazy_annotations
        self._todo: list[tuple[ast.AST, Scope, Certainty]] = []

    def run(self) -> None:
        while self._todo:
            node, scope, care = self._todo.pop()
            read = _READERS.get(type(node))
            if read is None:
                self.children(node, scope, care)
            else:
                read(self, node, scope, care)

    def later(self, nodes: Iterable[ast.AST | None], scope: Scope, care: Certainty) -> None:
        self._todo += [(node, scope, care) for node in nodes if node is not None]

    def children(self, node: ast.AST, scope: Scope, care: Certainty) -> None:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                self._todo += [(item, scope, care) for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                self._todo.append((value, scope, care))

    def inner(self, kind: Literal["class", "function", "comprehension"], parent: Scope) -> Scope:
        scope = Scope(kind=kind, parent=parent)
        self.scopes.append(scope)
        return scope

    def name(self, node: ast.Name, scope: Scope, care: Certainty) -> None:
        if isinstance(node.ctx, ast.Load):
            scope.uses.append((node, care))
        else:
            scope.bound.add(node.id)

    def walrus(self, node: ast.NamedExpr, scope: Scope, care: Certainty) -> None:
        scope.owner().bound.add(node.target.id)
        self.later([node.value], scope, care)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope, care: Certainty) -> None:
        scope.bound.add(node.name)
        self.later(node.decorator_list, scope, care)
        generic = self._type_parameters(node, scope, care)
        self.annotation(node.returns, generic, care)
        self._parameters(node.args, generic, scope, care, node.body)

    def lambda_(self, node: ast.Lambda, scope: Scope, care: Certainty) -> None:
        self._parameters(node.args, scope, scope, care, [node.body])

    def class_(self, node: ast.ClassDef, scope: Scope, care: Certainty) -> None:
        scope.bound.add(node.name)
        self.later(node.decorator_list, scope, care)
        generic = self._type_parameters(node, scope, care)
        self.later([*node.bases, *node.keywords], generic, care)
        # `__class__` of the methods is bound in a hidden scope around the class body.
        cell = self.inner("function", generic)
        cell.bound.add("__class__")
        body = self.inner("class", cell)
        body.bound |= {"__module__", "__qualname__"}
        self.later(node.body, body, care)

    def comprehension(self, node: ast.AST, scope: Scope, care: Certainty) -> None:
        generators = cast(ast.GeneratorExp, node).generators
        inner = self.inner("comprehension", scope)
        self.later([generators[0].iter], scope, care)  # evaluated outside, before the scope begins
        for index, generator in enumerate(generators):
            self.later([generator.target, *generator.ifs], inner, care)
            self.later([generator.iter] if index else [], inner, care)
        self.later([getattr(node, part, None) for part in ("elt", "key", "value")], inner, care)

    def import_(self, node: ast.Import | ast.ImportFrom, scope: Scope, care: Certainty) -> None:
        for alias in node.names:
            if alias.name == "*":
                self.has_star = True
            else:
                scope.bound.add(alias.asname or alias.name.partition(".")[0])

    def annotated(self, node: ast.AnnAssign, scope: Scope, care: Certainty) -> None:
        self.later([node.target, node.value], scope, care)
        if scope.kind != "function":  # a function never evaluates the annotations of its own variables
            self.annotation(node.annotation, scope, care)

    def annotation(self, node: ast.expr | None, scope: Scope, care: Certainty) -> None:
        if not self._has_lazy_annotations:
            self.later([node], scope, max(care, Certainty.MAYBE))

    def bind_name(self, node: ast.AST, scope: Scope, care: Certainty) -> None:
        """Bind the plain-string name of `except E as name`, `case ... as name`, `case *name` or a type parameter."""
        name = getattr(node, "name", None)
        if isinstance(name, str):
            scope.bound.add(name)
        self.children(node, scope, care)

    def mapping_pattern(self, node: ast.MatchMapping, scope: Scope, care: Certainty) -> None:
        if node.rest:
            scope.bound.add(node.rest)
        self.children(node, scope, care)

    def global_(self, node: ast.Global, scope: Scope, care: Certainty) -> None:
        scope.global_names |= set(node.names)

    def try_(self, node: ast.Try, scope: Scope, care: Certainty) -> None:
        self.later(node.body, scope, max(care, caught(node.handlers)))
        self.later([*node.handlers, *node.orelse, *node.finalbody], scope, care)

    def condition(self, node: ast.If | ast.IfExp, scope: Scope, care: Certainty) -> None:
        body = node.body if isinstance(node.body, list) else [node.body]
        orelse = node.orelse if isinstance(node.orelse, list) else [node.orelse]
        asks = asks_for_names(node.test)
        self.later([node.test], scope, care)
        self.later([*body, *orelse], scope, Certainty.GUARDED if asks else care)

    def _type_parameters(self, node: ast.AST, scope: Scope, care: Certainty) -> Scope:
        """Create the scope of type parameters `[T]` (Python 3.12); without any, return `scope` itself."""
        parameters: list[ast.AST] = getattr(node, "type_params", [])
        if not parameters:
            return scope
        generic = self.inner("function", scope)
        self.later(parameters, generic, care)
        return generic

    def _parameters(
        self, args: ast.arguments, generic: Scope, scope: Scope, care: Certainty, body: Iterable[ast.AST]
    ) -> None:
        inner = self.inner("function", generic)
        for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
            if arg is not None:
                inner.bound.add(arg.arg)
                self.annotation(arg.annotation, generic, care)
        self.later([*args.defaults, *args.kw_defaults], scope, care)
        # A body runs when it is called, so an enclosing `try` does not guard it; only code that never runs stays guarded.
        self.later(body, inner, care if care is Certainty.GUARDED else Certainty.SURE)


def caught(handlers: list[ast.ExceptHandler]) -> Certainty:
    """Return how certainly these handlers catch a NameError."""
    care = Certainty.SURE
    for handler in handlers:
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names = {t.id if isinstance(t, ast.Name) else "" if t else "BaseException" for t in types}
        if "NameError" in names:
            return Certainty.GUARDED
        if names & {"Exception", "BaseException"}:
            care = Certainty.MAYBE
    return care


def asks_for_names(test: ast.expr) -> bool:
    """Return whether a condition tests which names are defined or which Python runs."""
    return any(last_name(node) in _ASKING for node in ast.walk(test))


def _makes_annotations_lazy(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.ImportFrom)
        and statement.module == "__future__"
        and any(alias.name == "annotations" for alias in statement.names)
    )


_READERS: dict[type[ast.AST], Callable[[_Walk, ast.AST, Scope, Certainty], None]] = cast(
    dict[type[ast.AST], Callable[[_Walk, ast.AST, Scope, Certainty], None]],
    {
        ast.Name: _Walk.name,
        ast.NamedExpr: _Walk.walrus,
        ast.FunctionDef: _Walk.function,
        ast.AsyncFunctionDef: _Walk.function,
        ast.Lambda: _Walk.lambda_,
        ast.ClassDef: _Walk.class_,
        ast.ListComp: _Walk.comprehension,
        ast.SetComp: _Walk.comprehension,
        ast.DictComp: _Walk.comprehension,
        ast.GeneratorExp: _Walk.comprehension,
        ast.Import: _Walk.import_,
        ast.ImportFrom: _Walk.import_,
        ast.AnnAssign: _Walk.annotated,
        ast.ExceptHandler: _Walk.bind_name,
        ast.MatchAs: _Walk.bind_name,
        ast.MatchStar: _Walk.bind_name,
        ast.MatchMapping: _Walk.mapping_pattern,
        ast.Global: _Walk.global_,
        ast.Try: _Walk.try_,
        ast.TryStar: _Walk.try_,
        ast.If: _Walk.condition,
        ast.IfExp: _Walk.condition,
    }
    | {getattr(ast, name): _Walk.bind_name for name in ("TypeVar", "ParamSpec", "TypeVarTuple") if hasattr(ast, name)},
)
