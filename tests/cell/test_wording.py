"""What is said of a failure to those who wrote no cell: no word of a cell, and to Python no option of a magic."""

import re
from typing import get_args

import pytest

from pai_jupyter.backends.docker import script
from pai_jupyter.backends.docker.outcome import ExitFacts, ReplicaExit
from pai_jupyter.backends.docker.outcome import explain as reason_of
from pai_jupyter.backends.process.report import _LEFT
from pai_jupyter.cell import Author, ExceptionFound, explain, reworded
from pai_jupyter.cell.explain import _EXIT_CODES, _HINTS, _SIGNALS
from pai_jupyter.events import Status
from pai_jupyter.view.chinese import in_chinese
from tests.support.runs import ended

LAST_WORDS = (
    "train.py: error: unrecognized arguments: x",
    "train.py: error: argument x: bad",
    "sh: 1: prog: not found",
    "sh: 1: ./a.sh: Permission denied",
    "python3: can't open file '/ml/x.py': [Errno 2] No such file or directory",
)
MISSING = explain(ExceptionFound(type="ModuleNotFoundError", message="No module named 'cv2'"), exit_code=1)
NO_LOG = ExitFacts(image="x", has_run=False)
SENTENCES = sorted(
    {
        MISSING.hint,
        _LEFT.format("j1"),
        *(hint.format("df") for _, _, hint in _HINTS),
        *(each.hint for each in (*_SIGNALS.values(), *_EXIT_CODES.values())),
        *(explain(None, exit_code=2, lines=[line]).hint for line in LAST_WORDS),
        reason_of(ReplicaExit(code=137, is_out_of_memory=True), ExitFacts(image="x", memory="1g")),
        *(reason_of(ReplicaExit(code=code), NO_LOG) for code in (script.NO_PYTHON, script.NO_PIP)),
    }
)
OF_A_MAGIC = re.compile(r"%|(?<![\w-])--?[a-z]|\bcell\b")


@pytest.mark.parametrize("sentence", [each for each in SENTENCES if each])
def test_python_hears_no_word_of_a_magic(sentence: str) -> None:
    assert not OF_A_MAGIC.search(reworded(sentence, "python")), reworded(sentence, "python")
    line = reworded(sentence, "line")
    assert "%pip" not in line
    assert not re.search(r"\bcell\b", line)
    assert reworded(sentence, "cell") == sentence


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (MISSING.hint, "Add `opencv-python-headless` to `requirements`, or to requirements.txt in `source_dir`. If it is your own "
         "file, put cv2.py into `source_dir`."),
        ("Use smaller batches, or give it more memory (in a container: --option docker.memory=8g).",
         'Use smaller batches, or give it more memory (in a container: `options={"docker.memory": "8g"}`).'),
        ("Set --env PYTHONFAULTHANDLER=1 to see where", 'Set `environments={"PYTHONFAULTHANDLER": "1"}` to see where'),
        ("Raise it with --option docker.memory=..., or use less",
         'Raise it with `options={"docker.memory": "..."}`, or use less'),
        ("Use an image that has it (--image NAME)", 'Use an image that has it (`image_uri="NAME"`)'),
    ],
)  # fmt: skip
def test_python_hears_what_to_write(sentence: str, said: str) -> None:
    assert reworded(sentence, "python") == said


@pytest.mark.parametrize("author", get_args(Author))
@pytest.mark.parametrize("sentence", [each for each in SENTENCES if each])
def test_each_author_is_told_in_chinese(sentence: str, author: Author) -> None:
    english, chinese = reworded(sentence, author), in_chinese(reworded(sentence, author))
    assert re.search(r"[\u4e00-\u9fff]", chinese), english
    assert not re.search(r"(?<![\w`=.-])[a-z]+ [a-z]+ [a-z]+ ", chinese), chinese
    assert author != "python" or not OF_A_MAGIC.search(chinese), chinese


def test_what_the_program_printed_stays_as_it_is() -> None:
    log = (
        b'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: --option docker.memory=1 in the cell\n'
    )
    why = ended("own", Status.FAILED, reason="exit code 1", exit_code=1, log=log).failure()
    assert why.cause == "ValueError: --option docker.memory=1 in the cell"
