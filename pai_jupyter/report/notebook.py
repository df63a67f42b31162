"""The report as a notebook: what the page has, as saved output of cells that show the jobs again where they are. Pure."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape

from pai_jupyter.report.contents import Report, ReportedJob
from pai_jupyter.report.curves import curves_svg
from pai_jupyter.report.page import Say, overview, remarks
from pai_jupyter.spec import Json
from pai_jupyter.view import bundle

_METADATA: Mapping[str, Json] = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def report_notebook(report: Report, say: Say) -> str:
    """Return the notebook as JSON (nbformat 4.5)."""
    ids = ",".join(job.view.job_id for job in report.jobs)
    count, unread = say(f"jobs: {len(report.jobs)}"), [_plain(say(sentence)) for sentence in report.unread]
    cells = [
        _markdown("title", "\n\n".join([f"# {_plain(report.title)}", f"{count} · {report.at}", *unread])),
        _code("load", "%load_ext pai_jupyter"),
        _code("jobs", f'import pai_jupyter\n\npai_jupyter.runs("id:{ids}")', _html("".join(overview(report, say)))),
        *_charts(report, say),
        *(cell for place, job in enumerate(report.jobs) for cell in _job(job, place)),
    ]
    return json.dumps({"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def _job(job: ReportedJob, place: int) -> list[dict[str, Json]]:
    """Return a cell that shows the job again, under what its user has noted of it."""
    note = "\n".join(f"{_plain(line)}  " for line in job.note.splitlines())
    noted = [_markdown(f"note-{place}", f"**{_plain(job.label)}**\n\n{note}")] if note else []
    return [*noted, _code(f"job-{place}", f"%pai_attach {job.view.job_id}", {**bundle(job.view, render="html")})]


def _charts(report: Report, say: Say) -> list[dict[str, Json]]:
    """Return a cell with the charts as pictures; none without a chart."""
    labels = [job.label for job in report.jobs]
    pictures = []
    for name in report.curve_names:
        curves = {place: job.curves[name] for place, job in enumerate(report.jobs) if name in job.curves}
        if svg := curves_svg(name, curves, labels):
            pictures.append(f"<p><b>{escape(name)}</b><br>{_picture(svg, name)}</p>")
    told = [*map(_plain, remarks(report, say)), *pictures]
    return [_markdown("charts", f"## {say('Metrics')}\n\n" + "\n\n".join(told))] if told else []


def _picture(svg: str, name: str) -> str:
    """Return an <img>: JupyterLab removes <svg> from notebooks that are not trusted. In an image there is no current colour."""
    grey = svg.replace("currentColor", "#808080")
    return f'<img src="data:image/svg+xml;base64,{b64encode(grey.encode()).decode()}" alt="{escape(name)}">'


def _markdown(name: str, text: str) -> dict[str, Json]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}


def _code(name: str, source: str, output: Mapping[str, object] | None = None) -> dict[str, Json]:
    outputs: Sequence[Json] = [
        {"output_type": "display_data", "metadata": {}, "data": {kind: str(text) for kind, text in output.items()}}
        for output in ([output] if output else [])
    ]
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name,
        "metadata": {},
        "outputs": [*outputs],
        "source": source,
    }


def _html(text: str) -> Mapping[str, object]:
    return {"text/html": text, "text/plain": ""}


def _plain(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return "".join(f"\\{letter}" if letter in r"\`*_{}[]()#+-.!|<>~$&" else letter for letter in text)
