"""Detect the front end: a user or a program, and how a job can be shown live.

Jobs are live through our server extension, if the kernel's server has it; else as a widget over a comm; else there is only
the static bundle. PAI_JUPYTER_RENDER overrides this.

`jupyter execute`, papermill (both nbclient) and nbval send cells with `allow_stdin` false; JupyterLab, Notebook and VS Code
send true. A program gets no form, and its cells wait for their jobs.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from pai_jupyter.config.marker import server_of_this_kernel
from pai_jupyter.errors import SpecError
from pai_jupyter.store import home

Render = Literal["auto", "server", "widget", "html", "plain"]
Live = Literal["server", "widget", "none"]


@dataclass(frozen=True, kw_only=True)
class FrontEnd:
    """The front end of the running cell.

    `is_attended`: a user sees updates and can answer. `render`: PAI_JUPYTER_RENDER. `live`: how a job is shown live;
    `live_by`: what to type to get a live view, if only a package is missing.
    """

    is_attended: bool
    render: Render = "auto"
    live: Live = "none"
    live_by: str = ""

    @property
    def shows_form(self) -> bool:
        return self.is_attended and self.render != "plain"


def front_end() -> FrontEnd:
    """Detect the front end that shows the running cell."""
    # Looked up, not imported: without IPython there is no kernel, and the import takes longer than starting a job.
    ipython = sys.modules.get("IPython")
    return detect(ipython.get_ipython() if ipython else None, os.environ)


def detect(shell: Any, environ: Mapping[str, str]) -> FrontEnd:  # Any: IPython's shell, untyped
    """Detect the front end that shows the cell that `shell` runs.

    Raises:
        SpecError: PAI_JUPYTER_RENDER has an unknown value, or asks for a widget and none can be shown.
    """
    kernel = getattr(shell, "kernel", None)
    has_comm = getattr(kernel, "comm_manager", None) is not None
    is_ci = environ.get("CI", "").lower() not in ("", "0", "false")
    render = choose_render(environ)
    if not (has_comm and not is_ci and _is_interactive(kernel)):
        return FrontEnd(is_attended=False, render=render)
    live = _choose_live(render, environ)
    return FrontEnd(is_attended=True, render=render, live=live, live_by=_missing_package(render, live))


def choose_render(environ: Mapping[str, str]) -> Render:
    """Read PAI_JUPYTER_RENDER: how jobs are shown.

    Raises:
        SpecError: it has an unknown value.
    """
    wanted = environ.get("PAI_JUPYTER_RENDER") or "auto"
    for render in get_args(Render):
        if wanted == render:
            chosen: Render = render
            return chosen
    raise SpecError(
        f"PAI_JUPYTER_RENDER is {wanted!r}; it must be one of {', '.join(get_args(Render))}.",
        field="PAI_JUPYTER_RENDER",
    )


def environment_render() -> Render:
    return choose_render(os.environ)


def is_stable(environ: Mapping[str, str] | None = None) -> bool:
    """Return whether outputs must be reproducible (PAI_JUPYTER_STABLE=1), for notebook tests."""
    return (os.environ if environ is None else environ).get("PAI_JUPYTER_STABLE", "") not in ("", "0")


def _choose_live(render: Render, environ: Mapping[str, str]) -> Live:
    from pai_jupyter.view.widget import check_widget, has_widget  # late: %load_ext must stay light

    if render == "widget":
        check_widget()
    if render in ("server", "widget"):
        return render
    if render != "auto":
        return "none"
    if _server_shows_jobs(environ):
        return "server"
    return "widget" if has_widget() else "none"


def _missing_package(render: Render, live: Live) -> str:
    """Return the command that installs the missing widget package; "" if that would not help."""
    from pai_jupyter.view.widget import INSTALL, has_anywidget  # late: as above

    return INSTALL if (render, live) == ("auto", "none") and not has_anywidget() else ""


def _server_shows_jobs(environ: Mapping[str, str]) -> bool:
    """Return whether the kernel's Jupyter server has our extension and uses the same data directory as this kernel."""
    server = server_of_this_kernel(environ)
    return server is not None and server.home == str(home())


def _is_interactive(kernel: Any) -> bool:  # Any: ipykernel's kernel, untyped
    """Return whether the current request comes from a user, not from a program."""
    request = kernel.get_parent() or {}
    if request.get("header", {}).get("msg_type", "execute_request") != "execute_request":
        return True  # a widget's message: a user has pressed a button
    return bool(request.get("content", {}).get("allow_stdin", False))
