"""Translate IPython-only lines to Python, to requirements, or to an error.

Rule 1: a line becomes one line. A removed line stays as a comment, so that train.py shows what the cell said.
Rule 2: an indented line may be its block's only one, so `pass` is put before the comment.
Rule 3: a line that a job cannot run as meant is an error with a substitute; it is never dropped silently.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pai_jupyter.cell.finding import Finding
from pai_jupyter.cell.pip import is_install, read_install
from pai_jupyter.errors import SpecError

_DROPPED = frozenset({"matplotlib", "load_ext", "reload_ext", "unload_ext", "config", "autoreload"})

_SHELL = 'Use subprocess.run("{0}", shell=True, check=True), or --command for the job\'s own command.'
_CAPTURE = 'Use subprocess.run("{0}", shell=True, check=True, capture_output=True, text=True).stdout'
_SUBSTITUTES = {
    "env": 'Use os.environ["NAME"] = "value", or --env NAME=VALUE on the first line.',
    "set_env": 'Use os.environ["NAME"] = "value", or --env NAME=VALUE on the first line.',
    "cd": "Use os.chdir(path); the job begins in the directory of its code.",
    "pwd": "Use os.getcwd().",
    "run": "Import the module (--include sends it along), or use runpy.run_path(path).",
    "load": "Run it once, so that the code itself stands in the cell.",
    "pylab": "Write: import numpy as np; import matplotlib.pyplot as plt",
    "timeit": "Use timeit.timeit(...), or %time for a single run.",
    "time": "Write %time before the statement, or take time.perf_counter() before and after.",
    "capture": "Delete it; the log keeps what the job prints.",
    "debug": "Nobody can answer a debugger in a job; delete it.",
    "pdb": "Nobody can answer a debugger in a job; delete it.",
    "writefile": "Save the file once and send it along with --include.",
    "conda": "Use %pip install, or an image that has the package (--image).",
    "mamba": "Use %pip install, or an image that has the package (--image).",
    "tensorboard": "Run it in a cell of its own; the job writes its events to PAI_OUTPUT_TENSORBOARD.",
    "pai_train": "It must be the first line, once in a cell.",
}
_SHELL_MAGICS = frozenset({"bash", "sh", "script", "system", "sx", "cmd"})

_MAGIC = re.compile(r"(?P<percent>%%?)(?P<name>[\w.]*)[ \t]*(?P<rest>.*)", re.DOTALL)
_ASSIGNED = re.compile(r"(?P<target>.*?[^=!<>:])=[ \t]*(?=[%!](?!=))", re.DOTALL)
_TIME = re.compile(r"^([ \t\f]*)(?:%time[ \t]+(?=\S))+")


@dataclass(frozen=True, kw_only=True)
class Translated:
    """The translation of an IPython line and its continuations: as many lines, requirements, findings."""

    lines: tuple[str, ...]
    requirements: tuple[str, ...] = ()
    finding: Finding | None = None


def is_ipython(code: str) -> bool:
    """Return whether a line, with strings and comments blanked out, is IPython syntax."""
    text = code.strip()
    return text[:1] in {"%", "!", ",", ";", "/"} or "?" in text or _ASSIGNED.match(text) is not None


def untimed(line: str) -> str:
    """Remove `%time` from the start of a statement; other lines stay unchanged."""
    return _TIME.sub(r"\1", line)


def translate(lines: Sequence[str], code: str, number: int) -> Translated:
    """Translate an IPython line, line `number` of the cell; `code` is its first line as blanked by `scan`."""
    body = " ".join(line.removesuffix("\\").strip() for line in lines)
    column = len(lines[0]) - len(lines[0].lstrip())
    gone = comment_out(lines[0])
    requirements: tuple[str, ...] = ()
    message: str | None
    assigned = _ASSIGNED.match(code)
    if assigned and body[0] not in "%!":
        target = lines[0][: assigned.end("target")].rstrip()
        gone = f"{target} = None  # {lines[0].lstrip()}"  # the name stays bound, so that there is only one finding
        message = _assigned_complaint(lines[0][assigned.end() :].strip())
    elif command := _pip_command(body):
        requirements, message = _read_pip(command)
    else:
        message = _complaint(body)
    return Translated(
        lines=(gone, *(f"# {line.lstrip()}" for line in lines[1:])),
        requirements=requirements,
        finding=Finding(line=number, column=column, code="ipython-syntax", message=message) if message else None,
    )


def comment_out(line: str) -> str:
    """Comment out the line; when indented, put `pass` before it, as its block may hold nothing else."""
    body = line.lstrip()
    indentation = line[: len(line) - len(body)]
    return f"{indentation}{'pass  ' if indentation else ''}# {body}"


def _pip_command(body: str) -> str | None:
    """Return the shell command of a line that installs packages, else None."""
    magic = re.match(r"%(?:uv\s+)?pip(?=\s)|!!?(?=\s*\S)", body)
    if magic is None:
        return None
    command = ("pip" if body[0] == "%" else "") + body[magic.end() :]
    command = command.lstrip()
    return command if is_install(command) else None


def _read_pip(command: str) -> tuple[tuple[str, ...], str | None]:
    try:
        return read_install(command), None
    except SpecError as exc:
        return (), str(exc)


def _assigned_complaint(body: str) -> str:
    if body.startswith("!"):
        return f"`{_short(body)}` runs a shell command, which only IPython can. {_CAPTURE.format(_short(body[1:].strip()))}"
    return _complaint(body) or f"`{_short(body)}` gives nothing outside of IPython. Delete the line."


def _complaint(body: str) -> str | None:
    """Return why a line cannot be kept and what to write instead; None if it can be dropped."""
    if body.startswith("!"):
        return (
            f"`{_short(body)}` runs a shell command, which only IPython can. {_SHELL.format(_short(body.lstrip('! ')))}"
        )
    magic = _MAGIC.match(body)
    if magic is None:
        return (
            f"`{_short(body)}` is IPython's help or automatic call. Delete it, or call the function with parentheses."
        )
    name, is_cell = magic["name"], magic["percent"] == "%%"
    if name in _DROPPED and not is_cell:
        return None
    if name.startswith("pai_") and name != "pai_train":
        return f"`%{name}` speaks to the notebook, not to the job. Run it in a cell of its own."
    if name in _SHELL_MAGICS:
        return f"`{magic['percent']}{name}` runs a shell, which only IPython can. " + _SHELL.format("...")
    if name == "pip":
        return f"`{_short(body)}`: of %pip only `install` can be kept. Delete the line."
    if name == "time" and not is_cell:
        return None  # without a statement it times nothing
    other = "Delete it, or write in Python what it does."
    return f"`{magic['percent']}{name}` exists only in IPython. " + _SUBSTITUTES.get(name, other)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:59] + "…"
