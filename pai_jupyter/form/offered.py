"""Values in the code that are not declared as hyperparameters: folded in the form, below those that are.

Rule: their rows are made when they are first unfolded. A library may have more than a hundred, and each row is several models
in the kernel and the browser.
"""

from collections.abc import Callable, Sequence

import ipywidgets

from pai_jupyter.form.controls import Widget
from pai_jupyter.form.rows import Translate, ValueRow
from pai_jupyter.hyperparameters import Schema


class OfferedRows:
    """The folded part of a form; `rows` is empty until it is unfolded."""

    def __init__(self, schema: Schema, translate: Translate, changed: Callable[[], None]) -> None:
        self.rows: list[ValueRow] = []
        self._schema = schema
        self._translate = translate
        self._changed = changed
        self._box = ipywidgets.VBox()
        self.widget: Widget = ipywidgets.Accordion(children=[self._box], selected_index=None)
        self.widget.set_title(0, f"{translate('More values in the code')} ({len(schema.suggestions)})")
        self.widget.observe(
            lambda change: self._unfold() if change["new"] is not None else None, names="selected_index"
        )

    def _unfold(self) -> None:
        if self.rows:
            return
        self.rows = [ValueRow(it, self._schema, {}, self._translate) for it in self._schema.suggestions]
        for row in self.rows:
            row.control.observe(self._changed)
        self._box.children = [row.widget for row in self.rows]


def arrange(rows: Sequence[ValueRow], is_shown: Callable[[ValueRow], bool]) -> None:
    """Show the rows that are to be shown, and hide the others."""
    for row in rows:
        row.widget.layout.display = None if is_shown(row) else "none"
