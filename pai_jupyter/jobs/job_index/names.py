"""Chinese names of states and backends: a list of jobs is searched in both languages."""

from collections.abc import Mapping

STATES_IN_CHINESE: Mapping[str, str] = {
    "Created": "已创建",
    "Packaging": "打包中",
    "Submitting": "提交中",
    "Queued": "排队中",
    "Running": "运行中",
    "Succeeded": "成功",
    "Failed": "失败",
    "Stopped": "已停止",
    "Unknown": "状态未知",
}
BACKENDS_IN_CHINESE: Mapping[str, str] = {
    "Local process": "本地进程",
    "Docker": "Docker",
    "PAI": "PAI",
    "PAI emulator": "PAI 模拟器",
    "OpenPAI": "OpenPAI",
    "PAIFlow": "PAIFlow",
    "PAIFlow emulator": "PAIFlow 模拟器",
}
