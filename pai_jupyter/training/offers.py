"""What the form offers to give a job: what its code reads and would not find. Names and descriptions, never a value.

SM_MODEL_DIR, AIP_MODEL_DIR, ...     `--compat SERVICE`
HF_TOKEN, WANDB_API_KEY, ...         `--pass-env NAME`, if it is set in this process
X_train, df, ...                     `--send NAME`: variables of the notebook that the cell uses
model, history, ...                  `--return NAME`: those that the cell assigns
"""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import FunctionType, ModuleType

from pai_jupyter import contract
from pai_jupyter.backends import Inherits, find_info, get_backend
from pai_jupyter.cell import Finding, LineMap, read_by_libraries, read_cell, variables_read
from pai_jupyter.config import inherited_environment
from pai_jupyter.hyperparameters import Schema
from pai_jupyter.training.options import TrainOptions
from pai_jupyter.values import described

_OF_THE_MACHINE = frozenset(  # a container has its own
    {"PATH", "HOME", "USER", "LOGNAME", "PWD", "SHELL", "LANG", "TERM", "HOSTNAME", "TMPDIR", "PYTHONPATH", "DISPLAY"}
)
_PASSED = "local.pass_env"


def compat_findings(source: str, *, compat: str | None, given: Mapping[str, str]) -> list[Finding]:
    """Return a warning for each service whose variables `source` reads, unless `--compat` or `given` has them."""
    services: dict[str, dict[str, int]] = {}
    for name, line in variables_read(source).items():
        service = contract.compat_for(name)
        if service is not None and name not in given:
            services.setdefault(service, {})[name] = line
    if compat is not None:
        return []
    return [
        Finding(line=next(iter(names.values())), code="compat", severity="warning", message=_compat(service, [*names]))
        for service, names in services.items()
    ]


def _compat(service: str, names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"This code reads {names[0]}: --compat {service} gives it."
    return f"This code reads {', '.join(names)}: --compat {service} gives them."


def variables_to_pass(
    source: str, options: TrainOptions, *, backend: str, environ: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the names of variables of this process that the script reads and that a job on `backend` would not get.

    Only jobs of this machine can get them: PAI keeps a job's variables.
    """
    info = find_info(backend)
    if info is None or not info.is_local:
        return ()
    inherited = inherited_environment(environ) if isinstance(get_backend(backend), Inherits) else {}
    read = dict.fromkeys((*variables_read(source), *read_by_libraries(source)))
    return tuple(
        name
        for name in read
        if environ.get(name)
        and name not in inherited
        and name not in options.environments
        and name not in passed_by(options)
        and not _is_the_jobs_own(name)
    )


def passed_by(options: TrainOptions) -> tuple[str, ...]:
    """Return the names given with `--pass-env`."""
    given = options.options.get(_PASSED)
    return tuple(map(str, given)) if isinstance(given, list) else ()


def _is_the_jobs_own(name: str) -> bool:
    """Return whether a job has this variable of its own: those of the contract and of the machine."""
    is_passable = name in inherited_environment({name: "x"}) or contract.is_secret(name)
    return name in _OF_THE_MACHINE or not is_passable or contract.compat_for(name) is not None


def pass_note(name: str) -> str:
    """Return the note that offers a variable."""
    return f"This code reads {name}, which is set here: --pass-env {name} gives it to the job."


def offered_values(
    names: tuple[str, ...], undefined: Mapping[str, int], namespace: Mapping[str, object]
) -> dict[str, str]:
    """Describe the variables `names`, and those that the cell uses without defining them and that hold data."""
    used = [name for name in undefined if name in namespace and _is_data(name, namespace[name])]
    return {name: described(namespace[name]) if name in namespace else "" for name in dict.fromkeys((*names, *used))}


def _is_data(name: str, value: object) -> bool:
    return not contract.is_secret(name, value) and not isinstance(value, ModuleType | FunctionType | type)


def assigned_names(cell: str, *, without: Collection[str] = ()) -> list[str]:
    """List the variables that a cell assigns at its top level, in order; hyperparameters, say, are `without`."""
    try:
        tree = ast.parse(read_cell(cell).source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the linter says why
        return []
    targets = [
        node
        for each in tree.body
        if isinstance(each, ast.Assign | ast.AnnAssign)
        for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
        for node in ast.walk(target)
    ]
    found = [node.id for node in targets if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return [
        name
        for name in dict.fromkeys(found)
        if not (name.startswith("_") or name in without or contract.is_secret(name))
    ]


def hidden_values(
    source: str,
    schema: Schema,
    lines: LineMap,
    options: TrainOptions,
    namespace: Mapping[str, object],
    *,
    magic_line: int,
) -> Iterator[Finding]:
    """Yield an error for each value of `-p` that a sent variable, or an entry of one, has in the script."""
    bound = _lines_of(source, options.sends)
    for given in options.values if options.sends else ():
        declared = schema.find(given)
        if declared is None or declared.origin == "given":
            name = next((each for each in options.sends if _has(each, namespace.get(each), given)), None)
            name = None if "PAI_HP" in source else name  # the script reads it by itself
        else:
            places = [place.line for place in declared.places if lines.origin(place.line)[0] is not None]
            is_all = len(places) == len(declared.places)
            name = next((bound[line] for line in places if line in bound), None) if is_all else None
        if name is not None:
            message = (
                f"`-p {given}` has no effect: `{name}` is sent with the value that it has in the notebook. "
                f"Take `{name}` out of --send, or set it in the notebook and leave out -p {given}."
            )
            yield Finding(line=magic_line, code="hidden-value", message=message)


def _has(name: str, value: object, given: str) -> bool:
    """Return whether a name of `-p` is that of a variable or of an entry of it."""
    holder, _, key = given.rpartition(".")
    return given == name or (holder in ("", name) and isinstance(value, dict) and key in value)


def _lines_of(source: str, names: Collection[str]) -> dict[int, str]:
    """Return the lines of the top-level statements that bind one of `names`, with that name."""
    found = {}
    tree = ast.parse(source) if names else ast.Module([], [])
    for node in tree.body:
        bound = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        if isinstance(node, ast.ClassDef):
            bound.add(node.name)
        for name in bound.intersection(names):
            found.update(dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), name))
    return found
