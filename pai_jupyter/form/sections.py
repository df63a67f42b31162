"""The sections of the form as widgets: a heading where there is something below it."""

import html
from collections.abc import Iterable, Iterator, Mapping

import ipywidgets

from pai_jupyter.form.appearance import GONE, STYLE
from pai_jupyter.form.controls import Widget
from pai_jupyter.form.model import titles
from pai_jupyter.form.rows import Translate, alert

_ALONE = ("name", "line")  # without a heading: their field has the label


def parts(
    widgets: Mapping[str, Iterable[Widget]], *, beside: Mapping[str, Widget], translate: Translate
) -> Iterator[Widget]:
    """Yield headings and widgets in the order of the form's model; `beside` stands beside a section's heading."""
    for key, title in titles().items():
        inside = list(widgets.get(key, ()))
        if inside and key not in _ALONE:
            heading = ipywidgets.HTML(f"<b>{html.escape(translate(title))}</b>")
            yield ipywidgets.HBox([heading, beside[key]]) if key in beside else heading
        yield from inside


def gone(translate: Translate) -> Widget:
    """Return what the form says once its kernel is gone; a style shows it."""
    said = translate("The kernel of this form has ended. Run %load_ext pai_jupyter, then this cell again.")
    made = ipywidgets.HTML(STYLE + alert(said))
    made.add_class(GONE)
    return made
