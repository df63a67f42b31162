"""Sentences of magics, checks and hints in 中文: every one has a twin, and what is filled in comes through."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pai_jupyter
from pai_jupyter.checkup import Check
from pai_jupyter.errors import SpecError
from pai_jupyter.magics.config_magics import _table
from pai_jupyter.magics.table import Table
from pai_jupyter.view import said
from pai_jupyter.view.chinese import SENTENCES, in_chinese
from tests.shells import Shell

ROOT = Path(pai_jupyter.__file__).parent
SOURCES = [
    *sorted((ROOT / "magics").glob("*.py")),
    *sorted((ROOT / "checkup").glob("*.py")),
    *(path for path in sorted((ROOT / "training").glob("*.py")) if path.name != "arguments.py"),  # the manual
    ROOT / "cell/explain.py",
]
FEWEST = 6  # letters of its own; a template of less would fit anything
NO_SENTENCES = (  # signatures, patterns, HTML, names of threads, what is to be typed
    r".*(Callable\[|\| None| \.\*|\.\+|\\S|\\\(|\\\[|\(\?P<|<[a-z]+[ >]|CUDA out of memory|cannot import name|EOF when|"
    r"No CUDA GPUs|pai-jupyter transfer|is not defined|No module named|SOURCE TARGET|oss://\.\.\. -y|%%pai_train \{|ipykernel \{|"
    r", Python \{|"
    r"sha256|exec |# |DataLoader worker).*|%pip .*|TensorBoard \{\}|\{\} of \{\}.*|%pai_config wizard|NAME=VALUE \| PROFILE"
)


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_LANG", "zh")


def template(node: ast.AST) -> str | None:
    """The text of a literal; what is filled in is `{}`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.replace("{{", "{").replace("}}", "}")
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def left_out(tree: ast.Module) -> set[int]:
    """Docstrings, what manuals say of arguments, keys of tables, and parts of other literals."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node.value))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("argument", "re.compile", "argument_group"):
            found |= {id(each) for each in ast.walk(node)}
        if isinstance(node, ast.JoinedStr):
            found |= {id(each) for each in ast.walk(node) if each is not node and not isinstance(each, ast.IfExp)}
    return found


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    tree = ast.parse(path.read_text())
    skipped = left_out(tree)
    for node in ast.walk(tree):
        text = None if id(node) in skipped else template(node)
        if isinstance(node, ast.Constant | ast.JoinedStr) and text and is_sentence(text):
            yield node.lineno, text


def is_sentence(text: str) -> bool:
    own = re.sub(r"\{\w*\}", "", text)
    return (
        " " in text.strip()
        and len(re.findall(r"[A-Za-z]", own)) >= FEWEST
        and not re.fullmatch(NO_SENTENCES, text, re.DOTALL)
    )


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_sentence_has_a_chinese_twin(path: Path) -> None:
    known = {re.sub(r"\{\w*\}", "{}", english) for english in SENTENCES}
    missing = [
        f"{path.name}:{line}: {text!r}" for line, text in sentences(path) if re.sub(r"\{\w*\}", "{}", text) not in known
    ]
    assert missing == []


@pytest.mark.parametrize("english", SENTENCES)
def test_a_twin_keeps_what_is_filled_in(english: str) -> None:
    places = re.findall(r"\{\w+\}", english)
    assert sorted(places) == sorted(re.findall(r"\{\w+\}", SENTENCES[english]))
    assert not places or len(re.findall(r"[A-Za-z]", re.sub(r"\{\w+\}", "", english))) >= 3


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("Nothing was stopped.", "没有停止任何作业。"),
        ("log of iris written to out.txt", "iris 的日志已写入 out.txt"),
        ("note: 2 files there already, and left as before: a, b", "注意：2 个文件已存在，保持不变：a, b"),
        (
            "iris would run on: Local process (asked for)\nNothing was started.",
            "iris 将运行于：本地进程（用户指定）\n没有启动任何作业。",
        ),
        ("ValueError: bad (cell line 3)", "ValueError: bad（单元格第 3 行）"),
        ("all the log files", "all the log files"),
        ("something that nobody knows", "something that nobody knows"),
        ("", ""),
        ("x" * 100_000, "x" * 100_000),
    ],
)
def test_a_sentence_is_said_in_chinese_and_what_is_none_stays(english: str, chinese: str) -> None:
    assert in_chinese(english) == chinese


def test_in_english_everything_stays() -> None:
    assert said("Nothing was stopped.") == "Nothing was stopped."


@pytest.mark.usefixtures("chinese")
def test_tables_and_checks_speak_chinese() -> None:
    table = _table([Check(what="GPUs", found="none", is_there=False)])
    assert repr(table).split() == ["项目", "结果", "解决办法", "–", "GPU", "无"]
    assert "还没有作业" in repr(Table(headers=("name",), rows=(), empty="no jobs yet. Start one with %%pai_train."))


@pytest.mark.usefixtures("chinese")
def test_errors_of_magics_are_shown_in_chinese() -> None:
    with Shell() as shell:
        error = shell.run("%pai_doctor now").error
    assert isinstance(error, SpecError)
    assert error._render_traceback_() == ["SpecError: %pai_doctor 没有选项。"]
    assert str(error) == "%pai_doctor takes no options."
