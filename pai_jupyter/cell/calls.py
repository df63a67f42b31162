"""Find notebook habits that fail in a job: asking the user, breakpoints, `type=bool`, access keys in the code."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from pai_jupyter.cell.finding import Finding, Severity
from pai_jupyter.cell.names import Names
from pai_jupyter.cell.nodes import called, last_name, text
from pai_jupyter.cell.options import behind_options
from pai_jupyter.spec import env_name

_DEBUGGERS = {
    ("pdb", "set_trace"),
    ("ipdb", "set_trace"),
    ("pudb", "set_trace"),
    ("IPython", "embed"),
    ("code", "interact"),
}
_KEY_ID = re.compile(r"LTAI[0-9A-Za-z]{12,}", re.ASCII)
_SECRET_NAME = re.compile(r"(?:access_?key_?secret|secret_?access_?key)", re.IGNORECASE)
_PLACEHOLDER = re.compile(r".{0,7}|.*[<>{}$ ].*|[xX*.]+|(?i:your).*", re.DOTALL)


def unanswered_questions(names: Names, nodes: Sequence[ast.AST], options: Collection[str] = ()) -> Iterator[Finding]:
    """Find `input()`, `getpass()` and breakpoints: a job has no user to answer.

    Behind one of `options`, which the job does not give, it is only a warning.
    """
    behind = behind_options(nodes, options) if options else set()
    builtin = {id(node) for node in names.builtins}
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        if (id(node.func) in builtin and called(node) == "input") or _dotted(node) == ("getpass", "getpass"):
            asks = f"nobody can answer `{called(node)}()` in a job."
            severity: Severity = "warning" if id(node) in behind else "error"
            yield _at(
                node, "input", severity, f"{asks} Make it a hyperparameter (-p NAME=VALUE) or a variable (--env)."
            )
        elif (id(node.func) in builtin and called(node) == "breakpoint") or _dotted(node) in _DEBUGGERS:
            yield _at(
                node, "debugger", "warning", "nobody can answer a debugger in a job, which fails there. Delete it."
            )


def bool_options(nodes: Sequence[ast.AST]) -> Iterator[Finding]:
    """Find `add_argument("--amp", type=bool)`, which takes any non-empty text for true."""
    for node in nodes:
        if not isinstance(node, ast.Call) or called(node) != "add_argument":
            continue
        if any(keyword.arg == "type" and last_name(keyword.value) == "bool" for keyword in node.keywords):
            option = next((name for arg in node.args if (name := text(arg))), "the option")
            message = f'`{option}` has type=bool, to which every text is true, even "False". Use action="store_true".'
            yield _at(node, "bool-option", "warning", message)


def literal_credentials(nodes: Sequence[ast.AST]) -> Iterator[Finding]:
    """Find access keys in the code, which would be stored and sent with it; messages never repeat the key."""
    found = {node.lineno: node for node in nodes if isinstance(node, ast.Constant) and _KEY_ID.search(text(node) or "")}
    for name, value in named_values(nodes):
        secret = text(value)
        if secret is not None and _SECRET_NAME.search(name) and not _PLACEHOLDER.fullmatch(secret):
            found.setdefault(value.lineno, value)  # type: ignore[arg-type]  # `text` has checked that it is a Constant
    for node in found.values():
        message = (
            "an access key stands in the code, which is stored and sent with the job. "
            "Take it out, and give the job a role or a credentials file to read where it runs."
        )
        yield _at(node, "credentials", "warning", message)


def colliding_names(hyperparameters: Iterable[str], nodes: Sequence[ast.AST]) -> Iterator[Finding]:
    """Find hyperparameters that share one PAI_HPS_* variable (their arguments differ); the line is that of the second."""
    seen: dict[str, str] = {}
    for name in dict.fromkeys(hyperparameters):
        other = seen.setdefault(env_name(name), name)
        if other != name:
            message = (
                f"hyperparameters `{other}` and `{name}` become the same variable PAI_HPS_{env_name(name)}. Rename one."
            )
            yield Finding(line=_line_of(name, nodes), code="colliding-names", severity="warning", message=message)


def _dotted(call: ast.Call) -> tuple[str, str]:
    return (last_name(call.func.value) if isinstance(call.func, ast.Attribute) else "", called(call))


def named_values(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """Yield names with their values: assignments, keyword arguments, entries of dictionaries."""
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield _target_name(target), value
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield _target_name(target), value
            case ast.keyword(arg=str(name), value=value):
                yield name, value
            case ast.Dict(keys=keys, values=values):
                for key, item in zip(keys, values, strict=True):
                    yield text(key) or "", item


def _target_name(target: ast.expr) -> str:
    return text(target.slice) or "" if isinstance(target, ast.Subscript) else last_name(target)


def _line_of(name: str, nodes: Sequence[ast.AST]) -> int:
    """Return the first line that declares `name` as an option, variable or key; 1 if not found."""
    lines = (
        node.lineno
        for node in nodes
        if (isinstance(node, ast.Constant) and node.value in (name, f"--{name}", f"-{name}"))
        or (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store))
    )
    return min(lines, default=1)


def _at(node: ast.expr, code: str, severity: Severity, message: str) -> Finding:
    return Finding(line=node.lineno, column=node.col_offset, code=code, severity=severity, message=message)
