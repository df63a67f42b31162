"""What the form says, in the languages that it speaks: its own words, and the sentences of `Schema` (sentences)."""

from collections.abc import Callable

from pai_jupyter.form.sentences import in_chinese

CHINESE = {
    "Auto": "自动",
    "Magic line": "魔法命令行",
    "Dry run": "试运行",
    "Hyperparameters": "超参数",
    "Image": "镜像",
    "Inputs": "输入",
    "Instance count": "实例数",
    "Instance type": "实例类型",
    "Run on": "运行位置",
    "Remove": "移除",
    "Reset": "恢复默认",
    "Submit": "提交",
    "The kernel of this form has ended. Run %load_ext pai_jupyter, then this cell again.": (
        "此表单的内核已不存在。请先运行 %load_ext pai_jupyter，再重新运行此单元格。"
    ),
    "Warnings": "警告",
    "Backend": "后端",
    "a path, or a URI such as oss://bucket/data/": "路径或 URI，例如 oss://bucket/data/",
    "all defaults": "全部为默认值",
    "default": "默认",
    "none": "无",
    "not declared by the script": "脚本中没有声明",
    "Fix the errors above": "请先改正上面的错误",
}


def translator(language: str) -> Callable[[str], str]:
    """Return a translator into `language` ("en", "zh"); text without a translation stays as it is."""
    return (lambda text: CHINESE.get(text) or in_chinese(text) or text) if language == "zh" else str
