"""The form as a whole: its sections in the order of the model, buttons; and the values that Submit passes on."""

import html
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

import ipywidgets

from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.form.appearance import FORM
from pai_jupyter.form.controls import Widget, labelled
from pai_jupyter.form.inputs import INPUT, InputFields
from pai_jupyter.form.machines import Offers
from pai_jupyter.form.model import titles
from pai_jupyter.form.name import NameRow
from pai_jupyter.form.offered import OfferedRows, arrange
from pai_jupyter.form.place import PlaceFields, text_or_none
from pai_jupyter.form.presses import Presses
from pai_jupyter.form.readonly import ReadOnlyField
from pai_jupyter.form.rows import InputRow, Row, Translate, ValueRow, focused, status
from pai_jupyter.form.sections import gone, parts
from pai_jupyter.form.taken import TakenNames
from pai_jupyter.form.value_boxes import ValueBoxes
from pai_jupyter.hyperparameters import Schema, same
from pai_jupyter.spec import JobType, Role, Scalar
from pai_jupyter.training import FormValues, LineContext, whole_line
from pai_jupyter.wire.protocol.value_sentences import beside_field


class HyperparameterForm:
    """A form over `schema`, filled in from a magic's line; display its `widget`.

    Args:
        values: values of the line, by name; they may be invalid.
        inputs: paths and URIs of the line, by channel.
        backends: names to choose from; without a choice the backend is chosen as for a magic's line.
        configured_image: the image that is used when the field is empty.
        findings: warnings to show, as sentences.
        taken: names that are taken from other cells, with the cell's number; None: the line leaves it out.
        variables: names of variables of this process that the job may get, a checkbox each.
        offered: variables of the notebook that may be sent, by name, described; sends: those that are.
        assigned: variables of the cell that may be returned; returns: those that are.
        passes_args: whether the command passes the values to the script's argparse.
        runs_alone: whether the command runs nothing but the script, so that only the script can use the values.
        name: the name of the job; None: one is generated.
        line: the line that the form is over; what the form has no field for stays on it.
        recorded: names of values of an earlier job, which may be unknown to the script.
        offers: what a service has; None: nothing is asked for.
        translate: translates the form's texts.
        cost: says what a job with these values costs.
    """

    def __init__(
        self,
        schema: Schema,
        *,
        values: Mapping[str, object] | None = None,
        inputs: Mapping[str, str] | None = None,
        backend: str | None = None,
        backends: Sequence[str] = (),
        image_uri: str | None = None,
        configured_image: str | None = None,
        instance_type: str | None = None,
        instance_count: int | None = None,
        job_type: JobType | None = None,
        roles: Sequence[Role] = (),
        findings: Sequence[str] = (),
        taken: Mapping[str, int | None] | None = None,
        variables: Sequence[str] = (),
        offered: Mapping[str, str] = MappingProxyType({}),
        sends: Collection[str] = (),
        assigned: Sequence[str] = (),
        returns: Collection[str] = (),
        passes_args: bool = True,
        runs_alone: bool = True,
        name: str | None = None,
        line: LineContext | None = None,
        recorded: Collection[str] = (),
        offers: Offers | None = None,
        translate: Translate = str,
        cost: Callable[[FormValues], str] = lambda values: "",
    ) -> None:
        self._cost = cost
        given = schema.in_full(values or {}) if passes_args else values or {}
        self._schema = schema.including(given)
        self._passes_args = passes_args
        self._runs_alone = runs_alone
        self._translate = translate
        self.rows = [ValueRow(it, self._schema, given, translate) for it in self._schema.hyperparameters]
        self.offered = OfferedRows(self._schema, translate, self._note_change) if self._schema.suggestions else None
        # of a subcommand that the line does not choose: the line is wrong
        misplaced = (row for row in self.rows if row.name in given and not self._schema.applies(row.declared, given))
        self._misplaced = {row.name for row in misplaced}
        self._over, self._recorded = line or LineContext(), recorded
        self.name = NameRow(name or "", translate)
        self.inputs = InputFields(self._schema, inputs or {}, translate, self._note_change)
        # values of the line without a row (an input that also has a value, an option given by two names): the line is wrong
        names = {row.name for row in self.rows}
        self._without_row = {each: value for each, value in given.items() if each not in names}
        self.place = PlaceFields(
            backend=backend,
            backends=backends,
            image_uri=image_uri,
            configured_image=configured_image,
            instance_type=instance_type,
            instance_count=instance_count,
            job_type=job_type,
            roles=roles,
            offers=offers,
            translate=translate,
        )
        self.taken = TakenNames(taken or {}, translate)
        self.variables = [ipywidgets.Checkbox(value=False, **labelled(each)) for each in variables]
        self.sends = ValueBoxes(offered, sends)
        self.returns = ValueBoxes(dict.fromkeys((*assigned, *returns), ""), returns)
        self.line = ReadOnlyField(translate(titles()["line"]), translate)
        self.reset_all = ipywidgets.Button(
            description=translate("Reset all"), layout={"width": "auto", "display": "none"}
        )
        self.submit = ipywidgets.Button(description=translate("Submit"), button_style="primary")
        self.dry_run = ipywidgets.Button(description=translate("Dry run"), layout={"display": "none"})
        self.cost = ipywidgets.HTML()
        self._presses = Presses(self.submit, self.dry_run, read=self.read, refresh=self._refresh, translate=translate)
        self.message = self._presses.message
        self._submit_callbacks: list[Callable[[FormValues], None]] = []
        self._dry_run_callbacks: list[Callable[[FormValues], str]] = []
        self.widget: Widget = ipywidgets.VBox(list(self._parts(findings)))
        self.widget.add_class(FORM)
        self._observe()
        self._refresh()

    def values(self) -> dict[str, Scalar]:
        """Return the values that differ from the script's defaults, typed; None removes a default.

        Raises:
            SpecError: a value is invalid; `errors` has all messages.
        """
        checked = {name: self._schema.check(name, raw) for name, raw in self._raw().items()}
        return {name: value for name, value in checked.items() if not same(value, self._default(name))}

    def errors(self) -> dict[str, str]:
        """Return the errors by hyperparameter, input or field; empty if the form can be submitted."""
        found = self._schema.errors(
            self._raw(),
            passes_args=self._passes_args,
            runs_alone=self._runs_alone,
            inputs=self._inputs(),
            recorded=self._recorded,
        )
        return {**self.name.errors, **found, **self.inputs.errors, **self.place.errors}

    def read(self) -> FormValues:
        """Return all values of the form.

        Raises:
            SpecError: a field is invalid; the first error.
        """
        for name, message in self.errors().items():
            raise SpecError(message, field=name)
        return FormValues(
            values=self.values(),
            backend=text_or_none(self.place.backend),
            image_uri=text_or_none(self.place.image),
            instance_type=text_or_none(self.place.instance_type),
            instance_count=self.place.count,
            job_type=self.place.roles.job_type,
            roles=self.place.roles.roles,
            inputs=self._inputs(),
            name=self.name.text or None,
            leave_out=self.taken.leave_out,
            pass_env=tuple(box.description for box in self.variables if box.value),
            sends=self.sends.chosen,
            returns=self.returns.chosen,
        )

    def on_submit(self, callback: Callable[[FormValues], None]) -> None:
        """Call `callback` when Submit is pressed and no field is invalid; the form closes if no callback fails.

        A `PaiJupyterError` of the callback is shown in the form, which then stays open.
        """
        self._submit_callbacks.append(callback)

    def on_dry_run(self, callback: Callable[[FormValues], str]) -> None:
        """Call `callback` when Dry run is pressed and no field is invalid, and show the text that it returns."""
        self._dry_run_callbacks.append(callback)
        self.dry_run.layout.display = None

    def say(self, text: str) -> None:
        """Show the progress of a callback in the form; "" clears it."""
        self.message.value = status(text) if text else ""

    def close(self) -> None:
        """Remove the form from the page, and its models from the kernel's memory."""
        for widget in list(_all_widgets(self.widget)):
            widget.close()

    def _parts(self, findings: Sequence[str]) -> Iterator[Widget]:
        items = "".join(f"<li>{html.escape(finding)}</li>" for finding in findings)
        offered = [self.offered.widget] if self.offered is not None else []
        yield from parts(
            {
                "name": [self.name.widget],
                "values": [*(row.widget for row in self.rows), *offered],
                "inputs": self.inputs.widgets,
                "taken": self.taken.widgets,
                "send": self.sends.widgets,
                "return": self.returns.widgets,
                "target": self.place.widgets,
                "pass": self.variables,
                "findings": [ipywidgets.HTML(f"<ul>{items}</ul>")] if findings else [],
                "line": [self.line.widget, self.cost],
            },
            beside={"values": self.reset_all},
            translate=self._translate,
        )
        yield ipywidgets.HBox([self.submit, self.dry_run])
        yield self.message
        yield gone(self._translate)

    def _observe(self) -> None:
        for row in (self.name, *self.rows):
            row.control.observe(self._note_change)
        self.reset_all.on_click(lambda _: self._reset_all())
        for fields in (self.place, self.taken, self.sends, self.returns):
            fields.observe(self._note_change)
        for box in self.variables:
            box.observe(lambda _: self._note_change(), names="value")
        self.submit.on_click(lambda _: self._presses.press(self._submit))
        self.dry_run.on_click(lambda _: self._presses.press(self._show_dry_run))

    @property
    def input_rows(self) -> list[InputRow]:
        """The rows of the inputs that the script declares."""
        return self.inputs.rows

    def _value_rows(self) -> list[ValueRow]:
        return [*self.rows, *(self.offered.rows if self.offered is not None else ())]

    def _all_rows(self) -> list[Row]:
        return [self.name, *self._value_rows(), *self.inputs.rows, *self.place.rows]

    def _reset_all(self) -> None:
        for row in self._value_rows():
            row.restore()
        focused(self._value_rows()[0].control.widget).focus()  # the button that had it is hidden

    def _raw(self) -> dict[str, object]:
        given = {row.name: row.control.get() for row in self.rows}
        rows = [row for row in self.rows if not row.is_absent and self._is_shown(row, given)]
        return {**{row.name: given[row.name] for row in rows}, **self._offered(), **self._without_row}

    def _offered(self) -> dict[str, object]:
        """Return what was changed of the values that are not declared."""
        raw = {row.name: row.control.get() for row in (self.offered.rows if self.offered is not None else ())}
        return {name: value for name, value in raw.items() if self._is_other(name, value)}

    def _is_other(self, name: str, value: object) -> bool:
        """Return whether a value is not the default, or no valid one."""
        try:
            return not same(self._schema.check(name, value), self._default(name))
        except SpecError:
            return True

    def _is_shown(self, row: ValueRow, values: Mapping[str, object]) -> bool:
        """Return whether an option is the program's or the chosen subcommand's, or was wrongly given by the line."""
        is_misplaced = row.name in self._misplaced and self._is_other(row.name, values[row.name])
        return is_misplaced or self._schema.applies(row.declared, values)

    def _default(self, name: str) -> Scalar:
        declared = self._schema.find(name)
        return declared.default if declared else None

    def _inputs(self) -> dict[str, str]:
        return self.inputs.places

    def _note_change(self) -> None:
        self._presses.note_change()
        self._refresh()

    def _refresh(self) -> None:
        """Update which rows are shown, errors, buttons and the magic line from the fields."""
        given = {row.name: row.control.get() for row in self.rows}
        arrange(self.rows, lambda row: self._is_shown(row, given))
        self.place.arrange()
        errors = {name: self._translate(beside_field(sentence)) for name, sentence in self.errors().items()}
        for row in self._all_rows():
            row.show_error(errors.get(row.name, ""))
        self.inputs.show_error(errors.get(INPUT, ""))
        self._offer_resets()
        self._presses.allow(not errors)
        reason = next(iter(errors.values()), "")
        self.submit.tooltip = reason or self._translate("Submit")
        self.message.value = status(reason) if reason else ""
        self._refresh_line(is_wrong=bool(errors))
        self.cost.value = "" if errors else self._cost_text()

    def _offer_resets(self) -> None:
        """Show what brings defaults back where something is not the default."""
        rows = [row for row in self._value_rows() if row.widget.layout.display is None]
        changed = [row for row in rows if self._is_other(row.name, row.control.get())]
        for row in rows:
            row.offer_reset(row in changed or row.declared.origin == "given")
        self.reset_all.layout.display = None if changed else "none"

    def _refresh_line(self, *, is_wrong: bool) -> None:
        try:
            if is_wrong:
                self.line.show("", self._translate("Fix the errors above"))
            else:
                self.line.show(self._line(), "")
        except SpecError as exc:  # a value has a line break
            self.line.show("", self._translate(str(exc)))

    def _cost_text(self) -> str:
        """Return what the job costs, or why that cannot be said."""
        try:
            text = self._cost(self.read())
        except PaiJupyterError as exc:
            text = str(exc)
        return f"{html.escape(self._translate('Cost'))}: {html.escape(self._translate(text))}" if text else ""

    def _line(self) -> str:
        return whole_line(self.read(), self._schema, self._over)

    def _submit(self, values: FormValues) -> None:
        for callback in self._submit_callbacks:
            callback(values)
        self.close()  # the press stays at work, so that a late click does nothing

    def _show_dry_run(self, values: FormValues) -> None:
        texts = [callback(values) for callback in self._dry_run_callbacks]
        self._presses.accept(f"<pre>{html.escape(''.join(texts))}</pre>")


def _all_widgets(widget: Widget) -> Iterator[Widget]:
    """Yield `widget` and all widgets in it, with their layouts and styles, which are models of their own."""
    for child in getattr(widget, "children", ()):
        yield from _all_widgets(child)
    yield from (part for part in (getattr(widget, "style", None), getattr(widget, "layout", None)) if part is not None)
    yield widget
