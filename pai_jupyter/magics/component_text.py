"""What `%pai_component` prints: a component, the table of them, and notes."""

from collections.abc import Iterable
from typing import Any

from pai_jupyter.component import SavedComponent, check_component, panel, problems
from pai_jupyter.component.code import about_code, state_of
from pai_jupyter.component.line import described
from pai_jupyter.component.names import visible
from pai_jupyter.component.recheck import changes_now
from pai_jupyter.component.registry import region_of_registry
from pai_jupyter.errors import PackageError
from pai_jupyter.magics.table import Table
from pai_jupyter.view import said

_NONE = "no components yet. Make one of a cell: %%pai_component NAME --save"


def component_lines(saved: SavedComponent, notes: list[str]) -> list[str]:
    """Return what is shown of a component that nothing is done with."""
    component = saved.component
    found = problems(component, region=region_of_registry())
    check_component(component, for_pai=False)
    try:
        code, *more = about_code(component, state_of(component)) if component.source or component.files else ["code: -"]
        notes = [*notes, *more, *changes_now(saved)]
    except PackageError as exc:  # e.g. a repository that needs a login, or code that has been moved
        code = str(exc)
    return [
        *described(component, code=code),
        *noted([*notes, *saved.notes]),
        *(f"{'warning' if each.severity == 'warning' else 'to register'}: {each.text}" for each in found),
        "Nothing was saved. Add --save FILE, --register or --run.",
    ]


def component_table() -> Table:
    """Return the components that are saved or registered."""
    listed = panel.component_list()
    rows: list[Any] = listed["components"] if isinstance(listed["components"], list) else []  # Any: JSON
    if listed["problem"]:
        say(f"note: {listed['problem']}")
    return Table(
        headers=("name", "versions", "where", "next"),
        rows=[
            [
                visible(row["name"]),
                visible(", ".join(row["versions"])),
                said("registered" if row["is_registered"] else "saved"),
                row["next_version"],
            ]
            for row in rows
        ],
        empty=_NONE,
    )


def noted(notes: Iterable[str]) -> list[str]:
    """Return notes as lines; each is translated by itself, since it may have colons of its own."""
    return [f"note: {said(note)}" for note in notes]


def say(*lines: str) -> None:
    """Print lines; others may have written parts of them."""
    if lines:
        print(said("\n".join(map(visible, lines))))  # noqa: T201
