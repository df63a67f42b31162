"""The HDFS of the chosen cluster in the side panel's files: real JupyterLab, real Chromium, emulated clusters.

Without any setting it is browsed, filled by drop of files and folders, downloaded from and cleared. Screenshots stay in
tests/.work/screenshots.
"""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, expect

from pai_jupyter.storage import Storage, open_storage
from pai_jupyter.storage.hdfs import HdfsAccess
from tests.browser.access.test_axe import AXE, faults
from tests.fakes.gatekeeper import Gatekeeper
from tests.support.browser import Screen, Server, jupyter
from tests.support.explorer import Explorer
from tests.support.needs import lacking
from tests.support.openpai_cluster import LabCluster, lab_cluster
from tests.support.sidebar import Sidebar
from tests.support.sidepanel import clouded, panelled, unfold


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabCluster]:
    with lab_cluster(tmp_path_factory.mktemp("lab") / "data", "v0.14") as lab:
        yield lab


@pytest.fixture(scope="module")
def living(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabCluster]:
    with lab_cluster(tmp_path_factory.mktemp("living") / "data", "v1.x") as lab:
        yield lab


@pytest.fixture(scope="module")
def files(browser: Browser, lab: LabCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    """The section of storage, at its places; the server knows the cluster `lab`."""
    with (
        clouded(tmp_path_factory.mktemp("cluster-storage") / "server") as (server, cloud),
        Gatekeeper(urlsplit(server.url).netloc) as gate,
    ):
        add(server, "lab", lab.emulator.address, lab)
        with panelled(browser, server, "cluster-storage") as screen:
            yield Explorer(screen=screen, section=unfold(screen, "Storage", folded="Jobs"), cloud=cloud, gate=gate)


def add(server: Server, name: str, address: str, lab: LabCluster) -> None:
    """Add a cluster, which is then the chosen one."""
    given = {"name": name, "address": address, "user": lab.user, "password": lab.password}
    headers = {"Authorization": f"token {server.token}"}
    httpx.post(f"{server.url}/pai-jupyter/api/clusters", headers=headers, json=given).raise_for_status()


def hdfs(lab: LabCluster) -> Storage:
    access = HdfsAccess.of(user=lab.user, base=f"{lab.emulator.address}/webhdfs/v1")
    return open_storage("hdfs://127.0.0.1/", hdfs=access)


def drop_paths(files: Explorer, *paths: Path) -> None:
    """Drop files and folders of this machine, as from a file manager."""
    box = files.section.locator(".pj-Storage").bounding_box()
    assert box is not None
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    session = files.page.context.new_cdp_session(files.page)
    for kind in ("dragEnter", "dragOver", "drop"):
        place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        session.send("Input.dispatchDragEvent", {"type": kind, **place, "data": data})
    session.detach()


def test_it_is_browsed_filled_by_drop_downloaded_from_and_cleared(
    files: Explorer, lab: LabCluster, tmp_path: Path
) -> None:
    files.begin()
    files.entry("lab (127.0.0.1)/").dblclick()
    files.is_at("127.0.0.1")
    files.press("New folder")
    files.section.get_by_role("textbox", name="Name of the new folder").fill("训练 50%")
    files.page.keyboard.press("Enter")
    files.enter("训练 50%")
    code = tmp_path / "code"
    (code / "data" / "empty").mkdir(parents=True)
    (code / "train 1.py").write_text("print(1)")
    (code / "data" / "中文#.txt").write_text("你好")
    (tmp_path / "run.sh").write_text("python train.py")
    drop_paths(files, code, tmp_path / "run.sh")
    expect(files.entry("code/")).to_be_visible()
    expect(files.entry("run.sh")).to_be_visible()
    expect(files.uploads).to_have_count(0)
    files.screen.shoot("cluster-storage-light")
    there = {entry.key: entry.size for entry in hdfs(lab).list("训练 50%/", recursive=True)}
    sizes = {"code/data/empty/": 0, "code/data/中文#.txt": 6, "code/train 1.py": 8, "run.sh": 15}
    assert there == {f"训练 50%/{path}": size for path, size in sizes.items()}
    drop_paths(files, code)
    expect(files.section).to_contain_text("code/data/中文#.txt, code/train 1.py already exists. Replace?")
    files.press("Keep")
    files.enter("code", "data")
    files.entry("中文#.txt").dblclick()
    expect(files.preview).to_contain_text("你好")
    with files.page.expect_download() as download:
        files.press("Download")
    assert download.value.path().read_text() == "你好"
    files.press("训练 50%")
    files.is_at("训练 50%")
    files.entry("code/").click()
    line = "%pai_hdfs get 'hdfs://127.0.0.1/训练 50%/code/' ./code/"
    button = files.section.get_by_role("button", name="Download", exact=True)
    expect(button).to_be_disabled()
    expect(button).to_have_attribute("title", f"Folders are downloaded in a notebook: {line}")
    files.press("Delete")
    files.confirm()
    expect(files.entry("code/")).to_have_count(0)
    assert [entry.key for entry in hdfs(lab).list("训练 50%/", recursive=True)] == ["训练 50%/run.sh"]


def test_another_chosen_cluster_is_another_place_and_one_without_hdfs_a_sentence(
    files: Explorer, lab: LabCluster, living: LabCluster
) -> None:
    if not AXE.is_file():
        lacking("node", "axe-core is not installed")
    server, screen = files.screen.server, files.screen
    add(server, "other", lab.emulator.address.replace("127.0.0.1", "localhost"), lab)
    files.begin()
    expect(files.entry("other (localhost)/")).to_be_visible()
    expect(files.entry("lab (127.0.0.1)/")).to_have_count(0)
    use(screen, "lab")
    expect(files.entry("lab (127.0.0.1)/")).to_be_visible()
    expect(files.entry("other (localhost)/")).to_have_count(0)
    add(server, "living", living.emulator.address.replace("127.0.0.1", "localhost"), living)
    files.press("Refresh")
    expect(files.section).to_contain_text("the cluster living (v1.x) has no HDFS: its jobs have storages")
    expect(files.entry("Jobs/")).to_be_visible()
    expect(files.entry("lab (127.0.0.1)/")).to_have_count(0)
    screen.shoot("cluster-storage-none-light")
    screen.page.add_script_tag(path=AXE)
    assert faults(screen, ".pj-Storage") == []
    add(server, "away", "127.0.0.1:9", lab)
    files.press("Refresh")
    expect(files.section).to_contain_text("the cluster at http://127.0.0.1:9 cannot be reached")
    screen.shoot("cluster-storage-away-light")
    add(server, "lab", lab.emulator.address, lab)
    files.begin()


def use(screen: Screen, name: str) -> None:
    """Choose a cluster in the section of backends, and come back to that of storage."""
    backends = unfold(screen, "Backends", folded="Storage")
    backends.get_by_role("button", name=f"Use: {name}").click()
    expect(backends.get_by_role("button", name=f"Use: {name}")).to_have_attribute("aria-pressed", "true")
    unfold(screen, "Storage", folded="Backends")


def test_it_speaks_chinese(browser: Browser, tmp_path: Path, living: LabCluster) -> None:
    with jupyter(tmp_path / "zh", PAI_JUPYTER_LANG="zh_CN.UTF-8") as server:
        add(server, "living", living.emulator.address, living)
        with panelled(browser, server, "zh-cluster-storage") as screen:
            side = Sidebar(screen.page)
            side.fold("作业").click()
            side.fold("存储").click()
            expect(side.root).to_contain_text("集群 living（v1.x）没有 HDFS")
            screen.shoot("cluster-storage-none-zh")
            assert screen.errors == []
