"""A text that the form shows to be copied: a field that takes the focus, and no typing.

ipywidgets has only fields that are editable or disabled; a disabled one takes no focus, so that neither a keyboard nor a
screen reader reaches its text. So this is the browser's own read-only field, whose whole text Tab selects.
"""

import html

import ipywidgets

from pai_jupyter.form.appearance import READ_ONLY
from pai_jupyter.form.controls import Widget, labelled


class ReadOnlyField:
    """A labelled text that cannot be edited; without a text, `placeholder` is shown."""

    def __init__(self, label: str) -> None:
        self._label = label
        self.value = self.placeholder = ""
        self.widget: Widget = ipywidgets.HTML(**labelled(label))
        self.show("", "")

    def show(self, value: str, placeholder: str) -> None:
        """Show `value`, or without one `placeholder`."""
        self.value, self.placeholder = value, placeholder
        attributes = {"aria-label": self._label, "value": value, "placeholder": placeholder, "title": value}
        written = " ".join(f'{name}="{html.escape(text)}"' for name, text in attributes.items())
        # The attribute keeps JupyterLab from taking keys for its notebook commands: a D would be the first of two that
        # delete the cell.
        self.widget.value = (
            f'<input class="{READ_ONLY}" type="text" readonly data-lm-suppress-shortcuts="true" {written}>'
        )
