"""What is not packed, how that is said, and that nothing is left of it."""

import io
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pai_jupyter.errors import LimitExceededError, PackageError
from pai_jupyter.package import build, packing, unpack
from pai_jupyter.package.archive import BLOCK, examine, pack
from pai_jupyter.package.files import collect
from pai_jupyter.package.secrets import SecretScanner
from tests.support.trees import names, refusal, unpacked, write


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


def test_a_link_that_leads_in_a_circle_is_left_out(source: Path, to: Path, tmp_path: Path) -> None:
    (source / "round").symlink_to("round")
    (source / "there").symlink_to("back")
    (source / "back").symlink_to("there")
    package = build(source, to=to)
    assert names(package) == ["lib/net.py", "run.sh", "train.py"]
    assert "'round' is a link that leads in a circle; it was left out." in package.warnings
    unpack(package.path, tmp_path / "out")


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
