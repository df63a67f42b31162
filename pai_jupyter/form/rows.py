"""A row of the form: label and control, a button that resets it where it was changed, help text, error."""

import html
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import ipywidgets

from pai_jupyter.form.appearance import HELP, LABEL_WIDTH, LINE, WRONG
from pai_jupyter.form.controls import Control, TextControl, Widget, make_control
from pai_jupyter.hyperparameters import Hyperparameter, Schema
from pai_jupyter.wire.protocol.value_rows import value_row

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import ChannelRow, HyperparameterRow

Translate = Callable[[str], str]
_HELP = "display: block; padding: 6px 0; line-height: 16px"  # aligns one line with its control
_BELOW_THE_FIELD = f"0 0 0 calc({LABEL_WIDTH} + 10px)"
_BUTTON = {"width": "6em", "flex": "0 0 auto"}


class Row:
    """One hyperparameter, input or other field."""

    def __init__(self, name: str, control: Control, explanation: str) -> None:
        self.name = name
        self.control = control
        self.error = ""
        self._error = ipywidgets.HTML(layout={"display": "none", "margin": _BELOW_THE_FIELD})
        self._help = ipywidgets.HTML().add_class(HELP)
        self.explain(explanation)
        self.line = ipywidgets.HBox([control.widget, self._help]).add_class(LINE)
        self.widget: Widget = ipywidgets.VBox([self.line, self._error])

    def explain(self, explanation: str) -> None:
        """Show another help text."""
        self._help.value = f'<small style="{_HELP}">{html.escape(explanation)}</small>'

    def show_error(self, message: str) -> None:
        """Show an error, which screen readers announce; "" removes it."""
        if message != self.error:
            self.error = message
            self._error.value = alert(message) if message else ""
            self._error.layout.display = None if message else "none"
            (self.control.widget.add_class if message else self.control.widget.remove_class)(WRONG)


class ValueRow(Row):
    """A hyperparameter, with a button that restores its default (or removes it, if only the line declares it)."""

    def __init__(
        self, declared: Hyperparameter, schema: Schema, values: Mapping[str, object], translate: Translate
    ) -> None:
        name = next((it for it in (declared.name, *declared.aliases) if it in values), declared.name)
        label = f"{name} *" if declared.required else name
        control = make_control(declared, values.get(name, declared.default), schema, label=label)
        row = value_row(declared)
        super().__init__(name, control, _explanation(row, translate))
        self.declared = declared
        default = row["default_text"] or translate("none")
        self.reset = ipywidgets.Button(
            description=translate("Remove") if row["is_given"] else translate("Reset"),
            tooltip=f"{translate('Reset')} {name}: {default}",
            layout=_BUTTON,
        )
        self.reset.on_click(lambda _: self._press())
        self.line.children = (control.widget, self.reset, *self.line.children[1:])

    def _press(self) -> None:
        self.restore()
        focused(self.control.widget).focus()  # the button that had it is hidden

    def restore(self) -> None:
        """Set the default; remove a value that only the line declares."""
        self.control.set(self.declared.default)

    def offer_reset(self, is_changed: bool) -> None:
        """Show the button where the value is not the default; its room is kept, so that nothing moves while one types."""
        self.reset.layout.visibility = None if is_changed else "hidden"

    @property
    def is_absent(self) -> bool:
        """Whether the user removed a hyperparameter that the script does not declare."""
        return self.declared.origin == "given" and self.control.get() is None


class InputRow(Row):
    """An input that the script declares, with its path or URI, or empty."""

    def __init__(self, channel: "ChannelRow", place: str, translate: Translate) -> None:
        name = channel["name"]
        described = Hyperparameter(name=name, type="String", help=channel["help"])
        explanation = channel["help"] or translate("a path, or a URI such as oss://bucket/data/")
        label = f"{name} *" if channel["required"] else name
        super().__init__(name, TextControl(described, place, label=label), explanation)

    @property
    def place(self) -> str:
        return str(self.control.get() or "").strip()


def alert(message: str) -> str:
    """Format `message` as HTML that screen readers announce at once; line breaks are kept."""
    style = "color: var(--jp-error-color1, #b00020); white-space: pre-line"
    return f'<span role="alert" style="{style}">{html.escape(message)}</span>'


def status(message: str) -> str:
    """Format `message` as HTML that screen readers announce when idle."""
    return f'<span role="status">{html.escape(message)}</span>'


def focused(widget: Widget) -> Widget:
    """Return the part of a control that takes the focus."""
    return next(iter(getattr(widget, "children", ())), widget)


def _explanation(row: "HyperparameterRow", translate: Translate) -> str:
    """Say what a hyperparameter is, in the words of JupyterLab's dialog (labextension/src/cell/fields.ts)."""
    default = f"{translate('default')} {row['default_text'] or translate('none')}"
    last = translate("not declared by the script") if row["is_given"] else default
    return " · ".join(part for part in (row["help"], row["kind"], row["range"], last) if part)
