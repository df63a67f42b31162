"""HDFS in the side panel: real JupyterLab, real Chromium, the emulated HDFS."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.fakes.gatekeeper import Gatekeeper
from tests.support.explorer import Explorer
from tests.support.hdfs import EmulatedHdfs, emulated_hdfs, open_hdfs, place
from tests.support.sidepanel import clouded, panelled, unfold

__all__ = ["emulated_hdfs"]


@pytest.fixture(scope="module")
def files(
    browser: Browser, emulated_hdfs: EmulatedHdfs, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Explorer]:
    """The section of storage, at its places; `demo` in HDFS is for everybody."""
    set_to = {"PAI_JUPYTER_HDFS_URL": emulated_hdfs.base, "PAI_JUPYTER_HDFS_USER": "alice"}
    with (
        place(emulated_hdfs, "demo"),
        clouded(tmp_path_factory.mktemp("hdfs") / "server", **set_to) as (server, cloud),
        Gatekeeper(urlsplit(server.url).netloc) as gate,
        panelled(browser, server, "hdfs") as screen,
    ):
        yield Explorer(screen=screen, section=unfold(screen, "Storage", folded="Jobs"), cloud=cloud, gate=gate)


def test_hdfs_is_browsed_filled_looked_at_downloaded_from_and_cleared(
    files: Explorer, emulated_hdfs: EmulatedHdfs
) -> None:
    hdfs = open_hdfs(emulated_hdfs, "demo")
    files.begin()
    files.entry("127.0.0.1/").dblclick()
    files.enter("demo")
    files.press("New folder")
    files.section.get_by_role("textbox", name="Name of the new folder").fill("数据 50%")
    files.page.keyboard.press("Enter")
    files.enter("数据 50%")
    files.drop(**{"train 50%.csv": "a,b\n1,2\n", "中文#.txt": "你好"})
    expect(files.entry("train 50%.csv")).to_be_visible()
    expect(files.entry("中文#.txt")).to_be_visible()
    assert hdfs.read("数据 50%/train 50%.csv") == b"a,b\n1,2\n"
    files.entry("中文#.txt").dblclick()
    expect(files.preview).to_contain_text("你好")
    files.screen.shoot("hdfs")
    with files.page.expect_download() as download:
        files.press("Download")
    assert download.value.path().read_text() == "你好"
    files.press("Delete")
    files.confirm()
    expect(files.entry("中文#.txt")).to_have_count(0)
    assert [entry.key for entry in hdfs.list(recursive=True)] == ["数据 50%/train 50%.csv"]
