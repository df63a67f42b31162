"""Reports of jobs, and `%pai_report`."""

from collections.abc import Mapping

REPORTS: Mapping[str, str] = {
    "Report of jobs": "作业报告",
    "jobs: {n}": "作业数：{n}",
    "{n} more metrics have no chart here.": "另有 {n} 项指标未在此绘制图表。",
    "job {a} is not in this report: {b}": "作业 {a} 不在此报告中：{b}",
    "Overview": "概览",
    "Hyperparameters": "超参数",
    "Final metrics": "最终指标",
    "Metrics": "指标",
    "Jobs": "作业",
    "report written to {a}": "报告已写入 {a}",
    "the report {name} cannot be written: {a}": "无法写入报告 {name}：{a}",
    "the report {name} must end in .html or .ipynb.": "报告 {name} 必须以 .html 或 .ipynb 结尾。",
    "the report {name}: there is no directory {name2}.": "报告 {name}：没有目录 {name2}。",
    "the report {name} must be a path below the server's directory.": "报告 {name} 必须是服务器目录下的路径。",
    "the report {name} would be hidden. Choose a name without a leading dot.": (
        "报告 {name} 会成为隐藏文件。请使用不以点开头的名称。"
    ),
    "the server's directory": "服务器目录",
    "there is no directory {name} below the server's directory.": "服务器目录下没有目录 {name}。",
    "no job fits {name}. %pai_runs lists them.": "没有符合 {name} 的作业。%pai_runs 可列出作业。",
    "a report needs a job.": "报告至少需要一个作业。",
    "a report takes {n} jobs at most, and these are {n2}. Choose fewer, e.g. with tag:best": (
        "一份报告最多 {n} 个作业，而这里有 {n2} 个。请选择更少的作业，例如用 tag:best"
    ),
}
