"""The journal on disk: every entry comes back, a torn line is cut off, a damaged one is named."""

import os
import stat
from pathlib import Path
from typing import get_args

import pytest

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.runs.journal import (
    Blocked,
    ConditionDecided,
    Entry,
    LoopExpanded,
    Noted,
    OutputsRead,
    OutputsWrong,
    ResultTaken,
    RunEnded,
    StopAsked,
    TryBegun,
    TryDropped,
    TryRefused,
)
from pai_jupyter.runs.journal_file import Journal, read_journal
from pai_jupyter.spec import Json

VALUES: dict[str, Json] = {
    "text": "训练 'a'; echo \x00\ud800",
    "none": None,
    "list": [1, 2.5, True, {}],
    "map": {"a": [None]},
}
ENTRIES: list[Entry] = [
    TryBegun(step="a[0]/b", job_id="j1", parameters=VALUES, artifacts={"x": ["/a b"]}, time=1.5),
    TryDropped(step="a", job_id="j1", time=2.0),
    TryRefused(step="a", job_id="j1", reason="no\nway", time=3.0),
    OutputsRead(step="a", job_id="j1", parameters=VALUES, artifacts={}, time=4.0),
    OutputsWrong(step="a", job_id="j1", reason="", time=5.0),
    ConditionDecided(step="a", is_met=False, values=VALUES, time=6.0),
    ConditionDecided(step="a", is_met=False, values={}, time=6.0, reason="it cannot be decided"),
    LoopExpanded(step="a", items=(1, "a", None, ["x"]), time=7.0),
    LoopExpanded(step="a", items=tuple(range(10_000)), time=7.0),
    ResultTaken(step="a", run_id="r1", job_id="j1", parameters={}, artifacts={}, time=8.0),
    StopAsked(time=9.0),
    Blocked(reason="", time=10.0),
    Blocked(reason="denied", time=10.0, step="train"),
    Noted(text="a note", time=11.0),
    RunEnded(status="failed", time=12.0, reason="why", parameters={"p": 1}),
]


def written(path: Path, *entries: Entry) -> Path:
    with Journal(path) as journal:
        for entry in entries:
            journal.append(entry)
    return path


def test_every_entry_comes_back(tmp_path: Path) -> None:
    assert {type(entry) for entry in ENTRIES} == set(get_args(Entry))
    path = written(tmp_path / "journal.jsonl", *ENTRIES)
    assert read_journal(path) == ENTRIES
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_there_are_no_entries_before_the_first(tmp_path: Path) -> None:
    assert read_journal(tmp_path / "journal.jsonl") == []
    assert read_journal(written(tmp_path / "journal.jsonl")) == []


def test_an_entry_is_in_the_file_when_append_returns(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.jsonl") as journal:
        for number, entry in enumerate(ENTRIES, 1):
            journal.append(entry)
            assert read_journal(tmp_path / "journal.jsonl") == ENTRIES[:number]


def test_a_writer_killed_at_any_byte_leaves_the_entries_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fdatasync", lambda fd: None)  # thousands of files, of which none must outlast this machine
    whole = written(tmp_path / "whole", *ENTRIES[:4]).read_bytes()
    for length in range(len(whole)):
        path = tmp_path / "journal.jsonl"
        path.write_bytes(whole[:length])
        before = read_journal(path)
        assert before == ENTRIES[: whole[:length].count(b"\n")]
        written(path, ENTRIES[-1])
        assert read_journal(path) == [*before, ENTRIES[-1]]


def test_a_long_torn_line_is_cut_off(tmp_path: Path) -> None:
    path = written(tmp_path / "journal.jsonl", *ENTRIES)
    with path.open("ab") as file:
        file.write(b'{"kind": "' + b"x" * 300_000)
    assert read_journal(path) == ENTRIES
    written(path, StopAsked(time=13.0))
    assert read_journal(path) == [*ENTRIES, StopAsked(time=13.0)]


def test_entries_of_a_newer_version_are_passed_over(tmp_path: Path) -> None:
    path = written(tmp_path / "journal.jsonl", ENTRIES[0])
    with path.open("ab") as file:
        file.write(b'{"kind": "moon_landed", "time": 1}\n{"kind": "noted", "text": "n", "time": 1, "colour": "red"}\n')
    assert read_journal(path) == [ENTRIES[0], Noted(text="n", time=1.0)]


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"\xff",
        b"{}",
        b'{"kind": "stop_asked"}',
        b'{"kind": "try_dropped", "step": 3, "job_id": "j", "time": 1}',
        b'{"kind": "loop_expanded", "step": "a", "items": {}, "time": 1}',
        b'{"kind": "noted", "text": "n", "time": -1}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, line: bytes) -> None:
    path = written(tmp_path / "journal.jsonl", ENTRIES[0])
    with path.open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(
        PaiJupyterError, match=r"journal\.jsonl' is damaged: line 2( is no JSON\.|: `).* %pai_runs \S+ --delete"
    ):
        read_journal(path)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = written(tmp_path / "other", ENTRIES[0])
    (tmp_path / "journal.jsonl").symlink_to(target)
    with pytest.raises(PaiJupyterError):
        Journal(tmp_path / "journal.jsonl")
    with pytest.raises(PaiJupyterError):
        read_journal(tmp_path / "journal.jsonl")


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.append(ENTRIES[0])
        with monkeypatch.context() as patched:

            def full(fd: int) -> None:
                raise OSError(28, os.strerror(28))

            patched.setattr(os, "fdatasync", full)
            with pytest.raises(PaiJupyterError, match="no room left"):
                journal.append(ENTRIES[1])
        assert read_journal(path) == [ENTRIES[0]]
        journal.append(ENTRIES[2])
    assert read_journal(path) == [ENTRIES[0], ENTRIES[2]]
