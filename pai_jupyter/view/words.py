"""The texts of the view in English and Chinese, and formatting of durations.

The English text is the key; `CATALOGUE` has the Chinese. A test checks that it is complete.
"""

import os
from collections.abc import Callable, Mapping
from typing import Literal, TypeVar

from pai_jupyter.events import Status, Waiting
from pai_jupyter.jobs.job_index.names import BACKENDS_IN_CHINESE, STATES_IN_CHINESE
from pai_jupyter.jobs.where import Where

Language = Literal["en", "zh"]
T = TypeVar("T")

CATALOGUE: dict[str, str] = {
    **STATES_IN_CHINESE,
    **BACKENDS_IN_CHINESE,
    "queued": "排队",
    "preparing": "准备",
    "running": "运行",
    "saving": "保存",
    "step": "步数",
    "epoch": "轮次",
    "max": "最大",
    "min": "最小",
    "last": "最新",
    "max {time}": "最长 {time}",
    "metric": "指标",
    "values": "超参数",
    "code": "代码",
    "uncommitted changes": "有未提交的更改",
    "replicas": "副本",
    "exit code {code}": "退出码 {code}",
    "no longer needed": "不再需要",
    "started again once": "已重新启动 1 次",
    "started again {count} times": "已重新启动 {count} 次",
    "hint": "提示",
    "used": "用量",
    "{count} CPU hours": "{count} CPU 小时",
    "peak memory {size}": "内存峰值 {size}",
    "{size} read": "读取 {size}",
    "{size} written": "写入 {size}",
    "{size} received": "接收 {size}",
    "{size} sent": "发送 {size}",
    "note": "注意",
    "note on the job": "备注",
    "ETA": "剩余",
    "last {shown} of {all} lines": "共 {all} 行，最后 {shown} 行",
    "{amount} so far": "目前 {amount}",
    "{amount}/h": "{amount}/小时",
    "as of {time}": "截至 {time}",
    "saved output": "保存的内容",
    "live view here: {command}": "在此处实时查看：{command}",
    "rerun of {name}": "基于 {name} 重新运行",
    "waiting for a free slot": "正在等待空闲的并行名额",
    "waiting for a free slot: number {place} in line ({setting} = {limit})": (
        "正在等待空闲的并行名额：排在第 {place} 位（{setting} = {limit}）"
    ),
}

GLYPHS: dict[Status, str] = {
    Status.CREATED: "○",
    Status.PACKAGING: "○",
    Status.SUBMITTING: "○",
    Status.QUEUED: "◔",
    Status.RUNNING: "●",
    Status.SUCCEEDED: "✓",
    Status.FAILED: "✗",
    Status.STOPPED: "■",
    Status.UNKNOWN: "?",
}


def choose_language(environ: Mapping[str, str]) -> Language:
    """Choose the language by PAI_JUPYTER_LANG, else by the locale; English if in doubt."""
    for name in ("PAI_JUPYTER_LANG", "LC_ALL", "LANG"):
        if wanted := environ.get(name):
            return "zh" if wanted.lower().startswith("zh") else "en"
    return "en"


def environment_language() -> Language:
    return choose_language(os.environ)


def uncommitted_changes(language: Language) -> str:
    return say("uncommitted changes", language)


def say(text: str, language: Language) -> str:
    """Return a text of `CATALOGUE` in this language."""
    return CATALOGUE[text] if language == "zh" else text


def replica_end(exit_code: int | None, language: Language, *, is_spare: bool) -> str:
    """Return how a replica has ended, "" if there is nothing to say; `is_spare`: it was ended since the job had succeeded."""
    if is_spare:
        return say("no longer needed", language)  # its exit code is that of the signal which ended it
    return say("exit code {code}", language).format(code=exit_code) if exit_code else ""


def started_again(count: int, language: Language) -> str:
    """Return how often a replica was started again."""
    text = say("started again once", language) if count == 1 else say("started again {count} times", language)
    return text.format(count=count)


def said(text: str) -> str:
    """Translate a message of a magic, an error or a table into the environment's language."""
    return in_language(text, environment_language())


def in_own_language(speak: Callable[[str], T]) -> Callable[[str], T]:
    """Wrap `input`, `getpass` or `print` so that its text is in the environment's language."""
    return lambda text: speak(said(text))


def state_word(status: Status, language: Language | None = None) -> str:
    """Return the status with its glyph, e.g. "● Running"."""
    return f"{GLYPHS[status]} {say(status.capitalize(), language or environment_language())}"


def waiting_text(reason: str, language: Language) -> str:
    """Translate why a job waits, if it waits in the local queue; other reasons stay as they are."""
    if reason == "waiting for a free slot":
        return say("waiting for a free slot", language)
    if waiting := Waiting.read(reason):
        text = say("waiting for a free slot: number {place} in line ({setting} = {limit})", language)
        return text.format(place=waiting.place, setting=waiting.setting, limit=waiting.limit)
    return reason


def backend_title(where: Where, language: Language) -> str:
    """Return the backend's title, e.g. "Local process"; a plug-in's own name is not translated."""
    return say(where.backend, language) if where.backend in CATALOGUE else where.backend


def where_title(where: Where, language: Language) -> str:
    """Return the backend and, for a rerun, the original job: "Docker · rerun of j1ng-iris"."""
    rerun = say("rerun of {name}", language).format(name=where.rerun_of) if where.rerun_of else ""
    return " · ".join(part for part in (backend_title(where, language), rerun) if part)


def in_language(sentence: str, language: Language) -> str:
    """Translate a message of the package; without a translation it stays as it is."""
    if language == "en" or not sentence:
        return sentence
    from pai_jupyter.view.chinese import in_chinese  # late: most sessions never need it

    return in_chinese(sentence)


def age(seconds: float) -> str:
    """Format a duration in seconds in its largest unit: "8 s", "3 min", "5 h", "2 d"."""
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit}"
    return f"{int(max(0.0, seconds))} s"


def duration(seconds: float) -> str:
    """Format a duration in seconds: "8s", "2m23s", "1h02m"."""
    minutes, rest = divmod(int(max(0.0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h{minutes:02}m"
    return f"{minutes}m{rest:02}s" if minutes else f"{rest}s"


def clock(seconds: float) -> str:
    """Format a running time in seconds like a stopwatch: "03:12", "1:02:03"."""
    minutes, rest = divmod(int(max(0.0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


def bytes_text(size: float) -> str:
    """Format a number of bytes to two digits, as the live view does: "512 B", "34 KB", "1.2 GB"; powers of 1,024."""
    value, units = max(0.0, size), iter(("B", "KB", "MB", "GB", "TB"))
    unit = next(units)
    for larger in units:
        if round(value) < 1_024:
            break
        value, unit = value / 1_024, larger
    return f"{value:.2g} {unit}" if value < 100 else f"{value:.0f} {unit}"
