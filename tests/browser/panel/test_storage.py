"""Stored files as a person handles them in the side panel: real JupyterLab, real Chromium, a bucket of the emulator.

Chromium asks through a gatekeeper, at which a test keeps or cuts an upload. Each test works in a directory of its own.
Screenshots stay in tests/.work/screenshots.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Download, expect

from pai_jupyter.events import Status
from tests.browser.access.test_axe import AXE, faults
from tests.browser.access.test_keyboard import unreached
from tests.fakes.gatekeeper import Gatekeeper
from tests.server.test_explorer import PNG as NO_PICTURE
from tests.support.browser import Server, wait_for
from tests.support.emulators import BUCKET, Emulator
from tests.support.explorer import Explorer
from tests.support.sidepanel import clouded, panelled, unfold, widen
from tests.support.wire import RecordedJob

UPLOAD = "PUT /pai-jupyter/api/storage/file"
SCRIPT = "<img src=x onerror=window.__pwned=1><script>window.__pwned=1</script>"
ODD = ["训练 集", 'a\'; echo "x"', "<img src=x onerror=window.__pwned=1>", "100%25", "?a=b&c#d"]
FOLDERS = count(1)
REFUSED = re.compile(r"the server responded with a status of (4\d\d|502)")  # of what a test has refused
LOST = "The Jupyter server cannot be reached. Look whether it runs, then try again."


@pytest.fixture(scope="module")
def rehearsal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Emulator]]:
    with clouded(tmp_path_factory.mktemp("storage") / "server") as both:
        yield both


@pytest.fixture(scope="module")
def gate(rehearsal: tuple[Server, Emulator]) -> Iterator[Gatekeeper]:
    with Gatekeeper(urlsplit(rehearsal[0].url).netloc) as gate:
        yield gate


@pytest.fixture(scope="module")
def job(rehearsal: tuple[Server, Emulator]) -> Iterator[RecordedJob]:
    """A job that has ended, with an output whose names and texts are odd."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_HOME", str(rehearsal[0].home))
        job = RecordedJob("stored", name="训练 <b>a")
    for name in [*ODD, "line\nbreak"]:
        folder = outputs(job) / name
        folder.mkdir(parents=True)
        (folder / f"{name}.txt").write_text(SCRIPT)
    (job.folder.path / "run").mkdir()
    (job.folder.path / "run" / "outputs.json").write_text(json.dumps({"model": str(outputs(job))}))
    job.status(Status.SUCCEEDED)
    yield job
    job.release()


def outputs(job: RecordedJob) -> Path:
    return job.folder.path / "output" / "model"


@pytest.fixture(scope="module")
def page(browser: Browser, rehearsal: tuple[Server, Emulator], gate: Gatekeeper) -> Iterator[Explorer]:
    server, cloud = rehearsal
    with panelled(browser, replace(server, url=gate.address), "storage") as screen:
        yield Explorer(screen=screen, section=unfold(screen, "Storage", folded="Jobs"), cloud=cloud, gate=gate)


@pytest.fixture
def files(page: Explorer) -> Iterator[Explorer]:
    """The section at its places; behind the test nothing has gone wrong in the page that the test did not expect."""
    page.begin()
    page.folder = f"work-{next(FOLDERS)}"
    page.screen.errors.clear()
    yield page
    assert [error for error in page.screen.errors if not REFUSED.search(error)] == []
    assert page.page.evaluate("window.__pwned") is None


# --- looking -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*ODD, "line\nbreak"])
def test_what_a_job_has_made_is_found_whatever_it_is_called(files: Explorer, job: RecordedJob, name: str) -> None:
    shown = name.replace("\n", " ")
    files.enter("Jobs")
    files.entry(f"{job.job.name} {job.id}/").dblclick()
    files.enter("model", shown)
    files.entry(f"{shown}.txt").dblclick()
    expect(files.preview).to_contain_text(SCRIPT)
    files.screen.shoot("storage-job")


def test_a_bucket_is_browsed_down_and_up_again(files: Explorer) -> None:
    for name in ODD:
        files.put(f"{name}/{name}.json", '{"a": [1]}')
    files.enter(BUCKET, files.folder)
    expect(files.listed.locator(".pj-Storage-name")).to_have_text(sorted(f"{name}/" for name in ODD))
    for name in ODD:
        files.enter(name)
        expect(files.entry(f"{name}.json")).to_be_visible()
        files.press(files.folder)
        expect(files.entry(f"{name}/")).to_have_attribute("aria-selected", "true")  # where one came from
    files.screen.shoot("storage-bucket")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("text.txt", SCRIPT, SCRIPT),
        ("order.json", '{"a":[1,{"b":12345678901234567890}]}', '"b": 12345678901234567890'),
        ("picture.svg", f"<svg xmlns='http://www.w3.org/2000/svg'>{SCRIPT}</svg>", SCRIPT),
        ("weights.bin", bytes(range(256)) * 64, "No preview available for this file type"),
        ("huge.csv", "1,2,3\n" * 2_000_000, "Showing the beginning of the file"),
        ("empty", "", "0 B"),
    ],
    ids=["text", "json", "svg", "binary", "huge", "empty"],
)
def test_a_file_is_looked_at(files: Explorer, name: str, content: bytes | str, said: str) -> None:
    files.put(name, content)
    files.at_home()
    files.entry(name).dblclick()
    expect(files.preview).to_contain_text(said)
    expect(files.preview.get_by_role("heading", name=name)).to_be_visible()
    files.screen.shoot(f"storage-preview-{name}")
    files.preview.get_by_role("button", name="Close").click()
    expect(files.preview).to_be_hidden()
    expect(files.listed).to_be_focused()


@pytest.mark.parametrize("is_whole", [True, False], ids=["whole", "broken"])
def test_a_picture_is_drawn_and_a_broken_one_has_its_name(files: Explorer, is_whole: bool) -> None:
    files.put("picture.png", files.page.screenshot() if is_whole else NO_PICTURE)
    files.at_home().entry("picture.png").dblclick()
    picture = files.preview.get_by_role("img", name="picture.png")
    expect(picture).to_be_attached()
    wait_for(lambda: picture.evaluate("one => one.complete"))
    assert picture.evaluate("one => one.naturalWidth > 0") == is_whole
    files.screen.shoot(f"storage-picture-{is_whole}")


def test_a_long_directory_comes_as_one_goes_on(files: Explorer, job: RecordedJob) -> None:
    many = outputs(job) / "many"
    many.mkdir()
    for number in range(2_500):
        (many / f"{number:05}").touch()
    files.go(f"job:{job.id}/model/many/")
    for known in (1_000, 2_000):
        expect(files.section).to_contain_text(f"Showing the first {known} entries")
        files.listed.press("End")
        expect(files.entry(f"{known - 1:05}")).to_be_in_viewport()
    expect(files.section).not_to_contain_text("Showing the first")
    files.listed.press("End")
    expect(files.entry("02499")).to_be_in_viewport()
    assert len(files.names) < 100  # of which those in sight are in the page


def test_who_comes_out_of_a_directory_finds_it_chosen_and_in_sight(files: Explorer, job: RecordedJob) -> None:
    for number in range(300):
        (outputs(job) / "wide" / f"{number:03}").mkdir(parents=True)
    files.go(f"job:{job.id}/model/wide/250/")
    files.is_at("250")
    files.listed.press("Backspace")
    files.is_at("wide")
    expect(files.entry("250/")).to_be_in_viewport()
    expect(files.entry("250/")).to_have_attribute("aria-selected", "true")


def test_a_directory_that_has_vanished_says_so_and_what_is_around_it_stays_at_hand(
    files: Explorer, job: RecordedJob
) -> None:
    gone = outputs(job) / "gone"
    gone.mkdir()
    files.go(f"job:{job.id}/model/")
    expect(files.entry("gone/")).to_be_visible()
    gone.rmdir()
    files.entry("gone/").dblclick()
    expect(files.section.get_by_role("alert")).to_contain_text("there is no 'gone' in output 'model', or no longer.")
    files.screen.shoot("storage-gone")
    files.press("Refresh")
    expect(files.entry("gone/")).to_have_count(0)
    expect(files.entry("训练 集/")).to_be_visible()


def test_refused_access_is_one_sentence(files: Explorer, fine: None) -> None:
    files.at_home()
    files.cloud.fault("expired-token", action="OSS:GET", times=None)
    files.press("Refresh")
    expect(files.section.get_by_role("alert")).to_have_count(1)
    expect(files.section.get_by_role("alert")).to_contain_text("the security token has expired.")
    files.screen.shoot("storage-refused")
    files.cloud.clear_faults()
    files.press("Try again")
    expect(files.section.get_by_role("alert")).to_have_count(0)


@pytest.fixture
def fine(page: Explorer) -> Iterator[None]:
    yield
    page.cloud.clear_faults()


# --- bringing and taking -----------------------------------------------------------------------------------------


def test_files_are_uploaded_by_the_button(files: Explorer, tmp_path: Path) -> None:
    contents = {name.replace("/", "-"): name.encode() * 100_000 for name in ["训练 集.txt", "<b>.bin", "空"]}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    files.at_home().choose_files(*(tmp_path / name for name in contents))
    for name in contents:
        expect(files.entry(name)).to_be_visible()
    expect(files.uploads).to_have_count(0)
    assert {name: files.cloud.get(f"{files.folder}/{name}") for name in contents} == contents


def test_files_are_uploaded_by_dropping_them(files: Explorer) -> None:
    files.at_home().drop(**{"一.txt": "1", "two.txt": "2"})
    for name in ("一.txt", "two.txt"):
        expect(files.entry(name)).to_be_visible()
    assert sorted(files.keys()) == ["two.txt", "一.txt"]
    expect(files.page.locator(".jp-DirListing")).to_have_count(1)  # JupyterLab is still there


def test_an_upload_tells_how_far_it_is_and_leaves_nothing_when_it_is_cancelled(files: Explorer, tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(1_200_000))
    (tmp_path / "next").write_bytes(b"next")
    files.at_home()
    kept = files.gate.hold(UPLOAD, passing=1_000_000)
    files.choose_files(tmp_path / "large", tmp_path / "next")
    expect(files.uploads).to_contain_text([re.compile(r"large · \d.* / 1.1 MB"), "next: waiting"])
    assert kept.wait(30)
    wait_for(lambda: len(files.left_on_the_server) == 1)
    files.screen.shoot("storage-upload")
    files.press("Cancel: large")
    expect(files.entry("next")).to_be_visible()
    expect(files.uploads).to_have_count(0)
    wait_for(lambda: files.left_on_the_server == [])
    assert files.keys() == ["next"]


def test_an_upload_that_is_cut_off_leaves_nothing_and_is_tried_again(
    files: Explorer, browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "large").write_bytes(b"large" * 1_000_000)
    server = files.screen.server
    with Gatekeeper(files.gate.target) as gate, panelled(browser, replace(server, url=gate.address), "cut") as screen:
        lost = screen.page.locator("dialog.jp-Dialog")  # JupyterLab's own, sooner or later
        screen.page.add_locator_handler(lost, lambda: lost.locator("button.jp-mod-accept").click())
        section = unfold(screen, "Storage", folded="Jobs")
        here = replace(files, screen=screen, section=section, gate=gate).at_home()
        kept = gate.hold(UPLOAD, passing=1_000_000)
        here.choose_files(tmp_path / "large")
        assert kept.wait(30)
        gate.cut()
        expect(here.uploads).to_contain_text([f"large: {LOST}"])
        screen.shoot("storage-cut")
        wait_for(lambda: here.left_on_the_server == [])
        assert here.keys() == []
        gate.mend()
        here.press("Try again")
        expect(here.entry("large")).to_be_visible()
    assert here.cloud.get(f"{here.folder}/large") == b"large" * 1_000_000


def test_what_is_there_is_replaced_only_when_one_says_so(files: Explorer) -> None:
    files.put("a.txt", "old")
    files.at_home().drop(**{"a.txt": "new", "b.txt": "b"})
    expect(files.section).to_contain_text("a.txt already exists. Replace?")
    expect(files.button("Keep")).to_be_focused()
    files.screen.shoot("storage-replace")
    files.press("Keep")
    expect(files.entry("b.txt")).to_be_visible()
    assert files.cloud.get(f"{files.folder}/a.txt") == b"old"
    files.drop(**{"a.txt": "new"})
    files.press("Replace")
    wait_for(lambda: files.cloud.get(f"{files.folder}/a.txt") == b"new")


def test_what_has_come_meanwhile_is_not_replaced_unasked(files: Explorer) -> None:
    files.at_home()
    files.put("a.txt", "of somebody else")
    files.drop(**{"a.txt": "mine"})
    expect(files.section).to_contain_text("a.txt already exists. Replace?")
    files.press("Keep")
    assert files.cloud.get(f"{files.folder}/a.txt") == b"of somebody else"


def test_two_pages_upload_at_once(files: Explorer, browser: Browser, tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"{number}").write_bytes(b"%d" % number * 10_000_000)
    files.at_home()
    with panelled(browser, files.screen.server, "storage-second") as screen:
        section = unfold(screen, "Storage", folded="Jobs")
        second = replace(files, screen=screen, section=section).at_home()
        files.choose_files(tmp_path / "1")
        second.choose_files(tmp_path / "2")
        expect(second.entry("2")).to_be_visible()
        expect(files.entry("1")).to_be_visible()
    assert [files.cloud.get(f"{files.folder}/{number}") for number in (1, 2)] == [b"1" * 10_000_000, b"2" * 10_000_000]


@pytest.mark.parametrize("name", ["训练 集.bin", 'a"b<c>.txt'])
def test_a_download_gives_the_same_bytes(files: Explorer, name: str) -> None:
    content = bytes(range(256)) * 20_000
    files.put(name, content)
    files.at_home().entry(name).click()
    with files.page.expect_download() as download:
        files.press("Download")
    assert download.value.path().read_bytes() == content
    assert download.value.suggested_filename[0] == name[0]


def test_several_files_are_downloaded_together(files: Explorer) -> None:
    for number in range(3):
        files.put(f"{number}", f"content {number}")
    files.at_home().listed.press("Control+a")
    with ExitStack() as stack:
        expected = [stack.enter_context(files.page.expect_download(ends_with(f"{number}"))) for number in range(3)]
        files.press("Download")
    assert [each.value.path().read_text() for each in expected] == ["content 0", "content 1", "content 2"]


def ends_with(name: str) -> Callable[[Download], bool]:
    return lambda download: download.suggested_filename == name


def test_a_folder_is_made_and_a_wrong_name_is_told(files: Explorer) -> None:
    files.at_home().press("New folder")
    box = files.section.get_by_role("textbox", name="Name of the new folder")
    box.fill("a/b")
    box.press("Enter")
    expect(files.section.get_by_role("alert")).to_contain_text("A name cannot contain slashes")
    files.screen.shoot("storage-new-folder")
    box.fill("新 <b>")
    box.press("Enter")
    files.enter("新 <b>")
    expect(files.section).to_contain_text("No files")


# --- deleting ----------------------------------------------------------------------------------------------------


def test_what_is_deleted_is_said_and_counted_before(files: Explorer) -> None:
    for name in ("a.txt", "b/1", "b/deep/2", "stays"):
        files.put(name, "1234")
    files.at_home().entry("b/").click()
    files.entry("a.txt").click(modifiers=["Control"])
    files.press("Delete")
    expect(files.section).to_contain_text("Delete b/, a.txt? In all 3 files, 12 B. This cannot be undone.")
    expect(files.button("Keep")).to_be_focused()
    files.screen.shoot("storage-delete")
    files.press("Keep")
    assert len(files.keys()) == 4
    files.press("Delete")
    files.confirm()
    expect(files.section).to_contain_text("Deleted 3 files")
    expect(files.entry("b/")).to_have_count(0)
    assert files.keys() == ["stays"]


def test_outputs_of_a_job_that_has_ended_are_deleted(files: Explorer, job: RecordedJob) -> None:
    doomed = outputs(job) / "doomed <b>"
    doomed.mkdir()
    (doomed / "x").touch()
    files.go(f"job:{job.id}/model/")
    files.entry("doomed <b>/").click()
    files.press("Delete")
    files.confirm()
    expect(files.section).to_contain_text("Deleted 1 file")
    assert not doomed.exists()


def test_a_deletion_that_is_refused_says_why(files: Explorer, fine: None) -> None:
    files.put("a.txt")
    files.at_home().entry("a.txt").click()
    files.press("Delete")
    files.cloud.fault("expired-token", times=None)
    files.confirm()
    expect(files.section.get_by_role("status")).to_contain_text("the security token has expired.")
    files.cloud.clear_faults()
    assert files.keys() == ["a.txt"]


# --- for everybody -----------------------------------------------------------------------------------------------


def test_everything_is_done_by_keyboard(files: Explorer) -> None:
    files.put("b/1.txt", "the first")
    files.put("b/2.txt", "the second")
    files.at_home()
    press = files.page.keyboard.press
    files.listed.focus()
    press("ArrowDown")
    press("Enter")
    files.is_at("b")
    files.listed.focus()
    press("End")
    press("Enter")
    expect(files.preview).to_contain_text("the second")
    press("Delete")
    expect(files.button("Keep")).to_be_focused()
    press("Escape")
    expect(files.listed).to_be_focused()
    press("Delete")
    press("Shift+Tab")
    press("Enter")
    expect(files.section).to_contain_text("Deleted 1 file")
    expect(files.listed).to_be_focused()
    press("Backspace")
    files.is_at(files.folder)
    assert files.keys() == ["b/1.txt"]


def test_tab_leads_to_every_control_and_out_of_the_section(files: Explorer) -> None:
    files.put("a.txt", "text")
    files.at_home().entry("a.txt").dblclick()
    expect(files.preview).to_contain_text("text")
    files.page.mouse.move(0, 0)
    assert unreached(files.page, files.section) == []


@pytest.fixture(params=["Light", "Dark"])
def painted(files: Explorer, request: pytest.FixtureRequest) -> Iterator[Callable[[str], None]]:
    """Takes a screenshot in the theme, and asks axe-core about it."""
    files.screen.use_theme(request.param)
    if not files.page.evaluate("'axe' in window"):
        files.page.add_script_tag(path=AXE)

    def look(what: str) -> None:
        files.screen.shoot(f"storage-{request.param.lower()}-{what}")
        assert faults(files.screen, "#pai-jupyter-panel .pj-Storage") == []

    yield look
    files.screen.use_theme("Light")


def test_axe_finds_no_fault(files: Explorer, fine: None, painted: Callable[[str], None], tmp_path: Path) -> None:
    painted("places")
    for name in ("sub/x", "训练 集.json", "a very long name of a file that nobody can read whole.tar.gz"):
        files.put(name, '{"a": [1, 2]}')
    files.at_home().entry("训练 集.json").dblclick()
    expect(files.preview).to_contain_text('"a"')
    painted("preview")
    files.press("Delete")
    expect(files.button("Keep")).to_be_visible()
    painted("delete")
    files.press("Keep")
    files.press("New folder")
    files.section.get_by_role("textbox").press("Enter")
    painted("new-folder")
    files.press("Cancel")
    kept = files.gate.hold(UPLOAD, passing=100_000)
    (tmp_path / "large").write_bytes(bytes(1_000_000))
    files.choose_files(tmp_path / "large")
    assert kept.wait(30)
    painted("upload")
    files.press("Cancel: large")
    files.cloud.fault("expired-token", action="OSS:PUT", times=None)
    files.choose_files(tmp_path / "large")
    expect(files.section.get_by_role("alert")).to_be_visible()
    painted("failed")
    files.press("Dismiss: large")


def test_it_fits_into_a_narrow_panel(files: Explorer) -> None:
    for name in ("sub/x", "a very long name of a file that nobody can read whole.tar.gz"):
        files.put(name, "text")
    files.at_home().entry("a very long name of a file that nobody can read whole.tar.gz").dblclick()
    expect(files.preview).to_contain_text("text")
    for pixels in (600, 250):
        widen(files.screen, pixels)
        files.screen.shoot(f"storage-{pixels}")
        assert files.section.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_it_speaks_chinese(browser: Browser, tmp_path: Path) -> None:
    with (
        clouded(tmp_path / "zh", PAI_JUPYTER_LANG="zh_CN.UTF-8") as (server, cloud),
        panelled(browser, server, "storage-zh") as screen,
    ):
        cloud.put("训练/a.json", '{"a": [1, 2]}')
        section = unfold(screen, "存储", folded="作业")
        for name in ("emulator/", "训练/", "a.json"):
            section.get_by_role("option").filter(has_text=name).dblclick()
        expect(section.get_by_role("region", name="预览")).to_contain_text('"a"')
        section.get_by_role("button", name="删除", exact=True).click()
        expect(section).to_contain_text("删除 a.json？共 1 个文件，13 B。此操作无法撤销。")
        screen.shoot("storage-zh")
        english = re.findall(r"[A-Za-z]{3,}", section.inner_text().replace("a.json", ""))
        assert (set(english) - {"oss", "emulator", "json"}, screen.errors) == (set(), [])
