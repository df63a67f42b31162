"""A run as text, HTML, picture and JSON: the same facts in each, hostile text is text, and nothing is too large."""

import ast
import base64
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pai_jupyter.view.run
from pai_jupyter.runs.picture import draw_level, plan_state
from pai_jupyter.runs.plan import JobBody
from pai_jupyter.runs.state import ConditionState, RunState, RunStatus, StepState, StepStatus
from pai_jupyter.spec import Json
from pai_jupyter.view.frontend import Render
from pai_jupyter.view.run.bundle import MAX_JSON, MAX_TEXT, RUN_MIME, draw_plan, run_bundle, run_json
from pai_jupyter.view.run.data import RunData
from pai_jupyter.view.run.html import MAX_BYTES, MOST_PICTURED, render_run_html
from pai_jupyter.view.run.svg import draw_svg
from pai_jupyter.view.run.text import render_run_text
from pai_jupyter.view.run.words import GLYPHS, RUN_CATALOGUE, counts_text, status_word
from pai_jupyter.wire.schema.run import SavedRun
from tests.support.declared import assert_declared
from tests.support.drawings import Page
from tests.support.run_drawings import NOW, everything, hostile, of_everything, wide
from tests.support.run_plans import Simulation, of_seed, plan_of, step

TREE = """\
✗ Failed  plan  6/9 ✓ · 2 ⊘ · 1 ✗  00:30
step `bad` failed: exit code 1
note: a note
  train      ✓ Succeeded  2s  out = 0.93
  small      ⊘ Skipped        out = 0.93 <= 0.9: not met
  big        ✓ Succeeded  2s  out = 0.93 > 0.9: met · out = big
  bad        ✗ Failed     0s  exit code 1
  nested     ✓ Succeeded  6s  2/2 ✓
    a        ✓ Succeeded  2s  out = nested/a
    b        ✓ Succeeded  2s  out = nested/b
  after      ⊘ Skipped        step `bad` failed
  loop       ✓ Succeeded  5s  2/2 ✓
    loop[0]  ✓ Succeeded  4s  x · out = loop[0]
    loop[1]  ✓ Succeeded  3s  y · out = loop[1]
outputs: final = 0.93"""


def images(html: str) -> list[ET.Element]:
    found = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
    return [ET.fromstring(base64.b64decode(each)) for each in found]


def texts(svg: ET.Element) -> list[str]:
    return [each.text or "" for each in svg.iter("{http://www.w3.org/2000/svg}text")]


# --- text --------------------------------------------------------------------------------------------------------------


def test_a_run_is_a_tree_of_its_steps() -> None:
    assert render_run_text(everything()) == TREE


def test_what_went_in_is_shown_above_the_steps_without_secrets() -> None:
    inputs: dict[str, Json] = {
        "lr": 0.1,
        "output_path": "",
        "data": "/home/me/iris.csv",
        "api_key": "abc",
        "env": {"DB_PASSWORD": "abc"},
    }
    data = replace(everything(), state=replace(everything().state, inputs=inputs))
    told = 'inputs: lr = 0.1, data = ~/iris.csv, api_key = ***, env = {"DB_PASSWORD": "***"}'
    assert render_run_text(data).splitlines()[3] == told
    assert told in Page(render_run_html(data)).text
    assert "inputs" not in render_run_text(data, stable=True)
    assert "输入: lr = 0.1" in render_run_text(replace(data, language="zh"))


def test_without_what_changes_from_run_to_run_nothing_of_it_is_left() -> None:
    stable = render_run_text(everything(), stable=True)
    assert stable.splitlines()[0] == "✗ Failed  plan  6/9 ✓ · 2 ⊘ · 1 ✗"
    assert "  small      ⊘ Skipped    out = 0.93 <= 0.9: not met" in stable.splitlines()
    assert not re.search(r"\b\d+s\b|\d\d:\d\d", stable)


def test_names_of_components_that_are_made_anew_are_steady() -> None:
    steps = (StepState(path="a", name="a", kind="job", title="slope v-1795466870"),)
    data = RunData(state=RunState(id="", name="p", steps=steps), is_plan=True, language="en")
    assert render_run_text(data, stable=True).splitlines()[1] == "  a  slope v-…"


def test_a_run_of_many_steps_shows_its_first_ones_and_how_many_there_are_more() -> None:
    lines = render_run_text(wide(50), rows=10).splitlines()
    assert len([line for line in lines if line.startswith("  step-")]) == 10
    assert lines[-1] == "  … 40 more"


def test_in_chinese() -> None:
    text = render_run_text(everything("zh"))
    assert "✗ 失败" in text
    assert "out = 0.93 <= 0.9：不满足" in text
    assert "步骤 `bad` 失败" in text


# --- HTML and picture --------------------------------------------------------------------------------------------------


def test_html_has_the_picture_and_the_table() -> None:
    html = render_run_html(everything())
    page = Page(html)
    assert len(html.encode()) <= MAX_BYTES
    assert page.text.count("Succeeded") == 8
    assert html.index("<img") < html.index("<table")
    (svg,) = images(html)
    assert "✓ train" in texts(svg)
    assert "✗ out = 0.93 <= 0.9" in texts(svg)
    assert not any("nested/a" in text for text in texts(svg))
    assert "2/2 ✓" in texts(svg)


def test_the_picture_is_that_of_every_view() -> None:
    data = everything()
    picture = draw_level("", data.state.steps)
    assert picture is not None
    svg = ET.fromstring(draw_svg(data, picture, data.state.steps))
    boxes = "".join(each.get("d", "") for each in svg.iter("{http://www.w3.org/2000/svg}path"))
    assert all(f"M{node.x} {node.y}h{node.w}v{node.h}" in boxes for node in picture.nodes)
    assert svg.get("width") == str(picture.w + 8)


def test_what_was_skipped_is_dashed_and_so_are_edges_of_conditions() -> None:
    data = everything()
    picture = draw_level("", data.state.steps)
    assert picture is not None
    svg = ET.fromstring(draw_svg(data, picture, data.state.steps))
    dashed = [each.get("d", "") for each in svg.iter() if each.get("stroke-dasharray")]
    skipped = [node for node, step in zip(picture.nodes, data.state.steps, strict=True) if step.status == "skipped"]
    assert len(skipped) == 2
    assert all(any(f"M{node.x} {node.y}h" in path for path in dashed) for node in skipped)
    assert sum(path.count("L") for path in dashed) == 2  # edges of the two conditions


@pytest.mark.parametrize("count", [1, MOST_PICTURED, MOST_PICTURED + 1, 500, 3_000])
def test_html_is_never_too_large(count: int) -> None:
    data = wide(count)
    html = render_run_html(data)
    assert len(html.encode()) <= MAX_BYTES
    page = Page(html)
    assert "wide" in page.text
    assert "step-0" in page.text
    if "<img" in html:
        assert (html.index("<img") < html.index("step-0<")) == (count <= MOST_PICTURED)


def test_of_sixty_steps_there_is_a_picture() -> None:
    data = wide(MOST_PICTURED)
    steps = tuple(replace(step, reason=None, status=StepStatus.SUCCEEDED) for step in data.state.steps)
    html = render_run_html(replace(data, state=replace(data.state, steps=steps)))
    assert len(html.encode()) <= MAX_BYTES
    assert len(texts(images(html)[0])) >= MOST_PICTURED
    assert html.index("<img") < html.index("step-59")


@pytest.mark.parametrize(
    "text", ['"' * 10_000, "&" * 10_000, "训练" * 5_000, "\U0001f600" * 10_000, "a\uffff\ufffe\u2028b"]
)
@pytest.mark.parametrize("count", [1, 61])
def test_no_text_makes_it_too_large_or_breaks_the_picture(text: str, count: int) -> None:
    values = {f"v{n}": text for n in range(20)}
    condition = ConditionState(text=text[:200], is_met=True)
    about: dict[str, Any] = {"title": text, "reason": text, "item": text, "condition": condition, "parameters": values}
    steps = tuple(StepState(path=f"s{n}[0]", name=f"s{n}", kind="job", **about) for n in range(count))
    state = RunState(id="r1", name=text, reason=text, notes=(text,) * 20, steps=steps, parameters=values)
    drawn = run_bundle(RunData(state=state, now=NOW, language="en"), render="auto")
    html, plain = str(drawn["text/html"]), str(drawn["text/plain"])
    assert len(html.encode()) <= MAX_BYTES
    assert len(plain.encode()) <= MAX_TEXT
    assert count > 1 or ("s0[0]" in html and "s0[0]" in plain)
    assert all(len(texts(svg)) >= count for svg in images(html))
    assert not {"\u2028", "\uffff"} & {*html, *plain}


def test_hostile_text_is_text() -> None:
    html = render_run_html(hostile())
    page = Page(html)
    assert "script" not in page.tags
    assert not {"onload", "id"} & page.attributes
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert "hidden" not in page.text
    assert "/home/me" not in page.text
    assert "Signature" not in page.text
    for svg in images(html):
        assert {each.tag.rpartition("}")[2] for each in svg.iter()} <= {"svg", "g", "path", "text"}
        assert not {name for each in svg.iter() for name in each.attrib if name.startswith("on")}


def test_hostile_text_is_text_in_a_terminal_too() -> None:
    text = render_run_text(hostile())
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", text)
    assert "hidden" not in text
    text.encode()


# --- the bundle --------------------------------------------------------------------------------------------------------


def test_a_bundle_has_small_json_for_a_live_view() -> None:
    drawn = run_bundle(everything(), render="auto")
    assert set(drawn) == {RUN_MIME, "text/html", "text/plain"}
    saved = run_json(everything())
    assert_declared(SavedRun, saved)
    assert (saved["id"], saved["status"]) == ("r-123abc", "failed")
    assert len(json.dumps(run_json(hostile()), ensure_ascii=False).encode("utf-8", "replace")) <= MAX_JSON


@pytest.mark.parametrize(
    ("stable", "render", "types"),
    [
        (True, "auto", {"text/plain"}),
        (False, "plain", {"text/plain"}),
        (False, "html", {"text/plain", "text/html"}),
        (False, "widget", {"text/plain", "text/html"}),
    ],
)
def test_a_bundle_has_what_is_asked_for(stable: bool, render: Render, types: set[str]) -> None:
    drawn = run_bundle(everything(), stable=stable, render=render)
    assert set(drawn) == types
    assert str(drawn.get("text/html")).startswith("<details><summary") is (render == "widget"), "the live view is below"


def test_a_plan_that_has_not_run_is_drawn_without_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_LANG", "en")
    drawn = draw_plan(of_everything())
    assert set(drawn) == {"text/html", "text/plain"}
    assert str(drawn["text/plain"]).splitlines()[:4] == [
        "○ Not run  plan",
        "note: a note",
        "  train   job",
        "  small   out <= 0.9",
    ]
    (svg,) = images(str(drawn["text/html"]))
    assert {"train", "small", "? out <= 0.9"} <= set(texts(svg))
    assert "Waiting" not in str(drawn["text/html"])


def test_a_name_that_nobody_gave_is_not_shown() -> None:
    job = step("a").body
    assert isinstance(job, JobBody)
    plan = plan_of(step("first", job=replace(job, title="tmp-83ce06020f4a89fd")))
    assert plan_state(plan).steps[0].title == Simulation(plan).run.state().steps[0].title == ""


def test_a_seed_that_has_not_run_has_nothing_of_a_run() -> None:
    data = RunData(state=plan_state(of_seed()), is_plan=True, language="en")
    assert "as of" not in render_run_html(data)


# --- words -------------------------------------------------------------------------------------------------------------


def test_every_status_has_a_glyph_of_its_own_and_a_word() -> None:
    statuses = [*RunStatus, *StepStatus]
    assert {str(status) for status in statuses} == set(GLYPHS)
    assert len(set(GLYPHS.values())) == len(GLYPHS)
    for status in statuses:
        assert status_word(status, "en") == f"{GLYPHS[status]} {status.capitalize()}"
        assert status_word(status, "zh") != status_word(status, "en")


def test_translations_keep_their_places() -> None:
    for english, chinese in RUN_CATALOGUE.items():
        assert re.findall(r"\{\w+\}", english) == re.findall(r"\{\w+\}", chinese)


def test_counts_tell_what_has_succeeded_of_all() -> None:
    counts = {StepStatus.SUCCEEDED: 3, StepStatus.WAITING: 1, StepStatus.RUNNING: 1, StepStatus.SKIPPED: 2}
    assert counts_text(counts) == "3/7 ✓ · 1 ● · 2 ⊘"
    assert counts_text({}) == ""


def test_every_word_that_is_said_is_translated_and_no_other() -> None:
    trees = [ast.parse(path.read_text()) for path in Path(pai_jupyter.view.run.__file__).parent.glob("*.py")]
    calls = [
        it for tree in trees for it in ast.walk(tree) if isinstance(it, ast.Call) and ast.unparse(it.func) == "run_text"
    ]
    said = {str(it.args[0].value) for it in calls if isinstance(it.args[0], ast.Constant)}
    states = {status.capitalize() for status in (*RunStatus, *StepStatus)}
    assert set(RUN_CATALOGUE) == said | states | {"Step", "Status", "Time", "Details", "met", "not met", "not decided"}
