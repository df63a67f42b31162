"""Tell the options that hold the path of an input or output from plain values (contract/README.md, Command).

An option with the name of a channel of the job is its path, unless the declaration rules that out: it takes no text, has
choices, or a default that is no path (`--model`, default "resnet50"). A text option without a default whose name or help
mentions data is a candidate: it may be the path of an input that was not given. That is a guess, so in doubt the option is a
plain value.
"""

import re
from collections.abc import Collection, Iterable

from pai_jupyter.hyperparameters.hyperparameter import Channel, Hyperparameter
from pai_jupyter.spec import STANDARD_OUTPUTS

_ALWAYS_THERE = frozenset({*STANDARD_OUTPUTS, "logs"})
_DATA = frozenset(
    [
        "data",
        "train",
        "training",
        "test",
        "testing",
        "val",
        "valid",
        "validation",
        "eval",
        "evaluation",
        "dev",
        "input",
        "inputs",
        "corpus",
    ]
)
_DATA_PLACE = _DATA | frozenset(
    ["dataset", "datasets", "path", "paths", "dir", "directory", "file", "files", "folder", "root", "set"]
)
_HELP_INPUT = re.compile(
    r"(?i)\binput (channel|data|path|file|dir)|\b(path|directory|folder|file)s?\b.*\bdata|\bdata(set)?\b.*\b(path|directory|folder|file)"
    r"|(数据|输入).*(路径|目录|文件)|(路径|目录|文件).*(数据|输入)|输入数据"
)
_HELP_OUTPUT = re.compile(r"(?i)\b(output|save|write|store|log|export)|输出|保存|写入|日志")
_NAME_OUTPUT = frozenset(
    [
        "output",
        "outputs",
        "out",
        "save",
        "log",
        "logs",
        "model",
        "models",
        "checkpoint",
        "checkpoints",
        "ckpt",
        "cache",
        "export",
        "result",
        "results",
    ]
)
_PATH = re.compile(r"[/~.]|.*/$|\w+://")
_PATH_CODE = re.compile(r"(?i)/|environ|getenv|path|dir")


def split_channels(
    declared: Iterable[Hyperparameter], *, inputs: Collection[str], outputs: Collection[str]
) -> tuple[list[Hyperparameter], list[Channel]]:
    """Split the declared options into hyperparameters and channels, both in order."""
    values, channels = [], []
    for option in declared:
        channel = _channel(option, inputs, outputs)
        if channel is None:
            values.append(option)
        else:
            channels.append(channel)
    return values, channels


def _channel(option: Hyperparameter, inputs: Collection[str], outputs: Collection[str]) -> Channel | None:
    if option.origin != "argparse" or option.type != "String" or option.choices or option.places or option.style:
        return None
    if option.name in inputs:
        return Channel(option=option, direction="input")
    if option.name in _ALWAYS_THERE:
        return Channel(option=option, direction="output") if _may_be_a_place(option) else None
    if option.name in outputs:
        return Channel(option=option, direction="output")
    return Channel(option=option, direction="input", candidate=True) if _looks_like_input(option) else None


def _may_be_a_place(option: Hyperparameter) -> bool:
    if isinstance(option.default, str):
        return option.default == "" or _PATH.match(option.default) is not None
    return not option.default_text or _PATH_CODE.search(option.default_text) is not None


def _looks_like_input(option: Hyperparameter) -> bool:
    if option.default is not None or option.default_text:
        return False
    words = set(re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", option.name).lower())) - {""}
    if words & _DATA and words <= _DATA_PLACE:
        return True
    return bool(_HELP_INPUT.search(option.help)) and not (words & _NAME_OUTPUT or _HELP_OUTPUT.search(option.help))
