"""The output of a cell: one MIME bundle with the same facts for every kind of front end.

    application/vnd.pai-jupyter.job.v1+json   <= 2 KB, for a live renderer, which asks for the job by its id
    text/html                                 static, for front ends that show HTML
    text/plain                                for all others, and for tests

A saved bundle may be old, so it has its time, `at`. It has no secrets, no home directory and only the tail of the log.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pai_jupyter.events import number_to_json
from pai_jupyter.view.clean import clean
from pai_jupyter.view.data import ViewData
from pai_jupyter.view.facts import MAX_LINE, Facts, facts, iso
from pai_jupyter.view.frontend import Render, environment_render
from pai_jupyter.view.html import render_folded, render_html
from pai_jupyter.view.text import render_text

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.job import SavedJob

JOB_MIME = "application/vnd.pai-jupyter.job.v1+json"
MAX_JSON = 2_048  # bytes


def bundle(data: ViewData, *, stable: bool = False, render: Render | None = None) -> dict[str, object]:
    """Return the job as MIME type -> content; only text if `stable` or plain. `render` None reads the environment."""
    text = {"text/plain": render_text(data, stable=stable)}
    render = "plain" if stable else render or environment_render()
    if render == "plain":
        return {**text}
    if render == "widget":  # the live view is below; the JSON would make a second one
        return {"text/html": render_folded(data), **text}
    if render == "html":
        return {"text/html": render_html(data), **text}
    return {JOB_MIME: job_json(data), "text/html": render_html(data), **text}


def job_json(data: ViewData) -> "SavedJob":
    """Return the job as small JSON; `is_cut` is true if values or metrics did not fit."""
    known = facts(data)
    values, metrics = dict[str, str](), dict[str, float | str]()
    whole: SavedJob = {
        "schema": 1,
        "id": data.job_id,
        "name": known.name,
        "state": str(data.state.status),
        "place": _place(data)[:200],
        "at": known.at,
        "times": {name: iso(time) for name, time in data.state.entered.items()},
        "values": values,
        "metrics": metrics,
        "is_cut": False,
    }
    room = MAX_JSON - _size(whole)
    for field, name, value in _details(data, known):
        room -= _size({name: value})
        if room < 0:
            whole["is_cut"] = True
            break
        if field == "metrics":
            metrics[name] = value
        else:
            values[name] = str(value)
    return whole


def _place(data: ViewData) -> str:
    """Format the backend and machine in English; the renderer translates them."""
    return clean(f"{data.place} · {data.machines_text}", home=data.home, limit=MAX_LINE)


def _size(value: object) -> int:
    """Return the size of `value` in a notebook (UTF-8), in bytes."""
    return len(json.dumps(value, ensure_ascii=False).encode())


def _details(data: ViewData, known: Facts) -> Iterator[tuple[str, str, float | str]]:
    """Yield the optional details as field, name and value, the most important first."""
    for row, metric in zip(known.metrics, data.state.metrics.values(), strict=False):
        yield "metrics", row.name, number_to_json(metric.value)
    for name, value in known.values:
        yield "values", name, value
