"""The form of `%%pai_train` in real JupyterLab and Notebook 7: numbers that do not fit, and a kernel that is gone."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, Error, Locator, expect

from tests.support.browser import Screen, Server, jupyter, opened, wait_for
from tests.support.sidebar import Sidebar

CELL = """%%pai_train demo --backend process
n_estimators: int = 100  # hp: [10..1000]  trees
lr: float = 0.1          # hp: [0.01..1]
depth: int = 3
print(n_estimators, lr, depth)
"""
LOAD = "%load_ext pai_jupyter"
SIZES = [(1280, 800), (1920, 1080)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with jupyter(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with jupyter(tmp_path_factory.mktemp("chinese"), PAI_JUPYTER_LANG="zh") as server:
        yield server


def field(screen: Screen, name: str) -> Locator:
    """The text of a hyperparameter."""
    return screen.page.get_by_label(name, exact=True)


def submit(screen: Screen, name: str = "Submit") -> Locator:
    return screen.page.get_by_role("button", name=name, exact=True)


def write(screen: Screen, name: str, text: str) -> None:
    field(screen, name).fill(text)
    field(screen, name).press("Tab")


def border(screen: Screen, name: str) -> str:
    return str(field(screen, name).evaluate("it => getComputedStyle(it).borderTopColor"))


# Numbers that do not fit


@pytest.fixture(scope="module")
def form(browser: Browser, server: Server) -> Iterator[Screen]:
    server.write("numbers.ipynb", LOAD, CELL)
    with opened(browser, server, "numbers.ipynb") as screen:
        screen.run_all()
        expect(submit(screen)).to_be_enabled()
        yield screen
        assert screen.errors == []


@pytest.mark.parametrize(
    ("name", "typed", "sentence"),
    [
        ("n_estimators", "5000", "must be a whole number between 10 and 1000"),
        ("n_estimators", "", "n_estimators must be a"),
        ("n_estimators", "many", "must be a whole number"),
        ("lr", "7", "must be a number between 0.01 and 1"),
        ("lr", "", "lr must be a"),
        ("depth", "", "depth must be a"),
        ("Instance count", "0", "must be a whole number between 1 and 10000"),
        ("Instance count", "", "must be a whole number"),
    ],
)
def test_number_that_does_not_fit_stays_and_is_said(form: Screen, name: str, typed: str, sentence: str) -> None:
    before, plain = field(form, name).input_value(), border(form, name)
    write(form, name, typed)
    expect(form.page.get_by_role("alert").filter(has_text=sentence)).to_be_visible()
    expect(submit(form)).to_be_disabled()
    assert field(form, name).input_value() == typed
    expect(field(form, name)).not_to_have_css("border-top-color", plain)
    write(form, name, before)
    expect(submit(form)).to_be_enabled()
    expect(field(form, name)).to_have_css("border-top-color", plain)


def test_slider_of_whole_numbers_writes_its_text(form: Screen) -> None:
    form.page.locator(".noUi-handle").first.press("ArrowRight")
    expect(field(form, "n_estimators")).to_have_value("101")
    write(form, "n_estimators", "100")


@pytest.mark.parametrize("size", SIZES, ids=["small", "large"])
@pytest.mark.parametrize(("language", "button"), [("en", "Submit"), ("zh", "提交")])
def test_wrong_numbers_as_they_look(
    browser: Browser, request: pytest.FixtureRequest, language: str, button: str, size: tuple[int, int]
) -> None:
    server: Server = request.getfixturevalue("chinese" if language == "zh" else "server")
    name = f"looks-{language}-{size[0]}"
    server.write(f"{name}.ipynb", LOAD, CELL)
    with opened(browser, server, f"{name}.ipynb", viewport={"width": size[0], "height": size[1]}) as screen:
        screen.run_all()
        expect(submit(screen, button)).to_be_enabled()
        write(screen, "n_estimators", "5000")
        write(screen, "depth", "")
        expect(submit(screen, button)).to_be_disabled()
        for theme in ("Light", "Dark"):
            screen.use_theme(theme)
            screen.shoot(f"form-numbers-{language}-{size[0]}-{theme}")
        screen.use_theme("Light")


def test_a_form_in_a_narrow_page_has_its_help_below_its_fields_and_no_scroll_bars(
    browser: Browser, server: Server
) -> None:
    server.write("narrow.ipynb", LOAD, CELL)
    with opened(browser, server, "narrow.ipynb", viewport={"width": 900, "height": 700}) as screen:
        Sidebar(screen.page).open()
        screen.run_all()
        expect(submit(screen)).to_be_enabled()
        screen.use_theme("Dark")
        form = screen.page.locator(".pj-Form")
        scrolled = form.evaluate(
            """form => [form, ...form.querySelectorAll('.widget-box')].filter(box => box.scrollWidth > box.clientWidth
                + (getComputedStyle(box).overflowX === 'visible' ? 8 : 0))
                .map(box => [box.className, box.scrollWidth, box.clientWidth, box.textContent.slice(0, 40)])"""
        )
        assert scrolled == []
        lines = form.locator(".pj-Form-line").evaluate_all(
            """lines => lines.filter(line => line.querySelector('.pj-Form-help')?.offsetHeight > 0).map(line => {
                const [control, help] = [line.firstElementChild, line.querySelector('.pj-Form-help')];
                const inside = help.getBoundingClientRect().right <= line.getBoundingClientRect().right + 8;
                return [inside, help.offsetTop >= control.offsetTop + control.offsetHeight - 8, line.offsetHeight];
            })"""
        )
        assert len(lines) > 3
        assert all(inside and below and height < 110 for inside, below, height in lines), lines
        screen.shoot("form-narrow")


# A kernel that is at work


@pytest.mark.parametrize(("press", "said"), [("Dry run", '"67"'), ("Submit", "100 0.1 67")])
def test_what_is_typed_while_the_kernel_works_is_in_what_is_submitted(
    browser: Browser, server: Server, press: str, said: str
) -> None:
    """A front end sends one change of a field, holds those after it until that is answered, and lets a press pass."""
    name, gate = f"late-{press[:3]}", server.root / f"gate-{press[:3]}"
    wait = f"import os, time\nwhile not os.path.exists({str(gate)!r}):\n    time.sleep(0.05)"
    server.write(f"{name}.ipynb", LOAD, CELL, wait)
    with opened(browser, server, f"{name}.ipynb") as screen:
        screen.run_all()
        expect(submit(screen)).to_be_enabled()
        for text in ("4", "5", "67"):
            write(screen, "depth", text)
        submit(screen, press).click()
        gate.touch()
        expect(screen.page.locator(".jp-OutputArea-output").filter(has_text=said)).to_be_visible()


# A kernel that is gone


def restart(screen: Screen) -> None:
    menu(screen, "Restart Kernel…")
    screen.page.get_by_role("button", name=re.compile("^(Confirm Kernel Restart|Restart)$")).click()


def menu(screen: Screen, item: str) -> None:
    screen.page.get_by_role("menuitem", name="Kernel", exact=True).click()
    screen.page.locator(".lm-Menu-item:visible").filter(has_text=item).first.click()


def crash(screen: Screen) -> None:
    os.kill(int((screen.server.root / "pid").read_text()), signal.SIGKILL)
    screen.page.get_by_role("button", name="Ok", exact=True).click()  # JupyterLab says that it has died


def shut_down(screen: Screen) -> None:
    menu(screen, "Shut Down Kernel")


def restart_elsewhere(screen: Screen) -> None:
    screen.server.restart_kernel(screen.notebook)
    # The page hears of it with the first message of the new kernel: its start, if that is not lost, else its answer to Submit.
    wait_for(lambda: _is_gone(screen))


def _is_gone(screen: Screen) -> bool:
    with suppress(Error):  # it goes meanwhile
        submit(screen).click(timeout=500)
    return submit(screen).count() == 0


LOSSES: dict[str, Callable[[Screen], None]] = {
    "restart": restart,
    "restart elsewhere": restart_elsewhere,
    "crash": crash,
    "shut down": shut_down,
}


@pytest.mark.parametrize("app", ["lab/tree", "notebooks"])
@pytest.mark.parametrize("loss", LOSSES)
def test_form_without_its_kernel_says_so_and_how_to_go_on(
    browser: Browser, server: Server, app: str, loss: str
) -> None:
    name = f"gone-{app.partition('/')[0]}-{loss.replace(' ', '-')}"
    server.write(f"{name}.ipynb", f"{LOAD}\nimport os\nopen('pid', 'w').write(str(os.getpid()))", CELL)
    with opened(browser, server, f"{name}.ipynb", app=app) as screen:
        screen.run_all()
        expect(submit(screen)).to_be_enabled()
        gone = screen.page.get_by_text(
            "The kernel of this form has ended. Run %load_ext pai_jupyter, then this cell again."
        )
        expect(gone).to_be_hidden()
        write(screen, "depth", "4")
        LOSSES[loss](screen)
        expect(gone).to_be_visible()
        expect(submit(screen)).to_have_count(0)  # for whoever looks, or has a screen reader
        screen.shoot(name)
        if loss == "restart":
            screen.run_all()
            expect(submit(screen)).to_be_enabled()  # of the new form
            expect(gone).to_be_hidden()
            assert screen.errors == []
