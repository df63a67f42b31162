"""The names that a job takes from other cells of its notebook, a checkbox each; all are taken unless the user switches one off."""

from collections.abc import Callable, Iterator, Mapping

import ipywidgets

from pai_jupyter.form.controls import Widget
from pai_jupyter.form.rows import Translate

_WRAPPED = {"display": "flex", "flex_flow": "row wrap"}
_CHECK = {"width": "auto", "min_width": "12em", "margin": "2px 10px 2px 0"}


class TakenNames:
    """`taken` maps each name to the number of the cell that it is from, None for one that the line leaves out."""

    def __init__(self, taken: Mapping[str, int | None], translate: Translate) -> None:
        self._translate = translate
        self.checks = {name: self._check(name, cell) for name, cell in taken.items()}

    @property
    def leave_out(self) -> tuple[str, ...]:
        """The names that are switched off."""
        return tuple(name for name, check in self.checks.items() if not check.value)

    @property
    def widgets(self) -> Iterator[Widget]:
        if self.checks:
            yield ipywidgets.Box(list(self.checks.values()), layout=_WRAPPED)

    def observe(self, callback: Callable[[], None]) -> None:
        """Call `callback` whenever a name is switched on or off."""
        for check in self.checks.values():
            check.observe(lambda _: callback(), names="value")

    def _check(self, name: str, cell: int | None) -> Widget:
        label = name if cell is None else f"{name} · {self._translate('cell')} [{cell}]"
        return ipywidgets.Checkbox(
            value=cell is not None, description=label, tooltip=label, indent=False, layout=_CHECK
        )
