"""Find the environment variables that a script reads by name, and what known libraries read. Pure.

    os.environ["X"]  os.environ.get("X")  os.getenv("X")  "X" in os.environ        and with `environ`, `getenv` imported

A variable that the script sets itself is none: what it reads then is its own.
"""

import ast
from collections.abc import Iterator, Mapping

LIBRARIES: Mapping[str, tuple[str, ...]] = {  # top-level module -> the variables with which its users log in
    "wandb": ("WANDB_API_KEY",),
    "comet_ml": ("COMET_API_KEY",),
    "neptune": ("NEPTUNE_API_TOKEN",),
    "swanlab": ("SWANLAB_API_KEY",),
    "clearml": ("CLEARML_API_ACCESS_KEY", "CLEARML_API_SECRET_KEY"),
    "mlflow": ("MLFLOW_TRACKING_TOKEN", "MLFLOW_TRACKING_PASSWORD"),
    "huggingface_hub": ("HF_TOKEN",),
    "transformers": ("HF_TOKEN",),
    "datasets": ("HF_TOKEN",),
    "diffusers": ("HF_TOKEN",),
    "modelscope": ("MODELSCOPE_API_TOKEN",),
    "kaggle": ("KAGGLE_KEY",),
    "kagglehub": ("KAGGLE_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "dashscope": ("DASHSCOPE_API_KEY",),
}
_READING = ("get", "pop", "setdefault")


def variables_read(source: str) -> dict[str, int]:
    """Return the names of the environment variables that `source` reads, with the line of the first; {} for invalid code."""
    module = _parsed(source)
    if module is None:
        return {}
    found = sorted((line, name) for node in ast.walk(module) for name, line in _read_by(node))
    own = {name for node in ast.walk(module) for name in _set_by(node)}
    lines: dict[str, int] = {}
    for line, name in found:
        if name not in own:
            lines.setdefault(name, line)
    return lines


def read_by_libraries(source: str) -> dict[str, int]:
    """Return the variables that libraries imported by `source` read, with the line of the import."""
    module = _parsed(source)
    lines: dict[str, int] = {}
    for node in ast.walk(module) if module is not None else ():
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        for name in (each for each in modules for each in LIBRARIES.get(each.partition(".")[0], ())):
            lines.setdefault(name, getattr(node, "lineno", 0))
    return lines


def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _read_by(node: ast.AST) -> Iterator[tuple[str, int]]:
    match node:
        case ast.Subscript(value=place, slice=ast.Constant(value=str(name)), ctx=ast.Load()) if _is_environ(place):
            yield name, node.lineno
        case ast.Call(func=ast.Attribute(value=place, attr=attribute), args=[ast.Constant(value=str(name)), *_]):
            if (_is_environ(place) and attribute in _READING) or attribute == "getenv":
                yield name, node.lineno
        case ast.Call(func=ast.Name(id="getenv"), args=[ast.Constant(value=str(name)), *_]):
            yield name, node.lineno
        case ast.Compare(left=ast.Constant(value=str(name)), ops=[ast.In() | ast.NotIn()], comparators=[place]):
            if _is_environ(place):
                yield name, node.lineno
        case _:
            return


def _set_by(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Subscript(value=place, slice=ast.Constant(value=str(name)), ctx=ast.Store()) if _is_environ(place):
            yield name
        case ast.Call(func=ast.Attribute(value=place, attr="setdefault"), args=[ast.Constant(value=str(name)), *_]):
            if _is_environ(place):
                yield name
        case _:
            return


def _is_environ(node: ast.expr) -> bool:
    match node:
        case ast.Name(id="environ") | ast.Attribute(attr="environ"):
            return True
        case _:
            return False
