"""The output of a cell that shows a run: one MIME bundle, as for jobs (`view.bundle`).

application/vnd.pai-jupyter.run.v1+json   <= 2 KB, for a live renderer, which asks for the run by its id
text/html                                 static, for front ends that show HTML
text/plain                                <= 32 KB, for all others, and for tests
"""

import time
from typing import TYPE_CHECKING

from pai_jupyter.runs.labels import count_jobs
from pai_jupyter.runs.picture import plan_state
from pai_jupyter.runs.plan import Plan
from pai_jupyter.view.clean import clean
from pai_jupyter.view.facts import iso
from pai_jupyter.view.frontend import Render, environment_render, is_stable
from pai_jupyter.view.run.data import MAX_NAME, RunData
from pai_jupyter.view.run.html import render_run_folded, render_run_html
from pai_jupyter.view.run.text import ROWS, render_run_text

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.run import SavedRun

RUN_MIME = "application/vnd.pai-jupyter.run.v1+json"
MAX_JSON = 2_048  # bytes
MAX_TEXT = 32_768  # bytes


def run_bundle(data: RunData, *, stable: bool = False, render: Render | None = None) -> dict[str, object]:
    """Return the run as MIME type -> content; only text if `stable` or plain. `render` None reads the environment."""
    text = {"text/plain": _text(data, stable=stable)}
    render = "plain" if stable else render or environment_render()
    if render == "plain":
        return {**text}
    if render == "widget" and not data.is_plan:  # the live view is below; the JSON would make a second one
        return {"text/html": render_run_folded(data), **text}
    if render == "html" or data.is_plan:
        return {"text/html": render_run_html(data), **text}
    return {RUN_MIME: run_json(data), "text/html": render_run_html(data), **text}


def _text(data: RunData, *, stable: bool) -> str:
    """Return the run as text of at most `MAX_TEXT` bytes: of a larger one fewer steps."""
    texts = (render_run_text(data, stable=stable, rows=rows) for rows in (ROWS, 60, 10, 0))
    return next((text for text in texts if len(text.encode()) <= MAX_TEXT), "")


def run_json(data: RunData) -> "SavedRun":
    """Return the run as JSON of at most `MAX_JSON` bytes."""
    state = data.state
    saved: SavedRun = {
        "schema": 1,
        "id": clean(state.id, home="", limit=MAX_NAME),
        "name": clean(state.name, home=data.home, limit=MAX_NAME),
        "status": state.status.value,
        "at": iso(data.now),
        "created": iso(state.created),
        "ended": iso(state.ended) if state.ended is not None else "",
        "counts": {status.value: count for status, count in count_jobs(state.steps).items()},
        "is_here": data.is_here,
        "is_plan": data.is_plan,
    }
    return saved


def draw_plan(plan: Plan) -> dict[str, object]:
    """Return the MIME bundle of a plan that has not run: its picture and its steps.

    Raises:
        SpecError: the plan is wrong.
    """
    return run_bundle(RunData(state=plan_state(plan), now=time.time(), is_plan=True), stable=is_stable())
