"""The live view in a real JupyterLab and a real Chromium: 1,000,000 lines while they come, 10,000,000 that are there.

The peers show lines in the same browser, in ways that people use: `ipywidgets.Output.append_stdout`, line by line, and text
appended to a `<pre>`. Both slow down as they grow (the first takes 6 seconds for 250 lines, and 35 for 500), so they get
fewer lines, and speeds are compared by the line. A goal that is no ratio stands behind a "/" in the name of its row.
"""

import re
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser

from pai_jupyter.events import Status, StatusChanged
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobFolder, JobRecord, JobStore
from pai_jupyter.store.index import Indexer
from tests.bench.harness import Row, at_least, at_most
from tests.bench.pages import Growth, Stretch, Watched, notebook
from tests.support.browser import Screen, Server, chromium, jupyter, wait_for

COMING, OUTPUT, PRE, METRICS, THERE = 1_000_000, 250, 100_000, 100_000, 10_000_000  # lines
LINE = "line {:08} of a log as a training job prints it"
METRIC_LINE = "step {:08} loss=0.1234 accuracy=0.9876 lr=0.001"
RARE = "the needle in it"
LOAD = "%load_ext pai_jupyter\nimport os; print('pid', os.getpid())"
TRAIN = """%%pai_train coming --run --backend process
for number in range({count}):
    print("{line}".format(number))
"""
APPEND = f"""import ipywidgets
output = ipywidgets.Output()
display(output)
for number in range({OUTPUT}):
    output.append_stdout("{LINE}\\n".format(number))
"""
# 500 lines at a time, a frame each, with the end kept in view.
APPEND_TO_PRE = f"""async () => {{
    const pre = document.createElement('pre');
    pre.style = 'height: 400px; overflow: auto';
    document.body.append(pre);
    for (let number = 0; number < {PRE}; number += 500) {{
        await new Promise(requestAnimationFrame);
        const lines = Array.from({{length: 500}}, (_, more) => '{LINE}\\n'.replace('{{:08}}', number + more));
        pre.append(document.createTextNode(lines.join('')));
        pre.scrollTop = pre.scrollHeight;
    }}
    await new Promise(requestAnimationFrame);
}}"""
ROWS = "[...document.querySelectorAll('.pj-JobView-log .pj-JobView-row')]"
LOG = "document.querySelector('.pj-JobView-log')"
SPANS = "[...document.querySelectorAll('.pj-JobView span')].map(span => span.textContent)"


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Lines that were shown as they came: how many, what the page went through, and how long it took in seconds."""

    lines: int
    stretch: Stretch
    seconds: float

    @property
    def speed(self) -> float:
        return self.lines / self.seconds


def rows() -> Iterator[Row]:
    with (
        tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch,
        jupyter(Path(scratch) / "jupyter") as server,
        chromium() as browser,
    ):
        ours = yield from _lines_that_come(browser, server)
        yield from _metrics_that_come(browser, server)
        yield from _lines_that_are_there(browser, server)
        yield from _beside_the_peers(ours, _watch_output(browser, server), _watch_pre(browser))


# ---- lines that come


def _lines_that_come(browser: Browser, server: Server) -> Generator[Row, None, Shown]:
    cell = TRAIN.format(count=COMING, line=LINE)
    with notebook(browser, server, "coming.ipynb", LOAD, cell) as (page, screen):
        kernel = _begin(page)
        before = _saved(screen, "pid")
        with Growth(kernel=kernel, server=server.process.pid) as growth:
            ours = _watch_job(page)
        grown = (_saved(screen, "Succeeded") - before) / 1000
    messages, size = ours.stretch.traffic("pai-jupyter")
    yield at_most(f"{COMING:,} lines come: p95 of frames (/ 50 ms)", ours.stretch.p95, 50, 1, "ms")
    yield at_most("  messages/s to the page (/ 6)", messages / ours.seconds, 6, 1, "")
    yield at_most("  MB/s to the page (/ 5 times 256 KiB)", size / ours.seconds / 1e6, 5 * 0.262144, 1, "MB/s")
    yield from _memory(growth)
    yield at_most("  the saved notebook's growth (/ 20 KB)", grown, 20, 1, "KB")
    return ours


def _watch_job(page: Watched) -> Shown:
    last = LINE.format(COMING - 1)
    page.await_added("mount", "section.pj-JobView")
    page.await_seen("end", f"{SPANS}.includes('{COMING:,} lines') && {ROWS}.at(-1)?.textContent === '{last}'")
    page.begin()
    page.run_cell(1)
    end, mount = page.moment("end"), page.moment("mount")
    return Shown(lines=COMING, stretch=page.end(), seconds=(end - mount) / 1000)


def _metrics_that_come(browser: Browser, server: Server) -> Iterator[Row]:
    """Every line has three metrics, and the charts are open."""
    cell = TRAIN.format(count=METRICS, line=METRIC_LINE)
    with notebook(browser, server, "metrics.ipynb", LOAD, cell) as (page, _):
        kernel = _begin(page)
        with Growth(kernel=kernel, server=server.process.pid) as growth:
            page.await_seen("end", "document.querySelector('.pj-JobView-state')?.textContent.includes('Succeeded')")
            page.begin()
            page.run_cell(1)
            page.page.locator(".pj-JobView").get_by_role("tab", name="Metrics").click()
            page.moment("end")
            stretch = page.end()
    yield at_most(f"{3 * METRICS:,} metrics come: p95 of frames (/ 50 ms)", stretch.p95, 50, 1, "ms")
    yield from _memory(growth)


# ---- lines that are there


def _lines_that_are_there(browser: Browser, server: Server) -> Iterator[Row]:
    job = _make_job(server.home)
    with notebook(browser, server, "there.ipynb", LOAD, f"%pai_attach {job.id}") as (page, _):
        kernel = _begin(page)
        with Growth(kernel=kernel, server=server.process.pid) as growth:
            since_mount, since_run = _open(page)
            yield at_most(f"{THERE:,} lines: time to open (/ 200 ms)", since_mount, 200, 1, "ms")
            yield at_most("  that, from the cell's run on (/ 1 s)", since_run / 1000, 1, 1)
            yield at_most("  jump to the middle (/ 200 ms)", _jump(page, 0.5), 200, 1, "ms")
            others = [_jump(page, part) for part in (0.1, 0.9, 0.0, 0.7, 0.3, 1.0, 0.2, 0.6)]
            yield at_most("  the longest of eight more jumps (/ 200 ms)", max(others), 200, 1, "ms")
            rare = _search(page, RARE, f"{ROWS}.some(row => row.matches('.pj-JobView-isHit'))")
            yield at_most("  find a string near the end (/ 2 s)", rare, 2, 1)
            yield at_most(
                "  find that there is none (/ 2 s)", _search(page, "Nothing", f"{SPANS}.includes('no matches')"), 2, 1
            )
        yield from _memory(growth)


def _make_job(home: Path) -> JobFolder:
    """A job that has ended, with the files that its supervisor would have written."""
    record = JobRecord(id="there", spec=JobSpec(name="there", command="true"), backend="process", created=1.0)
    folder = JobStore(home).create(record)
    folder.start(JobRef(backend="process", job_id=record.id), folder.read().state)
    log, index = folder.path / "logs" / "master-0.log", Indexer()
    with log.open("wb") as lines, log.with_suffix(".idx").open("wb") as records:
        for start in range(0, THERE, 10_000):
            numbers = range(start, start + 10_000)
            block = "".join([f"{LINE.format(number)}\n" for number in numbers])
            if start == THERE - 20_000:
                block = block.replace("of a log", RARE, 1)
            lines.write(block.encode())
            records.writelines(record.pack() for record in index.feed(block.encode(), 2.0))
    lock = folder.try_lock()
    assert lock is not None
    with lock, closing(folder.writer("indexed")) as writer:
        writer.record(StatusChanged(status=Status.SUCCEEDED, time=3.0))
    return folder


def _open(page: Watched) -> tuple[float, float]:
    """Milliseconds to the last lines on screen: since the view came into the page, and since its cell was run."""
    page.await_added("mount", "section.pj-JobView")
    page.await_seen("end", f"{ROWS}.at(-1)?.textContent === '{LINE.format(THERE - 1)}'")
    page.run_cell(1)
    end = page.moment("end")
    return end - page.moment("mount"), end - page.pressed


def _jump(page: Watched, part: float) -> float:
    """Milliseconds from scrolling to this part of the log to its lines on screen."""
    number = f"Number({ROWS}[0]?.textContent.slice(5, 13))"
    near = f"{ROWS}.every(row => row.textContent) && Math.abs({number} - {part * THERE}) < {THERE // 100}"
    took: float = page.page.evaluate(f"""async () => {{
        const start = performance.now();
        {LOG}.scrollTop = {LOG}.scrollHeight * {part};
        return await bench.seen(() => {near}) - start;
    }}""")
    return took


def _search(page: Watched, text: str, found: str) -> float:
    """Seconds from Enter in the search box to `found`."""
    box = page.page.get_by_role("searchbox")
    box.fill(text)
    page.await_seen("found", found)
    box.press("Enter")
    return (page.moment("found") - page.pressed) / 1000


# ---- the peers


def _beside_the_peers(ours: Shown, output: Shown, pre: Shown) -> Iterator[Row]:
    for name, peer, more in (("append_stdout", output, 100), ("<pre>", pre, 5)):
        yield at_least(f"lines/s to the last one shown / {name}", ours.speed, peer.speed, more, "lines/s")
        yield at_most("  longest frame meanwhile", ours.stretch.longest, peer.stretch.longest, 1, "ms")
    sent, theirs = (shown.stretch.traffic()[1] / shown.lines for shown in (ours, output))
    yield at_most("bytes/line to the page / append_stdout", sent, theirs, 0.001, "B")


def _watch_output(browser: Browser, server: Server) -> Shown:
    with notebook(browser, server, "output.ipynb", LOAD, APPEND) as (page, _):
        _begin(page)
        last = LINE.format(OUTPUT - 1)
        shown = "[...document.querySelectorAll('.jupyter-widgets .jp-OutputArea-output')].at(-1)?.textContent"
        page.await_seen("end", f"{shown}?.includes('{last}')")
        page.begin()
        page.run_cell(1)
        end = page.moment("end")
        return Shown(lines=OUTPUT, stretch=page.end(), seconds=(end - page.pressed) / 1000)


def _watch_pre(browser: Browser) -> Shown:
    with browser.new_page() as blank:
        page = Watched(blank)
        blank.goto("about:blank")
        page.begin()
        start = time.perf_counter()
        blank.evaluate(APPEND_TO_PRE)
        seconds = time.perf_counter() - start
        return Shown(lines=PRE, stretch=page.end(), seconds=seconds)


# ---- all


def _begin(page: Watched) -> int:
    """Run the first cell, which says the process id of its kernel."""
    page.run_cell(0)
    printed = page.page.locator(".jp-OutputArea-output", has_text=re.compile(r"pid \d+")).first.inner_text()
    return int(printed.split()[1])


def _saved(screen: Screen, text: str) -> int:
    """Save the notebook when its outputs hold `text`; returns its size in bytes."""
    wait_for(lambda: text in str(screen.save()["cells"]))
    return (screen.server.root / screen.notebook).stat().st_size


def _memory(growth: Growth) -> Iterator[Row]:
    for name in ("kernel", "server"):
        yield at_most(f"  memory that the {name} took for it (/ 50 MB)", growth.of(name), 50, 1, "MB")
