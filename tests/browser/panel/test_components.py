"""Components in the side panel: real JupyterLab, real Chromium, PAI is the emulator.

From the list to a new component with a mistake, saved, registered, run, a new version, and deleted. Screenshots stay in
tests/.work/screenshots.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from pai_jupyter import CustomJobComponent, PipelineParameter
from pai_jupyter.component import Component, delete, list_registered
from pai_jupyter.component import save as save_to_disk
from pai_jupyter.jobs import list_jobs
from pai_jupyter.runs import attach_run, list_runs
from pai_jupyter.workflow.component_store import HomeStore
from tests.browser.access.test_axe import AXE, faults
from tests.browser.access.test_keyboard import unreached
from tests.support.browser import Screen, Server, wait_for
from tests.support.cloud_sessions import configure
from tests.support.emulators import Emulator
from tests.support.needs import lacking
from tests.support.sidebar import Sidebar
from tests.support.sidepanel import clouded, panelled, unfold, widen

IMAGE = "registry.cn-emulator.aliyuncs.com/pai-dlc/pytorch-training:2.0-cpu-py310-ubuntu22.04"
SCRIPT = """import os, pathlib, sys
rows = pathlib.Path(os.environ["PAI_INPUT_TRAIN"]).read_text().split()
print("rows", len(rows), "lr", os.environ["PAI_HPS_LR"], *sys.argv[1:])
"""
REFUSED = re.compile(r"the server responded with a status of 4\d\d")  # of what a test has refused
DIALOG = ".pj-CellDialog"


@pytest.fixture(scope="module")
def rehearsal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Emulator]]:
    with clouded(tmp_path_factory.mktemp("components") / "server") as (server, cloud):
        (server.root / "code").mkdir()
        (server.root / "code" / "main.py").write_text(SCRIPT)
        (server.root / "rows.txt").write_text("1 2 3")
        yield server, cloud


@pytest.fixture
def section(
    browser: Browser,
    rehearsal: tuple[Server, Emulator],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Locator]:
    """The section of components on a page of its own; no component is left to the next test."""
    server, cloud = rehearsal
    configure(cloud, server.home, monkeypatch)
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    with panelled(browser, server, "components") as screen:
        section = unfold(screen, "Components", folded="Jobs")
        widen(screen, 420)
        yield section
        assert [error for error in screen.errors if not REFUSED.search(error)] == []
    for each in list_registered():
        delete(each.name)
    for path in (server.home / "components").glob("*/*.yaml"):
        path.unlink()


@pytest.fixture
def screen(section: Locator, rehearsal: tuple[Server, Emulator]) -> Screen:
    return Screen(page=section.page, server=rehearsal[0], notebook="components")


def cards(section: Locator) -> Locator:
    return section.get_by_role("listitem")


def press(section: Locator, label: str, where: str = "saved") -> None:
    card_of(section, where).get_by_role("button", name=re.compile(f"^{re.escape(label)}")).click()


def card_of(section: Locator, where: str) -> Locator:
    """The card that says it is one of the saved, or registered, components."""
    return cards(section).filter(has=section.page.locator(".pj-Cards-head", has_text=where))


def discard(dialog: Locator) -> None:
    """Throw away what was typed into a form, with Escape and the answer to its question."""
    dialog.page.keyboard.press("Escape")
    dialog.get_by_role("button", name="Discard", exact=True).click()
    expect(dialog).to_have_count(0)


def begin(section: Locator) -> Locator:
    """The form of a new component."""
    section.get_by_role("button", name="New Component…").click()
    dialog = section.page.locator(DIALOG)
    expect(dialog).to_be_visible()
    return dialog


def choose(dialog: Locator, label: str) -> Locator:
    return dialog.get_by_role("button", name=label, exact=True)


def row(dialog: Locator, label: str) -> Locator:
    """A field with all that is said of it."""
    return dialog.locator(".pj-JobView-formRow", has=dialog.page.get_by_label(label, exact=True))


def fill(dialog: Locator, name: str = "counted") -> None:
    dialog.get_by_label("Name", exact=True).first.fill(name)
    dialog.get_by_label("Description", exact=True).fill("Counts rows")
    dialog.get_by_label("Image", exact=True).fill(IMAGE)
    dialog.get_by_label("Code", exact=True).fill("code")
    choose(dialog, "Add an input").click()
    dialog.get_by_role("group", name="Input").get_by_label("Name", exact=True).fill("train")
    choose(dialog, "Add a parameter").click()
    parameter = dialog.get_by_role("group", name="Parameter")
    parameter.get_by_label("Name", exact=True).fill("lr")
    for label, text in (("Default", "0.1"), ("Minimum", "0"), ("Maximum", "1"), ("Description", "a rate")):
        parameter.get_by_label(label, exact=True).fill(text)


def save(section: Locator, *, registered: bool = False) -> None:
    dialog = begin(section)
    fill(dialog)
    button = choose(dialog, "Save and register" if registered else "Save")
    expect(button).to_be_enabled()
    button.click()
    expect(dialog).to_have_count(0)
    expect(cards(section)).to_have_count(2 if registered else 1)


def test_a_component_from_a_mistake_to_jobs_a_new_version_and_its_end(section: Locator, screen: Screen) -> None:
    page = section.page
    expect(section).to_contain_text("No components yet.")
    dialog = begin(section)
    fill(dialog, "_counted")
    name = dialog.get_by_label("Name", exact=True).first
    sentence = "the component cannot be called '_counted': use letters, digits, _ and -"
    expect(row(dialog, "Description")).not_to_contain_text("the component")
    expect(dialog.locator(".pj-JobView-formRow").first.get_by_role("alert")).to_contain_text(sentence)
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(choose(dialog, "Save")).to_be_disabled()
    expect(choose(dialog, "Save and register")).to_be_disabled()
    assert list_registered() == []
    screen.shoot("components-wrong")
    name.fill("counted")
    command = 'python main.py $PAI_USER_ARGS --train "$PAI_INPUT_TRAIN"'
    expect(dialog.get_by_label("Command", exact=True)).to_have_value(command)
    expect(choose(dialog, "Save and register")).to_be_enabled()
    screen.shoot("components-form")
    choose(dialog, "Save and register").click()
    expect(dialog).to_have_count(0)
    expect(section.get_by_role("status").first).to_contain_text("counted 1.0.0 is saved.")
    expect(cards(section)).to_have_count(2)
    for where in ("saved", "registered"):
        expect(cards(section).filter(has_text=where)).to_contain_text("PyTorchJob")
        expect(cards(section).filter(has_text=where)).to_contain_text(IMAGE)
    screen.shoot("components-list")
    assert [(each.name, each.versions) for each in list_registered()] == [("counted", ("1.0.0",))]

    press(section, "Run…", "registered")
    dialog = page.locator(DIALOG)
    choose(dialog, "Run").click()
    expect(row(dialog, "train").get_by_role("alert")).to_contain_text("This input needs a place")
    expect(dialog.get_by_label("train", exact=True)).to_be_focused()
    dialog.get_by_label("train", exact=True).fill("rows.txt")
    dialog.get_by_label("Instance type", exact=True).fill("ecs.c6.large")
    dialog.get_by_label("lr", exact=True).fill("0.5")
    screen.shoot("components-run")
    choose(dialog, "Run").click()
    tab = Sidebar(page).tabs
    expect(tab).to_contain_text("Succeeded")
    expect(tab).to_contain_text("rows 3 lr 0.5 --lr 0.5")
    [job] = list_jobs()
    assert (job.status, job.backend) == ("succeeded", "pai")

    press(section, "New Version…")
    dialog = page.locator(DIALOG)
    expect(dialog.get_by_label("Version", exact=True)).to_have_value("1.0.1")
    expect(dialog.get_by_label("Name", exact=True).first).to_have_attribute("readonly", "")
    expect(dialog.get_by_role("group", name="Parameter").get_by_label("Maximum")).to_have_value("1")
    expect(dialog.get_by_role("group", name="Parameter").get_by_label("Description")).to_have_value("a rate")
    dialog.get_by_label("What is new", exact=True).fill("a second one")
    choose(dialog, "Save").click()
    expect(dialog).to_have_count(0)
    expect(section.get_by_label("Version: counted").first).to_have_value("1.0.1")
    press(section, "Register", "saved")
    expect(card_of(section, "saved").get_by_role("status")).to_contain_text("counted 1.0.1 is registered.")
    wait_for(lambda: list_registered()[0].versions == ("1.0.0", "1.0.1"))

    press(section, "Delete", "registered")
    question = section.locator(".pj-JobView-asked")
    expect(question.get_by_role("button", name="Keep")).to_be_focused()
    expect(question).to_contain_text("Delete counted 1.0.1 from the workspace?")
    page.keyboard.press("Enter")  # the harmless answer
    expect(question).to_be_hidden()
    assert len(list_registered()) == 1
    press(section, "Delete", "registered")
    question.get_by_role("button", name="Delete all versions").click()
    expect(cards(section)).to_have_count(1)
    assert list_registered() == []
    press(section, "Delete")
    question.get_by_role("button", name="Delete 1.0.1").click()
    expect(section.get_by_label("Version: counted")).to_have_value("1.0.0")
    press(section, "Delete")
    question.get_by_role("button", name="Delete 1.0.0").click()
    expect(section).to_contain_text("No components yet.")
    assert list((screen.server.home / "components").glob("*/*")) == []


def test_sentences_stand_at_their_rows_and_what_pai_alone_refuses_is_a_note(section: Locator, screen: Screen) -> None:
    dialog = begin(section)
    fill(dialog)
    choose(dialog, "Add an output").click()
    dialog.get_by_role("group", name="Output").get_by_label("Name", exact=True).fill("train")
    dialog.get_by_label("Image", exact=True).fill("python:3.11")
    output = dialog.get_by_role("group", name="Output").get_by_role("alert")
    expect(output).to_contain_text("the name 'train' is used for input and output")
    note = row(dialog, "Image").get_by_role("status")
    expect(note).to_contain_text("is in no registry that PAI reaches")
    dialog.get_by_role("group", name="Parameter").get_by_label("Minimum").fill("low")
    expect(dialog.get_by_role("group", name="Parameter").get_by_role("alert")).to_have_text("A range needs numbers.")
    dialog.get_by_role("group", name="Parameter").get_by_label("Minimum").fill("2")
    expect(dialog.get_by_role("group", name="Parameter").get_by_role("alert")).to_contain_text("in which nothing is")
    dialog.get_by_role("group", name="Parameter").get_by_label("Minimum").fill("0")
    dialog.get_by_role("group", name="Output").get_by_role("button", name="Remove").click()
    expect(choose(dialog, "Save")).to_be_enabled()
    expect(choose(dialog, "Save and register")).to_be_disabled()  # PAI alone refuses the image
    dialog.get_by_label("Code", exact=True).fill("nowhere")
    expect(row(dialog, "Code").get_by_role("alert")).to_contain_text("nowhere' is not there")
    dialog.get_by_label("Code", exact=True).fill("https://127.0.0.1:9/r.git")
    dialog.get_by_label("Commit", exact=True).fill("HEAD")
    expect(row(dialog, "Commit").get_by_role("alert")).to_contain_text("give 7 to 40 of its digits")
    screen.shoot("components-sentences")
    dialog.get_by_label("Commit", exact=True).fill("")
    dialog.get_by_label("Branch", exact=True).fill("main")
    expect(choose(dialog, "Save")).to_be_enabled()
    choose(dialog, "Save").click()
    expect(dialog.get_by_role("alert").last).to_contain_text("the code cannot be fetched with git")  # and it stays open
    expect(dialog.get_by_label("Branch", exact=True)).to_have_value("main")
    discard(dialog)
    expect(section).to_contain_text("No components yet.")


def test_enter_in_a_field_saves_nothing_and_makes_lines_of_the_command(section: Locator) -> None:
    dialog = begin(section)
    fill(dialog)
    expect(choose(dialog, "Save")).to_be_enabled()
    dialog.get_by_label("Name", exact=True).first.press("Enter")
    command = dialog.get_by_label("Command", exact=True)
    command.fill("echo 1")
    command.press("Enter")
    command.press_sequentially("echo 2")
    expect(command).to_have_value("echo 1\necho 2")
    expect(dialog).to_be_visible()
    command.fill("")
    expect(command).to_have_value(re.compile("^python main.py"))  # the default one, once it is empty
    choose(dialog, "Cancel").click()
    expect(section).to_contain_text("No components yet.")


def test_a_filled_form_is_not_thrown_away_unasked(section: Locator) -> None:
    page, dialog = section.page, begin(section)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)  # nothing was typed
    dialog = begin(section)
    name = dialog.get_by_label("Name", exact=True).first
    name.fill("typed")
    for is_click in (False, True):
        if is_click:
            page.mouse.click(3, 3)  # beside it
        else:
            page.keyboard.press("Escape")
        keep = dialog.get_by_role("button", name="Keep editing")
        expect(keep).to_be_focused()
        page.keyboard.press("Escape")  # the harmless answer
        expect(keep).to_have_count(0)
        expect(name).to_have_value("typed")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(name).to_have_value("typed")
    discard(dialog)
    dialog = begin(section)
    expect(dialog.get_by_label("Name", exact=True).first).to_have_value("")
    dialog.get_by_label("Name", exact=True).first.fill("typed")
    choose(dialog, "Cancel").click()
    expect(dialog).to_have_count(0)


def test_what_happens_to_a_card_far_down_is_said_there_and_saved_ones_appear_by_themselves(
    section: Locator, screen: Screen
) -> None:
    expect(section).to_contain_text("No components yet.")
    for number in range(12):  # as a magic saves them in a kernel
        save_to_disk(Component(name=f"c{number:02}", command="true", image_uri=IMAGE))
    expect(cards(section)).to_have_count(12)  # without Refresh
    last = card_of(section, "saved").last  # the registered one comes behind it
    last.get_by_role("button", name="Register: c11").click()
    expect(last.get_by_role("status")).to_have_text("c11 1.0.0 is registered.")
    expect(last.get_by_role("status")).to_be_in_viewport(ratio=1)
    expect(section.get_by_role("status").first).to_have_text("")
    screen.shoot("components-card")


def test_after_a_deletion_by_keyboard_the_focus_is_at_the_next_card(section: Locator) -> None:
    page = section.page
    for name in ("first", "second"):
        save_to_disk(Component(name=name, command="true"))
    expect(cards(section)).to_have_count(2)
    for name, focused in (
        ("first", cards(section).first),
        ("second", section.get_by_role("button", name="New Component…")),
    ):
        section.get_by_role("button", name=f"Delete: {name}").press("Enter")
        section.get_by_role("button", name="Delete 1.0.0").press("Enter")
        expect(section.get_by_role("status").first).to_have_text(f"{name} 1.0.0 is deleted.")
        expect(section.get_by_label(f"Version: {name}")).to_have_count(0)
        expect(focused).to_be_focused()
    assert page.evaluate("document.activeElement !== document.body")


def test_a_run_is_refused_at_its_fields_in_words_of_the_form(section: Locator, screen: Screen) -> None:
    save(section)
    press(section, "Run…")
    dialog = section.page.locator(DIALOG)
    dialog.get_by_label("lr", exact=True).fill("7")
    expect(row(dialog, "lr").get_by_role("alert")).to_have_text("lr must be a number between 0 and 1")
    expect(choose(dialog, "Run")).to_be_disabled()
    dialog.get_by_label("lr", exact=True).fill("0.5")
    dialog.get_by_label("Backend", exact=True).select_option("process")
    dialog.get_by_label("train", exact=True).fill("/nope")
    dialog.get_by_label("Instance type", exact=True).fill("foo bar")
    choose(dialog, "Run").click()
    expect(row(dialog, "train").get_by_role("alert")).to_contain_text("there is no /nope")
    expect(row(dialog, "Instance type").get_by_role("alert")).to_contain_text("'foo bar'")
    screen.shoot("components-run-refused")
    assert not re.search(r"--\w|-i train", dialog.inner_text())
    dialog.get_by_label("train", exact=True).fill("rows.txt")
    dialog.get_by_label("Instance type", exact=True).fill("")
    expect(dialog.locator("[aria-invalid=true]")).to_have_count(0)
    (screen.server.root / "code" / "main.py").write_text(SCRIPT + "# changed\n")
    choose(dialog, "Run").click()
    expect(dialog.get_by_role("alert").last).to_contain_text("tick the box above")
    (screen.server.root / "code" / "main.py").write_text(SCRIPT)
    discard(dialog)


def test_the_palette_has_the_command(section: Locator) -> None:
    page = section.page
    Sidebar(page).fold("Components").click()
    page.keyboard.press("Control+Shift+C")
    page.locator(".lm-CommandPalette-input:visible").fill("New Component")
    expect(page.locator(".lm-CommandPalette-item.lm-mod-active")).to_contain_text("New Component…")
    page.keyboard.press("Enter")
    expect(page.locator(DIALOG)).to_contain_text("New component")
    page.keyboard.press("Escape")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_no_fault_in_list_and_forms(section: Locator, screen: Screen, theme: str) -> None:
    if not AXE.is_file():
        lacking("node", "axe-core is not installed")
    section.page.add_script_tag(path=AXE)
    screen.use_theme(theme)
    save(section)
    screen.shoot(f"components-list-{theme}")
    assert faults(screen, ".pj-Components") == []
    dialog = begin(section)
    fill(dialog, "_wrong")
    choose(dialog, "Add an output").click()
    dialog.get_by_label("Machines", exact=True).select_option("GPU")
    expect(dialog.get_by_role("alert").first).to_contain_text("cannot be called")
    screen.shoot(f"components-form-{theme}")
    assert faults(screen, ".pj-JobView-cellForm") == []
    section.page.keyboard.press("Escape")
    expect(dialog.get_by_role("button", name="Keep editing")).to_be_focused()
    assert faults(screen, DIALOG) == []
    dialog.get_by_role("button", name="Discard", exact=True).click()
    press(section, "Run…")
    dialog = section.page.locator(DIALOG)
    choose(dialog, "Run").click()
    expect(row(dialog, "train").get_by_role("alert")).to_be_visible()
    screen.shoot(f"components-run-{theme}")
    assert faults(screen, ".pj-JobView-cellForm") == []
    section.page.keyboard.press("Escape")


def test_tab_leads_to_every_control_of_the_form(section: Locator) -> None:
    dialog = begin(section)
    fill(dialog)
    expect(choose(dialog, "Save")).to_be_enabled()
    choose(dialog, "Cancel").focus()
    assert unreached(section.page, dialog.locator(".pj-JobView-cellForm")) == []
    discard(dialog)


def test_forms_and_sentences_are_in_chinese(browser: Browser, tmp_path: Path) -> None:
    with (
        clouded(tmp_path / "zh", PAI_JUPYTER_LANG="zh_CN") as (server, _),
        panelled(browser, server, "components-zh") as screen,
    ):
        section = unfold(screen, "组件", folded="作业")
        widen(screen, 420)
        section.get_by_role("button", name="新建组件…").click()
        dialog = screen.page.locator(DIALOG)
        expect(dialog.get_by_role("alert").first).to_contain_text("组件没有名称")
        choose(dialog, "添加参数").click()
        screen.shoot("components-zh")
        english = re.findall(r"\b(?:Name|Version|Save|Cancel|Add|Remove|Any|required|the)\b", dialog.inner_text())
        assert (english, screen.errors) == ([], [])
        screen.page.keyboard.press("Escape")
        dialog.get_by_role("button", name="放弃", exact=True).click()
        expect(dialog).to_have_count(0)


def test_a_component_of_pipelines_is_run_with_other_values_copied_and_deleted(section: Locator, screen: Screen) -> None:
    lr = PipelineParameter("lr", typ=float, default=0.1, feasible={"range": "(0, 1]"})
    saved = CustomJobComponent(command="true", inputs=[lr])
    documents = saved.documents()
    HomeStore().save(documents, identifier="train", version="v 1")
    HomeStore().save(documents, identifier="train", version="v 2")
    section.get_by_role("button", name="Refresh").click()
    card = section.get_by_role("list", name="Components of pipelines").get_by_role("listitem")
    expect(card).to_contain_text("custom job for pipelines")
    card.get_by_role("combobox").select_option("v 1")
    card.get_by_role("button", name="Run…: train").click()
    field = card.get_by_label("lr", exact=True)
    expect(field).to_be_focused()
    field.fill("7")
    card.get_by_role("group").get_by_role("button", name="Run", exact=True).click()
    expect(card).to_contain_text("must be in (0, 1]")
    screen.shoot("components-of-pipelines")
    if AXE.is_file():
        screen.page.add_script_tag(path=AXE)
        assert faults(screen, ".pj-Components") == []
    field.fill("0.5")
    screen.page.keyboard.press("Tab")
    card.get_by_role("group").get_by_role("button", name="Run", exact=True).click()
    expect(card).to_contain_text("Run train has started.")
    (run,) = list_runs()
    wait_for(lambda: attach_run(run.id).state.status.is_terminal)
    card.get_by_role("button", name="Copy Python Line").click()
    expect(card).to_contain_text("Cop")
    for version in ("v 1", "v 2"):
        card.get_by_role("combobox").select_option(version)
        card.get_by_role("button", name="Delete: train").click()
        card.get_by_role("group").get_by_role("button", name="Delete", exact=True).click()
        expect(section).to_contain_text(f"train {version} is deleted.")
    expect(card).to_have_count(0)
    assert HomeStore().list() == []
