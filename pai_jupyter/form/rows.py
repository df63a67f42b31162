"""A row of the form: label and control, a button that resets it, help text, error."""

import html
from collections.abc import Callable, Mapping

import ipywidgets

from pai_jupyter.form.appearance import WRONG
from pai_jupyter.form.controls import LABEL_WIDTH, Control, TextControl, Widget, make_control
from pai_jupyter.hyperparameters import Channel, Hyperparameter, Schema, as_text

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
        help_text = ipywidgets.HTML(f'<small style="{_HELP}">{html.escape(explanation)}</small>')
        self.line = ipywidgets.HBox([control.widget, help_text])
        self.widget: Widget = ipywidgets.VBox([self.line, self._error])

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
        super().__init__(name, control, _explanation(declared, translate))
        self.declared = declared
        self.reset = ipywidgets.Button(
            description=translate("Remove") if declared.origin == "given" else translate("Reset"),
            tooltip=f"{translate('Reset')} {name}: {_default_shown(declared, translate)}",
            layout=_BUTTON,
        )
        self.reset.on_click(lambda _: control.set(declared.default))
        self.line.children = (control.widget, self.reset, *self.line.children[1:])

    @property
    def is_absent(self) -> bool:
        """Whether the user removed a hyperparameter that the script does not declare."""
        return self.declared.origin == "given" and self.control.get() is None


class InputRow(Row):
    """An input, given or only declared by the script, with its path or URI, or empty."""

    def __init__(self, name: str, place: str, channel: Channel | None, translate: Translate) -> None:
        described = Hyperparameter(name=name, type="String", help=channel.option.help if channel else "")
        label = f"{name} *" if channel and channel.option.required else name
        explanation = described.help or translate("a path, or a URI such as oss://bucket/data/")
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


# The words of JupyterLab's dialog (`HyperparameterRow` in labextension/src/wire/schema.ts).
_KINDS: Mapping[str, str] = {"Int": "int", "Float": "float", "String": "str", "Bool": "bool", "Json": "json"}


def _explanation(declared: Hyperparameter, translate: Translate) -> str:
    parts = [declared.help, _KINDS[declared.type], _range(declared)]
    if declared.origin == "given":
        parts.append(translate("not declared by the script"))
    else:
        parts.append(f"{translate('default')} {_default_shown(declared, translate)}")
    return " · ".join(part for part in parts if part)


def _range(declared: Hyperparameter) -> str:
    if declared.minimum is None and declared.maximum is None:
        return ""
    low, high = ("" if bound is None else bound for bound in (declared.minimum, declared.maximum))
    if declared.open_minimum or declared.open_maximum:
        return f"{'(' if declared.open_minimum else '['}{low} – {high}{')' if declared.open_maximum else ']'}"
    return f"{low} – {high}".strip()


def _default_shown(declared: Hyperparameter, translate: Translate) -> str:
    if declared.default is not None:
        return as_text(declared.default) or '""'
    return declared.default_text or translate("none")
