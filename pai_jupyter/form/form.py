"""The form as a whole: rows, backend and machine, warnings, buttons; and the values that Submit passes on."""

import asyncio
import html
import threading
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType

import ipywidgets

from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.form.appearance import FORM, GONE, STYLE
from pai_jupyter.form.controls import Widget, labelled
from pai_jupyter.form.line import FormValues, as_line
from pai_jupyter.form.offered import OfferedRows, arrange
from pai_jupyter.form.place import PlaceFields, text_or_none
from pai_jupyter.form.readonly import ReadOnlyField
from pai_jupyter.form.rows import InputRow, Row, Translate, ValueRow, alert, status
from pai_jupyter.form.sentences import beside_field
from pai_jupyter.form.taken import TakenNames
from pai_jupyter.form.value_boxes import ValueBoxes
from pai_jupyter.hyperparameters import Schema, same
from pai_jupyter.spec import JobType, Role, Scalar

# A press takes effect when no field has changed for so long. While the kernel is busy, ipywidgets' throttle delays changes
# of fields, but not presses: a press may overtake a change by one round trip, which takes less than 0.5 s.
QUIET = 0.5  # seconds


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
        self.input_rows = list(_input_rows(self._schema, inputs or {}, translate))
        # values of the line without a row (an input that also has a value, an option given by two names): the line is wrong
        names = {row.name for row in self.rows}
        self._without_row = {name: value for name, value in given.items() if name not in names}
        self.place = PlaceFields(
            backend=backend,
            backends=backends,
            image_uri=image_uri,
            configured_image=configured_image,
            instance_type=instance_type,
            instance_count=instance_count,
            job_type=job_type,
            roles=roles,
            translate=translate,
        )
        self.taken = TakenNames(taken or {}, translate)
        self.variables = [ipywidgets.Checkbox(value=False, **labelled(name)) for name in variables]
        self.sends = ValueBoxes(offered, sends)
        self.returns = ValueBoxes(dict.fromkeys((*assigned, *returns), ""), returns)
        self.line = ReadOnlyField(translate("Magic line"))
        self.submit = ipywidgets.Button(description=translate("Submit"), button_style="primary")
        self.dry_run = ipywidgets.Button(description=translate("Dry run"))
        self.cost = ipywidgets.HTML()
        self.message = ipywidgets.HTML()
        self._at_work = threading.Lock()  # clicks and edits may arrive on several threads
        self._changed_at = -QUIET  # monotonic time of the last change
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
            self._raw(), passes_args=self._passes_args, runs_alone=self._runs_alone, inputs=self._inputs()
        )
        return {**found, **self.place.errors}

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

    def say(self, text: str) -> None:
        """Show the progress of a callback in the form; "" clears it."""
        self.message.value = status(text) if text else ""

    def close(self) -> None:
        """Remove the form from the page, and its models from the kernel's memory."""
        for widget in list(_all_widgets(self.widget)):
            widget.close()

    def _parts(self, findings: Sequence[str]) -> Iterator[Widget]:
        if self.rows:
            yield ipywidgets.HTML(f"<b>{html.escape(self._translate('Hyperparameters'))}</b>")
            yield from (row.widget for row in self.rows)
        if self.offered is not None:
            yield self.offered.widget
        if self.input_rows:
            yield ipywidgets.HTML(f"<b>{html.escape(self._translate('Inputs'))}</b>")
            yield from (row.widget for row in self.input_rows)
        yield from self.taken.widgets
        if self.sends.widgets:
            yield ipywidgets.HTML(f"<b>{html.escape(self._translate('Send from the notebook'))}</b>")
            yield from self.sends.widgets
        if self.returns.widgets:
            yield ipywidgets.HTML(f"<b>{html.escape(self._translate('Return to the notebook'))}</b>")
            yield from self.returns.widgets
        yield ipywidgets.HTML(f"<b>{html.escape(self._translate('Run on'))}</b>")
        yield from self.place.widgets
        if self.variables:
            yield ipywidgets.HTML(f"<b>{html.escape(self._translate('Pass on variables of the kernel'))}</b>")
            yield from self.variables
        if findings:
            items = "".join(f"<li>{html.escape(finding)}</li>" for finding in findings)
            yield ipywidgets.HTML(f"<b>{html.escape(self._translate('Warnings'))}</b><ul>{items}</ul>")
        yield self.line.widget
        yield self.cost
        yield ipywidgets.HBox([self.submit, self.dry_run])
        yield self.message
        gone = ipywidgets.HTML(
            STYLE
            + alert(
                self._translate("The kernel of this form has ended. Run %load_ext pai_jupyter, then this cell again.")
            )
        )
        gone.add_class(GONE)
        yield gone

    def _observe(self) -> None:
        for row in (*self.rows, *self.input_rows):
            row.control.observe(self._note_change)
        for fields in (self.place, self.taken, self.sends, self.returns):
            fields.observe(self._note_change)
        for box in self.variables:
            box.observe(lambda _: self._note_change(), names="value")
        self.submit.on_click(lambda _: self._press(self._submit))
        self.dry_run.on_click(lambda _: self._press(self._show_dry_run))

    def _all_rows(self) -> list[Row]:
        offered = self.offered.rows if self.offered is not None else []
        return [*self.rows, *offered, *self.input_rows, *self.place.rows]

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
        return {row.name: row.place for row in self.input_rows if row.place}

    def _note_change(self) -> None:
        self._changed_at = time.monotonic()
        self._refresh()

    def _refresh(self) -> None:
        """Update which rows are shown, errors, buttons and the magic line from the fields."""
        given = {row.name: row.control.get() for row in self.rows}
        arrange(self.rows, lambda row: self._is_shown(row, given))
        self.place.arrange()
        errors = {name: self._translate(beside_field(sentence)) for name, sentence in self.errors().items()}
        for row in self._all_rows():
            row.show_error(errors.get(row.name, ""))
        self.submit.disabled = self.dry_run.disabled = bool(errors) or self._at_work.locked()
        reason = next(iter(errors.values()), "")
        self.submit.tooltip = reason or self._translate("Submit")
        self.message.value = status(reason) if reason else ""
        self._refresh_line(is_wrong=bool(errors))
        self.cost.value = "" if errors else self._cost_text()

    def _refresh_line(self, *, is_wrong: bool) -> None:
        try:
            if is_wrong:
                self.line.show("", self._translate("Fix the errors above"))
            else:
                self.line.show(as_line(self.read(), self._schema), self._translate("all defaults"))
        except SpecError as exc:  # a value has a line break
            self.line.show("", self._translate(str(exc)))

    def _cost_text(self) -> str:
        """Return what the job costs, or why that cannot be said."""
        try:
            text = self._cost(self.read())
        except PaiJupyterError as exc:
            text = str(exc)
        return f"{html.escape(self._translate('Cost'))}: {html.escape(self._translate(text))}" if text else ""

    def _press(self, action: Callable[[FormValues], None]) -> None:
        """Run a button's action once, however often it is pressed, with everything typed before."""
        if self.submit.disabled or not self._at_work.acquire(blocking=False):  # a second click
            return
        self.submit.disabled = self.dry_run.disabled = True
        self._run_when_quiet(action)

    def _run_when_quiet(self, action: Callable[[FormValues], None]) -> None:
        rest = self._changed_at + QUIET - time.monotonic()
        loop = _running_loop()
        if rest <= 0 or loop is None:
            self._run(action)
        else:
            loop.call_later(rest, self._run_when_quiet, action)

    def _run(self, action: Callable[[FormValues], None]) -> None:
        """Call `action`; if it fails, show the error and keep the form."""
        try:
            action(self.read())
        except PaiJupyterError as exc:
            self._accept_clicks(alert(str(exc)))
        except BaseException:  # ipywidgets only logs it, where users do not look
            self._accept_clicks(f'<pre role="alert">{html.escape(traceback.format_exc())}</pre>')
            raise

    def _submit(self, values: FormValues) -> None:
        for callback in self._submit_callbacks:
            callback(values)
        self.close()  # `_at_work` stays locked, so that a late click does nothing

    def _show_dry_run(self, values: FormValues) -> None:
        texts = [callback(values) for callback in self._dry_run_callbacks]
        self._accept_clicks(f"<pre>{html.escape(''.join(texts))}</pre>")

    def _accept_clicks(self, message: str) -> None:
        """Accept clicks again, and show the result of the last one."""
        self._at_work.release()
        self._refresh()
        self.message.value = message


def _running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the event loop of this thread; None in a plain program, which has no front end."""
    with suppress(RuntimeError):
        return asyncio.get_running_loop()
    return None


def _input_rows(schema: Schema, inputs: Mapping[str, str], translate: Translate) -> Iterator[InputRow]:
    channels = {it.name: it for it in schema.channels if it.direction == "input"}
    for name in dict.fromkeys((*inputs, *channels)):
        yield InputRow(name, inputs.get(name, ""), channels.get(name), translate)


def _all_widgets(widget: Widget) -> Iterator[Widget]:
    """Yield `widget` and all widgets in it, with their layouts and styles, which are models of their own."""
    for child in getattr(widget, "children", ()):
        yield from _all_widgets(child)
    yield from (part for part in (getattr(widget, "style", None), getattr(widget, "layout", None)) if part is not None)
    yield widget
