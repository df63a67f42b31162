"""Hints and reasons in 中文 for those who wrote no cell: the twins of what `cell.wording` makes of the English ones.

What is to be typed is the same in both languages, so `reworded` replaces it here too; the words around it are in `_WORDS`.
"""

import re
from collections.abc import Mapping

from pai_jupyter.cell import Author, reworded

_LINE = (
    ("请在单元格中加入 `%pip install MODULE`", "请将 `MODULE` 加入代码目录的 requirements.txt"),
    ("在单元格中", "在脚本中"),
    ("请重新运行其单元格", "请重新运行"),
)
_PYTHON = (
    ("加入代码目录的 requirements.txt", "加入 `requirements`，或 `source_dir` 中的 requirements.txt"),
    ("请用 --include FILE 一起提交", "请把 FILE 放入 `source_dir`"),
    ("或用 --include 一起提交", "或将其放入 `source_dir`"),
    ("或用 --include 加入脚本", "或将脚本放入 `source_dir`"),
    ("请用 -o NAME=PATH 给出；名称会变成大写。", "请使用每个作业都有的输出，例如 PAI_OUTPUT_MODEL。"),
    ("用 %pai_stop ID 结束它们", "用 `job.stop()` 结束它们"),
    ("用 --requirements none 运行", "去掉 `requirements`"),
)
_STEP = (
    (
        "请用 -i NAME=PATH 给出；",
        '请在组件中声明：as_component(inputs=[PipelineArtifact("NAME")])，并在步骤中给出；',
    ),
    ("请用 -o NAME=PATH 给出；", '请在组件中声明：as_component(outputs=[PipelineArtifact("NAME")])；'),
    ("请用 -p NAME=VALUE 给出", '请在组件中声明：CustomJob(parameters={"NAME": VALUE})'),
)
_WORDS: Mapping[Author, tuple[tuple[str, str], ...]] = {
    "cell": (),
    "line": _LINE,
    "python": (*_LINE, *_PYTHON),
    "step": (*_STEP, *_LINE, *_PYTHON),
}
_FILLED_IN = re.compile(r"MODULE|FILE|ID")


def for_authors(sentences: Mapping[str, str]) -> dict[str, str]:
    """Return the twins of all sentences that are others for the author of a line or of a program."""
    authors: tuple[Author, ...] = ("line", "python", "step")
    return {
        told: _reworded(chinese, author)
        for english, chinese in sentences.items()
        for author in authors
        if (told := _as_template(reworded(_as_word(english), author))) != english
    }


def _reworded(chinese: str, author: Author) -> str:
    for words, others in _WORDS[author]:
        pattern = _FILLED_IN.sub(r"(?P<filled>[^\\s`]+)", re.escape(words))
        chinese = re.sub(pattern, _FILLED_IN.sub(r"\\g<filled>", others), chinese)
    return _as_template(reworded(_as_word(chinese), author))


def _as_word(template: str) -> str:
    """Replace each placeholder `{a}` by a word that could stand there."""
    return re.sub(r"\{(\w+)\}", r"FILLED_\1_IN", template)


def _as_template(text: str) -> str:
    return re.sub(r"FILLED_(\w+?)_IN", r"{\1}", text)
