"""Whatever is typed wrong gives one clear sentence, before anything is uploaded or started, and leaves nothing behind."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.error import UsageError

from pai_jupyter.config import settings
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.store import JobStore
from tests.support.shells import Shell

SCRIPT = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=3)  # hp: [1..10]
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--opt", choices=["sgd", "adam"], default="sgd")
parser.add_argument("--train", help="input data")
args = parser.parse_args()
print(args)
"""

# line behind %%pai_train -> words of the sentence that the user gets
LINES: dict[str, tuple[str, ...]] = {
    "--no-such-option": ("`--no-such-option` is no option", "%pai_train?"),
    "--epochs 5": ("A value for `epochs` is given with -p epochs=...",),
    "--epcohs=5": ("`--epcohs` is no option of %pai_train", "-p epochs=..."),
    "--momentum 5": ("`--momentum` is no option", "-p momentum=..."),
    "--instance-tpye local": ("Did you mean `--instance-type`?",),
    "--imputs train=x": ("Did you mean `--input`?",),
    "--backend": ("`--backend` has no value", "%pai_train?"),
    "a b c": ("`b c` is too much on this line", "%pai_train?"),
    "'open quote": ("quote is not closed",),
    "--backend nowhere": ("no backend 'nowhere'", "docker, openpai, pai, process"),
    "--backend pai": ("--instance-type ecs.c6.large", "needs an image", "%pai_config wizard"),
    "--backend pai --instance-type local": ("this machine, not PAI",),
    "--instance-type ecs.c6.large": ("needs an image", "%pai_config wizard"),
    "--instance-type huge": ("huge", "local"),
    "--instance-count 0": ("--instance-count 0", "whole number from 1"),
    "--instance-count two": ("--instance-count two", "whole number"),
    "--job-type MPIJob": ("MPIJob", "PyTorchJob"),
    "--job-type MPIJob --role worker=2": ("MPIJob", "PyTorchJob"),
    "--job-type TFJob --role boss=1": (
        "`--role boss=1`: TFJob has no role 'boss'; it has chief, ps, worker, evaluator.",
    ),
    "--job-type TFJob --role worker=1 --role worker=2": ("'worker' is given twice", "--role worker=3"),
    "--job-type TFJob --role worker=0": (
        "`--role worker=0`: the count must be a whole number from 1, e.g. --role worker=2",
    ),
    "--job-type TFJob --role worker=two": ("`--role worker=two`: the count must be a whole number",),
    "--job-type TFJob --role worker=99999": ("at most 10000 instances",),
    "--job-type TFJob --role worker": ("`--role worker` is not of the form NAME=COUNT or NAME=COUNT:TYPE",),
    "--job-type PyTorchJob --role worker=2": ("PyTorchJob needs exactly one master", "--role master=1"),
    "--job-type TFJob --role chief=1 --instance-count 3": ("`--instance-count 3` disagrees", "Leave out"),
    "--role chief=1 --role worker=2": ("`--role chief=1` needs a job type, one of TFJob.", "--job-type TFJob"),
    "--job-type TFJob --role chief=1:huge": ("huge", "--role chief=1"),
    "--backend process --job-type TFJob --role worker=1:ecs.c6.large": ("'ecs.c6.large'", "--role worker=1"),
    "--backend pai --job-type TFJob --role worker=1:local": ("'local' is this machine", "--role worker=1:ecs.c6.large"),
    "--max-unknown soon": ("--max-unknown soon", "30m"),
    "--max-time soon": ("--max-time soon", "30m"),
    "--max-time 0s": ("--max-time 0s", "no time"),
    "--max-time 5x": ("--max-time 5x", "2h"),
    "--run --form": ("--run and --form", "exclude"),
    "--wait --no-wait": ("--wait and --no-wait", "exclude"),
    "--lint --dry-run": ("exclude",),
    "--as not-a-name": ("`--as not-a-name` is no name of a variable: it may have only letters, digits and _. Type",),
    "--as class": ("`--as class` is no name of a variable: it is a keyword of Python. Type e.g. --as job",),
    "--as 1x": ("`--as 1x` is no name of a variable: it begins with a digit.",),
    "-p epochs": ("-p epochs", "NAME=VALUE"),
    "-p epochs=many": ("epochs", "many", "whole number"),
    "-p epochs=2.5": ("epochs", "2.5"),
    "-p epochs=99": ("epochs", "99", "10"),
    "-p epochs=0": ("epochs", "1"),
    "-p lr=fast": ("lr", "fast", "number"),
    "-p opt=lion": ("opt", "lion", "adam"),
    "-p epcohs=3": ("epoch", "epochs"),
    "-p epochs=": ("`epochs` is empty", "whole number between 1 and 10", "default is 3"),
    "-p 'lr= '": ("`lr` is empty", "default is 0.1"),
    "-p epochs=1 -p epochs=2": ("epochs", "twice"),
    "--help": ("`--help` is no option of %pai_train. Type %pai_train? for the options.",),
    "-p lr = 0.3": ("`-p lr =`", "write no spaces around =", "-p lr=VALUE"),
    "-p lr =0.3": ("write no spaces around =", "-p lr=VALUE"),
    "-p lr= 0.3": ("write no spaces around =", "-p lr=VALUE"),
    "--env A = b": ("write no spaces around =", "--env A=VALUE"),
    "-p =3": ("-p =3", "NAME=VALUE"),
    "--params missing.json": ("--params missing.json", "no such file"),
    "--params broken.json": ("broken.json", "JSON"),
    "--params list.json": ("list.json", "object"),
    "-i train": ("-i train", "NAME=VALUE"),
    "-i train=./missing.csv": ("missing.csv",),
    "-i train=oss://bucket/data/": ("input 'train'", "%pai_config set region="),
    "-i train=ftp://host/data": ("ftp://",),
    "-i logs=./data.csv": ("logs", "itself"),
    "-i _x=./data.csv": ("_x",),
    "-i a-b=./data.csv -i a_b=./data.csv": ("a-b", "a_b", "same variable"),
    "-o model": ("-o model", "NAME=VALUE"),
    "-o output_parameters=./x": ("output_parameters", "itself"),
    "-o model=oss://bucket/model/": ("oss://bucket/model/",),
    "--include missing.py": ("--include missing.py", "no such file"),
    "--source-dir missing": ("--source-dir missing", "no such file"),
    "--source-dir data.csv": ("--source-dir data.csv", "is a file"),
    "--source-dir source": ("'train.py' is already", "--entry-point"),
    "--entry-point ../train.py": ("--entry-point ../train.py", "in the package"),
    "--entry-point train.txt": ("Python file",),
    "--requirements missing.txt": ("--requirements missing.txt", "no such file"),
    "--env OMP": ("--env OMP", "NAME=VALUE"),
    "--env '1X=2'": ("1X",),
    "--option memory=4g": ("memory", "BACKEND.KEY"),
    "--option docker.colour=red --backend docker --image x": ("docker.colour", "docker.memory"),
    "--option process.colour=red": ("process.colour",),
    "--option foo.bar=1": ("foo.bar", "no backend 'foo'", "docker, openpai, pai, process"),
    "--option dokcer.memory=4g": ("dokcer.memory", "docker.memory"),
    "--option package.allow_larg=true": ("package.allow_larg", "package.allow_large"),
    "--metric acc": ("--metric acc", "NAME:REGEX"),
    "--metric acc:acc=[0-9]+": ("acc", "no group"),
    "--metric 'acc:acc=([0-9'": ("acc", "regex"),
    "--command ''": ("command", "empty"),
    "a/b": ("a/b", "slash"),
    "--backend docker": ("image",),
    "x{secret_token}": ("secret",),
}

BODIES: dict[str, tuple[str, ...]] = {
    "": ("empty",),
    "   \n\n": ("line 1", "no code"),
    "x = = 3\n": ("line 2",),
    "print(undefined_name)\n": ("line 2", "undefined_name"),
    "import os\nname = input('who? ')\n": ("line 3", "input()"),
    "files = %run a.py\n": ("line 2", "runpy"),
    "import os\n%timeit os.getcwd()\n": ("line 3", "%timeit"),
    "import os\n%%bash\nls\n": ("line 3",),
    "lr: float = 0.1  # hp: [1..0]\nprint(lr)\n": ("line 2", "[0..1]"),
    "await something()\n": ("line 2",),
    "-----BEGIN RSA PRIVATE KEY-----\n": ("line 2",),
}

MAGICS: dict[str, tuple[str, ...]] = {
    "%pai_train x": ("--source-dir",),
    "%pai_train x --source-dir source --entry-point other.py": ("other.py", "--entry-point"),
    "%pai_attach nothing": ("no job 'nothing'", "%pai_jobs"),
    "%pai_attach x --as 1a": ("`--as 1a` is no name of a variable: it begins with a digit. Type e.g. --as job",),
    "%pai_rerun x --as class": ("`--as class` is no name of a variable: it is a keyword of Python.",),
    "%pai_logs nothing": ("no job 'nothing'",),
    "%pai_logs": ("job",),
    "%pai_stop nothing": ("no job 'nothing'",),
    "%pai_rerun nothing -p x=1": ("no job 'nothing'",),
    "%pai_download nothing:model": ("no job 'nothing'",),
    "%pai_jobs --state sleeping": ("sleeping", "running"),
    "%pai_jobs -n many": ("-n", "many"),
    "%pai_config set colour=red": ("colour", "backend"),
    "%pai_config set backend=nowhere": ("nowhere", "process"),
    "%pai_config set access_key_secret=abcdefgh12345678": ("secret",),
    "%pai_config use nobody": ("nobody",),
    "%pai_config paint": ("paint", "show"),
    "%pai_doctor now": ("no options",),
    "%pai_jobs --sate running": ("`--sate` is no option of %pai_jobs. Did you mean `--state`?",),
    "%pai_rerun x -p lr = 0.1": ("write no spaces around =",),
    "%pai_rerun x --lr 0.1": ("`--lr` is no option of %pai_rerun", "-p lr=..."),
}


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("1,2\n")
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "train.py").write_text("print(1)\n")
    with Shell() as shell:
        shell.user_ns["secret_token"] = "hunter2"
        yield shell


def _check(shell: Shell, cell: str, words: tuple[str, ...], before: set[Path]) -> None:
    result = shell.run(cell)
    assert isinstance(result.error, PaiJupyterError | UsageError), (
        result.text
    )  # IPython's own, for a cell without a body
    sentence = str(result.error)
    for word in words:
        assert word in sentence, sentence
    assert "hunter2" not in result.text
    assert "abcdefgh12345678" not in result.text
    assert "Traceback" not in result.text
    assert len(sentence) < 600
    assert list(JobStore().folders()) == []
    assert _files(JobStore().home) == before


def _files(root: Path) -> set[Path]:
    return {path for path in root.rglob("*") if path.is_file()} if root.exists() else set()


@pytest.mark.parametrize("line", LINES)
def test_a_wrong_line_gives_one_sentence(shell: Shell, line: str) -> None:
    has_mode = "--form" in line or "--lint" in line
    cell = f"%%pai_train {line}{'' if has_mode else ' --run'}\n{SCRIPT}"
    _check(shell, cell, LINES[line], _files(JobStore().home))


@pytest.mark.parametrize("body", BODIES)
def test_a_wrong_cell_gives_one_sentence_with_its_line(shell: Shell, body: str) -> None:
    _check(shell, f"%%pai_train --run\n{body}", BODIES[body], _files(JobStore().home))


@pytest.mark.parametrize("magic", MAGICS)
def test_a_wrong_magic_gives_one_sentence(shell: Shell, magic: str) -> None:
    _check(shell, magic, MAGICS[magic], _files(JobStore().home))


@pytest.mark.parametrize("place", ["/proc/nope", "/dev/null/x", "data.csv"])
@pytest.mark.parametrize(
    "cell",
    [
        f"%%pai_train --run\n{SCRIPT}",
        "%pai_train x --source-dir source --run",
        "from pai_jupyter import Estimator\nEstimator(entry_point='train.py', source_dir='source').fit()",
    ],
    ids=["cell", "line", "estimator"],
)
def test_a_home_that_cannot_be_used_is_refused_with_its_remedy(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, place: str, cell: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", place)
    result = shell.run(cell)
    assert isinstance(result.error, PaiJupyterError), result.text
    assert "jobs cannot be kept in" in str(result.error)
    assert "PAI_JUPYTER_HOME" in str(result.error)


@pytest.mark.parametrize("place", ["/proc/nope", "/dev/null/x", "data.csv"])
@pytest.mark.parametrize(
    "magic",
    ["%pai_jobs", "%pai_jobs --json --state failed", "%pai_tensorboard .", "%pai_config use emulator"],
)
def test_looking_into_a_home_that_cannot_be_used_says_so(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, place: str, magic: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", place)
    result = shell.run(magic)
    assert isinstance(result.error, PaiJupyterError), result.text
    sentences = ("jobs cannot be kept in '{}'", "the list of jobs cannot be read: '{}/jobs'")
    assert any(sentence.format(Path(place).absolute()) in str(result.error) for sentence in sentences)
    assert "PAI_JUPYTER_HOME" in str(result.error)


@pytest.mark.parametrize("place", ["/proc/nope", "/dev/null/x", "data.csv"])
def test_the_doctor_says_what_is_wrong_with_a_home(shell: Shell, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", place)
    assert "Set PAI_JUPYTER_HOME" in shell.run("%pai_doctor").text


def test_the_table_is_long_enough() -> None:
    assert len(LINES) + len(BODIES) + len(MAGICS) >= 40


def test_a_wrong_value_for_an_estimator_gives_the_same_sentence(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "fit.py").write_text(SCRIPT)
    result: Any = shell.run(
        "from pai_jupyter import Estimator\nEstimator(entry_point='fit.py', hyperparameters={'epochs': 99}).fit()"
    )
    line = shell.run(f"%%pai_train -p epochs=99 --run\n{SCRIPT}")
    assert str(result.error) == str(line.error).replace("'99'", "99")  # a line has text, Python a number


@pytest.mark.parametrize("line", ["", "--image pytorch:latest", "--backend process"])
def test_a_plain_cell_that_goes_to_the_emulator_says_how_to_run_it_here(shell: Shell, line: str) -> None:
    settings().use_emulator("http://127.0.0.1:9")  # where nobody answers: it is refused before anybody is asked
    result = shell.run(f"%%pai_train {line} --run\n{SCRIPT}")
    if line == "--backend process":
        assert result.error is None, result.text
        return
    for words in ("--instance-type ecs.c6.large", "--backend process", "%pai_config use emulator --stop"):
        assert words in str(result.error)


def test_a_cell_that_asks_for_pai_is_not_told_of_the_emulator(shell: Shell) -> None:
    settings().use_emulator("http://127.0.0.1:9")
    result = shell.run(f"%%pai_train --backend pai --run\n{SCRIPT}")
    assert "needs an image" in str(result.error)
    assert "--stop" not in str(result.error)
