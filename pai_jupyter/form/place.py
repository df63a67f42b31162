"""The fields of the form that no script declares: backend, image, instance type and count, roles. Empty means not given."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import ipywidgets

from pai_jupyter.backends import known_instances
from pai_jupyter.errors import SpecError
from pai_jupyter.form.controls import TextControl, Widget, labelled
from pai_jupyter.form.machines import OfferedField, Offers
from pai_jupyter.form.model import field_of
from pai_jupyter.form.roles import RoleFields
from pai_jupyter.form.rows import Row, Translate
from pai_jupyter.hyperparameters import Hyperparameter, Schema
from pai_jupyter.spec import JobType, Role

COUNT = "--instance-count"  # key of its error; no hyperparameter's name begins with "-"
_COUNT = Hyperparameter(name=COUNT, type="Int", default=1, minimum=1, maximum=10_000)
_COUNTS = Schema(hyperparameters=(_COUNT,))


class PlaceFields:
    """Backend, image, instance type and count, job type and roles."""

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
        job_type: JobType | None = None,
        roles: Sequence[Role] = (),
        offers: Offers | None = None,
    ) -> None:
        def label(option: str) -> str:
            return translate(field_of(option)["label"])

        names = dict.fromkeys([*backends, *([backend] if backend else [])])
        self.backend = ipywidgets.Dropdown(
            # "" as a value: the Dropdown shows None as a blank
            options=[(translate("Auto"), ""), *((name, name) for name in names)],
            value=backend or "",
            **labelled(label("backend")),
        )
        self._image = OfferedField(
            "--image",
            label("image"),
            image_uri or "",
            translate,
            ask=offers.images if offers else None,
            placeholder=configured_image or "",
        )
        instances = cache(offers.instances) if offers else None  # the type of the job, and those of its roles
        self._instance_type = OfferedField(
            "--instance-type",
            label("instance-type"),
            instance_type or "",
            translate,
            known=known_instances(),
            ask=instances,
        )
        self.image, self.instance_type = self._image.box, self._instance_type.box
        self.instance_count = TextControl(_COUNT, instance_count or 1, label=label("instance-count"))
        self.count_row = Row(COUNT, self.instance_count, "")
        self.roles = RoleFields(job_type, roles, translate, label=label("job-type"), instances=instances)

    @property
    def widgets(self) -> tuple[Widget, ...]:
        offered = (self._image.widget, self._instance_type.widget)
        return self.backend, *offered, self.count_row.widget, *self.roles.widgets

    @property
    def rows(self) -> list[Row]:
        """The rows that show errors."""
        return [self.count_row, *self.roles.rows]

    @property
    def errors(self) -> Mapping[str, str]:
        """Errors of these fields, by field."""
        if self.roles.are_given:
            return self.roles.errors
        return {**_COUNTS.errors({COUNT: self.instance_count.get()}), **self.roles.errors}

    @property
    def count(self) -> int:
        """The number of instances; 1 if the roles say how many there are.

        Raises:
            SpecError: the field is empty or invalid.
        """
        if self.roles.are_given:
            return 1
        count = _COUNTS.check(COUNT, self.instance_count.get())
        if not isinstance(count, int):
            raise SpecError(f"`{COUNT}` has no value. Enter a whole number, e.g. 1.", field=COUNT)
        return count

    def observe(self, changed: Callable[[], None]) -> None:
        for widget in (self.backend, self.image, self.instance_type):
            widget.observe(lambda _: changed(), names="value")
        self.instance_count.observe(changed)
        self.roles.observe(changed)

    def arrange(self) -> None:
        """Hide the number of instances where roles say it."""
        self.count_row.widget.layout.display = "none" if self.roles.are_given else None


def text_or_none(widget: Widget) -> str | None:
    """Return the stripped text of a field, or None if it is empty."""
    return widget.value.strip() or None
