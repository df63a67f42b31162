"""Pages that note themselves what they go through (page.js), and the memory of the processes behind them."""

import statistics
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from playwright.sync_api import Browser, Page

from tests.support.browser import Screen, Server, show

DEADLINE = 90_000  # milliseconds that anything in a page may take at most
NOTES = Path(__file__).with_name("page.js")


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """What a page went through from `Watched.begin` to `Watched.end`."""

    frames: list[float]  # how long each took, in milliseconds
    messages: list[tuple[str, int]]  # that WebSockets brought: path and bytes

    @property
    def longest(self) -> float:
        return max(self.frames)

    @property
    def p95(self) -> float:
        return statistics.quantiles(self.frames, n=20)[-1]

    def traffic(self, path: str = "") -> tuple[int, int]:
        """Messages and bytes of the WebSockets with `path` in their address."""
        sizes = [size for name, size in self.messages if path in name]
        return len(sizes), sum(sizes)


class Watched:
    """A page with page.js in it. Conditions are expressions in JavaScript."""

    def __init__(self, page: Page) -> None:
        page.add_init_script(path=NOTES)
        self.page = page

    def begin(self) -> None:
        self.page.evaluate("bench.begin()")

    def end(self) -> Stretch:
        noted: dict[str, Any] = self.page.evaluate("({frames: bench.frames, messages: bench.messages})")  # parsed JSON
        starts = noted["frames"]
        frames = [after - before for before, after in pairwise(starts)]
        return Stretch(frames=frames, messages=[(path, size) for path, size in noted["messages"]])

    def await_seen(self, name: str, condition: str) -> None:
        """Note from now on when `condition` is seen to be true; `moment` tells."""
        self.page.evaluate(f"void (bench.moments.{name} = bench.seen(() => {condition}))")

    def await_added(self, name: str, selector: str) -> None:
        """Note from now on when such an element is added; `moment` tells."""
        self.page.evaluate(f"selector => void (bench.moments.{name} = bench.added(selector))", selector)

    def moment(self, name: str) -> float:
        """When that was, in milliseconds; waits for it without disturbing the page."""
        late = f"new Promise((_, fail) => setTimeout(() => fail(new Error('{name} was not seen')), {DEADLINE}))"
        took: float = self.page.evaluate(f"Promise.race([bench.moments.{name}, {late}])")
        return took

    @property
    def pressed(self) -> float:
        """When a key or a button of the mouse last went down, in milliseconds."""
        when: float = self.page.evaluate("bench.pressed")
        return when

    def run_cell(self, number: int) -> None:
        self.page.locator(".jp-CodeCell").nth(number).locator(".cm-content").click()
        self.page.keyboard.press("Shift+Enter")


@contextmanager
def notebook(browser: Browser, server: Server, name: str, *cells: str) -> Iterator[tuple[Watched, Screen]]:
    """A notebook with these cells in JupyterLab, its kernel idle."""
    server.write(name, *cells)
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    screen = Screen(page=page, server=server, notebook=name)
    try:
        watched = Watched(page)
        show(screen)
        page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
        yield watched, screen
    except BaseException:
        screen.shoot(f"failed-{name}")
        raise
    finally:
        page.close()


class Growth:
    """How much the anonymous memory of processes grows while this is open, at its peak, in MB."""

    def __init__(self, **pids: int) -> None:
        self._pids: Mapping[str, int] = pids
        self._before = {name: anonymous(pid) for name, pid in pids.items()}
        self._peak = dict(self._before)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._look()

    def of(self, name: str) -> float:
        return (self._peak[name] - self._before[name]) / 1024

    def _run(self) -> None:
        while not self._ended.wait(0.1):
            self._look()

    def _look(self) -> None:
        for name, pid in self._pids.items():
            self._peak[name] = max(self._peak[name], anonymous(pid))


def anonymous(pid: int) -> int:
    """The anonymous memory of a process in KiB: what it has allocated, without files that it has mapped."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))
