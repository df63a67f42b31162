"""Where the job runs and on what: the fields of the form that no script declares. Left empty they are not given."""

from collections.abc import Callable, Sequence

import ipywidgets

from pai_jupyter.form.controls import Widget, labelled
from pai_jupyter.form.rows import Translate

_MAX_COUNT = 10_000


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
            value=instance_type or "", options=("local", "local_gpu"), **labelled(translate("Instance type"))
        )
        self.instance_count = ipywidgets.BoundedIntText(
            value=instance_count or 1, min=1, max=_MAX_COUNT, **labelled(translate("Instance count"))
        )

    @property
    def widgets(self) -> tuple[Widget, ...]:
        return self.backend, self.image, self.instance_type, self.instance_count

    def observe(self, changed: Callable[[], None]) -> None:
        for widget in self.widgets:
            widget.observe(lambda _: changed(), names="value")


def text_or_none(widget: Widget) -> str | None:
    """What stands in a field, or None where nothing does."""
    return widget.value.strip() or None
