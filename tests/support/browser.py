"""A real Jupyter server and a real Chromium, for tests that look at what a user would see.

One server has JupyterLab, Notebook 7 and our extension; each test opens a notebook of its own. Screenshots are kept in
tests/.work/screenshots for a person to look at.
"""

import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Dialog,
    Error,
    FrameLocator,
    Locator,
    Page,
    expect,
    sync_playwright,
)
from playwright.sync_api import Request as PageRequest

from tests.support.needs import need_program
from tests.support.paths import ROOT
from tests.support.patience import DEADLINE

SCREENSHOTS = ROOT / "tests" / ".work" / "screenshots"
# Loopback alone is resolved: a page that asks for anything else fails, and the test with it.
_CUT = "net::ERR_NETWORK_CHANGED"  # a container has come or gone on this machine
_UNREACHED = "Failed to fetch"  # what scripts hear then; a refusal by the server is called otherwise
_NOT_OURS = (
    "Cannot read properties of undefined (reading 'schema')",  # Notebook 7 says it of an empty notebook, too
    "Command 'filebrowser:open-path' not registered",  # and this
    "Cannot read properties of undefined (reading 'last_modified')",  # Notebook 7.0, of one without a checkpoint
    "_cellToolbarOverlapsContents",  # JupyterLab 4.0's toolbar of cells, of one that has gone by the next frame
    "Comm not found for comm id",  # ipywidgets, of a kernel that has had another page
    _CUT,
)
# Whether the notebook is there, with ipywidgets' renderer if that is installed: a cell that ends without shows its text.
_HAS_NOTEBOOK = """() => {
    if (typeof jupyterapp === 'undefined' || !document.querySelector('.jp-Notebook .jp-Cell')?.checkVisibility())
        return false;
    const {federated_extensions: extensions} = JSON.parse(document.getElementById('jupyter-config-data').textContent);
    return !extensions.some(it => it.name === '@jupyter-widgets/jupyterlab-manager') ||
        [...jupyterapp.shell.widgets('main')].some(it =>
            it.content?.rendermime?.mimeTypes.includes('application/vnd.jupyter.widget-view+json'));
}"""
_STANDING = """() => [document.activeElement?.outerHTML.slice(0, 300),
    ...[...document.querySelectorAll('.jp-Dialog')].map(each => each.innerText.slice(0, 500))].join(' | ')"""
_CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


@dataclass(kw_only=True)
class Server:
    """A Jupyter server over the directory `root`; its jobs are in `home`."""

    url: str = ""  # once it has started
    token: str
    root: Path
    home: Path
    log: Path
    command: list[str]
    environment: dict[str, str]

    def start(self) -> None:
        """Start it, at a free port if it never ran: one that a test had found free may be another's by now."""
        port = urlsplit(self.url).port or 0
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [*self.command, f"--port={port}"], env=self.environment, stdout=out, stderr=out, start_new_session=True
            )
        wait_for(self.is_up)

    def is_up(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        noted = Path(self.environment["JUPYTER_RUNTIME_DIR"]) / f"jpserver-{self.process.pid}.json"
        try:
            self.url = f"http://127.0.0.1:{json.loads(noted.read_text())['port']}"
            return bool(self.get("api/status"))
        except (OSError, ValueError):
            return False

    def end(self) -> None:
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def restart(self) -> None:
        """End the server with its kernels, and start it again at the same place."""
        self.end()
        self.start()

    def get(self, path: str, *, method: str = "GET") -> Any:  # Any: parsed JSON
        """What the server's own API answers."""
        request = Request(f"{self.url}/{path}", headers={"Authorization": f"token {self.token}"}, method=method)
        with urlopen(request, timeout=DEADLINE) as reply:
            body = reply.read()
        return json.loads(body) if body else None

    def write(self, name: str, *cells: str, outputs: Sequence[dict[str, object]] = ()) -> Path:
        """Put a notebook with these code cells below the root; `outputs` are MIME bundles, each saved in one more cell."""
        made = [_cell(str(number), cell) for number, cell in enumerate(cells)]
        made += [_cell(f"saved-{number}", "", bundle) for number, bundle in enumerate(outputs)]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": made}
        path = self.root / name
        path.write_text(json.dumps(notebook))
        return path

    def kernel_of(self, notebook: str) -> str | None:
        """The id of the notebook's kernel, once that is idle."""
        for session in self.get("api/sessions"):
            if session["path"] == notebook and session["kernel"]["execution_state"] == "idle":
                return str(session["kernel"]["id"])
        return None

    def restart_kernel(self, notebook: str) -> None:
        """Restart the notebook's kernel as another page would, whatever it is doing."""
        kernels = [each["kernel"]["id"] for each in self.get("api/sessions") if each["path"] == notebook]
        self.get(f"api/kernels/{kernels[0]}/restart", method="POST")


@contextmanager
def jupyter(
    place: Path,
    *,
    settings: dict[str, dict[str, object]] | None = None,
    labextensions: Path | str | None = None,
    python: Path | str = sys.executable,
    program: str = "jupyter_server",
    **environ: str,
) -> Iterator[Server]:
    """Start a Jupyter server of the test's own below `place`; `settings` are JupyterLab's, by plugin file.

    JupyterLab has the extensions in `labextensions`, or those of the environment that `python` belongs to. `program` is the
    module that is run: "jupyterlab" is what `jupyter lab` runs.
    """
    root, home, log = place / "notebooks", place / "jobs", place / "server.log"
    root.mkdir(parents=True)
    _write_settings(place / "settings", {"apputils-extension/notification": {"fetchNews": "false"}, **(settings or {})})
    token = secrets.token_hex(8)
    command = [str(python), "-m", program, "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    command += ["--ServerApp.port_retries=0", f"--IdentityProvider.token={token}"]
    command += ["--LabApp.expose_app_in_browser=True", "--JupyterNotebookApp.expose_app_in_browser=True"]
    command += [f"--ServerApp.root_dir={root}", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    if labextensions is not None:
        command.append(f"--LabApp.labextensions_path={labextensions}")
    server = Server(
        token=token,
        root=root,
        home=home,
        log=log,
        command=command,
        environment=_environment(place, home, environ),
    )
    try:
        server.start()
        yield server
    finally:
        server.end()
        _end_what_is_left(home)


def _end_what_is_left(home: Path) -> None:
    """Stop the jobs and TensorBoards of a server that is gone: a test that failed has not."""
    program = (
        "from pai_jupyter.jobs import list_jobs; from pai_jupyter.tensorboard import list_boards\n"
        "for each in [*list_jobs(refresh=False), *list_boards()]: each.stop()"
    )
    subprocess.run([sys.executable, "-c", program], env={**os.environ, "PAI_JUPYTER_HOME": str(home)}, check=True)


@dataclass
class Screen:
    """One page of the browser with a notebook on it, and what went wrong in it."""

    page: Page
    server: Server
    notebook: str
    errors: list[str] = field(default_factory=list)
    is_cut: bool = False  # whether a request was, since the page was asked for
    was_cut: bool = False  # whether one ever was

    def note(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.fail(message.text)

    def note_dialog(self, dialog: Dialog) -> None:
        """A dialog of the browser's own: JupyterLab has none but the question whether to leave the page."""
        if dialog.type == "beforeunload":
            dialog.accept()
        else:
            self.fail(f"dialog: {dialog.message}")
            dialog.dismiss()

    def note_request(self, address: str) -> None:
        parts = urlsplit(address)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in ("127.0.0.1", "localhost"):
            self.fail(f"request to {address}")

    def note_failure(self, request: PageRequest) -> None:
        if _CUT in (request.failure or ""):
            self.is_cut = self.was_cut = True

    def fail(self, error: str) -> None:
        if not any(text in error for text in _NOT_OURS) and not (self.was_cut and _UNREACHED in error):
            self.errors.append(error)

    @property
    def view(self) -> Locator:
        """The live views of jobs in the notebook."""
        return self.page.locator(".jp-OutputArea-output section.pj-JobView")

    def run_all(self) -> None:
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()

    def use_theme(self, name: str) -> None:
        """One of JupyterLab's own: "Light" or "Dark"."""
        self.page.get_by_role("menuitem", name="Settings", exact=True).click()
        for item in ("Theme", f"JupyterLab {name}"):
            self.page.locator(".lm-Menu-item:visible").filter(has_text=re.compile(f"^{item}$")).click()
        is_light = str(name == "Light").lower()
        expect(self.page.locator(f"body[data-jp-theme-light={is_light}]")).to_be_attached()

    def save(self) -> dict[str, Any]:  # Any: parsed JSON
        """Save the notebook; returns what is in the file then."""
        path = self.server.root / self.notebook
        before = path.stat().st_mtime_ns
        wait_for(lambda: self._saves(path, before))
        saved: dict[str, Any] = json.loads(path.read_text())
        return saved

    def _saves(self, path: Path, before: int) -> bool:
        """Ask for it; JupyterLab passes over that while it has not quite done with the last time."""
        self.page.keyboard.press("Control+s")
        with suppress(AssertionError):
            wait_for(lambda: path.stat().st_mtime_ns != before and _is_whole(path), seconds=2)
            return True
        return False

    def shoot(self, name: str) -> Path:
        """Keep a screenshot for a person to look at."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        self.page.screenshot(path=path)
        return path


def standing(page: Page) -> str:
    """What has the focus in the page, and what its dialogs say; for the report of a test that failed."""
    with suppress(Error):
        return str(page.evaluate(_STANDING))
    return "(the page is gone)"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's own Chromium; Playwright brings none."""
    program = need_program("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_CHROMIUM)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(
    browser: Browser, server: Server, notebook: str, *, app: str = "lab/tree", **context: Any
) -> Iterator[Screen]:
    """The notebook in JupyterLab ("lab/tree") or Notebook 7 ("notebooks"), its kernel idle. (Any: of a browser context)"""
    with watched(browser, server, notebook, **context) as screen:
        show(screen, app)
        yield screen


@contextmanager
def watched(browser: Browser, server: Server, notebook: str, **context: Any) -> Iterator[Screen]:
    """A page with nothing on it yet, of which everything that goes wrong is noted. (Any: of a browser context)"""
    page = browser.new_context(**{"viewport": {"width": 1280, "height": 1000}, **context}).new_page()
    page.set_default_timeout(DEADLINE * 1000)
    expect.set_options(timeout=DEADLINE * 1000)
    screen = Screen(page=page, server=server, notebook=notebook)
    page.on("console", screen.note)
    page.on("pageerror", lambda error: screen.fail(error.stack or str(error)))
    page.on("dialog", screen.note_dialog)
    page.on("request", lambda request: screen.note_request(request.url))
    page.on("requestfailed", screen.note_failure)
    try:
        yield screen
    except BaseException as exc:
        screen.shoot(f"failed-{Path(notebook).stem}")
        exc.add_note(f"errors of the page: {screen.errors}; what had the focus, and dialogs: {standing(page)}")
        raise
    finally:
        page.context.close()


def show(screen: Screen, app: str = "lab/tree") -> None:
    """Load the page, anew if it is there already."""
    server = screen.server
    reset = "reset&" if app.startswith("lab") else ""
    address = f"{server.url}/{app}/{screen.notebook}?{reset}token={server.token}"
    load(screen, address, _HAS_NOTEBOOK)
    wait_for(lambda: server.kernel_of(screen.notebook))


def load(screen: Screen, address: str, condition: str) -> None:
    """Go to `address`, and wait until the JavaScript function `condition` holds there."""
    screen.is_cut = True
    known = len(screen.errors)

    def has_come() -> bool:
        with suppress(Error):  # of a page that is cut itself, or changes meanwhile
            if screen.is_cut:  # perhaps an extension's script, and JupyterLab goes on without that
                screen.is_cut = False
                del screen.errors[known:]  # of the page that lacked it
                screen.page.goto(address, wait_until="domcontentloaded")
            return bool(screen.page.evaluate(condition))
        return False

    wait_for(has_come)


def expect_tag(board: FrameLocator | Page, tag: str) -> None:
    """Wait until this TensorBoard shows the tag; it may be up before it has read its files."""

    def is_shown() -> bool:
        with suppress(AssertionError):
            expect(board.locator(f"text={tag}").first).to_be_visible(timeout=3_000)
            return True
        if isinstance(board, Page):
            board.reload()
        else:
            board.locator(".reload-button").click()
        return False

    wait_for(is_shown)


def has_saved_layout(server: Server, text: str) -> bool:
    """Whether the layout that JupyterLab has saved names this; what is saved besides says nothing of where it was."""
    saved = server.get("lab/api/workspaces")["workspaces"]["values"]
    return any(text in json.dumps(each["data"].get("layout-restorer:data")) for each in saved)


def has_saved_state(server: Server, text: str) -> bool:
    """Whether what JupyterLab has saved, of the layout or of what is in it, has this, as JSON."""
    saved = server.get("lab/api/workspaces")["workspaces"]["values"]
    return any(text in json.dumps(each["data"]) for each in saved)


def wait_for(condition: Any, *, seconds: float = DEADLINE) -> None:  # Any: a callable without arguments
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def _is_whole(path: Path) -> bool:
    """Whether a notebook that is being written has been."""
    try:
        json.loads(path.read_text())
    except ValueError:
        return False
    return True


def _cell(name: str, source: str, saved: dict[str, object] | None = None) -> dict[str, object]:
    output = {"output_type": "display_data", "metadata": {}, "data": saved}
    return {
        "id": name,
        "cell_type": "code",
        "source": source,
        "metadata": {},
        "outputs": [output] if saved else [],
        "execution_count": None,
    }


def _environment(place: Path, home: Path, given: dict[str, str]) -> dict[str, str]:
    """This process's, without what it says of tests, and with Jupyter's folders below `place`."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "PAI_JUPYTER_STABLE")}
    folders = {"CONFIG": "config", "DATA": "data", "RUNTIME": "runtime"}
    return {
        **kept,
        **{f"JUPYTER_{name}_DIR": str(place / folder) for name, folder in folders.items()},
        "JUPYTERLAB_SETTINGS_DIR": str(place / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(place / "workspaces"),
        "IPYTHONDIR": str(place / "ipython"),
        "PAI_JUPYTER_HOME": str(home),
        "JUPYTER_PREFER_ENV_PATH": "1",
        **given,
    }


def _write_settings(place: Path, settings: dict[str, dict[str, object]]) -> None:
    for name, value in settings.items():
        package = place if name.startswith("pai-jupyter/") else place / "@jupyterlab"
        path = package / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
