"""A cell that becomes a training job by a dialog, and what the panel does in notebooks: real JupyterLab, real browser.

Screenshots are kept.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from pai_jupyter.jobs import attach
from tests.browser.access.test_axe import AXE, faults
from tests.browser.access.test_keyboard import unreached
from tests.support.browser import Screen, Server, jupyter, load, opened, wait_for, watched
from tests.support.sidebar import Sidebar

LOAD = "%load_ext pai_jupyter"
CODE = """lr: float = 0.01     # hp: [0.001..1] log  学习率
epochs: int = 3      # hp: [1..100]
opt = "adam"         # hp: {"adam","sgd"}
amp: bool = True
note: str = ""
print("lr is", lr, "note is", note)"""
WHOLE = f"%%pai_train --send rows\n{CODE}\nmodel = [lr, rows, nowhere]"  # every part of the dialog
COMMAND = "Run Cell as Training Job…"
DIALOG = ".pj-CellDialog"
FORM = f"{DIALOG} .pj-JobView-cellForm"


@pytest.fixture(scope="module")
def lab(browser: Browser, server: Server) -> Iterator[Screen]:
    """A notebook in which our magics are loaded, for all tests that need no other."""
    server.write("cells.ipynb", LOAD, CODE)
    with opened(browser, server, "cells.ipynb") as screen:
        screen.run_all()
        expect(screen.page.get_by_text("lr is 0.01 note is")).to_be_visible()
        yield screen
        # The browser notes that the server refuses to list images: no cloud is configured here.
        assert [error for error in screen.errors if "400 (Bad Request)" not in error] == []


@pytest.fixture
def cell(lab: Screen) -> Iterator[Locator]:
    """A cell with code, the last of the notebook, as it was before any test."""
    cell = cells(lab).last
    write(cell, CODE)
    yield cell
    if lab.page.locator(DIALOG).count():
        lab.page.keyboard.press("Escape")


def cells(screen: Screen) -> Locator:
    return screen.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook .jp-CodeCell")


def source(cell: Locator) -> str:
    return "\n".join(line.replace("\u200b", "") for line in cell.locator(".cm-line").all_inner_texts())


def expect_source(cell: Locator, text: str) -> None:
    with suppress(AssertionError):
        wait_for(lambda: source(cell) == text)
    assert source(cell) == text


def write(cell: Locator, text: str) -> None:
    """Have this text in the cell, and in nobody's clipboard."""
    page = cell.page
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)
    expect_source(cell, text)
    page.keyboard.press("Escape")


def ask(cell: Locator) -> Locator:
    """The dialog, by the cell's context menu, with all that the server has to say."""
    return loaded(call(cell))


def call(cell: Locator, command: str = COMMAND) -> Locator:
    """Where the dialog is, if the command of the cell's context menu brings one."""
    cell.locator(".cm-content").click(button="right")
    cell.page.locator(".lm-Menu-item:visible", has_text=command).click()
    return cell.page.locator(DIALOG)


def loaded(dialog: Locator) -> Locator:
    expect(dialog).to_be_visible()
    expect(dialog.locator("[aria-busy]")).to_have_count(0)
    expect(dialog.get_by_label("Backend").get_by_role("option", name="process")).to_have_count(1)
    return dialog


def row(dialog: Locator, label: str) -> Locator:
    """A field with all that is said of it."""
    field = dialog.page.get_by_label(label, exact=True)
    return dialog.locator(".pj-JobView-formRow", has=field)


def press(dialog: Locator, label: str) -> None:
    dialog.get_by_role("button", name=label, exact=True).click()


def test_roles_of_a_job_type_are_written(lab: Screen, cell: Locator) -> None:
    dialog = ask(cell)
    expect(dialog.get_by_label("Replicas of", exact=False)).to_have_count(0)
    dialog.get_by_label("Job type").select_option("PyTorchJob")
    dialog.get_by_label("Replicas of worker").fill("2")
    dialog.get_by_label("Instance type of worker").fill("local")
    expect(row(dialog, "Replicas of master")).to_contain_text("PyTorchJob needs exactly one master.")
    expect(dialog.get_by_label("Instance count")).to_be_hidden()
    dialog.get_by_label("Replicas of master").fill("1")
    expect(row(dialog, "Replicas of master")).not_to_contain_text("needs exactly one")
    lab.shoot("runcell-roles")
    press(dialog, "Insert")
    expect_source(cell, f"%%pai_train --job-type PyTorchJob --role master=1 --role worker=2:local\n{CODE}")


def test_the_form_writes_the_line_and_undo_takes_it_back(lab: Screen, cell: Locator) -> None:
    dialog = ask(cell)
    dialog.get_by_label("Name", exact=True).fill("鸢尾 a'b")
    dialog.get_by_label("Backend").select_option("process")
    dialog.get_by_label("Instance type").fill("local")
    dialog.get_by_label("lr", exact=True).fill("0.5")
    dialog.get_by_label("opt", exact=True).select_option("sgd")
    dialog.get_by_label("amp", exact=True).uncheck()
    dialog.get_by_label("note", exact=True).fill('{x} $HOME "q" it\'s 中文')
    press(dialog, "Add an input")
    dialog.get_by_label("Channel").fill("train")
    dialog.get_by_label("Address").fill("./my data")
    lab.shoot("runcell-form")
    press(dialog, "Insert")
    expect(dialog).to_have_count(0)
    line = (
        "%%pai_train '鸢尾 a'\"'\"'b' --backend process --instance-type local -i 'train=./my data' "
        "-p lr=0.5 -p opt=sgd -p amp=False -p 'note={''x} $HOME \"q\" it'\"'\"'s 中文'"
    )
    expect_source(cell, f"{line}\n{CODE}")
    lab.shoot("runcell-written")
    cell.locator(".cm-content").click()
    lab.page.keyboard.press("Control+z")
    expect_source(cell, CODE)


@pytest.mark.parametrize("way", ["Escape", "Cancel"])
def test_cancelling_changes_nothing(lab: Screen, cell: Locator, way: str) -> None:
    dialog = ask(cell)
    dialog.get_by_label("lr", exact=True).fill("0.5")
    if way == "Escape":
        lab.page.keyboard.press("Escape")
    else:
        press(dialog, way)
    expect(dialog).to_have_count(0)
    assert source(cell) == CODE


def test_what_is_wrong_is_said_beside_the_field_and_nothing_is_written(lab: Screen, cell: Locator) -> None:
    dialog = ask(cell)
    for label, text, sentence in (
        ("lr", "5", "lr must be a number between 0.001 and 1"),
        ("epochs", "5000", "epochs must be a whole number between 1 and 100"),
        ("epochs", "", "epochs must be a whole number between 1 and 100. The default is 3."),
        ("Name", "-x", 'A name cannot begin with "-".'),
    ):
        field = dialog.get_by_label(label, exact=True)
        field.fill(text)
        expect(row(dialog, label).get_by_role("alert")).to_have_text(sentence)
        expect(field).to_have_attribute("aria-invalid", "true")
        red = row(dialog, label).get_by_role("alert").evaluate("it => getComputedStyle(it).color")
        expect(field).to_have_css("border-top-color", red)  # with the focus, too
    expect(dialog.get_by_role("button", name="Insert", exact=True)).to_be_disabled()
    expect(dialog.get_by_role("button", name="Insert and run")).to_be_disabled()
    lab.page.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    lab.shoot("runcell-wrong")
    for label, text in (("lr", "0.25"), ("epochs", "3"), ("Name", "")):
        dialog.get_by_label(label, exact=True).fill(text)
    press(dialog, "Insert")
    expect(dialog).to_have_count(0)
    expect_source(cell, f"%%pai_train -p lr=0.25\n{CODE}")


DATA = "scale = 3\nrows = [float(n) for n in range(4)]\nrows.append(4.0)\nweights = dict(zip('ab', rows))"
TRAINING = """total = 0.0
for row in rows:
    total = total + row * scale
model = {"total": total, "a": weights["a"]}
print("total is", total)"""


def test_data_of_the_notebook_is_sent_and_what_the_cell_makes_comes_back(
    browser: Browser, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole way, without a word typed: data in a cell, a training cell, and its result in the kernel."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    server.write("there-and-back.ipynb", LOAD, DATA, TRAINING, "print('back', job.returned()['model'])")
    with opened(browser, server, "there-and-back.ipynb") as screen:
        for number in (0, 1):
            run(screen, number)
        dialog = ask(cells(screen).nth(2))
        button = dialog.get_by_role("button", name="Insert and run")
        errors = dialog.locator(".pj-JobView-findings [data-level=error]:visible")
        expect(errors).to_have_count(2)
        expect(button).to_be_disabled()
        expect(button).to_have_attribute("title", "To insert and run, fix the errors of the cell (✗) first.")
        expect(dialog.get_by_role("status").filter(has_text="fix the errors of the cell (✗)")).to_be_visible()
        expect(dialog.get_by_role("button", name="Insert", exact=True)).to_be_enabled()
        screen.shoot("runcell-missing")

        sent = dialog.get_by_role("group", name="Send from the notebook")
        expect(sent.locator("label")).to_have_text(["rows · cell [2]", "weights · cell [2]"])
        sent.get_by_label("Send rows").check()
        expect(errors).to_have_count(1)
        expect(button).to_be_disabled()
        sent.get_by_label("Send weights").check()
        expect(errors).to_have_count(0)
        dialog.get_by_role("group", name="Return to the notebook").get_by_label("Return model", exact=True).check()
        dialog.get_by_label("Name", exact=True).fill("there-and-back")
        dialog.get_by_label("Backend").select_option("process")
        line = "%%pai_train there-and-back --backend process --send rows,weights --return model"
        expect(dialog.locator("pre")).to_have_text(line)
        screen.shoot("runcell-sent")
        button.click()
        expect(screen.view).to_contain_text("✓Succeeded")
        expect(screen.view).to_contain_text("total is 30.0")
        expect_source(cells(screen).nth(2), f"{line} --run\n{TRAINING}")
        write(cells(screen).nth(3), "print('back', _pai.returned()['model'])")
        run(screen, 3)
        expect(cells(screen).nth(3)).to_contain_text("back {'total': 30.0, 'a': 0.0}")
        assert attach("there-and-back").returned() == {"model": {"total": 30.0, "a": 0.0}}
        assert screen.errors == []


def test_a_line_that_sends_is_shown_as_chosen_and_the_result_is_in_the_kernel_after_a_wait(
    browser: Browser, server: Server
) -> None:
    given = "%%pai_train --wait --backend process --send rows,weights"
    server.write("waits.ipynb", LOAD, DATA, f"{given}\n{TRAINING}", "print('back', model)")
    with opened(browser, server, "waits.ipynb") as screen:
        for number in (0, 1):
            run(screen, number)
        dialog = ask(cells(screen).nth(2))
        expect(dialog.get_by_label("Send rows")).to_be_checked()
        expect(dialog.locator(".pj-JobView-findings li:visible")).to_have_count(0)
        dialog.get_by_label("Send weights").uncheck()
        expect(dialog.get_by_text("`weights` is a value of cell [2]")).to_be_visible()
        expect(dialog.get_by_role("button", name="Insert and run")).to_be_disabled()
        dialog.get_by_label("Send weights").check()
        dialog.get_by_label("Return model", exact=True).check()
        press(dialog, "Insert and run")
        expect(screen.view).to_contain_text("✓Succeeded")
        expect_source(
            cells(screen).nth(2),
            f"{given} --return model --run\n{TRAINING}",
        )
        run(screen, 3)
        expect(cells(screen).nth(3)).to_contain_text("back {'total': 30.0, 'a': 0.0}")
        assert screen.errors == []


def run(screen: Screen, number: int) -> None:
    """Run a cell to its end."""
    cells(screen).nth(number).locator(".cm-content").click()
    screen.page.keyboard.press("Control+Enter")
    expect(cells(screen).nth(number).locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]"))


def test_an_error_of_the_cell_lets_the_line_be_written_but_not_run(lab: Screen, cell: Locator) -> None:
    write(cell, "print('open'")
    dialog = ask(cell)
    expect(dialog.get_by_role("button", name="Insert and run")).to_be_disabled()
    name = dialog.get_by_label("Name", exact=True)
    name.press_sequentially("-x")  # the dialog looks at each key before the form does
    expect(dialog.get_by_role("button", name="Insert", exact=True)).to_be_disabled()
    name.fill("x")
    expect(dialog.get_by_role("button", name="Insert", exact=True)).to_be_enabled()
    expect(dialog.get_by_role("button", name="Insert and run")).to_be_disabled()
    name.press("Enter")
    expect(dialog).to_have_count(0)
    expect_source(cell, "%%pai_train x\nprint('open'")


def test_a_line_that_is_there_keeps_its_other_options(lab: Screen, cell: Locator) -> None:
    line = "%%pai_train iris --max-time 2h -p lr=0.1 --metric 'acc:a=([0-9.]+)' -p epochs=5 --env \"A=b c\""
    write(cell, f"{line}\n{CODE}")
    dialog = ask(cell)
    expect(dialog.get_by_label("Name", exact=True)).to_have_value("iris")
    expect(dialog.get_by_label("epochs", exact=True)).to_have_value("5")
    dialog.get_by_label("lr", exact=True).fill("0.2")
    press(dialog, "Insert")
    expect(dialog).to_have_count(0)
    written = "%%pai_train iris --max-time 2h --metric 'acc:a=([0-9.]+)' --env \"A=b c\" -p lr=0.2 -p epochs=5"
    expect_source(cell, f"{written}\n{CODE}")


def test_a_line_that_cannot_be_read_is_told_and_kept(lab: Screen, cell: Locator) -> None:
    write(cell, f"%%pai_train 'open\n{CODE}")
    dialog = call(cell)
    expect(lab.page.locator(".Toastify__toast").last).to_contain_text("open quote or an unknown option")
    expect(dialog).to_have_count(0)
    expect_source(cell, f"%%pai_train 'open\n{CODE}")


def test_below_time_the_line_is_put_and_the_cell_runs(lab: Screen, cell: Locator) -> None:
    write(cell, f"%%time\n{CODE}")
    dialog = ask(cell)
    expect(dialog.locator(".pj-JobView-findings")).to_have_count(0)  # the magic above is no part of the script
    dialog.get_by_label("Name", exact=True).fill("timed")
    dialog.get_by_label("Backend").select_option("process")
    press(dialog, "Insert and run")
    expect(lab.view.last).to_contain_text("Succeeded")
    expect_source(cell, f"%%time\n%%pai_train timed --backend process --run\n{CODE}")


def test_what_the_cell_became_while_the_dialog_was_open_is_kept(lab: Screen, cell: Locator) -> None:
    dialog = ask(cell)
    dialog.get_by_label("lr", exact=True).fill("0.5")
    cell.locator(".cm-content").evaluate(
        "one => one.cmTile.view.dispatch({changes: {from: 0, insert: '# from another window\\n'}})"
    )
    press(dialog, "Insert")
    expect(dialog).to_have_count(0)
    expect_source(cell, f"%%pai_train -p lr=0.5\n# from another window\n{CODE}")


def test_the_second_button_runs_the_cell_and_its_view_appears(
    lab: Screen, cell: Locator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(lab.server.home))
    cell.locator(".cm-content").click()
    cell.locator(".jp-cell-toolbar").get_by_role("button", name=COMMAND).click()
    dialog = loaded(lab.page.locator(DIALOG))
    dialog.get_by_label("Name", exact=True).fill("second")
    dialog.get_by_label("Backend").select_option("process")
    dialog.get_by_label("note", exact=True).fill("{x} $HOME it's 中文")
    press(dialog, "Insert and run")
    view = cell.locator("section.pj-JobView")
    expect(view).to_contain_text("note is {x} $HOME it's 中文")
    expect(view).to_contain_text("Succeeded")
    lab.shoot("runcell-run")
    assert attach("second").status == "succeeded"
    assert source(cell).startswith("%%pai_train second --backend process -p ")


def test_images_and_instances_are_offered_when_they_are_wanted(lab: Screen, cell: Locator) -> None:
    dialog = ask(cell)
    field = dialog.get_by_label("Instance type")
    field.focus()
    field.press("ArrowDown")
    offers = dialog.get_by_role("listbox", name="Suggestions").get_by_role("option")
    expect(offers.first).to_have_text(re.compile("^local"))
    lab.shoot("runcell-offers")
    field.press("ArrowDown")
    field.press("Enter")
    expect(field).to_have_value("local_gpu")
    expect(offers.first).to_be_hidden()
    expect(dialog).to_be_visible()  # Enter was the list's
    dialog.get_by_label("Image").focus()
    expect(row(dialog, "Image")).to_contain_text("%pai_config")
    lab.shoot("runcell-no-cloud")
    press(dialog, "Cancel")


def test_in_notebook_7_it_is_the_same(browser: Browser, server: Server) -> None:
    server.write("seven.ipynb", LOAD, CODE)
    with opened(browser, server, "seven.ipynb", app="notebooks") as screen:
        cell = cells(screen).last
        dialog = ask(cell)
        dialog.get_by_label("lr", exact=True).fill("0.5")
        screen.shoot("runcell-notebook-7")
        press(dialog, "Insert")
        expect(dialog).to_have_count(0)
        expect_source(cell, f"%%pai_train -p lr=0.5\n{CODE}")
        assert screen.errors == []


def test_a_cell_of_text_is_no_job(lab: Screen, cell: Locator) -> None:
    write(cell, "# A heading")
    lab.page.keyboard.press("m")
    text = lab.page.locator(".jp-Notebook .jp-MarkdownCell")
    text.click(button="right")
    expect(lab.page.locator(".lm-Menu-item:visible", has_text="Paste").first).to_be_visible()
    expect(lab.page.locator(".lm-Menu-item:visible", has_text=COMMAND)).to_have_count(0)
    lab.page.keyboard.press("Escape")
    text.click()
    lab.page.keyboard.press("Escape")
    lab.page.keyboard.press("y")
    expect(lab.page.locator(".jp-Notebook .jp-MarkdownCell")).to_have_count(0)


def test_a_cell_that_may_not_be_edited_is_left_alone(browser: Browser, server: Server) -> None:
    path = server.write("kept.ipynb", LOAD, CODE)
    notebook = json.loads(path.read_text())
    notebook["cells"][1]["metadata"] = {"editable": False}
    path.write_text(json.dumps(notebook))
    with opened(browser, server, "kept.ipynb") as screen:
        cell = cells(screen).last
        dialog = call(cell)
        expect(screen.page.locator(".Toastify__toast").last).to_contain_text("This cell is read-only.")
        expect(dialog).to_have_count(0)
        assert (source(cell), screen.errors) == (CODE, [])


def test_a_notebook_of_another_language_has_no_such_jobs(browser: Browser, server: Server) -> None:
    path = server.write("other.ipynb", "x <- 1")
    notebook = json.loads(path.read_text())
    kernel = {"name": "nowhere", "display_name": "R", "language": "R"}
    notebook["metadata"] = {"kernelspec": kernel, "language_info": {"name": "R"}}
    path.write_text(json.dumps(notebook))
    with watched(browser, server, "other") as screen:
        is_asked = "() => document.querySelector('.jp-Dialog') !== null"
        load(screen, f"{server.url}/lab/tree/other.ipynb?reset&token={server.token}", is_asked)
        press(screen.page.locator(".jp-Dialog"), "No Kernel")
        cell = cells(screen).last
        call(cell)
        expect(screen.page.locator(".Toastify__toast").last).to_contain_text("This notebook uses R.")
        assert (source(cell), screen.errors) == ("x <- 1", [])


def test_in_the_second_of_two_notebooks_its_own_cell_is_meant(browser: Browser, server: Server) -> None:
    for name in ("left", "right"):
        server.write(f"{name}.ipynb", f"side = {name!r}")
    with opened(browser, server, "left.ipynb") as screen:
        screen.page.locator(".jp-DirListing-item", has_text="right.ipynb").dblclick()
        expect(cells(screen)).to_contain_text("right")
        wait_for(lambda: server.kernel_of("right.ipynb"))
        wait_for(lambda: lies_beside(screen, "right.ipynb"))
        for name in ("left", "right", "left"):
            cell = cells(screen).filter(has_text=name)
            dialog = ask(cell)
            dialog.get_by_label("Name", exact=True).fill(f"of-{name}")
            screen.shoot("runcell-two")
            press(dialog, "Insert")
            expect(dialog).to_have_count(0)
            expect_source(cell, f"%%pai_train of-{name}\nside = {name!r}")
        assert screen.errors == []


def lies_beside(screen: Screen, tab: str) -> bool:
    """Drag the tab to the right of what is shown; whether it was dropped there."""
    place = screen.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
    screen.page.get_by_role("tab", name=tab).drag_to(place, target_position={"x": 700, "y": 400})
    with suppress(AssertionError):
        expect(cells(screen)).to_have_count(2, timeout=3_000)
        return True
    return False


# --- by keyboard, for everyone, in Chinese -----------------------------------------------------------------------------


def test_the_dialog_is_reached_filled_and_accepted_by_keyboard(lab: Screen, cell: Locator) -> None:
    page = lab.page
    page.keyboard.press("Control+Shift+c")
    page.locator(".lm-CommandPalette-input").fill("run cell as training")
    page.locator(".lm-CommandPalette-item.lm-mod-active", has_text=COMMAND).wait_for()  # what Enter takes
    page.keyboard.press("Enter")
    dialog = loaded(page.locator(DIALOG))
    expect(dialog.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.type("by-keys")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect_source(cell, f"%%pai_train by-keys\n{CODE}")


def test_tab_leads_to_every_control_of_the_dialog(lab: Screen, cell: Locator) -> None:
    write(cell, WHOLE)
    dialog = ask(cell)
    for label in ("Send rows", "Return model"):
        expect(dialog.get_by_label(label, exact=True)).to_be_visible()
    press(dialog, "Add an input")
    dialog.get_by_role("button", name="Cancel").focus()
    lab.page.mouse.move(0, 0)
    assert unreached(lab.page, lab.page.locator(FORM)) == []


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_no_fault_in_the_dialog(lab: Screen, cell: Locator, theme: str) -> None:
    lab.use_theme(theme)
    write(cell, WHOLE)
    dialog = ask(cell)
    expect(dialog.get_by_role("group", name="Return to the notebook")).to_be_visible()
    expect(dialog.get_by_role("status").filter(has_text="fix the errors")).to_be_visible()
    press(dialog, "Add an input")
    dialog.get_by_label("lr", exact=True).fill("7")
    expect(dialog.get_by_text("lr must be a number between")).to_be_visible()
    lab.shoot(f"runcell-{theme.lower()}")
    lab.page.add_script_tag(path=AXE)
    found = faults(lab, FORM)
    press(dialog, "Cancel")
    lab.use_theme("Light")
    assert found == []


def test_the_dialog_speaks_chinese(browser: Browser, tmp_path: Path) -> None:
    with jupyter(tmp_path / "zh", PAI_JUPYTER_LANG="zh_CN.UTF-8") as server:
        server.write("zh.ipynb", LOAD, WHOLE)
        with opened(browser, server, "zh.ipynb") as screen:
            dialog = call(cells(screen).last, "将单元格作为训练作业运行…")
            dialog.get_by_label("lr", exact=True).fill("7")
            expect(dialog).to_contain_text("lr 应为：数字，在 0.001 和 1 之间")
            expect(dialog.get_by_role("group", name="从笔记本发送").get_by_label("发送 rows")).to_be_checked()
            dialog.get_by_role("group", name="返回给笔记本").get_by_label("返回 model").check()
            expect(dialog.get_by_role("status").filter(has_text="请先改正单元格中的错误")).to_be_visible()
            screen.shoot("runcell-zh")
            english = re.findall(
                r"\b(?:Name|Backend|Send|Return|Insert|Image|Inputs|Write|Cancel|default|must|Reset)\b",
                dialog.inner_text(),
            )
            assert (english, screen.errors) == ([], [])


def test_a_rerun_opens_with_what_the_job_ran_with_and_says_what_is_wrong(
    browser: Browser, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    server.write("again.ipynb", LOAD, f"%%pai_train again --backend process --run -p lr=0.5\n{CODE}")
    with opened(browser, server, "again.ipynb") as screen:
        screen.run_all()
        expect(screen.view).to_contain_text("Succeeded")
        screen.view.get_by_role("button", name="More actions").click()
        screen.view.get_by_role("menuitem", name="Rerun…").click()
        dialog = loaded(screen.page.locator(DIALOG))
        expect(dialog.get_by_label("Name", exact=True)).to_have_value("again")
        expect(dialog.get_by_label("Backend")).to_have_value("process")
        lr = dialog.get_by_label("lr", exact=True)
        expect(lr).to_have_value("0.5")
        lr.fill("7")
        expect(row(dialog, "lr").get_by_role("alert")).to_have_text("lr must be a number between 0.001 and 1")
        expect(dialog.get_by_role("button", name="Rerun", exact=True)).to_be_disabled()
        lr.fill("0.25")
        dialog.get_by_label("Name", exact=True).fill("changed")
        expect(dialog.locator("pre")).to_have_text(
            "%%pai_train changed --run --backend process --instance-type local -p lr=0.25"
        )
        screen.shoot("rerun-form")
        press(dialog, "Rerun")
        expect(dialog).to_have_count(0)
        expect(screen.page.locator(".pj-JobTab section.pj-JobView")).to_contain_text("lr is 0.25 note is")
        assert attach("changed").hyperparameters["lr"] == 0.25
        assert screen.errors == []


# --- from the panel into the notebook ----------------------------------------------------------------------------------


def test_from_the_panel_to_the_cell_and_back_as_new_cells(browser: Browser, server: Server) -> None:
    """One job, and the three things that are done with it in a notebook."""
    code = "%%pai_train home --backend process --run\nprint('at home')"
    server.write("home.ipynb", LOAD, *(f"print({number})" for number in range(30)), code)
    with opened(browser, server, "home.ipynb") as screen:
        screen.run_all()
        expect(screen.page.locator(".jp-OutputArea-output", has_text=re.compile("^0"))).to_be_visible()
        sidebar = Sidebar(screen.page)
        sidebar.open()
        expect(sidebar.row("home")).to_contain_text("Succeeded")

        cells(screen).first.locator(".cm-content").click()
        sidebar.row("home").click()
        sidebar.choose("Go to cell")
        cell = screen.page.locator(".jp-Notebook .jp-Cell.jp-mod-active")
        expect(cell.locator("section.pj-JobView")).to_be_in_viewport()
        screen.shoot("notebook-go-to-cell")

        sidebar.row("home").click()
        sidebar.choose("Insert %pai_attach")
        expect(cell).to_contain_text("%pai_attach")
        expect(cell.locator("section.pj-JobView")).to_contain_text("at home")

        sidebar.row("home").click()
        sidebar.choose("Clone to a new cell")
        expect_source(cell, code)
        expect(cell.locator(".jp-OutputArea-output")).to_have_count(0)  # it is not run
        screen.shoot("notebook-clone")
        assert screen.errors == []


def test_a_closed_notebook_is_opened_at_the_cell(browser: Browser, server: Server) -> None:
    server.write("closed.ipynb", LOAD, "%%pai_train closed --backend process --run\nprint('closed')")
    with opened(browser, server, "closed.ipynb") as screen:
        screen.run_all()
        expect(screen.view).to_contain_text("Succeeded")
        wait_for(lambda: '"state": "succeeded"' in json.dumps(screen.save()))  # no output changes any more
        sidebar = Sidebar(screen.page)
        sidebar.open()
        screen.page.get_by_role("tab", name="closed.ipynb").locator(".lm-TabBar-tabCloseIcon").click()
        expect(cells(screen)).to_have_count(0)
        sidebar.row("closed").click()
        sidebar.choose("Insert %pai_attach")
        expect(sidebar.jobs).to_contain_text("No Python notebook is open. Open one, then try again.")
        sidebar.choose("Go to cell")
        expect(screen.view).to_contain_text("Succeeded")
        expect(screen.page.locator(".jp-Cell.jp-mod-active section.pj-JobView")).to_be_in_viewport()
        assert screen.errors == []
