"""Find names that code reads before it binds them: `df = df.dropna()`, `counter += 1`, `global n` in a function.

`scopes` calls a name bound wherever its binding stands; here the order of the statements counts.

Rule 1: only what no statement before it can have bound is `certain`; what only some ways through the code bind is `possible`.
Rule 2: in doubt the code is right: loops run at least once, what a `try` does succeeds, what a function binds by `global` is bound.
Rule 3: bodies of functions run later and are left out, but for what a function does with its own `global` names.
"""

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import cast

from pai_jupyter.cell.nodes import last_name
from pai_jupyter.cell.scopes import Certainty, asks_for_names, caught

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_ENDS = frozenset({"exit", "_exit", "quit", "abort"})


@dataclass(kw_only=True)
class EarlyReads:
    """Reads of names that are bound only later (`certain`), or only on some ways to there (`possible`)."""

    certain: list[tuple[ast.Name, Certainty]] = field(default_factory=list)
    possible: list[ast.Name] = field(default_factory=list)


def early_reads(tree: ast.Module, bound: Collection[str], global_names: Collection[str]) -> EarlyReads:
    """Find the early reads of the names `bound` in the module; `global_names` are those that functions declare global."""
    found = EarlyReads()
    try:
        _Flow(set(bound) - set(global_names), found).block(tree.body, Certainty.SURE)
        if global_names:
            _read_globals(tree, found)
    except RecursionError:  # nested deeper than people write
        return EarlyReads()
    return found


def _read_globals(tree: ast.Module, found: EarlyReads) -> None:
    """Find what functions read of the names that only they bind, by `global`."""
    at_top = {name for each in tree.body if not isinstance(each, _FUNCTIONS) for name in _stored(each)}
    inner = EarlyReads()
    assigned: set[str] = set()
    for function in (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)):
        declared = {name for node in _own_nodes(function.body) if isinstance(node, ast.Global) for name in node.names}
        own = declared & {name for each in function.body for name in _stored(each)} - at_top
        if own:
            one = EarlyReads()
            _Flow(own, one).block(function.body, Certainty.SURE)
            inner.certain += one.certain
            inner.possible += one.possible
            assigned |= own - {node.id for node, _ in one.certain}
    found.certain += [(node, care) for node, care in inner.certain if node.id not in assigned]
    found.possible += [*inner.possible, *(node for node, _ in inner.certain if node.id in assigned)]


@dataclass(kw_only=True)
class _State:
    """What is bound at a place: `must` on every way to it, `may` on some; `is_dead`: no way leads here."""

    must: set[str] = field(default_factory=set)
    may: set[str] = field(default_factory=set)
    is_dead: bool = False

    def copy(self) -> "_State":
        return _State(must=set(self.must), may=set(self.may), is_dead=self.is_dead)


class _Flow:
    """The walk in progress over one body; `_again` are names that an earlier turn of the loop may have bound."""

    def __init__(self, names: set[str], found: EarlyReads) -> None:
        self._names = names
        self._found = found
        self._now = _State()
        self._in_loop: set[str] = set()
        self._is_first_turn = True
        self._breaks: list[set[str]] = []

    def block(self, body: Iterable[ast.stmt], care: Certainty) -> None:
        for statement in body:
            if self._now.is_dead:
                return
            self._statement(statement, care)

    def _statement(self, node: ast.stmt, care: Certainty) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._definition(node, care)
            case ast.Assign(targets=targets, value=value):
                self._read(value, care)
                self._targets(targets, care)
            case ast.AugAssign(target=target, value=value):
                if isinstance(target, ast.Name):
                    self._use(target, care, later=False)
                self._read(value, care)
                self._targets([target], care)
            case ast.AnnAssign(target=annotated, value=ast.expr()):
                self._read(cast(ast.expr, node.value), care)
                self._targets([annotated], care)
            case ast.AnnAssign():
                pass
            case ast.Delete(targets=deleted):
                for each in deleted:
                    self._read(each, care, is_deleted=True)
            case ast.For() | ast.AsyncFor() | ast.While():
                self._loop(node, care)
            case ast.If(test=test, body=body, orelse=orelse):
                self._read(test, care)
                asks = asks_for_names(test)
                self._branches([body, orelse], Certainty.GUARDED if asks else care, is_any=asks)
            case ast.Match(subject=subject, cases=cases):
                self._read(subject, care)
                self._bind(name for case in cases for name in _stored(case.pattern))
                self._branches([*(case.body for case in cases), []], care)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                self._with(items, body, care)
            case ast.Try() | ast.TryStar():
                self._try(cast(ast.Try, node), care)
            case ast.Break():
                self._breaks.append(set(self._now.must))
                self._now.is_dead = True
            case ast.Raise() | ast.Return() | ast.Continue():
                self._parts(node, care)
                self._now.is_dead = True
            case ast.Import() | ast.ImportFrom():
                self._bind(_stored(node))
            case _:
                self._parts(node, care)
                self._bind(_stored(node))
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                    self._now.is_dead = last_name(node.value.func) in _ENDS

    def _parts(self, node: ast.stmt, care: Certainty) -> None:
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self._read(part, care)

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, care: Certainty) -> None:
        for decorator in node.decorator_list:
            self._read(decorator, care)
        if isinstance(node, ast.ClassDef):
            for part in (*node.bases, *(keyword.value for keyword in node.keywords)):
                self._read(part, care)
            own = {name for each in node.body for name in _stored(each)}
            for each in _own_nodes(node.body):
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.id not in own | {node.name}:
                    self._use(each, max(care, Certainty.MAYBE), later=False)
        else:
            for default in (*node.args.defaults, *node.args.kw_defaults):
                if default is not None:
                    self._read(default, care)
        self._bind([node.name])

    def _targets(self, targets: Iterable[ast.expr], care: Certainty) -> None:
        for target in targets:
            self._read(target, care)
            self._bind(_stored(target))

    def _with(self, items: list[ast.withitem], body: list[ast.stmt], care: Certainty) -> None:
        for item in items:
            self._read(item.context_expr, care)
            if item.optional_vars is not None:
                self._targets([item.optional_vars], care)
            called = item.context_expr.func if isinstance(item.context_expr, ast.Call) else item.context_expr
            if last_name(called) in ("suppress", "raises"):
                care = max(care, Certainty.MAYBE)
        self.block(body, care)

    def _branches(self, bodies: Iterable[list[ast.stmt]], care: Certainty, *, is_any: bool = False) -> None:
        """Walk branches of which one runs; `is_any`: they ask which names there are, so that what one binds is bound."""
        before, first = self._now, self._is_first_turn
        self._is_first_turn = first and not self._in_loop
        ends = []
        for body in bodies:
            self._now = before.copy()
            self.block(body, care)
            ends.append(self._now)
        self._is_first_turn = first
        self._now = _joined(ends, is_any=is_any)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, care: Certainty) -> None:
        if isinstance(node, ast.While):
            self._read(node.test, care)
        else:
            self._read(node.iter, care)
            self._targets([node.target], care)
        before, outer, first, breaks = set(self._now.must), self._in_loop, self._is_first_turn, self._breaks
        inside = {name for each in node.body for name in _stored(each)}
        self._in_loop, self._breaks = outer | inside, []
        if isinstance(node, ast.While) and outer:
            self._is_first_turn = False
        for at, statement in enumerate(node.body):
            self.block([statement], care)
            if self._now.is_dead:
                break
            if at + 1 < len(node.body) and any(isinstance(each, ast.Continue) for each in _own_nodes([statement])):
                self._is_first_turn = False
        ends = [*self._breaks, *([] if self._now.is_dead else [self._now.must])]
        must = set.intersection(*ends) if ends else before | inside
        self._now = _State(must=must, may=self._now.may | inside | must)
        self._in_loop, self._is_first_turn, self._breaks = outer, first, breaks
        self.block(node.orelse, care)

    def _try(self, node: ast.Try, care: Certainty) -> None:
        before, first = self._now.copy(), self._is_first_turn
        self._is_first_turn = first and not self._in_loop
        self.block(node.body, max(care, caught(node.handlers)))
        self.block(node.orelse, care)
        ends = [self._now]
        tried = {name for each in node.body for name in _stored(each)}
        for handler in node.handlers:
            self._now = _State(must=set(before.must), may=before.may | tried)
            self._bind([handler.name] if handler.name else [])
            self.block(handler.body, care)
            ends.append(self._now)
        self._is_first_turn = first
        self._now = ends[0]
        if self._now.is_dead:
            self._now = _joined(ends)
        else:
            self._now.may |= set().union(*(end.may for end in ends))
        dead, self._now.is_dead = self._now.is_dead, False
        self.block(node.finalbody, care)
        self._now.is_dead = self._now.is_dead or dead

    def _read(self, root: ast.expr, care: Certainty, *, is_deleted: bool = False) -> None:
        """Read the names of an expression in the order in which Python does."""
        todo: list[tuple[ast.AST | str, bool]] = [(root, False)]
        while todo:
            node, later = todo.pop()
            match node:
                case str():
                    self._bind([node])
                case ast.Name(ctx=ast.Load()):
                    self._use(node, care, later=later)
                case ast.Name(ctx=ast.Del()) if is_deleted:
                    self._use(node, care, later=later)
                case ast.NamedExpr(target=target, value=value):
                    todo += [(target.id, later), (value, later)]
                case ast.BoolOp(values=[one, *more]):
                    todo += [*((each, True) for each in reversed(more)), (one, later)]
                case ast.IfExp(test=test, body=body, orelse=orelse):
                    if asks_for_names(test):
                        continue
                    todo += [(orelse, True), (body, True), (test, later)]
                case ast.Lambda(args=args):
                    todo += [(each, later) for each in (*args.defaults, *args.kw_defaults) if each is not None]
                case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                    self._comprehension(node, care)
                    todo.append((node.generators[0].iter, later))
                case ast.AST():
                    todo += [(each, later) for each in reversed([*ast.iter_child_nodes(node)])]

    def _comprehension(self, node: ast.expr, care: Certainty) -> None:
        own = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
        own |= {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
        for each in _own_nodes([node]):
            if isinstance(each, ast.Name) and each.id not in own:
                self._use(each, care, later=True)
        self._bind(each.target.id for each in ast.walk(node) if isinstance(each, ast.NamedExpr))

    def _use(self, node: ast.Name, care: Certainty, *, later: bool) -> None:
        name = node.id
        if name not in self._names or name in self._now.must:
            return
        may_be_second_turn = name in self._in_loop and (later or not self._is_first_turn)
        if name in self._now.may or may_be_second_turn:
            self._found.possible.append(node)
        else:
            self._found.certain.append((node, care))

    def _bind(self, names: Iterable[str]) -> None:
        for name in names:
            self._now.must.add(name)
            self._now.may.add(name)


def _joined(ends: list[_State], *, is_any: bool = False) -> _State:
    alive = [end for end in ends if not end.is_dead]
    if not alive:
        return _State(is_dead=True)
    join = set.union if is_any else set.intersection
    return _State(must=join(*(end.must for end in alive)), may=set().union(*(end.may for end in alive)))


def _own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield all nodes that run with these: what is in functions is left out."""
    todo = [*nodes]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, _FUNCTIONS):
            todo += [*node.decorator_list, *node.args.defaults, *(each for each in node.args.kw_defaults if each)]
        elif isinstance(node, ast.AnnAssign):  # newer Pythons do not evaluate annotations
            todo += [node.target, *([node.value] if node.value else [])]
        elif not isinstance(node, ast.Lambda):
            todo += ast.iter_child_nodes(node)


def _stored(root: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds in the scope in which it stands."""
    todo = [root]
    while todo:
        node = todo.pop()
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
                continue
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (alias.asname or alias.name.partition(".")[0] for alias in names)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name
            case ast.AnnAssign(value=None):
                continue
            case ast.Lambda():
                continue
        if isinstance(node, _COMPREHENSIONS):
            yield from (each.target.id for each in ast.walk(node) if isinstance(each, ast.NamedExpr))
        else:
            todo += ast.iter_child_nodes(node)
