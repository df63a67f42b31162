"""The fields for the type of a distributed job, and for the replicas and instance type of each of its roles.

Rule 1: the roles of a type are shown when it is chosen; a role that has a value stays, and is named if the type lacks it.
Rule 2: errors are in the form's words, at the field to be changed; those of `contract` are written for a magic's line.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import cast, get_args

import ipywidgets

from pai_jupyter import contract
from pai_jupyter.backends import known_instances
from pai_jupyter.contract.roles import ROLES
from pai_jupyter.errors import SpecError
from pai_jupyter.form.appearance import LINE
from pai_jupyter.form.controls import PlainControl, Widget, labelled
from pai_jupyter.form.machines import Ask, Offer
from pai_jupyter.form.rows import Row, Translate
from pai_jupyter.spec import MAX_INSTANCES, SERVICE_TYPES, JobType, Role

TYPE = "--job-type"  # key of its error, as of the other fields of the place
_WITH_MASTER = ("PyTorchJob", "XGBoostJob")
_COUNT_WIDTH, _MACHINE_WIDTH = "18em", "14em"  # together the width of one control


class RoleControl:
    """A text with the number of replicas, and one with their instance type."""

    def __init__(self, name: str, role: Role | None, translate: Translate) -> None:
        self.label = translate("Replicas of {name}").format(name=name)
        self.role_name = name
        count = str(role.instance_count) if role else ""
        self.count = ipywidgets.Text(value=count, placeholder="0", **labelled(self.label))
        self.count.layout.width = _COUNT_WIDTH
        self.machine = ipywidgets.Combobox(
            value=(role.instance_type if role else None) or "",
            options=known_instances(),
            placeholder=translate("Instance type"),
            tooltip=translate("Instance type of {name}").format(name=name),
            layout={"width": _MACHINE_WIDTH, "flex": "0 0 auto"},
        )
        self.widget: Widget = ipywidgets.HBox([self.count, self.machine]).add_class(LINE)

    def get(self) -> str | None:
        """Return the role as a magic's line has it, maybe invalid; None if both texts are empty, or the count is 0."""
        count, machine = self.count.value.strip(), self.machine.value.strip()
        is_empty = not count.strip("0") if count else not machine
        return None if is_empty else f"{self.role_name}={count}{f':{machine}' if machine else ''}"

    @property
    def is_wrong(self) -> bool:
        """Whether a role is given, but not how many replicas it has."""
        try:
            return self.get() is not None and contract.read_role(str(self.get())).instance_count > MAX_INSTANCES
        except SpecError:
            return True

    def set(self, value: object) -> None:
        role = contract.read_role(str(value))
        self.count.value, self.machine.value = str(role.instance_count), role.instance_type or ""

    def observe(self, changed: Callable[[], None]) -> None:
        for text in (self.count, self.machine):
            text.observe(lambda _: changed(), names="value")


class _RoleRow(Row):
    def __init__(self, role: RoleControl, translate: Translate, ask: Ask | None) -> None:
        super().__init__(f"--role {role.role_name}", role, "")
        self.role = role
        self.offer = Offer(role.machine, self.explain, translate, known=known_instances(), ask=ask)


class RoleFields:
    """A choice of the type, and below it a row for each role."""

    def __init__(
        self,
        job_type: JobType | None,
        roles: Sequence[Role],
        translate: Translate,
        *,
        label: str,
        instances: Ask | None = None,
    ) -> None:
        self._translate, self._instances = translate, instances
        self._changed: Callable[[], None] = lambda: None
        self._rows: dict[str, _RoleRow] = {}  # by name in lower case
        self._box = ipywidgets.VBox()
        names = dict.fromkeys([*get_args(JobType), *([job_type] if job_type else [])])
        choice = ipywidgets.Dropdown(
            options=[("—", ""), *((name, name) for name in names)],
            value=job_type or "",
            **labelled(label),
        )
        self._type = Row(TYPE, PlainControl(choice), "")
        for role in roles:
            self._add(role.name, role)
        self._arrange()

    @property
    def widgets(self) -> tuple[Widget, ...]:
        return self._type.widget, self._box

    @property
    def rows(self) -> list[Row]:
        return [self._type, *self._rows.values()]

    @property
    def job_type(self) -> JobType | None:
        return cast(JobType | None, self._type.control.get() or None)

    @property
    def are_given(self) -> bool:
        return any(row.control.get() for row in self._rows.values())

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles that have a value.

        Raises:
            SpecError: a text is invalid.
        """
        return tuple(contract.read_role(str(text)) for row in self._rows.values() if (text := row.control.get()))

    @property
    def errors(self) -> Mapping[str, str]:
        """Errors of these fields, by row."""
        job_type, found = self.job_type, {}
        if self.are_given and job_type is None:
            return {TYPE: self._translate("The roles below need a job type")}
        for row in self._rows.values():
            if error := self._error(row.role, job_type):
                found[row.name] = error
        try:
            if not found:
                contract.check_asked(self.roles, job_type, None)
        except SpecError as exc:
            found[TYPE] = str(exc)
        return found

    def _error(self, role: RoleControl, job_type: JobType | None) -> str:
        """Return what is wrong with a role of a job of this type, else ""."""
        text, name = role.get(), role.role_name.lower()
        if text and job_type in SERVICE_TYPES and name not in ROLES[job_type]:
            return self._translate("{type} has no role {name}. Empty its count").format(type=job_type, name=name)
        if role.is_wrong:
            said = self._translate("{label} must be a whole number between 1 and {maximum}")
            return said.format(label=role.label, maximum=MAX_INSTANCES)
        if not self.are_given:
            return ""
        if name == "master" and job_type in _WITH_MASTER and (not text or contract.read_role(text).instance_count != 1):
            return self._translate("{type} needs exactly one master: enter 1").format(type=job_type)
        if name == "worker" and job_type == "ElasticBatchJob" and not text:
            return self._translate("{type} needs workers: enter how many").format(type=job_type)
        return ""

    def observe(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._type.control.observe(self._choose)

    def _choose(self) -> None:
        self._arrange()
        self._changed()

    def _add(self, name: str, role: Role | None) -> None:
        row = _RoleRow(RoleControl(name, role, self._translate), self._translate, self._instances)
        row.control.observe(lambda: self._changed())
        self._rows[name.lower()] = row
        self._box.children = (*self._box.children, row.widget)

    def _arrange(self) -> None:
        """Show the roles of the chosen type, and those that have a value."""
        job_type = self.job_type
        names = contract.offered_roles(job_type) if job_type in get_args(JobType) else ()  # type: ignore[arg-type]  # checked
        for name in names:
            if name not in self._rows:
                self._add(name, None)
        for name, row in self._rows.items():
            row.widget.layout.display = None if name in names or row.control.get() else "none"
