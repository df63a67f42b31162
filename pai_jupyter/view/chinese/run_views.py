"""Views of runs, in Chinese."""

from collections.abc import Mapping

RUN_VIEWS: Mapping[str, str] = {
    "run {a} ({b}) has begun": "运行 {a}（{b}）已开始",
    "PAIFlow emulator": "PAIFlow 模拟器",
    "run {name} was removed: its folder is gone.": "运行 {name} 已被删除：其文件夹已不存在。",
    (
        "run {name} is not on this machine: it can be shown and stopped here. To run it again or to delete its record, type "
        "%pai_runs {name2} --rerun, or --delete"
    ): "运行 {name} 不在本机：在此处只能查看和停止。要重新运行它或删除其记录，请输入 %pai_runs {name2} --rerun 或 --delete",
}
