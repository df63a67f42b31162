"""The control of a hyperparameter, by its type. A control has a raw value; only `Schema.check` validates it.

    choices                      Dropdown
    Bool                         Checkbox; a Dropdown if it may have no value
    number between two bounds    IntSlider or FloatSlider, with `log` FloatLogSlider, and a Text beside it that has the value
    Json, text of several lines  Textarea
    all others                   Text

An invalid value of the magic's line is shown in a Text as typed, with its error. Widgets that correct numbers
(BoundedIntText) are not used: what the user typed stays, with an error.
"""

import math
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import ipywidgets

from pai_jupyter.errors import SpecError
from pai_jupyter.form.appearance import LABEL_WIDTH
from pai_jupyter.hyperparameters import Hyperparameter, Schema, as_text
from pai_jupyter.spec import Scalar

Widget: TypeAlias = Any  # ipywidgets carries no types
_EXACT = 2**53  # larger whole numbers are not exact in a browser
_HALF_A_STEP = 0.501  # of the slider's step, with a little for rounding
_NONE_SHOWN = "—"
_STYLE = {"description_width": LABEL_WIDTH}
_WIDE = {"width": "32em", "flex": "0 0 auto"}  # of every control, so that help texts line up
_TEXT_WIDTH, _SLIDER_WIDTH = "21em", "11em"  # of a text and a slider that share the width of one control


class Control(Protocol):
    """A widget with a raw value."""

    widget: Widget

    def get(self) -> object: ...
    def set(self, value: object) -> None: ...
    def observe(self, changed: Callable[[], None]) -> None: ...


def make_control(declared: Hyperparameter, initial: object, schema: Schema, *, label: str) -> Control:
    """Create the control for a hyperparameter, set to `initial`."""
    try:
        typed = schema.check(declared.name, initial)
    except SpecError:
        return TextControl(declared, initial, label=label)
    if declared.choices and declared.style != "words":
        return ChoiceControl(
            list(declared.choices), typed, label=label, tooltip=declared.help, optional=declared.default is None
        )
    if declared.type == "Bool":
        if declared.default is None or typed is None:
            return ChoiceControl([True, False], typed, label=label, tooltip=declared.help, optional=True)
        return PlainControl(ipywidgets.Checkbox(value=typed, indent=True, **labelled(label, tooltip=declared.help)))
    if typed is not None and declared.type in ("Int", "Float") and _is_bounded(declared):
        return SliderControl(declared, typed, label=label)
    return TextControl(declared, initial, label=label)


def _is_bounded(declared: Hyperparameter) -> bool:
    low, high = declared.minimum, declared.maximum
    return low is not None and high is not None and -_EXACT <= low < high <= _EXACT and _is_whole_where_int(declared)


def _is_whole_where_int(declared: Hyperparameter) -> bool:
    bounds = (declared.minimum, declared.maximum, declared.step or 1)
    return declared.type != "Int" or all(isinstance(bound, int) for bound in bounds)


def labelled(label: str, *, tooltip: str = "") -> dict[str, object]:
    """Return the widget arguments of a form field with this label."""
    return {"description": label, "tooltip": tooltip or label, "style": _STYLE, "layout": _WIDE}


class PlainControl:
    """A widget whose value is the raw value and never empty, such as a Checkbox."""

    def __init__(self, widget: Widget) -> None:
        self.widget = widget

    def get(self) -> object:
        return self.widget.value

    def set(self, value: object) -> None:
        self.widget.value = value

    def observe(self, changed: Callable[[], None]) -> None:
        self.widget.observe(lambda _: changed(), names="value")


class ChoiceControl(PlainControl):
    """A Dropdown of given values; `optional` adds "no value"."""

    def __init__(self, choices: list[Scalar], value: Scalar, *, label: str, tooltip: str, optional: bool) -> None:
        options: list[tuple[str, Scalar]] = [(as_text(choice), choice) for choice in choices]
        if optional or value is None:
            options.insert(0, (_NONE_SHOWN, None))
        super().__init__(ipywidgets.Dropdown(options=options, value=value, **labelled(label, tooltip=tooltip)))


class TextControl:
    """A text field. Empty means "no value", except for a String whose default or given value is the empty text."""

    def __init__(self, declared: Hyperparameter, initial: object, *, label: str) -> None:
        self._can_be_empty = declared.type == "String" or declared.origin == "given"
        self._defaults_to_empty = self._keeps_empty = declared.default == ""
        text = _shown(initial)
        kind = ipywidgets.Textarea if declared.type == "Json" or "\n" in text else ipywidgets.Text
        self.widget: Widget = kind(placeholder=declared.default_text, **labelled(label, tooltip=declared.help))
        self.set(initial)

    def get(self) -> object:
        text: str = self.widget.value
        return None if not text and self._can_be_empty and not self._keeps_empty else text

    def set(self, value: object) -> None:
        self._keeps_empty = self._defaults_to_empty or value == ""
        self.widget.value = _shown(value)

    def observe(self, changed: Callable[[], None]) -> None:
        self.widget.observe(lambda _: changed(), names="value")


class SliderControl:
    """A slider and a Text: moving the slider changes the text, and a number within the range moves the slider."""

    def __init__(self, declared: Hyperparameter, value: Scalar, *, label: str) -> None:
        self._text = TextControl(declared, value, label=label)
        self._low, self._high = float(declared.minimum or 0), float(declared.maximum or 0)
        self._is_log, self._is_whole = declared.log, declared.type == "Int"
        self._slider = self._make_slider(declared)
        self._is_syncing = False
        self._move()
        self._slider.observe(lambda _: self._write(), names="value")
        self._text.observe(self._move)
        self._text.widget.layout.width, self._text.widget.layout.margin = _TEXT_WIDTH, "0"
        self.widget: Widget = ipywidgets.HBox([self._text.widget, self._slider], layout={**_WIDE, "margin": "2px"})

    def _make_slider(self, declared: Hyperparameter) -> Widget:
        layout = {"width": _SLIDER_WIDTH, "margin": "0"}
        plain = {"readout": False, "tooltip": declared.help or declared.name, "layout": layout}
        if declared.log:
            low, high = math.log10(self._low), math.log10(self._high)
            return ipywidgets.FloatLogSlider(value=self._high, min=low, max=high, step=(high - low) / 100, **plain)
        if self._is_whole:
            bounds = {"min": int(self._low), "max": int(self._high), "step": int(declared.step or 1)}
            return ipywidgets.IntSlider(value=bounds["min"], **bounds, **plain)
        step = declared.step or (self._high - self._low) / 100
        return ipywidgets.FloatSlider(value=self._low, min=self._low, max=self._high, step=step, **plain)

    def get(self) -> object:
        return self._text.get()

    def set(self, value: object) -> None:
        self._text.set(value)

    def observe(self, changed: Callable[[], None]) -> None:
        self._text.observe(changed)

    def _write(self) -> None:
        if self._is_syncing or self._is_echo():
            return
        within = min(max(self._rounded(self._slider.value), self._low), self._high)
        self._syncing(lambda: self._text.set(int(within) if self._is_whole else within))

    def _is_echo(self) -> bool:
        """Return whether the slider's value is only the browser's rounding of the text's (within half a step)."""
        number = self._number()
        if number is None or (self._is_log and number <= 0):
            return False
        place = math.log10 if self._is_log else float
        return bool(abs(place(self._slider.value) - place(number)) <= _HALF_A_STEP * self._slider.step)

    def _number(self) -> float | None:
        try:
            return float(str(self._text.get()))
        except ValueError:
            return None

    def _rounded(self, value: float) -> float:
        """Round a slider's value to an integer, or to four digits of the number or of the range's width."""
        if self._is_whole:
            return round(value)
        if self._is_log:
            return float(f"{value:.4g}")
        return round(value, 3 - math.floor(math.log10(self._high - self._low)))

    def _move(self) -> None:
        if self._is_syncing:
            return
        number = self._number()
        if number is not None and self._low <= number <= self._high and not (self._is_whole and number % 1):
            moved = int(number) if self._is_whole and not self._is_log else number
            self._syncing(lambda: setattr(self._slider, "value", moved))

    def _syncing(self, change: Callable[[], None]) -> None:
        """Apply a change without the reverse update, since a slider rounds."""
        self._is_syncing = True
        try:
            change()
        finally:
            self._is_syncing = False


def _shown(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return as_text(value) if isinstance(value, bool | int | float | list | dict) else str(value)
