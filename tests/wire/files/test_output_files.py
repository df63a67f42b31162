"""The `files` request: what a browser sees of a job's outputs, and that neither it nor the job gets anything else."""

import json
import os
import re
import socket
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.jobs import Job
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord, JobStore
from pai_jupyter.wire.files.output_files import MAX_IMAGE, MAX_TEXT, files, open_file, package_file
from pai_jupyter.wire.schema.limits import MAX_PIECE, MOST_ENTRIES
from tests.support.descriptors import open_below
from tests.support.patience import SOON

PNG, JPEG, GIF, WEBP = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"GIF89a", b"RIFF\x10\0\0\0WEBP"
ODD_NAMES = [
    "a b",
    "a'; echo x",
    "训练 数据.pt",
    'q"uote',
    "new\nline",
    "~",
    "back\\slash",
    "<img onerror=x>",
    "%2e%2e",
]

SWAP = """\
import os
while True:
    os.rename("mine", "aside")
    os.rename("link", "mine")
    os.rename("mine", "link")
    os.rename("aside", "mine")
"""


def job(**spec: object) -> Job:
    """A job that has begun on this machine: its outputs lie in its folder, unless `spec` says otherwise."""
    wanted = JobSpec(**{"name": "a job", "command": "true", **spec})  # type: ignore[arg-type]  # fields of a JobSpec
    made = Job(JobStore().create(JobRecord(id="j1", spec=wanted, backend="process", created=1.0)))
    places = {channel: Path(place) for channel, place in made.outputs.items() if "://" not in place}
    for place in places.values():
        place.mkdir(parents=True, exist_ok=True)
    (made.folder.path / "run").mkdir()
    record = {channel: str(place) for channel, place in places.items()}
    (made.folder.path / "run" / "outputs.json").write_text(json.dumps(record))
    return made


@pytest.fixture
def here() -> Job:
    return job()


@pytest.fixture
def model(here: Job) -> Path:
    return Path(here.output("model"))


def names(here: Job, path: str = "") -> list[str]:
    answer, _ = files(here, {"channel": "model", "path": path})
    entries = answer["entries"]
    assert isinstance(entries, list)
    return [str(entry["name"]) for entry in entries if isinstance(entry, dict)]


# --- channels ----------------------------------------------------------------------------------------------------


def test_the_channels_are_those_of_the_job(here: Job) -> None:
    answer, parts = files(here, {})
    assert parts == ()
    channels = answer["channels"]
    assert isinstance(channels, list)
    assert channels[0] == {
        "name": "model",
        "uri": str(here.folder.path / "output" / "model"),
        "is_open": True,
        "note": "",
    }
    assert [c["name"] for c in channels if isinstance(c, dict)] == [
        "model",
        "checkpoints",
        "tensorboard",
        "output_parameters",
    ]


@pytest.mark.parametrize(
    ("place", "note"),
    [
        ("nas://fs.cn-shanghai/m/", r"is at nas://fs\.cn-shanghai/m/.*job\.fetch\('model'\)"),
        ("oss://b/m/", "no region is set"),
    ],
)
def test_a_channel_that_cannot_be_looked_into_says_why(place: str, note: str) -> None:
    far = job(outputs={"model": place})
    channels = files(far, {})[0]["channels"]
    assert isinstance(channels, list)
    assert isinstance(channels[0], dict)
    assert channels[0]["is_open"] is False
    assert re.search(note, str(channels[0]["note"]))
    with pytest.raises(SpecError, match=note):
        files(far, {"channel": "model"})


def test_a_channel_whose_directory_is_gone_says_so(here: Job, model: Path) -> None:
    model.rmdir()
    channels = files(here, {})[0]["channels"]
    assert isinstance(channels, list)
    assert isinstance(channels[0], dict)
    assert (channels[0]["is_open"], "is gone" in str(channels[0]["note"])) == (False, True)
    with pytest.raises(NotFoundError, match="is gone"):
        files(here, {"channel": "model"})


def test_an_output_elsewhere_is_found_and_logs_is_the_other_name_of_tensorboard(tmp_path: Path) -> None:
    made = job(outputs={"tensorboard": str(tmp_path / "my logs")})
    (tmp_path / "my logs" / "events").touch()
    answer, _ = files(made, {"channel": "logs"})
    assert "'name': 'events'" in str(answer)


# --- directories -------------------------------------------------------------------------------------------------


def test_directories_come_first_and_each_entry_has_its_size_and_time(here: Job, model: Path) -> None:
    (model / "z").mkdir()
    (model / "b").write_bytes(b"12345")
    (model / "a").touch()
    os.utime(model / "b", (7.5, 7.5))
    answer, _ = files(here, {"channel": "model"})
    assert names(here) == ["z", "a", "b"]
    assert answer["is_cut"] is False
    assert isinstance(answer["entries"], list)
    assert answer["entries"][2] == {"name": "b", "is_directory": False, "size": 5, "modified": 7.5}
    assert isinstance(answer["entries"][0], dict)
    assert answer["entries"][0]["is_directory"] is True


def test_a_very_full_directory_is_cut(here: Job, model: Path) -> None:
    for number in range(MOST_ENTRIES + 5):
        (model / f"{number:05}").touch()
    assert files(here, {"channel": "model"})[0]["is_cut"] is True
    assert names(here) == [f"{number:05}" for number in range(MOST_ENTRIES)]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_are_listed_and_opened_as_they_are(here: Job, model: Path, name: str) -> None:
    (model / name).mkdir()
    (model / name / name).write_text("x")
    assert names(here) == [name]
    assert names(here, name) == [name]
    answer, _ = files(here, {"channel": "model", "path": f"{name}/{name}", "preview": True})
    assert answer["text"] == "x"


def test_a_name_that_is_no_text_can_be_sent(here: Job, model: Path) -> None:
    Path(os.fsdecode(bytes(model) + b"/\xff.bin")).touch()
    assert names(here) == ["\ufffd.bin"]


def test_links_pipes_and_sockets_are_listed_without_a_size(here: Job, model: Path) -> None:
    (model / "link").symlink_to("/")
    os.mkfifo(model / "pipe")
    answer, _ = files(here, {"channel": "model"})
    entries = answer["entries"]
    assert isinstance(entries, list)
    assert [(e["name"], e["is_directory"], e["size"]) for e in entries if isinstance(e, dict)] == [
        ("link", False, 0),
        ("pipe", False, 0),
    ]


# --- previews ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "kind", "mime", "text", "is_cut"),
    [
        ("a.txt", b"", "text", "text/plain", "", False),
        ("a.png", "训练\n".encode(), "text", "text/plain", "训练\n", False),
        ("latin", b"caf\xe9 and much more", "text", "text/plain", "caf\ufffd and much more", False),
        ("a.svg", b"<svg onload='x'/>", "text", "text/plain", "<svg onload='x'/>", False),
        ("m", b' {"a": [1, NaN]}', "json", "application/json", ' {"a": [1, NaN]}', False),
        ("b.json", b'{"a": ', "text", "text/plain", '{"a": ', False),
        ("deep.json", b"[" * MAX_TEXT, "text", "text/plain", "[" * MAX_TEXT, False),
        ("number", b"12", "text", "text/plain", "12", False),
        ("long", b"x" * (MAX_TEXT + 1), "text", "text/plain", "x" * MAX_TEXT, True),
        (
            "long.json",
            b"[" + b"1," * MAX_TEXT + b"1]",
            "text",
            "text/plain",
            "[" + "1," * (MAX_TEXT // 2 - 1) + "1",
            True,
        ),
        ("cut 中", b"xy" + "中".encode() * MAX_TEXT, "text", "text/plain", "xy" + "中" * ((MAX_TEXT - 2) // 3), True),
        ("model.bin", b"abc\0def", "binary", "application/octet-stream", "", True),
        ("noise.txt", bytes(range(128, 256)) * 9, "binary", "application/octet-stream", "", True),
        ("huge", PNG + bytes(MAX_IMAGE), "binary", "image/png", "", True),
    ],
)
def test_a_preview_is_what_the_bytes_say(
    here: Job, model: Path, name: str, data: bytes, kind: str, mime: str, text: str, is_cut: bool
) -> None:
    (model / name).write_bytes(data)
    answer, parts = files(here, {"channel": "model", "path": name, "preview": True})
    assert parts == ()
    assert answer == {
        "kind": "preview",
        "channel": "model",
        "path": name,
        "size": len(data),
        "type": kind,
        "mime": mime,
        "text": text,
        "is_cut": is_cut,
    }


@pytest.mark.parametrize(
    ("magic", "mime"),
    [(PNG, "image/png"), (JPEG, "image/jpeg"), (GIF, "image/gif"), (b"GIF87a", "image/gif"), (WEBP, "image/webp")],
)
@pytest.mark.parametrize("size", [100, MAX_TEXT + 7, MAX_IMAGE])
def test_an_image_is_known_by_its_first_bytes_and_sent_whole(
    here: Job, model: Path, magic: bytes, mime: str, size: int
) -> None:
    data = magic + bytes(size - len(magic))
    (model / "a.txt").write_bytes(data)
    answer, parts = files(here, {"channel": "model", "path": "a.txt", "preview": True})
    assert (answer["type"], answer["mime"], answer["is_cut"], answer["text"]) == ("image", mime, False, "")
    assert parts == (data,)


# --- pieces and downloads ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("offset", "length", "piece"), [(0, 4, b"0123"), (8, 4, b"89"), (10, 4, b""), (1 << 62, 4, b""), (3, 0, b"")]
)
def test_a_piece_of_a_file(here: Job, model: Path, offset: int, length: int, piece: bytes) -> None:
    (model / "ten").write_bytes(b"0123456789")
    answer, parts = files(here, {"channel": "model", "path": "ten", "offset": offset, "length": length})
    assert (answer["size"], answer["offset"], parts) == (10, offset, (piece,))


def test_pieces_add_up_to_a_large_file(here: Job, model: Path) -> None:
    data = os.urandom(2 * MAX_PIECE + 5)
    (model / "large").write_bytes(data)
    pieces = [
        files(here, {"channel": "model", "path": "large", "offset": at, "length": MAX_PIECE})[1][0]
        for at in range(0, len(data), MAX_PIECE)
    ]
    assert b"".join(pieces) == data


def test_a_download_reads_the_file_that_was_checked_whatever_the_job_does_then(here: Job, model: Path) -> None:
    (model / "m.pt").write_bytes(b"weights")
    file, size = open_file(here, "model", "m.pt")
    (model / "m.pt").unlink()
    (model / "m.pt").symlink_to("/etc/passwd")
    with file:
        assert (file.read(), size) == (b"weights", 7)


def test_the_package_can_be_downloaded_until_it_is_gone(here: Job) -> None:
    (here.folder.path / "package.tar.gz").write_bytes(b"packed")
    file, size = package_file(here)
    with file:
        assert (file.read(), size) == (b"packed", 6)
    (here.folder.path / "package.tar.gz").unlink()
    with pytest.raises(NotFoundError, match=r"no 'package\.tar\.gz' in the folder of job j1"):
        package_file(here)


# --- hostile requests --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        *("..", "../x", "a/../../x", "a/..", "./a", ".", "/", "/etc/passwd", "//", "a//b", "a/", "/a", "\0", "a\0b"),
        *("~/.ssh/id_rsa", "..\\..\\x", "%2e%2e/x", "x" * 300, "x" * 5000, "a/" * 3000 + "a", "\ud800", "no such"),
        *("..\udcff", "CON", "file:///etc/passwd", "a/b/c"),
    ],
)
@pytest.mark.parametrize("kind", [{}, {"preview": True}, {"offset": 0, "length": 9}])
def test_no_path_leads_outside(here: Job, model: Path, path: str, kind: dict[str, object]) -> None:
    (model / "a").mkdir()
    (model.parent / "x").write_text("secret")
    with pytest.raises((SpecError, NotFoundError)) as caught:
        files(here, {"channel": "model", "path": path, **kind})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    str(caught.value).encode()
    with pytest.raises((SpecError, NotFoundError)):
        open_file(here, "model", path)


@pytest.mark.parametrize(
    "parameters",
    [
        {"channel": 1},
        {"channel": ["model"]},
        {"channel": ""},
        {"channel": "no such"},
        {"channel": "../run"},
        {"channel": "x" * 100_000},
        {"channel": "model", "path": 3},
        {"channel": "model", "path": {"a": 1}},
        {"channel": "model", "path": "f", "offset": -1, "length": 1},
        {"channel": "model", "path": "f", "offset": 0, "length": MAX_PIECE + 1},
        {"channel": "model", "path": "f", "offset": 1 << 63, "length": 1},
        {"channel": "model", "path": "f", "offset": 0.5, "length": 1},
        {"channel": "model", "path": "f", "offset": True, "length": 1},
        {"channel": "model", "path": "f", "offset": "0", "length": 1},
        {"channel": "model", "path": "f", "offset": 0},
        {"channel": "model", "path": "f", "length": 1},
        {"channel": "model", "offset": 0, "length": 1},
        {"channel": "model", "preview": True},
    ],
)
def test_parameters_that_cannot_be_meant_are_refused_in_a_sentence(
    here: Job, model: Path, parameters: dict[str, object]
) -> None:
    (model / "f").write_text("x")
    with pytest.raises((SpecError, NotFoundError)) as caught:
        files(here, parameters)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("target", ["/etc/passwd", "../x", "inside", "/", "loop", "nowhere"])
def test_a_link_is_not_followed_wherever_it_points(here: Job, model: Path, target: str) -> None:
    (model / "inside").write_text("fine")
    (model.parent / "x").write_text("secret")
    (model / "loop").symlink_to(target)
    with pytest.raises(SpecError, match="is a link to"):
        files(here, {"channel": "model", "path": "loop", "preview": True})
    with pytest.raises(SpecError, match="is a link to"):
        files(here, {"channel": "model", "path": "loop"})


def test_a_link_in_the_middle_of_a_path_is_not_followed(here: Job, model: Path) -> None:
    (model / "d").symlink_to("/etc")
    with pytest.raises(SpecError, match="'d' in output 'model' is a link to '/etc'"):
        files(here, {"channel": "model", "path": "d/passwd", "preview": True})


def test_the_channel_itself_may_be_a_link_of_the_users(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "m").touch()
    (tmp_path / "model").symlink_to(tmp_path / "disk")
    assert "'name': 'm'" in str(files(job(outputs={"model": str(tmp_path / "model")}), {"channel": "model"}))


@pytest.fixture
def short_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A working directory from which a socket's name is short enough."""
    monkeypatch.chdir(tmp_path_factory.mktemp("s"))


def test_pipes_sockets_and_devices_are_refused_at_once(here: Job, model: Path, short_home: None) -> None:
    os.mkfifo(model / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s")
        Path("s").rename(model / "socket")
    kinds = ["pipe", "socket"]
    if os.geteuid() == 0:
        with suppress(PermissionError):  # a container that may make none
            os.mknod(model / "device", stat.S_IFCHR | 0o600, os.makedev(1, 5))  # /dev/zero
            kinds.append("device")
    begun = time.monotonic()
    for name in kinds:
        for kind in ({"preview": True}, {"offset": 0, "length": 5}, {}):
            with pytest.raises(SpecError, match="is no plain file"):
                files(here, {"channel": "model", "path": name, **kind})
    assert time.monotonic() - begun < SOON


def test_a_file_is_no_directory_and_a_directory_is_no_file(here: Job, model: Path) -> None:
    (model / "d").mkdir()
    (model / "f").touch()
    with pytest.raises(SpecError, match="'d' in output 'model' is a directory"):
        files(here, {"channel": "model", "path": "d", "preview": True})
    with pytest.raises(SpecError, match="'f' in output 'model' is a file"):
        files(here, {"channel": "model", "path": "f"})
    with pytest.raises(SpecError, match="'f' in output 'model' is a file"):
        files(here, {"channel": "model", "path": "f/g", "preview": True})


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_a_sentence(here: Job, model: Path) -> None:
    (model / "f").touch(mode=0)
    (model / "d").mkdir(mode=0)
    for path, kind in (("f", {"preview": True}), ("d", {})):
        with pytest.raises(SpecError, match=f"'{path}' in output 'model' cannot be read: Permission denied"):
            files(here, {"channel": "model", "path": path, **kind})


@pytest.mark.parametrize(("path", "outside"), [("mine/f", "outside"), ("mine", "outside/f")])
def test_a_job_that_swaps_files_for_links_all_the_time_shows_nothing_of_the_outside(
    here: Job, model: Path, path: str, outside: str
) -> None:
    (model.parent / "outside").mkdir()
    (model.parent / "outside" / "f").write_text("secret")
    if path == "mine":
        (model / "mine").write_text("mine")
    else:
        (model / "mine").mkdir()
        (model / "mine" / "f").write_text("mine")
    (model / "link").symlink_to(model.parent / outside)
    seen: set[str] = set()
    with subprocess.Popen([sys.executable, "-c", SWAP], cwd=model) as swapping:
        try:
            deadline = time.monotonic() + 20
            for _ in range(10_000):
                try:
                    seen.add(str(files(here, {"channel": "model", "path": path, "preview": True})[0]["text"]))
                except PaiJupyterError:
                    seen.add("refused")
                if time.monotonic() > deadline:
                    break
        finally:
            swapping.kill()
    assert seen <= {"mine", "refused"}
    assert "mine" in seen


def test_nothing_is_left_open(here: Job, model: Path) -> None:
    (model / "d").mkdir()
    (model / "d" / "f").write_text("x")
    (model / "d" / "link").symlink_to("f")
    for path in ("d/f", "d/link", "d/none", "d", "d/f/x", "..", ""):
        for kind in ({}, {"preview": True}, {"offset": 0, "length": 1}):
            with suppress(PaiJupyterError):
                files(here, {"channel": "model", "path": path, **kind})
    assert open_below(model) == []
