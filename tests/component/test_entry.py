"""The script that a command begins with: found in it, and missed in the code."""

from pathlib import Path

import pytest

from pai_jupyter.component import Component
from pai_jupyter.component.entry import missing_code, missing_script, script_of


@pytest.mark.parametrize(
    ("command", "script"),
    [
        ("python main.py $PAI_USER_ARGS", "main.py"),
        ("python3.11 -u -O src/train.py --lr 1", "src/train.py"),
        ("LR=1 exec python ./train.py && echo done", "train.py"),
        ("  bash run.sh; true", "run.sh"),
        ("sh 'run.sh'", "run.sh"),
        ("python -m package.main.py", None),
        ("python -c 'import main.py'", None),
        ("cd src && python train.py", None),  # not the directory of the code
        ("pip install x && python train.py", None),  # it may come from there
        ("python /opt/train.py", None),  # of the image
        ("python ../train.py", None),
        ("python $SCRIPT.py", None),
        ("python main.pyc", None),
        ("true", None),
        ("", None),
    ],
)
def test_the_script_of_a_command_is_the_one_that_it_certainly_runs(command: str, script: str | None) -> None:
    assert script_of(command) == script


def test_a_script_that_the_directory_lacks_is_told(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print(1)")
    wrong = Component(name="iris", command="python main.py", source=str(tmp_path))
    [told] = missing_script(wrong)
    assert told.startswith("the command runs 'main.py', which is not in the code")
    assert missing_script(Component(name="iris", command="python train.py", source=str(tmp_path))) == []
    beside = Component(name="iris", command="python main.py", source=str(tmp_path), files={"main.py": b""})
    assert missing_script(beside) == []


@pytest.mark.parametrize(
    "source", ["/nowhere/at/all", "oss://bucket/code/", "https://example.org/r.git", "~nobody/x", "a" * 5000]
)
def test_code_that_cannot_be_looked_at_lacks_nothing(source: str) -> None:
    component = Component(name="iris", command="python main.py", source=source)
    assert [*missing_script(component), *missing_code(component)] == []


def test_a_component_without_code_cannot_run_a_script() -> None:
    [told] = missing_code(Component(name="iris", command="python main.py"))
    assert "'main.py', and the component has no code" in told
    assert missing_code(Component(name="iris", command="nvidia-smi")) == []
    kept = Component(name="iris", command="python main.py", files={"main.py": b""})
    assert [*missing_code(kept), *missing_script(kept)] == []
    assert missing_script(Component(name="iris", command="python other.py", files={"main.py": b""})) != []
