"""Searching logs: numbers of lines agree with a plain reading, at every place of a block, and no search lasts for ever."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.store import Level, LogFile, Query
from pai_jupyter.store.index import Indexer
from pai_jupyter.store.search import both, plain_finder

PIECES = [
    "loss",
    "LOSS",
    "Loss 1",
    "训练",
    "É",
    "é",
    " ",
    "\r",
    "\xff",
    "ERROR",
    "WARN",
    "DEBUG",
    "xError: ",
    "x" * 9,
    "\n",
    "\n",
]
LOGS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
_ERROR = re.compile(r"(?<!\w)(ERROR|CRITICAL|FATAL|Traceback)(?!\w)|[\w.]Error:(?!\w)", re.ASCII)
_WARNING = re.compile(r"(?<!\w)(WARNING|WARN)(?!\w)|[\w.]Warning:(?!\w)", re.ASCII)
_DEBUG = re.compile(r"(?<!\w)(DEBUG|TRACE)(?!\w)", re.ASCII)


def is_at(level: Level, line: str) -> bool:
    if _ERROR.search(line) or (level != "error" and _WARNING.search(line)):
        return True
    return level == "info" and not _DEBUG.search(line)


def expected(text: str, query: Query) -> list[int]:
    """What a plain reading of the lines finds."""
    lines = text.split("\n")
    lines = lines if lines[-1] else lines[:-1]

    def holds(line: str) -> bool:
        if query.ignore_case:
            return re.search(re.escape(query.pattern), line, re.IGNORECASE) is not None
        return query.pattern in line

    return [
        number
        for number, line in enumerate(lines)
        if number >= query.after and holds(line) and (query.level is None or is_at(query.level, line))
    ]


def write(folder: Path, data: bytes, *, index: bool = True) -> LogFile:
    path = folder / "worker-0.log"
    path.write_bytes(data)
    records = Indexer().feed(data, 1.0) if index else []
    path.with_suffix(".idx").write_bytes(b"".join(record.pack() for record in records))
    return LogFile(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("search")


@given(
    LOGS,
    st.builds(
        Query,
        pattern=st.sampled_from(["", "loss", "s 1", "训练", "É", "xError", "\n", "é L"]),
        ignore_case=st.booleans(),
        level=st.sampled_from([None, "info", "warning", "error"]),
        after=st.integers(0, 6),
        limit=st.just(1000),
    ),
)
@settings(max_examples=400)
def test_a_search_agrees_with_a_plain_reading(folder: Path, text: str, query: Query) -> None:
    found = write(folder, text.encode()).find(query)
    assert found.numbers.tolist() == expected(text, query)
    assert not found.is_more


@given(LOGS, st.sampled_from(["loss", "训", "s\n", "x", "ERROR"]), st.integers(20, 60))
@settings(max_examples=300)
def test_it_does_not_matter_where_blocks_end(folder: Path, text: str, pattern: str, size: int) -> None:
    log = write(folder, text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pai_jupyter.store.search.BLOCK", size)
        patch.setattr("pai_jupyter.store.search.OVERLAP", 10)
        query = Query(pattern=pattern)
        assert log.find(query).numbers.tolist() == expected(text, query)


@given(LOGS, st.sampled_from(["loss", "LO", "训练", "É", "error"]))
@settings(max_examples=150)
def test_a_pattern_finds_what_its_letters_say(folder: Path, text: str, pattern: str) -> None:
    query = Query(pattern=re.escape(pattern), regex=True, ignore_case=True)
    found = write(folder, text.encode()).find_here(query)
    assert found.numbers.tolist() == expected(text, Query(pattern=pattern, ignore_case=True))


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("2026-11-21 ERROR no file", "error"),
        ("CRITICAL:root:x", "error"),
        ("[FATAL] x", "error"),
        ("Traceback (most recent call last):", "error"),
        ("torch.cuda.OutOfMemoryError: CUDA out of memory", "error"),
        ("shutil.Error: x", "error"),
        ("\x1b[31mERROR\x1b[0m in colour", "error"),
        ("12:00 \x1b[1;33mWARNING: x", "warning"),
        ("31mERROR", "info"),
        ("WARNING: x", "warning"),
        ("UserWarning: x", "warning"),
        ("W WARN x", "warning"),
        ("ERRORS: 0", "info"),
        ("NO_ERROR", "info"),
        ("mean squared Error: 0.1", "info"),
        ("an error: x", "info"),
        ("epoch 1 loss 0.5", "info"),
        ("INFO x", "info"),
        ("", "info"),
        ("DEBUGGER", "info"),
        ("DEBUG x", None),
        ("TRACE: x", None),
        ("DEBUG WARNING x", "warning"),
    ],
)
def test_the_level_of_a_line_is_in_its_words(folder: Path, line: str, level: Level | None) -> None:
    log = write(folder, f"{line}\n".encode())
    levels: list[Level] = ["error", "warning", "info"]
    assert next((each for each in levels if log.find(Query(level=each)).numbers), None) == level


@pytest.mark.parametrize("limit", [1, 7, 100_000])
@pytest.mark.parametrize("regex", [False, True])
def test_a_search_in_stretches_finds_all(folder: Path, limit: int, regex: bool) -> None:
    log = write(folder, b"".join(b"line %d\n" % n for n in range(200)), index=False)
    numbers: list[int] = []
    after, is_more = 0, True
    while is_more:
        found = log.find_here(Query(pattern="9", regex=regex, limit=limit, after=after))
        assert len(found.numbers) <= limit
        numbers += found.numbers
        after, is_more = found.searched, found.is_more
    assert numbers == [n for n in range(200) if "9" in str(n)]
    assert after == 200


def test_a_search_ends_at_its_deadline_and_says_how_far_it_has_come(folder: Path) -> None:
    log = write(folder, b"a line\n" * 1_000_000)
    ended = log.find(Query(pattern="nowhere", seconds=0.0))
    assert (ended.numbers.tolist(), ended.searched, ended.is_more) == ([], 0, True)


def test_what_was_found_until_the_deadline_counts_and_the_rest_is_found_from_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = write(folder, b"needle\n" * 10 + b"x" * 99 + b"\nneedle\n")
    monkeypatch.setattr("pai_jupyter.store.search.BLOCK", 80)
    monkeypatch.setattr("pai_jupyter.store.search.time.monotonic", iter(range(100)).__next__)
    first = log.find(Query(pattern="needle", seconds=2.0))
    assert (first.numbers.tolist(), first.is_more) == (list(range(10)), True)
    rest = log.find(Query(pattern="needle", after=first.searched))
    assert (rest.numbers.tolist(), rest.searched, rest.is_more) == ([11], 12, False)


def test_the_rarer_of_two_decides_how_much_is_looked_at(folder: Path) -> None:
    asked = 0

    def counting(block: bytes) -> Callable[[int], int]:
        def hits(at: int) -> int:
            nonlocal asked
            asked += 1
            return at

        return hits

    block = b"line\n" * 10_000 + b"needle\n" + b"line\n" * 10_000
    hits = both(counting, plain_finder("needle"))(block)
    assert hits(0) >= 50_000
    assert asked < 5


# --- patterns in their own process ---------------------------------------------------------------------------------


def test_a_search_that_outlives_its_time_is_killed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pai_jupyter.store.worker._BOOT", "import time; time.sleep(60)")
    monkeypatch.setattr("pai_jupyter.store.worker.GRACE", 0.2)
    with pytest.raises(SpecError, match="too much time or memory"):
        write(folder, b"x\n").find(Query(pattern="x", regex=True, seconds=0.1))


def test_a_module_beside_the_notebook_is_never_run(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("regex", "json", "pai_jupyter"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('run')")
    monkeypatch.chdir(tmp_path)
    assert write(folder, b"x\n").find(Query(pattern="x", regex=True)).numbers.tolist() == [0]


def test_plain_searches_start_no_process_and_load_nothing(folder: Path) -> None:
    log = write(folder, b"x\n")
    code = (
        "import sys; from pathlib import Path; from pai_jupyter.store import LogFile, Query\n"
        f"LogFile(Path({str(log.path)!r})).find(Query(pattern='X', ignore_case=True))\n"
        "print('regex' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_process_that_cannot_be_started_is_told_in_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(PaiJupyterError, match="no process can be started to search in: No such file"):
        write(folder, b"x\n").find(Query(pattern="x", regex=True))


def test_a_log_that_cannot_be_read_is_told_in_a_sentence(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "worker-0.log")
    log.path.mkdir()
    for regex in (False, True):
        with pytest.raises(PaiJupyterError, match=r"worker-0\.log' is not read.*Remove"):
            log.find(Query(pattern="x", regex=regex))
