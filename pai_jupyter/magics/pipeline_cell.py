"""A cell of `%%pai_pipeline`: Python that makes a pipeline, with the saved components that it names at hand.

Rule 1: the cell runs in the user's namespace, as any cell. Saved components are put there under their names only while it runs,
    and never in the place of a variable.
Rule 2: its pipeline is the value of its last expression; else the only one that it makes and that is no step of another.
"""

import ast
import builtins
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pai_jupyter.component.recheck import check_unchanged
from pai_jupyter.component.saved import load_named, saved_versions
from pai_jupyter.errors import SpecError
from pai_jupyter.workflow.component_base import ComponentBase
from pai_jupyter.workflow.component_store import ComponentVersion, HomeStore
from pai_jupyter.workflow.pipeline import Pipeline
from pai_jupyter.workflow.registered_component import RegisteredComponent
from pai_jupyter.workflow.step import PipelineStep

_MOST_NAMES = 10  # names in an error


def pipeline_of_cell(shell: Any, cell: str) -> ComponentBase:  # Any: IPython is untyped
    """Run the cell and return the pipeline or component that it makes.

    Raises:
        SpecError: it makes none, or several.
        Exception: whatever the cell raises.
    """
    try:
        code: str = shell.transform_cell(cell)
        file = shell.compile.cache(code, shell.execution_count, cell)  # so that a traceback shows the lines of the cell
        tree = ast.parse(code, file)
    except SyntaxError as exc:
        line = (exc.lineno or 0) + 1  # that of the magic is the first
        raise SpecError(f"the cell cannot be read as Python, line {line}: {exc.msg}.", line=line) from exc
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    names: dict[str, Any] = shell.user_ns  # Any: variables of the user's
    before = dict(names)
    with _at_hand(names, {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | _names_in(last)):
        exec(compile(tree, file, "exec"), names)  # noqa: S102  it is the user's own cell
        value = eval(compile(ast.Expression(last.value), file, "eval"), names) if isinstance(last, ast.Expr) else None  # noqa: S307
    if value is not None:
        return _pipeline(value)
    return _only({name: it for name, it in names.items() if isinstance(it, Pipeline) and before.get(name) is not it})


def _names_in(node: ast.AST | None) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} if node is not None else set()


@contextmanager
def _at_hand(names: dict[str, Any], used: Iterable[str]) -> Iterator[None]:  # Any: as above
    """Put the saved components that are used, and are no variables, into `names`."""
    wanted = [name for name in used if name not in names and not hasattr(builtins, name)]
    found = {name: it for name, it in saved_components().items() if name in wanted} if wanted else {}
    ready: dict[str, object] = {name: RegisteredComponent(stored) for name, stored in found.items()}
    ready |= _custom_components(set(wanted) - ready.keys())
    names.update(ready)
    try:
        yield
    finally:
        for name, component in ready.items():
            if names.get(name) is component:
                del names[name]


def saved_components() -> dict[str, ComponentVersion]:
    """Return the newest version of each component saved on this machine, by the name that a cell gives it."""
    store = HomeStore()
    when = [((store.folder / f"{it.id}.yaml").stat().st_mtime_ns, it) for it in store.list()]
    return {variable_name(it.identifier): it for _, it in sorted(when, key=lambda pair: pair[0])}


def _custom_components(wanted: set[str]) -> dict[str, object]:
    """Return the newest version of each custom component (`%%pai_component --save`) that is wanted, as it was saved."""
    found: dict[str, object] = {}
    for name in saved_versions() if wanted else ():
        if variable_name(name) in wanted:
            saved = load_named(name)
            way_on = f"Save it again: %pai_component {name} --save --accept-changes"
            check_unchanged(saved, is_accepted=False, way_on=way_on)
            found[variable_name(name)] = saved.component
    return found


def variable_name(identifier: str) -> str:
    """Return the identifier of a component as a variable: "iris-train" is iris_train."""
    name = re.sub(r"\W", "_", identifier)
    return f"_{name}" if name[:1].isdigit() or keyword.iskeyword(name) else name


def _pipeline(value: object) -> ComponentBase:
    if isinstance(value, ComponentBase):
        return value
    steps = value if isinstance(value, list | tuple) else [value]
    found = [it for it in steps if isinstance(it, PipelineStep)]
    if found and len(found) == len(steps):
        return Pipeline(steps=found)
    raise SpecError(
        f"the cell ends with a value of type {type(value).__name__}, which is no pipeline. End it with Pipeline(steps=[...]), "
        "or with its last steps."
    )


def _only(made: Mapping[str, Pipeline]) -> Pipeline:
    """Return the one pipeline that is no step of another."""
    inner = {id(step.component) for pipeline in made.values() for step in pipeline.steps}
    outer = {id(it): name for name, it in made.items() if id(it) not in inner}
    if len(outer) == 1:
        return made[next(iter(outer.values()))]
    if not outer:
        raise SpecError("the cell makes no pipeline. End it with Pipeline(steps=[...]), or with its last steps.")
    named = ", ".join(sorted(outer.values())[:_MOST_NAMES])
    raise SpecError(f"the cell makes several pipelines: {named}. End it with the one that is meant.")
