"""Draw a job as static HTML for a saved notebook: no scripts, style sheets or external resources, at most 16 KB.

Rule 1: JupyterLab treats it as untrusted and removes <style>, <svg>, ids, and inline styles with a CSS variable. Colours use
        the theme's variables with fallbacks; the text is legible without any. The chart is an image.
Rule 2: all text of the job passes `facts` (clean) and `escape`.
Rule 3: if it is too large it is drawn with less detail, fewer log lines first; name, state and cause always fit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from pai_jupyter.events import Status, strip_ansi
from pai_jupyter.view.ansi import ansi_to_html
from pai_jupyter.view.chart import chart
from pai_jupyter.view.clean import clean
from pai_jupyter.view.data import ViewData
from pai_jupyter.view.facts import MAX_NAME, MAX_TAIL, Facts, facts
from pai_jupyter.view.words import say

MAX_BYTES = 16_384


@dataclass(frozen=True, kw_only=True)
class Detail:
    """How much of a job is drawn."""

    log_lines: int
    rows: int
    has_chart: bool = True
    has_colors: bool = True


DETAILS = (
    Detail(log_lines=MAX_TAIL, rows=20),
    Detail(log_lines=MAX_TAIL, rows=20, has_colors=False),
    Detail(log_lines=15, rows=10, has_colors=False),
    Detail(log_lines=5, rows=5, has_chart=False, has_colors=False),
    Detail(log_lines=0, rows=2, has_chart=False, has_colors=False),
)

# Mixed with the text colour, so that they are legible on light and dark themes.
_MIXED = "color-mix(in srgb, {} 70%, currentcolor)"
_COLORS = {
    Status.RUNNING: _MIXED.format("var(--jp-brand-color1, #1976d2)"),
    Status.SUCCEEDED: _MIXED.format("var(--jp-success-color1, #388e3c)"),
    Status.FAILED: _MIXED.format("var(--jp-error-color1, #d32f2f)"),
    Status.STOPPED: _MIXED.format("var(--jp-warn-color1, #b25c00)"),
}
_OTHER_COLOR = "var(--jp-ui-font-color2, #757575)"
_BORDER = "1px solid rgba(128, 128, 128, 0.4)"
_QUIET = "color:var(--jp-ui-font-color2, #757575)"
_CELL = "padding:0 12px 0 0;text-align:left"
_PRE = (
    f"margin:6px 0 0;padding:6px;border:{_BORDER};max-height:320px;overflow:auto;white-space:pre-wrap;"
    "word-break:break-word;font-size:12px;line-height:1.35;font-family:var(--jp-code-font-family, monospace);"
    "background:var(--jp-layout-color1, transparent)"
)


def render_html(data: ViewData) -> str:
    """Draw the job as HTML of at most `MAX_BYTES` bytes."""
    known = facts(data)
    html = ""
    for detail in DETAILS:
        html = _draw(data, known, detail)
        if len(html.encode()) <= MAX_BYTES:
            break
    return html


def render_folded(data: ViewData) -> str:
    """Render the job collapsed to one line, for a cell that also shows it live."""
    known = facts(data)
    summary = escape(f"{known.state} {known.name} · {say('saved output', data.language)}")
    return f'<details><summary style="{_QUIET}">{summary}</summary>{render_html(data)}</details>'


def _draw(data: ViewData, known: Facts, detail: Detail) -> str:
    parts = [
        _header(data, known),
        *_failure(data, known),
        *([_line(escape(" ▸ ".join(known.phases)), _QUIET)] if known.phases else []),
        *_replicas(data, known, detail),
        *_progress(known),
        *(_line(f"{say('note', data.language)}: {escape(note)}") for note in known.notes[: detail.rows]),
        *([_line(f"{say('note on the job', data.language)}: {escape(known.remark)}")] if known.remark else []),
        *_values(data, known, detail),
        *_metrics(data, known, detail),
        *([_line(f"{say('used', data.language)}: {escape(known.usage)}", _QUIET)] if known.usage else []),
        *(_chart(data, known) if detail.has_chart else ()),
        *_log(data, known, detail),
        _footer(data, known),
    ]
    style = f"border:{_BORDER};border-radius:4px;padding:8px 10px;font-size:13px;line-height:1.5"
    return f'<div class="pj-JobView" style="{style}">{"".join(parts)}</div>'


def _header(data: ViewData, known: Facts) -> str:
    color = _COLORS.get(data.state.status, _OTHER_COLOR)
    parts = [
        f'<b style="color:{color}">{escape(known.state)}</b>',
        f"<b>{escape(known.name)}</b>",
        f"<span{_tooltip(known.reason)}>{escape(known.place)}</span>",
        f'<span style="font-variant-numeric:tabular-nums">{escape(known.elapsed)}</span>' if known.elapsed else "",
        escape(known.cost),
    ]
    return f"<div>{' &nbsp; '.join(part for part in parts if part)}</div>"


def _tooltip(text: str) -> str:
    return f' title="{escape(text)}"' if text else ""


def _failure(data: ViewData, known: Facts) -> Iterator[str]:
    if known.cause:
        color = _COLORS.get(data.state.status, _OTHER_COLOR)
        yield _line(f"<b>{escape(known.cause)}</b>", f"color:{color}")
    if known.hint:
        yield _line(f"{say('hint', data.language)}: {escape(known.hint)}")


def _replicas(data: ViewData, known: Facts, detail: Detail) -> Iterator[str]:
    if known.replicas:
        more = ", …" if len(known.replicas) > detail.rows else ""
        yield _line(f"{say('replicas', data.language)}: {escape(', '.join(known.replicas[: detail.rows]))}{more}")


def _progress(known: Facts) -> Iterator[str]:
    if known.fraction is not None:
        bar = f'<progress value="{known.fraction:.4f}" max="1" style="width:200px;vertical-align:middle"></progress>'
        yield _line(f"{bar} {escape(known.progress)}")


def _values(data: ViewData, known: Facts, detail: Detail) -> Iterator[str]:
    if known.values:
        shown = [f"{escape(name)}=<code>{escape(value)}</code>" for name, value in known.values[: detail.rows]]
        more = " …" if len(known.values) > detail.rows else ""
        yield _line(f"{say('values', data.language)}: {', '.join(shown)}{more}")


def _metrics(data: ViewData, known: Facts, detail: Detail) -> Iterator[str]:
    if not known.metrics:
        return
    titles = "".join(
        f'<th scope="col" style="{_CELL}">{say(word, data.language)}</th>' for word in ("metric", "last", "min", "max")
    )
    rows = "".join(
        "<tr>"
        + "".join(f'<td style="{_CELL}">{escape(t)}</td>' for t in (row.name, row.last, row.minimum, row.maximum))
        + "</tr>"
        for row in known.metrics[: detail.rows]
    )
    yield f'<table style="margin:4px 0;border-collapse:collapse"><tr>{titles}</tr>{rows}</table>'


def _chart(data: ViewData, known: Facts) -> Iterator[str]:
    names = {clean(name, home=data.home, limit=MAX_NAME): points for name, points in data.series.items()}
    if picture := chart(names):
        last = escape(", ".join(f"{row.name} {row.last}" for row in known.metrics[:4]))
        yield f'<img src="{picture}" alt="{last}" style="display:block;max-width:100%">'


def _log(data: ViewData, known: Facts, detail: Detail) -> Iterator[str]:
    if not known.tail or not detail.log_lines:
        return
    shown = known.tail[-detail.log_lines :]
    title = say("last {shown} of {all} lines", data.language).format(shown=len(shown), all=f"{known.lines:,}")
    lines = (ansi_to_html(line) if detail.has_colors else escape(strip_ansi(line)) for line in shown)
    yield _line(title, _QUIET) + f'<pre tabindex="0" style="{_PRE}">{"&#10;".join(lines)}</pre>'


def _footer(data: ViewData, known: Facts) -> str:
    time = say("as of {time}", data.language).format(time=known.at)
    live = f" · {say('live view here: {command}', data.language)}" if data.live_by else ""
    command = f"<code>{escape(data.live_by)}</code>"
    return _line(f"{escape(data.job_id[:MAX_NAME])} · {time}{live.format(command=command)}", f"{_QUIET};font-size:11px")


def _line(html: str, style: str = "") -> str:
    return f'<div style="{style}">{html}</div>' if style else f"<div>{html}</div>"
