"""docopt: the options and arguments of a usage text.

    Usage: train.py <data> [--lr=<rate>] [--amp]

    Options:
      -l --lr=<rate>    learning rate [default: 0.1]
      --amp             half precision

docopt gives every value to the script as text; an option without an argument is a flag, `<data>` a value without a name. Such
a value cannot begin with `-`, which docopt takes for an option, unless the usage has `[--]`.
"""

import ast
import re
from collections.abc import Iterator

from pai_jupyter.hyperparameters.expressions import calls, constant, dotted, keywords, last_part
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter
from pai_jupyter.hyperparameters.readers.reader import Found, ScriptText, declared_by_parser
from pai_jupyter.spec import is_hyperparameter_name

_USAGE = re.compile(r"(?im)^.*usage:(.*(?:\n(?!\s*\n).*)*)")
_OPTION_LINE = re.compile(r"^\s*(-.*)$")
_LONG = re.compile(r"--([A-Za-z0-9][\w-]*)(?:[= ](<[^>]+>|[A-Z][A-Z_0-9]*))?")
_IN_USAGE = re.compile(r"--([A-Za-z0-9][\w-]*)(?:[= ]?(<[^>]+>|=\w+)|)")
_DEFAULT = re.compile(r"(?i)\[default:\s*([^\]]*)\]")
_PLACE = re.compile(r"(?<![=\w])(?:<([A-Za-z0-9][\w.-]*)>|([A-Z][A-Z0-9_]+)\b)")
_ONLY_HELP = re.compile(r"^\s*\S+\s+[(\[]?\s*(?:-h|--help|--version)\b")
_OF_THE_PARSER = ("help", "version")


def read_docopt(script: ScriptText) -> Found | None:
    """Read the text that `docopt(...)` is given."""
    if "docopt" not in script.source:
        return None
    call = next((it for it in calls(script.module) if dotted(it.func) in ("docopt", "docopt.docopt")), None)
    usage = "" if call is None else _text_of(call, script.module)
    if call is None or not usage:
        return None
    line = call.lineno
    options = {it.name: it for it in _options(usage, line)}
    places = [it for it in _places(usage, line) if it.name not in options]
    return Found(declarations=tuple(map(declared_by_parser, [*places, *options.values()])))


def _text_of(call: ast.Call, module: ast.Module) -> str:
    """Return the usage: the script's own docstring, or a text in place."""
    node = call.args[0] if call.args else keywords(call).get("doc")
    if isinstance(node, ast.Name) and node.id == "__doc__":
        return ast.get_docstring(module) or ""
    if isinstance(node, ast.Name):
        node = next((it.value for it in module.body if _assigns(it, node.id) and isinstance(it, ast.Assign)), None)
    value = constant(node)
    return value if isinstance(value, str) else ""


def _assigns(statement: ast.stmt, name: str) -> bool:
    return isinstance(statement, ast.Assign) and last_part(statement.targets[0]) == name


def _options(usage: str, line: int) -> Iterator[Hyperparameter]:
    """Yield the options of the usage, then those of the descriptions, which say more."""
    patterns = _USAGE.search(usage)
    for found in _IN_USAGE.finditer(patterns[1] if patterns else ""):
        yield from _option(found[1], line, takes_value=bool(found[2]), default=None, described="")
    lines = usage.splitlines()
    for number, text in enumerate(lines):
        start = _OPTION_LINE.match(text)
        if start is None:
            continue
        words, _, described = start[1].partition("  ")
        rest = [it for it in lines[number + 1 : number + 3] if it.strip() and not _OPTION_LINE.match(it)]
        default = _DEFAULT.search(described) or (_DEFAULT.search(rest[0]) if rest else None)
        named = _LONG.search(words)
        takes_value = bool(re.search(r"[= ]<[^>]+>|=\S+|(?<=[\w]) [A-Z][A-Z_0-9]*", words))
        if named:
            shown = _DEFAULT.sub("", described)
            yield from _option(
                named[1], line, takes_value=takes_value, default=default[1] if default else None, described=shown
            )


def _option(
    name: str, line: int, *, takes_value: bool, default: str | None, described: str
) -> Iterator[Hyperparameter]:
    if name in _OF_THE_PARSER or not is_hyperparameter_name(name):
        return
    help_text = " ".join(described.split())
    if takes_value:
        yield Hyperparameter(name=name, type="String", default=default, line=line, help=help_text)
    else:
        yield Hyperparameter(name=name, type="Bool", default=False, style="flag", line=line, help=help_text)


def _places(usage: str, line: int) -> Iterator[Hyperparameter]:
    """Yield the positional arguments of a usage of one pattern; of several patterns none is known to be meant."""
    found = _USAGE.search(usage)
    patterns = [it for it in (found[1].splitlines() if found else []) if it.strip() and not _ONLY_HELP.search(it)]
    if len(patterns) != 1:
        return
    pattern = re.sub(r"--?\w[\w-]*[= ](?:<[^>]+>|[A-Z_]+)", "", patterns[0])
    for place in _PLACE.finditer(pattern):
        name = place[1] or place[2]
        is_needed = pattern.count("[", 0, place.start()) == pattern.count("]", 0, place.start())
        yield Hyperparameter(
            name=name, type="String", required=is_needed, style="positional", line=line, no_dash="[--]" not in pattern
        )
