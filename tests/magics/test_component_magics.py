"""`%%pai_component` and `%pai_component`: from a cell to a component that is saved, registered, listed, run and deleted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.component import Component, list_registered, load, register
from pai_jupyter.config import settings
from pai_jupyter.errors import PackageError, SpecError
from pai_jupyter.jobs import list_jobs
from pai_jupyter.magics import emulator
from pai_jupyter.store import JobStore
from tests.support.sessions import surroundings
from tests.support.shells import Shell

IMAGE = "registry.cn-emulator.aliyuncs.com/pai-dlc/pytorch-training:2.0-cpu-py310-ubuntu22.04"
CODE = """\
import os
lr: float = 0.1  # hp: [0..1]
rows = open(os.environ["PAI_INPUT_TRAIN"]).read().split()
print("lr", lr, "rows", len(rows))
open(os.path.join(os.environ["PAI_OUTPUT_MODEL"], "model.txt"), "w").write("model")
"""
CHANNELS = f"-i train:OSS -o model --image {IMAGE}"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    with surroundings(tmp_path, monkeypatch), Shell() as shell:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "rows.txt").write_text("1 2 3")
        yield shell


@pytest.fixture
def at_emulator(shell: Shell) -> Iterator[Shell]:
    settings().use_emulator(emulator.start("process"))
    try:
        yield shell
    finally:
        emulator.stop()


def said(shell: Shell, cell: str) -> str:
    result = shell.run(cell)
    assert result.error is None, result.text
    return result.text


def refused(shell: Shell, cell: str) -> str:
    error = shell.run(cell).error
    assert isinstance(error, SpecError)
    return str(error)


def test_a_cell_is_shown_checked_and_nothing_is_saved(shell: Shell) -> None:
    text = said(shell, f"%%pai_component counted {CHANNELS} --description 'Counts rows' --machine CPU\n{CODE}")
    lines = text.splitlines()
    assert lines.pop(3).startswith("the code in counted is 1 file of ")
    assert lines == [
        "counted 1.0.0 (PyTorchJob)",
        "Counts rows",
        f"image: {IMAGE}",
        'command: python train.py $PAI_USER_ARGS --train "$PAI_INPUT_TRAIN" --model "$PAI_OUTPUT_MODEL"',
        "input: train (OSS)",
        "output: model (OSS)",
        "parameter: lr (Float) = 0.1  [0..1]",
        "machines: CPU; several machines: yes; several cards: no",
        "Nothing was saved. Add --save FILE, --register or --run.",
    ]
    assert list_jobs() == []
    assert not (JobStore().home / "components").exists()


def test_a_cell_is_saved_and_run_from_its_file(shell: Shell, tmp_path: Path) -> None:
    assert "counted 1.0.0 is saved in counted.yaml" in said(
        shell, f"%%pai_component counted {CHANNELS} --save counted.yaml\n{CODE}"
    )
    assert [each.name for each in load("counted.yaml").component.parameters] == ["lr"]
    text = said(
        shell, "%pai_component counted.yaml --run -i train=rows.txt -p lr=0.5 --backend process --wait --as job"
    )
    assert "lr 0.5 rows 3" in text
    assert (shell.user_ns["job"].fetch("model") / "model.txt").read_text() == "model"
    assert "`lr` is '2'; it must be" in refused(
        shell, "%pai_component counted.yaml --run -i train=rows.txt -p lr=2 --backend process"
    )


def test_versions_are_proposed_and_listed(shell: Shell) -> None:
    for version in ("1.0.0", "1.0.1"):
        assert f"counted {version} is saved in" in said(shell, f"%%pai_component counted {CHANNELS} --save\n{CODE}")
    text = said(shell, "%pai_component")
    assert text.split() == ["name", "versions", "where", "next", "counted", "1.0.0,", "1.0.1", "saved", "1.0.2"]


def test_a_cell_runs_as_a_component_here(shell: Shell) -> None:
    text = said(
        shell,
        f"%%pai_component counted {CHANNELS.replace('train:OSS', 'train:OSS=rows.txt')} --run --wait --backend process\n{CODE}",
    )
    assert "lr 0.1 rows 3" in text


def test_a_component_is_registered_listed_run_and_deleted(at_emulator: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = at_emulator
    assert "counted 1.0.0 is registered." in said(shell, f"%%pai_component counted {CHANNELS} --register\n{CODE}")
    assert "counted 1.0.1 is registered." in said(shell, f"%%pai_component counted {CHANNELS} --register\n{CODE}")
    assert "counted  1.0.0, 1.0.1  registered  1.0.2" in said(shell, "%pai_component")
    shown = said(shell, "%pai_component counted")
    assert "parameter: lr (Float) = 0.1" in shown
    assert "versions: 1.0.0, 1.0.1; next: 1.0.2" in shown
    run = (
        "%pai_component counted --run --version 1.0.0 -i train=rows.txt -p lr=0.25 --instance-type ecs.c6.large --wait"
    )
    assert "lr 0.25 rows 3" in said(shell, run)
    monkeypatch.setattr("builtins.input", lambda _: "n")
    assert said(shell, "%pai_component counted --delete") == "Nothing was deleted.\n"
    assert len(list_registered()) == 1
    said(shell, "%pai_component counted --delete --version 1.0.0 -y")
    assert list_registered()[0].versions == ("1.0.1",)
    said(shell, "%pai_component counted --delete -y")
    assert list_registered() == []


def test_a_directory_becomes_a_component(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.py").write_text("import sys\nprint(sys.argv[1:])\n")
    text = said(
        shell,
        "%pai_component echoed --source-dir src --entry-point main.py --save echoed.yaml --run --backend process --wait",
    )
    assert "echoed 1.0.0 is saved in echoed.yaml" in text
    assert "[]" in text


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        ("%%pai_component\nprint(1)", "a component needs a name: %%pai_component iris --save iris.yaml"),
        ("%%pai_component 'a b' --run\nprint(1)", "the component cannot be called 'a b'"),
        ("%%pai_component a --one-machine\nprint(1)", "`--one-machine` belongs to a constraint. Add --machine CPU"),
        ("%%pai_component a --machine TPU\nprint(1)", "the machine is 'TPU'; it is CPU or GPU."),
        ("%%pai_component a -i =x\nprint(1)", "`-i =x` is not of the form NAME[:STORAGE][=PLACE], e.g. -i train"),
        ("%%pai_component a -i train:ftp\nprint(1)", "input 'train' reads from 'ftp'"),
        ("%%pai_component a --source https://host/r.git\nprint(1)", "the code of a cell is added to a directory"),
        ("%%pai_component a --save a.json\nprint(1)", "`a.json` is no name of a YAML file. Write e.g. a.yaml"),
        ("%%pai_component a --register\nprint(1)", "%pai_config"),
        ("%%pai_component a --delete\nprint(1)", "`--delete` takes the name of a component"),
        ("%%pai_component a --savv\nprint(1)", "`--savv` is no option of %pai_component. Did you mean `--save`?"),
        ("%pai_component a --save x.yaml", "no component 'a' is saved, and registered ones cannot be listed: "),
        ("%%pai_component a --save -p lr=1\nprint(1)", "`-p` is for a run. Add --run, or leave it out."),
        ("%%pai_component a --save -i x=./d.csv\nprint(1)", "`-i x=./d.csv` is for a run."),
        ("%%pai_component a --register --env K=V\nprint(1)", "`--env` is for a run."),
        ("%pai_component --delete", "`--delete` needs the name of a component: %pai_component NAME --delete"),
        ("%pai_component --source-dir src", "`--source-dir` needs the name of a component"),
        ("%pai_component a --source-dir . --include x --save", "`--include` is for the code of a cell"),
        ("%pai_component rows.txt", "'rows.txt' is neither the name of a component nor the YAML file of one."),
        ("%pai_component /dev/null --run", "'/dev/null' is neither the name of a component"),
        (
            "%%pai_component a --description ghp_0123456789abcdefghijABCDEFGHIJ --save\nprint(1)",
            "`description` holds a login",
        ),
        ("%%pai_component a --save /nodir/x.yaml\nprint(1)", "there is no directory '/nodir'"),
        ("%pai_component no.yaml --run", "there is no file 'no.yaml'"),
        ("%%pai_component a --as 1\nprint(1)", "`--as 1` is no name of a variable"),
    ],
)
def test_a_wrong_line_has_its_sentence(shell: Shell, cell: str, sentence: str) -> None:
    assert sentence in refused(shell, cell)
    assert list_jobs() == []


MADE = "%%pai_component made --save made.yaml --version 1.0.0\nprint('first')"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--run --image python:3.11", "`--image` would change 'made.yaml', which is made already."),
        ("--run --command 'echo hi'", "`--command` would change"),
        ("--run --machine GPU", "`--machine` would change"),
        ("--version 3.0.0 --description zzz --save x.yaml", "`--description` would change"),
        ("--register --version 1.0.1 --image tensorflow:latest", "`--image` would change"),
        ("--run --version 2.0.0", "`--version` gives a new version its number, with --save or --register."),
        ("--source-dir src --run", "`--source-dir` is not the address in 'made.yaml'"),
        ("--run --entry-point a.py", "`--entry-point` would change"),
        ("-p lr=1", "`-p` is for a run."),
    ],
)
def test_an_option_that_would_have_no_effect_is_refused(shell: Shell, options: str, sentence: str) -> None:
    said(shell, MADE)
    assert sentence in refused(shell, f"%pai_component made.yaml {options}")
    assert list_jobs() == []
    assert load("made.yaml").component.version == "1.0.0"


def test_a_directory_that_is_not_there_is_said(shell: Shell) -> None:
    error = shell.run("%pai_component a --source-dir nosuch --save").error
    assert isinstance(error, PackageError)
    assert "the code's directory 'nosuch' is not there." in str(error)


def test_a_saved_component_is_used_by_its_name(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    said(shell, "%%pai_component tiny --save\nprint('tiny runs')")
    said(shell, "%%pai_component tiny --save\nprint('next runs')")
    assert "next runs" in said(shell, "%pai_component tiny --run --backend process --wait")
    assert "tiny runs" in said(shell, "%pai_component tiny --run --backend process --wait --version 1.0.0")
    assert "tiny 1.0.1 (PyTorchJob)" in said(shell, "%pai_component tiny")
    monkeypatch.setattr("builtins.input", lambda _: "n")
    assert said(shell, "%pai_component tiny --delete") == "Nothing was deleted.\n"
    assert "tiny 1.0.0 is deleted" in said(shell, "%pai_component tiny --delete --version 1.0.0 -y")
    assert "tiny (1.0.1) is deleted" in said(shell, "%pai_component tiny --delete -y")
    assert "no components yet" in said(shell, "%pai_component")


def test_changed_code_is_not_registered_unsaid(at_emulator: Shell, tmp_path: Path) -> None:
    shell = at_emulator
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_text("print('first')\n")
    said(shell, f"%pai_component gx --source-dir src --image {IMAGE} --save gx.yaml")
    (tmp_path / "src" / "train.py").write_text("print('second')\n")
    for line in ("--register", "--register --version 1.2.0", "--save"):
        text = refused(shell, f"%pai_component gx.yaml {line}")
        assert "is not the one with which gx 1.0.0 was saved (changed: train.py)" in text
        assert "To take it as it is now, add --accept-changes." in text
    assert list_registered() == []
    assert "note: the code in" in said(shell, "%pai_component gx.yaml")
    text = said(shell, "%pai_component gx.yaml --save gx.yaml --version 1.0.1 --version-description new --register")
    assert "note: the code in" in text
    assert "gx 1.0.1 is registered." in text
    assert load("gx.yaml").component.version_description == "new"
    said(shell, "%pai_component gx --delete -y")


def test_the_next_version_comes_after_saved_and_registered_ones(at_emulator: Shell) -> None:
    shell = at_emulator
    said(shell, f"%%pai_component race --image {IMAGE} --save --version 1.0.3\nprint(1)")
    said(shell, f"%%pai_component race --image {IMAGE} --register --version 1.0.2\nprint(1)")
    text = said(shell, f"%%pai_component race --image {IMAGE} --save --register\nprint(2)")
    assert "race 1.0.4 is saved in" in text
    assert "race 1.0.4 is registered." in text
    assert "versions: 1.0.2, 1.0.4; next: 1.0.5" in said(shell, "%pai_component race --registered")
    said(shell, "%pai_component race --delete --registered -y")
    assert list_registered() == []


def test_nothing_is_saved_or_registered_if_the_run_cannot_be(at_emulator: Shell, tmp_path: Path) -> None:
    shell = at_emulator
    assert "input 'train' has no place" in refused(
        shell, f"%%pai_component a -i train --image {IMAGE} --save a.yaml --register --run --backend process\nprint(1)"
    )
    assert shell.run(
        f"%%pai_component a --image {IMAGE} --save a.yaml --register --run --instance-type ecs.none\nprint(1)"
    ).error
    assert list_registered() == []
    assert not (tmp_path / "a.yaml").exists()


def test_what_others_registered_reaches_no_terminal_as_it_is(at_emulator: Shell) -> None:
    shell = at_emulator
    register(Component(name="html", command="true", image_uri=IMAGE, description="\x1b[31mred\u202eder\nimage: x"))
    text = said(shell, "%pai_component html")
    assert not {"\x1b", "\u202e"} & set(text)
    assert "red der\n    image: x" in text
    said(shell, "%pai_component html --delete -y")


def test_a_default_outside_its_range_and_a_secret_are_said(shell: Shell) -> None:
    text = said(
        shell, "%%pai_component odd --save\nx: int = 5  # hp: [10..20]\nTOKEN = 'ghp_0123456789abcdefghijABCDEFGHIJ'"
    )
    assert "note: cell line 2: " in text
    assert "line 3: this looks like a secret" in text


def test_a_login_on_the_line_is_nowhere(shell: Shell, tmp_path: Path) -> None:
    token = "token-0123456789"
    result = shell.run(
        f"%pai_component a --source http://me:{token}@127.0.0.1:9/r.git --entry-point main.py --save a.yaml"
    )
    assert result.error is not None
    assert token not in f"{result.error}{result.text}"
    assert not any(token in path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file())


def test_tab_offers_options_components_and_values(shell: Shell, tmp_path: Path) -> None:
    said(shell, "%%pai_component counted --save\nprint(1)")
    (tmp_path / "other.yaml").write_text("")
    assert {"--register", "--run"} <= set(shell.complete("%%pai_component a --r"))
    assert {"counted", "other.yaml"} <= set(shell.complete("%pai_component "))
    assert shell.complete("%%pai_component a --machine ") == ["CPU", "GPU"]


def test_the_table_is_in_chinese(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    said(shell, f"%%pai_component counted {CHANNELS} --save\n{CODE}")
    monkeypatch.setenv("PAI_JUPYTER_LANG", "zh")
    text = said(shell, "%pai_component")
    assert all(word in text for word in ("名称", "版本", "位置", "已保存", "下一个版本"))
