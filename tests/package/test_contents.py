"""What goes into a package, what stays behind, and what comes out: names, bytes and modes, and nothing else."""

import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pai_jupyter.errors import PackageError
from pai_jupyter.package import build, unpack
from pai_jupyter.package.archive import BLOCK
from pai_jupyter.package.files import collect
from tests.support.trees import names, refusal, unpacked, write

HOSTILE_NAMES = [
    "a b.txt",
    'it\'s "quoted".txt',
    "训练/数据.csv",
    "line\nbreak.txt",
    "-rf",
    "--",
    "$HOME.txt",
    "a\\b.txt",
    "n" * 250,
    "/".join(["deep" * 20] * 8),
    "é.txt",
    " leading and trailing ",
]


def test_what_is_unpacked_is_what_was_packed(source: Path, to: Path, tmp_path: Path) -> None:
    package = build(source, to=to, files={"requirements.txt": b"numpy\n"})
    assert unpacked(package, tmp_path / "out") == {
        "train.py": b"print(1)\n",
        "lib/net.py": b"x = 1\n",
        "run.sh": b"#!/bin/sh\n",
        "requirements.txt": b"numpy\n",
    }
    assert names(package) == ["lib/net.py", "requirements.txt", "run.sh", "train.py"]
    assert package.size == 9 + 6 + 10 + 6


def test_times_owner_and_order_of_making_do_not_change_the_bytes(source: Path, to: Path, tmp_path: Path) -> None:
    other = tmp_path / "another place"
    for name in reversed(["lib/net.py", "run.sh", "train.py"]):
        write(other, {name: (source / name).read_bytes()})
        os.utime(other / name, (5, 5))
        (other / name).chmod(0o600)
        if os.geteuid() == 0:
            os.chown(other / name, 1234, 1234)
    first, second = build(source, to=to), build(other, to=tmp_path / "other.tar.gz")
    assert first.digest == second.digest
    assert first.path.read_bytes() == second.path.read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "train.py").write_text("print(2)\n"),
        lambda root: (root / "train.py").rename(root / "main.py"),
        lambda root: (root / "train.py").chmod(0o755),
        lambda root: (root / "new.py").write_text(""),
        lambda root: (root / "train.py").unlink(),
    ],
    ids=["content", "name", "mode", "one more", "one less"],
)
def test_every_change_that_matters_changes_the_digest(source: Path, to: Path, change: Callable[[Path], object]) -> None:
    before = build(source, to=to).digest
    change(source)
    assert build(source, to=to).digest != before


def test_an_extra_file_counts_as_if_it_were_on_disk(source: Path, to: Path) -> None:
    on_disk = build(source, to=to).digest
    content = (source / "train.py").read_bytes()
    (source / "train.py").unlink()
    assert build(source, to=to, files={"train.py": content}).digest == on_disk


def test_entries_have_no_owner_no_time_and_one_of_two_modes(source: Path, to: Path) -> None:
    (source / "run.sh").chmod(0o4777)
    (source / "train.py").chmod(0o600)
    build(source, to=to)
    with tarfile.open(to) as tar:
        entries = [(info.name, info.mode, info.mtime, info.uid, info.gid, info.uname, info.gname) for info in tar]
    assert entries == [
        ("lib/net.py", 0o644, 0, 0, 0, "", ""),
        ("run.sh", 0o755, 0, 0, 0, "", ""),
        ("train.py", 0o644, 0, 0, 0, "", ""),
    ]


@pytest.mark.parametrize("size", [0, 1, 511, 512, BLOCK - 512, BLOCK, BLOCK + 1, 5 * BLOCK + 3])
def test_files_of_any_size_survive(tmp_path: Path, to: Path, size: int) -> None:
    content = os.urandom(size // 2) + bytes(size - size // 2)
    package = build(write(tmp_path / "s", {"a": content, "b": b"behind"}), to=to)
    assert unpacked(package, tmp_path / "out") == {"a": content, "b": b"behind"}


def test_the_archive_is_one_that_other_tools_read(source: Path, to: Path, tmp_path: Path) -> None:
    write(source, {"large.bin": os.urandom(3 * BLOCK)})
    build(source, to=to)
    (tmp_path / "out").mkdir()
    assert os.spawnlp(os.P_WAIT, "tar", "tar", "xzf", str(to), "-C", str(tmp_path / "out")) == 0
    assert (tmp_path / "out/large.bin").read_bytes() == (source / "large.bin").read_bytes()


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=ascii)
def test_odd_names_survive(tmp_path: Path, to: Path, name: str) -> None:
    package = build(write(tmp_path / "s", {name: "x"}), to=to)
    assert names(package) == [name]
    assert unpacked(package, tmp_path / "out") == {name: b"x"}


def test_nothing_but_extra_files_is_a_package_too(to: Path, tmp_path: Path) -> None:
    package = build(None, to=to, files={"train.py": b"pass", "pkg/__init__.py": b""})
    assert unpacked(package, tmp_path / "out") == {"train.py": b"pass", "pkg/__init__.py": b""}


def test_unpacked_files_are_of_today(source: Path, to: Path, tmp_path: Path) -> None:
    unpack(build(source, to=to).path, tmp_path / "out")
    assert (tmp_path / "out/train.py").stat().st_mtime > 1e9


# --- what stays behind ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "packed"),
    [
        ({".git/HEAD": "", "a.py": ""}, ["a.py"]),
        ({".git": "gitdir: elsewhere", "a.py": ""}, ["a.py"]),
        ({"p/__pycache__/a.pyc": "", "p/a.py": "", "b.pyc": ""}, ["p/a.py"]),
        ({".ipynb_checkpoints/a.ipynb": "", "a.ipynb": ""}, ["a.ipynb"]),
        ({"node_modules/x/i.js": "", ".DS_Store": "", ".mypy_cache/x": "", "a": ""}, ["a"]),
        ({".venv/pyvenv.cfg": "", ".venv/lib/x.py": "", "my env/pyvenv.cfg": "", "my env/y": "", "a": ""}, ["a"]),
        ({"venv/train.py": ""}, ["venv/train.py"]),  # no environment, only called so
        ({"pyvenv.cfg": "", "a": ""}, ["a", "pyvenv.cfg"]),  # asked for by name
        ({".env": "", ".config/x": "", ".python-version": ""}, [".config/x", ".env", ".python-version"]),
        ({".gitignore": "*.log\ndata/\n", "a.log": "", "data/x": "", "b/data/y": "", "b/c": ""}, [".gitignore", "b/c"]),
        ({".gitignore": "/data\n", "data": "", "b/data": ""}, [".gitignore", "b/data"]),
        ({".gitignore": "*.csv\n!keep.csv\n", "a.csv": "", "keep.csv": ""}, [".gitignore", "keep.csv"]),
        ({".gitignore": "out/\n!out/keep\n", "out/keep": ""}, [".gitignore"]),  # git: not out of an ignored directory
        ({".gitignore": "out/*\n!out/keep\n", "out/keep": "", "out/x": ""}, [".gitignore", "out/keep"]),
        ({".gitignore": "out/**\n!out/keep\n", "out/keep": "", "out/x": ""}, [".gitignore", "out/keep"]),
        ({".gitignore": "data/\n!src/\n", "src/data/x": "", "src/a": ""}, [".gitignore", "src/a"]),
        ({".gitignore": "data/\n!/src/\n", "src/data/x": "", "src/a": ""}, [".gitignore", "src/a"]),
        ({".gitignore": "*.log\n", "a/.gitignore": "x\n", "a/b.log": "", "a/x": ""}, [".gitignore", "a/.gitignore"]),
        ({".gitignore": "*\n!*/\n!*.py\n", "a/b.py": "", "a/c.txt": "", ".git/x.py": ""}, ["a/b.py"]),
        (
            {".gitignore": "*.txt\n", "a/.gitignore": "!b.txt\n", "a/b.txt": "", "c.txt": ""},
            [".gitignore", "a/.gitignore", "a/b.txt"],
        ),
        ({"a/.gitignore": "/b\n", "a/b": "", "b": "", "a/c/b": ""}, ["a/.gitignore", "a/c/b", "b"]),
        (
            {".paiignore": "*.csv\n", ".gitignore": "*.py\n", "a.csv": "", "a.py": ""},
            [".gitignore", ".paiignore", "a.py"],
        ),
        ({".paiignore": "", "a/.gitignore": "b\n", "a/b": ""}, [".paiignore", "a/.gitignore", "a/b"]),
        ({".gitignore": "\ufeff*.log\r\n# no\r\n\r\n!\r\n", "a.log": "", "b": ""}, [".gitignore", "b"]),
        ({".gitignore/x": "", "a": ""}, [".gitignore/x", "a"]),
        ({".gitignore": "训练/\n\\#x\n", "训练/a": "", "#x": "", "b": ""}, [".gitignore", "b"]),
    ],
    ids=lambda value: (
        next((str(text)[:30] for text in value.values() if text), None) if isinstance(value, dict) else None
    ),
)
def test_ignored_files_stay_behind(tmp_path: Path, files: dict[str, str], packed: list[str]) -> None:
    assert sorted(collect(write(tmp_path / "s", files)).sources) == packed


@pytest.mark.parametrize("kind", ["a pipe", "a device", "huge"])
def test_what_is_no_ignore_file_is_refused_and_not_waited_for(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path / "s", {"a.py": ""}) / ".gitignore"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a device":
        path.symlink_to("/dev/zero")
    else:
        path.touch()
        os.truncate(path, 1 << 40)
    with pytest.raises(PackageError, match=r"gitignore' is no plain file of at most 1 MiB"):
        collect(tmp_path / "s")


def test_ignore_files_above_the_root_are_not_read(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*", "s/a.py": ""})
    assert list(collect(tmp_path / "s").sources) == ["a.py"]


@pytest.mark.parametrize("where", ["source/.jobs", "source/lib/jobs", "link/jobs"])
def test_a_directory_that_is_to_stay_behind_does(source: Path, tmp_path: Path, where: str) -> None:
    (tmp_path / "link").symlink_to("source/lib")
    without = tmp_path / where
    without.mkdir()
    (without / "x").touch()
    assert sorted(collect(source, without=without).sources) == ["lib/net.py", "run.sh", "train.py"]


@pytest.mark.parametrize("where", ["source", "", "elsewhere"])
def test_what_is_asked_for_by_its_own_name_does_not_stay_behind(source: Path, tmp_path: Path, where: str) -> None:
    assert sorted(collect(source, without=tmp_path / where).sources) == ["lib/net.py", "run.sh", "train.py"]


# --- --include -----------------------------------------------------------------------------------------------------


def test_includes_go_in_under_their_base_names(source: Path, to: Path, tmp_path: Path) -> None:
    write(tmp_path, {"far/table.csv": "1", "far/shared/a.py": "2", "far/shared/__pycache__/a.pyc": ""})
    package = build(source, to=to, include=[tmp_path / "far/table.csv", tmp_path / "far/shared"])
    assert names(package) == ["lib/net.py", "run.sh", "shared/a.py", "table.csv", "train.py"]


def test_an_include_without_a_source_directory_is_that_file_alone(source: Path, to: Path) -> None:
    assert names(build(None, to=to, include=[source / "train.py"])) == ["train.py"]


def test_an_include_may_be_a_link_to_anywhere(source: Path, to: Path, tmp_path: Path) -> None:
    write(tmp_path, {"data/real.csv": "x"})
    (tmp_path / "named.csv").symlink_to("data/real.csv")
    package = build(source, to=to, include=[tmp_path / "named.csv"])
    assert unpacked(package, tmp_path / "out")["named.csv"] == b"x"
    assert not (tmp_path / "out/named.csv").is_symlink()


def test_an_include_that_is_there_already_changes_nothing(source: Path, to: Path) -> None:
    assert build(source, to=to, include=[source / "train.py"]).digest == build(source, to=to).digest


def test_an_ignored_file_goes_in_when_it_is_named(source: Path, to: Path) -> None:
    write(source, {".gitignore": "*.csv\n", "t.csv": ""})
    assert "t.csv" in names(build(source, to=to, include=[source / "t.csv"]))


def test_two_files_of_one_name_are_refused(source: Path, to: Path, tmp_path: Path) -> None:
    write(tmp_path, {"far/train.py": ""})
    assert "would both be 'train.py' in the package. Rename one of them." in (
        refusal(source, to, include=[tmp_path / "far/train.py"])
    )


def test_a_missing_include_is_named(source: Path, to: Path) -> None:
    assert refusal(source, to, include=[Path("no.csv")]) == "--include 'no.csv': there is no such file or directory."
