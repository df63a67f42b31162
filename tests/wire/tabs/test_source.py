"""The `source` request: what was sent is shown as it was sent, whatever somebody has done to the archive."""

import gzip
import hashlib
import json
import os
import tarfile
import time
import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.jobs import Job
from pai_jupyter.package import build
from pai_jupyter.spec import JobSpec, Scalar
from pai_jupyter.store import JobRecord, JobStore
from pai_jupyter.wire.schema.limits import MOST_FILES
from pai_jupyter.wire.tabs import source as source_tab
from pai_jupyter.wire.tabs.source import read_package, source
from tests.support.patience import SOON

CELL = "%%pai_train iris  \nprint('训练')\n\n"


def job(*, command: str = "python train.py", values: dict[str, Scalar] | None = None, **record: Any) -> Job:
    spec = JobSpec(name="a job", command=command, hyperparameters=values or {})
    return Job(JobStore().create(JobRecord(id="j1", spec=spec, backend="process", created=1.0, **record)))


def packed(
    files: dict[str, bytes],
    *,
    command: str = "python train.py",
    values: dict[str, Scalar] | None = None,
    **record: Any,
) -> Job:
    """A job with a package of these files, made as all are. (Any: of a JobRecord)"""
    package = build(None, to=JobStore().home / "p.tar.gz", files=files)
    made = job(command=command, values=values, digest=package.digest, **record)
    package.path.rename(made.folder.path / "package.tar.gz")
    return made


def forged(path: Path, *members: tuple[tarfile.TarInfo, bytes], end: bytes = bytes(1024)) -> Path:
    """An archive of these headers and bytes, whether they fit each other or not."""
    with gzip.open(path, "wb") as out:
        for info, data in members:
            out.write(info.tobuf(tarfile.GNU_FORMAT) + data + bytes(-len(data) % 512))
        out.write(end)
    return path


def member(name: str, size: int = 0, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = size, kind, target
    return info


def package(answer: Mapping[str, Any]) -> dict[str, Any]:  # Any: JSON
    found: dict[str, Any] = answer["package"]
    return found


# --- what was sent -----------------------------------------------------------------------------------------------


def test_cell_script_files_and_digest_are_those_of_the_job() -> None:
    files = {"train.py": "print('训练')\n".encode(), "lib/a b.py": b"x = 1\n", "中.txt": b""}
    made = packed(files, cell=CELL, notebook="note 1.ipynb", entry_point="train.py")
    answer = source(made)
    json.dumps(answer)
    assert (answer["cell"], answer["script"]) == (CELL, "print('训练')\n")
    assert (answer["entry_point"], answer["notebook"]) == ("train.py", "note 1.ipynb")
    assert package(answer) == {
        "digest": made.folder.record.digest,
        "size": sum(map(len, files.values())),
        "is_cut": False,
        "files": [
            {"name": name, "size": len(files[name]), "digest": hashlib.sha256(files[name]).hexdigest()}
            for name in sorted(files)
        ],
    }


def test_values_that_are_not_the_cells_own_are_told_with_their_lines() -> None:
    cell = "%%pai_train iris -p lr=0.2\nlr: float = 0.1\nopt: str = 'adam'\napi_key: str = ''\n"
    values: dict[str, Scalar] = {"lr": 0.3, "opt": "adam", "api_key": "0123456789", "extra": 1}
    assert source(job(cell=cell, values=values))["values"] == [
        {"name": "lr", "value": 0.3, "written": {"line": 2, "value": 0.1}},
        {"name": "opt", "value": "adam"},
        {"name": "api_key", "value": "***", "written": {"line": 4, "value": "***"}},
        {"name": "extra", "value": 1},
    ]


def test_links_in_the_source_are_told_as_the_manifest_has_them(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_text("1")
    (tmp_path / "src" / "same.py").symlink_to("train.py")
    made = build(tmp_path / "src", to=tmp_path / "p.tar.gz")
    assert read_package(made.path, "train.py").files == list(made.files)


@pytest.mark.parametrize(
    ("command", "entry_point"),
    [
        ("python -u ./src/train.py $PAI_USER_ARGS", "src/train.py"),
        ("python /ml/usercode/src/train.py", "src/train.py"),
        ("echo hello", ""),
        ("python ../../etc/passwd.py", "../../etc/passwd.py"),
    ],
)
def test_without_a_cell_the_command_names_the_script(command: str, entry_point: str) -> None:
    answer = source(packed({"src/train.py": b"here", "passwd.py": b"not this"}, command=command))
    assert (answer["cell"], answer["entry_point"]) == ("", entry_point)
    assert answer["script"] == ("here" if entry_point == "src/train.py" else "")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1, 1), (True, True), ("a b", "a b"), (None, None), (float("inf"), "inf"), ([1, "中"], '[1, "中"]'), ({}, "{}")],
)
def test_values_are_scalars(value: Scalar, shown: Scalar) -> None:
    assert source(job(values={"v": value}))["values"] == [{"name": "v", "value": shown}]


def test_a_value_whose_name_is_that_of_a_secret_is_masked() -> None:
    answer: Any = source(job(values={"api_key": "tell-nobody", "lr": 0.1, "hf_token": 7}))  # Any: JSON
    assert [value["value"] for value in answer["values"]] == ["***", 0.1, "***"]


def test_a_value_that_is_a_secret_is_masked_in_cell_and_script() -> None:
    script = b"api_key = 'tell-nobody-of-it'\nprint(api_key, 'password')\n"
    cell = "%%pai_train -p api_key=tell-nobody-of-it\nprint(1)\n"
    made = packed({"train.py": script}, cell=cell, values={"api_key": "tell-nobody-of-it", "lr": 0.1})
    answer = source(made)
    assert answer["script"] == "api_key = '***'\nprint(api_key, 'password')\n"
    assert answer["cell"] == "%%pai_train -p api_key=***\nprint(1)\n"


def test_a_script_that_is_no_utf8_is_shown_all_the_same() -> None:
    assert source(packed({"train.py": b"\xef\xbb\xbfcaf\xe9"}))["script"] == "caf\ufffd"


def test_of_very_many_files_the_first_are_listed_and_the_script_is_found() -> None:
    files = {f"f{number:05}": b"x" for number in range(MOST_FILES + 50)}
    answer = source(packed({**files, "train.py": b"here"}))
    assert len(package(answer)["files"]) == MOST_FILES
    assert (package(answer)["is_cut"], package(answer)["size"]) == (True, MOST_FILES + 54)
    assert answer["script"] == "here"


def test_looking_again_reads_nothing_until_the_package_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    made = packed({"train.py": b"one"})
    source(made)
    with monkeypatch.context() as broken:
        broken.setattr(gzip, "open", None)
        assert source(made)["script"] == "one"
    forged(made.folder.path / "package.tar.gz", (member("train.py", 5), b"other"))
    assert source(made)["script"] == "other"


# --- damaged and hostile archives --------------------------------------------------------------------------------


def test_without_its_package_a_job_still_has_its_cell() -> None:
    answer = source(job(cell=CELL, entry_point="train.py", digest="d"))
    assert (answer["cell"], answer["script"]) == (CELL, "")
    assert package(answer) == {"digest": "d", "size": 0, "files": [], "is_cut": True}


@pytest.mark.parametrize("keep", [0, 5, 0.5, 0.9, 0.999])
def test_what_is_left_of_a_torn_package_is_shown(keep: float) -> None:
    made = packed({"a": os.urandom(3000), "train.py": os.urandom(300_000)})
    path = made.folder.path / "package.tar.gz"
    data = path.read_bytes()
    path.write_bytes(data[: int(keep * len(data)) if keep < 1 else int(keep)])
    answer = package(source(made))
    assert answer["is_cut"] is True
    assert [file["name"] for file in answer["files"]] in ([], ["a"])


def test_a_package_that_is_not_the_one_that_was_sent_is_told_so() -> None:
    made = packed({"train.py": b"one"})
    forged(made.folder.path / "package.tar.gz", (member("train.py", 3), b"two"))
    assert package(source(made))["is_cut"] is True


@pytest.mark.parametrize(
    "garbage",
    [b"", b"no gzip", gzip.compress(b"no tar"), gzip.compress(b"\xff" * 5000)],
    ids=["empty", "no gzip", "no tar", "bytes"],
)
def test_garbage_is_an_empty_package(tmp_path: Path, garbage: bytes) -> None:
    (tmp_path / "p").write_bytes(garbage)
    found = read_package(tmp_path / "p", "train.py")
    assert (found.files, found.is_cut) == ([], True)


@pytest.mark.parametrize("size", [10**10, 8**11 - 1, 10**25, -512])
def test_a_size_that_lies_ends_the_list(tmp_path: Path, size: int) -> None:
    path = forged(tmp_path / "p", (member("a", 1), b"x"), (member("train.py", size), b"print()"))
    found = read_package(path, "train.py")
    assert ([file.name for file in found.files], found.is_cut, found.script) == (["a"], True, b"")


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        (tarfile.SYMTYPE, "/etc/passwd"),
        (tarfile.LNKTYPE, "/etc/passwd"),
        (tarfile.LNKTYPE, "a"),
        (tarfile.FIFOTYPE, ""),
        (tarfile.CHRTYPE, ""),
        (b"?", ""),
    ],
)
def test_links_and_devices_are_named_and_not_followed(tmp_path: Path, kind: bytes, target: str) -> None:
    path = forged(tmp_path / "p", (member("a", 6), b"secret"), (member("train.py", 0, kind, target), b""))
    found = read_package(path, "train.py")
    assert ([(file.name, file.size) for file in found.files], found.script) == ([("a", 6), ("train.py", 0)], b"")


def test_a_sparse_file_of_ten_terabytes_costs_nothing(tmp_path: Path) -> None:
    info = member("train.py", 512, tarfile.GNUTYPE_SPARSE)
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[386:410] = b"%011o\0%011o\0" % (0, 512)
    header[483:495] = b"%011o\0" % (8**11 - 1)
    header[148:156] = b"%06o\0 " % sum(header[:148] + b" " * 8 + header[156:])
    with gzip.open(tmp_path / "p", "wb") as out:
        out.write(bytes(header) + b"x" * 512 + bytes(1024))
    begun = time.monotonic()
    found = read_package(tmp_path / "p", "train.py")
    assert ([file.size for file in found.files], found.script) == ([0], b"")
    assert time.monotonic() - begun < SOON


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XGLTYPE])
def test_a_bomb_takes_neither_memory_nor_minutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: bytes) -> None:
    monkeypatch.setattr(source_tab, "MAX_BYTES", 30_000_000)
    with gzip.open(tmp_path / "p", "wb", compresslevel=1) as out:
        out.write(member("bomb", 300_000_000, kind).tobuf(tarfile.GNU_FORMAT))
        for _ in range(300):
            out.write(bytes(1_000_000))
    tracemalloc.start()
    begun = time.monotonic()
    found = read_package(tmp_path / "p", "train.py")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (found.files, found.is_cut) == ([], True)
    assert peak < 20_000_000
    assert time.monotonic() - begun < SOON


@pytest.mark.parametrize("size", [1, 600, 3_000_000])
def test_a_file_that_is_cut_ends_the_list(tmp_path: Path, size: int) -> None:
    path = forged(tmp_path / "p", (member("a", 1), b"x"), (member("b", size), b""), end=b"")
    assert [file.name for file in read_package(path, "b").files] == ["a"]


def test_headers_that_take_tarfile_half_an_hour_take_no_time(tmp_path: Path) -> None:
    """CVE-2024-6232: a regular expression over a header of digits."""
    long = (member("pax", 1_000_000, tarfile.XHDTYPE), b"9" * 1_000_000)
    chain = [(member("pax", 9, tarfile.XHDTYPE), b"9 path=x\n")] * 3000
    begun = time.monotonic()
    assert read_package(forged(tmp_path / "long", long), "x").is_cut
    assert [file.name for file in read_package(forged(tmp_path / "chain", *chain, (member("y"), b"")), "").files] == [
        "x"
    ]
    assert time.monotonic() - begun < SOON


def test_millions_of_members_end_somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_tab, "MAX_MEMBERS", 3000)
    path = forged(tmp_path / "p", *((member(f"{number}"), b"") for number in range(3001)))
    assert (len(read_package(path, "").files), read_package(path, "").is_cut) == (MOST_FILES, True)


def test_a_name_that_is_no_text_can_be_sent() -> None:
    made = packed({"train.py": b"one"})
    header = bytearray(member("xyz", 0).tobuf(tarfile.GNU_FORMAT))
    header[0:1] = b"\xff"
    header[148:156] = b"%06o\0 " % sum(header[:148] + b" " * 8 + header[156:])
    with gzip.open(made.folder.path / "package.tar.gz", "wb") as out:
        out.write(bytes(header) + bytes(1024))
    answer = package(source(made))
    assert [file["name"] for file in answer["files"]] == ["\ufffdyz"]
    json.dumps(answer, ensure_ascii=False).encode()
