"""The words of views of runs in English and Chinese, and their glyphs. The English text is the key; a test checks the Chinese."""

from collections.abc import Mapping

from pai_jupyter.runs.state import RunStatus, StepStatus
from pai_jupyter.view.words import Language

RUN_CATALOGUE: Mapping[str, str] = {
    "Running": "运行中",
    "Blocked": "已阻塞",
    "Succeeded": "成功",
    "Failed": "失败",
    "Stopped": "已停止",
    "Waiting": "等待中",
    "Skipped": "已跳过",
    "Stopping": "正在停止",
    "Not run": "未运行",
    "Step": "步骤",
    "Status": "状态",
    "Time": "用时",
    "Details": "详情",
    "note": "注意",
    "inputs": "输入",
    "outputs": "输出",
    "met": "满足",
    "not met": "不满足",
    "not decided": "未判定",
    "tries: {count}": "尝试 {count} 次",
    "taken over": "沿用之前的结果",
    "{count} more": "另有 {count} 个",
    "Picture": "流程图",
    "saved output": "保存的内容",
    "as of {time}": "截至 {time}",
    "live view here: {command}": "在此处实时查看：{command}",
}
GLYPHS: Mapping[str, str] = {
    "running": "●",
    "blocked": "!",
    "succeeded": "✓",
    "failed": "✗",
    "stopped": "■",
    "waiting": "○",
    "skipped": "⊘",
}
_ORDER = ("succeeded", "running", "waiting", "skipped", "failed", "stopped")  # in which counts are told


def run_text(text: str, language: Language) -> str:
    """Return a text of `RUN_CATALOGUE` in this language."""
    return RUN_CATALOGUE[text] if language == "zh" else text


def status_word(status: RunStatus | StepStatus, language: Language) -> str:
    """Return a status with its glyph: "✓ Succeeded"."""
    return f"{GLYPHS[status]} {run_text(status.capitalize(), language)}"


def counts_text(counts: Mapping[StepStatus, int]) -> str:
    """Return counts by glyph: "3/5 ✓ · 1 ● · 1 ✗", "" without any; what waits is the rest."""
    total = sum(counts.values())
    others = [
        f"{counts[StepStatus(name)]} {GLYPHS[name]}"
        for name in _ORDER
        if name not in ("succeeded", "waiting") and counts.get(StepStatus(name))
    ]
    return (
        " · ".join([f"{counts.get(StepStatus.SUCCEEDED, 0)}/{total} {GLYPHS['succeeded']}", *others]) if total else ""
    )
