"""A text that the form shows to be copied: a field that takes the focus, and no typing, and a button that copies it.

ipywidgets has only fields that are editable or disabled; a disabled one takes no focus, so that neither a keyboard nor a
screen reader reaches its text. So this is the browser's own read-only field, whose whole text Tab selects. ipywidgets cannot
reach the clipboard either: the button has a handler of its own, which takes the text out of the field beside it. Where the page
is not secure, or forbids such handlers, the text lies selected for Ctrl+C.

Rule: the handler is one constant; nothing of a script or a user is ever part of it.
"""

import html
from collections.abc import Mapping

import ipywidgets

from pai_jupyter.form.appearance import COPY, READ_ONLY
from pai_jupyter.form.controls import Widget, labelled
from pai_jupyter.form.rows import Translate

_HANDLER = """\
const field = this.previousElementSibling, said = this.nextElementSibling;
field.focus(); field.select();
const say = isCopied => { said.textContent = isCopied ? this.dataset.copied : this.dataset.press; };
const old = () => say(document.execCommand('copy'));
navigator.clipboard ? navigator.clipboard.writeText(field.value).then(() => say(true), old) : old();"""


class ReadOnlyField:
    """A labelled text that cannot be edited; without a text, `placeholder` is shown."""

    def __init__(self, label: str, translate: Translate) -> None:
        self._label, self._translate = label, translate
        self.value = self.placeholder = ""
        self.widget: Widget = ipywidgets.HTML(**{**labelled(label), "layout": {"width": "auto"}})
        self.show("", "")

    def show(self, value: str, placeholder: str) -> None:
        """Show `value`, or without one `placeholder`."""
        self.value, self.placeholder = value, placeholder
        field = {"aria-label": self._label, "value": value, "placeholder": placeholder, "title": value}
        words = {"data-copied": self._translate("Copied"), "data-press": self._translate("Press Ctrl+C to copy")}
        # The attribute keeps JupyterLab from taking keys for its notebook commands: a D would be the first of two that
        # delete the cell.
        suppress = 'data-lm-suppress-shortcuts="true"'
        button = f'<button class="{COPY}" type="button" {_attributes({**words, "onclick": _HANDLER})}'
        self.widget.value = (
            f'<input class="{READ_ONLY}" type="text" readonly {suppress} {_attributes(field)}>'
            f"{button}{'' if value else ' disabled'}>{html.escape(self._translate('Copy as %%pai_train line'))}</button>"
            '<span role="status"></span>'
        )


def _attributes(given: Mapping[str, str]) -> str:
    return " ".join(f'{name}="{html.escape(text)}"' for name, text in given.items())
