"""The guard of directories that a job writes: what it opens, makes and walks, and what it refuses."""

from pathlib import Path

import pytest

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.path_guard import JobDirectory, hold, make_folder, open_file, place_in, remove, walk
from pai_jupyter.path_guard.walking import DEEPEST
from tests.support.descriptors import open_below
from tests.support.hostile import nested


@pytest.mark.parametrize(
    ("path", "bases", "expected"),
    [
        ("/job/output/model", ["/job"], JobDirectory(Path("/job"), ("output", "model"))),
        ("/data/out/model", ["/job", "/data/out"], JobDirectory(Path("/data/out"), ("model",))),
        ("/data/out", ["/job", "/data/out"], JobDirectory(Path("/data/out"))),
        ("/data/output", ["/data/out"], JobDirectory(Path("/data/output"))),
    ],
)
def test_a_path_belongs_to_the_first_base_that_holds_it(path: str, bases: list[str], expected: JobDirectory) -> None:
    found = place_in(Path(path), map(Path, bases))
    assert found == expected
    assert found.path == Path(path)


def test_the_base_alone_may_be_reached_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk" / "model").mkdir(parents=True)
    (tmp_path / "disk" / "model" / "m").write_text("42")
    (tmp_path / "out").symlink_to("disk")
    with open_file(JobDirectory(tmp_path / "out", ("model",)), "m", what="the model") as file:
        assert file.read() == b"42"
    with pytest.raises(SpecError, match=r"'out', which holds the model, is a link to 'disk', which is not followed"):
        open_file(JobDirectory(tmp_path, ("out", "model")), "m", what="the model")


def test_directories_are_made_and_never_behind_a_link(tmp_path: Path) -> None:
    make_folder(JobDirectory(tmp_path, ("a", "b")), what="the model")
    make_folder(JobDirectory(tmp_path, ("a", "b")), what="the model")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "link").symlink_to("a")
    for parts in (("link",), ("link", "c")):
        with pytest.raises(SpecError, match="is a link to 'a'"):
            make_folder(JobDirectory(tmp_path, parts), what="the model")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]


@pytest.mark.parametrize("path", ["..", "a/../..", "/etc", "a//b", ".", "a\0"])
def test_no_path_leads_upwards(tmp_path: Path, path: str) -> None:
    for look in (
        lambda: open_file(JobDirectory(tmp_path), path, what="x"),
        lambda: remove(JobDirectory(tmp_path), path, what="x"),
    ):
        with pytest.raises((SpecError, NotFoundError)):
            look()


def test_a_walk_names_what_is_too_deep_and_leaves_no_handle_open(tmp_path: Path) -> None:
    left = list[str]()
    with nested(tmp_path), hold(JobDirectory(tmp_path), what="x") as handle:
        found = [each.path for each in walk(handle, lambda path, exc: left.append(path))]
    assert len(found) == DEEPEST + 1
    assert left == [found[-1]]
    assert open_below(tmp_path) == []
