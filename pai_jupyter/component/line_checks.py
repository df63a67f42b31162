"""Refuse options that would have no effect: a component that is made already has an image, a command and code of its own."""

from argparse import Namespace
from collections.abc import Collection, Iterator

from pai_jupyter.component.line import read_channel
from pai_jupyter.errors import SpecError

_COMPONENT = (
    "description",
    "version_description",
    "job_type",
    "image",
    "command",
    "machine",
    "one_machine",
    "several_cards",
)
_CELL = ("only_cell", "leave_out", "include", "requirements")
_CODE = ("source_dir", "branch", "commit", "entry_point", *_CELL)
_RUN = (
    *("param", "output_path", "backend", "instance_type", "instance_count", "max_time", "env", "option"),
    *("wait", "widget", "variable"),
)
_CHANNELS = ("input", "output")
_DEEDS = ("save", "register", "run", "delete")
_SHORT = {"input": "-i", "output": "-o", "param": "-p", "variable": "--as"}


def check_new(given: Namespace, *, is_cell: bool) -> None:
    """Check the options of a component that is made of a cell, or of a directory.

    Raises:
        SpecError: one would have no effect; so do the others.
    """
    if not is_cell:
        for flag in _given(given, _CELL):
            raise SpecError(
                f"`{flag}` is for the code of a cell: %%pai_component with two %. Leave it out.", field=flag
            )
    _check_run(given, has_declared=True)


def check_made(given: Namespace, *, is_file: bool) -> None:
    """Check the options of a component that is saved already; with the file of one, `--version` makes a new version."""
    is_new = is_file and given.version is not None and (given.save is not None or given.register)
    if is_file and given.version is not None and not is_new:
        raise SpecError(
            "`--version` gives a new version its number, with --save or --register. Leave it out: a file holds one version.",
            field="--version",
        )
    own = [name for name in _COMPONENT if not (is_new and name == "version_description")]
    _check_own(given, [*own, *(name for name in _CODE if not (is_file and name == "source_dir"))])
    _check_run(given)


def check_registered(given: Namespace) -> None:
    """Check the options of a registered component, whose code is not here."""
    if given.save is not None or given.register:
        raise SpecError(
            f"the code of {given.name!r} is not here. Use %%pai_component with two % over the cell, or give --source-dir DIR.",
            field="source",
        )
    _check_own(given, [*_COMPONENT, *_CODE])
    _check_run(given)


def check_nothing(given: Namespace) -> None:
    """Check the options of a line without a name, which lists the components."""
    for flag in _given(given, [*_DEEDS, "version", *_COMPONENT, *_CODE, *_CHANNELS, *_RUN]):
        raise SpecError(f"`{flag}` needs the name of a component: %pai_component NAME {flag} ...", field="name")


def _check_own(given: Namespace, names: Collection[str]) -> None:
    for flag in _given(given, names):
        raise SpecError(
            f"`{flag}` would change {given.name!r}, which is made already. Leave it out, or make a new version: %%pai_component "
            "over the cell, or %pai_component with --source-dir.",
            field=flag,
        )


def _check_run(given: Namespace, *, has_declared: bool = False) -> None:
    """Refuse what is for a run where none is asked for; `has_declared`: `-i NAME` declares a channel."""
    if given.run:
        return
    for flag in _given(given, _RUN):
        raise SpecError(f"`{flag}` is for a run. Add --run, or leave it out.", field=flag)
    for name in _CHANNELS:
        for text in getattr(given, name) or ():
            if not has_declared or read_channel(_SHORT[name], text).place is not None:
                raise SpecError(
                    f"`{_SHORT[name]} {text}` is for a run. Add --run, or leave it out.", field=_SHORT[name]
                )


def _given(given: Namespace, names: Collection[str]) -> Iterator[str]:
    """Yield the flags of those options that are on the line."""
    for name in names:
        if getattr(given, name) not in (None, False):
            yield _SHORT.get(name, f"--{name.replace('_', '-')}")
