"""The form as a whole: rows, place, findings, buttons; and what one gets when Submit is pressed."""

import asyncio
import html
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

import ipywidgets

from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.form.appearance import FORM, GONE, STYLE
from pai_jupyter.form.controls import Widget, labelled
from pai_jupyter.form.line import FormValues, as_line
from pai_jupyter.form.place import PlaceFields, text_or_none
from pai_jupyter.form.rows import InputRow, Row, Translate, ValueRow, alert, status
from pai_jupyter.form.sentences import beside_field
from pai_jupyter.hyperparameters import Schema, same
from pai_jupyter.spec import Scalar

# How long no field may have changed before a press counts. While the kernel works, a front end holds what is typed
# back until its last change is answered (ipywidgets' throttle), but lets a press pass: the press comes first, by a
# way there and back. One of 0.5 s is long.
QUIET = 0.5  # seconds


class HyperparameterForm:
    """A form over `schema`, filled in from a line; display its `widget`.

    Args:
        values: those of the line, by name; they need not be right.
        inputs: places of the line, by channel.
        backends: the names to choose from; none chosen leaves it to the rules of the line.
        configured_image: the one that is used when the field is left empty.
        findings: warnings to show beside, as sentences.
        passes_args: whether the command hands the values to the script's argparse.
        runs_alone: whether it does nothing else, so that only the script may take the values.
        translate: gives what the form says in another language.
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
        findings: Sequence[str] = (),
        passes_args: bool = True,
        runs_alone: bool = True,
        translate: Translate = str,
    ) -> None:
        given = schema.in_full(values or {}) if passes_args else values or {}
        self._schema = schema.including(given)
        self._passes_args = passes_args
        self._runs_alone = runs_alone
        self._translate = translate
        self.rows = [ValueRow(it, self._schema, given, translate) for it in self._schema.hyperparameters]
        self.input_rows = list(_input_rows(self._schema, inputs or {}, translate))
        # of the line, and no row's: an input given a value as well, or an option by two names; the line must be changed
        names = {row.name for row in self.rows}
        self._without_row = {name: value for name, value in given.items() if name not in names}
        self.place = PlaceFields(
            backend=backend,
            backends=backends,
            image_uri=image_uri,
            configured_image=configured_image,
            instance_type=instance_type,
            instance_count=instance_count,
            translate=translate,
        )
        self.line = ipywidgets.Text(**labelled(translate("Magic line")))
        self.submit = ipywidgets.Button(description=translate("Submit"), button_style="primary")
        self.dry_run = ipywidgets.Button(description=translate("Dry run"))
        self.message = ipywidgets.HTML()
        self._at_work = threading.Lock()  # a front end's clicks and edits may arrive on several threads
        self._changed_at = -QUIET  # of the clock that only goes forward
        self._submit_callbacks: list[Callable[[FormValues], None]] = []
        self._dry_run_callbacks: list[Callable[[FormValues], str]] = []
        self.widget: Widget = ipywidgets.VBox(list(self._parts(findings)))
        self.widget.add_class(FORM)
        self._observe()
        self._refresh()

    def values(self) -> dict[str, Scalar]:
        """Return the values that differ from the script's defaults, typed; None removes a default.

        Raises:
            SpecError: a row holds none; `errors` has them all.
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
        """Return everything that the form contains.

        Raises:
            SpecError: for the first thing that is wrong.
        """
        for name, message in self.errors().items():
            raise SpecError(message, field=name)
        return FormValues(
            values=self.values(),
            backend=text_or_none(self.place.backend),
            image_uri=text_or_none(self.place.image),
            instance_type=text_or_none(self.place.instance_type),
            instance_count=self.place.count,
            inputs=self._inputs(),
        )

    def on_submit(self, callback: Callable[[FormValues], None]) -> None:
        """Call `callback` when Submit is pressed and nothing is wrong; when all went well the form closes.

        A `PaiJupyterError` of the callback is shown in the form, which stays as it is.
        """
        self._submit_callbacks.append(callback)

    def on_dry_run(self, callback: Callable[[FormValues], str]) -> None:
        """Call `callback` when Dry run is pressed and nothing is wrong; its text is shown in the form."""
        self._dry_run_callbacks.append(callback)

    def say(self, text: str) -> None:
        """Say in the form what is under way, while a callback works; empty: nothing is."""
        self.message.value = status(text) if text else ""

    def close(self) -> None:
        """Take the form off the page, and its models out of the kernel's memory."""
        for widget in list(_all_widgets(self.widget)):
            widget.close()

    def _parts(self, findings: Sequence[str]) -> Iterator[Widget]:
        if self.rows:
            yield ipywidgets.HTML(f"<b>{html.escape(self._translate('Hyperparameters'))}</b>")
            yield from (row.widget for row in self.rows)
        if self.input_rows:
            yield ipywidgets.HTML(f"<b>{html.escape(self._translate('Inputs'))}</b>")
            yield from (row.widget for row in self.input_rows)
        yield ipywidgets.HTML(f"<b>{html.escape(self._translate('Run on'))}</b>")
        yield from self.place.widgets
        if findings:
            items = "".join(f"<li>{html.escape(finding)}</li>" for finding in findings)
            yield ipywidgets.HTML(f"<b>{html.escape(self._translate('Warnings'))}</b><ul>{items}</ul>")
        yield self.line
        yield ipywidgets.HBox([self.submit, self.dry_run])
        yield self.message
        gone = ipywidgets.HTML(
            STYLE
            + alert(
                self._translate("The kernel of this form is gone. Run %load_ext pai_jupyter, then this cell again.")
            )
        )
        gone.add_class(GONE)
        yield gone

    def _observe(self) -> None:
        for row in (*self.rows, *self.input_rows):
            row.control.observe(self._note_change)
        self.place.observe(self._note_change)
        self.submit.on_click(lambda _: self._press(self._submit))
        self.dry_run.on_click(lambda _: self._press(self._show_dry_run))

    def _all_rows(self) -> list[Row]:
        return [*self.rows, *self.input_rows, self.place.count_row]

    def _raw(self) -> dict[str, object]:
        rows = {row.name: row.control.get() for row in self.rows if not row.is_absent}
        return {**rows, **self._without_row}

    def _default(self, name: str) -> Scalar:
        declared = self._schema.find(name)
        return declared.default if declared else None

    def _inputs(self) -> dict[str, str]:
        return {row.name: row.place for row in self.input_rows if row.place}

    def _note_change(self) -> None:
        self._changed_at = time.monotonic()
        self._refresh()

    def _refresh(self) -> None:
        """Bring errors, buttons and line in step with the fields."""
        errors = {name: self._translate(beside_field(sentence)) for name, sentence in self.errors().items()}
        for row in self._all_rows():
            row.show_error(errors.get(row.name, ""))
        self.submit.disabled = self.dry_run.disabled = bool(errors) or self._at_work.locked()
        reason = next(iter(errors.values()), "")
        self.submit.tooltip = reason or self._translate("Submit")
        self.message.value = status(reason) if reason else ""
        self._refresh_line(is_wrong=bool(errors))

    def _refresh_line(self, *, is_wrong: bool) -> None:
        try:
            self.line.value = "" if is_wrong else as_line(self.read(), self._schema)
            self.line.placeholder = (
                self._translate("Fix the errors above") if is_wrong else self._translate("all defaults")
            )
        except SpecError as exc:  # a line break cannot stand on a line
            self.line.value, self.line.placeholder = "", self._translate(str(exc))

    def _press(self, action: Callable[[FormValues], None]) -> None:
        """Do what a button says, once however often it is pressed, with all that was typed before."""
        if self.submit.disabled or not self._at_work.acquire(blocking=False):  # a click that was under way already
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
        """Call `action`, and keep the form when it fails."""
        try:
            action(self.read())
        except PaiJupyterError as exc:
            self._go_on(alert(str(exc)))
        except BaseException:  # ipywidgets only logs it, where nobody looks
            self._go_on(f'<pre role="alert">{html.escape(traceback.format_exc())}</pre>')
            raise

    def _submit(self, values: FormValues) -> None:
        for callback in self._submit_callbacks:
            callback(values)
        self.close()  # still at work, so that no late click finds it ready

    def _show_dry_run(self, values: FormValues) -> None:
        texts = [callback(values) for callback in self._dry_run_callbacks]
        self._go_on(f"<pre>{html.escape(''.join(texts))}</pre>")

    def _go_on(self, message: str) -> None:
        """Be ready for the next click, and show what the last one came to."""
        self._at_work.release()
        self._refresh()
        self.message.value = message


def _running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the event loop of this thread; None in a plain program, where no front end sends anything."""
    with suppress(RuntimeError):
        return asyncio.get_running_loop()
    return None


def _input_rows(schema: Schema, inputs: Mapping[str, str], translate: Translate) -> Iterator[InputRow]:
    channels = {it.name: it for it in schema.channels if it.direction == "input"}
    for name in dict.fromkeys((*inputs, *channels)):
        yield InputRow(name, inputs.get(name, ""), channels.get(name), translate)


def _all_widgets(widget: Widget) -> Iterator[Widget]:
    """`widget` with all in it; layout and style are models of their own."""
    for child in getattr(widget, "children", ()):
        yield from _all_widgets(child)
    yield from (part for part in (getattr(widget, "style", None), getattr(widget, "layout", None)) if part is not None)
    yield widget
