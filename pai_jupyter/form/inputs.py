"""The inputs of the job: a row for each that the script declares, and rows of a name and a place, to be added and removed."""

from collections.abc import Callable, Mapping

import ipywidgets

from pai_jupyter.form.appearance import LABEL_WIDTH, LINE
from pai_jupyter.form.controls import Widget
from pai_jupyter.form.rows import InputRow, Translate, alert
from pai_jupyter.hyperparameters import Schema
from pai_jupyter.wire.protocol.form_model import channel_rows

INPUT = "-i"  # key of the error of the rows that were added
_BUTTON = {"width": "auto", "flex": "0 0 auto", "align_self": "flex-start"}


class FreeInput:
    """An input that the script does not declare."""

    def __init__(self, name: str, place: str, translate: Translate, remove: Callable[["FreeInput"], None]) -> None:
        self.name_box = _box(translate("Channel"), "train", name, LABEL_WIDTH)
        self.place_box = _box(translate("Address"), "oss://bucket/data/", place, "20em")
        self.remove = ipywidgets.Button(description=translate("Remove"), layout=_BUTTON)
        self.remove.on_click(lambda _: remove(self))
        self.widget: Widget = ipywidgets.HBox([self.name_box, self.place_box, self.remove]).add_class(LINE)

    @property
    def pair(self) -> tuple[str, str]:
        return self.name_box.value.strip(), self.place_box.value.strip()


class InputFields:
    """The section of inputs. `changed` is called at each change."""

    def __init__(
        self, schema: Schema, given: Mapping[str, str], translate: Translate, changed: Callable[[], None]
    ) -> None:
        self._translate, self._changed = translate, changed
        channels = channel_rows(schema)
        self.rows = [InputRow(it, given.get(it["name"], ""), translate) for it in channels]
        for row in self.rows:
            row.control.observe(changed)
        self.free: list[FreeInput] = []
        self.error = ""
        self._box = ipywidgets.VBox()
        self._alert = ipywidgets.HTML()
        self.add = ipywidgets.Button(description=translate("Add an input"), layout=_BUTTON)
        self.add.on_click(lambda _: self._append("", "").name_box.focus())
        self.widgets: tuple[Widget, ...] = (*(row.widget for row in self.rows), self._box, self._alert, self.add)
        declared = {row.name for row in self.rows}
        for name, place in given.items():
            if name not in declared:
                self._append(name, place)

    @property
    def places(self) -> dict[str, str]:
        """The inputs that have a place; of two with one name the last one, which `errors` refuses."""
        return {name: place for name, place in self._pairs() if name and place}

    @property
    def errors(self) -> Mapping[str, str]:
        """What is wrong with the rows that were added."""
        pairs = self._pairs()
        names = [name for name, _ in pairs]
        if any(not (name and place) for name, place in pairs):
            return {INPUT: self._translate("An input needs a name and a path, e.g. train and ./data.")}
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is None:
            return {}
        sentence = self._translate("There are two inputs called {name}. Keep one of them.")
        return {INPUT: sentence.format(name=twice)}

    def show_error(self, message: str) -> None:
        if message != self.error:
            self.error = message
            self._alert.value = alert(message) if message else ""

    def _pairs(self) -> list[tuple[str, str]]:
        declared = [(row.name, row.place) for row in self.rows if row.place]
        return [*declared, *(row.pair for row in self.free if any(row.pair))]

    def _append(self, name: str, place: str) -> FreeInput:
        row = FreeInput(name, place, self._translate, self._remove)
        for box in (row.name_box, row.place_box):
            box.observe(lambda _: self._changed(), names="value")
        self.free.append(row)
        self._box.children = (*self._box.children, row.widget)
        return row

    def _remove(self, row: FreeInput) -> None:
        self.free.remove(row)
        self._box.children = tuple(widget for widget in self._box.children if widget is not row.widget)
        for widget in (*row.widget.children, row.widget):
            widget.close()
        self.add.focus()  # the button that had it is gone
        self._changed()


def _box(label: str, example: str, text: str, width: str) -> Widget:
    """Return a field without a visible label; its tooltip is its name for screen readers."""
    layout = {"width": width, "flex": "0 0 auto"}
    return ipywidgets.Text(value=text, placeholder=example, tooltip=label, layout=layout)
