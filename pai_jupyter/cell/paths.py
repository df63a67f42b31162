"""Find paths that will be missing in the job: paths of this machine, files not sent along, a literal /ml.

Rule 1: only literals that are read are checked; computed paths may be right.
Rule 2: all findings are warnings. A file may be created at run time, and a path may exist there, too.
Rule 3: `os.environ.get("PAI_OUTPUT_MODEL", "/ml/output/model/")` is how portable scripts are written, and gives no finding.
"""

import ast
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeGuard

from pai_jupyter.cell.finding import Finding
from pai_jupyter.cell.names import Names
from pai_jupyter.cell.nodes import argument, called, last_name, text
from pai_jupyter.spec import env_name

_FILE_READER = re.compile(
    "open|load|loadtxt|genfromtxt|fromfile|imread|load_model|load_file|load_svmlight_file|read_image"
    "|read_(?:csv|table|parquet|excel|json|pickle|feather|hdf|fwf)"
)
_PLACE = re.compile(_FILE_READER.pattern + "|Path|expanduser|listdir|scandir|walk|glob|iglob|ImageFolder")
_PATH_ARGUMENTS = ("file", "filename", "filepath_or_buffer", "path_or_buf", "path", "io", "fname", "root", "f", "fp")
_OF_THIS_MACHINE = re.compile(r"~|[A-Za-z]:[\\/]|\.\.(?:[\\/]|$)|/(?!/)")
_OF_EVERY_MACHINE = re.compile(r"/(?:ml|dev|proc|sys|tmp|etc|usr|bin|lib|var|run)?(?:/|$)")
_FILE_NAME = re.compile(r"[^\n{}\[\]<>|*?\"%:]+\.\w{1,8}")


def unsent_files(
    nodes: Sequence[ast.AST], names: Names, known: Collection[str], inputs: Mapping[str, Collection[str]]
) -> Iterator[Finding]:
    """Find relative files that the code reads but neither packs nor writes."""
    if any(isinstance(node, ast.Call) and (called(node) == "chdir" or _is_cd(node)) for node in nodes):
        return
    reads = [(node, path) for node, path in _reads(nodes, names, _FILE_READER) if _is_relative_file(path)]
    read_literals = {id(node) for node, _ in reads}
    elsewhere = {value for node in nodes if (value := text(node)) and id(node) not in read_literals}
    commands = [text(argument(node, 0)) or "" for node in nodes if _is_shell(node)]
    for node, path in reads:
        is_made = any(posixpath.basename(path) in command or path.split("/")[0] in command for command in commands)
        if _is_sent(posixpath.normpath(path), known) or path in elsewhere or is_made:
            continue
        message = _as_input(path, inputs) or (
            f"`{path}` is not among the files that are sent. Add --include {path}, or give it as an input with -i."
        )
        yield _warning(node, "missing-file", message)


def _is_sent(path: str, known: Collection[str]) -> bool:
    """Return whether the file or a directory that it lies in is sent."""
    while path not in known:
        path = posixpath.dirname(path)
        if not path:
            return False
    return True


def paths_of_this_machine(
    nodes: Sequence[ast.AST], names: Names, inputs: Mapping[str, Collection[str]]
) -> Iterator[Finding]:
    """Find absolute paths, and paths that leave the package, that the code reads."""
    for node, path in _reads(nodes, names, _PLACE):
        if _OF_THIS_MACHINE.match(path) and not _OF_EVERY_MACHINE.match(path):
            yield _warning(
                node,
                "local-path",
                _as_input(path, inputs)
                or f"`{path}` is a path of this machine, which may not be there where the job runs. "
                f'Give it as an input, -i data={path}, and read os.environ["PAI_INPUT_DATA"].',
            )


def _as_input(path: str, inputs: Mapping[str, Collection[str]]) -> str:
    """Say which input of the job a path is, or lies in; "" if none."""
    wanted = posixpath.normpath(path)
    for name, places in inputs.items():
        variable = f'os.environ["PAI_INPUT_{env_name(name)}"]'
        for place in places:
            if wanted == place:
                return f"`{path}` is the input `{name}` of the job, which lies elsewhere there. Read {variable}."
            if wanted.startswith(f"{place}/"):
                rest = wanted.removeprefix(f"{place}/")
                return (
                    f"`{path}` is in the input `{name}` of the job, which lies elsewhere there. "
                    f'Read {variable} + "/{rest}".'
                )
    return ""


def literal_ml_paths(nodes: Sequence[ast.AST]) -> Iterator[Finding]:
    """Find literal `/ml/...` for a backend without /ml, except as the default of its own variable."""
    excused = _excused(nodes)
    for node in nodes:
        path = text(node)
        if path is None or id(node) in excused or not re.match(r"/ml(?:/|$)", path):
            continue
        yield _warning(
            node,
            "literal-ml",
            f"`{path}` is not there: jobs of this backend have no directory /ml. Use {_instead(path)} instead.",
        )


def _is_cd(node: ast.Call) -> bool:
    return called(node) == "run_line_magic" and text(argument(node, 0)) == "cd"


def _is_shell(node: ast.AST) -> TypeGuard[ast.Call]:
    """Return whether the node runs a shell line, which may download or unpack what is read later."""
    return isinstance(node, ast.Call) and called(node) in ("system", "getoutput")


def _reads(
    nodes: Sequence[ast.AST], names: Names, readers: re.Pattern[str]
) -> Iterator[tuple[ast.Constant | ast.expr, str]]:
    """Yield the literal paths passed to a function that reads them."""
    builtin = {id(node) for node in names.builtins}
    for node in nodes:
        if not isinstance(node, ast.Call) or not readers.fullmatch(called(node)):
            continue
        is_own = isinstance(node.func, ast.Name) and node.func.id == "open" and id(node.func) not in builtin
        place = argument(node, 0, *_PATH_ARGUMENTS)
        path = text(place)
        if place is not None and path and not is_own and _is_reading(node):
            yield place, path


def _is_reading(call: ast.Call) -> bool:
    if called(call) != "open":
        return True
    mode = argument(call, 1, "mode")
    return mode is None or not set(text(mode) or "w") & set("wax")


def _is_relative_file(path: str) -> bool:
    return _FILE_NAME.fullmatch(path) is not None and not _OF_THIS_MACHINE.match(path)


def _instead(path: str) -> str:
    variables, rest = _variables(path)
    if not variables:
        return 'os.environ["PAI_OUTPUT_MODEL"], os.environ["PAI_INPUT_<CHANNEL>"] and their like'
    variable = f'os.environ["{variables[0]}"]'
    return f'os.path.join({variable}, "{rest}")' if rest else variable


def _excused(nodes: Sequence[ast.AST]) -> set[int]:
    """Return the ids of literals that are no paths: docstrings, help, inner parts of f-strings, defaults of variables."""
    excused: set[int] = set()
    for node in nodes:
        match node:
            case ast.Expr(value=ast.Constant() as constant):
                excused.add(id(constant))
            case ast.keyword(arg="help" | "description" | "epilog", value=value):
                excused.add(id(value))
            case ast.JoinedStr(values=values):
                excused |= {id(value) for value in values[1:]}
            case ast.Call():
                excused |= _excused_default(_variable_read(node), argument(node, 1, "default"))
            case ast.BoolOp(op=ast.Or(), values=[first, *others]):
                for other in others:
                    excused |= _excused_default(_variable_read(first), other)
    return excused


def _excused_default(variable: str | None, default: ast.AST | None) -> set[int]:
    path = text(default)
    return {id(default)} if path is not None and variable in _variables(path)[0] else set()


def _variable_read(node: ast.AST) -> str | None:
    """Return the name in `os.environ.get("NAME")`, `os.getenv("NAME")` or `os.environ["NAME"]`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="get" | "setdefault" | "pop", value=value), args=[name, *_]):
            return text(name) if last_name(value) == "environ" else None
        case ast.Call(args=[name, *_]) if called(node) == "getenv":
            return text(name)
        case ast.Subscript(value=value, slice=name) if last_name(value) == "environ":
            return text(name)
    return None


def _variables(path: str) -> tuple[tuple[str, ...], str]:
    """Return the variables for a path below /ml, the best first, and the rest of the path."""
    match path.strip("/").split("/"):
        case ["ml", "output", "logs" | "tensorboard", *rest]:
            return ("PAI_OUTPUT_TENSORBOARD", "PAI_OUTPUT_LOGS"), "/".join(rest)
        case ["ml", "output", channel, *rest]:
            return (f"PAI_OUTPUT_{env_name(channel)}",), "/".join(rest)
        case ["ml", "output"]:
            return ("PAI_OUTPUT_<CHANNEL>",), ""
        case ["ml", "input", "data", channel, *_]:
            return (f"PAI_INPUT_{env_name(channel)}",), ""  # for a file input the variable is the file itself
        case ["ml", "input", "config", *rest]:
            return ("PAI_CONFIG_DIR",), "/".join(rest)
        case ["ml", "input", "credential", *_]:
            return ("PAI_ODPS_CREDENTIAL",), ""
        case ["ml", "usercode" | "code", *rest]:
            return ("PAI_WORKING_DIR",), "/".join(rest)
        case ["ml", "input", *_]:
            return ("PAI_INPUT_<CHANNEL>",), ""
    return (), ""


def _warning(node: ast.expr | ast.AST, code: str, message: str) -> Finding:
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", None)
    return Finding(line=line, column=column, code=code, severity="warning", message=message)
