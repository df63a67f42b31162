"""TensorBoards and backends in the side panel: real JupyterLab, real Chromium, real TensorBoard; PAI is the emulator.

Screenshots stay in tests/.work/screenshots.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect
from tensorboardX import SummaryWriter

from pai_jupyter.cloud.tensorboard import list_apps
from pai_jupyter.events import Status
from pai_jupyter.tensorboard import list_boards
from tests.browser.access.test_axe import AXE, faults
from tests.browser.access.test_keyboard import unreached
from tests.support.browser import Screen, Server, expect_tag, wait_for
from tests.support.cloud_sessions import session_at
from tests.support.emulators import BUCKET, Emulator
from tests.support.sidebar import Sidebar
from tests.support.sidepanel import clouded, panelled, unfold, widen
from tests.support.wire import RecordedJob

pytest.importorskip("tensorboard")

PAI = re.compile(r"^\s*pai\b")  # the name of the card; the notes of others may speak of PAI
REFUSED = re.compile(r"the server responded with a status of (4\d\d|502)")  # of what a test has refused


@dataclass(frozen=True)
class Section:
    """A section of the panel."""

    screen: Screen
    element: Locator

    @property
    def cards(self) -> Locator:
        return self.element.get_by_role("listitem")

    def card(self, text: str | re.Pattern[str]) -> Locator:
        return self.cards.filter(has_text=text)

    def press(self, name: str) -> None:
        self.element.get_by_role("button", name=name, exact=True).click()


@pytest.fixture(scope="module")
def rehearsal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Emulator]]:
    with clouded(tmp_path_factory.mktemp("boards") / "server") as both:
        yield both


@pytest.fixture(scope="module")
def cloud(rehearsal: tuple[Server, Emulator]) -> Emulator:
    return rehearsal[1]


@pytest.fixture(scope="module")
def jobs(rehearsal: tuple[Server, Emulator]) -> Iterator[None]:
    """Two jobs that have ended, with event files; their names are odd."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_HOME", str(rehearsal[0].home))
        for number, name in enumerate(("训练 <b>a", "b")):
            job = RecordedJob(f"job-{number}", name=name)
            with SummaryWriter(str(job.folder.path / "output" / "tensorboard")) as writer:
                for step in range(20):
                    writer.add_scalar("train/loss", 1 / (step + 1), step)
            job.status(Status.SUCCEEDED)
            job.release()
        yield


@pytest.fixture(scope="module")
def screen(browser: Browser, rehearsal: tuple[Server, Emulator], jobs: None) -> Iterator[Screen]:
    with panelled(browser, rehearsal[0], "boards") as screen:
        yield screen


@pytest.fixture
def boards(screen: Screen, cloud: Emulator, monkeypatch: pytest.MonkeyPatch) -> Iterator[Section]:
    """The section of TensorBoards; none is left to the next test."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(screen.server.home))
    section = Section(screen, unfold(screen, "TensorBoard"))
    wait_for(lambda: is_empty(section))
    screen.errors.clear()
    yield section
    cloud.clear_faults()
    for board in list_boards():
        board.stop()
    for app in list_apps(session=session_at(cloud)):
        app.delete()
    assert [error for error in screen.errors if not REFUSED.search(error)] == []


@pytest.fixture
def backends(screen: Screen, cloud: Emulator) -> Iterator[Section]:
    section = Section(screen, unfold(screen, "Backends", folded="TensorBoard"))
    section.press("Refresh")
    expect(section.card(PAI)).to_contain_text("✓ ready")
    screen.errors.clear()
    yield section
    cloud.clear_faults()
    assert [error for error in screen.errors if not REFUSED.search(error)] == []


def is_empty(boards: Section) -> bool:
    """Whether no board is listed; an app that was deleted behind the server's back may still be, for a moment."""
    boards.press("Refresh")
    with suppress(AssertionError):
        expect(boards.cards).to_have_count(0, timeout=1_000)
        return True
    return False


def log_into(cloud: Emulator, folder: str, place: Path) -> str:
    """Put event files into a folder of the bucket; its address."""
    with SummaryWriter(str(place)) as writer:
        for step in range(20):
            writer.add_scalar("far/loss", 1 / (step + 1), step)
    for file in place.iterdir():
        cloud.put(f"{folder}/{file.name}", file.read_bytes())
    return f"oss://{BUCKET}/{folder}/"


def open_over(boards: Section, address: str) -> None:
    box = boards.element.get_by_role("textbox", name="oss:// address of event files")
    box.fill(address)
    box.press("Enter")


def stop(boards: Section, board: Locator) -> None:
    board.get_by_role("button", name=re.compile("^Stop")).click()
    expect(boards.element.get_by_role("button", name="Keep running")).to_be_focused()
    boards.element.locator(".pj-JobView-asked").get_by_role("button", name="Stop", exact=True).click()


# --- TensorBoards ------------------------------------------------------------------------------------------------


def test_a_board_over_two_jobs_is_opened_seen_and_stopped(boards: Section) -> None:
    screen, side = boards.screen, Sidebar(boards.screen.page)
    side.row("训练 <b>a").click()
    side.row("b").click(modifiers=["Control"])
    side.choose("TensorBoard")
    board = boards.card("训练 <b>a")
    expect(board).to_contain_text("running · this machine")
    screen.shoot("boards-running")
    with screen.page.expect_popup() as popup:
        board.get_by_role("link", name=re.compile("^Open")).click()
    expect_tag(popup.value, "train/loss")
    popup.value.close()
    stop(boards, board)
    expect(boards.cards).to_have_count(0)
    assert list_boards() == []


def test_a_board_over_an_address_runs_on_pai_and_is_counted(boards: Section, cloud: Emulator, tmp_path: Path) -> None:
    open_over(boards, log_into(cloud, "训练 <b>", tmp_path))
    board = boards.card("训练 <b>/")
    expect(board).to_contain_text("running · emulator")
    expect(boards.element).to_contain_text("1 of 5 on the emulator")
    boards.screen.shoot("boards-pai")
    with boards.screen.page.expect_popup() as popup:
        board.get_by_role("link", name=re.compile("^Open")).click()
    expect_tag(popup.value, "far/loss")
    popup.value.close()
    stop(boards, board)
    expect(board).to_contain_text("stopped")
    expect(boards.element).to_contain_text("0 of 5 on the emulator")


def test_the_field_of_an_address_shows_all_that_it_asks_for(boards: Section) -> None:
    box = boards.element.get_by_role("textbox", name="oss:// address of event files")
    box.scroll_into_view_if_needed()
    boards.screen.shoot("boards-address")
    box.fill(box.get_attribute("placeholder") or "")
    wide = box.evaluate("it => [it.scrollWidth, it.clientWidth]")
    box.fill("")
    assert wide[0] <= wide[1]


def test_an_address_that_is_none_says_so(boards: Section) -> None:
    open_over(boards, "<img src=x onerror=window.__pwned=1>")
    expect(boards.element.get_by_role("alert")).to_contain_text("is not a folder in OSS")
    boards.screen.shoot("boards-refused")
    assert boards.screen.page.evaluate("window.__pwned") is None


def test_the_question_whether_to_stop_is_answered_by_keyboard(boards: Section, cloud: Emulator, tmp_path: Path) -> None:
    open_over(boards, log_into(cloud, "keys", tmp_path))
    press = boards.screen.page.keyboard.press
    button = boards.card("keys").get_by_role("button", name=re.compile("^Stop"))
    expect(boards.card("keys")).to_contain_text("running")
    button.focus()
    press("Enter")
    expect(boards.element.get_by_role("button", name="Keep running")).to_be_focused()
    press("Enter")
    expect(button).to_be_focused()
    press("Enter")
    press("Shift+Tab")
    press("Enter")
    expect(boards.card("keys")).to_contain_text("stopped")


# --- backends ----------------------------------------------------------------------------------------------------


def test_backends_say_how_they_are_and_with_which_settings(backends: Section) -> None:
    expect(backends.card("process")).to_contain_text("✓ ready")
    expect(backends.card("docker")).to_contain_text(re.compile("✓ ready|✗ not ready"))
    expect(backends.card(PAI)).to_contain_text("pai (emulator)✓ ready")
    expect(backends.element).to_contain_text(re.compile(r"bucket\s*emulator \(emulator\)"))
    expect(backends.element).to_contain_text("No profile selected")
    backends.screen.shoot("backends")


def test_pai_is_checked_when_one_asks(backends: Section) -> None:
    backends.press("Check: pai")
    expect(backends.card(PAI)).to_contain_text("✓ ready")
    expect(backends.card(PAI)).to_contain_text("'emulator' in cn-emulator")
    expect(backends.element.get_by_role("button", name="Check: pai")).to_be_focused()
    backends.screen.shoot("backends-checked")


def test_what_keeps_pai_from_working_is_said_with_the_remedy(backends: Section, cloud: Emulator) -> None:
    cloud.fault("expired-token", action="GetWorkspace", times=None)
    backends.press("Check: pai")
    expect(backends.card(PAI)).to_contain_text("✗ not ready")
    expect(backends.card(PAI)).to_contain_text("%pai_config set workspace=ID")
    backends.screen.shoot("backends-missing")


# --- for everybody -----------------------------------------------------------------------------------------------


@pytest.fixture(params=["Light", "Dark"])
def look(screen: Screen, request: pytest.FixtureRequest) -> Iterator[Callable[[str], None]]:
    """Takes a screenshot in the theme, and asks axe-core about the part of the panel with this class."""
    screen.use_theme(request.param)
    if not screen.page.evaluate("'axe' in window"):
        screen.page.add_script_tag(path=AXE)

    def look(part: str) -> None:
        screen.shoot(f"{part.lower()}-{request.param.lower()}")
        assert faults(screen, f"#pai-jupyter-panel .pj-{part}") == []

    yield look
    screen.use_theme("Light")


def test_axe_finds_no_fault_in_boards(
    boards: Section, cloud: Emulator, look: Callable[[str], None], tmp_path: Path
) -> None:
    open_over(boards, log_into(cloud, "light and dark", tmp_path))
    board = boards.card("light and dark")
    expect(board).to_contain_text("running")
    look("Boards")
    board.get_by_role("button", name=re.compile("^Stop")).click()
    look("Boards")
    boards.press("Keep running")
    open_over(boards, "no address")
    expect(boards.element.get_by_role("alert")).to_be_visible()
    look("Boards")


def test_axe_finds_no_fault_in_backends(backends: Section, look: Callable[[str], None]) -> None:
    look("Backends")
    backends.press("Check: pai")
    expect(backends.card(PAI)).to_contain_text("✓ ready")
    look("Backends")


def test_tab_leads_to_every_control_of_both(boards: Section, backends: Section) -> None:
    boards.screen.page.mouse.move(0, 0)
    assert unreached(backends.screen.page, backends.element) == []
    assert unreached(boards.screen.page, unfold(boards.screen, "TensorBoard")) == []


def test_both_fit_into_a_narrow_panel(boards: Section, cloud: Emulator, tmp_path: Path) -> None:
    open_over(boards, log_into(cloud, "a-folder-of-a-very-long-name/" * 4, tmp_path))
    expect(boards.card("a-folder")).to_contain_text("running")
    section = unfold(boards.screen, "Backends")
    widen(boards.screen, 250)
    boards.screen.shoot("boards-250")
    for each in (boards.element, section):
        assert each.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_both_speak_chinese(browser: Browser, tmp_path: Path) -> None:
    with (
        clouded(tmp_path / "zh", PAI_JUPYTER_LANG="zh_CN.UTF-8") as (server, _),
        panelled(browser, server, "boards-zh") as screen,
    ):
        section = unfold(screen, "TensorBoard", folded="作业")
        expect(section).to_contain_text("没有正在运行的 TensorBoard。")
        expect(unfold(screen, "后端")).to_contain_text("可用")
        screen.shoot("boards-zh")
        assert screen.errors == []
        wait_for(lambda: screen.page.get_by_text("No TensorBoard runs").count() == 0)
