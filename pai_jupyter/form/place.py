"""Where the job runs and on what: the fields of the form that no script declares. Left empty they are not given."""

from collections.abc import Callable, Mapping, Sequence

import ipywidgets

from pai_jupyter.backends import known_instances
from pai_jupyter.errors import SpecError
from pai_jupyter.form.controls import TextControl, Widget, labelled
from pai_jupyter.form.rows import Row, Translate
from pai_jupyter.hyperparameters import Hyperparameter, Schema

COUNT = "--instance-count"  # its name among the errors: no hyperparameter has one that begins so
_COUNT = Hyperparameter(name=COUNT, type="Int", default=1, minimum=1, maximum=10_000)
_COUNTS = Schema(hyperparameters=(_COUNT,))


class PlaceFields:
    """Backend, image, instance type and count."""

    def __init__(
        self,
        *,
        backend: str | None,
        backends: Sequence[str],
        image_uri: str | None,
        configured_image: str | None,
        instance_type: str | None,
        instance_count: int | None,
        translate: Translate,
    ) -> None:
        names = dict.fromkeys([*backends, *([backend] if backend else [])])
        self.backend = ipywidgets.Dropdown(
            # "", for a choice of None shows as a blank
            options=[(translate("Auto"), ""), *((name, name) for name in names)],
            value=backend or "",
            **labelled(translate("Backend")),
        )
        self.image = ipywidgets.Text(
            value=image_uri or "", placeholder=configured_image or "", **labelled(translate("Image"))
        )
        self.instance_type = ipywidgets.Combobox(
            value=instance_type or "", options=known_instances(), **labelled(translate("Instance type"))
        )
        self.instance_count = TextControl(_COUNT, instance_count or 1, label=translate("Instance count"))
        self.count_row = Row(COUNT, self.instance_count, "")

    @property
    def widgets(self) -> tuple[Widget, ...]:
        return self.backend, self.image, self.instance_type, self.count_row.widget

    @property
    def errors(self) -> Mapping[str, str]:
        """What is wrong in these fields."""
        return _COUNTS.errors({COUNT: self.instance_count.get()})

    @property
    def count(self) -> int:
        """The number of instances.

        Raises:
            SpecError: there is none in the field.
        """
        count = _COUNTS.check(COUNT, self.instance_count.get())
        if not isinstance(count, int):
            raise SpecError(f"`{COUNT}` has no value. Give it a whole number, e.g. 1.", field=COUNT)
        return count

    def observe(self, changed: Callable[[], None]) -> None:
        for widget in (self.backend, self.image, self.instance_type):
            widget.observe(lambda _: changed(), names="value")
        self.instance_count.observe(changed)


def text_or_none(widget: Widget) -> str | None:
    """Return the stripped text of a field, or None if it is empty."""
    return widget.value.strip() or None
