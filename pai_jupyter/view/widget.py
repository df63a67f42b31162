"""The live views of jobs and of runs over a comm, for front ends without our server extension: VS Code, Colab, other servers.

It uses the same view and wire format as the server's socket (package `wire`). Pushes are sent from the runtime thread, so
the log goes on while a cell runs; requests arrive on the kernel's main thread, so they wait until the cell ends, and the view
says so. Pushes stop when the view seems closed (attention.py).

It needs the extra `widget`. anywidget's JupyterLab extension runs the script (`_esm`) in a notebook's saved widget state as
soon as the notebook is opened, trusted or not; so the widget is used only where no other live view is possible.
"""

import asyncio
import math
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import Job, runtime
from pai_jupyter.runs.state import RunState
from pai_jupyter.view.attention import KernelIdleTime, PushAllowance
from pai_jupyter.view.words import environment_language
from pai_jupyter.wire import Feed, Message, snapshot
from pai_jupyter.wire.protocol.language import spoken
from pai_jupyter.wire.protocol.messages import encode, sendable
from pai_jupyter.wire.run_view.delta import whole
from pai_jupyter.wire.run_view.runs import origin_of
from pai_jupyter.wire.tabs.board import board_handler, locate

FIRST_PAUSE, MAX_PAUSE = 0.5, 10.0  # seconds
_EVERY_VIEW = "every view"
_STATIC = Path(__file__).parents[1] / "static"
_JOB, _RUN, _STYLE = _STATIC / "widget.js", _STATIC / "runwidget.js", _STATIC / "widget.css"
_IN_CHINESE = ".zh.js"  # ends the name of a script that speaks Chinese, too


INSTALL = "%pip install 'pai_jupyter[widget]'"


def has_widget() -> bool:
    """Return whether a widget can be shown: anywidget is installed and the front end is built."""
    return has_anywidget() and _JOB.is_file() and _RUN.is_file()


def has_anywidget() -> bool:
    return find_spec("anywidget") is not None


def check_widget() -> None:
    """Check that a widget can be shown.

    Raises:
        SpecError: anywidget is missing, or the front end is not built.
    """
    if not has_anywidget():
        raise SpecError(
            f"jobs cannot be shown as a widget here: anywidget is missing. Type: {INSTALL}", field="PAI_JUPYTER_RENDER"
        )
    if not has_widget():
        raise SpecError(
            "jobs cannot be shown as a widget here: this installation was made from sources without its front end. "
            "Type: make setup",
            field="PAI_JUPYTER_RENDER",
        )


def widget_bundle(job: Job) -> Mapping[str, object]:
    """Create a live view of `job` and return its MIME bundle.

    Raises:
        SpecError: as `check_widget`.
    """
    check_widget()
    first = {"kind": "snapshot", "seq": 0, **snapshot(job, None)}
    return _connected("JobWidget", _JOB, job=job.id, first=first, greeting="hello")


def run_widget_bundle(state: RunState) -> Mapping[str, object]:
    """Create a live view of the run that stands so, and return its MIME bundle.

    Raises:
        SpecError: as `check_widget`.
    """
    check_widget()
    first = {"kind": "run", "seq": 0, **whole(state, origin_of(state.id))}
    return _connected("RunWidget", _RUN, job=state.id, first=first, greeting="watch_run")


def _connected(
    name: str, script: Path, *, job: str, first: Mapping[str, object], greeting: str
) -> Mapping[str, object]:
    """Create a widget that is pushed to from now on; `job`: what it shows, as requests name it."""
    language = environment_language()
    widget = _widget_class(name, in_language(script, language))(
        job=job, first=dict(spoken(Message(body=first), language).body), language=language
    )
    line = WidgetChannel(widget, job, PushAllowance(_pulse(), time.monotonic), greeting=greeting)

    def receive(_widget: object, content: object, _buffers: object) -> None:
        runtime().call(line.receive(content))

    widget.on_msg(receive)
    runtime().call(line.begin())
    drawn: Mapping[str, object] = widget._repr_mimebundle_()[0]
    return {**drawn, "text/plain": ""}  # the bundle above has the text


def in_language(script: Path, language: str) -> Path:
    """Return the script of this view for a user who reads `language`."""
    return script.with_suffix(_IN_CHINESE) if language == "zh" else script


@cache
def _widget_class(name: str, script: Path) -> Any:  # Any: anywidget's classes are made at run time
    import anywidget  # late: the import is too slow for %load_ext
    import traitlets

    members = {
        "_esm": script.read_text(encoding="utf-8"),
        "_css": _STYLE.read_text(encoding="utf-8"),
        "job": traitlets.Unicode().tag(sync=True),
        "first": traitlets.Dict().tag(sync=True),
        "language": traitlets.Unicode("en").tag(sync=True),
    }
    return type(name, (anywidget.AnyWidget,), members)


@cache
def _pulse() -> KernelIdleTime:
    """Create the pulse of this kernel and register it for start and end of cells."""
    from IPython import get_ipython

    shell: Any = get_ipython()  # Any: IPython is untyped
    request = shell.kernel.get_parent() or {}
    pulse = KernelIdleTime(time.monotonic, is_busy=request.get("header", {}).get("msg_type") == "execute_request")
    shell.events.register("pre_execute", pulse.begin_cell)
    shell.events.register("post_execute", pulse.end_cell)
    return pulse


class WidgetChannel:
    """Connects one widget to its `Feed`. Runs on the runtime thread until the kernel ends."""

    def __init__(
        self,
        widget: Any,  # Any: as above
        shown: str,  # the id of a job or a run
        attention: PushAllowance,
        *,
        greeting: str = "hello",  # the request that mounts a view of it
    ) -> None:
        self._widget = widget
        self._own = {"id": 0, "job": shown, "view": _EVERY_VIEW}
        self._greeting = greeting
        self._attention = attention
        self._first_message, self._word = asyncio.Event(), asyncio.Event()
        self._feed = Feed(
            self._send, more={"board": board_handler(locate(os.environ))}, language=environment_language()
        )

    async def begin(self) -> None:
        """Send a snapshot unasked, repeatedly, until the front end sends a message.

        Messages sent before its view exists are lost, and a busy kernel does not read its requests.
        """
        pause = FIRST_PAUSE
        while not (self._first_message.is_set() or self._attention.is_lost):
            await self._feed.receive({**self._own, "kind": self._greeting})
            await _wait(self._first_message, pause)
            pause = min(2 * pause, MAX_PAUSE)
        await self._first_message.wait()
        await self._feed.receive({**self._own, "kind": "bye"})

    async def receive(self, content: object) -> None:
        """Handle a message of the front end: a request or a heartbeat."""
        self._attention.hear()
        self._first_message.set()
        self._word.set()
        await self._feed.receive(content)

    async def _send(self, message: Message) -> None:
        body = sendable(message.body)
        if "seq" in body:
            await self._wait_for_slot()
            self._attention.push(len(encode(body)) + sum(map(len, message.buffers)))
        if body.get("view") == _EVERY_VIEW:
            del body["view"]  # without it, every view of the widget accepts the message
        self._widget.send(body, buffers=list(message.buffers))

    async def _wait_for_slot(self) -> None:
        """Wait until the next push may be sent."""
        while (rest := self._attention.rest()) > 0:
            self._word.clear()
            await _wait(self._word, rest)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds if math.isfinite(seconds) else None):
            await event.wait()
