"""Packages: what goes in, what is refused and how it is said, and that nothing leaves its directory on the way out."""

import io
import os
import socket
import tarfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pai_jupyter.errors import LimitExceededError, PackageError
from pai_jupyter.package import Package, build, packing, unpack
from pai_jupyter.package.archive import BLOCK, examine, pack
from pai_jupyter.package.files import collect
from pai_jupyter.package.secrets import SecretScanner

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


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "source", {"train.py": "print(1)\n", "lib/net.py": "x = 1\n", "run.sh": "#!/bin/sh\n"})


@pytest.fixture
def to(tmp_path: Path) -> Path:
    folder = tmp_path / "job"
    folder.mkdir()
    return folder / "package.tar.gz"


def names(package: Package) -> list[str]:
    return [file.name for file in package.files]


def unpacked(package: Package, to: Path) -> dict[str, bytes]:
    unpack(package.path, to)
    return {str(path.relative_to(to)): path.read_bytes() for path in to.rglob("*") if path.is_file()}


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


# --- what is refused, and how --------------------------------------------------------------------------------------


def refusal(source_dir: Path | None, to: Path, **options: object) -> str:
    with pytest.raises(PackageError) as caught:
        build(source_dir, to=to, **options)  # type: ignore[arg-type]  # whatever the case at hand gives
    assert list(to.parent.iterdir()) == []  # nothing is left behind
    return str(caught.value)


def test_a_directory_that_is_not_there(tmp_path: Path, to: Path) -> None:
    assert refusal(tmp_path / "no", to).endswith("/no', and there is no such directory. Check --source-dir.")


def test_too_large_names_the_five_largest(tmp_path: Path, to: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "SIZE_LIMIT", 30_000)
    root = write(tmp_path / "s", {f"d/{n}.bin": bytes(n * 1000) for n in range(1, 10)})
    sentence = refusal(root, to)
    assert "would hold 45 kB (the limit is 30 kB). The largest: 'd/9.bin' 9 kB, 'd/8.bin' 8 kB, " in sentence
    assert "'d/5.bin' 5 kB. Name in .paiignore" in sentence
    assert "d/4.bin" not in sentence
    assert "--option package.allow_large=true" in sentence


def test_too_many_files_names_the_fullest_directories(
    tmp_path: Path, to: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "COUNT_LIMIT", 10)
    root = write(tmp_path / "s", {f"d{n % 3}/sub/{n}": "" for n in range(10)} | {"a": ""})
    assert (
        "11 files (the limit is 10). The largest: 'd0/sub/' 4 files, 'd1/sub/' 3 files, 'd2/sub/' 3 files, './' 1"
        in (refusal(root, to))
    )


def test_large_is_packed_when_asked_for(tmp_path: Path, to: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "SIZE_LIMIT", 10)
    assert build(write(tmp_path / "s", {"a": "x" * 11}), to=to, allow_large=True).size == 11


def test_a_walk_that_finds_far_too_much_ends_early_unless_all_is_asked_for(
    tmp_path: Path, to: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "COUNT_LIMIT", 3)
    monkeypatch.setattr(packing, "WALK_LIMIT", 10)
    root = write(tmp_path / "s", {f"d{n}/{m}": "" for n in range(10) for m in range(5)})
    assert "would hold 15 files (the limit is 3)" in refusal(root, to)
    assert len(build(root, to=to, allow_large=True).files) == 50


@pytest.mark.parametrize(
    "target", ["../outside", "/etc/passwd", "lib/../../outside", "../source/train.py", "..", "/", "lib/../.."]
)
def test_a_link_that_leaves_the_directory_is_refused(source: Path, to: Path, tmp_path: Path, target: str) -> None:
    (tmp_path / "outside").write_text("x")
    (source / "link").symlink_to(target)
    assert f"'link' is a link to {target!r}, which leaves the source directory." in refusal(source, to)


def test_a_link_that_leaves_through_another_link_is_refused(source: Path, to: Path) -> None:
    (source / "x/y").mkdir(parents=True)
    (source / "b").mkdir()
    (source / "x/y/a").symlink_to("../../b")
    (source / "sly").symlink_to("x/y/a/../../x")  # by its text inside, in fact beside the root
    assert "'sly' is a link" in refusal(source, to)


@pytest.mark.parametrize("target", ["train.py", "lib", "lib/../train.py", "missing.py"])
def test_a_link_that_stays_inside_remains_a_link(source: Path, to: Path, tmp_path: Path, target: str) -> None:
    (source / "link").symlink_to(target)
    unpack(build(source, to=to).path, tmp_path / "out")
    assert str((tmp_path / "out/link").readlink()) == target


def test_a_linked_directory_is_not_packed_twice(source: Path, to: Path) -> None:
    (source / "link").symlink_to("lib")
    (source / "lib/loop").symlink_to("..")
    assert names(build(source, to=to)) == ["lib/loop", "lib/net.py", "link", "run.sh", "train.py"]


def test_another_target_is_another_package(source: Path, to: Path) -> None:
    (source / "link").symlink_to("train.py")
    first = build(source, to=to).digest
    (source / "link").unlink()
    (source / "link").symlink_to("run.sh")
    assert build(source, to=to).digest != first


def test_a_source_directory_may_itself_be_a_link(source: Path, to: Path, tmp_path: Path) -> None:
    (source / "link").symlink_to("train.py")
    (tmp_path / "alias").symlink_to(source)
    assert "train.py" in names(build(tmp_path / "alias", to=to))


def test_pipes_and_sockets_are_left_out_with_a_word(source: Path, to: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(source / "pipe")
    monkeypatch.chdir(source)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("sock")
        package = build(source, to=to)
    assert set(package.warnings) == {"'pipe' is a pipe; it was left out.", "'sock' is a socket; it was left out."}
    assert names(package) == ["lib/net.py", "run.sh", "train.py"]


def test_a_name_that_is_no_utf8_is_refused(source: Path, to: Path) -> None:
    Path(os.fsdecode(os.fsencode(source) + b"/caf\xe9.txt")).write_text("x")
    sentence = refusal(source, to)
    assert "caf\\xe9.txt' is not UTF-8. Rename the file, or name it in .paiignore." in sentence
    sentence.encode()  # it can be shown


def test_a_name_that_is_no_utf8_may_be_ignored(source: Path, to: Path) -> None:
    Path(os.fsdecode(os.fsencode(source) + b"/caf\xe9.txt")).write_text("x")
    (source / ".paiignore").write_bytes(b"caf\xe9.txt\n")
    assert "train.py" in names(build(source, to=to))


@pytest.fixture
def plain_user() -> Iterator[Path]:
    """A directory of a user who is not root, for whom permissions count, while the test acts as that user."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        with TemporaryDirectory() as folder:
            yield Path(folder)
    finally:
        if is_root:
            os.seteuid(0)


@pytest.mark.parametrize(
    ("closed", "mode", "name"),
    [("train.py", 0, "train.py"), ("lib", 0, "lib"), ("lib", 0o600, "lib/net.py"), (".gitignore", 0, ".gitignore")],
)
def test_an_unreadable_file_or_directory_is_named(plain_user: Path, closed: str, mode: int, name: str) -> None:
    root = write(plain_user / "s", {"train.py": "", "lib/net.py": "", ".gitignore": ""})
    (plain_user / "job").mkdir()
    (root / closed).chmod(mode)
    sentence = refusal(root, plain_user / "job/package.tar.gz")
    (root / closed).chmod(0o700)
    assert f"/{name}' cannot be read: Permission denied." in sentence


def fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_text("print(1)\nprint(2)\n"),
        lambda path: path.write_text(""),
        lambda path: path.write_text("print(2)\n"),
        lambda path: path.unlink(),
        fifo,
        link,
    ],
    ids=["longer", "empty", "as long", "gone", "a pipe", "a link"],
)
def test_a_file_that_changes_while_it_is_packed_is_refused(source: Path, change: Callable[[Path], object]) -> None:
    tree = collect(source)
    change(source / "train.py")
    with pytest.raises(
        PackageError, match=r"/train\.py' changed while it was packed\. Run this again when it is at rest"
    ):
        list(pack(tree, io.BytesIO(), SecretScanner()))


def test_a_file_that_changes_while_it_is_read_is_refused(source: Path) -> None:
    (source / "train.py").write_bytes(bytes(2 * BLOCK))
    (train,) = (found for found in collect(source) if found.name == "train.py")

    def change(chunk: bytes) -> None:
        with train_py.open("r+b") as file:
            file.seek(BLOCK)
            file.write(b"new")

    train_py = source / "train.py"
    with pytest.raises(PackageError, match="changed while it was packed"):
        examine(train, SecretScanner(), change)


def test_an_extra_file_never_hides_one_on_disk(source: Path, to: Path) -> None:
    sentence = refusal(source, to, files={"train.py": b""})
    assert sentence.startswith(f"'train.py' is already in {str(source)!r}, and the cell would take its place.")
    assert "--entry-point NAME.py" in sentence


def test_an_overlay_takes_the_place_of_what_is_on_disk(source: Path, to: Path, tmp_path: Path) -> None:
    package = build(source, to=to, overlay={"train.py": b"new"})
    assert unpacked(package, tmp_path / "out")["train.py"] == b"new"
    assert names(package).count("train.py") == 1


@pytest.mark.parametrize("name", ["lib", "train.py/x", "lib/net.py/y/z"])
def test_a_file_cannot_stand_where_a_directory_is(source: Path, to: Path, name: str) -> None:
    assert "cannot both be in the package" in refusal(source, to, files={name: b""})


@pytest.mark.parametrize("name", ["", "/etc/x", "../x", "a/../b", "a/..", "a//b", "a/", ".", "./a", "a\0b"])
def test_a_name_outside_the_package_is_refused(to: Path, name: str) -> None:
    assert "is no name for a file of a package" in refusal(None, to, files={name: b""})


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


# --- writing -------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_said_and_leaves_nothing(source: Path, to: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened_on_a_full_disk(handle: int, mode: str) -> object:
        os.close(handle)
        return Path("/dev/full").open(mode)

    monkeypatch.setattr(os, "fdopen", opened_on_a_full_disk)
    with pytest.raises(LimitExceededError, match=r"No space left on device\. Make room there\."):
        build(source, to=to)
    assert list(to.parent.iterdir()) == []


def test_a_place_that_is_not_there_is_said(source: Path, tmp_path: Path) -> None:
    with pytest.raises(PackageError, match=r"cannot be written to .*: No such file or directory"):
        build(source, to=tmp_path / "missing/package.tar.gz")


def test_a_failed_packing_leaves_an_older_package_alone(source: Path, to: Path) -> None:
    before = build(source, to=to).path.read_bytes()
    (source / "link").symlink_to("/etc/passwd")
    with pytest.raises(PackageError):
        build(source, to=to)
    assert to.read_bytes() == before


# --- unpacking what somebody else packed ---------------------------------------------------------------------------


def crafted(path: Path, *members: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for member in members:
            tar.addfile(member, io.BytesIO(bytes(member.size)))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, linkname: str = "", size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, linkname, size
    return info


@pytest.mark.parametrize(
    "members",
    [
        [member("../evil")],
        [member("a/../../evil")],
        [member("/tmp/evil")],
        [member("link", tarfile.SYMTYPE, "/etc/passwd")],
        [member("link", tarfile.SYMTYPE, "../evil")],
        [member("link", tarfile.LNKTYPE, "../evil")],
        [member("dir", tarfile.SYMTYPE, ".."), member("dir/evil")],
        [member("null", tarfile.CHRTYPE)],
        [member("disk", tarfile.BLKTYPE)],
        [member("pipe", tarfile.FIFOTYPE)],
    ],
    ids=lambda members: f"{members[-1].name} {members[0].type.decode()} {members[0].linkname}",
)
def test_a_hostile_archive_is_refused(tmp_path: Path, members: list[tarfile.TarInfo]) -> None:
    archive = crafted(tmp_path / "evil.tar.gz", *members)
    before = set(tmp_path.iterdir())
    with pytest.raises(PackageError, match="was not unpacked"):
        unpack(archive, tmp_path / "in/out")
    assert set(tmp_path.iterdir()) - before <= {tmp_path / "in"}
    assert list((tmp_path / "in").rglob("*")) in ([], [tmp_path / "in/out"])
    assert not Path("/tmp/evil").exists()


def test_no_set_uid_bit_comes_out(tmp_path: Path) -> None:
    program = member("program")
    program.mode = 0o6777
    unpack(crafted(tmp_path / "a.tar.gz", program), tmp_path / "out")
    assert (tmp_path / "out/program").stat().st_mode & 0o7022 == 0


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-9], lambda data: data[:40], lambda data: b"", lambda data: b"no" + data]
)
def test_a_damaged_archive_is_said_to_be_one(
    source: Path, to: Path, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    build(source, to=to)
    to.write_bytes(damage(to.read_bytes()))
    with pytest.raises(PackageError, match=r"package\.tar\.gz' is damaged"):
        unpack(to, tmp_path / "out")


def test_an_archive_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match=r"cannot be unpacked into .*: No such file or directory"):
        unpack(tmp_path / "no.tar.gz", tmp_path / "out")
