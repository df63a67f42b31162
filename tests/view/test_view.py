"""The output of a cell: what it says, what it must never hold, how large it is."""

import json
import math
from base64 import b64decode
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from pai_jupyter.events import (
    JobState,
    Metric,
    Notice,
    Progress,
    ReplicaChanged,
    Status,
    StatusChanged,
)
from pai_jupyter.view import JOB_MIME, bundle, render_html, render_text
from pai_jupyter.view.ansi import ansi_to_html
from pai_jupyter.view.bundle import MAX_JSON, job_json
from pai_jupyter.view.chart import POINTS, chart, thin
from pai_jupyter.view.html import MAX_BYTES
from pai_jupyter.wire.schema.job import SavedJob
from tests.support.declared import assert_declared
from tests.support.drawings import FAILED, START, Page, huge, running, view


def test_text_shows_the_job_from_state_to_log() -> None:
    state = running(
        Progress(done=1, total=50, unit="epoch", time=START + 50),
        Progress(done=31, total=50, unit="epoch", time=START + 150),
        Metric(name="loss", value=0.5, time=START),
        Metric(name="loss", value=0.25, time=START),
        Notice(text="the engine answers slowly", time=START),
    )
    data = view(state, values={"lr": 0.1}, max_run_time=7200, tail=["\x1b[31mlast\x1b[0m line"], notes=["as asked"])
    data = replace(data, remark="the best\n<b>so far</b>")
    assert render_text(data).splitlines() == [
        "● Running  iris  Local process · local ×1 (no image is given)  03:04 / max 2:00:00",
        "queued 8s ▸ preparing 42s ▸ running 2m22s",
        "▓▓▓▓▓▓▓▓▓▓▓▓░░░░░░░░ 62% · ETA 21s (epoch 31/50)",
        "note: as asked",
        "note: the engine answers slowly",
        "note on the job: the best <b>so far</b>",
        "values: lr=0.1",
        "metric  last  min   max",
        "loss    0.25  0.25  0.5",
        "│ last line",
    ]
    assert "<div>note on the job: the best &lt;b&gt;so far&lt;/b&gt;</div>" in render_html(data)


REPLICAS = [
    ReplicaChanged(replica="worker-1", status=Status.RUNNING, time=START, attempt=1),
    ReplicaChanged(replica="master-0", status=Status.FAILED, time=START + 9, exit_code=1),
    ReplicaChanged(replica="worker-0", status=Status.FAILED, time=START + 5, exit_code=3, attempt=2),
    ReplicaChanged(replica="<b>ps", status=Status.SUCCEEDED, time=START, exit_code=0),
]


def test_replicas_stand_with_the_first_to_fail_before_the_others() -> None:
    data = view(running(*REPLICAS), instance_count=4)
    row = (
        "replicas: worker-0 ✗ Failed (exit code 3, started again 2 times), master-0 ✗ Failed (exit code 1), "
        "worker-1 ● Running (started again once), <b>ps ✓ Succeeded"
    )
    assert row in render_text(data).splitlines()
    assert row in Page(render_html(data)).text
    over = running(*REPLICAS).apply(StatusChanged(status=Status.FAILED, time=START + 20))
    assert "worker-1 ? Unknown (started again once)" in render_text(view(over, instance_count=4))


def test_replicas_that_were_ended_since_the_job_had_succeeded_are_spare() -> None:
    ends = [
        ReplicaChanged(replica="master-0", status=Status.SUCCEEDED, time=START + 5, exit_code=0),
        ReplicaChanged(replica="worker-0", status=Status.STOPPED, time=START + 6, exit_code=143),
    ]
    over = running(*ends).apply(StatusChanged(status=Status.SUCCEEDED, time=START + 7))
    shown = render_text(view(over, instance_count=2))
    assert "replicas: master-0 ✓ Succeeded, worker-0 ■ Stopped (no longer needed)" in shown
    assert "exit code 143" in render_text(view(running(*ends), instance_count=2))


def test_no_replicas_are_drawn_where_there_is_one_or_nothing_is_known() -> None:
    assert "replicas" not in render_text(view(running(*REPLICAS)))
    assert "replicas" not in render_text(view(running(), instance_count=4))


def test_what_is_unknown_is_not_drawn() -> None:
    assert render_text(view(JobState())) == "○ Created  iris  Local process · local ×1 (no image is given)"
    assert "<progress" not in render_html(view(running(Progress(done=5, time=START))))


def test_finished_job_does_not_say_an_epoch_before_its_last() -> None:
    told = running(Progress(done=1, total=3, unit="epoch", time=START + 50))
    done = told.apply(StatusChanged(status=Status.SUCCEEDED, time=START + 60))
    assert "▓" * 20 + " 100%" in render_text(view(done)).splitlines()


@pytest.mark.parametrize(
    ("status", "bar"), [("failed", "▓" * 19 + "░ epoch 3/3"), ("succeeded", "▓" * 20 + " 100% (epoch 3/3)")]
)
def test_only_a_job_that_has_not_failed_has_a_full_bar(status: str, bar: str) -> None:
    done = running(Progress(done=3, total=3, unit="epoch", time=START + 50))
    data = view(done.apply(StatusChanged(status=Status(status), time=START + 60)))
    assert bar in render_text(data).splitlines()
    assert ('value="1.0000"' in render_html(data)) == (status == "succeeded")


def test_a_failure_says_its_cause_first_then_what_may_help() -> None:
    lines = render_text(view(FAILED, cause="cell line 3: ZeroDivisionError", hint="divide by more", tail=["Traceback"]))
    assert lines.splitlines()[1:3] == ["cell line 3: ZeroDivisionError", "hint: divide by more"]
    page = Page(
        render_html(view(FAILED, cause="cell line 3: ZeroDivisionError", hint="divide by more", tail=["Trace"]))
    )
    places = [page.text.index(part) for part in ("ZeroDivisionError", "divide by more", "queued", "Trace")]
    assert places == sorted(places)


def test_a_reason_stands_for_a_cause_that_nobody_found() -> None:
    assert "exit code 1" in render_text(view(FAILED)).splitlines()


def test_chinese_columns_line_up() -> None:
    rows = render_text(view(FAILED, language="zh")).splitlines()[-2:]
    assert rows == ["指标  最新  最小  最大", "loss  0.5   0.5   0.5"]


def test_html_shows_what_text_shows() -> None:
    page = Page(render_html(view(FAILED, values={"lr": 0.1}, tail=["one", "two"], lines=12_431, notes=["as asked"])))
    for part in ("✗ Failed", "iris", "00:52", "exit code 1", "lr=0.1", "loss", "last 2 of 12,431 lines", "one\ntwo"):
        assert part in page.text
    assert "2027-01-15T08:03:12Z" in page.text  # a saved output tells its age


@pytest.mark.parametrize("letters", ["&", "训", "😀", "'", "a", "\x1b[31mx"])
def test_whatever_a_job_holds_its_drawings_stay_small(letters: str) -> None:
    data = huge(letters=letters)
    html = render_html(data)
    assert len(html.encode()) <= MAX_BYTES
    assert "Failed" in Page(html).text
    assert len(json.dumps(job_json(data), ensure_ascii=False).encode()) <= MAX_JSON
    assert len(render_text(data).splitlines()) <= 60


def test_at_most_forty_lines_of_the_log_are_saved() -> None:
    page = Page(render_html(view(tail=[f"line {i};" for i in range(100)], lines=100)))
    assert "line 59;" not in page.text
    assert "line 60;" in page.text


def test_a_hostile_job_stays_text() -> None:
    data = huge(letters="x")
    page = Page(render_html(data))
    assert page.tags <= {"div", "b", "span", "pre", "code", "table", "tr", "th", "td", "progress", "img"}
    assert page.attributes <= {"class", "style", "value", "max", "scope", "src", "alt", "tabindex"}
    assert all(address.startswith("data:image/svg+xml;base64,") for address in page.addresses)
    assert "<script>" in page.text
    for part in (str(value) for value in bundle(data, render="auto").values()):
        assert not set(part) & {"\x00", "\x1b", "\u202e", "\ud800"}


def test_html_survives_the_sanitiser_of_untrusted_notebooks() -> None:
    html = render_html(view(FAILED, tail=["x"], series={"loss": [(0, 1), (1, 0)]}))
    for removed in ("<style", "<svg", "<script", " id=", "http://", "https://", "onclick"):
        assert removed not in html
    assert "var(--jp-error-color1, #d32f2f)" in html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("plain <b>", "plain &lt;b&gt;"),
        ("\x1b[31mred\x1b[0m & rest", '<span style="color:#d33">red</span> &amp; rest'),
        ("\x1b[1;32mok\x1b[22m?\x1b[39m!", '<span style="font-weight:bold;color:#293">ok</span>'
         '<span style="color:#293">?</span>!'),
        ("\x1b[38;5;31mx\x1b[38;2;1;31;3my\x1b[mz", "xyz"),
        ("\x1b[2K\x1b[1Gup\x1b]0;title\x07", "up"),
        ("\x1b[97mbright\x1b[m", '<span style="color:#888">bright</span>'),
        ("cut \x1b[3", "cut [3"),
        ("\x1b[31m\x1b[0m", ""),
    ],
)  # fmt: skip
def test_colours_become_spans_and_every_other_sequence_nothing(text: str, html: str) -> None:
    assert ansi_to_html(text) == html


def svg(address: str) -> ET.Element:
    return ET.fromstring(b64decode(address.removeprefix("data:image/svg+xml;base64,")))


def test_a_chart_draws_each_metric_from_its_least_to_its_greatest_value() -> None:
    [line] = svg(chart({"loss": [(0, 5.0), (5, 1.0), (10, 3.0)]})).iter("{http://www.w3.org/2000/svg}polyline")
    assert line.get("points") == "2,16 80,60 158,38"


@pytest.mark.parametrize(
    "series",
    [{}, {"loss": []}, {"loss": [(0.0, 1.0)]}, {"loss": [(0.0, math.nan), (1.0, math.inf), (2.0, 1.0)]}],
)
def test_without_two_points_there_is_no_chart(series: dict[str, list[tuple[float, float]]]) -> None:
    assert chart(series) == ""


def test_a_long_name_says_that_it_is_cut() -> None:
    [title] = svg(chart({"validation_0-mlogloss": [(0, 1.0), (1, 2.0)]})).iter("{http://www.w3.org/2000/svg}text")
    assert title.text == "validation_0-mloglo… 2"


def test_a_chart_takes_any_numbers_and_names() -> None:
    series = {f"<&{i}": [(0.0, -1.7e308), (1.0, math.nan), (2.0, 1.7e308), (3.0, 5.0)] for i in range(9)}
    titles = [element.text for element in svg(chart(series)).iter("{http://www.w3.org/2000/svg}text")]
    assert titles == ["<&0 5", "<&1 5", "<&2 5", "<&3 5"]
    assert "nan" not in str(ET.tostring(svg(chart(series))))


def test_thinning_keeps_both_ends() -> None:
    points = [(float(x), 0.0) for x in range(12_345)]
    thinned = thin(points)
    assert (len(thinned), thinned[0], thinned[-1]) == (POINTS, points[0], points[-1])


@pytest.mark.parametrize(
    ("render", "stable", "types"),
    [
        ("auto", False, [JOB_MIME, "text/html", "text/plain"]),
        ("server", False, [JOB_MIME, "text/html", "text/plain"]),
        ("html", False, ["text/html", "text/plain"]),
        ("plain", False, ["text/plain"]),
        ("auto", True, ["text/plain"]),
    ],
)
def test_the_bundle_holds_what_was_asked_for(render: Any, stable: bool, types: list[str]) -> None:
    assert sorted(bundle(view(), stable=stable, render=render)) == types


def test_the_environment_decides_on_the_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_RENDER", "plain")
    assert list(bundle(view())) == ["text/plain"]


def test_the_json_names_the_job_and_its_own_time() -> None:
    state = running(Metric(name="loss", value=math.nan, time=START))
    found = json.loads(json.dumps(job_json(view(state, values={"lr": 0.1})), allow_nan=False))
    assert_declared(SavedJob, found)
    assert found == {
        "schema": 1,
        "id": "iris-3fa2c1",
        "name": "iris",
        "state": "running",
        "place": "process (no image is given) · local ×1",
        "at": "2027-01-15T08:03:12Z",
        "times": {"queued": "2027-01-15T08:00:00Z", "running": "2027-01-15T08:00:08Z"},
        "values": {"lr": "0.1"},
        "metrics": {"loss": "nan"},
        "is_cut": False,
    }


def test_the_json_says_when_it_is_cut() -> None:
    assert job_json(huge())["is_cut"] is True
