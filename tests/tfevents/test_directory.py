"""All event files below a directory: runs as TensorBoard names them, only what was added, and nothing from outside."""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_multiplexer import EventMultiplexer
from tensorboardX import SummaryWriter

from pai_jupyter.tfevents import EventDirectory, EventNews, directory, reading

Run = dict[str, list[float]]


def write_run(folder: Path, tag: str = "loss", values: Iterable[float] = (1, 2, 3)) -> Path:
    with SummaryWriter(str(folder)) as writer:
        for step, value in enumerate(values):
            writer.add_scalar(tag, value, step)
    return max(folder.glob("*tfevents*"), key=lambda path: path.stat().st_mtime_ns)


def values(news: EventNews) -> dict[str, Run]:
    found: dict[str, Run] = {}
    for run, series in news.runs:
        for tag, columns in series.items():
            found.setdefault(run, {}).setdefault(tag, []).extend(columns.values)
    return found


def read_all(directory: EventDirectory) -> dict[str, Run]:
    news = directory.read()
    assert not news.is_more
    assert news.notices == ()
    return values(news)


def test_runs_are_those_of_tensorboard(tmp_path: Path) -> None:
    for run in ["", "train", "a b/训练", "a b/训练/deep/er", "'; echo x"]:
        write_run(tmp_path / run, tag=run or "root")
    peer = EventMultiplexer().AddRunsFromDirectory(str(tmp_path)).Reload()
    found = read_all(EventDirectory(tmp_path))
    assert {run or ".": list(series) for run, series in found.items()} == {
        run: tags["scalars"] for run, tags in peer.Runs().items()
    }


def test_a_directory_that_is_not_there_yet_is_empty(tmp_path: Path) -> None:
    events = EventDirectory(tmp_path / "later")
    assert read_all(events) == {}
    write_run(tmp_path / "later")
    assert read_all(events) == {"": {"loss": [1, 2, 3]}}


def test_a_large_directory_is_listed_seldom_and_what_is_known_is_read_meanwhile(tmp_path: Path) -> None:
    clock = iter([0.0, 0.02, 1.0, 6.0, 12.0, 12.02])  # a listing of 20 ms, of which 0.3 % are every 6.7 s
    path = write_run(tmp_path / "a")
    events = EventDirectory(tmp_path, share=0.003, now=lambda: next(clock))
    assert read_all(events) == {"a": {"loss": [1, 2, 3]}}
    data = path.read_bytes() + write_run(tmp_path / "b").read_bytes()
    path.write_bytes(data)
    assert list(read_all(events)) == ["a"]
    assert read_all(events) == {}
    assert list(read_all(events)) == ["b"]


def test_only_files_and_directories_that_are_asked_for_count(tmp_path: Path) -> None:
    for run in ("a", "b", ".cache"):
        write_run(tmp_path / run)
    events = EventDirectory(tmp_path, enter=lambda name: name != ".cache", takes=lambda path, _: path.startswith("b/"))
    assert list(read_all(events)) == ["b"]


def test_each_call_gives_what_was_added(tmp_path: Path) -> None:
    path = write_run(tmp_path / "logs" / "run")
    events = EventDirectory(tmp_path / "logs")
    assert read_all(events) == {"run": {"loss": [1, 2, 3]}}
    assert read_all(events) == {}
    with path.open("ab") as file:
        file.write(write_run(tmp_path / "more", values=[4]).read_bytes())
        file.write(write_run(tmp_path / "acc", tag="acc", values=[0.5]).read_bytes())
    write_run(tmp_path / "logs" / "late")
    assert read_all(events) == {"run": {"loss": [4], "acc": [0.5]}, "late": {"loss": [1, 2, 3]}}


def test_files_of_one_run_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    for number, value in [(2, 20), (1, 10), (3, 30)]:
        written = write_run(tmp_path / f"w{number}", values=[value])
        written.rename(tmp_path / f"events.out.tfevents.{number}.host")
    assert read_all(EventDirectory(tmp_path)) == {"": {"loss": [10, 20, 30]}}


def test_other_files_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"x" * 100)
    os.mkfifo(tmp_path / "events.out.tfevents.pipe")
    (tmp_path / "tfevents").mkdir()
    assert read_all(EventDirectory(tmp_path)) == {}


def test_links_are_not_followed_wherever_they_lead(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "logs"
    secret = write_run(outside, "secret")
    write_run(inside / "run")
    (inside / "file.tfevents").symlink_to(secret)
    (inside / "folder").symlink_to(outside)
    (inside / "circle").symlink_to(inside)
    (inside / "broken.tfevents").symlink_to("nowhere")
    assert read_all(EventDirectory(inside)) == {"run": {"loss": [1, 2, 3]}}


def test_a_name_that_is_no_text_is_shown_with_marks(tmp_path: Path) -> None:
    written = write_run(tmp_path / "x")
    folder = tmp_path / os.fsdecode(b"run\xff")
    folder.mkdir()
    written.rename(folder / "events.out.tfevents.1")
    assert read_all(EventDirectory(tmp_path)) == {"run\N{REPLACEMENT CHARACTER}": {"loss": [1, 2, 3]}}


def test_a_flood_comes_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for run in "abc":
        write_run(tmp_path / run, values=range(100))
    monkeypatch.setattr(directory, "BLOCK", 5000)
    events, found, calls = EventDirectory(tmp_path), dict[str, Run](), 0
    is_more = True
    while is_more:
        news = events.read()
        found |= values(news)
        is_more, calls = news.is_more, calls + 1
    assert found == {run: {"loss": list(range(100))} for run in "abc"}
    assert calls > 1


def test_a_file_larger_than_a_block_comes_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run(tmp_path, values=range(100))
    monkeypatch.setattr(reading.read_scalars, "__kwdefaults__", {"limit": 1000})
    events = EventDirectory(tmp_path)
    first = events.read()
    assert first.is_more
    found = values(first)[""]["loss"]
    while (news := events.read()).is_more:
        found += values(news)[""]["loss"]
    assert found + values(news)[""]["loss"] == list(range(100))


def test_damage_is_told_once_and_hides_no_other_file(tmp_path: Path) -> None:
    damaged = write_run(tmp_path / "a")
    with damaged.open("ab") as file:
        file.write(b"\xff" * 50)
    write_run(tmp_path / "b")
    events = EventDirectory(tmp_path)
    news = events.read()
    assert values(news) == {"a": {"loss": [1, 2, 3]}, "b": {"loss": [1, 2, 3]}}
    assert ["damaged at byte" in notice for notice in news.notices] == [True]
    assert read_all(events) == {}


def test_files_without_end_are_bounded_and_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "MAX_FILES", 3)
    for number in range(5):
        write_run(tmp_path / str(number))
    events = EventDirectory(tmp_path)
    news = events.read()
    assert len(values(news)) == 3
    assert "more than 3 event files" in news.notices[0]
    assert read_all(events) == {}


def test_a_directory_full_of_other_things_is_not_walked_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory, "MAX_ENTRIES", 10)
    for number in range(20):
        (tmp_path / f"checkpoint-{number}").touch()
    assert "more than 10 files" in EventDirectory(tmp_path).read().notices[0]


def test_what_vanishes_is_no_news(tmp_path: Path) -> None:
    path = write_run(tmp_path / "a")
    events = EventDirectory(tmp_path)
    events.read()
    path.unlink()
    (tmp_path / "a").rmdir()
    assert read_all(events) == {}
    tmp_path.rmdir()
    assert read_all(events) == {}
