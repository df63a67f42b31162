"""Figures that a cell shows, in a real kernel and a real browser: pictures in Files, and their place in the log."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from pai_jupyter.jobs import attach
from tests.support.browser import Server, jupyter, opened

LOAD = "%load_ext pai_jupyter"
CELL = """%%pai_train drawn --run
%matplotlib inline
import helpers
import pandas as pd
import matplotlib.pyplot as plt
from tqdm.notebook import tqdm
for line in range(300):
    print("before", line)
for name in tqdm(["loss", "accuracy"]):
    fig, ax = plt.subplots()
    ax.plot(helpers.curve(name), label=name)
    ax.legend()
    ax.set_title(name)
    plt.show()
    for line in range(300):
        print("after", name, line)
display(pd.DataFrame({"epoch": [1, 2], "loss": [0.5, 0.25]}))
!echo shell of $name; exit 3
print("end")
"""
HELPERS = 'def curve(name):\n    return [1, 0.5, 0.3, 0.25] if name == "loss" else [0.2, 0.6, 0.8, 0.9]\n'
HOSTILE = """%%pai_train hostile --run
import os, pathlib
place = pathlib.Path(os.environ["PAI_OUTPUT_TENSORBOARD"], "pai_images")
place.mkdir()
(place / "image-0001.png").write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='window.__pwned=1'/>")
(place / "image-0002.png").write_text("<script>window.__pwned=1</script>")
(place / "image-0003.png").symlink_to("/etc/passwd")
(place / "<img src=x onerror=window.__pwned=1>.png").write_bytes(b"\\x89PNG\\r\\n\\x1a\\n")
(place / "image-0004.png").write_bytes(b"\\x89PNG\\r\\n\\x1a\\n<script>window.__pwned=1</script>")
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with jupyter(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="module")
def widget_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with jupyter(tmp_path_factory.mktemp("widgets"), PAI_JUPYTER_RENDER="widget") as server:
        yield server


@pytest.mark.parametrize("way", ["server", "widget"])
def test_figures_are_pictures_with_their_place_in_the_log(
    browser: Browser, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    server: Server = request.getfixturevalue("server" if way == "server" else "widget_server")
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    (server.root / "helpers.py").write_text(HELPERS)
    server.write("drawn.ipynb", LOAD, CELL)
    with opened(browser, server, "drawn.ipynb") as screen:
        screen.run_all()
        view = screen.view
        expect(view.locator(".pj-JobView-state")).to_contain_text("Succeeded")
        expect(view.get_by_text("exit code 3")).to_be_visible()
        view.get_by_role("tab", name="Files", exact=True).click()
        pictures = view.locator(".pj-JobView-images img")
        expect(pictures).to_have_count(2)
        assert [one.evaluate("image => image.naturalWidth > 100") for one in pictures.all()] == [True, True]
        view.get_by_role("button", name="Show in log: image-0002.png").scroll_into_view_if_needed()
        screen.shoot(f"images-{way}")
        view.get_by_role("button", name="Show in log: image-0002.png").click()
        expect(view.get_by_role("tabpanel", name="Logs")).to_be_visible()
        expect(view.get_by_text("[image] pai_images/image-0002.png")).to_be_visible()
        expect(view).to_contain_text("1 of 1")
        screen.shoot(f"images-{way}-log")
        view.get_by_role("tab", name="Files", exact=True).click()
        pictures.first.click()
        expect(view.get_by_role("heading", name="image-0001.png")).to_be_visible()
        assert screen.errors == []
    log = [line.text for line in attach("drawn").tail(1000)]
    assert [line for line in log if "[image]" in line] == [
        "[image] pai_images/image-0001.png",
        "[image] pai_images/image-0002.png",
    ]
    assert any("1      2  0.25" in line for line in log)
    assert any("100%" in line for line in log)


def test_pictures_of_a_hostile_job_run_nothing(
    browser: Browser, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    server.write("hostile.ipynb", LOAD, HOSTILE)
    with opened(browser, server, "hostile.ipynb") as screen:
        screen.run_all()
        view = screen.view
        expect(view.locator(".pj-JobView-state")).to_contain_text("Succeeded")
        view.get_by_role("tab", name="Files", exact=True).click()
        expect(view.locator(".pj-JobView-images img")).to_have_count(1)  # the one with a PNG's first bytes
        expect(view.locator(".pj-JobView-images")).to_contain_text("image-0004.png")
        view.get_by_role("button", name="tensorboard", exact=True).click()
        view.get_by_role("button", name="pai_images/").click()
        expect(view.get_by_text("onerror=window.__pwned=1")).to_be_visible()
        view.get_by_role("button", name="image-0001.png", exact=True).click()
        expect(view.locator("pre")).to_contain_text("onload")
        assert screen.page.evaluate("window.__pwned") is None
        assert screen.errors == []
