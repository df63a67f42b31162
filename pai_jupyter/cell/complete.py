"""Complete a cell from the other cells of its notebook: the statements that define the names it uses.

    names the cell uses ─ resolve ─► definitions (taken, with what they need in turn)
                                  ├► values      (data, models, results of calls: sent on request)
                                  └► missing     (nobody defines them, or they may not be taken)

Rule 1: what ran counts. The last executed cell that binds a name gives its statement, whatever stands in the notebook now.
Rule 2: the kernel decides. A definition that is not what the kernel holds is not taken; an earlier or a failed cell's is, if
    the kernel holds that one. Without a kernel the last definition above the cell counts.
Rule 3: a statement that runs something (`inert`) is never taken: its names are values.
Rule 4: a definition with a literal that looks like a secret is refused.
Rule 5: the order is that in which the cells ran, but what a statement needs to run stands before it.
"""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Literal

from pai_jupyter.cell.completion import Completion, NotebookValue, TakenStatement
from pai_jupyter.cell.inert import runs
from pai_jupyter.cell.kernel_values import is_as_defined, type_name
from pai_jupyter.cell.names import NOTEBOOK_NAMES, PREDEFINED
from pai_jupyter.cell.notebook import (
    Binder,
    ExecutedCell,
    binders,
    dotted,
    evaluated,
    full_name,
    hinted_names,
    is_changed_later,
    parsed,
    star_imports,
    statements_of,
    wanted_names,
)
from pai_jupyter.cell.plain_values import is_plain
from pai_jupyter.cell.pure_calls import HARDWARE, PURE
from pai_jupyter.cell.secret_literals import holds_secret
from pai_jupyter.cell.session_settings import settings_note
from pai_jupyter.cell.taking import FoundDefinition, future_features, imports_part, in_order, kind_of, text_of

_MOST_NAMES = 2_000  # a history that defines more than this for one cell is no notebook


def complete_cell(
    source: str,
    executed: Sequence[ExecutedCell],
    *,
    namespace: Mapping[str, object] | None = None,
    modules: Mapping[str, ModuleType] | None = None,
    leave_out: Collection[str] = (),
) -> Completion:
    """Find what a cell (its `Cell.source`) needs from the cells that ran before it.

    Args:
        source: the cell's code.
        executed: in the order in which they ran; a cell that ran twice is there twice.
        namespace: the kernel's names; None if there is no kernel, so that the cells alone count.
        modules: the kernel's loaded modules, to find what `from x import *` bound.
        leave_out: names that are not to be taken.
    """
    tree = parsed(source)
    if tree is None:
        return Completion()
    search = _Search(executed, namespace, modules or {}, frozenset(leave_out))
    wanted = wanted_names(tree)
    search.want(wanted.certain)
    search.want(wanted.guarded | hinted_names(tree), is_certain=False)
    search.want(wanted.possible, is_certain=False, offers=True)
    return search.completion(tree)


_Verdict = FoundDefinition | Literal["value", "changed", "skip"]
_Found = FoundDefinition | NotebookValue | str  # str: the sentence why it is missing, "" if unknown


class _Search:
    """The search in progress: what was found for each name."""

    def __init__(
        self,
        cells: Sequence[ExecutedCell],
        namespace: Mapping[str, object] | None,
        modules: Mapping[str, ModuleType],
        leave_out: frozenset[str],
    ) -> None:
        self._cells = cells
        self._namespace = namespace
        self._modules = modules
        self._leave_out = leave_out
        self._found: dict[str, _Found | None] = {}
        self._open: set[str] = set()
        self._wanted: dict[str, bool] = {}  # whether the name is certainly used
        self._refused: dict[str, str] = {}
        self._notes: dict[str, None] = {}

    def want(self, names: Collection[str], *, is_certain: bool = True, offers: bool = False) -> None:
        """Resolve names and, in turn, what their definitions need.

        A name that is not certainly used counts only if a definition is found; with `offers`, a value as well.
        """
        todo = [(name, is_certain) for name in sorted(names)]
        while todo and len(self._wanted) < _MOST_NAMES:
            name, certain = todo.pop()
            if name in self._wanted and (self._wanted[name] or not certain):
                continue
            found = self._resolve(name)
            if name in NOTEBOOK_NAMES and not isinstance(found, FoundDefinition):
                continue  # the linter says what to write instead
            is_offered = offers and isinstance(found, NotebookValue)
            if found is None or not (certain or is_offered or isinstance(found, FoundDefinition)):
                continue
            self._wanted[name] = certain
            if isinstance(found, FoundDefinition):
                statement = found.binder.statement
                todo += [(each, True) for each in sorted(self._needs(found))]
                todo += [(each, False) for each in sorted(statement.hints)]

    def completion(self, tree: ast.Module) -> Completion:
        found = {name: self._found[name] for name in self._wanted}
        definitions = [each for each in found.values() if isinstance(each, FoundDefinition)]
        taken = tuple(self._statements(definitions))
        note = settings_note(tree, [each.text for each in taken], self._cells)
        return Completion(
            taken=taken,
            values=tuple(each for each in found.values() if isinstance(each, NotebookValue)),
            missing={name: each for name, each in found.items() if isinstance(each, str) and name not in self._refused},
            refused={name: self._refused[name] for name in found if name in self._refused},
            notes=(*self._notes, *([note] if note else [])),
            future=self._future(tree, bool(definitions)),
        )

    # resolving one name

    def _resolve(self, name: str) -> _Found | None:
        """Find what defines `name`; None for a name of Python."""
        if name not in self._found:
            if name in self._open:
                return None  # it needs itself
            self._open.add(name)
            self._found[name] = self._look_up(name)
            self._open.discard(name)
        return self._found[name]

    def _look_up(self, name: str) -> _Found | None:
        if name in self._leave_out:
            return ""
        if self._namespace is not None and name not in self._namespace:
            return None if name in PREDEFINED else self._lost(name)
        last: Binder | None = None
        changed = False
        for binder in binders(name, self._cells):
            last = last or binder
            if name in binder.statement.deletes:
                if self._namespace is None:
                    return f"`{name}` was deleted in cell [{binder.cell.number}]; define it in the cell."
                continue
            verdict = self._judge(binder, name, must_match=changed)
            if isinstance(verdict, FoundDefinition):
                self._note_origin(name, binder, last)
                return self._without_secret(verdict)
            if verdict == "value":
                return self._value(name, binder)
            changed = changed or verdict == "changed"
        if (star := self._from_star(name)) is not None:
            return star
        if last is not None and (self._namespace is not None or last.cell.succeeded is not False):
            return self._value(name, last)
        if self._namespace is not None and name in self._namespace and name not in PREDEFINED:
            return self._value(name, None)
        return None if name in PREDEFINED else ""

    def _judge(self, binder: Binder, name: str, *, must_match: bool) -> _Verdict:
        """Decide whether this statement is what defines the name.

        `must_match`: a later statement did not match the kernel, so that this one counts only if it certainly does.
        """
        statement, failed = binder.statement, binder.cell.succeeded is False
        if failed and self._namespace is None:
            return "skip"
        is_augmented = isinstance(statement.node, ast.AugAssign)
        if statement.has_ipython or is_augmented or runs(statement.node, self._is_imported, self._is_pure):
            return "skip" if failed or must_match else "value"
        matches: bool | None = None
        is_import = isinstance(statement.node, ast.Import | ast.ImportFrom)
        if self._namespace is not None:
            matches = is_as_defined(statement.node, name, self._namespace)
            if matches is False:
                return "skip" if failed else "changed"
            if (failed or must_match) and not matches and not is_import:
                return "skip"
            if matches is None and not is_import and self._may_differ(statement.node, self._namespace[name]):
                return "value"  # what it says is not known without running it
        if matches is not True and not is_import and is_changed_later(name, binder, self._cells):
            return "value"
        if self._is_constant(statement.node) and not self._is_self_contained(binder):
            return "value"
        return FoundDefinition(binder=binder, name=name)

    def _is_pure(self, call: ast.Call) -> bool:
        return self._called(call) in PURE

    def _called(self, call: ast.Call) -> str:
        """Return the full name of what is called, if it is imported: `os.path.join`."""
        parts = dotted(call.func)
        if not parts or not self._is_imported(parts[0]):
            return ""
        found = self._found[parts[0]]
        name = full_name(found.binder.statement.node, parts[0]) if isinstance(found, FoundDefinition) else None
        return ".".join([name, *parts[1:]]) if name else ""

    def _may_differ(self, node: ast.stmt, held: object) -> bool:
        """Return whether a statement that nobody can compare with the kernel's value may give another one.

        What asks for the hardware is decided anew in the job.
        """
        nodes = list(evaluated(node)) if isinstance(node, ast.Assign | ast.AnnAssign) else []
        calls = [self._called(each) for each in nodes if isinstance(each, ast.Call)]
        if HARDWARE.intersection(calls):
            return False
        names = [each.id for each in nodes if isinstance(each, ast.Name) and each.id not in PREDEFINED] if calls else []
        namespace = self._namespace or {}
        return is_plain(held) or any(is_plain(namespace.get(name, ...)) for name in names if name in namespace)

    def _is_constant(self, node: ast.stmt) -> bool:
        is_lambda = isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Lambda)
        return isinstance(node, ast.Assign | ast.AnnAssign | ast.If | ast.Try) and not is_lambda

    def _is_self_contained(self, binder: Binder) -> bool:
        """Return whether all that a constant needs is defined by statements, too, not by values or by itself."""
        if binder.statement.uses_itself:
            return False
        for each in binder.statement.needs_at_once:
            if each in self._open:
                return False
            found = self._resolve(each)
            if found is not None and not isinstance(found, FoundDefinition):
                return False
        return True

    def _is_imported(self, root: str) -> bool:
        if root in self._open:
            return False
        found = self._resolve(root)
        if not isinstance(found, FoundDefinition):
            return False
        node = found.binder.statement.node
        if isinstance(node, ast.Try | ast.If):
            return any(isinstance(each, ast.Import | ast.ImportFrom) for each in ast.walk(node))
        return isinstance(node, ast.Import | ast.ImportFrom)

    def _value(self, name: str, binder: Binder | None) -> NotebookValue:
        held = self._namespace.get(name) if self._namespace is not None else None
        return NotebookValue(
            name=name,
            type=type_name(held) if self._namespace is not None else "",
            cell=binder.cell.number if binder else None,
            line=binder.statement.line if binder else None,
        )

    def _from_star(self, name: str) -> FoundDefinition | None:
        """Find the `from x import *` that bound the name; without a kernel the last one may have."""
        if name in PREDEFINED:
            return None
        for binder in star_imports(self._cells):
            node = binder.statement.node
            module = (node.module or "") if isinstance(node, ast.ImportFrom) and not node.level else ""
            if self._namespace is None:
                if binder.cell.succeeded is not False:
                    return FoundDefinition(binder=binder, name=name)
            elif module in self._modules and vars(self._modules[module]).get(name, self) is self._namespace[name]:
                return FoundDefinition(binder=binder, name=name, imported_name=name)
        return None

    def _lost(self, name: str) -> str:
        """Say why the kernel has no such name although a cell defined it; "" if none did."""
        binder = next(binders(name, self._cells), None)
        if binder is None:
            return ""
        number = binder.cell.number
        if name in binder.statement.deletes:
            return f"`{name}` was deleted in cell [{number}]; define it in the cell."
        if binder.cell.succeeded is False:
            return f"`{name}` is defined in cell [{number}], which failed. Run that cell again."
        return f"`{name}` is defined in cell [{number}], but the kernel has it no more. Run that cell again."

    def _without_secret(self, found: FoundDefinition) -> _Found:
        if not holds_secret(found.binder.statement.node):
            return found
        self._refused[found.name] = (
            f"`{found.name}` of cell [{found.binder.cell.number}] holds what looks like a secret, which would be stored "
            f"with the job. Read it in the cell from a variable, and pass that: --pass-env {found.name.upper()}"
        )
        return ""

    def _note_origin(self, name: str, taken: Binder, last: Binder) -> None:
        """Note where what ran last is not what is taken, or not what its cell says now."""
        number = taken.cell.number
        if last.index != taken.index:
            note = (
                f"`{name}` is that of cell [{number}]; cell [{last.cell.number}], which defines it later, failed."
                if last.cell.succeeded is False
                else f"`{name}` is that of cell [{number}]; cell [{last.cell.number}], which defines it later, is not what "
                "the kernel holds."
            )
            self._notes[note] = None
        elif taken.cell.succeeded is False:
            self._notes[f"`{name}` is that of cell [{number}], which failed after defining it."] = None
        again = [each for each in self._cells[taken.index + 1 :] if each.id and each.id == taken.cell.id]
        if again and again[-1].code != taken.cell.code and last.index == taken.index:
            self._notes[
                f"`{name}` is what cell [{number}] ran; that cell ran again as [{again[-1].number}], "
                "and does not define it any more."
            ] = None

    # the statements that are taken

    def _needs(self, found: FoundDefinition) -> frozenset[str]:
        node = found.binder.statement.node
        return frozenset() if isinstance(node, ast.Import | ast.ImportFrom) else found.binder.statement.needs

    def _statements(self, definitions: Sequence[FoundDefinition]) -> Iterator[TakenStatement]:
        """Yield one statement for all its names, in an order that runs."""
        by_place: dict[tuple[int, int], list[FoundDefinition]] = {}
        for each in [*definitions, *(extra for one in definitions for extra in self._submodules(one))]:
            by_place.setdefault(each.at, []).append(each)
        gives = {each.name: each.at for each in definitions}
        for at in in_order(by_place, gives):
            yield self._taken(by_place[at], gives)

    def _submodules(self, found: FoundDefinition) -> Iterator[FoundDefinition]:
        """Yield the other `import x.y` that bind the same `x`: each makes a part of it available."""
        if not imports_part(found.binder.statement.node, found.name):
            return
        for binder in binders(found.name, self._cells[: found.binder.index + 1]):
            if binder.cell.succeeded is False or (binder.index, binder.place) >= found.at:
                continue
            if not imports_part(binder.statement.node, found.name):
                return
            yield FoundDefinition(binder=binder, name=found.name)

    def _taken(self, found: Sequence[FoundDefinition], gives: Mapping[str, tuple[int, int]]) -> TakenStatement:
        binder, names = found[0].binder, tuple(dict.fromkeys(each.name for each in found))
        imported = sorted({each.imported_name for each in found if each.imported_name})
        foreign = {name for name in binder.statement.binds if name in self._wanted} - set(names)
        return TakenStatement(
            names=names,
            kind=kind_of(binder.statement.node),
            cell=binder.cell.number,
            cell_id=binder.cell.id,
            line=binder.statement.line,
            text=text_of(binder, names, tuple(imported), rewrites=bool(foreign)),
        )

    def _future(self, tree: ast.Module, has_taken: bool) -> tuple[str, ...]:
        """Return the features of `from __future__`, which holds for all cells that run later."""
        own = [name for node in tree.body for name in future_features(node)]
        others = [
            name
            for cell in self._cells
            if "__future__" in cell.code and cell.succeeded is not False
            for statement in statements_of(cell.code)
            for name in future_features(statement.node)
        ]
        return tuple(dict.fromkeys([*own, *others])) if has_taken or others else ()
