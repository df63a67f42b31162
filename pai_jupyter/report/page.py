"""The report as one HTML file: no script, no style sheet or picture from elsewhere, light or dark as the reader's system is. Pure."""

from collections.abc import Callable, Iterable, Sequence
from html import escape

from pai_jupyter.report.contents import Report, ReportedJob
from pai_jupyter.report.curves import color, curves_svg, dashes
from pai_jupyter.view.facts import MetricRow
from pai_jupyter.view.html import render_html

Say = Callable[[str], str]

_STYLE = """
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }
@media (prefers-color-scheme: dark) {
  :root { --jp-brand-color1: #64b5f6; --jp-success-color1: #81c784; --jp-error-color1: #ef9a9a; --jp-warn-color1: #ffb74d;
    --jp-ui-font-color2: #bdbdbd; }
}
body { max-width: 1200px; margin: 0 auto; padding: 16px 24px 48px; }
h2 { margin: 28px 0 8px; font-size: 18px; }
h3 { margin: 20px 0 6px; font-size: 15px; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 14px 3px 0; border-bottom: 1px solid rgba(128, 128, 128, .3); text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; }
tr.differs > * { font-weight: 600; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(420px, 100%), 1fr)); gap: 12px 20px; }
.charts figure { margin: 0; }
.charts svg { max-width: 100%; height: auto; }
figcaption { font-weight: 600; overflow-wrap: anywhere; }
.quiet { opacity: .75; }
.note { white-space: pre-wrap; overflow-wrap: anywhere; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def report_page(report: Report, say: Say, language: str) -> str:
    """Return the HTML of a report; `say` translates, `language` is that of its words, as a tag of HTML."""
    parts = [
        f"<h1>{escape(report.title)}</h1>",
        f'<p class="quiet">{escape(say(f"jobs: {len(report.jobs)}"))} · {escape(report.at)}</p>',
        *(f"<p>{escape(say(sentence))}</p>" for sentence in report.unread),
        *overview(report, say),
        *charts(report, say),
        f"<h2>{escape(say('Jobs'))}</h2>",
        *(part for place, job in enumerate(report.jobs) for part in _job(job, place, say)),
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(parts)
        + "\n</main>\n</body>\n</html>\n"
    )


def overview(report: Report, say: Say) -> list[str]:
    """Return tables of the jobs: how they stand, their values, their last metrics."""
    heads = [f"{_swatch(place)} {escape(job.label)}" for place, job in enumerate(report.jobs)]
    told = [dict(job.facts.values) for job in report.jobs]
    values = [[name, *(values.get(name, "–") for values in told)] for name in report.value_names]
    rows = [{row.name: row for row in job.facts.metrics} for job in report.jobs]
    metrics = [[name, *(_metric(metrics.get(name), say) for metrics in rows)] for name in report.metric_names]
    return [
        *_section(say("Overview"), heads, _standing(report, say)),
        *_section(say("Hyperparameters"), heads, values, has_differences=True),
        *_section(say("Final metrics"), heads, metrics),
    ]


def _standing(report: Report, say: Say) -> list[list[str]]:
    rows = [
        [say("state"), *(job.facts.state for job in report.jobs)],
        [say("run on"), *(job.facts.place for job in report.jobs)],
        [say("time"), *(job.facts.elapsed or "–" for job in report.jobs)],
        [say("cost"), *(job.facts.cost for job in report.jobs)],
        [say("tags"), *(", ".join(job.tags) for job in report.jobs)],
        [say("code"), *(job.facts.code for job in report.jobs)],
        [say("id"), *(job.view.job_id for job in report.jobs)],
    ]
    return [row for row in rows if any(row[1:])]


def _metric(row: MetricRow | None, say: Say) -> str:
    if row is None:
        return "–"
    return f"{row.last} ({say('min')} {row.minimum}, {say('max')} {row.maximum})"


def _section(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], *, has_differences: bool = False
) -> list[str]:
    """Return a heading and a table with a column for each job; nothing without rows. `heads` are HTML."""
    if not rows:
        return []
    head = "<td></td>" + "".join(f'<th scope="col">{each}</th>' for each in heads)
    body = "".join(
        f'<tr{_class(row) if has_differences else ""}><th scope="row">{escape(row[0])}</th>{_cells(row[1:])}</tr>'
        for row in rows
    )
    label = escape(title)
    return [
        f"<h2>{label}</h2>",
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>",
    ]


def _class(row: Sequence[str]) -> str:
    return ' class="differs"' if len({*row[1:]}) > 1 else ""


def _cells(texts: Iterable[str]) -> str:
    return "".join(f"<td>{escape(text)}</td>" for text in texts)


def _swatch(place: int) -> str:
    return (
        '<svg width="22" height="8" aria-hidden="true"><line x1="0" x2="22" y1="4" y2="4" stroke-width="3" '
        f'stroke="{color(place)}" stroke-dasharray="{dashes(place)}"/></svg>'
    )


def charts(report: Report, say: Say) -> list[str]:
    """Return a heading and a chart for each metric that has a course; nothing if none has."""
    labels = [job.label for job in report.jobs]
    drawn = []
    for name in report.curve_names:
        curves = {place: job.curves[name] for place, job in enumerate(report.jobs) if name in job.curves}
        if svg := curves_svg(name, curves, labels):
            drawn.append(f"<figure><figcaption>{escape(name)}</figcaption>{svg}</figure>")
    said = [f"<p>{escape(text)}</p>" for text in remarks(report, say)]
    if not drawn:
        return said
    return [f"<h2>{escape(say('Metrics'))}</h2>", *said, f'<div class="charts">{"".join(drawn)}</div>']


def remarks(report: Report, say: Say) -> list[str]:
    """Return what must be known of the charts: whose curves are missing, and why; how many metrics have no chart."""
    problems = [f"{job.facts.name}: {job.problem}" for job in report.jobs if job.problem]
    left_out = [say(f"{report.left_out} more metrics have no chart here.")] if report.left_out else []
    return [*problems, *left_out]


def _job(job: ReportedJob, place: int, say: Say) -> list[str]:
    note = f'<p class="note">{escape(job.note)}</p>' if job.note else ""
    return [f"<h3>{_swatch(place)} {escape(job.label)}</h3>", note, render_html(job.view)]
