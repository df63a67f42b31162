"""Checkboxes for variables: those of the notebook that are sent, those of the cell that are returned."""

from collections.abc import Callable, Collection, Mapping

import ipywidgets

from pai_jupyter.form.controls import Widget, labelled


class ValueBoxes:
    """One checkbox for each name of `offered`, whose text describes it; the names `given` are checked."""

    def __init__(self, offered: Mapping[str, str], given: Collection[str]) -> None:
        self._boxes = {
            name: ipywidgets.Checkbox(
                value=name in given, indent=True, **labelled(f"{name} · {text}" if text else name, tooltip=text)
            )
            for name, text in offered.items()
        }

    @property
    def widgets(self) -> list[Widget]:
        return list(self._boxes.values())

    @property
    def chosen(self) -> tuple[str, ...]:
        return tuple(name for name, box in self._boxes.items() if box.value)

    def observe(self, changed: Callable[[], None]) -> None:
        for box in self._boxes.values():
            box.observe(lambda _: changed(), names="value")
