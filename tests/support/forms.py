"""A form as tests use it: made of a script and a line, its controls found by name, set and pressed as a front end does."""

from typing import Any

import ipywidgets
from ipywidgets.widgets.widget import _instances

from pai_jupyter.errors import PackageError
from pai_jupyter.form import FormValues, HyperparameterForm
from pai_jupyter.form.rows import InputRow, ValueRow
from pai_jupyter.hyperparameters import read_schema

SOURCE = """
lr: float = 0.01      # hp: [1e-5..1] log  how fast
decay: float = 0.5    # hp: [0..1]
epochs: int = 10      # hp: [1..100]
depth: int = 3
opt: str = "adam"     # hp: {"adam", "sgd"}
amp: bool = True
name: str = "a b"
free: str = ""
layers: list = [64, 64]
p.add_argument("--maybe", type=bool)
p.add_argument("--limit", type=int, default=os.cpu_count(), help="<b>bold</b>")
p.add_argument("--train_data", help="Input train data path.")
p.parse_args()
"""


def make(source: str = SOURCE, **line: Any) -> HyperparameterForm:  # Any: what a line gives
    return HyperparameterForm(read_schema(source, inputs=tuple(line.get("inputs", ()))), **line)


def row(form: HyperparameterForm, name: str) -> ValueRow:
    return next(it for it in form.rows if it.name == name)


def input_row(form: HyperparameterForm, name: str) -> InputRow:
    return next(it for it in form.input_rows if it.name == name)


def field(form: HyperparameterForm, name: str) -> Any:  # Any: ipywidgets carries no types
    """The widget that holds the value of a row."""
    widget = row(form, name).control.widget
    return widget.children[0] if isinstance(widget, ipywidgets.HBox) else widget


def type_into(form: HyperparameterForm, name: str, value: object) -> None:
    field(form, name).set_state({"value": value})


def press(button: Any) -> None:  # Any: ipywidgets carries no types
    button._handle_button_msg(button, {"event": "click"}, [])


def submitted(form: HyperparameterForm) -> list[FormValues]:
    got: list[FormValues] = []
    form.on_submit(got.append)
    press(form.submit)
    return got


def refuse(reason: str) -> None:
    raise PackageError(reason)


def shown() -> str:
    """All HTML on the page."""
    return "\n".join(widget.value for widget in _instances.values() if isinstance(widget, ipywidgets.HTML))
