"""The name of the job: a row of its own at the head of the form."""

from collections.abc import Mapping

import ipywidgets

from pai_jupyter.form.controls import PlainControl, labelled
from pai_jupyter.form.model import field_of
from pai_jupyter.form.rows import Row, Translate

NAME = "name of the job"  # key of its error; no hyperparameter's name has a blank


class NameRow(Row):
    """A text; empty means that a name is generated."""

    def __init__(self, name: str, translate: Translate) -> None:
        field = field_of("")
        box = ipywidgets.Text(value=name, **labelled(translate(field["label"])))
        super().__init__(NAME, PlainControl(box), translate(field["help"]))
        self._translate = translate

    @property
    def text(self) -> str:
        return str(self.control.get()).strip()

    @property
    def errors(self) -> Mapping[str, str]:
        return {NAME: self._translate('A name cannot begin with "-".')} if self.text.startswith("-") else {}
