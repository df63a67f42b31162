"""`%load_ext pai_jupyter`: every magic is there with its help, and its code is imported when somebody uses it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from IPython.core.magic import Magics

import pai_jupyter.magics
from pai_jupyter.jobs import PlainLines, presenter, use_presenter
from pai_jupyter.magics import complete
from pai_jupyter.magics.registry import MAGICS
from pai_jupyter.view import JOB_MIME
from tests.support.shells import Shell

MOST_MODULES = 60  # of ours, by %load_ext
KNOWN = {"pai_jupyter", "IPython", *sys.stdlib_module_names}
LOADED = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.colors = "nocolor"
before = set(sys.modules)
shell.run_line_magic("load_ext", "pai_jupyter")
{more}
print(json.dumps([{told}, sorted(set(sys.modules) - before)]))
"""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    with Shell() as shell:
        yield shell


def after_loading(told: str = "None", more: str = "") -> tuple[object, list[str]]:
    """What `told` is in a fresh IPython behind %load_ext and `more`, and the modules that were imported for them."""
    program = LOADED.format(told=told, more=more)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    told_there, modules = json.loads(done.stdout.splitlines()[-1])
    return told_there, modules


def ours(modules: list[str]) -> list[str]:
    return [name for name in modules if name.partition(".")[0] == "pai_jupyter"]


def defined() -> dict[tuple[str, str], tuple[str, str]]:
    """(name, kind) of every magic that a class of the package has -> its module and class."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for module in iter_modules(pai_jupyter.magics.__path__):
        for cls in vars(import_module(f"pai_jupyter.magics.{module.name}")).values():
            if isinstance(cls, type) and issubclass(cls, Magics) and cls is not Magics:
                found |= {(name, kind): (module.name, cls.__name__) for kind in cls.magics for name in cls.magics[kind]}
    return found


def test_loading_imports_few_modules_and_no_library() -> None:
    _, modules = after_loading()
    assert len(ours(modules)) <= MOST_MODULES
    assert not [name for name in modules if name.partition(".")[0] not in KNOWN]
    assert not [name for name in ours(modules) if name.startswith("pai_jupyter.wire")]
    assert not {"asyncio", "ssl", "decimal", "xml.etree.ElementTree"} & set(modules)


def test_every_magic_of_the_package_is_registered_and_no_other() -> None:
    registered = {
        (name, kind): (entry.module, entry.cls)
        for name, entry in MAGICS.items()
        for kind in (("line", "cell") if entry.is_cell else ("line",))
    }
    assert registered == defined()


def test_what_tab_asks_for_words_exists() -> None:
    assert [entry.words for entry in MAGICS.values() if entry.words and not hasattr(complete, entry.words)] == []


def test_help_and_source_are_those_of_the_magic_itself(shell: Shell) -> None:
    inner, tables = shell._shell, shell._shell.magics_manager.magics
    for kind, sign in (("line", "%"), ("cell", "%%")):
        for name in [name for name in tables[kind] if name in MAGICS]:
            shown = [inner.object_inspect_mime(f"{sign}{name}", detail) for detail in (0, 1)]
            tables[kind][name] = tables[kind][name].__wrapped__
            assert shown == [inner.object_inspect_mime(f"{sign}{name}", detail) for detail in (0, 1)], name
            assert "pai_jupyter/magics/" in shown[0]["text/plain"]


def test_help_is_there_before_a_magic_has_run() -> None:
    told, _ = after_loading('shell.object_inspect_mime("%%pai_train")["text/plain"]')
    assert "--max-time TIME" in str(told)
    assert "Run this cell as a training job." in str(told)


def test_tab_completes_names_options_and_values_before_a_magic_has_run() -> None:
    asked = ("%pai_tens", "%%pai_train --back", "%pai_jobs --state run", "%pai_config wiz")
    told, _ = after_loading(f"[shell.complete('', line, len(line))[1] for line in {asked!r}]")
    assert told == [["%pai_tensorboard"], ["--backend"], ["running"], ["wizard"]]


@pytest.mark.parametrize("first", ["%config", "%pai_config show"])
def test_magics_of_ipython_with_classes_of_the_same_name_are_kept_apart(shell: Shell, first: str) -> None:
    """IPython has a `ConfigMagics`, too; which of the two is loaded first must not matter."""
    for cell in (
        first,
        "%config",
        "%pai_config show",
        "%quickref",
        "%pai_doctor?",
        "%unload_ext pai_jupyter",
        "%config",
    ):
        result = shell.run(cell)
        assert result.error is None, (cell, result.text)


def test_a_magic_imports_only_what_it_needs() -> None:
    _, modules = after_loading(more='shell.run_cell("%pai_jobs")')
    assert "pai_jupyter.jobs" in modules
    assert not {"filelock", "decimal", "xml"} & {name.partition(".")[0] for name in modules}
    needless = {
        "pai_jupyter.wire",
        "pai_jupyter.tfevents",
        "pai_jupyter.tensorboard",
        "pai_jupyter.storage.oss",
        "ipywidgets",
    }
    assert not needless & set(modules)


def test_what_shows_jobs_is_chosen_by_loading_and_changed_by_asking(shell: Shell) -> None:
    assert type(presenter()).__name__ == "TerminalPresenter"
    assert presenter() is presenter()
    plain = PlainLines()
    use_presenter(plain)
    assert presenter() is plain


def test_a_job_that_a_cell_returns_is_drawn(shell: Shell) -> None:
    shell.run("%%pai_train drawn --quiet --backend process --as job\nprint('x')\n")
    drawn, _ = shell._shell.display_formatter.format(shell.user_ns["job"])
    assert {JOB_MIME, "text/html", "text/plain"} <= set(drawn)


def test_unloading_takes_the_magics_away_and_imports_nothing() -> None:
    more = 'shell.run_line_magic("unload_ext", "pai_jupyter")'
    told, modules = after_loading("[name for name in shell.magics_manager.magics['line'] if 'pai_' in name]", more)
    assert told == []
    assert "pai_jupyter.jobs" not in modules
    told, _ = after_loading(
        '"%pai_jobs" in shell.complete("", "%pai_jo", 7)[1]', f"{more}\nshell.run_cell('%load_ext pai_jupyter')"
    )
    assert told is True
