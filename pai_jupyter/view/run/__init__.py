"""The output of a cell that shows a run of steps, as `view` for a job.

show      shows a run in a kernel or a terminal
display   one display, and when it is redrawn
bundle    text/html, text/plain and a small JSON for live renderers; plans that have not run
html svg text   the bundle's HTML, its picture and its plain text
data      the facts that all of them show, as clean text
words     texts and glyphs in English and Chinese
"""

from pai_jupyter.view.run.bundle import RUN_MIME, draw_plan, run_bundle
from pai_jupyter.view.run.data import RunData
from pai_jupyter.view.run.show import ShownRun, draw_run, show_run, show_while_waiting
from pai_jupyter.view.run.text import render_run_text

__all__ = [
    "RUN_MIME",
    "RunData",
    "ShownRun",
    "draw_plan",
    "draw_run",
    "render_run_text",
    "run_bundle",
    "show_run",
    "show_while_waiting",
]
