"""What a job, a file name or a tampered notebook may say: it is shown as text, in a real browser, and nothing of it runs.

Every payload sets `window.__pwned` in one of the ways in which text becomes code, or asks `evil.invalid` for something.
A screen notes dialogs, errors of the console and requests that leave the machine (tests/support/browser.py).
"""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.sign import NotebookNotary
from playwright.sync_api import Browser, Locator, expect
from tensorboardX.event_file_writer import EventFileWriter
from tensorboardX.proto.event_pb2 import Event as TensorBoardEvent
from tensorboardX.proto.summary_pb2 import Summary

from pai_jupyter.events import Link, Metric, Notice, Phase, PhaseChanged, Progress, Status, Usage
from pai_jupyter.package import build
from pai_jupyter.view import JOB_MIME
from tests.support.browser import Screen, Server, jupyter, opened
from tests.support.patience import SOON
from tests.support.wire import RecordedJob

SCRIPT = "<script>window.__pwned=1</script>"
IMAGE = "<img src=x onerror='window.__pwned=1'>"
ADDRESS = "javascript:window.__pwned=1"
TURNED = "\u202egnp.\u2066exe\u2069"  # letters that turn the direction of what follows
EVIL = f"\"'>{IMAGE}{SCRIPT}<svg onload='window.__pwned=1'><a href='{ADDRESS}'>x</a><link href=//evil.invalid>{TURNED}"
FILE = "<img src=x onerror=window.__pwned=1>"  # as a file may be called
LONG = 50_000_000  # bytes of one line
LINES = [
    EVIL.encode(),
    b"\x1b]0;a title\x07\x1b]8;;"
    + ADDRESS.encode()
    + b"\x07a link\x1b]8;;\x07 \x1b]52;c;cHduZWQ=\x07 after the strings",
    b"\x1b[2J\x1b[H\x1b[999A\x1b[10;10Hmoved nowhere \x1b[?1049h\x1bc\x1b(0",
    b"\x1b[38;5;999m\x1b[38;2;300;-1;x;expression(alert(1))m\x1b[48;2;1;2;3;url(//evil.invalid)mpainted",
    b"".join(b"\x1b[3%dm." % (number % 8) for number in range(10_000)) + b"the bomb is over",
    b"\x1b[" + b"1;" * 10_000 + b"mmany parameters",
    b"\xff\xfe\xc3\x28 bytes of no text \xed\xa0\x80\xf8\x88\x80\x80\x80",
    TURNED.encode() + " turned \u2028 parted \x00\x08\x7f".encode(),
    b"loading  1%\r" * 1000 + b"loaded",
    b"\x1b]0;a title without an end",
    b"\x1b[1;31",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose store has the jobs `evil`, which goes on, and `failed`."""
    with jupyter(tmp_path_factory.mktemp("server")) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_HOME", str(server.home))
        evil, failed = running_job(), failed_job()
        yield server
        evil.status(Status.STOPPED)
        evil.release()
        failed.release()


@pytest.fixture(scope="module", params=["server", "widget"])
def attacked(request: pytest.FixtureRequest, browser: Browser, server: Server) -> Iterator[Screen]:
    """A notebook that shows both jobs, in either of the two ways."""
    attach = f"%env PAI_JUPYTER_RENDER={request.param}\n%load_ext pai_jupyter\n%pai_attach evil"
    notebook = f"{request.param}.ipynb"
    server.write(notebook, attach, "%pai_attach failed")
    with opened(browser, server, notebook) as screen:
        screen.run_all()
        expect(screen.view).to_have_count(2)
        expect(screen.view.first.locator(".pj-JobView-row").first).to_be_visible()
        yield screen


def running_job() -> RecordedJob:
    """A job that says the worst wherever it may say something."""
    values = {
        "lr": EVIL,
        "nested": {EVIL: [EVIL]},
        "huge": "x" * 100_000,
        "toString": "x",
        "constructor": ADDRESS,
    }
    job = RecordedJob(
        "evil",
        name="<img src=x onerror=window.__pwned=1>",
        command=f"python train.py --x '{EVIL}'",
        instance_type=EVIL,
        image_uri=EVIL,
        hyperparameters=values,
        environments={"EVIL": EVIL, "LINK": ADDRESS, "LINES": f"a\n{EVIL}"},
        inputs={"train": ADDRESS},
        outputs={"far": f"oss://evil.invalid/{EVIL}", "script": ADDRESS},
    )
    amend(job)
    write_outputs(job)
    job.status(Status.RUNNING, reason=EVIL)
    job.record(
        PhaseChanged(phase=Phase.RUNNING, time=time.time()),
        Progress(done=1, total=2, time=time.time(), unit=EVIL),
        Usage(replica=EVIL, time=time.time(), cpu=1.0, memory=1),
        Usage(replica="master-0", time=time.time(), cpu=1e300, memory=2**63),
        *(Link(name=EVIL + str(number), url=url) for number, url in enumerate(evil_addresses())),
        *(Notice(text=text, time=1.0, level=EVIL) for text in (EVIL, "\x1b[31m" * 1000 + "notice")),
        *(
            Metric(name=name, value=float(step), step=step, time=time.time(), replica=EVIL)
            for name in (EVIL, "__proto__", "constructor", "\x1b[31mred", "x" * 10_000)
            for step in range(3)
        ),
    )
    job.print(b"A" * LONG + b"\n")
    job.print(b"\n".join(LINES) + b"\nthe last line\n")
    return job


def failed_job() -> RecordedJob:
    job = RecordedJob("failed", name=FILE)
    job.status(Status.RUNNING)
    job.print(
        f'Traceback (most recent call last):\n  File "/ml/usercode/train.py", line 1, in <module>\nValueError: {EVIL}\n'
    )
    job.status(Status.FAILED, exit_code=1)
    return job


def evil_addresses() -> list[str]:
    return [
        ADDRESS,
        " \tJaVaScRiPt:window.__pwned=1",
        f"data:text/html,{SCRIPT}",
        "vbscript:x",
        "file:///etc/passwd",
        f"https://good.invalid/'\"><script>{ADDRESS}",
    ]


def amend(job: RecordedJob) -> None:
    """Give the job a cell and a package, as a notebook's have."""
    cell = f"%%pai_train evil\nprint({EVIL!r})\n{EVIL}\n{IMAGE}\n"
    path = job.folder.path
    package = build(
        None, to=path / "package.tar.gz", files={"train.py": cell.encode(), f"{FILE}.py": b"1", "‮yp.x": b""}
    )
    record = replace(
        job.folder.record, cell=cell, notebook=EVIL, entry_point="train.py", digest=package.digest, place=EVIL
    )
    (path / "job.json").write_text(json.dumps(record.to_json()))


def write_outputs(job: RecordedJob) -> None:
    """Files whose names and contents are hostile, in the output `model`, and event files in `tensorboard`."""
    places = {
        channel: Path(place) for channel, place in job.job.outputs.items() if "://" not in place and ":" not in place
    }
    for place in places.values():
        place.mkdir(parents=True, exist_ok=True)
    run = job.folder.path / "run"
    run.mkdir()
    (run / "outputs.json").write_text(json.dumps({channel: str(place) for channel, place in places.items()}))
    model = places["model"]
    for name, content in evil_files().items():
        (model / name).write_bytes(content)
    (model / f"{FILE} folder").mkdir()
    (model / f"{FILE} folder" / ADDRESS).write_text(EVIL)
    Path(os.fsdecode(os.fsencode(model) + b"/bytes \xff\xfe.txt")).write_text("a name of no text")
    writer = EventFileWriter(str(places["tensorboard"] / FILE))
    for tag in (EVIL, "__proto__", "\x1b[31mtag"):
        summary = Summary(value=[Summary.Value(tag=tag, simple_value=1.0)])
        writer.add_event(TensorBoardEvent(summary=summary, step=1, wall_time=time.time()))
    writer.close()


def evil_files() -> dict[str, bytes]:
    page = f"<!doctype html><html><body>{EVIL}</body></html>".encode()
    vector = f"<svg xmlns='http://www.w3.org/2000/svg' onload='window.__pwned=1'>{SCRIPT}</svg>".encode()
    return {
        f"{FILE}.html": page,
        "page.html": page,
        "vector.svg": vector,
        "evil.json": json.dumps({EVIL: [EVIL, {"__proto__": EVIL}], "n": 12345678901234567890}).encode(),
        "deep.json": b"[" * 20_000 + b"]" * 20_000,
        "vector.png": vector,
        "page.png": b"\x89PNG\r\n\x1a\n" + page,
        "new\nline.txt": b"\x1b[2J\x1b]0;title\x07" + EVIL.encode(),
        f"{TURNED}.txt": b"turned",
    }


def tab(view: Locator, name: str) -> Locator:
    """Its panel, shown."""
    view.get_by_role("tab", name=name, exact=True).click()
    return view.get_by_role("tabpanel", name=name)


def assert_harmless(screen: Screen) -> None:
    """Nothing has run or been loaded, nothing has become an element, and the page answers."""
    began = time.monotonic()
    found = screen.page.evaluate("""() => new Promise(done => requestAnimationFrame(() => done({
        ran: window.__pwned ?? null,
        polluted: [({}).polluted, Object.keys(Object.prototype)].flat().filter(Boolean),
        elements: document.querySelectorAll(
            'img[src="x"], [onerror], [onload], a[href^="javascript" i], a[href^="data" i], a[href^="file" i], ' +
            'link[href*="evil"], .jp-OutputArea script, iframe[src]').length,
    })))""")
    assert found == {"ran": None, "polluted": [], "elements": 0}
    assert time.monotonic() - began < SOON
    assert screen.errors == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Logs", "the last line"),
        ("Metrics", IMAGE),
        ("Resources", "CPU"),
        ("TensorBoard", "TensorBoard"),
        ("Files", "javascript:window.__pwned=1"),
        ("Source", IMAGE),
        ("Environment", IMAGE),
    ],
)
def test_every_tab_shows_it_as_text(attacked: Screen, name: str, text: str) -> None:
    view = attacked.view.first
    panel = tab(view, name)
    expect(panel).to_contain_text(text)
    view.scroll_into_view_if_needed()
    attacked.shoot(f"hostile-{Path(attacked.notebook).stem}-{name.lower()}")
    assert_harmless(attacked)


def test_the_head_shows_it_as_text(attacked: Screen) -> None:
    view = attacked.view.first
    expect(view.locator(".pj-JobView-name")).to_have_text(FILE)
    expect(view.locator(".pj-JobView-place")).to_contain_text(IMAGE)
    expect(view.locator(".pj-JobView-notices")).to_contain_text(IMAGE)
    expect(view.locator(".pj-JobView-links a")).to_have_count(1)  # the one that is an address of the web
    expect(view.locator(".pj-JobView-links li")).to_have_count(len(evil_addresses()))
    assert_harmless(attacked)


def test_every_line_is_on_one_row_and_reads_as_it_was_written(attacked: Screen) -> None:
    view = attacked.view.first
    tab(view, "Logs")
    log = view.get_by_role("log")
    for text in (
        IMAGE,
        "a link",
        "after the strings",
        "moved nowhere",
        "painted",
        "\ufffd( bytes of no text",
        "[U+202E]gnp.[U+2066]exe[U+2069] turned [U+2028] parted",
        "loaded",
        "a title without an end",
    ):
        expect(log.locator(".pj-JobView-row").filter(has_text=text)).to_have_count(1)
    heights = log.locator(".pj-JobView-row").evaluate_all("rows => rows.map(row => row.getBoundingClientRect().height)")
    assert len(set(heights)) == 1
    assert log.locator("span").count() < 1000  # ten thousand colours are not ten thousand elements
    assert_harmless(attacked)


def test_a_line_of_50_mb_is_clipped_and_can_be_seen_whole(attacked: Screen) -> None:
    view = attacked.view.first
    tab(view, "Logs")
    view.get_by_role("log").press("Home")
    expect(view.get_by_role("log")).to_contain_text("characters)")
    view.get_by_role("button", name="show whole line").first.click()
    dialog = view.get_by_role("dialog")
    expect(dialog).to_contain_text("AAAA")
    attacked.shoot(f"hostile-{Path(attacked.notebook).stem}-50-mb")
    dialog.get_by_role("button", name="Close").click()
    assert_harmless(attacked)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((f"{FILE}.html",), IMAGE),
        (("vector.svg",), "onload="),
        (("vector.png",), "onload="),  # what a file is, its bytes say
        (("page.png",), ""),
        (("evil.json",), "12345678901234567890"),
        (("deep.json",), "[["),
        (("new line.txt",), IMAGE),
        ((f"{FILE} folder/", ADDRESS), IMAGE),
    ],
)
def test_a_file_is_previewed_as_text(attacked: Screen, path: tuple[str, ...], text: str) -> None:
    panel = tab(attacked.view.first, "Files")
    open_outputs(panel)
    for name in path:
        panel.get_by_role("button", name=name, exact=True).click()
    expect(panel.get_by_role("heading", name=path[-1])).to_be_visible()
    expect(panel).to_contain_text(text)
    attacked.shoot(f"hostile-{Path(attacked.notebook).stem}-preview-{len(path[0])}")
    assert_harmless(attacked)


def test_a_file_whose_name_is_no_text_says_so(attacked: Screen) -> None:
    panel = tab(attacked.view.first, "Files")
    open_outputs(panel)
    panel.get_by_role("button", name="bytes \ufffd\ufffd.txt", exact=True).click()
    expect(panel.get_by_role("alert")).to_be_visible()
    assert_harmless(attacked)


def open_outputs(panel: Locator) -> None:
    """The directory of the output `model`, whatever was shown before."""
    trail = panel.get_by_role("navigation")
    expect(trail).to_contain_text("Channels")
    if trail.get_by_role("button").count():
        trail.get_by_role("button").first.click()
    panel.get_by_role("button", name="model", exact=True).click()


def test_a_table_of_metrics_shows_their_names_as_text(attacked: Screen) -> None:
    panel = tab(attacked.view.first, "Metrics")
    panel.get_by_role("button", name="Table").click()
    expect(panel.get_by_role("table").first).to_contain_text("__proto__")
    attacked.shoot(f"hostile-{Path(attacked.notebook).stem}-table")
    panel.get_by_role("button", name="Table").click()
    assert_harmless(attacked)


def test_the_cause_of_a_failure_is_text(attacked: Screen) -> None:
    view = attacked.view.last
    view.scroll_into_view_if_needed()
    expect(view.locator(".pj-JobView-cause")).to_contain_text(f"ValueError: \"'>{IMAGE}")
    expect(view.locator(".pj-JobView-tail")).to_contain_text(SCRIPT)
    attacked.shoot(f"hostile-{Path(attacked.notebook).stem}-failure")
    assert_harmless(attacked)


SAVED = {
    "schema": 1,
    "id": "nobody-has-this-job",
    "name": EVIL,
    "state": "running",
    "place": EVIL,
    "at": EVIL,
    "times": {EVIL: EVIL},
    "values": {EVIL: EVIL, "__proto__": "polluted", "constructor": ADDRESS},
    "metrics": {EVIL: 1, "toString": "nan"},
    "is_cut": False,
}
TAMPERED: list[object] = [
    {**SAVED, "id": "../../x"},
    {**SAVED, "id": "..%2f..%2fx"},
    {**SAVED, "id": "x" * 1_000_000},
    {**SAVED, "id": {"toString": "evil"}},
    {**SAVED, "name": "x" * 1_000_000},
    {**SAVED, "state": IMAGE},
    {**SAVED, "values": json.loads('{"__proto__": {"polluted": 1}}')},
    {**SAVED, "times": [EVIL] * 10, "metrics": "all"},
    {**SAVED, "metrics": {str(number): number for number in range(10_000)}},
    dict.fromkeys(SAVED, 1),
    {},
    [EVIL],
    EVIL,
    1e308,
]
KNOWN: list[object] = [SAVED, {**SAVED, "extra": EVIL}]  # what might be ours; their static HTML is shown


@pytest.fixture(scope="module", params=["untrusted-lab", "trusted-lab", "trusted-notebooks"])
def tampered(request: pytest.FixtureRequest, browser: Browser, server: Server) -> Iterator[Screen]:
    """A saved notebook that somebody has changed."""
    trust, app = request.param.split("-")
    picture, frame = "<img src='data:,' onerror='window.__pwned=1'>", "<iframe src='//evil.invalid'></iframe>"
    html = f"<p>static {picture}{SCRIPT}{frame}<a href='{ADDRESS}'>link</a></p>"
    outputs = [
        {JOB_MIME: payload, "text/html": html, "text/plain": f"plain {IMAGE} {number}"}
        for number, payload in enumerate([*TAMPERED, *KNOWN])
    ]
    notebook = server.write(f"tampered-{trust}-{app}.ipynb", outputs=outputs)
    if trust == "trusted":
        notary: Any = NotebookNotary(data_dir=server.environment["JUPYTER_DATA_DIR"])  # type: ignore[no-untyped-call]
        notary.sign(nbformat.read(notebook, as_version=4))  # type: ignore[no-untyped-call]  # both are nbformat's
    with opened(browser, server, notebook.name, app="lab/tree" if app == "lab" else app) as screen:
        yield screen


def test_a_tampered_notebook_does_nothing_but_show_text(tampered: Screen) -> None:
    outputs = tampered.page.locator(".jp-OutputArea-output")
    expect(outputs).to_have_count(len(TAMPERED) + len(KNOWN))
    for number in range(len(TAMPERED)):
        outputs.nth(number).scroll_into_view_if_needed()
        expect(outputs.nth(number)).to_have_text(f"plain {IMAGE} {number}")
    tampered.shoot(f"{Path(tampered.notebook).stem}-text")
    for number in range(len(TAMPERED), len(TAMPERED) + len(KNOWN)):
        outputs.nth(number).scroll_into_view_if_needed()
        expect(outputs.nth(number)).to_contain_text("static")
        expect(outputs.nth(number).get_by_text("link")).to_be_visible()
    tampered.shoot(f"{Path(tampered.notebook).stem}-static")
    assert_harmless(tampered)
