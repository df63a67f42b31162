"""The output of a cell: one MIME bundle per job, drawn from plain values, updated seldom and never from a wrong cell.

    show       a `Job` in the way of this process: kernel or terminal     (the only module here that knows `jobs`)
    display    one display, its updates and their pace
    bundle     text/html, text/plain and a small JSON for live renderers
    html text  the drawings; chart and ansi are parts of them
    facts      what they say, in words fit to be saved (clean), in two languages (words)
    data       what all is made from
    frontend   who looks at it, if anybody, and by which way a job is seen live
    line       one line that changes, while there is no job to draw yet
    widget     the live view over a comm, below the bundle; attention says to whom something is pushed

A live renderer takes the job's id out of the JSON and asks the Jupyter server for the rest.
"""

from pai_jupyter.view.bundle import JOB_MIME, bundle
from pai_jupyter.view.data import ViewData
from pai_jupyter.view.display import JobView
from pai_jupyter.view.frontend import FrontEnd, front_end, is_stable
from pai_jupyter.view.html import render_html
from pai_jupyter.view.line import StatusLine
from pai_jupyter.view.show import (
    check_live,
    draw_job,
    install_view,
    presenter_of,
    replaceable,
    show_job,
    show_live,
    view_data,
)
from pai_jupyter.view.text import render_text
from pai_jupyter.view.words import age, environment_language, in_language, said, state_word

__all__ = [
    "FrontEnd",
    "JOB_MIME",
    "JobView",
    "StatusLine",
    "ViewData",
    "age",
    "check_live",
    "environment_language",
    "bundle",
    "draw_job",
    "front_end",
    "in_language",
    "install_view",
    "is_stable",
    "presenter_of",
    "render_html",
    "render_text",
    "replaceable",
    "show_job",
    "show_live",
    "said",
    "state_word",
    "view_data",
]
