"""What the form says, in the languages that it speaks: its own words, and the sentences of `Schema`.

The words of its sections (`wire.schema.form`) are JupyterLab's, too: a test compares them with labextension/src/zh.
"""

from collections.abc import Callable

from pai_jupyter.wire.protocol.offers import details_in_chinese
from pai_jupyter.wire.protocol.value_sentences import in_chinese

CHINESE = {
    'A name cannot begin with "-".': '名称不能以 "-" 开头。',
    "Add an input": "添加输入",
    "Address": "地址",
    "An input needs a name and a path, e.g. train and ./data.": "输入需要名称和路径，例如 train 和 ./data。",
    "Auto": "自动",
    "Channel": "通道",
    "Copied": "已复制",
    "Copy as %%pai_train line": "复制为 %%pai_train 行",
    "Leave blank to generate": "留空则自动生成",
    "Name": "名称",
    "Press Ctrl+C to copy": "请按 Ctrl+C 复制",
    "Reset all": "全部恢复默认",
    "There are two inputs called {name}. Keep one of them.": "有两个名为 {name} 的输入，请保留其中一个。",
    "Magic line": "魔法命令行",
    "Cost": "费用",
    "Dry run": "试运行",
    "Hyperparameters": "超参数",
    "From other cells": "来自其他单元格",
    "cell": "单元格",
    "Image": "镜像",
    "Inputs": "输入",
    "Instance count": "实例数",
    "Instance type": "实例类型",
    "Instance type of {name}": "{name} 的实例类型",
    "Job type": "作业类型",
    "Replicas of {name}": "{name} 的副本数",
    "Run on": "运行位置",
    "Pass on variables of the kernel": "传入内核中的变量",
    "More values in the code": "代码中的其他值",
    "Remove": "移除",
    "Reset": "恢复默认",
    "Return to the notebook": "返回给笔记本",
    "Send from the notebook": "从笔记本发送",
    "Submit": "提交",
    "The kernel of this form has ended. Run %load_ext pai_jupyter, then this cell again.": (
        "此表单的内核已不存在。请先运行 %load_ext pai_jupyter，再重新运行此单元格。"
    ),
    "Warnings": "警告",
    "Backend": "后端",
    "The roles below need a job type": "下面的角色需要作业类型",
    "{type} has no role {name}. Empty its count": "{type} 没有角色 {name}。请清空其数量",
    "{label} must be a whole number between 1 and {maximum}": "{label}必须是 1 到 {maximum} 之间的整数",
    "{type} needs exactly one master: enter 1": "{type} 需要且只需要一个 master：请输入 1",
    "{type} needs workers: enter how many": "{type} 需要 worker：请输入数量",
    "a path, or a URI such as oss://bucket/data/": "路径或 URI，例如 oss://bucket/data/",
    "default": "默认",
    "none": "无",
    "not declared by the script": "脚本中没有声明",
    "Fix the errors above": "请先改正上面的错误",
}


def translator(language: str) -> Callable[[str], str]:
    """Return a translator into `language` ("en", "zh"); text without a translation stays as it is."""
    return (lambda text: CHINESE.get(text) or in_chinese(text) or details_in_chinese(text)) if language == "zh" else str
