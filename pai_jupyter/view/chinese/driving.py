"""What is said of runs: their drivers, their files, and what they take over from each other."""

DRIVING = {
    "run {a} failed: {b}": "运行 {a} 失败：{b}",
    "a step failed": "有步骤失败",
    "run {a} was stopped.": "运行 {a} 已停止。",
    "step `{a}` waits: {b} It is tried again.": "步骤 `{a}` 在等待：{b} 稍后重试。",
    "step `{a}` waits for its job {b}: {c}": "步骤 `{a}` 在等待其作业 {b}：{c}",
    'step `{a}` waits for an access key that its service takes: {b} Then type in a notebook that has it: attach_run("{c}")': (
        '步骤 `{a}` 在等待服务接受的 AccessKey：{b} 然后在有该 AccessKey 的 Notebook 中输入：attach_run("{c}")'
    ),
    "it waits for the value of {a}, which it needs and which is stored nowhere. Set it in the environment of a "
    'notebook, and type there: attach_run("{b}")': (
        '它需要 {a} 的值，而该值不保存在任何地方。请在 Notebook 的环境变量中设置，并在那里输入：attach_run("{b}")'
    ),
    "its job {a} was deleted": "作业 {a} 已被删除",
    "it said nothing.": "没有任何输出。",
    "the process that drives run {a} did not start: {b}": "驱动运行 {a} 的进程没有启动：{b}",
    "the process that drives run {a} cannot be started: {b}.": "无法启动驱动运行 {a} 的进程：{b}。",
    "run {a} does not go on: its driver ended {n} times in a row: {b}": "运行 {a} 无法继续：驱动进程连续 {n} 次退出：{b}",
    "run {a} does not go on: {b}": "运行 {a} 无法继续：{b}",
    "run {a} has not ended within {b} seconds": "运行 {a} 在 {b} 秒内没有结束",
    'interrupted; run {a} goes on. To wait again, type: attach_run("{b}").wait()': (
        '已中断；运行 {a} 继续进行。要再次等待，请输入：attach_run("{b}").wait()'
    ),
    "run {a} has not ended, so it cannot be deleted. Stop it first.": "运行 {a} 尚未结束，不能删除。请先停止它。",
    "job {a} of run {b} has not ended, so the run cannot be deleted. Stop the job first: %pai_stop {c}": (
        "运行 {b} 的作业 {a} 尚未结束，不能删除该运行。请先停止作业：%pai_stop {c}"
    ),
    "there is no run {a}. Type %pai_runs to see them.": "没有运行 {a}。输入 %pai_runs 查看。",
    "there is no run {a} any more. Type %pai_runs to see them.": "运行 {a} 已不存在。输入 %pai_runs 查看。",
    "{a} is the beginning of several runs: {b}. Type more of the id.": "{a} 是多个运行的开头：{b}。请输入更长的 ID。",
    "the list of runs cannot be read: '{a}': {b}. Check that it is a directory of yours.": (
        "无法读取运行列表：'{a}'：{b}。请检查它是否为您的目录。"
    ),
    "a package of a run cannot be called {a}. Use letters, digits, `-`, `_` and `.`.": (
        "运行的代码包不能命名为 {a}。请使用字母、数字、`-`、`_` 和 `.`。"
    ),
    "what makes jobs of this step, {a}, is not installed here: {b}. Install the same version of pai_jupyter that has started the run.": (
        "创建此步骤作业的 {a} 没有安装在这里：{b}。请安装启动该运行时的同一版本 pai_jupyter。"
    ),
    "'{a}' is damaged: {b}. Put it back as it was, or delete the record of the run (its jobs stay) and run the pipeline "
    "again: %pai_runs {c} --delete": (
        "'{a}' 已损坏：{b}。请恢复该文件，或删除该运行的记录（其作业保留）并重新运行流水线：%pai_runs {c} --delete"
    ),
    "line {n}: {a}": "第 {n} 行：{a}",
    "line {n} is no JSON": "第 {n} 行不是 JSON",
    "it is no JSON": "不是 JSON",
    "job {a}, which step `{b}` has started, is not in it": "其中没有步骤 `{b}` 启动的作业 {a}",
    "it is missing": "文件缺失",
    "is that of a newer pai_jupyter; type: %pip install --upgrade pai_jupyter": (
        "由更新版本的 pai_jupyter 写入；请输入：%pip install --upgrade pai_jupyter"
    ),
    # reruns
    "the run has no input `{a}`. It has: {b}.": "该运行没有输入 `{a}`。它有：{b}。",
    "the run has no step `{a}`. There is: {b}.": "该运行没有步骤 `{a}`。它有：{b}。",
    "step `{a}{b}` is no pipeline, so there is no step `{c}` in it.": "步骤 `{a}{b}` 不是流水线，其中没有步骤 `{c}`。",
    "step `{a}` runs again: {b}.": "步骤 `{a}` 重新运行：{b}。",
    "step `{a}` runs again: what it gave earlier cannot be read: {b}": "步骤 `{a}` 重新运行：无法读取它先前的结果：{b}",
    "its input {a} has changed since run {b}, or cannot be compared": "输入 {a} 自运行 {b} 以来已改变，或无法比较",
    "the output {a} of its job {b} is gone": "作业 {b} 的输出 {a} 已不存在",
}
