"""Jobs compared in a tab of JupyterLab, in a real browser: values, states, curves, code. Screenshots are kept.

The tests write the jobs themselves, in the server's home, so that each knows what has to stand where.
"""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from pai_jupyter.events import Metric, Status, StatusChanged
from pai_jupyter.package import build
from tests.browser.access.test_axe import AXE, faults
from tests.browser.access.test_keyboard import unreached
from tests.browser.view.test_hostile import EVIL, FILE, assert_harmless
from tests.support.browser import Screen, Server, has_saved_layout, has_saved_state, jupyter, load, opened, wait_for
from tests.support.sidebar import Sidebar
from tests.support.sidepanel import HAS_PANEL, panelled
from tests.support.wire import RecordedJob

SCRIPT = """import time
lr: float = 0.1
for step in range(100):
    loss = {loss}
    print(step, loss)
# what both have
# and what is not shown
# since it is
# the same
# in both
# of them
print("the end")
"""
COMPARISON = ".pj-Comparison:not(.lm-mod-hidden) > section"


@pytest.fixture(scope="module")
def lab(browser: Browser, server: Server) -> Iterator[Screen]:
    # so high that the rows of all jobs of this file are drawn: the list draws only those in sight
    with panelled(browser, server, "compare", viewport={"width": 1280, "height": 1400}) as screen:
        yield screen
        assert screen.errors == []


Recorded = Callable[..., RecordedJob]


@pytest.fixture(scope="module")
def recorded(server: Server) -> Iterator[Recorded]:
    """Gives jobs of the server whose events the test writes; each runs, from a moment of its own."""
    jobs: list[RecordedJob] = []

    def recorded(name: str, *, script: str = SCRIPT.format(loss="1 / (step + 1)"), **spec: Any) -> RecordedJob:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PAI_JUPYTER_HOME", str(server.home))
            job = written(f"job-{len(jobs)}", script, name=name, **spec)
        job.record(StatusChanged(status=Status.RUNNING, time=time.time() - 60 * len(jobs)))
        jobs.append(job)
        return job

    yield recorded
    for job in jobs:
        job.status(Status.STOPPED)
        job.release()


def written(job_id: str, script: str, **spec: Any) -> RecordedJob:
    """A job with a script, and with a notebook that it comes from."""
    record = {"created": time.time(), "notebook": "compare.ipynb", "entry_point": "train.py"}
    job = RecordedJob(job_id, record=record, **spec)
    build(None, to=job.folder.path / "package.tar.gz", files={"train.py": script.encode()})
    return job


def measure(job: RecordedJob, name: str, *values: float) -> None:
    now = time.time()
    first = now - len(values)
    job.record(*(Metric(name=name, value=it, step=at, time=first + at) for at, it in enumerate(values, 1)))


@pytest.fixture(scope="module")
def pair(recorded: Recorded) -> tuple[RecordedJob, RecordedJob]:
    """Two jobs that differ in one value and in one line."""
    slow = recorded("iris-slow", hyperparameters={"lr": 0.01, "optimizer": "adam"})
    fast = recorded(
        "iris-fast", hyperparameters={"lr": 0.1, "optimizer": "adam"}, script=SCRIPT.format(loss="2 / (step + 1)")
    )
    for job, factor in ((slow, 1.0), (fast, 2.0)):
        measure(job, "loss", *(factor / step for step in range(1, 60)))
        measure(job, "accuracy", *(1 - factor / (step + 2) for step in range(1, 60)))
    return slow, fast


def choose(screen: Screen, *names: str) -> Sidebar:
    """Choose the jobs of these names, and no others."""
    sidebar = Sidebar(screen.page)
    for name in names:
        expect(sidebar.row(f"{name}, ")).to_be_visible()  # a row that comes between two clicks moves the others
    for number, name in enumerate(names):
        sidebar.row(f"{name}, ").click(modifiers=["ControlOrMeta"] if number else [])
    expect(sidebar.list.locator("[aria-selected=true]")).to_have_count(len(names))
    return sidebar


def compare(screen: Screen, *names: str) -> Locator:
    """The comparison of the jobs of these names, loaded, and no longer that of another tab."""
    choose(screen, *names).choose("Compare")
    comparison = screen.page.locator(COMPARISON)
    heads = comparison.get_by_role("table", name="Overview").locator("thead th")
    expect(heads).to_have_count(1 + len(names))
    for name in names:
        expect(heads.filter(has_text=name)).to_have_count(1)
    expect(comparison.locator("[aria-busy]")).to_have_count(0)
    expect(comparison.locator(".pj-JobView-difference")).to_contain_text(re.compile("the same|\\+ |not recorded"))
    return comparison


def cells(comparison: Locator, table: str, name: str) -> list[str]:
    """A row of a table."""
    rows = comparison.get_by_role("table", name=table).locator("tbody").get_by_role("row")
    return rows.filter(has_text=name).locator("th, td").all_inner_texts()


def differing(comparison: Locator, table: str) -> list[str]:
    """The names of the rows that are marked."""
    return comparison.get_by_role("table", name=table).locator("tbody tr[data-differs] th").all_inner_texts()


def is_drawn(chart: Locator) -> bool:
    """Whether the canvas of a chart has something on it."""
    return bool(
        chart.locator("canvas").evaluate(
            "one => one.getContext('2d').getImageData(0, 0, one.width, one.height).data.some(Boolean)"
        )
    )


def test_two_jobs_stand_side_by_side_and_what_differs_is_marked(
    lab: Screen, pair: tuple[RecordedJob, RecordedJob]
) -> None:
    comparison = compare(lab, "iris-fast", "iris-slow")
    assert sorted(cells(comparison, "Hyperparameters", "lr")[1:]) == ["0.01", "0.1"]
    assert differing(comparison, "Hyperparameters") == ["≠ lr"]  # a sign, and not a colour alone
    assert cells(comparison, "Overview", "State")[1:] == ["● Running", "● Running"]
    assert len(set(cells(comparison, "Final metrics", "loss")[1:])) == 2
    lab.shoot("compare-two")


def test_only_what_differs_can_be_had(lab: Screen, pair: tuple[RecordedJob, RecordedJob]) -> None:
    comparison = compare(lab, "iris-fast", "iris-slow")
    values = comparison.get_by_role("table", name="Hyperparameters").locator("tbody tr")
    expect(values).to_have_count(2)
    only = comparison.get_by_role("button", name="Differences only")
    only.click()
    expect(values).to_have_count(1)
    only.click()
    expect(values).to_have_count(2)


def test_curves_of_a_metric_lie_over_one_another(lab: Screen, pair: tuple[RecordedJob, RecordedJob]) -> None:
    comparison = compare(lab, "iris-fast", "iris-slow")
    charts = comparison.locator(".pj-JobView-card")
    expect(charts).to_have_count(2)  # one a metric
    loss = charts.filter(has_text="loss")
    loss.scroll_into_view_if_needed()
    expect(loss.locator("canvas")).to_be_visible()
    wait_for(lambda: is_drawn(loss))
    for name in ("iris-fast", "iris-slow"):
        expect(loss).to_contain_text(name)
    lab.shoot("compare-curves")


def test_the_names_of_curves_are_shown_whole(lab: Screen, recorded: Recorded) -> None:
    long = "a-name-as-long-as-those-that-people-give-to-jobs-of-whole-series-of-experiments-number"
    for number in (1, 2):
        measure(recorded(f"{long}-{number}"), "loss", *(1.25 / step for step in range(1, 60)))
    labels = compare(lab, f"{long}-1", f"{long}-2").locator(".pj-JobView-legendLabel")
    expect(labels).to_have_count(2)
    labels.first.scroll_into_view_if_needed()
    lab.shoot("compare-long-names")
    for label in labels.all():  # an inline text has no width of its own: the range that it covers has
        assert label.evaluate(
            """it => {
                const range = document.createRange();
                range.selectNodeContents(it);
                return range.getBoundingClientRect().right <= it.getBoundingClientRect().right + 1;
            }"""
        )


def test_the_code_is_compared_line_by_line_with_signs(lab: Screen, pair: tuple[RecordedJob, RecordedJob]) -> None:
    comparison = compare(lab, "iris-fast", "iris-slow")
    code = comparison.get_by_role("group", name="Difference of the code")
    code.scroll_into_view_if_needed()
    lab.shoot("compare-code")
    assert [line.strip() for line in code.locator("del, ins").all_inner_texts()] == [
        "−     loss = 1 / (step + 1)",
        "+     loss = 2 / (step + 1)",
    ]


def test_the_pair_whose_code_is_compared_can_be_chosen(lab: Screen, recorded: Recorded) -> None:
    for name in ("one", "two", "three"):
        recorded(f"pair-{name}", script=f"print({name!r})\n")
    comparison = compare(lab, "pair-one", "pair-two", "pair-three")
    gone, new = comparison.locator(".pj-JobView-difference del"), comparison.locator(".pj-JobView-difference ins")
    expect(gone).to_contain_text("one")  # from the oldest to the newest
    expect(new).to_contain_text("three")
    comparison.get_by_label("From").select_option(label="pair-two")
    expect(gone).to_contain_text("two")
    comparison.get_by_label("To").select_option(label="pair-two")
    expect(comparison.locator(".pj-JobView-difference")).to_contain_text("The scripts are the same.")
    lab.shoot("compare-three")


def test_it_is_live_while_a_job_runs(lab: Screen, recorded: Recorded) -> None:
    still, live = recorded("still"), recorded("live")
    still.status(Status.SUCCEEDED)
    comparison = compare(lab, "still", "live")
    expect(comparison).to_contain_text("None of these jobs has metrics so far.")
    measure(live, "f1", 0.25)
    metrics = comparison.get_by_role("table", name="Final metrics")
    expect(metrics).to_contain_text("0.25")
    measure(live, "f1", 0.5, 0.75)
    expect(metrics).to_contain_text("0.75")
    expect(comparison.locator(".pj-JobView-card").filter(has_text="f1")).to_have_count(1)
    live.status(Status.FAILED, exit_code=3)
    expect(comparison.get_by_role("table", name="Overview")).to_contain_text("✗ Failed")


def test_the_same_jobs_have_one_tab(lab: Screen, pair: tuple[RecordedJob, RecordedJob]) -> None:
    compare(lab, "iris-fast", "iris-slow")
    tabs = lab.page.get_by_role("tab", name="Comparison of 2 jobs").filter(visible=True)
    before = tabs.count()
    compare(lab, "iris-slow", "iris-fast")
    assert tabs.count() == before


def test_eight_jobs_with_hostile_names_are_shown_as_text_and_nine_are_not_offered(
    lab: Screen, recorded: Recorded
) -> None:
    names = [FILE, "训练 a b", "x" * 60, "a'; echo x", '"quoted"', "same", "toString", "{x} $HOME"]
    for number, name in enumerate(names):
        job = recorded(name, hyperparameters={"lr": number, "note": EVIL, "toString": EVIL * 20})
        measure(job, "<b>loss</b>", *(1 / (step + number) for step in range(1, 9)))
    comparison = compare(lab, *names)
    assert len(cells(comparison, "Hyperparameters", "lr")) == 1 + len(names)
    headings = comparison.get_by_role("table", name="Hyperparameters").locator("thead th").all_inner_texts()
    assert sorted(headings[1:]) == sorted(names)
    expect(comparison.locator(".pj-JobView-card").filter(has_text="<b>loss</b>")).to_have_count(1)
    lab.shoot("compare-eight")
    assert_harmless(lab)
    recorded("the ninth")
    choose(lab, *names, "the ninth").jobs.get_by_role("button", name="More actions").click()
    expect(lab.page.get_by_role("menuitem", name="TensorBoard", exact=True)).to_be_visible()
    expect(lab.page.get_by_role("menuitem", name="Compare", exact=True)).to_have_count(0)
    lab.page.keyboard.press("Escape")


def test_a_script_that_is_lost_is_told_and_spoils_nothing_else(lab: Screen, recorded: Recorded) -> None:
    recorded("stays", hyperparameters={"lr": 0.5})
    goes = recorded("goes", hyperparameters={"lr": 0.25})
    choose(lab, "stays", "goes").choose("Compare")
    comparison = lab.page.locator(COMPARISON)
    expect(comparison.get_by_role("table", name="Hyperparameters")).to_contain_text("0.25")
    (goes.folder.path / "package.tar.gz").unlink()
    comparison.get_by_label("To").select_option(label="stays")
    comparison.get_by_label("To").select_option(label="goes")
    expect(comparison.locator(".pj-JobView-difference")).to_contain_text("is not recorded here")
    assert "0.5" in cells(comparison, "Hyperparameters", "lr")
    lab.errors[:] = [error for error in lab.errors if "404" not in error]  # what the browser says of such an answer


def test_tab_leads_to_every_control(lab: Screen, pair: tuple[RecordedJob, RecordedJob]) -> None:
    comparison = compare(lab, "iris-fast", "iris-slow")
    lab.page.mouse.move(0, 0)
    assert unreached(lab.page, comparison) == []


def test_jobs_are_chosen_and_compared_by_keyboard(lab: Screen, pair: tuple[RecordedJob, RecordedJob]) -> None:
    sidebar = Sidebar(lab.page)
    sidebar.jobs.get_by_label("Filter jobs").fill("iris-")
    expect(sidebar.rows).to_have_count(2)
    sidebar.list.focus()
    lab.page.keyboard.press("Control+a")
    sidebar.jobs.get_by_role("button", name="More actions").focus()
    for key in ("Enter", "c"):
        lab.page.keyboard.press(key)
    expect(sidebar.jobs.get_by_role("menuitem", name="Compare")).to_be_focused()
    lab.page.keyboard.press("Enter")
    expect(lab.page.locator(".pj-Comparison:not(.lm-mod-hidden)")).to_be_focused()
    sidebar.jobs.get_by_label("Filter jobs").fill("")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_no_fault(lab: Screen, pair: tuple[RecordedJob, RecordedJob], theme: str) -> None:
    lab.use_theme(theme)
    comparison = compare(lab, "iris-fast", "iris-slow")
    comparison.locator(".pj-JobView-card").first.scroll_into_view_if_needed()
    lab.shoot(f"compare-{theme.lower()}")
    lab.page.add_script_tag(path=AXE)
    assert faults(lab, COMPARISON) == []
    lab.use_theme("Light")


def test_it_comes_back_when_the_page_is_loaded_again(lab: Screen, server: Server, recorded: Recorded) -> None:
    jobs = [recorded(f"back-{lr}", hyperparameters={"lr": lr}) for lr in (0.125, 0.625)]
    for job, factor in zip(jobs, (1.0, 2.0), strict=True):
        measure(job, "train/loss", factor)
        measure(job, "val/loss", 2 * factor)
    comparison = compare(lab, "back-0.125", "back-0.625")
    comparison.get_by_label("Baseline").select_option(label="back-0.125")
    expect(comparison.get_by_role("table", name="Final metrics")).to_contain_text("+2 (+100 %)")
    make_own_chart(comparison, "both losses", "train/loss", "val/loss")
    expect(comparison.locator(".pj-JobView-card h4").first).to_have_text("both losses")
    kept = "pai-jupyter-compare:" + " ".join(sorted(job.id for job in jobs))
    wait_for(lambda: has_saved_layout(server, kept))
    wait_for(lambda: has_saved_state(server, f'"baseline": "{jobs[0].id}"'))
    load(lab, f"{server.url}/lab?token={server.token}", HAS_PANEL)
    values = lab.page.locator(COMPARISON).get_by_role("table", name="Hyperparameters")
    expect(values).to_contain_text("0.625")
    expect(values).to_contain_text("0.125")
    again = lab.page.locator(COMPARISON)
    expect(again.get_by_label("Baseline")).to_have_value(jobs[0].id)
    expect(again.get_by_role("table", name="Final metrics")).to_contain_text("+2 (+100 %)")
    expect(again.locator(".pj-JobView-card h4").first).to_have_text("both losses")
    expect(again.get_by_role("img", name="Parallel coordinates")).to_be_visible()
    lab.shoot("compare-own-chart")
    again.get_by_role("button", name="Train and validation together").click()
    expect(again.locator(".pj-JobView-card").filter(has_text="back-0.125 · val")).to_have_count(1)
    remove_own_charts(again)


def make_own_chart(comparison: Locator, title: str, *metrics: str) -> None:
    comparison.locator("summary").filter(has_text="Own charts").click()
    charts = comparison.locator(".pj-JobView-chartList")
    charts.get_by_label("Title").fill(title)
    charts.get_by_label("Metrics", exact=True).select_option(label=[*metrics])
    charts.get_by_role("button", name="Save chart").click()


def remove_own_charts(comparison: Locator) -> None:
    """Take away what the settings would show in all other comparisons."""
    comparison.locator("summary").filter(has_text="Own charts").click()
    comparison.get_by_role("button", name="Remove").click()
    expect(comparison.get_by_role("button", name="Remove")).to_have_count(0)


def test_in_notebook_7_it_stands_below_the_notebook(
    browser: Browser, server: Server, pair: tuple[RecordedJob, RecordedJob]
) -> None:
    server.write("seven.ipynb", "print(7)")
    with opened(browser, server, "seven.ipynb", app="notebooks") as screen:
        screen.page.keyboard.press("Control+Alt+j")
        jobs = Sidebar(screen.page).jobs
        jobs.get_by_label("Filter jobs").fill("iris")  # the list is not high
        comparison = compare(screen, "iris-fast", "iris-slow")
        assert differing(comparison, "Hyperparameters") == ["≠ lr"]
        screen.shoot("compare-notebook-7")
        jobs.get_by_label("Filter jobs").fill("iris-fast")
        choose(screen, "iris-fast").press("Open")
        expect(screen.page.locator(".pj-JobTab")).to_contain_text("iris-fast")
        expect(comparison).to_be_hidden()  # the job came to the front
        assert screen.errors == []


def test_it_speaks_chinese(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with jupyter(tmp_path / "zh", PAI_JUPYTER_LANG="zh_CN.UTF-8") as server:
        monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
        jobs = [
            written(f"zh-{name}", f"print({name!r})", name=f"训练-{name}", hyperparameters={"lr": name})
            for name in ("a", "b")
        ]
        for job in jobs:
            measure(job, "loss", 1.0, 0.5)
            job.status(Status.SUCCEEDED)
            job.release()
        with panelled(browser, server, "zh") as screen:
            sidebar = choose(screen, "训练-a", "训练-b")
            sidebar.jobs.get_by_role("button", name="更多操作").click()
            sidebar.jobs.get_by_role("menuitem", name="比较").click()
            comparison = screen.page.locator(COMPARISON)
            expect(comparison.get_by_role("table", name="超参数")).to_contain_text("≠ lr")
            expect(comparison.get_by_role("table", name="概览")).to_contain_text("成功")
            screen.shoot("compare-zh")
            english = re.findall(r"\b(?:State|Created|Metrics|From|Succeeded|Running|Only)\b", comparison.inner_text())
            assert (english, screen.errors) == ([], [])
