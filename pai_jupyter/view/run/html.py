"""Draw a run as static HTML for a saved notebook: no scripts, style sheets or external resources, at most 16 KB.

Rule 1: as for jobs, JupyterLab treats it as untrusted; so the picture of the first level is an image, and colours have fallbacks.
Rule 2: up to `MOST_PICTURED` steps the picture comes first, above that the table of steps.
Rule 3: if it is too large it is drawn with less detail; name, status and reason always fit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from pai_jupyter.runs.labels import every_step
from pai_jupyter.runs.picture import draw_level
from pai_jupyter.runs.state import RunStatus
from pai_jupyter.view.clean import clean
from pai_jupyter.view.facts import iso
from pai_jupyter.view.run.data import MAX_NAME, MAX_NOTES, RunData, RunFacts, TreeRow, run_facts
from pai_jupyter.view.run.svg import as_image, draw_svg
from pai_jupyter.view.run.text import tree_lines
from pai_jupyter.view.run.words import run_text

MAX_BYTES = 16_384
MOST_PICTURED = 60  # steps


@dataclass(frozen=True, kw_only=True)
class RunDetail:
    """How much of a run is drawn. `picture`: "", "brief" (names only) or "whole"; `is_plain`: the table as text, which is smaller."""

    rows: int
    picture: str = ""
    is_plain: bool = False
    has_values: bool = True
    notes: int = MAX_NOTES


DETAILS = (
    RunDetail(rows=200, picture="whole"),
    RunDetail(rows=200, picture="brief"),
    RunDetail(rows=200, picture="brief", is_plain=True),
    RunDetail(rows=MOST_PICTURED, picture="brief", is_plain=True, has_values=False),
    RunDetail(rows=200),
    RunDetail(rows=200, is_plain=True),
    RunDetail(rows=60, has_values=False, notes=2),
    RunDetail(rows=60, is_plain=True, has_values=False, notes=2),
    RunDetail(rows=10, is_plain=True, has_values=False, notes=2),
    RunDetail(rows=0, has_values=False, notes=2),
)

_MIXED = "color-mix(in srgb, {} 70%, currentcolor)"
_COLORS = {
    RunStatus.RUNNING: _MIXED.format("var(--jp-brand-color1, #1976d2)"),
    RunStatus.BLOCKED: _MIXED.format("var(--jp-warn-color1, #b25c00)"),
    RunStatus.SUCCEEDED: _MIXED.format("var(--jp-success-color1, #388e3c)"),
    RunStatus.FAILED: _MIXED.format("var(--jp-error-color1, #d32f2f)"),
    RunStatus.STOPPED: _MIXED.format("var(--jp-warn-color1, #b25c00)"),
}
_BORDER = "1px solid rgba(128, 128, 128, 0.4)"
_QUIET = "color:var(--jp-ui-font-color2, #757575)"
_PRE = "margin:6px 0;max-height:480px;overflow:auto;font-size:12px;line-height:1.35;background:transparent"
_LEFT = "text-align:left"  # on each cell, since JupyterLab has a rule for cells


def render_run_html(data: RunData) -> str:
    """Draw the run as HTML of at most `MAX_BYTES` bytes."""
    html, known = "", dict[int, RunFacts]()
    for detail in DETAILS:
        if detail.rows not in known:
            known[detail.rows] = run_facts(data, most=detail.rows)
        html = _draw(data, known[detail.rows], detail)
        if len(html.encode()) <= MAX_BYTES:
            break
    return html


def render_run_folded(data: RunData) -> str:
    """Draw the run folded to one line, for a cell that also shows it live."""
    known = run_facts(data, most=0)
    summary = escape(f"{known.word} {known.name} · {run_text('saved output', data.language)}")
    return f'<details><summary style="{_QUIET}">{summary}</summary>{render_run_html(data)}</details>'


def _draw(data: RunData, known: RunFacts, detail: RunDetail) -> str:
    picture, table = list(_picture(data, detail)), list(_table(data, known, detail))
    is_small = known.more == 0 and len(known.rows) <= MOST_PICTURED
    parts = [
        _header(data, known),
        *([f"<div><b>{escape(known.reason)}</b></div>"] if known.reason else []),
        *(f"<div>{run_text('note', data.language)}: {escape(note)}</div>" for note in known.notes[: detail.notes]),
        *_values(run_text("inputs", data.language), known.inputs, detail),
        *([*picture, *table] if is_small else [*table, *picture]),
        *_values(run_text("outputs", data.language), known.outputs, detail),
        _footer(data),
    ]
    style = f"border:{_BORDER};border-radius:4px;padding:8px 10px;font-size:13px;line-height:1.5"
    return f'<div class="pj-RunView" style="{style}">{"".join(parts)}</div>'


def _header(data: RunData, known: RunFacts) -> str:
    color = "inherit" if data.is_plan else _COLORS[data.state.status]
    parts = [
        f'<b style="color:{color}">{escape(known.word)}</b>',
        f"<b>{escape(known.name)}</b>",
        f"<span>{escape(known.counts)}</span>" if known.counts else "",
        f'<span style="font-variant-numeric:tabular-nums">{escape(known.elapsed)}</span>' if known.elapsed else "",
        escape(known.cost),
    ]
    return f"<div>{' &nbsp; '.join(part for part in parts if part)}</div>"


def _picture(data: RunData, detail: RunDetail) -> Iterator[str]:
    """Yield the picture of the first level, folded where the table comes first."""
    picture = draw_level("", data.state.steps) if detail.picture else None
    if picture is None:
        return
    image = as_image(draw_svg(data, picture, data.state.steps, is_brief=detail.picture == "brief"))
    title = run_text("Picture", data.language)
    drawn = f'<img src="{image}" alt="{title}" style="display:block;max-width:100%;margin:6px 0">'
    is_large = sum(1 for _ in every_step(data.state.steps)) > MOST_PICTURED
    yield f'<details><summary style="{_QUIET}">{title}</summary>{drawn}</details>' if is_large else drawn


def _table(data: RunData, known: RunFacts, detail: RunDetail) -> Iterator[str]:
    if not known.rows and not known.more:
        return
    if detail.is_plain:
        yield f'<pre tabindex="0" style="{_PRE}">{escape(chr(10).join(tree_lines(data, known, has_values=detail.has_values)))}</pre>'
        return
    words = ["Step", *([] if data.is_plan else ["Status", "Time"]), "Details"]
    titles = "".join(f'<th scope="col" style="{_LEFT}">{run_text(word, data.language)}</th>' for word in words)
    rows = "".join(_table_row(data, row, detail) for row in known.rows)
    yield f'<table style="margin:4px 0;border-spacing:12px 0"><tr>{titles}</tr>{rows}</table>'
    if known.more:
        yield f'<div style="{_QUIET}">… {run_text("{count} more", data.language).format(count=known.more)}</div>'


def _table_row(data: RunData, row: TreeRow, detail: RunDetail) -> str:
    said = " · ".join((*row.details, *(row.values if detail.has_values else ()))) or row.about
    cells = [*([] if data.is_plan else [row.word, row.time]), said]
    indent = f";padding-left:{16 * min(row.depth, 20)}px" if row.depth else ""
    name = f'<td style="{_LEFT}{indent}">{escape(row.name)}</td>'
    others = "".join(f'<td style="{_LEFT}">{escape(cell)}</td>' for cell in cells)
    return f"<tr>{name}{others}</tr>"


def _values(name: str, values: Sequence[str], detail: RunDetail) -> Iterator[str]:
    if values and detail.has_values:
        yield f"<div>{name}: {escape(', '.join(values))}</div>"


def _footer(data: RunData) -> str:
    if data.is_plan:
        return ""
    time = run_text("as of {time}", data.language).format(time=iso(data.now))
    live = f" · {run_text('live view here: {command}', data.language)}" if data.live_by else ""
    command = f"<code>{escape(data.live_by)}</code>"
    text = f"{escape(clean(data.state.id, home='', limit=MAX_NAME))} · {time}{live.format(command=command)}"
    return f'<div style="{_QUIET};font-size:11px">{text}</div>'
