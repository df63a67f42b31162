"""A notebook of a stranger, opened untrusted in JupyterLab: nothing of it runs before anybody has clicked.

JupyterLab has the extensions that `pip install pai_jupyter jupyterlab` brings, and no others of this environment. One
notebook has 16 tampered outputs and a saved widget state; each tries to run a script that sets `window.__pwned` and calls
a server on loopback.

The same notebook beside anywidget's extension shows that the test can fail, and why anywidget is only an extra of ours
(`pai_jupyter[widget]`): `AnyModel` imports the module `_esm` of its state when it is made, and jupyterlab_widgets makes a
model of all that a notebook's metadata has saved, before it asks for trust.
"""

import json
import re
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from pai_jupyter.view import JOB_MIME
from tests.support.browser import Screen, Server, jupyter, opened, wait_for
from tests.support.paths import ROOT

WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


class Collector:
    """A server on loopback that remembers who called; scripts may call it from any page."""

    def __init__(self) -> None:
        self.called: list[str] = []
        called = self.called

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                called.append(self.path)
                self.send_response(200)
                self.send_header("Access-Control-Allow-Origin", "*")
                self.send_header("Content-Type", "text/javascript")
                self.end_headers()
                self.wfile.write(b"window.__pwned = 'a module';")

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def script(self, name: str) -> str:
        """A script that tells that it has run, without a quotation mark of either kind."""
        return f"window.__pwned=`{name}`;fetch(`{self.address}/{name}`)"


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    collector = Collector()
    thread = threading.Thread(target=collector.server.serve_forever)
    thread.start()
    yield collector
    collector.server.shutdown()
    thread.join()
    collector.server.server_close()


# --- the notebook --------------------------------------------------------------------------------------------------


def tampered_outputs(at: Collector) -> list[dict[str, object]]:
    """16 outputs, each of which would like to run a script."""

    def image(name: str) -> str:
        return f'<img src="data:," onerror="{at.script(name)}">'

    def script(name: str) -> str:
        return f"<script>{at.script(name)}</script>"

    def job(name: str) -> dict[str, object]:
        evil = f"'>{image(name)}{script(name)}"
        fields = {"id": f"../{evil}", "name": evil, "state": "running", "place": evil, "at": evil}
        more = {"times": {evil: evil}, "values": {evil: evil, "__proto__": {"polluted": 1}}, "metrics": {evil: 1e308}}
        return {"schema": 1, **fields, **more, "is_cut": False}

    page = f"<body>{script('srcdoc')}{image('srcdoc')}</body>".replace('"', "&quot;")
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" onload="{at.script("svg")}">{script("svg")}</svg>'
    link = f"javascript:{at.script('link')}"
    deep: object = {"constructor": {"prototype": {"polluted": 1}}}
    for _ in range(100):
        deep = {"values": deep}
    return [
        {JOB_MIME: job("job"), "text/html": image("job-html"), "text/plain": "a job"},
        {JOB_MIME: {**job("job-id"), "id": link}, "text/plain": "an id"},
        {JOB_MIME: deep, "text/plain": "deep"},
        {"text/html": f"<p>html</p>{script('html')}{image('html-image')}", "text/plain": "html"},
        {"text/html": f'<iframe srcdoc="{page}"></iframe><iframe src="{link}"></iframe><p>frame</p>'},
        {"text/html": f'{svg}<math><a xlink:href="{link}">x</a></math><object data="{link}"></object><p>svg</p>'},
        {
            "text/html": f'<a href="{link}" autofocus onfocus="{at.script("focus")}">a link</a><base href="{at.address}/">'
        },
        {"application/javascript": at.script("javascript"), "text/plain": "a script"},
        {"text/javascript": at.script("text-javascript"), "text/plain": "a script as text"},
        {"text/markdown": f"# markdown\n{script('markdown')}{image('markdown')}\n\n[a]({link})"},
        {"text/latex": rf"$\href{{{link}}}{{latex}} \html{{{image('latex')}}}$ {image('latex')}"},
        {"image/svg+xml": svg, "text/plain": "a picture"},
        {"application/vnd.vega.v5+json": {"signals": [{"name": "x", "init": at.script("vega")}]}, "text/plain": "vega"},
        {"application/vnd.plotly.v1+json": {"data": [], "layout": {"title": image("plotly")}}, "text/plain": "plotly"},
        {"application/pdf": quote(script("pdf")), "text/plain": "pdf"},
        {WIDGET_VIEW: {"version_major": 2, "version_minor": 0, "model_id": "esm"}, "text/plain": "a widget"},
    ]


def widget_state(at: Collector) -> dict[str, object]:
    """Widgets as a notebook saves them; the page of each is made where its id is shown as an output."""
    image = f'<img src="data:," onerror="{at.script("widget-html")}">'
    # A module of the front end, as anywidget has it.
    module = f"{at.script('esm')};export default {{render: () => {{{at.script('esm-view')}}}}}"
    outputs = [
        {"output_type": "display_data", "metadata": {}, "data": {"application/javascript": at.script("output")}},
        {
            "output_type": "display_data",
            "metadata": {},
            "data": {"text/html": f"{image}<script>{at.script('out')}</script>"},
        },
    ]
    foreign = f"{at.address}/foreign"
    models = {
        "esm": model("anywidget", "AnyModel", version="~0.11.0", _view_module="anywidget", _view_name="AnyView",
                     _view_module_version="~0.11.0", _esm=module, _css="", _anywidget_id="x.X", layout="IPY_MODEL_layout"),
        "layout": model("@jupyter-widgets/base", "LayoutModel", version="2.0.0"),
        "html": control("HTML", value=image),
        "math": control("HTMLMath", value=image),
        "label": control("Label", value=image),
        "text": control("Text", value="x", description=image, description_allow_html=True),
        "output": model("@jupyter-widgets/output", "OutputModel", version="1.0.0", outputs=outputs, layout="IPY_MODEL_layout",
                        _view_module="@jupyter-widgets/output", _view_name="OutputView", _view_module_version="1.0.0"),
        "foreign": model(foreign, "EvilModel", version="1.0.0", _view_module=foreign, _view_name="EvilView"),
        "base": model("@jupyter-widgets/base", "DOMWidgetModel", version="2.0.0", _view_module=foreign, _view_name="EvilView"),
    }  # fmt: skip
    return {"version_major": 2, "version_minor": 0, "state": models}


def control(name: str, **state: object) -> dict[str, object]:
    module = "@jupyter-widgets/controls"
    view = {"_view_module": module, "_view_name": f"{name}View", "_view_module_version": "2.0.0"}
    return model(module, f"{name}Model", version="2.0.0", **view, layout="IPY_MODEL_layout", **state)


def model(module: str, name: str, *, version: str, **state: object) -> dict[str, object]:
    of_model = {"_model_module": module, "_model_name": name, "_model_module_version": version}
    return {"model_name": name, "model_module": module, "model_module_version": version, "state": {**of_model, **state}}


def write_notebook(server: Server, name: str, at: Collector) -> int:
    """Put the notebook below the server's root; returns how many outputs it has."""
    state = widget_state(at)
    shown: Any = state["state"]  # Any: JSON values
    views: list[dict[str, object]] = [
        {WIDGET_VIEW: {"version_major": 2, "version_minor": 0, "model_id": each}, "text/plain": f"widget {each}"}
        for each in shown
        if each not in ("esm", "layout")
    ]
    outputs = [*tampered_outputs(at), *views]
    path = server.write(name, outputs=outputs)
    notebook = json.loads(path.read_text())
    notebook["metadata"]["widgets"] = {WIDGET_STATE: state}
    path.write_text(json.dumps(notebook))
    return len(outputs)


# --- the extensions ------------------------------------------------------------------------------------------------


def default_packages() -> set[str]:
    """What `pip install pai_jupyter jupyterlab` installs, as far as this environment has it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found: set[str] = set()
    asked = [*project["dependencies"], "jupyterlab"]
    while asked:
        requirement = asked.pop()
        name = re.split(r"[\s\[<>=!~;(]", requirement, maxsplit=1)[0].lower().replace("_", "-")
        if name in found or "extra ==" in requirement:
            continue
        try:
            asked += distribution(name).requires or []
            found.add(name)
        except PackageNotFoundError:
            continue  # of another system
    return found


def link_labextensions(place: Path, *, packages: set[str]) -> Path:
    """A directory of labextensions with ours and those of these packages."""
    ours = ROOT / "pai_jupyter" / "labextension"
    (place / "pai-jupyter").parent.mkdir(parents=True)
    (place / "pai-jupyter").symlink_to(ours)
    for package in packages:
        for file in distribution(package).files or []:
            found = re.search(r"share/jupyter/labextensions/((?:@[^/]+/)?[^/]+)/package\.json$", str(file))
            if found:
                link = place / found[1]
                link.parent.mkdir(exist_ok=True)
                link.symlink_to(Path(str(distribution(package).locate_file(file))).resolve().parent)
    return place


@contextmanager
def opened_untrusted(browser: Browser, place: Path, collector: Collector, *, packages: set[str]) -> Iterator[Screen]:
    """The tampered notebook in a JupyterLab with the extensions of these packages, shown to its end; nobody clicks."""
    collector.called.clear()
    labextensions = link_labextensions(place / "labextensions", packages=packages)
    with jupyter(place / "server", labextensions=labextensions) as server:
        count = write_notebook(server, "tampered.ipynb", collector)
        with opened(browser, server, "tampered.ipynb") as screen:
            outputs = screen.page.locator(".jp-OutputArea-child")
            expect(outputs).to_have_count(count)
            for number in range(count):
                outputs.nth(number).scroll_into_view_if_needed()
            settle(screen)
            screen.shoot(f"tampered-{'anywidget' if 'anywidget' in packages else 'default'}")
            yield screen


def shown(screen: Screen) -> list[str]:
    return list(screen.page.evaluate("[...document.querySelectorAll('.jp-OutputArea-child')].map(e=>e.innerText)"))


def extensions(screen: Screen) -> set[str]:
    """The extensions that JupyterLab has loaded, beside its own."""
    config = "JSON.parse(document.getElementById('jupyter-config-data').textContent)"
    return set(screen.page.evaluate(f"{config}.federated_extensions.map(each => each.name)"))


def heard(screen: Screen) -> str:
    """The errors of the page until now: Playwright tells of them while it is asked something."""
    settle(screen)
    return "\n".join(screen.errors)


def settle(screen: Screen) -> None:
    """Wait until the saved widgets are restored and the page has nothing more to do."""
    wait_for(lambda: screen.page.evaluate("document.querySelector('.jp-Notebook') !== null"))
    screen.page.wait_for_load_state("networkidle")
    screen.page.evaluate("() => new Promise(done => requestIdleCallback(() => requestIdleCallback(done)))")


# --- what happens --------------------------------------------------------------------------------------------------


def test_the_default_install_has_no_anywidget() -> None:
    assert "ipywidgets" in default_packages()
    assert "anywidget" not in default_packages()


def test_the_default_install_runs_no_script_of_a_tampered_notebook(
    browser: Browser, tmp_path: Path, collector: Collector
) -> None:
    with opened_untrusted(browser, tmp_path, collector, packages=default_packages()) as screen:
        assert {"pai-jupyter", "@jupyter-widgets/jupyterlab-manager"} <= extensions(screen)
        # The saved widgets are restored by now: what no extension knows has been asked for.
        wait_for(lambda: "No version of module anywidget is registered" in heard(screen))
        settle(screen)
        assert screen.page.evaluate("[window.__pwned ?? null, ({}).polluted ?? null]") == [None, None]
        assert collector.called == []
        assert [error for error in screen.errors if "No version of module" not in error] == []
        assert "widget html" in shown(screen)  # no view of a saved widget is made: its text stands for it


def test_beside_anywidget_the_saved_script_runs_which_is_why_it_is_an_extra(
    browser: Browser, tmp_path: Path, collector: Collector
) -> None:
    with opened_untrusted(browser, tmp_path, collector, packages={*default_packages(), "anywidget"}) as screen:
        wait_for(lambda: "/esm" in collector.called)
        assert screen.page.evaluate("window.__pwned") == "esm"
        assert set(collector.called) == {"/esm"}  # nothing else of it runs here either
