"""The form and the view by keyboard alone, and as the system wishes them: without motion, in its colours, in Chinese."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from pai_jupyter.jobs import attach
from tests.support.browser import Screen, Server, jupyter, opened, wait_for
from tests.support.job_pages import CELL, FORM, TABS, tab

CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex='0'], [role=slider]"
# The controls below an element that can be seen: what each is called, and all of its looks that a focus may change.
LOOK = """(root, controls) => [...root.querySelectorAll(controls)]
    .filter(one => one.checkVisibility({visibilityProperty: true}) && !one.disabled && one.tabIndex >= 0)
    .map(one => {
        const {outlineStyle, outlineWidth, boxShadow, borderColor, backgroundColor} = getComputedStyle(one);
        const outline = outlineStyle === 'none' ? '' : outlineStyle + outlineWidth;
        return {
            name: one.ariaLabel || one.labels?.[0]?.textContent || one.textContent.slice(0, 40) || one.className,
            look: [outline, boxShadow, borderColor, backgroundColor].join(),
            isFocused: one === document.activeElement,
        };
    })"""


@pytest.fixture(scope="module")
def keyed(browser: Browser, server: Server, gate: Path) -> Iterator[Screen]:
    """A notebook with the form, a job that can be stopped, the job `goes-on`, and a last cell."""
    load = "%env PAI_JUPYTER_RENDER=server\n%load_ext pai_jupyter"
    form = CELL.format(name="form", options="--backend process", gate=str(gate))
    held = CELL.format(name="held", options="--backend process --run", gate=str(gate))
    server.write("keys.ipynb", load, form, held, "%pai_attach goes-on", "print('the end')")
    with opened(browser, server, "keys.ipynb") as screen:
        screen.run_all()
        expect(screen.view).to_have_count(2)
        expect(screen.view.first).to_contain_text("Running")
        expect(screen.page.get_by_text("the end", exact=True)).to_be_visible()
        prompt = screen.page.locator(".jp-Notebook .jp-CodeCell").last.locator(".jp-InputPrompt")
        expect(prompt).to_have_text(re.compile(r"\[\d+\]"))  # JupyterLab has done with the cells, and moves no focus
        yield screen
        assert screen.errors == []


def unreached(page: Page, root: Locator) -> list[str]:
    """The controls of `root` that Tab does not lead to, or that look the same when it has."""
    before = root.evaluate(LOOK, CONTROLS)
    missing = {number: str(control["name"]) for number, control in enumerate(before)}
    assert missing
    root.locator(CONTROLS).and_(page.locator(":not(:disabled)")).locator("visible=true").first.focus()
    for key in ("Tab", "Shift+Tab"):  # by keyboard, or no focus is shown
        page.keyboard.press(key)
    for _ in range(2 * len(before)):
        now = root.evaluate(LOOK, CONTROLS)
        if [each["name"] for each in now] != [each["name"] for each in before]:
            return unreached(page, root)  # e.g. a sample has come, and numbers are charts now: once more from the start
        here = [number for number, control in enumerate(now) if control["isFocused"]]
        if not here:
            return list(missing.values())  # the focus has left
        if now[here[0]]["look"] != before[here[0]]["look"]:
            missing.pop(here[0], None)
        page.keyboard.press("Tab")
    raise AssertionError(f"the focus does not leave; not reached: {missing}")


def goes_on(screen: Screen) -> Locator:
    return screen.view.last


def test_tab_leads_to_every_control_of_the_form(keyed: Screen) -> None:
    assert unreached(keyed.page, keyed.page.locator(FORM)) == []


@pytest.mark.parametrize("name", TABS)
def test_tab_leads_to_every_control_of_a_tab_and_out_of_the_view(keyed: Screen, name: str) -> None:
    tab(goes_on(keyed), name)
    keyed.page.mouse.move(0, 0)

    def all_are_reached() -> bool:
        with suppress(AssertionError):  # the page changed on the way: a sample has come, and a number is a chart now
            return unreached(keyed.page, goes_on(keyed)) == []
        return False

    wait_for(all_are_reached)


def test_the_form_is_filled_and_submitted_by_keyboard(keyed: Screen) -> None:
    keyed.page.get_by_label("note", exact=True).focus()
    keyed.page.keyboard.type("dd x")  # what would delete a cell
    keyed.page.get_by_role("button", name="Dry run").focus()
    keyed.page.keyboard.press("Space")
    expect(keyed.page.locator(FORM)).to_contain_text("dd x")
    expect(keyed.page.locator(FORM)).to_contain_text("train.py")


def test_the_magic_line_is_copied_by_keyboard_and_takes_no_typing(keyed: Screen) -> None:
    note, line = keyed.page.get_by_label("note", exact=True), keyed.page.get_by_role("textbox", name="Magic line")
    note.fill("x")
    expect(line).to_have_value("%%pai_train form --backend process -p note=x")
    line.focus()
    keyed.page.keyboard.type("dd x")  # what would delete a cell
    expect(line).to_have_value("%%pai_train form --backend process -p note=x")
    keyed.page.keyboard.press("Shift+Tab")
    keyed.page.keyboard.press("Tab")  # selects it all
    expect(line).to_be_focused()
    keyed.page.keyboard.press("Control+c")
    note.focus()
    keyed.page.keyboard.press("Control+a")
    keyed.page.keyboard.press("Control+v")
    expect(note).to_have_value("%%pai_train form --backend process -p note=x")
    note.fill("dd x")


def test_arrows_choose_a_tab(keyed: Screen) -> None:
    view = goes_on(keyed)
    view.get_by_role("tab", name=TABS[0], exact=True).click()
    turn = [("ArrowRight", name) for name in (*TABS[1:], TABS[0])]
    for key, name in [*turn, ("ArrowLeft", TABS[-1]), ("Home", TABS[0]), ("End", TABS[-1])]:
        keyed.page.keyboard.press(key)
        expect(view.get_by_role("tab", name=name, exact=True)).to_be_focused()
        expect(view.get_by_role("tabpanel", name=name, exact=True)).to_be_visible()


def test_the_menu_opens_moves_and_closes_by_keyboard(keyed: Screen) -> None:
    view = goes_on(keyed)
    button = view.get_by_role("button", name="More actions")
    button.focus()
    for key, item in (
        ("ArrowDown", "Open in tab"),
        ("ArrowDown", "Open in a browser tab"),
        ("ArrowDown", "Rerun…"),
        ("ArrowDown", "Rerun as it was"),
        ("ArrowDown", "Copy as %%pai_train line"),
        ("End", "Copy folder path"),
        ("r", "Rerun…"),
    ):
        keyed.page.keyboard.press(key)
        expect(view.get_by_role("menuitem", name=item)).to_be_focused()
    keyed.page.keyboard.press("Escape")
    expect(view.get_by_role("menu")).to_be_hidden()
    expect(button).to_be_focused()


def test_enter_goes_from_hit_to_hit_and_runs_no_cell(keyed: Screen) -> None:
    panel = tab(goes_on(keyed), "Logs")
    search = panel.get_by_role("searchbox")
    search.fill("back")
    search.press("Enter")
    hits = panel.locator(".pj-JobView-hits")
    expect(hits).to_contain_text("of 16")
    first = int(hits.inner_text().split()[0])
    search.press("Enter")
    expect(hits).to_have_text(f"{first + 1} of 16")
    search.press("Shift+Enter")
    expect(hits).to_have_text(f"{first} of 16")
    search.press("Escape")
    expect(search).to_have_value("")
    expect(search).to_be_focused()
    expect(keyed.view).to_have_count(2)  # no cell was run


def test_the_log_is_read_by_keyboard(keyed: Screen) -> None:
    panel = tab(keyed.view.first, "Logs")
    log = panel.get_by_role("log")
    row = log.locator(".pj-JobView-row")
    for key, line in (("Home", "step 0 "), ("PageDown", "step 20 "), ("End", "step 199 "), ("PageUp", "step 175 ")):
        log.press(key)
        expect(row.filter(has_text=line)).to_be_in_viewport()


def test_arrows_read_a_chart(keyed: Screen) -> None:
    panel = tab(goes_on(keyed), "Metrics")
    chart = panel.get_by_role("application").first
    chart.scroll_into_view_if_needed()  # nothing is drawn that nobody sees
    expect(chart.locator("canvas")).to_be_visible()
    card = panel.locator(".pj-JobView-card").first
    for key, place in (("Home", "step 1"), ("ArrowRight", "step 2"), ("End", "step 19")):
        chart.press(key)
        expect(card).to_contain_text(place)
    chart.press("Escape")
    expect(card).not_to_contain_text("step 19")


def test_a_whole_line_is_opened_and_closed_by_keyboard(keyed: Screen) -> None:
    panel = tab(goes_on(keyed), "Logs")
    panel.get_by_role("log").press("End")
    panel.get_by_role("button", name="show whole line").press("Enter")
    expect(panel.get_by_role("dialog")).to_be_focused()
    keyed.page.keyboard.press("Escape")
    expect(panel.get_by_role("dialog")).to_be_hidden()
    expect(panel.get_by_role("log")).to_be_focused()


@pytest.mark.parametrize("selector", ["[role=log]", "[role=tab][tabindex='0']", "[type=search]", "[aria-pressed]"])
def test_letters_typed_in_the_view_are_no_commands_of_the_notebook(keyed: Screen, selector: str) -> None:
    tab(goes_on(keyed), "Logs")
    cells = keyed.page.locator(".jp-Notebook .jp-Cell")
    count = cells.count()
    goes_on(keyed).locator(selector).first.focus()
    for key in ("x", "d", "d", "a", "b", "m", "y", "0", "0", "Control+Shift+ArrowUp", "Control+Backspace"):
        keyed.page.keyboard.press(key)
    expect(cells).to_have_count(count)
    expect(keyed.page.locator(".jp-Dialog, .jp-MarkdownCell")).to_have_count(0)


def test_what_is_typed_in_the_search_is_undone_there(keyed: Screen) -> None:
    cell = keyed.page.locator(".jp-Notebook .jp-Cell").last
    cell.locator(".cm-content").click()
    keyed.page.keyboard.type("# typed ")
    keyed.page.keyboard.press("Escape")
    search = tab(goes_on(keyed), "Logs").get_by_role("searchbox")
    search.fill("")
    search.focus()
    keyed.page.keyboard.type("q")
    keyed.page.keyboard.press("Control+z")
    expect(search).to_have_value("")
    expect(cell).to_contain_text("# typed")


@pytest.mark.parametrize("selector", ["[role=log]", "[type=search]"])
def test_ctrl_s_in_the_log_saves_the_notebook(keyed: Screen, selector: str) -> None:
    cell = keyed.page.locator(".jp-Notebook .jp-Cell").last
    cell.locator(".cm-content").click()
    keyed.page.keyboard.type(f"# {selector} ")
    tab(goes_on(keyed), "Logs").locator(selector).focus()
    wait_for(lambda: f"# {selector}" in json.dumps(keyed.save()["cells"][-1]))  # one from before may come first


def test_a_job_is_stopped_by_keyboard_but_not_by_pressing_twice(keyed: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(keyed.server.home))
    view = keyed.view.first
    stop = view.get_by_role("button", name="Stop", exact=True)
    stop.press("Enter")
    expect(view.get_by_role("button", name="Keep running")).to_be_focused()
    keyed.page.keyboard.press("Enter")
    expect(stop).to_be_focused()
    keyed.page.keyboard.press("Enter")
    keyed.page.keyboard.press("Escape")
    expect(stop).to_be_focused()
    keyed.page.keyboard.press("Enter")
    keyed.page.keyboard.press("Shift+Tab")
    keyed.page.keyboard.press("Enter")
    expect(view).to_contain_text("Stopped")
    expect(view.get_by_role("button", name="More actions")).to_be_focused()  # the button that had the focus is gone
    assert attach("held").status == "stopped"


# --- the system's wishes -----------------------------------------------------------------------------------------


def test_nothing_moves_for_those_who_ask_for_it(keyed: Screen) -> None:
    keyed.page.emulate_media(reduced_motion="reduce")
    moving = goes_on(keyed).evaluate("""view => [...view.querySelectorAll('*')].filter(one => {
        const {transitionDuration, animationName} = getComputedStyle(one);
        return animationName !== 'none' || transitionDuration.split(', ').some(time => parseFloat(time) > 0);
    }).map(one => one.className)""")
    keyed.page.emulate_media(reduced_motion="no-preference")
    assert moving == []


def test_forced_colours_leave_everything_to_be_seen(keyed: Screen) -> None:
    keyed.page.emulate_media(forced_colors="active")
    for name in ("Metrics", "Logs"):
        tab(goes_on(keyed), name)
        goes_on(keyed).scroll_into_view_if_needed()
        keyed.shoot(f"access-forced-colors-{name.lower()}")
    fill = goes_on(keyed).locator(".pj-JobView-barFill")
    colours = fill.evaluate("fill => [fill, fill.parentElement].map(one => getComputedStyle(one).backgroundColor)")
    keyed.page.emulate_media(forced_colors="none")
    assert colours[0] != colours[1]


def test_form_and_view_speak_chinese(browser: Browser, tmp_path: Path, gate: Path) -> None:
    with jupyter(tmp_path / "zh", PAI_JUPYTER_LANG="zh_CN.UTF-8") as server:
        form = CELL.format(name="表单", options="--backend process", gate=str(gate))
        server.write("zh.ipynb", "%load_ext pai_jupyter", form, form.replace("%%pai_train", "%%pai_train --run"))
        gate.touch()
        with opened(browser, server, "zh.ipynb") as screen:
            screen.run_all()
            expect(screen.page.get_by_role("button", name="提交", exact=True)).to_be_visible()
            screen.shoot("access-zh-form")
            expect(screen.view).to_contain_text("成功")
            for name in ("日志", "指标", "资源", "文件", "源代码", "环境"):
                screen.view.get_by_role("tab", name=name, exact=True).click()
                expect(screen.view.get_by_role("tabpanel", name=name)).to_be_visible()
                screen.view.scroll_into_view_if_needed()
                screen.shoot(f"access-zh-{name}")
            english = re.findall(
                r"\b(?:Running|Succeeded|Search|Download|Copy|Table|Refresh)\b", screen.view.inner_text()
            )
            assert (english, screen.errors) == ([], [])
