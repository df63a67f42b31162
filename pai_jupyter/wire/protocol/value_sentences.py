"""Translate the errors of `Schema`, which the form shows beside its fields, into Chinese.

`hyperparameters` writes English, since its messages also appear in tracebacks, logs and answers. Each message is fixed words
around names and values; a pattern recognizes the words, and the Chinese sentence gets the same names and values.

Rule: an unknown sentence stays as it is. Names and values come from scripts and users; they are copied, never translated.
"""

import re
from collections.abc import Callable, Mapping

Said = Callable[[str], str]
_NAME = r"`(?P<name>.*?)`"


def in_chinese(sentence: str) -> str | None:
    """Translate a message into Chinese; None if it is not one of `Schema`."""
    return _said(_SENTENCES, sentence)


def beside_field(sentence: str) -> str:
    """Shorten a message, since its field shows the value, e.g. to "lr must be a number between 0.01 and 1"."""
    if found := re.fullmatch(rf"{_NAME} is empty; it (?P<rule>must be .*\. The default is .*)", sentence, re.DOTALL):
        return f"{found['name']} {found['rule']}"
    found = re.fullmatch(rf"{_NAME} is .*; it (?P<rule>must be .*)\.", sentence, re.DOTALL)
    return f"{found['name']} {found['rule']}" if found else sentence


def _said(table: Mapping[str, tuple[str, Mapping[str, Said]]], text: str) -> str | None:
    """Translate `text` by the first pattern that matches all of it, with its groups translated, too; None if none does."""
    for pattern, (chinese, parts) in table.items():
        if found := re.fullmatch(pattern, text, re.DOTALL):
            held = found.groupdict(default="")
            return chinese.format_map({name: parts.get(name, str)(value) for name, value in held.items()})
    return None


def _allowed(text: str) -> str:
    return _said(_ALLOWED, text) or text


def _bounds(text: str) -> str:
    return _said(_BOUNDS, text) or text


def _hint(text: str) -> str:
    return _said(_HINTS, text) or text


def _where(text: str) -> str:
    return _said(_PLACES, text) or text


def _default(text: str) -> str:
    return re.sub(r"^\. The default is (.*)\.$", r"。默认值是 \1。", text, flags=re.DOTALL)


def _more(text: str) -> str:
    return re.sub(r" and (\d+) more$", r" 等（另有 \1 个）", text)


_PLACES: Mapping[str, tuple[str, Mapping[str, Said]]] = {
    r"on line (?P<line>\d+)": ("第 {line} 行", {}),
    r"on cell line (?P<line>\d+)": ("单元格第 {line} 行", {}),
    r"in cell \[(?P<cell>\d+)\], line (?P<line>\d+)": ("单元格 [{cell}] 第 {line} 行", {}),
}
_BOUNDS: Mapping[str, tuple[str, Mapping[str, Said]]] = {
    r"between (?P<low>\S+) and (?P<high>\S+)": ("在 {low} 和 {high} 之间", {}),
    r"(?P<least>(?:at least|above) \S+) and (?P<most>(?:at most|below) \S+)": (
        "{least}，且{most}",
        {"least": _bounds, "most": _bounds},
    ),
    r"at least (?P<low>\S+)": ("不小于 {low}", {}),
    r"at most (?P<high>\S+)": ("不大于 {high}", {}),
    r"above (?P<low>\S+)": ("大于 {low}", {}),
    r"below (?P<high>\S+)": ("小于 {high}", {}),
}
_ALLOWED: Mapping[str, tuple[str, Mapping[str, Said]]] = {
    r"(?P<other>.*) or None": ("{other}，或 None", {"other": _allowed}),
    r"a whole number": ("整数", {}),
    r"a number": ("数字", {}),
    r"true or false": ("true 或 false", {}),
    r"text": ("文本", {}),
    r"text that does not begin with -": ("不以 - 开头的文本", {}),
    r"a list or a dict as JSON, e\.g\. \[1, 2\]": ("JSON 列表或字典，例如 [1, 2]", {}),
    r"a list as JSON, e\.g\. \[1, 2\], and each item (?P<each>.*)": (
        "JSON 列表，例如 [1, 2]，其中每一项为：{each}",
        {"each": _allowed},
    ),
    r"one of (?P<choices>.*)": ("{choices} 之一", {}),
    r"text of a length (?P<bounds>(?:between|at least|at most|above|below) .*)": (
        "文本，长度{bounds}",
        {"bounds": _bounds},
    ),
    r"(?P<kind>a whole number|a number) (?P<bounds>.*)": ("{kind}，{bounds}", {"kind": _allowed, "bounds": _bounds}),
}
_HINTS: Mapping[str, tuple[str, Mapping[str, Said]]] = {
    r"Did you mean (?P<close>`.*`)\?": ("是否想写 {close}？", {}),
    r"It has no options\.": ("脚本没有任何选项。", {}),
    r"It has no hyperparameters\.": ("脚本没有声明任何超参数。", {}),
    r"It has (?P<names>.*)\.": ("可用的有：{names}。", {"names": _more}),
}
_REMEDIES: Mapping[str, tuple[str, Mapping[str, Said]]] = {
    r"Write the values to a JSON file and give it: --params FILE": (
        "请把值写入 JSON 文件并用 --params FILE 给出",
        {},
    ),
    r"Remove it\.": ("请去掉。", {}),
}
_SENTENCES: Mapping[str, tuple[str, Mapping[str, Said]]] = {
    r"(?P<name>[^`]*) must be (?P<allowed>.*?)(?P<default>\. The default is .*\.)?": (
        "{name} 应为：{allowed}{default}",
        {"allowed": _allowed, "default": _default},
    ),
    rf"{_NAME} is empty; it must be (?P<allowed>.*)\. The default is (?P<default>.*)\.": (
        "`{name}` 为空，应为：{allowed}。默认值是 {default}。",
        {"allowed": _allowed},
    ),
    rf"{_NAME} is (?P<value>.*); it must be (?P<allowed>.*)\.": (
        "`{name}` 是 {value}，应为：{allowed}。",
        {"allowed": _allowed},
    ),
    rf"{_NAME} is an input of this job, so it cannot have a value as well\. Remove -i or -p\.": (
        "`{name}` 是此作业的输入，不能同时有值。请去掉 -i 或 -p。",
        {},
    ),
    rf"{_NAME} and `(?P<other>.*?)` are the same option\. Give one of them\.": (
        "`{name}` 和 `{other}` 是同一个选项，只能给出一个。",
        {},
    ),
    rf"{_NAME} is an option of the subcommand `(?P<own>.*?)`, which is not the chosen one\. Remove it, or give -p "
    r"(?P<choice>.*)=(?P=own)\.": (
        "`{name}` 是子命令 `{own}` 的选项，而所选的不是它。请去掉该值，或选择该子命令。",
        {},
    ),
    rf"{_NAME} is an option only with `(?P<choice>.*?)` = `(?P<own>.*?)`\. Remove it, or give -p (?P=choice)=(?P=own)\.": (
        "`{name}` 只在 `{choice}` = `{own}` 时是选项。请去掉该值，或指定 -p {choice}={own}。",
        {},
    ),
    r"(?P<name>.*) cannot be a hyperparameter's name; use letters, digits, _, - and \., no _ in front\.": (
        "{name} 不能作为超参数名；只能用字母、数字、_、- 和 .，且不能以 _ 开头。",
        {},
    ),
    rf"{_NAME} is spelled `(?P<twin>.*?)` in the script\. Write -p (?P=twin)=\.\.\.": (
        "`{name}` 在脚本中写作 `{twin}`。请写 -p {twin}=...",
        {},
    ),
    rf"{_NAME} is no option of the script, whose parse_args\(\) stops at it\. (?P<hint>.*) To let it through write "
    r"parse_known_args\(\)\.": (
        "脚本没有选项 `{name}`，parse_args() 会因此报错。{hint}如要允许它，请改用 parse_known_args()。",
        {"hint": _hint},
    ),
    rf"{_NAME} is not declared by the script, and nothing in it reads it\. (?P<hint>.*) To use `(?P=name)`, write "
    r"`(?P<line>.*)` on a line of its own at the top level of the script\.": (
        "脚本没有声明 `{name}`，也不会读取它。{hint}如需使用，请在脚本顶层单独写一行 `{line}`。",
        {"hint": _hint},
    ),
    rf"{_NAME} is a key of several dicts: (?P<names>.*)\. Write the one that you mean: -p (?P<first>.*)=\.\.\.": (
        "`{name}` 是多个字典的键：{names}。请写明是哪一个：-p {first}=...",
        {},
    ),
    rf"{_NAME} is a plain variable (?P<at>.*)\. To give it values, write `(?P<line>.*)` there\.": (
        "`{name}` 是{at}的普通变量。要使其成为超参数，请在该行写 `{line}`。",
        {"at": _where},
    ),
    rf"{_NAME} is set (?P<at>.*?) inside `(?P<block>.*)`, where it is not seen\. Write `(?P<line>.*)` at the top level "
    r"instead, or add `# hp:` behind it\.": (
        "`{name}` 在{at}的 `{block}` 内赋值，不会被识别。请在顶层写 `{line}`，或在该行末尾加上 `# hp:`。",
        {"at": _where},
    ),
    rf"{_NAME} has no value, and the script requires one\. Give it: -p (?P=name)=\.\.\.": (
        "脚本需要 `{name}` 的值。请指定：-p {name}=...",
        {},
    ),
    rf"{_NAME} has no place, and the script requires one\. Give it: -i (?P=name)=\./data": (
        "脚本需要 `{name}` 的路径。请指定：-i {name}=./data",
        {},
    ),
    rf"{_NAME} holds a line break, which no magic's line can\. (?P<remedy>.*)": (
        "`{name}` 中有换行，而魔法命令行中不能有换行。{remedy}",
        {"remedy": lambda text: _said(_REMEDIES, text) or text},
    ),
}
