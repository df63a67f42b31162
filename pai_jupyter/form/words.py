"""What the form says, in the languages that it speaks: its own words, and the sentences of `Schema` (sentences)."""

from collections.abc import Callable

from pai_jupyter.form.sentences import in_chinese

CHINESE = {
    "Copy as line": "复制为参数行",
    "Dry run": "试运行",
    "Hyperparameters": "超参数",
    "Image": "镜像",
    "Inputs": "输入",
    "Instance count": "实例数",
    "Instance type": "实例类型",
    "Place": "运行位置",
    "Remove": "移除",
    "Reset": "恢复默认",
    "Submit": "提交",
    "Submit is off:": "不能提交：",
    "The kernel of this form is gone. Run the cell again for a new form.": "此表单的内核已不在。请重新运行单元格以得到新表单。",
    "Warnings": "警告",
    "Where": "后端",
    "a path, or a URI such as oss://bucket/data/": "路径或 URI，例如 oss://bucket/data/",
    "all defaults": "全部为默认值",
    "chosen for you": "自动选择",
    "default": "默认",
    "none": "无",
    "not declared by the script": "脚本中没有声明",
    "something is wrong above": "上面的值有误",
}


def translator(language: str) -> Callable[[str], str]:
    """Gives a text of the form in `language` ("en", "zh"); what has no translation stays as it is."""
    return (lambda text: CHINESE.get(text) or in_chinese(text) or text) if language == "zh" else str
