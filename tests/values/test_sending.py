"""Writing the kernel's variables into the cache: once, complete or not at all, and never a secret."""

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.values import send_values, sweep_values, use_values
from pai_jupyter.values import sending as module
from pai_jupyter.values.pai_values import load

TOKEN = "sk-" + "a1B2c3D4" * 4


def test_contents_with_one_checksum_stay_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pai_jupyter.values.sending.zlib.crc32", lambda piece: 7)
    places = [send_values(["x"], {"x": value}, tmp_path).place for value in ([1], [2], [1])]
    assert places[0] == places[2] != places[1]
    assert [(place / "x.json").read_text() for place in places] == ["[1]", "[2]", "[1]"]


def files(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home / "cache/values")) for path in home.rglob("*") if path.is_file())


def test_what_is_sent_is_read_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, Any] = {"X": np.arange(6), "x": [1], "训练": "数据", "f": lambda value: value + 1, "left": 1}
    sent = send_values(["X", "x", "训练", "f"], names, tmp_path)
    monkeypatch.setenv("PAI_INPUT_SENT", str(sent.place))
    back, small, text, function = load("X", "x", "训练", "f")
    assert (back.tolist(), small, text, function(2)) == ([0, 1, 2, 3, 4, 5], [1], "数据", 3)
    assert load("x") == [1]
    assert sent.lines()[:2] == ["X: numpy.ndarray (6) int64, npy, 176 bytes", "x: list (1), json, 3 bytes"]
    assert [each.partition("=")[0] for each in sent.requirements] == ["numpy", "cloudpickle"]
    with pytest.raises(Exception, match=r"`left` was not sent with this job\. Name it: --send left"):
        load("left")


def test_the_same_values_are_kept_once(tmp_path: Path) -> None:
    big = np.arange(1 << 18)
    first = send_values(["big", "y"], {"big": big, "y": 1}, tmp_path)
    assert send_values(["big", "y"], {"big": big.copy(), "y": 1}, tmp_path).place == first.place
    other = send_values(["big", "y"], {"big": big, "y": 2}, tmp_path)
    assert other.place != first.place
    assert (first.place / "big.npy").samefile(other.place / "big.npy")
    assert not list((tmp_path / "cache/values").glob("*.tmp"))
    for path in (first.place / "big.npy", first.place / "values.json"):
        assert path.stat().st_mode & 0o777 == 0o444  # any user of a container reads it, nobody changes it


REFUSED: dict[str, tuple[str, Any, str]] = {
    "unknown": ("gone", 1, "the notebook has no variable `gone`. Run the cell that defines it first."),
    "no name": ("a b", 1, "`--send a b` is no name of a variable"),
    "a keyword": ("for", 1, "`--send for` is no name of a variable"),
    "a secret's name": ("api_key", 1, "`--send api_key` looks like a secret"),
    "a secret": ("x", TOKEN, "`x` holds what looks like a secret"),
    "a secret inside": ("x", {"a": [{"b": TOKEN}]}, "`x` holds what looks like a secret"),
    "a password inside": ("x", {"db": {"password": "hunter2hunter2"}}, "`x` holds what looks like a secret"),
    "a secret of this session": ("x", {"a": ("LOADED-0123456789",)}, "`x` holds one of the secrets loaded"),
    "an open file": ("x", open(os.devnull), "`x` cannot be sent: it is an open file"),  # noqa: SIM115, PTH123
    "too large": ("x", np.broadcast_to(np.zeros(1), (1 << 28,)), "larger than 1024 MiB together; the largest is `x`"),
}


@pytest.mark.parametrize(("name", "value", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_sent_is_refused_and_leaves_nothing(name: str, value: Any, words: str, tmp_path: Path) -> None:
    names = {"first": np.zeros(10), **({} if name == "gone" else {name: value})}
    with pytest.raises(SpecError) as raised:
        send_values(["first", name], names, tmp_path, secrets=["LOADED-0123456789"])
    assert words in str(raised.value)
    assert TOKEN not in str(raised.value)
    left = [path for path in tmp_path.rglob("*") if path.is_file() and "content" not in path.parts]
    assert left == []
    sweep_values(tmp_path)
    assert files(tmp_path) == []


def test_words_that_are_harmless_may_be_sent(tmp_path: Path) -> None:
    vocabulary = {"secret": 12, "password": 13, "token": 14, "key": 15}
    assert send_values(["max_tokens", "vocabulary"], {"max_tokens": 5, "vocabulary": vocabulary}, tmp_path).items


def test_a_limit_is_kept_by_what_has_no_size_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LIMIT", 1000)
    with pytest.raises(SpecError, match=r"larger than .* the largest is `x` \(list \(1000\)\).* -i x=PATH"):
        send_values(["x"], {"x": list(range(1000))}, tmp_path)


def test_a_home_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    with pytest.raises(PaiJupyterError, match="the values cannot be written to"):
        send_values(["x"], {"x": 1}, tmp_path)


def test_values_stay_while_a_job_has_them(tmp_path: Path) -> None:
    kept, old, new = (send_values(["x"], {"x": [number]}, tmp_path).place for number in range(3))
    use_values(tmp_path, str(kept), "j1")
    use_values(tmp_path, str(old), "j2")
    use_values(tmp_path, "/elsewhere", "j1")
    (tmp_path / "jobs" / "j1").mkdir(parents=True)
    long_ago = time.time() - 2 * 3600
    for place in (kept, old):
        os.utime(place, (long_ago, long_ago))
    sweep_values(tmp_path)
    assert [place.exists() for place in (kept, old, new)] == [True, False, True]
    assert len(list((tmp_path / "cache/values/content").iterdir())) == 2
