"""Job files in the file browser, and clusters in the side panel: real JupyterLab, real Chromium, an emulated cluster.

A cluster is added, a job file submitted by the menu, its log seen live, and the job stopped. Screenshots stay in
tests/.work/screenshots.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from pai_jupyter.jobs import list_jobs
from tests.browser.access.test_axe import AXE, faults
from tests.browser.access.test_keyboard import unreached
from tests.support.browser import Screen, Server, jupyter, wait_for
from tests.support.needs import lacking
from tests.support.openpai_cluster import LabCluster, lab_cluster
from tests.support.openpai_files import V1, V2, changed
from tests.support.sidebar import Sidebar
from tests.support.sidepanel import panelled, unfold, widen

REFUSED = re.compile(r"the server responded with a status of (400|502)")  # of what a test has refused
TICKS = ["for i in $(seq 1 600); do echo tick $i; sleep 0.2; done"]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabCluster]:
    with lab_cluster(tmp_path_factory.mktemp("lab") / "data", "v1.x") as lab:
        yield lab


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with job files: a good one, one with a warning, one with mistakes, and one that goes on."""
    with jupyter(tmp_path_factory.mktemp("jobfiles") / "server") as server:
        write(server)
        yield server


@pytest.fixture
def screen(browser: Browser, served: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    """A page with the panel; the server has no cluster."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(served.home))
    for row in served.get("pai-jupyter/api/clusters")["clusters"]:
        served.get(f"pai-jupyter/api/clusters?name={row['name']}", method="DELETE")
    with panelled(browser, served, "job-files") as screen:
        yield screen
        assert [error for error in screen.errors if not REFUSED.search(error)] == []


def write(server: Server) -> None:
    good = changed(V2, {"taskRoles/worker/commands": ["echo hello $PAI_JOB_NAME"], "taskRoles/worker/instances": 1})
    files = {
        "good.pai.yaml": good,
        "ticks.pai.yaml": changed(good, {"taskRoles/worker/commands": TICKS}),
        "warned.pai.yaml": changed(good, {"taskRoles/worker/commands": ["echo a | cat"]}),
        "wrong.pai.json": changed(V1, {"taskRoles/0/taskNumber": 0, "image": ""}),
        "other.json": {},
    }
    for name, content in files.items():
        (server.root / name).write_text(json.dumps(content))


def menu(page: Page, name: str) -> Locator:
    """The context menu of a file in the file browser."""
    listing = page.locator("#filebrowser")
    if not listing.is_visible():
        page.locator('.lm-TabBar-tab[data-id="filebrowser"]').click()
    listing.locator(".jp-DirListing-item", has_text=name).click(button="right")
    shown = page.locator(".lm-Menu").last
    expect(shown.locator(".lm-Menu-item", has_text=re.compile("^(Rename|重命名)"))).to_be_visible()
    return shown


def start(page: Page, name: str, label: str = "Submit Job File") -> None:
    menu(page, name).locator(".lm-Menu-item", has_text=label).click()


def dialog(page: Page) -> Locator:
    return page.locator(".pj-CellDialog")


def fill(form: Locator, lab: LabCluster, *, password: str | None = None) -> None:
    texts = {"Name": "lab", "Address": lab.emulator.address, "User": lab.user, "Password": password or lab.password}
    for label, text in texts.items():
        form.get_by_label(label, exact=True).fill(text)


def press(form: Locator, label: str) -> None:
    form.get_by_role("button", name=label, exact=True).click()


def add(screen: Screen, lab: LabCluster) -> Locator:
    """Add the cluster in the panel, where that is open."""
    section = unfold(screen, "Backends", folded="Jobs").get_by_role("region", name="Clusters")
    press(section, "Add Cluster…")
    fill(dialog(screen.page), lab)
    press(dialog(screen.page), "Add")
    expect(dialog(screen.page)).to_have_count(0)
    expect(section.get_by_role("listitem")).to_contain_text(f"{lab.user} · {lab.emulator.address}")
    return section


def test_from_a_cluster_to_a_job_with_a_live_log_that_is_stopped(screen: Screen, lab: LabCluster) -> None:
    page = screen.page
    section = add(screen, lab)
    expect(section).to_contain_text("password in memory, until the server ends")
    widen(screen, 420)
    screen.shoot("op-clusters-light")
    start(page, "ticks.pai.yaml")
    tab = Sidebar(page).tabs
    expect(tab).to_contain_text(re.compile(r"tick \d+"))
    expect(tab).to_contain_text("Running")
    expect(tab.get_by_role("link", name="Open the job's page")).to_be_visible()
    first = ticks(tab)
    wait_for(lambda: ticks(tab) > first)
    screen.shoot("op-live-light")
    tab.get_by_role("button", name="Stop", exact=True).click()
    tab.get_by_role("group", name="Stop this job?").get_by_role("button", name="Stop", exact=True).click()
    expect(tab).to_contain_text("Stopped")
    [job] = list_jobs()
    assert (job.status, job.backend) == ("stopped", "openpai")
    Sidebar(page).open()
    unfold(screen, "Jobs")
    expect(Sidebar(page).row(job.name)).to_contain_text("OpenPAI")
    assert not [
        path for path in screen.server.home.rglob("*") if path.is_file() and lab.password.encode() in path.read_bytes()
    ]


def ticks(tab: Locator) -> int:
    return max(map(int, re.findall(r"tick (\d+)", tab.inner_text())), default=0)


def test_the_menu_is_for_job_files_and_the_palette_for_what_is_selected(screen: Screen) -> None:
    page = screen.page
    labels = re.compile("^(Submit|Simulate) Job File$")
    expect(menu(page, "good.pai.yaml").locator(".lm-Menu-item:visible", has_text=labels)).to_have_count(2)
    screen.shoot("op-menu-light")
    page.keyboard.press("Escape")
    expect(menu(page, "other.json").locator(".lm-Menu-item:visible", has_text=labels)).to_have_count(0)
    page.keyboard.press("Escape")
    palette(page, "Submit Job File")
    expect(page.locator(".Toastify")).to_contain_text(
        "Select a *.pai.json or *.pai.yaml file in the file browser first"
    )
    page.locator(".jp-DirListing-item", has_text="wrong.pai.json").click()
    palette(page, "Simulate Job File")
    expect(dialog(page)).to_contain_text("wrong.pai.json is not simulated.")
    press(dialog(page), "Close")


def palette(page: Page, command: str) -> None:
    page.keyboard.press("Control+Shift+C")
    page.locator(".lm-CommandPalette-input:visible").fill(command)
    expect(page.locator(".lm-CommandPalette-item.lm-mod-active")).to_contain_text(command)  # what Enter takes
    page.keyboard.press("Enter")


def test_a_file_with_mistakes_is_not_submitted_and_says_what_they_are(screen: Screen, lab: LabCluster) -> None:
    page = screen.page
    add(screen, lab)
    before = len(list_jobs())
    start(page, "wrong.pai.json")
    form = dialog(page)
    expect(form.get_by_role("alert").first).to_contain_text("`image` is empty. Give it a value.")
    expect(form.get_by_role("alert").first).to_contain_text(
        "`taskRoles[0].taskNumber` is 0; it must be from 1 to 10000."
    )
    expect(form.get_by_role("button", name="Submit", exact=True)).to_have_count(0)
    expect(form.get_by_role("button", name="Close", exact=True)).to_be_focused()
    screen.shoot("op-wrong-light")
    page.keyboard.press("Enter")
    expect(form).to_have_count(0)
    assert len(list_jobs()) == before


def test_the_dialog_asks_for_the_cluster_and_for_the_password_that_was_refused(screen: Screen, lab: LabCluster) -> None:
    page = screen.page
    start(page, "warned.pai.yaml")
    form = dialog(page)
    expect(form).to_contain_text("a failure before the last `|` is not seen")
    expect(form).to_contain_text("No cluster yet. Add one:")
    expect(form.get_by_label("Name", exact=True)).to_be_focused()
    press(form, "Submit")
    expect(form.get_by_role("alert").first).to_have_text("This field is empty.")
    fill(form, lab, password="not-the-password")
    screen.shoot("op-first-light")
    press(form, "Submit")
    refusal = f"the cluster refused the login of {lab.user}: Password is incorrect."  # and no magic beside the field
    expect(form.locator(".pj-JobView-formLine").last).to_have_text(refusal)
    expect(form.get_by_label("Name", exact=True)).to_have_count(0)
    screen.shoot("op-refused-light")
    form.get_by_label("Password", exact=True).focus()
    page.keyboard.press("Enter")
    expect(form.get_by_role("alert").first).to_have_text("This field is empty.")
    form.get_by_label("Password", exact=True).fill(lab.password)
    page.keyboard.press("Enter")
    expect(form).to_have_count(0)
    expect(Sidebar(page).tabs).to_contain_text("Succeeded")


def test_a_cluster_is_checked_when_it_is_added_and_by_its_button(screen: Screen, lab: LabCluster) -> None:
    page = screen.page
    none = "no cluster of OpenPAI is known"
    backends = unfold(screen, "Backends", folded="Jobs")
    expect(backends.get_by_role("listitem").filter(has_text="openpai")).to_contain_text(none)
    unfold(screen, "Jobs", folded="Backends")
    section = add(screen, lab)
    expect(backends).not_to_contain_text(none)
    widen(screen, 420)
    card = section.get_by_role("listitem")
    expect(card.get_by_role("status")).to_contain_text(f"logged in as {lab.user}")
    expect(card).to_contain_text("✓ password in memory")
    card.get_by_role("button", name="Check: lab").focus()
    page.keyboard.press("Enter")
    good = f"✓ OpenPAI v1.8.0 (Kubernetes) · logged in as {lab.user} · no HDFS"
    expect(card.get_by_role("status")).to_have_text(good)
    expect(card.get_by_role("button", name="Check: lab")).to_be_focused()
    screen.shoot("op-check-light")
    press(section, "Log In…: lab")
    dialog(page).get_by_label("Password", exact=True).fill("not-the-password")
    page.keyboard.press("Enter")
    expect(dialog(page)).to_have_count(0)
    expect(card.get_by_role("status")).to_contain_text("✓ OpenPAI v1.8.0 (Kubernetes)")
    expect(card.get_by_role("status")).to_contain_text(f"✗ the cluster refused the login of {lab.user}:")
    expect(card.get_by_role("status")).to_contain_text("Password is incorrect.")
    expect(card).to_contain_text("? password in memory")
    screen.shoot("op-check-password-light")
    press(section, "Add Cluster…")
    fill(dialog(page), lab)
    dialog(page).get_by_label("Name", exact=True).fill("away")
    dialog(page).get_by_label("Address", exact=True).fill("127.0.0.1:9")
    press(dialog(page), "Add")
    expect(section).to_contain_text("✗ the cluster at http://127.0.0.1:9 cannot be reached")
    screen.shoot("op-check-host-light")


def test_images_of_a_simulation_are_asked_for_and_bad_ones_are_said_at_their_field(screen: Screen) -> None:
    page = screen.page
    start(page, "good.pai.yaml", "Simulate Job File")
    form = dialog(page)
    field = form.get_by_label("python:3.11", exact=True)
    expect(field).to_be_focused()
    expect(form).to_contain_text("The local image to run in its place. Leave blank to keep it.")
    screen.shoot("op-simulate-light")
    field.fill("not an image")
    press(form, "Simulate")
    expect(form.get_by_role("alert").first).to_have_text("This is no name of an image, e.g. python:3.11-slim")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    screen.shoot("op-simulate-wrong-light")
    field.fill("pai-jupyter/nobody-has-this:1")
    asked = []
    page.on("request", lambda request: asked.append((request.url, request.post_data)))
    press(form, "Simulate")
    wait_for(lambda: any("jobfile/simulate" in url for url, _ in asked))
    sent = next(json.loads(data or "") for url, data in asked if "jobfile/simulate" in url)
    assert sent == {"path": "good.pai.yaml", "images": {"python:3.11": "pai-jupyter/nobody-has-this:1"}}


def test_axe_and_tab_find_every_control_in_both_themes(screen: Screen, lab: LabCluster) -> None:
    if not AXE.is_file():
        lacking("node", "axe-core is not installed")
    page = screen.page
    page.add_script_tag(path=AXE)
    section = add(screen, lab)
    press(section, "Check: lab")
    expect(section.get_by_role("listitem").get_by_role("status")).to_contain_text("no HDFS")
    for theme in ("Light", "Dark"):
        screen.use_theme(theme)
        Sidebar(page).root.hover()
        assert faults(screen, ".pj-Clusters") == []
        assert unreached(page, section) == []
        screen.shoot(f"op-clusters-{theme.lower()}")
        press(section, "Add Cluster…")
        form = dialog(page)
        press(form, "Add")
        expect(form.get_by_label("Name", exact=True)).to_be_focused()
        assert faults(screen, ".pj-CellDialog") == []
        screen.shoot(f"op-add-{theme.lower()}")
        page.keyboard.press("Escape")
        expect(form).to_have_count(0)
        start(page, "wrong.pai.json")
        expect(form).to_contain_text("is not submitted")
        assert faults(screen, ".pj-CellDialog") == []
        screen.shoot(f"op-wrong-{theme.lower()}")
        page.keyboard.press("Escape")
        start(page, "good.pai.yaml", "Simulate Job File")
        form.get_by_label("python:3.11", exact=True).fill("not an image")
        press(form, "Simulate")
        expect(form.get_by_role("alert").first).to_contain_text("This is no name")
        assert faults(screen, ".pj-CellDialog") == []
        screen.shoot(f"op-simulate-wrong-{theme.lower()}")
        page.keyboard.press("Escape")
        press(page.locator(".jp-Dialog").last, "Discard")
        expect(form).to_have_count(0)
        Sidebar(page).open()


def test_it_speaks_chinese(browser: Browser, tmp_path: Path, lab: LabCluster) -> None:
    with (
        jupyter(tmp_path / "zh", PAI_JUPYTER_LANG="zh_CN.UTF-8") as server,
        panelled(browser, server, "zh-job-files") as screen,
    ):
        write(server)
        page = screen.page
        expect(menu(page, "wrong.pai.json").locator(".lm-Menu-item", has_text="提交作业文件")).to_be_visible()
        screen.shoot("op-menu-zh")
        page.locator(".lm-Menu-item", has_text="提交作业文件").click()
        form = dialog(page)
        expect(form).to_contain_text("wrong.pai.json 没有提交。")
        expect(form).to_contain_text("`image` 为空。请赋值。")
        screen.shoot("op-wrong-zh")
        press(form, "关闭")
        start(page, "good.pai.yaml", "提交作业文件")
        expect(form).to_contain_text("还没有集群。请添加一个：")
        texts = {"名称": "lab", "地址": lab.emulator.address, "用户名": lab.user, "密码": lab.password}
        for label, text in texts.items():
            form.get_by_label(label, exact=True).fill(text)
        screen.shoot("op-first-zh")
        press(form, "提交")
        expect(Sidebar(page).tabs).to_contain_text("成功")
        Sidebar(page).open()
        unfold_chinese(page)
        press(Sidebar(page).root, "检查: lab")
        expect(Sidebar(page).root).to_contain_text(f"✓ OpenPAI v1.8.0（Kubernetes） · 已以 {lab.user} 登录 · 没有 HDFS")
        screen.shoot("op-clusters-zh")
        start(page, "good.pai.yaml", "模拟运行作业文件")
        form.get_by_label("python:3.11", exact=True).fill("a b")
        press(form, "模拟运行")
        expect(form).to_contain_text("这不是镜像的名称")
        screen.shoot("op-simulate-zh")
        assert screen.errors == []


def unfold_chinese(page: Page) -> None:
    side = Sidebar(page)
    side.fold("作业").click()
    side.fold("后端").click()
    expect(side.root.get_by_role("region", name="集群", exact=True)).to_contain_text("密码在内存中")
