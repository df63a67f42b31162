"""The output of a cell: one MIME bundle per job, built from plain values, redrawn rarely, always in its own cell.

    show       shows a `Job` in a kernel or a terminal     (only it and widget know `Job`)
    display    one display, and when it is redrawn
    bundle     text/html, text/plain and a small JSON for live renderers
    html text  the bundle's HTML and plain text; chart and ansi are parts of them
    facts      the text that both show
    usage      what a job has used, in one line; flame: a recording as a picture
    clean      removes secrets and control characters from it
    words      texts in English and Chinese
    data       the input of all drawings
    frontend   detects the front end, and how it can show a job live
    line       one changing line, before there is a job to draw
    widget     the live view over a comm, below the bundle
    run        a run of steps, shown in the same ways; run_formatter: one that a cell returns
    attention  limits pushes to widgets that nobody looks at

A live renderer reads the job's id from the JSON and asks the Jupyter server for the rest.
"""

from pai_jupyter.view.bundle import JOB_MIME, bundle
from pai_jupyter.view.data import ViewData
from pai_jupyter.view.display import JobView
from pai_jupyter.view.frontend import FrontEnd, front_end, is_stable
from pai_jupyter.view.html import render_html
from pai_jupyter.view.line import StatusLine
from pai_jupyter.view.run_formatter import install_run_formatter
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
    "install_run_formatter",
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
