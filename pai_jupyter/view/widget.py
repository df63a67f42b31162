"""The live view over a comm, for front ends whose server is none of ours: VS Code, Colab, a JupyterLab without pai_jupyter.

The same view and the same wire format as over the server's socket (package `wire`); only the way is another. What is sent
goes out from the runtime thread, so the log runs on while a cell blocks; what is asked comes in on the kernel's own
thread, and so waits for the cell that runs, which the view says. Where nobody looks any more nothing is pushed
(attention.py).

It needs the extra `widget`. anywidget brings an extension of JupyterLab, which runs the script (`_esm`) that is saved in a
notebook's widget state as soon as the notebook is opened, trusted or not: so nobody gets it who can do without.
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
from pai_jupyter.view.attention import Attention, Pulse
from pai_jupyter.view.words import environment_language
from pai_jupyter.wire import Feed, Message, snapshot
from pai_jupyter.wire.protocol.language import spoken
from pai_jupyter.wire.protocol.messages import encode, sendable
from pai_jupyter.wire.tabs.board import board_handler, locate

FIRST_PAUSE, MAX_PAUSE = 0.5, 10.0  # seconds
_EVERY_VIEW = "every view"
_STATIC = Path(__file__).parents[1] / "static"
_SCRIPT, _STYLE = _STATIC / "widget.js", _STATIC / "widget.css"


INSTALL = "%pip install 'pai_jupyter[widget]'"


def has_widget() -> bool:
    """Return whether a widget can be shown: anywidget is installed and the front end is built."""
    return has_anywidget() and _SCRIPT.is_file()


def has_anywidget() -> bool:
    return find_spec("anywidget") is not None


def check_widget() -> None:
    """Refuse what cannot be shown.

    Raises:
        SpecError: there can be no widget.
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
        SpecError: there can be none here.
    """
    check_widget()
    language = environment_language()
    widget = _widget_class()(
        job=job.id,
        first=dict(spoken(Message(body={"kind": "snapshot", "seq": 0, **snapshot(job, None)}), language).body),
        language=language,
    )
    _connect(widget, job.id)
    drawn: Mapping[str, object] = widget._repr_mimebundle_()[0]
    return {**drawn, "text/plain": ""}  # the bundle beside it has the text


@cache
def _widget_class() -> Any:  # Any: anywidget's classes are made at run time
    import anywidget  # late: it takes longer than %load_ext may
    import traitlets

    class JobWidget(anywidget.AnyWidget):
        _esm = _SCRIPT.read_text(encoding="utf-8")
        _css = _STYLE.read_text(encoding="utf-8")
        job = traitlets.Unicode().tag(sync=True)
        first = traitlets.Dict().tag(sync=True)
        language = traitlets.Unicode("en").tag(sync=True)

    return JobWidget


@cache
def _pulse() -> Pulse:
    """Create the pulse of this kernel and register it for the beginning and end of cells."""
    from IPython import get_ipython

    shell: Any = get_ipython()  # Any: IPython is untyped
    request = shell.kernel.get_parent() or {}
    pulse = Pulse(time.monotonic, is_busy=request.get("header", {}).get("msg_type") == "execute_request")
    shell.events.register("pre_execute", pulse.begin_cell)
    shell.events.register("post_execute", pulse.end_cell)
    return pulse


class WidgetChannel:
    """The wire of one widget. Belongs to the runtime thread, as long as the kernel lives."""

    def __init__(self, widget: Any, job_id: str, attention: Attention) -> None:  # Any: as above
        self._widget = widget
        self._own = {"id": 0, "job": job_id, "view": _EVERY_VIEW}
        self._attention = attention
        self._first_word, self._word = asyncio.Event(), asyncio.Event()
        self._feed = Feed(
            self._send, more={"board": board_handler(locate(os.environ))}, language=environment_language()
        )

    async def begin(self) -> None:
        """Begin without being asked, again and again until the front end speaks.

        What is sent before it has made its view is lost, and in a kernel that is busy nobody hears it ask.
        """
        pause = FIRST_PAUSE
        while not (self._first_word.is_set() or self._attention.is_lost):
            await self._feed.receive({**self._own, "kind": "hello"})
            await _wait(self._first_word, pause)
            pause = min(2 * pause, MAX_PAUSE)
        await self._first_word.wait()
        await self._feed.receive({**self._own, "kind": "bye"})

    async def receive(self, content: object) -> None:
        """Take a word of the front end: a request, or only a sign that it is there."""
        self._attention.hear()
        self._first_word.set()
        self._word.set()
        await self._feed.receive(content)

    async def _send(self, message: Message) -> None:
        body = sendable(message.body)
        if "seq" in body:
            await self._turn()
            self._attention.push(len(encode(body)) + sum(map(len, message.buffers)))
        if body.get("view") == _EVERY_VIEW:
            del body["view"]  # so every view of the widget takes it for its own
        self._widget.send(body, buffers=list(message.buffers))

    async def _turn(self) -> None:
        """Wait until a push may go; whatever happens meanwhile goes into the next one."""
        while (rest := self._attention.rest()) > 0:
            self._word.clear()
            await _wait(self._word, rest)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds if math.isfinite(seconds) else None):
            await event.wait()


def _connect(widget: Any, job_id: str) -> None:  # Any: as above
    """Answer the widget and push to it."""
    line = WidgetChannel(widget, job_id, Attention(_pulse(), time.monotonic))

    def receive(_widget: object, content: object, _buffers: object) -> None:
        runtime().call(line.receive(content))

    widget.on_msg(receive)
    runtime().call(line.begin())
