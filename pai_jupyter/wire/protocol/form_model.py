"""The form of a job out of its schema: what the dialog gets from the server, and what the form in a cell is drawn from.

    Schema ─► form_model() ─► FormModel ─┬─ server ─► dialog (labextension/src/cell/form.ts)
              form.SECTIONS ─────────────┴──────────► ipywidgets (pai_jupyter.form)

Rule: what a field is called, what is said of it, and the order of all are decided here and in `wire.schema.form`, not by those
who draw it.
"""

from typing import TYPE_CHECKING

from pai_jupyter.cell import LineMap
from pai_jupyter.hyperparameters import Hyperparameter, Schema
from pai_jupyter.wire.protocol.value_rows import value_row

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import ChannelRow, FormModel, HyperparameterRow


def form_model(schema: Schema, lines: LineMap | None = None) -> "FormModel":
    """Return the form of a script; `lines` tells where its lines are from, by default they are the cell's own."""
    return {
        "hyperparameters": [
            *(_row(each, schema, lines) for each in schema.hyperparameters),
            *(_row(each, schema, lines, is_offered=True) for each in schema.suggestions),
        ],
        "inputs": channel_rows(schema),
    }


def channel_rows(schema: Schema) -> "list[ChannelRow]":
    """Return the inputs that the script declares, in its order."""
    return [
        {"name": it.name, "help": it.option.help, "required": it.option.required}
        for it in schema.channels
        if it.direction == "input"
    ]


def _row(
    declared: Hyperparameter, schema: Schema, lines: LineMap | None, *, is_offered: bool = False
) -> "HyperparameterRow":
    chooser = schema.chooser(declared)
    line = declared.line or 1
    return value_row(
        declared,
        line=line if lines is None else lines.origin(line)[1],
        is_offered=is_offered,
        chosen_by=chooser.name if chooser is not None else "",
    )
