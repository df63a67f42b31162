"""%pai_oss at the emulator: lists, copies with progress, removes what was meant, prints text; Tab; hostile names."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pai_jupyter.magics.oss_magics import SHOWN
from pai_jupyter.magics.stored_files import LISTED, printable
from pai_jupyter.magics.transfers import progress_text, size_text, transfer
from pai_jupyter.storage import TransferCancelled
from tests.support.cloud_sessions import configure
from tests.support.emulators import Emulator
from tests.support.shells import Shell

HOSTILE = "evil\x1b[31m\u202etxt.exe\n"


@pytest.fixture
def shell(running: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Shell]:
    configure(running, home, monkeypatch)
    monkeypatch.chdir(tmp_path)
    with Shell() as shell:
        yield shell
    for key in _keys(running):
        running.bucket().delete_object(key)


def _keys(running: Emulator) -> list[str]:
    return running.keys()


def names(shell: Shell, line: str) -> list[str]:
    """The last column of a listing."""
    return [row.rpartition("  ")[2] for row in shell.run(f"%pai_oss ls {line}").text.splitlines()[1:]]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("", ["data/", "model.bin"]),
        ("oss://emulator/", ["data/", "model.bin"]),
        ("oss://emulator/data", ["data/train.csv", "data/val/"]),
        ("oss://emulator/data/", ["data/train.csv", "data/val/"]),
        ("-r oss://emulator/data/", ["data/train.csv", "data/val/测试 1.csv"]),
        ("oss://emulator/data/ -r", ["data/train.csv", "data/val/测试 1.csv"]),
        ("oss://emulator/mod", ["model.bin"]),
    ],
)
def test_a_listing_is_of_a_directory_or_of_what_begins_so(
    shell: Shell, running: Emulator, line: str, found: list[str]
) -> None:
    for key in ("data/train.csv", "data/val/测试 1.csv", "model.bin"):
        running.put(key, "x" * 2048)
    assert names(shell, line) == found


def test_a_listing_tells_sizes_and_ends_somewhere(shell: Shell, running: Emulator) -> None:
    running.put("one", "x" * 2048)
    assert "2.0 KiB" in shell.run("%pai_oss ls").text
    assert "nothing is at oss://emulator/none/" in shell.run("%pai_oss ls oss://emulator/none/").text
    assert LISTED == 1000


def test_a_hostile_name_is_shown_harmless(shell: Shell, running: Emulator) -> None:
    running.put(HOSTILE, "x")
    shown = shell.run("%pai_oss ls").text
    assert "evil�[31m�txt.exe�" in shown
    assert not set("\x1b\u202e") & set(shown)
    assert printable("训练 a'b") == "训练 a'b"


def test_a_file_and_a_directory_go_up_and_come_back(shell: Shell, running: Emulator, tmp_path: Path) -> None:
    (tmp_path / "up" / "a b").mkdir(parents=True)
    (tmp_path / "up" / "a b" / "训练.csv").write_text("1,2")
    (tmp_path / "up" / "empty").touch()
    assert shell.run("%pai_oss cp up oss://emulator/there/").text.startswith("uploaded 3 B: oss://emulator")
    assert _keys(running) == ["there/a b/训练.csv", "there/empty"]
    shell.run("%pai_oss cp -r oss://emulator/there/ down")
    assert (tmp_path / "down" / "a b" / "训练.csv").read_text() == "1,2"
    shell.run("%pai_oss cp 'oss://emulator/there/a b/训练.csv' .")
    assert (tmp_path / "训练.csv").read_text() == "1,2"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("cp a b", "`cp` needs one address in OSS"),
        ("cp oss://emulator/a oss://emulator/b", "`cp` needs one address in OSS"),
        ("cp oss://emulator/a", "`cp` must be written %pai_oss cp SOURCE TARGET"),
        ("cp ./nowhere oss://emulator/a", "there is no file or directory './nowhere'"),
        ("cp oss://emulator/nothing .", "there is nothing at 'oss://emulator/nothing'"),
        ("cp oss://emulator/../../etc/passwd .", "nothing at"),
        ("ls /data", "'/data' is not in OSS. Write oss://BUCKET/KEY"),
        ("ls OSS://emulator/a", "is no address in OSS"),
        ("ls oss://no-such-bucket/", "no-such-bucket"),
        ("cat", "`cat` must be written %pai_oss cat oss://..."),
        (
            "cat oss://emulator/nothing",
            "there is no object 'oss://emulator/nothing'. Look: %pai_oss ls oss://emulator/",
        ),
        ("rm -y", "`rm` must be written"),
        ("rm -y oss://emulator/nothing", "so nothing was removed"),
        ("mv a b", "invalid choice"),
        ("", "required"),
        ("ls --all", "--all"),
        ("ls 'oss://", "a quote is not closed"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(shell: Shell, line: str, sentence: str) -> None:
    error = shell.run(f"%pai_oss {line}").error
    assert sentence in str(error)
    assert "\n" not in str(error)


def test_without_a_session_it_is_said_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with Shell() as shell:
        assert "%pai_config use emulator" in str(shell.run("%pai_oss ls").error)


def test_an_object_is_removed_only_when_somebody_is_sure(shell: Shell, running: Emulator) -> None:
    running.put("a", "12345")
    assert "nothing was removed. This would remove 1 object, 5 B: oss://emulator/a." in str(
        shell.run("%pai_oss rm oss://emulator/a").error
    )
    assert _keys(running) == ["a"]
    assert shell.run("%pai_oss rm oss://emulator/a -y").text == "removed 1 object, 5 B: oss://emulator/a\n"
    assert _keys(running) == []


@pytest.mark.parametrize("address", ["oss://emulator/d", "oss://emulator/d/"])
def test_a_directory_is_removed_as_a_whole_and_nothing_beside_it(shell: Shell, running: Emulator, address: str) -> None:
    for key in ("d/a", "d/b/c", "d/b/", "d/", "d2/a"):
        running.put(key, "")
    assert "is a directory, with 4 objects in it. To remove all of it, add -r" in str(
        shell.run(f"%pai_oss rm {address} -y").error
    )
    shell.run(f"%pai_oss rm -r {address} -y")
    assert _keys(running) == ["d2/a"]


def test_several_are_removed_together_or_not_at_all(shell: Shell, running: Emulator) -> None:
    running.put("a", "")
    running.put("b", "")
    assert shell.run("%pai_oss rm -y oss://emulator/a oss://emulator/none").error is not None
    assert _keys(running) == ["a", "b"]
    shell.run("%pai_oss rm -y oss://emulator/a oss://emulator/b")
    assert _keys(running) == []


def test_text_is_printed_without_what_a_terminal_obeys(shell: Shell, running: Emulator) -> None:
    running.put("log.txt", "第一\r\n\x1b[31mred\x1b[0m\x07\u202e\tend\n")
    assert shell.run("%pai_oss cat oss://emulator/log.txt").text == "第一\nred\tend\n"


def test_what_is_no_text_or_too_long_is_not_printed(shell: Shell, running: Emulator) -> None:
    running.put("model.bin", b"\x80\0\1")
    assert "is not a text. Download it" in str(shell.run("%pai_oss cat oss://emulator/model.bin").error)
    running.put("long.txt", "x" * (SHOWN + 100))
    shown = shell.run("%pai_oss cat oss://emulator/long.txt").text
    assert shown.endswith("x\n... and 100 B more: %pai_oss cp oss://emulator/long.txt .\n")
    running.put("empty", "")
    assert shell.run("%pai_oss cat oss://emulator/empty").text == "\n"


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("%pai_oss l", ["ls"]),
        ("%pai_oss ls oss://em", ["//emulator/"]),
        ("%pai_oss ls oss://emulator/da", ["//emulator/data/"]),
        ("%pai_oss cp oss://emulator/data/t", ["//emulator/data/train.csv"]),
        ("%pai_tensorboard oss://emulator/da", ["//emulator/data/"]),
        ("%%pai_train -i train=oss://emulator/da", ["//emulator/data/"]),
        ("%pai_oss rm --rec", ["--recursive"]),
        ("%pai_oss cp her", ["here.csv"]),
    ],
)
def test_tab_offers_verbs_addresses_and_files(
    shell: Shell, running: Emulator, tmp_path: Path, line: str, offered: list[str]
) -> None:
    running.put("data/train.csv", "")
    (tmp_path / "here.csv").touch()
    # IPython offers names of Python besides; none of them is in a path.
    assert [each for each in shell.complete(line) if each in offered or "/" in each] == offered


def test_tab_does_not_wait_for_a_cloud_that_does_not_answer(shell: Shell, running: Emulator) -> None:
    running.fault("slow", action="OSS:GET", seconds=20)
    try:
        assert shell.complete("%pai_oss ls oss://emulator/da") == []
    finally:
        running.clear_faults()


class Lines:
    """A line below a cell that remembers what it has said."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.ended: list[str] = []

    def show(self, text: str) -> None:
        self.shown.append(text)

    def end(self, text: str) -> None:
        self.ended.append(text)


def test_progress_is_drawn_by_the_one_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pai_jupyter.magics.transfers.PERIOD", 0.01)
    line, go_on = Lines(), threading.Event()
    drawn_by: list[threading.Thread] = []

    def show(text: str) -> None:
        drawn_by.append(threading.current_thread())
        line.shown.append(text)
        go_on.set()

    def work(report: Callable[[int, int], None], _cancel: threading.Event, _note: object) -> str:
        report(1024, 2048)
        assert go_on.wait(10)
        report(2048, 2048)
        return "there"

    monkeypatch.setattr(line, "show", show)
    assert transfer("up", work, lambda there, size: f"{size} {there}", line=line) == "there"
    assert line.shown[-1].startswith("up: 1.0 KiB of 2.0 KiB, 50 %, ")
    assert line.ended == ["2.0 KiB there"]
    assert set(drawn_by) == {threading.main_thread()}


def test_an_interrupt_ends_the_transfer_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pai_jupyter.magics.transfers.PERIOD", 0.01)
    line = Lines()

    def interrupted(_text: str) -> None:
        raise KeyboardInterrupt

    def work(_report: object, cancel: threading.Event, _note: object) -> None:
        assert cancel.wait(10)
        raise TransferCancelled("the transfer was cancelled.")

    monkeypatch.setattr(line, "show", interrupted)
    with pytest.raises(TransferCancelled):
        transfer("up", work, lambda _, size: size, line=line)
    assert line.ended == []


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (5 * 1024**3, "5.0 GiB"), (1024**6, "1048576.0 TiB")],
)
def test_sizes_are_for_people(size: int, text: str) -> None:
    assert size_text(size) == text


def test_progress_before_anything_is_known_divides_by_nothing() -> None:
    assert progress_text(0, 0, 0.0) == "checking what is already there"
    assert progress_text(10, 10, 0.0) == "10 B of 10 B, 100 %, 100 B/s"
