"""A component as a YAML file: the same later, or what changed."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.backends import ImageFacts
from pai_jupyter.backends.docker.image_facts import digests_in
from pai_jupyter.component import (
    Component,
    ComponentInput,
    ComponentOutput,
    ComponentRun,
    SavedComponent,
    TrainingConstraint,
    load,
    run,
    save,
)
from pai_jupyter.component.code import CodeState
from pai_jupyter.component.saved import load_named, saved_versions, store
from pai_jupyter.errors import PackageError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.hyperparameters import Hyperparameter

WHOLE = Component(
    name="iris",
    version="1.2.3",
    description="鸢尾: a 'classic'\nof two lines",
    version_description="yes",
    image_uri="registry-vpc.cn-shanghai.aliyuncs.com/me/train:1",
    job_type="XGBoostJob",
    command="python main.py $PAI_USER_ARGS",
    files={"main.py": "print('你好')\n\nprint(1)\n".encode(), "model.bin": b"\xff\x00"},
    inputs=(ComponentInput(name="train", sources=("OSS", "NAS")), ComponentInput(name="t", required=False)),
    outputs=(ComponentOutput(name="model"), ComponentOutput(name="rows", storage="MaxCompute", description="d")),
    parameters=(
        Hyperparameter(name="n", type="Int", default=3, minimum=1, maximum=9, required=True, help="a count"),
        Hyperparameter(name="lr", type="Float", minimum=0.0, open_minimum=True),
        Hyperparameter(name="kind", type="String", default="no", choices=("no", "on")),
        Hyperparameter(name="empty", type="String", default=""),
        Hyperparameter(name="quick", type="Bool", default=False),
    ),
    constraint=TrainingConstraint(machine="GPU", several_machines=False, several_cards=True),
)


@pytest.fixture
def source(workplace: Path) -> Path:
    (workplace / "src").mkdir()
    (workplace / "src" / "main.py").write_text("print('first')\n")
    (workplace / "src" / "more.py").write_text("x = 1\n")
    return workplace / "src"


def here(**changes: object) -> Component:
    component = Component(name="hello", command="python main.py $PAI_USER_ARGS", source="src")
    return replace(component, **changes)  # type: ignore[arg-type]  # fields of different types


def test_a_component_is_the_same_when_it_is_read_again(workplace: Path) -> None:
    path = save(WHOLE, workplace / "iris.yaml")
    assert load(path).component == WHOLE
    assert load(path).notes == ()
    assert "description: |-\n  鸢尾: a 'classic'" in path.read_text()


def test_a_file_is_private_and_has_no_login(source: Path, workplace: Path) -> None:
    path = save(here(login="TOKEN-12345"), workplace / "hello.yaml")
    assert path.stat().st_mode & 0o777 == 0o600
    assert "TOKEN-12345" not in path.read_text()


def test_a_saved_component_runs_the_same_later(
    source: Path, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = load(save(here(), workplace / "hello.yaml"))
    assert run(saved).status is Status.SUCCEEDED
    assert capsys.readouterr().out.splitlines()[-1] == "first"


def test_changed_code_is_said_and_not_run(source: Path, workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = save(here(), workplace / "hello.yaml")
    (source / "main.py").write_text("print('second')\n")
    (source / "new.py").write_text("")
    (source / "more.py").unlink()
    with pytest.raises(SpecError) as error:
        run(load(path))
    assert "is not the one with which hello 1.0.0 was saved (changed: main.py; new: new.py; gone: more.py)" in str(
        error.value
    )
    assert "--accept-changes" in str(error.value)
    assert "second" not in capsys.readouterr().out
    run(load(path), ComponentRun(accepts_changes=True))
    out = capsys.readouterr().out
    assert "second" in out
    assert "note: the code in" in out


def test_the_file_in_its_own_code_is_no_change(source: Path, workplace: Path) -> None:
    path = save(here(source=str(source)), source / "hello.yaml")
    assert run(load(path)).status is Status.SUCCEEDED
    (source / "more.py").write_text("x = 2\n")
    with pytest.raises(SpecError, match=r"\(changed: more\.py\)"):
        run(load(path))


def test_file_and_code_can_be_moved_together(source: Path, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(here(), workplace / "hello.yaml")
    assert "source: src" in path.read_text()
    (workplace / "there").mkdir()
    source.rename(workplace / "there" / "src")
    path.rename(workplace / "there" / "hello.yaml")
    monkeypatch.chdir("/")
    assert run(load(workplace / "there" / "hello.yaml")).status is Status.SUCCEEDED


def test_a_moved_tag_is_said() -> None:
    saved = SavedComponent(component=WHOLE, image_digest="sha256:" + "a" * 64)
    assert saved.changes(None, ImageFacts(digests=("sha256:" + "a" * 64,))) == []
    assert saved.changes(None, ImageFacts(digests=("sha256:b", "sha256:" + "a" * 64))) == []
    (sentence,) = saved.changes(None, ImageFacts(digests=("sha256:" + "b" * 64,)))
    assert "its tag was moved, from sha256:aaaaaaaaaaaa to sha256:bbbbbbbbbbbb" in sentence


def test_what_is_not_known_is_no_change() -> None:
    assert SavedComponent(component=WHOLE).changes(CodeState(digest="x"), ImageFacts(digests=("y",))) == []
    assert SavedComponent(component=WHOLE, image_digest="x", code_digest="y").changes(None, None) == []


@pytest.mark.parametrize(
    ("image", "found", "digests"),
    [
        (
            "h:5/a:1",
            {"Id": "sha256:i", "RepoDigests": ["x@sha256:2", "h:5/a@sha256:1"]},
            ("sha256:1", "sha256:2", "sha256:i"),
        ),
        ("h:5/a", {"Id": "sha256:i", "RepoDigests": ["h:5/a@sha256:1"]}, ("sha256:1", "sha256:i")),
        ("a", {"Id": "sha256:i", "RepoDigests": None}, ("sha256:i",)),
    ],
)
def test_digests_of_an_image(image: str, found: dict[str, object], digests: tuple[str, ...]) -> None:
    assert digests_in(image, found) == digests


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it has no fields, such as `name: iris`."),
        ("[1, 2]", "it has no fields, such as `name: iris`."),
        ("name: a\nfiles: [", "line 2: expected the node content"),
        ("name: a\nimage: b\nname: c", "line 3: `name` is there twice"),
        ("name: a\ninputs:\n- {name: x, name: y}", "line 3: `name` is there twice"),
        ("name: 5", "`name` is 5; it must be text"),
        ("version: 1.0.0", "`name` is missing"),
        ("name: a\nversion: 1.0", "`version` is the number 1.0; it must be of the form x.y.z, e.g. 1.0.0"),
        ("name: a\ninputs: 3", "`inputs` is 3; it must be a list"),
        ("name: a\nparameters: [{name: x, type: Complex}]", "`parameters[0].type` is 'Complex'"),
        ("name: a\nfiles: {x: {base64: '*'}}", "`files.x` is neither text nor base64"),
        ("a: &a [x]\nname: [*a, *a]", "it has an alias"),
        ("name: !!python/object/apply:os.system ['true']", "could not determine a constructor"),
        ("\x00", "unacceptable character"),
        ("[" * 2000, "holds no component"),
    ],
)
def test_a_file_that_holds_no_component_has_its_sentence(workplace: Path, text: str, reason: str) -> None:
    (workplace / "x.yaml").write_text(text)
    with pytest.raises(SpecError, match=re.escape("x.yaml' holds no component")) as error:
        load("x.yaml")
    assert reason in str(error.value)


def test_a_missing_file_and_a_wrong_name_have_their_sentences(workplace: Path) -> None:
    with pytest.raises(SpecError, match=r"there is no file 'no\.yaml'"):
        load("no.yaml")
    with pytest.raises(SpecError, match=r"is no name of a YAML file"):
        save(here(source=None), "hello.json")
    with pytest.raises(PackageError, match=r"the code's directory 'src' is not there"):
        save(here(), "hello.yaml")
    assert list(workplace.iterdir()) == []


def test_a_saved_version_stays_as_it_is(source: Path, workplace: Path) -> None:
    path = save(here(), workplace / "hello.yaml")
    before = path.read_bytes()
    assert save(here(), path) == path
    (source / "main.py").write_text("print('second')\n")
    with pytest.raises(SpecError, match=r"hello 1\.0\.0 is saved already, .* --version 1\.0\.1"):
        save(here(), path)
    with pytest.raises(SpecError, match="is saved already"):
        save(here(command="true"), path)
    assert path.read_bytes() == before
    assert any("held hello 1.0.0 until now" in note for note in store(here(version="1.0.1"), path).notes)
    with pytest.raises(SpecError, match=r"--version 1\.0\.2"):
        save(here(version="1.0.0"), path)
    assert load(path).component.version == "1.0.1"


def test_the_same_is_saved_again_though_the_file_is_in_its_own_code(source: Path) -> None:
    path = save(here(source=str(source)), source / "hello.yaml")
    assert save(here(source=str(source)), path) == path


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name: other\nversion: 3.0.0\n", "'hello.yaml' holds other 3.0.0, which would be lost."),
        ("services: {web: {image: a}}\n", "'hello.yaml' is there already and holds no component that can be read."),
    ],
)
def test_a_file_of_something_else_is_not_overwritten(source: Path, workplace: Path, text: str, sentence: str) -> None:
    (workplace / "hello.yaml").write_text(text)
    with pytest.raises(SpecError, match=re.escape(sentence)):
        save(here(version="9.0.0"), "hello.yaml")
    assert (workplace / "hello.yaml").read_text() == text


def test_kernels_that_save_at_once_lose_no_version() -> None:
    with ThreadPoolExecutor(8) as pool:
        made = [replace(WHOLE, files={"main.py": f"print({number})".encode()}) for number in range(8)]
        stored = list(pool.map(lambda each: store(each, is_proposed=True), made))
    assert {each.component.version for each in stored} == {f"1.2.{number}" for number in range(3, 11)}
    assert saved_versions()["iris"][-1] == "1.2.10"
    for each, one in zip(stored, made, strict=True):
        assert load(each.path).component.files == one.files


def test_a_version_that_was_asked_for_is_refused_if_it_is_taken() -> None:
    save(WHOLE)
    with pytest.raises(SpecError, match=r"--version 1\.2\.4"):
        save(replace(WHOLE, command="true"))
    assert load_named("iris").component == WHOLE


def test_a_pipe_is_not_waited_for(workplace: Path) -> None:
    os.mkfifo(workplace / "x.yaml")
    with pytest.raises(SpecError, match=r"'x\.yaml' is no plain file"):
        load("x.yaml")
    with pytest.raises(SpecError, match="is there already"):
        save(WHOLE, "x.yaml")
    (workplace / "d.yaml").mkdir()
    with pytest.raises(SpecError, match=r"'d\.yaml' cannot be read: Is a directory"):
        load("d.yaml")


def test_a_file_in_the_place_of_another_component_is_said() -> None:
    path = save(WHOLE)
    path.rename(path.with_name("9.9.9.yaml"))
    with pytest.raises(SpecError, match=r"holds iris 1\.2\.3, and its place is that of iris 9\.9\.9"):
        load_named("iris")


def test_an_edit_by_hand_is_said(workplace: Path) -> None:
    path = save(WHOLE, workplace / "iris.yaml")
    text = path.read_text().replace("command: python main.py", "command: python other.py")
    path.write_text(text.replace("several_cards:", "frobnicate: 1\n  several_cards:") + "machine: TPU\n")
    assert load(path).notes == (
        f"'machine' in '{path}' is no field of a component, and is ignored.",
        f"'constraint.frobnicate' in '{path}' is no field of a component, and is ignored.",
        f"'{path}' is not as it was saved: command, constraint, machine. It runs as it is now.",
    )


def test_an_image_whose_digest_is_not_known_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere.sock")
    assert any("the digest of the image" in note for note in store(WHOLE).notes)
    pinned = replace(WHOLE, version="2.0.0", image_uri=f"{WHOLE.image_uri}@sha256:{'a' * 64}")
    assert store(pinned).notes == ()


def test_a_missing_directory_has_its_sentence(workplace: Path) -> None:
    with pytest.raises(SpecError, match=r"'no/x\.yaml' cannot be written: there is no directory 'no'"):
        save(WHOLE, "no/x.yaml")


def test_a_wrong_component_is_not_saved(workplace: Path) -> None:
    with pytest.raises(SpecError, match=r"not of the form x\.y\.z"):
        save(here(version="one", source=None), "hello.yaml")
    assert list(workplace.iterdir()) == []
