"""The files that travel with a job file, by its folder's settings and by patterns; what is said of those that do not."""

import json
import os
from pathlib import Path

import pytest

from pai_jupyter.backends.openpai import files
from pai_jupyter.backends.openpai.job_folder import read_settings, travelling
from pai_jupyter.errors import SpecError
from tests.support.openpai_files import SEED, SETTINGS, V1, V2, changed

WITH_CODE = json.dumps(changed(V1, {"codeDir": "/code"}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.py", "deep/b.py", "deep/er/c.py", "train.sh", "data.txt", ".hidden/d.py", ".e.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(name)
    return tmp_path


def write_settings(folder: Path, settings: dict[str, object] | str) -> None:
    (folder / ".vscode").mkdir(exist_ok=True)
    text = settings if isinstance(settings, str) else json.dumps(settings)
    (folder / ".vscode" / "settings.json").write_text(text)


ALL = ["a.py", "deep/b.py", "deep/er/c.py", "train.sh"]


@pytest.mark.parametrize(
    ("settings", "patterns", "names"),
    [
        (None, [], ALL),
        (SETTINGS, [], ALL),
        ({"pai.job.upload.enabled": None, "pai.job.upload.include": None}, [], ALL),
        ({**SETTINGS, "pai.job.upload.exclude": ["deep/*.py"]}, [], ["a.py", "deep/er/c.py", "train.sh"]),
        ({**SETTINGS, "pai.job.upload.exclude": ["deep"]}, [], ["a.py", "train.sh"]),
        ({**SETTINGS, "pai.job.upload.exclude": ["**/a.py", "deep/**"]}, [], ["train.sh"]),
        ({**SETTINGS, "pai.job.upload.include": ["**/*.{py,sh}", "!deep/**"]}, [], ["a.py", "train.sh"]),
        ({**SETTINGS, "pai.job.upload.include": ["./deep"]}, [], ["deep/b.py", "deep/er/c.py"]),
        ({**SETTINGS, "pai.job.upload.enabled": False}, [], []),
        (SETTINGS, ["*.txt"], ["data.txt"]),
        (SETTINGS, ["*.txt", "deep/*.py"], ["data.txt", "deep/b.py"]),
        ({**SETTINGS, "pai.job.upload.enabled": False}, ["*.txt"], ["data.txt"]),
    ],
)
def test_the_files_of_the_settings_or_of_the_patterns_travel(
    folder: Path, settings: dict[str, object] | None, patterns: list[str], names: list[str]
) -> None:
    if settings is not None:
        write_settings(folder, settings)
    found = travelling(folder, patterns)
    assert sorted(found) == names
    assert all(content == name.encode() for name, content in found.items())


def test_settings_may_have_comments_as_in_the_editor(folder: Path) -> None:
    write_settings(
        folder,
        '\ufeff{\n  // mine\n  "pai.job.upload.include": ["*.sh",],\n  "pai.job.generateJobName.enabled": false,\n}',
    )
    assert sorted(travelling(folder)) == ["train.sh"]
    assert read_settings(folder).has_own_name


@pytest.mark.parametrize(
    "text", ["[", "[]", '{"pai.job.upload.include": "*.py"}', '{"pai.job.upload.exclude": [1]}', "[" * 99999]
)
def test_damaged_settings_are_named(folder: Path, text: str) -> None:
    write_settings(folder, text)
    with pytest.raises(SpecError, match=r"settings.json' cannot be read. Correct it, or type --upload GLOB"):
        travelling(folder)


@pytest.mark.parametrize("pattern", ["*.csv", "nothing/**", ".hidden/d.py", "../*", "["])
def test_a_pattern_that_was_typed_and_matches_nothing_is_an_error(folder: Path, pattern: str) -> None:
    with pytest.raises(SpecError, match=r"no file in .* matches"):
        travelling(folder, ["*.txt", pattern])


@pytest.mark.parametrize("pattern", ["", "/etc/*", "a**"])
def test_what_is_no_pattern_is_an_error(folder: Path, pattern: str) -> None:
    with pytest.raises(SpecError, match="is no pattern of files below the job file's folder"):
        travelling(folder, [pattern])


def test_a_link_to_a_file_elsewhere_does_not_travel(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    secret = tmp_path_factory.mktemp("elsewhere") / "key"
    secret.write_text("private")
    (folder / "linked.py").symlink_to(secret)
    (folder / "inside.py").symlink_to("a.py")
    with pytest.raises(SpecError, match=r"'linked.py' is a link that leaves the job file's folder"):
        travelling(folder)
    (folder / "linked.py").unlink()
    assert travelling(folder)["inside.py"] == b"a.py"


def test_files_of_more_than_a_cluster_takes_are_refused_unread(folder: Path) -> None:
    for name, size in (("large.py", 150_000_000), ("small.py", 50_000_000)):
        (folder / name).touch()
        os.truncate(folder / name, size)
    with pytest.raises(
        SpecError, match=r"the files are 2000000\d\d bytes, and a cluster takes 200000000; the largest is 'large.py'"
    ):
        travelling(folder)


# --- what is said ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [json.dumps(V1), json.dumps(V2), json.dumps(changed(V1, {"codeDir": ""}))])
def test_files_go_only_where_a_code_directory_is_and_it_is_said(folder: Path, text: str) -> None:
    write_settings(folder, SETTINGS)
    assert files.code_files(text, {"a.py": b""}, is_asked=False) == {}
    [note] = files.upload_notes(text, folder, is_asked=False)
    assert note == ".vscode/settings.json: no file goes with this job, since the job file has no `codeDir`."
    with pytest.raises(SpecError, match="`--upload` names files, but the job file has no `codeDir`"):
        files.code_files(text, {"a.py": b""}, is_asked=True)


def test_patterns_of_the_settings_that_match_nothing_are_named(folder: Path) -> None:
    assert files.upload_notes(WITH_CODE, folder, is_asked=False) == []
    write_settings(folder, {**SETTINGS, "pai.job.upload.include": ["**/*.py", "*.csv"]})
    assert files.upload_notes(WITH_CODE, folder, is_asked=False) == [".vscode/settings.json: no file matches '*.csv'."]
    assert files.upload_notes(WITH_CODE, folder, is_asked=True) == []
    assert files.code_files(WITH_CODE, {"a.py": b""}, is_asked=False) == {"a.py": b""}


def test_the_seeds_folder_gives_no_note(folder: Path) -> None:
    write_settings(folder, SETTINGS)
    assert files.upload_notes(SEED, folder, is_asked=False) == []
