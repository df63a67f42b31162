"""Each public name has an example in its docstring, and every example runs as it stands: jobs here, PAI at the emulator."""

import doctest
import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import pai_jupyter
from pai_jupyter import callbacks
from pai_jupyter.jobs import PlainLines, use_presenter
from tests.support.emulators import KEY, SECRET, WORKSPACE, Emulator, emulator
from tests.support.pai_jobs import PLACE, session_at

NAMES = [name for name in pai_jupyter.__all__ if not name.startswith("__")]


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with emulator(tmp_path_factory.mktemp("cloud") / "data") as running:
        yield running


def examples(name: str) -> doctest.DocTest:
    """Return the examples of a public name; only those in its own docstring count."""
    value = getattr(pai_jupyter, name)
    if isinstance(value, ModuleType):  # `runs`, a package that can be called: what is called has the example
        value = getattr(import_module("pai_jupyter.jobs.table"), name)
    text = inspect.getdoc(value) or ""
    return doctest.DocTestParser().get_doctest(text, {name: value}, name, None, None)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_an_example(name: str) -> None:
    assert examples(name).examples, f"{name}: write an `Example:` of a few lines into its docstring"


@pytest.mark.parametrize("name", NAMES)
def test_an_example_runs_as_it_stands(
    name: str, cloud: Emulator, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    use_presenter(PlainLines())  # a shell of an earlier test has left its own
    monkeypatch.setattr(callbacks, "run_viewer", None)
    said: list[str] = []
    place = {**PLACE, "workspace": WORKSPACE}
    with session_at(cloud.address, home, key=(KEY, SECRET), values=place):
        results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples(name), out=said.append)
    assert results.failed == 0, "".join(said)
