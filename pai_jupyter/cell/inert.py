"""Tell statements that only define something from those that run something.

A statement of another cell is repeated in a job only if repeating it does nothing but bind its names.

Rule 1: imports, functions, classes and plain expressions define, with calls of `pure_calls`. Any other call, a loop, `with`,
    `del`, `assert` and `+=` run.
Rule 2: decorators, default values and class bodies may call what is imported, and harmless builtins: `@dataclass`,
    `field(default=1)`, `property(get)`. A call of anything else runs.
Rule 3: `if` and `try` define if their conditions and all their branches do, as in `try: import x / except ImportError: x = None`.
"""

import ast
from collections.abc import Callable, Iterable, Iterator

from pai_jupyter.cell.notebook import evaluated, parts_of_signature

IsImported = Callable[[str], bool]
IsPure = Callable[[ast.Call], bool]

_HARMLESS = frozenset(
    (
        "abs", "all", "any", "bool", "bytes", "callable", "chr", "classmethod", "complex",
        "dict", "divmod", "enumerate", "filter", "float", "format", "frozenset", "getattr",
        "hasattr", "hash", "id", "int", "isinstance", "issubclass", "iter", "len", "list",
        "map", "max", "min", "next", "object", "ord", "pow", "property", "range",
        "repr", "reversed",
        "round", "set", "slice", "sorted", "staticmethod", "str", "sum", "super", "tuple",
        "type", "zip",
    )
)  # fmt: skip
_ACCESSORS = frozenset({"setter", "getter", "deleter"})
_LOOPS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_RUNS = (ast.Await, ast.Yield, ast.YieldFrom)


def runs(node: ast.stmt, is_imported: IsImported, is_pure: IsPure) -> bool:
    """Return whether repeating this statement would do more than bind its names; `is_pure`: of calls in plain values."""
    return _Definition(is_imported, is_pure).runs(node)


class _Definition:
    """The check of one statement; `own` are the names that a class body binds itself."""

    def __init__(
        self, is_imported: IsImported, is_pure: IsPure, own: Iterable[str] = (), *, in_class: bool = False
    ) -> None:
        self._is_imported = is_imported
        self._is_pure = is_pure
        self._own = frozenset(own)
        self._in_class = in_class

    def runs(self, node: ast.stmt) -> bool:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Pass():
                return False
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return self._decorates(node.decorator_list) or self._calls(
                    [*parts_of_signature(node.args), *([node.returns] if node.returns else [])]
                )
            case ast.ClassDef():
                return self._class_runs(node)
            case ast.Assign(targets=targets, value=value):
                return self._value_runs(value) or any(self._value_runs(target) for target in targets)
            case ast.AnnAssign(target=target, value=value, annotation=annotation):
                return (
                    self._calls([annotation])
                    or self._value_runs(target)
                    or (value is not None and self._value_runs(value))
                )
            case ast.Expr(value=value):
                return not isinstance(value, ast.Constant) and (not self._in_class or self._calls([value]))
            case ast.If(test=test, body=body, orelse=orelse):
                return self._value_runs(test) or any(map(self.runs, [*body, *orelse]))
            case ast.Try():
                handled = [each for handler in node.handlers for each in handler.body]
                return any(map(self.runs, [*node.body, *handled, *node.orelse, *node.finalbody]))
        return type(node).__name__ != "TypeAlias"

    def _class_runs(self, node: ast.ClassDef) -> bool:
        given = [*node.bases, *(keyword.value for keyword in node.keywords)]
        if self._decorates(node.decorator_list) or self._calls(given):
            return True
        own = {name for each in node.body for name in _defined(each)}
        inner = _Definition(self._is_imported, self._is_pure, own, in_class=True)
        return any(map(inner.runs, node.body))

    def _decorates(self, decorators: list[ast.expr]) -> bool:
        """Return whether a decorator is not imported; a decorator is called even if it is written without a call."""
        for decorator in decorators:
            is_accessor = isinstance(decorator, ast.Attribute) and decorator.attr in _ACCESSORS
            if is_accessor and _root(decorator) in self._own:
                continue
            if not isinstance(decorator, ast.Call) and not self._may_call(decorator):
                return True
            if self._calls([decorator]):
                return True
        return False

    def _value_runs(self, value: ast.expr) -> bool:
        """Return whether a value is more than plain: outside of classes it may not loop, and call only what is pure."""
        if self._in_class:
            return self._calls([value])
        return any(
            isinstance(each, _RUNS_OR_LOOPS) or (isinstance(each, ast.Call) and not self._is_pure(each))
            for each in evaluated(value)
        )

    def _calls(self, values: Iterable[ast.expr]) -> bool:
        """Return whether these expressions call anything that is neither imported nor harmless."""
        for value in values:
            for each in evaluated(value):
                if isinstance(each, _RUNS) or (isinstance(each, ast.Call) and not self._may_call(each.func)):
                    return True
        return False

    def _may_call(self, function: ast.expr) -> bool:
        root = _root(function)
        if isinstance(function, ast.Lambda) or root is None:
            return False
        if root == "":  # a method of a literal: "a b".split()
            return True
        return (root in _HARMLESS and root not in self._own) or self._is_imported(root)


_RUNS_OR_LOOPS = _RUNS[0] | _RUNS[1] | _RUNS[2] | _LOOPS[0] | _LOOPS[1] | _LOOPS[2] | _LOOPS[3]


def _root(node: ast.expr) -> str | None:
    """Return `nn` for `nn.init.zeros_`, "" for an attribute of a literal, None for anything else."""
    while True:
        match node:
            case ast.Attribute(value=value) | ast.Subscript(value=value):
                node = value
            case ast.Call(func=func):  # `field(...)()`, `decorate(1)(2)`: what is returned by an imported one
                node = func
            case ast.Name(id=name):
                return name
            case ast.Constant() | ast.JoinedStr():
                return ""
            case _:
                return None


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name))
