"""The live view over a comm, for front ends whose server is none of ours: VS Code, Colab, a JupyterLab without pai_jupyter.

The same view and the same wire format as over the server's socket (room `wire`); only the way is another. What is sent
goes out from the runtime thread, so the log runs on while a cell blocks; what is asked comes in on the kernel's own
thread, and so waits for the cell that runs, which the view says.
"""

import asyncio
import os
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import Any

from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import Job, runtime
from pai_jupyter.view.words import environment_language
from pai_jupyter.wire import Feed, Message, snapshot
from pai_jupyter.wire.board import board_handler, locate

FIRST_PAUSE, MAX_PAUSE = 0.5, 10.0  # seconds
_EVERY_VIEW = "every view"
_STATIC = Path(__file__).parents[1] / "static"
_SCRIPT, _STYLE = _STATIC / "widget.js", _STATIC / "widget.css"


def has_widget() -> bool:
    """Whether this installation can show one: anywidget is there, and the front end is built."""
    return find_spec("anywidget") is not None and _SCRIPT.is_file()


def check_widget() -> None:
    """Refuse what cannot be shown.

    Raises:
        SpecError: there can be no widget.
    """
    if not has_widget():
        raise SpecError(
            "jobs cannot be shown as a widget here: anywidget is missing, or this installation was made from sources "
            "without its front end. Type: %pip install anywidget",
            field="PAI_JUPYTER_RENDER",
        )


def widget_bundle(job: Job) -> Mapping[str, object]:
    """A new live view of `job`, as a MIME bundle to be displayed.

    Raises:
        SpecError: there can be none here.
    """
    check_widget()
    widget = _widget_class()(
        job=job.id,
        first={"kind": "snapshot", "seq": 0, **snapshot(job, None)},
        language=environment_language(),
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


def _connect(widget: Any, job_id: str) -> None:  # Any: as above
    """Answer the widget and push to it, on the runtime thread, as long as the kernel lives."""
    heard = Event()
    own = {"id": 0, "job": job_id, "view": _EVERY_VIEW}

    async def send(message: Message) -> None:
        body = dict(message.body)
        if body.get("view") == _EVERY_VIEW:
            del body["view"]  # so every view of the widget takes it for its own
        widget.send(body, buffers=list(message.buffers))

    feed = Feed(send, more={"board": board_handler(locate(os.environ))})

    async def begin() -> None:
        """Begin without being asked, again and again until the front end speaks.

        What is sent before it has made its view is lost, and in a kernel that is busy nobody hears it ask.
        """
        pause = FIRST_PAUSE
        while not heard.is_set():
            await feed.receive({**own, "kind": "hello"})
            await asyncio.sleep(pause)
            pause = min(2 * pause, MAX_PAUSE)
        await feed.receive({**own, "kind": "bye"})

    def receive(_widget: object, content: object, _buffers: object) -> None:
        heard.set()
        runtime().call(feed.receive(content))

    widget.on_msg(receive)
    runtime().call(begin())
