"""Stars, tags, names and notes of jobs in a real JupyterLab: by mouse and keys, changed elsewhere, in the view of a job."""

import re
import subprocess
import sys

import pytest
from playwright.sync_api import Browser, expect

from pai_jupyter.store import JobStore
from tests.support.browser import Server, opened
from tests.support.lists import BEGAN, record
from tests.support.paths import ROOT
from tests.support.sidebar import Sidebar

AXE = ROOT / "labextension" / "node_modules" / "axe-core" / "axe.min.js"
ELSEWHERE = """
import sys
from pathlib import Path
from pai_jupyter.store import AnnotationChange, JobStore
JobStore(Path(sys.argv[1])).open("j1").annotate(AnnotationChange(name="renamed elsewhere", add=("论文",)))
"""


@pytest.fixture(scope="module", autouse=True)
def _jobs(server: Server) -> None:
    """Jobs that have ended, in the server's home."""
    for number in range(1, 4):
        record(f"j{number}", store=JobStore(server.home), name=f"iris-{number}", created=BEGAN + number)


def test_stars_tags_and_names_by_mouse_by_keys_and_from_elsewhere(browser: Browser, server: Server) -> None:
    store = JobStore(server.home)
    with opened(browser, server, "empty.ipynb") as screen:
        panel = Sidebar(screen.page)
        panel.open()
        # a star by mouse, and by a key for two jobs
        panel.row("iris-3").hover()
        panel.row("iris-3").locator(".pj-Panel-star").click()
        expect(panel.row("iris-3, starred")).to_have_attribute("aria-selected", "false")
        assert store.open("j3").annotations().is_starred
        panel.row("iris-2").click()
        panel.row("iris-1").click(modifiers=["Shift"])
        panel.list.press("*")
        expect(panel.list.get_by_role("option", name=re.compile("starred"))).to_have_count(3)
        # tags of two jobs in the dialog, by keys alone
        panel.list.press("F2")
        dialog = screen.page.get_by_role("dialog")
        dialog.get_by_label("Add tags").fill("best paper")
        dialog.get_by_role("button", name="Save").press("Enter")
        expect(dialog).to_have_count(0)
        expect(panel.row("iris-1, starred, best paper")).to_be_visible()
        assert store.open("j2").annotations().tags == ("best", "paper")
        # name and note of one; what is refused is said, and the dialog stays
        panel.row("iris-2").click()
        panel.choose("Edit name, tags and note…")
        dialog.get_by_label("Tags", exact=True).fill("best a:b")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog.get_by_role("alert").filter(has_text="has : in it")).to_be_visible()
        dialog.get_by_label("Tags", exact=True).fill("best")
        dialog.get_by_label("Name", exact=True).fill("<b>base line")
        dialog.get_by_label("Note on the job").fill("overfits\nafter epoch 20")
        screen.page.add_script_tag(path=AXE)
        found = screen.page.evaluate(
            "axe.run('.jp-Dialog .pj-JobView').then(({violations}) => violations.map(v => v.id))"
        )
        assert found == []
        screen.shoot("panel-tags-dialog")
        dialog.get_by_role("button", name="Save").click()
        expect(panel.row("<b>base line, starred, best, Succeeded")).to_be_visible()
        assert store.open("j2").annotations().note == "overfits\nafter epoch 20"
        # filters
        panel.jobs.get_by_label("Tag", exact=True).select_option("paper")
        expect(panel.rows).to_have_count(1)
        panel.jobs.get_by_role("button", name="Only jobs with a star").click()
        panel.jobs.get_by_label("Tag", exact=True).select_option("")
        expect(panel.rows).to_have_count(3)
        screen.shoot("panel-tags")
        # changed elsewhere, of a job that has ended and is open in a tab
        panel.row("iris-1").dblclick()
        head = panel.tabs.locator(".pj-JobView-header")
        expect(head.get_by_role("img", name="starred")).to_be_visible()
        subprocess.run([sys.executable, "-c", ELSEWHERE, str(server.home)], check=True)
        expect(panel.row("renamed elsewhere, starred")).to_be_visible()
        expect(head.locator(".pj-JobView-name")).to_have_text("renamed elsewhere")
        expect(head.locator(".pj-JobView-tag").last).to_have_text("论文")
        screen.shoot("view-tags")
        assert [error for error in screen.errors if "400 (Bad Request)" not in error] == []
