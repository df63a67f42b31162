"""In a job: `display` and `get_ipython` for the script, and modules that otherwise only work in a notebook.

A shell line that fails does not end the job, as in IPython: its exit code is printed. A `%cd` that fails does, since
everything behind it would be read and written elsewhere.
"""

from __future__ import annotations

import importlib
import os
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PACKAGE = "_pai_notebook"
_FIGURES = "module://pai_figures"
_ROWS, _COLUMNS = 60, 20  # of a table, as a notebook shows it
_IGNORED = {
    "matplotlib",
    "load_ext",
    "reload_ext",
    "unload_ext",
    "config",
    "autoreload",
    "aimport",
    "precision",
    "time",
}
_BARS = {"tqdm_notebook": "tqdm", "tnrange": "trange"}


class ShellLines(list):  # type: ignore[type-arg]  # list[str] cannot be a base class in Python 3.8
    """Lines that a shell command has printed; `n` and `s` as in IPython."""

    @property
    def l(self) -> list[str]:  # noqa: E743  IPython's name
        return list(self)

    @property
    def n(self) -> str:
        return "\n".join(self)

    @property
    def s(self) -> str:
        return " ".join(self)


class JobShell:
    """The part of IPython's shell that has a meaning in a job."""

    config: Mapping[str, object] = {}

    @property
    def user_ns(self) -> dict[str, Any]:  # Any: the script's own values
        return vars(sys.modules["__main__"])

    def system(self, command: str) -> None:
        """Run a shell command (`!command`); its exit code becomes `_exit_code` of the script."""
        import subprocess

        frame = sys._getframe(1)  # noqa: SLF001  as IPython finds the names of a line
        command = expand(command, {**frame.f_globals, **frame.f_locals})
        _flush()
        code = subprocess.call(command, shell=True)  # noqa: S602  that is what the user wrote
        frame.f_globals["_exit_code"] = code
        _tell(code, command)

    def getoutput(self, command: str) -> ShellLines:
        """Run a shell command and return the lines that it prints (`lines = !command`)."""
        import subprocess

        frame = sys._getframe(1)  # noqa: SLF001
        command = expand(command, {**frame.f_globals, **frame.f_locals})
        _flush()
        done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)  # noqa: S602
        frame.f_globals["_exit_code"] = done.returncode
        _tell(done.returncode, command)
        return ShellLines(done.stdout.decode(errors="replace").splitlines())

    def run_line_magic(self, name: str, line: str, _depth: int = 1) -> object:
        """Run a `%magic` that has a meaning in a job; those that only change the notebook do nothing."""
        frame = sys._getframe(_depth)  # noqa: SLF001
        if name in _IGNORED:
            return None
        if name not in _MAGICS:
            raise RuntimeError(f"%{name} exists only in IPython, so a job cannot run it")
        return _MAGICS[name](expand(line, {**frame.f_globals, **frame.f_locals}).strip())

    def magic(self, text: str) -> object:
        name, _, line = text.lstrip("%").partition(" ")
        return self.run_line_magic(name, line, 2)


_SHELL = JobShell()


def get_ipython() -> JobShell:
    return _SHELL


def expand(text: str, names: Mapping[str, object]) -> str:
    """Fill in `{expression}` and `$name` as IPython does; what cannot be filled in stays as it is."""
    import re
    import string

    def value(found: re.Match[str]) -> str:
        word = found[1]
        if word.startswith("$"):
            return word
        try:
            return str(eval(word, dict(names)))  # noqa: S307  the user's own expression, as in IPython
        except Exception:  # noqa: BLE001  a variable of the shell
            return found[0]

    parts = []
    try:
        for literal, field, spec, conversion in string.Formatter().parse(text):
            parts.append(re.sub(r"\$(\$?[\w.]+)", value, literal))
            if field is not None:
                found = eval(f"{field}:{spec}" if spec else field, dict(names))  # noqa: S307
                parts.append(repr(found) if conversion == "r" else str(found))
    except Exception:  # noqa: BLE001  braces of the shell, like awk '{print $1}'
        return text
    return "".join(parts)


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()


def _tell(code: int, command: str) -> None:
    if code:
        _say(f"! {' '.join(command.split())[:100]}: exit code {code}")


def _say(text: str) -> None:
    _pictures().say(text)


def _cd(line: str) -> str:
    words = [word for word in line.split() if word != "-q"]
    path = " ".join(words).strip("\"'") or "~"
    before = os.getcwd()
    os.chdir(os.environ.get("OLDPWD", before) if path == "-" else os.path.expanduser(path))
    os.environ["OLDPWD"] = before
    if "" not in sys.path:
        sys.path.insert(1, "")  # as in a notebook, modules are found where the program stands
    _say(os.getcwd())
    return os.getcwd()


def _env(line: str) -> object:
    name, equals, value = line.partition("=")
    if not equals:
        name, _, value = line.partition(" ")
    if not name.strip():
        return dict(os.environ)
    if not equals and not value:
        return os.environ[name.strip()]
    os.environ[name.strip()] = value.strip()
    return None


def _pip(line: str) -> None:
    import shlex
    import subprocess

    _flush()
    _tell(subprocess.call([sys.executable, "-m", "pip", *shlex.split(line)]), f"pip {line}")


_MAGICS: dict[str, Callable[[str], object]] = {
    "cd": _cd,
    "env": _env,
    "set_env": _env,
    "pip": _pip,
    "pwd": lambda _: os.getcwd(),
}


def display(*objects: object, **_: object) -> None:
    """Show objects in the job's log: tables and others as text, pictures as files that the log names."""
    for each in objects:
        if not _is_picture_shown(each):
            _say(as_text(each))


def clear_output(*_: object, **__: object) -> None:
    """Do nothing: a log keeps what was printed."""


def as_text(value: Any) -> str:  # Any: any object has methods of its own
    """Return what a log shows of an object: all of a small table, the text of Markdown or HTML, else its `repr`."""
    kind = type(value)
    module = (getattr(kind, "__module__", "") or "").partition(".")[0]
    if module == "pandas" and kind.__name__ in ("DataFrame", "Series"):
        wide = {"max_cols": _COLUMNS, "line_width": 10_000} if kind.__name__ == "DataFrame" else {}
        return str(value.to_string(max_rows=_ROWS, min_rows=10, **wide))
    if module == "pandas" and kind.__name__ == "Styler":
        return as_text(value.data)
    if module == "IPython" and isinstance(getattr(value, "data", None), str):
        import html
        import re

        text = value.data
        return html.unescape(re.sub(r"<[^>]*>", " ", text)).strip() if kind.__name__ == "HTML" else text
    return repr(value)


def _is_picture_shown(value: Any) -> bool:  # Any: as above
    """Save an object that is a picture; return whether it was one."""
    if hasattr(value, "savefig") and hasattr(value, "canvas"):
        importlib.import_module("pai_figures").save(value)
        return True
    module = (getattr(type(value), "__module__", "") or "").partition(".")[0]
    data = getattr(value, "data", None) if module == "IPython" and type(value).__name__ == "Image" else None
    if data is None and module == "PIL" and hasattr(value, "_repr_png_"):
        data = value._repr_png_()
    return isinstance(data, bytes) and bool(_pictures().save(data))


def _pictures() -> Any:  # Any: a module that lies beside this one only in a job
    return importlib.import_module("pai_pictures")


class _NotebookOnly(ModuleType):
    """A module that stands for one that works only in a notebook; other names are looked up where `places` say."""

    def __init__(self, name: str, own: Mapping[str, object], places: tuple[str, ...], names: Mapping[str, str]) -> None:
        super().__init__(name)
        self.__dict__.update(own)
        self._places, self._names = places, names

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        for place in self._places:
            if place == f"{self.__name__}.{name}":
                return importlib.import_module(place)
            module = importlib.import_module(place)
            if hasattr(module, self._names.get(name, name)):
                return getattr(module, self._names.get(name, name))
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


class _Shown:
    """An object of IPython.display where there is no IPython: it shows the text that it was made of."""

    def __init__(self, data: object = None, *_: object, **__: object) -> None:
        self.data = data

    def __repr__(self) -> str:
        return str(self.data)


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


class _StandIns(MetaPathFinder, Loader):
    """Import our modules in place of those that only work in a notebook."""

    def __init__(self, modules: Mapping[str, ModuleType]) -> None:
        self._modules = modules

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        is_package = fullname == "IPython"
        return ModuleSpec(fullname, self, is_package=is_package) if fullname in self._modules else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._modules[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        pass


def _stand_in() -> None:
    """Let our modules stand for IPython.display, tqdm.notebook and, where it is missing, IPython."""
    own: dict[str, object] = {"display": display, "clear_output": clear_output}
    places: tuple[str, ...] = ("IPython.core.display_functions", "IPython.core.display", "IPython.lib.display")
    modules: dict[str, ModuleType] = {"tqdm.notebook": _NotebookOnly("tqdm.notebook", {}, ("tqdm.std",), _BARS)}
    if not _is_installed("IPython"):
        own.update(dict.fromkeys(("HTML", "Markdown", "Image", "Latex", "Pretty", "JSON", "Javascript", "SVG"), _Shown))
        places = ()
        whole = {"get_ipython": get_ipython, "version_info": (0,), "__version__": "0"}
        modules["IPython"] = _NotebookOnly("IPython", whole, ("IPython.display",), {})
    modules["IPython.display"] = _NotebookOnly("IPython.display", own, places, {})
    sys.meta_path.insert(0, _StandIns(modules))


def _show_figures() -> None:
    """Make our backend that of matplotlib, in this process and in those that it starts, unless the user chose one."""
    here = os.path.dirname(os.path.abspath(__file__))
    if here not in sys.path:
        sys.path.append(here)
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if here not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([*filter(None, paths), here])
    chosen = os.environ.get("MPLBACKEND", "")
    if (not chosen or "inline" in chosen) and _pictures().directory() is not None:
        os.environ["MPLBACKEND"] = _FIGURES


if __name__ == _PACKAGE:
    _show_figures()
    _stand_in()
