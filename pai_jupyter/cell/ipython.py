"""Translate IPython-only lines to Python, to requirements, to a note, or to an error.

Rule 1: a line becomes one line. A removed line stays as a comment, so that train.py shows what the cell said.
Rule 2: an indented line may be its block's only one, so `pass` is put before the comment.
Rule 3: what has a meaning in a job runs at its place, through `get_ipython()` of `in_job`. What only concerns the notebook
    is left out with a note. What a job cannot run as meant is an error with a substitute; nothing is dropped silently.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pai_jupyter.cell.finding import Finding
from pai_jupyter.cell.pip import is_install, is_removal, read_install
from pai_jupyter.errors import SpecError

_LEFT_OUT = frozenset(
    [
        "matplotlib",
        "load_ext",
        "reload_ext",
        "unload_ext",
        "config",
        "autoreload",
        "aimport",
        "xmode",
        "precision",
        "colors",
        "pprint",
        "who",
        "whos",
        "who_ls",
        "history",
        "hist",
        "tensorboard",
        "watermark",
    ]
)
_LEFT_OUT_CELL = frozenset({"time", "capture"})
_RUN = frozenset({"cd", "env", "set_env"})  # get_ipython() of a job knows them
_ALIASES = frozenset(["ls", "mkdir", "rmdir", "rm", "cp", "mv", "cat"])  # IPython's names for shell commands
_SHELL_MAGICS = frozenset({"sx", "system"})
_PIP_SHOWS = frozenset({"list", "show", "freeze", "check", "config", "cache", "index", "debug", "--version", "-V"})
_SUBSTITUTES = {
    "run": "Import the module (--include sends it along), or use runpy.run_path(path).",
    "load": "Run it once, so that the code itself stands in the cell.",
    "pylab": "Write: import numpy as np; import matplotlib.pyplot as plt",
    "timeit": "Use timeit.timeit(...), or %time for a single run.",
    "debug": "Nobody can answer a debugger in a job; delete it.",
    "pdb": "Nobody can answer a debugger in a job; delete it.",
    "writefile": "Save the file once and send it along with --include.",
    "pai_train": "It must be the first line, once in a cell.",
    "pai_component": "It must be the first line, once in a cell.",
}
_SCRIPTS = frozenset({"bash", "sh", "script", "cmd"})
_SCRIPT = 'Use subprocess.run("...", shell=True, check=True), or --command for the job\'s own command.'
_NO_PYTHON = _SCRIPTS | frozenset(
    [
        "html",
        "javascript",
        "js",
        "latex",
        "markdown",
        "svg",
        "writefile",
        "file",
        "perl",
        "ruby",
        "R",
        "sql",
        "cython",
        "system",
        "sx",
    ]
)
_ENVIRON = '__import__("os").environ'
_CONDA = re.compile(r"(?:%|!!?[ \t]*)(?:conda|mamba|micromamba)\b[ \t]*(?P<verb>[\w-]*)")
_CONDA_SHOWS = frozenset({"list", "info", "search", "run"})
_CONDA_NOTE = (
    "conda means nothing in a job, whose packages come from its image and from %pip, so `{0}` is left out. "
    "If the job needs the package: %pip install NAME"
)

_MAGIC = re.compile(r"(?P<percent>%%?)(?P<name>[\w.]*)[ \t]*(?P<rest>.*)", re.DOTALL)
_ASSIGNED = re.compile(r"(?P<target>.*?[^=!<>:])=[ \t]*(?=[%!](?!=))", re.DOTALL)
_TIME = re.compile(r"^([ \t\f]*)(?:%time[ \t]+(?=\S))+")


@dataclass(frozen=True, kw_only=True)
class TranslatedLine:
    """The translation of an IPython line and its continuations: as many lines, requirements, findings.

    `left_out`: the line as written, if it is left out because it means nothing in a job.
    """

    lines: tuple[str, ...]
    requirements: tuple[str, ...] = ()
    finding: Finding | None = None
    left_out: str = ""


@dataclass(frozen=True, kw_only=True)
class _Outcome:
    """What a line becomes: Python code, "" to leave it out; with an error or a warning."""

    code: str = ""
    error: str = ""
    warning: str = ""
    is_left_out: bool = False
    requirements: tuple[str, ...] = ()


def is_ipython(code: str) -> bool:
    """Return whether a line, with strings and comments blanked out, is IPython syntax."""
    text = code.strip()
    return text[:1] in {"%", "!", ",", ";", "/"} or "?" in text or _ASSIGNED.match(text) is not None


def untimed(line: str) -> str:
    """Remove `%time` from the start of a statement; other lines stay unchanged."""
    return _TIME.sub(r"\1", line)


def translate(lines: Sequence[str], code: str, number: int) -> TranslatedLine:
    """Translate an IPython line, line `number` of the cell; `code` is its first line as blanked by `scan`."""
    body = " ".join(line.removesuffix("\\").strip() for line in lines)
    column = len(lines[0]) - len(lines[0].lstrip())
    assigned = _ASSIGNED.match(code)
    if assigned and body[0] not in "%!":
        target = lines[0][: assigned.end("target")].rstrip()
        outcome = _value(body[body.index(lines[0][assigned.end() :].removesuffix("\\").strip()) :])
        # after an error the name stays bound, so that there is only one finding
        first = f"{target} = {outcome.code}" if outcome.code else f"{target} = None  # {lines[0].lstrip()}"
    else:
        outcome = _statement(body)
        first = lines[0][:column] + outcome.code if outcome.code else comment_out(lines[0])
    message = outcome.error or outcome.warning
    finding = Finding(
        line=number,
        column=column,
        code="ipython-syntax",
        severity="error" if outcome.error else "warning",
        message=message,
    )
    return TranslatedLine(
        lines=(first, *(f"# {line.lstrip()}" for line in lines[1:])),
        requirements=outcome.requirements,
        finding=finding if message else None,
        left_out=_short(body) if outcome.is_left_out else "",
    )


def left_out_note(lines: Sequence[tuple[int, str]]) -> Finding:
    """Build the one note of a cell for its lines that are left out; `lines` are numbers and texts."""
    first, *others = lines
    named = "".join(f", `{text}` ({number})" for number, text in others)  # words here would have to be translated
    message = f"left out, since it means nothing in a job: `{first[1]}`{named}"
    return Finding(line=first[0], code="left-out", severity="warning", message=message)


def has_other_language(body: str) -> bool:
    """Return whether a line is a `%%magic` below which no Python stands."""
    magic = _MAGIC.match(body.strip())
    return magic is not None and magic["percent"] == "%%" and magic["name"] in _NO_PYTHON


def comment_out(line: str) -> str:
    """Comment out the line; when indented, put `pass` before it, as its block may hold nothing else."""
    body = line.lstrip()
    indentation = line[: len(line) - len(body)]
    return f"{indentation}{'pass  ' if indentation else ''}# {body}"


def _statement(body: str) -> _Outcome:
    """Translate a line that is a statement of its own."""
    if not body.strip("! \t"):
        return _Outcome(is_left_out=True)
    if conda := _CONDA.match(body):
        if conda["verb"] in _CONDA_SHOWS:
            return _Outcome(is_left_out=True)
        return _Outcome(warning=_CONDA_NOTE.format(_short(body)))
    if command := _shell_command(body):
        return _shell(command, is_magic=body[0] == "%")
    magic = _MAGIC.match(body)
    if magic is None:
        return _Outcome(error=_automatic(body))
    return _cell_magic(magic["name"]) if magic["percent"] == "%%" else _line_magic(magic["name"], magic["rest"], body)


def _shell_command(body: str) -> str:
    """Return the shell command of `!command`, `%pip install ...` and their like; "" for other lines."""
    if body.startswith("!"):
        return body.lstrip("!").strip()
    pip = re.match(r"%(?:uv\s+)?pip(?=\s)", body)
    command = f"pip{body[pip.end() :]}" if pip else ""
    return command if is_install(command) else ""


def _shell(command: str, *, is_magic: bool) -> _Outcome:
    if is_removal(command):
        return _Outcome(is_left_out=True)
    if not is_install(command):
        return _Outcome(code=_call("system", command))
    try:
        line = read_install(command)
    except SpecError as exc:
        return _Outcome(error=str(exc))
    if line.rest and is_magic:
        return _Outcome(
            error=f"only `pip install` can be kept, not `{_short(line.rest)}`. Begin the line with !, not with %."
        )
    return _Outcome(code=_call("system", line.rest) if line.rest else "", requirements=line.requirements)


def _line_magic(name: str, rest: str, body: str) -> _Outcome:
    if name in _LEFT_OUT or (name == "time" and not rest) or (name in ("env", "set_env") and not _sets_variable(rest)):
        return _Outcome(is_left_out=True)  # `%env NAME` would print the value into the log
    if name == "pip":
        shows = rest.split(maxsplit=1)[:1]
        is_shown = bool(shows) and shows[0] in _PIP_SHOWS
        return _Outcome(code=_call("run_line_magic", "pip", rest)) if is_shown else _Outcome(is_left_out=True)
    if name in _RUN:
        return _Outcome(code=_assigned_variable(rest) if name != "cd" else _call("run_line_magic", name, rest))
    if name in _SHELL_MAGICS or name in _ALIASES:
        return _Outcome(code=_call("system", rest if name in _SHELL_MAGICS else f"{name} {rest}".strip()))
    if name == "pwd":
        return _Outcome(is_left_out=True)
    if name.startswith("pai_") and name != "pai_train":
        return _Outcome(error=f"`%{name}` speaks to the notebook, not to the job. Run it in a cell of its own.")
    return _Outcome(error=_only_in_ipython("%", name))


def _cell_magic(name: str) -> _Outcome:
    if name in _LEFT_OUT_CELL:
        return _Outcome(is_left_out=True)
    if name in _SCRIPTS:
        return _Outcome(error=f"`%%{name}` runs a shell, which only IPython can. {_SCRIPT}")
    return _Outcome(error=_only_in_ipython("%%", name))


def _value(body: str) -> _Outcome:
    """Translate what stands behind `name =`."""
    if body.startswith("!"):
        return _Outcome(code=_call("getoutput", body.lstrip("!").strip()))
    magic = _MAGIC.match(body)
    name, rest = (magic["name"], magic["rest"]) if magic and magic["percent"] == "%" else ("", "")
    if name in _SHELL_MAGICS:
        return _Outcome(code=_call("getoutput", rest))
    if name == "pwd" or (name == "env" and re.fullmatch(r"\w+", rest)):
        return _Outcome(code=_call("run_line_magic", name, rest))
    if name in _LEFT_OUT or name in _RUN or name == "time":
        return _Outcome(error=f"`{_short(body)}` gives nothing outside of IPython. Delete the line.")
    return _Outcome(
        error=_statement(body).error or f"`{_short(body)}` gives nothing outside of IPython. Delete the line."
    )


def _sets_variable(rest: str) -> bool:
    return re.match(r"\w+\s*=|\w+\s+\S", rest) is not None


def _assigned_variable(rest: str) -> str:
    """Return the code of `%env NAME=VALUE`; a plain value stands as such, where lint sees a secret."""
    found = re.match(r"(\w+)(?:\s*=\s*|\s+)(.*)", rest, re.DOTALL)
    if found is None or re.search(r"[{}$]", found[2]):
        return _call("run_line_magic", "env", rest)
    return f"{_ENVIRON}[{found[1]!r}] = {found[2].strip()!r}"


def _call(method: str, *arguments: str) -> str:
    return f"get_ipython().{method}({', '.join(map(repr, arguments))})"


def _automatic(body: str) -> str:
    return f"`{_short(body)}` is IPython's help or automatic call. Delete it, or call the function with parentheses."


def _only_in_ipython(percent: str, name: str) -> str:
    other = "Delete it, or write in Python what it does."
    return f"`{percent}{name}` exists only in IPython. " + _SUBSTITUTES.get(name, other)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:59] + "…"
