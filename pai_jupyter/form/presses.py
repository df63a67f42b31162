"""The buttons of the form: each press acts once, with everything that was typed before it.

While the kernel is busy, ipywidgets' throttle delays changes of fields, but not presses: a press may overtake a change by one round
trip, which takes less than 0.5 s. So a press takes effect when no field has changed for so long.
"""

import asyncio
import html
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress

import ipywidgets

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.form.controls import Widget
from pai_jupyter.form.rows import Translate, alert
from pai_jupyter.training import FormValues

QUIET = 0.5  # seconds

Action = Callable[[FormValues], None]


class Presses:
    """Runs the actions of buttons. `read` gives the form's values; `refresh` draws the form after an action.

    `translate` translates why an action is refused.
    """

    def __init__(
        self, *buttons: Widget, read: Callable[[], FormValues], refresh: Callable[[], None], translate: Translate = str
    ) -> None:
        self.message: Widget = ipywidgets.HTML()
        self._translate = translate
        self._buttons, self._read, self._refresh = buttons, read, refresh
        self._at_work = threading.Lock()  # clicks and edits may arrive on several threads
        self._changed_at = -QUIET  # monotonic time of the last change

    def note_change(self) -> None:
        self._changed_at = time.monotonic()

    def allow(self, is_allowed: bool) -> None:
        """Enable or disable the buttons; while one is at work they stay disabled."""
        for button in self._buttons:
            button.disabled = not is_allowed or self._at_work.locked()

    def press(self, action: Action) -> None:
        """Run a button's action once, however often it is pressed."""
        if self._buttons[0].disabled or not self._at_work.acquire(blocking=False):  # a second click
            return
        self.allow(False)
        self._run_when_quiet(action)

    def accept(self, message: str) -> None:
        """Accept clicks again, and show the result of the last one."""
        self._at_work.release()
        self._refresh()
        self.message.value = message

    def _run_when_quiet(self, action: Action) -> None:
        rest = self._changed_at + QUIET - time.monotonic()
        loop = _running_loop()
        if rest <= 0 or loop is None:
            self._run(action)
        else:
            loop.call_later(rest, self._run_when_quiet, action)

    def _run(self, action: Action) -> None:
        """Call `action`; if it fails, show the error and keep the form."""
        try:
            action(self._read())
        except PaiJupyterError as exc:
            self.accept(alert(self._translate(str(exc))))
        except BaseException:  # ipywidgets only logs it, where users do not look
            self.accept(f'<pre role="alert">{html.escape(traceback.format_exc())}</pre>')
            raise


def _running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the event loop of this thread; None in a plain program, which has no front end."""
    with suppress(RuntimeError):
        return asyncio.get_running_loop()
    return None
