"""Jobs, TensorBoards, images, machines, settings: what their magics print, refuse and list."""

MAGICS = {
    "{n} of {m} jobs; -n N shows more.": "共 {m} 个作业，显示 {n} 个；用 -n N 显示更多。",
    # columns and single words
    "name": "名称",
    "versions": "版本",
    "component": "组件",
    "in a cell": "单元格中的名称",
    "no components are saved for pipelines. Save one: job.as_component(...).save(IDENTIFIER, VERSION)": (
        "没有为流水线保存的组件。请先保存一个：job.as_component(...).save(IDENTIFIER, VERSION)"
    ),
    "`--components` stands alone: %pai_pipeline --components": "`--components` 单独使用：%pai_pipeline --components",
    "a pipeline needs a name: %%pai_pipeline NAME; or the YAML file of a manifest: %pai_pipeline FILE": (
        "流水线需要名称：%%pai_pipeline NAME；或清单的 YAML 文件：%pai_pipeline FILE"
    ),
    "where": "位置",
    "next": "下一个版本",
    "saved": "已保存",
    "registered": "已注册",
    "value": "值",
    "from": "来源",
    "state": "状态",
    "run on": "运行位置",
    "this machine": "本机",
    "PAI, started elsewhere": "PAI，在别处启动",
    "values": "超参数",
    "metric": "指标",
    "notebook": "笔记本",
    "time": "时间",
    "inputs": "输入",
    "started": "开始时间",
    "ended": "结束时间",
    "duration": "时长",
    "time of creation": "创建时间",
    "star": "星标",
    "note": "备注",
    "backend": "后端",
    "jobs": "作业数",
    "recorded name": "记录的名称",
    "step": "步骤",
    "run": "运行",
    "{n} s ago": "{n} 秒前",
    "{n} min ago": "{n} 分钟前",
    "{n} h ago": "{n} 小时前",
    "{n} d ago": "{n} 天前",
    "id": "ID",
    "board": "TensorBoard",
    "shows": "内容",
    "address": "地址",
    "framework": "框架",
    "version": "版本",
    "for": "用途",
    "image": "镜像",
    "instance type": "实例类型",
    "cores": "核数",
    "memory": "内存",
    "available": "有货",
    "spot": "抢占式",
    "size": "大小",
    "running": "运行中",
    "succeeded": "成功",
    "failed": "失败",
    "stopped": "已停止",
    "default": "默认",
    "yes": "是",
    "sold out": "售罄",
    "nothing to show": "没有内容",
    "on this machine": "本机",
    "{a} (cores)": "{a}（核数）",
    "{a} (emulator)": "{a}（模拟器）",
    "port {n}": "端口 {n}",
    "{n} file": "{n} 个文件",
    "{n} files": "{n} 个文件",
    "{n} job": "{n} 个作业",
    "{n} jobs": "{n} 个作业",
    "{n} link": "{n} 个链接",
    "{n} links": "{n} 个链接",
    "{n} object": "{n} 个对象",
    "{n} objects": "{n} 个对象",
    # jobs
    "{name} of {name2}: {n} file in {name3}: {name4}": "{name2} 的 {name}：{name3} 中有 {n} 个文件：{name4}",
    "{name} of {name2}: this output has no files; nothing was copied.": "{name2} 的 {name}：此输出没有文件，没有复制任何内容。",
    "{name} of {name2}: no new files in {name3}": "{name2} 的 {name}：{name3} 中没有新文件",
    "{name} of {name2}: {n} files in {name3}: {name4}": "{name2} 的 {name}：{name3} 中有 {n} 个文件：{name4}",
    "{a}, by name: ": "{a}（名称）：",
    "{a}, by name [{b}]: ": "{a}（名称）[{b}]：",
    "{a}, by number or name: ": "{a}（编号或名称）：",
    "{a}, by number or name [{b}]: ": "{a}（编号或名称）[{b}]：",
    "region": "地域",
    "no jobs yet. Start one with %%pai_train.": "还没有作业。请用 %%pai_train 启动一个。",
    "no job is {a}. %pai_jobs lists all.": "没有状态为 {a} 的作业。%pai_jobs 列出全部。",
    "no matching jobs. %pai_jobs lists all.": "没有匹配的作业。%pai_jobs 列出全部。",
    "the search has no {a}: all words must match. For one of several type e.g. state:failed,stopped": (
        "搜索中没有 {a}：所有的词都必须匹配。要查找多者之一，请输入例如 state:failed,stopped"
    ),
    "there is no value or metric {a}; there are {b}": "没有值或指标 {a}；可用的有：{b}",
    "there is no value or metric {a}; no job has any.": "没有值或指标 {a}；没有作业带任何值或指标。",
    "`--sort` has no value. To sort downwards write --sort=-NAME.": "`--sort` 没有值。要降序排列，请写 --sort=-NAME。",
    "{a} compares with nothing. Type e.g. {b}": "{a} 没有比较的值。请输入例如 {b}",
    "{a} is no comparison. Type e.g. lr<0.1": "{a} 不是比较。请输入例如 lr<0.1",
    "{a} compares with {b}, which is no number. Type e.g. {c}": "{a} 与 {b} 比较，但后者不是数字。请输入例如 {c}",
    "`runs` has no argument {a}; there are: {b}": "`runs` 没有参数 {a}；可用的有：{b}",
    "`runs` is called so: runs{a}": "`runs` 应这样调用：runs{a}",
    "there is no column {a}; there are {b}": "没有列 {a}；可用的有：{b}",
    "`--columns` needs names with commas between them, e.g. --columns name,lr,loss": (
        "`--columns` 需要以逗号分隔的名称，例如 --columns name,lr,loss"
    ),
    "`--csv` writes jobs, not groups. Leave --group-by out.": "`--csv` 写出的是作业，不是分组。请去掉 --group-by。",
    "`--csv {a}` cannot be written: {b}": "`--csv {a}` 无法写入：{b}",
    "jobs written to {name}: {n}": "已写入 {name} 的作业数：{n}",
    "columns that are not shown: {n}; --columns all shows every one.": "未显示的列数：{n}；--columns all 显示全部。",
    "{n} of {n2} groups; -n N shows more.": "共 {n2} 组，显示 {n} 组；-n N 显示更多。",
    "`{a}` is for the table of jobs, `{b}` for a run. Give one of them.": (
        "`{a}` 用于作业表，`{b}` 用于一次运行。请只指定其中之一。"
    ),
    "a DataFrame needs pandas. Type: %pip install pandas": "DataFrame 需要 pandas。请输入：%pip install pandas",
    "`limit` is {a}; it must be a whole number from 0.": "`limit` 是 {a}，应为不小于 0 的整数。",
    "Runs of pipelines:": "流水线的运行：",
    "Jobs:": "作业：",
    "no job has a value {a}. To search this column, write {b}:{c}": "没有作业带值 {a}。要搜索这一列，请写 {b}:{c}",
    "there is no field {a} to search in; there are {b}.": "没有可搜索的字段 {a}；可用的有：{b}。",
    "`-n {a}` must be a whole number from 1.": "`-n {a}` 必须是不小于 1 的整数。",
    "job {a} was not started by a cell; its package is {b}": "作业 {a} 不是从单元格启动的；其代码包为 {b}",
    "`-o {a}` cannot be written: {b}": "`-o {a}` 无法写入：{b}",
    "log of {name} written to {name2}": "{name} 的日志已写入 {name2}",
    "nothing was changed: you interrupted the questions": "没有更改任何内容：提问已中断",
    "{name}: to be stopped": "{name}：准备停止",
    "{name}: will be stopped": "{name}：将被停止",
    "{name}: has ended ({b})": "{name}：已结束（{b}）",
    "Stop {a}? [y/N] ": "停止 {a}？[y/N] ",
    "Nothing was stopped.": "没有停止任何作业。",
    "{name} {name2}: was not stopped: {c}": "{name} {name2}：没有停止：{c}",
    "note: {a} not copied: {b}": "注意：{a}未复制：{b}",
    "it is a pipe, a socket or a device": "它是管道、套接字或设备",
    "{a} already there, unchanged": "{a}已存在，保持不变",
    "{a} replaced": "{a}原已存在，已被替换",
    "note: {a}: {b}": "注意：{a}：{b}",
    "{a} out of the output, copied as links": "{a}指向输出之外，按链接复制",
    "note: {a}: {b}. Check where they point before you open them.": "注意：{a}：{b}。打开之前请先确认链接的目标。",
    "nothing was stopped: you cannot be asked here. To stop without confirmation, type: %pai_stop -y {a}": (
        "没有停止任何作业：此处无法询问确认。要直接停止，请输入：%pai_stop -y {a}"
    ),
    "`--grep`: {a}": "`--grep`：{a}",
    "`--tail {a}` must be a whole number from 0.": "`--tail {a}` 必须是不小于 0 的整数。",
    "`{{name}}` looks like a secret; secrets do not go on a magic's line. Use a profile or an environment variable.": (
        "`{{name}}` 像是敏感信息；敏感信息不能写在魔法命令行中。请使用配置或环境变量。"
    ),
    "{a} looks like a secret; secrets do not go on a magic's line. Use a profile or an environment variable.": (
        "{a} 像是敏感信息；敏感信息不能写在魔法命令行中。请使用配置或环境变量。"
    ),
    "entered in this kernel": "本内核（由用户输入）",
    "new access key id (leave empty to cancel): ": "用于继续的 AccessKey ID（留空则不提供）：",
    "access key secret: ": "AccessKey Secret：",
    "security token (empty if none): ": "安全令牌（可留空）：",
    "The job is now followed with this key.": "从现在起使用此密钥跟踪作业。",
    # where a job runs, and why
    "no image is given": "没有给出镜像",
    "an image is given and an engine answers": "给出了镜像，且 Docker 可用",
    "an image is given, but no {a} engine answers": "给出了镜像，但 {a} 不可用",
    "asked for": "用户指定",
    "a quota is given": "给出了资源配额",
    "{a} is a type of {b}": "{a} 是 {b} 的实例类型",
    "set in {a}": "在 {a} 中设置",
    "submitted elsewhere, {a}": "在别处提交，{a}",
    "{a} · rerun of {b}": "{a} · 基于 {b} 重新运行",
    "Local process": "本地进程",
    "Local process ({a})": "本地进程（{a}）",
    "PAI emulator": "PAI 模拟器",
    "PAIFlow emulator": "PAIFlow 模拟器",
    "PAI emulator ({a})": "PAI 模拟器（{a}）",
    "Docker ({a})": "Docker（{a}）",
    "PAI ({a})": "PAI（{a}）",
    # %%pai_train
    "{name}: no problems found.": "{name}：没有发现问题。",
    "{name} would run on: {b}": "{name} 将运行于：{b}",
    "note: {a}": "注意：{a}",
    "warning: {a}": "警告：{a}",
    "command: {a}": "命令：{a}",
    "  argument: {a}": "  参数：{a}",
    "package: {a}, {b} bytes, sha256 {c}": "代码包：{a}，{b} 字节，sha256 {c}",
    "request:": "请求：",
    (
        "job {a} has not been started: the form above waits for Submit. Press Submit there, or write "
        "%%pai_train --run to start the job without a form."
    ): "作业 {a} 尚未开始：上面的表单在等待提交。请点击表单中的“提交”；要跳过表单，请写 %%pai_train --run。",
    "Nothing was started.": "没有启动任何作业。",
    # TensorBoard
    "This link works in a browser on the machine that runs the kernel.": "在运行内核的机器上，用浏览器打开此页即可查看。",
    (
        "To open it in JupyterLab, install pai_jupyter in the environment of the Jupyter server. Otherwise "
        "`print(BOARD.app_uri)` shows its address (BOARD: the result of `job.tensorboard()`). The address "
        "contains a secret, so do not save that output."
    ): (
        "在 Jupyter 服务器的环境中安装 pai_jupyter 后，可在 JupyterLab 中打开。否则：`print(BOARD.app_uri)` 显示其地址"
        "（BOARD 是 `job.tensorboard()` 的返回值）；地址含有密钥，请勿保存该输出。"
    ),
    "TensorBoard runs": "TensorBoard 正在运行",
    "no link": "无链接",
    "TensorBoard app {a}{b}": "TensorBoard 应用 {a}{b}",
    "no TensorBoard is running.": "这里没有正在运行的 TensorBoard。",
    "`--list` takes no other arguments. Type: %pai_tensorboard --list": "`--list` 须单独使用：%pai_tensorboard --list",
    "no job given. Type: %pai_tensorboard JOB, or a directory, or --list.": (
        "没有给出作业。请输入：%pai_tensorboard JOB，或目录，或 --list。"
    ),
    "TensorBoard apps cannot be listed: {a}": "无法列出应用：{a}",
    "there is no directory {a}.": "没有目录 {a}。",
    "stopped the TensorBoard of {name}": "已停止 {name} 的 TensorBoard",
    "stopped the TensorBoard app {a}{b} of {c}": "已停止 {c} 的 TensorBoard 应用 {a}{b}",
    "no single TensorBoard {a} runs here. Type: %pai_tensorboard --list": (
        "这里没有正在运行的 TensorBoard {a}，或有多个。请输入：%pai_tensorboard --list"
    ),
    # images and machines
    "--gpu and --cpu exclude each other. Leave both out to see all.": "--gpu 和 --cpu 不能同时使用。两者都不写则显示全部。",
    "no matching images. Type %pai_images to see all.": "没有匹配的镜像。用 %pai_images 查看全部。",
    "no matching instance types. Type %pai_instances to see all.": "没有匹配的实例类型。用 %pai_instances 查看全部。",
    # settings
    "`--stop` ends the emulator: %pai_config use emulator --stop": "`--stop` 用于结束模拟器：%pai_config use emulator --stop",
    (
        "`%pai_config {a}` is not valid. Type %pai_config show, %pai_config set backend=docker, %pai_config use "
        "PROFILE, %pai_config use emulator, %pai_config test, %pai_config wizard or %pai_config drop ADDRESS."
    ): (
        "无法识别 `%pai_config {a}`。请输入 %pai_config show、%pai_config set "
        "backend=docker、%pai_config use PROFILE、%pai_config use "
        "emulator、%pai_config test、%pai_config wizard 或 %pai_config drop ADDRESS。"
    ),
    "%pai_doctor takes no options.": "%pai_doctor 没有选项。",
    "`%pai_config set {a}` is not of the form NAME=VALUE, e.g. backend=docker": (
        "`%pai_config set {a}` 须写作 NAME=VALUE，例如 backend=docker"
    ),
    "note: the panel of this Jupyter server could not be told of the change: {a}": "注意：无法将此更改通知此 Jupyter 服务器的面板：{a}",
    "no emulator was running": "没有正在运行的模拟器",
    "the emulator is stopped": "模拟器已停止",
    "this kernel uses the emulator, which needs no key. Type first: %pai_config use emulator --stop": (
        "当前使用模拟器，不需要密钥。请先输入：%pai_config use emulator --stop"
    ),
    (
        "%pai_config wizard cannot ask here: it needs a notebook or a terminal. Set environment variables instead "
        "(ALIBABA_CLOUD_ACCESS_KEY_ID, ALIBABA_CLOUD_ACCESS_KEY_SECRET, PAI_REGION_ID, PAI_WORKSPACE_ID)."
    ): (
        "此处无法询问：%pai_config wizard 需要笔记本或终端。请改用环境变量（"
        "ALIBABA_CLOUD_ACCESS_KEY_ID、ALIBABA_CLOUD_ACCESS_KEY_SECRET、PAI_REGION_ID、PAI_WORKSPACE_ID）。"
        ""
    ),
    "the emulator ended at once: {a}": "模拟器启动后立即结束：{a}",
    "the emulator does not answer after {a} s: {b}": "模拟器在 {a} 秒后仍无响应：{b}",
    "it printed nothing. Is there free space in '{a}'?": "没有任何输出。请检查 '{a}' 中是否还有空间。",
    # pipelines and runs
    "no jobs and no runs yet. Start a job with %%pai_train NAME, a pipeline with %%pai_pipeline NAME --run": (
        "还没有作业和运行。请输入 %%pai_train NAME 启动作业，或 %%pai_pipeline NAME --run 启动流水线"
    ),
    (
        "the cell ends with a value of type {a}, which is no pipeline. End it with Pipeline(steps=[...]), or with its last steps."
    ): "单元格末尾的值是 {a} 类型，不是流水线。请以 Pipeline(steps=[...]) 或最后的步骤结尾。",
    "the cell makes several pipelines: {a}. End it with the one that is meant.": (
        "单元格创建了多个流水线：{a}。请以要用的那一个结尾。"
    ),
    "the cell makes no pipeline. End it with Pipeline(steps=[...]), or with its last steps.": (
        "单元格没有创建流水线。请以 Pipeline(steps=[...]) 或最后的步骤结尾。"
    ),
    "`--backend` is for runs on this machine, and `--remote` for PAI. Leave one out.": (
        "`--backend` 用于在本机运行，`--remote` 用于 PAI。请去掉其中一个。"
    ),
    (
        "`--backend {a}`: there is no such backend on this machine. Type --backend process, or --backend docker; --remote runs the "
        "pipeline at PAI."
    ): "`--backend {a}`：本机没有这个后端。请输入 --backend process 或 --backend docker；--remote 在 PAI 上运行流水线。",
    "`--parallel {a}` must be a whole number from 1.": "`--parallel {a}` 必须是不小于 1 的整数。",
    "No such file or directory": "没有这个文件或目录",
    "Is a directory": "它是目录",
    "Permission denied": "没有权限",
    (
        "`--remote` is for machines of PAI, and the steps name those of this one. Give them an ecs.* type, or leave --remote out."
    ): "`--remote` 用于 PAI 的机器，而步骤指定的是本机。请给出 ecs.* 类型，或去掉 --remote。",
    "{a} has more than {b} MB, which is no manifest.": "{a} 超过 {b} MB，不是清单。",
    "it is no text file": "它不是文本文件",
    (
        "{a} cannot be read: {b}. Give the YAML file of a manifest, or write a cell: %%pai_pipeline NAME"
    ): "无法读取 {a}：{b}。请给出清单的 YAML 文件，或编写单元格：%%pai_pipeline NAME",
    "`{a}` is for runs on this machine. Leave it out.": "`{a}` 用于在本机运行。请去掉它。",
    "`{a}` and `{b}` do not go together. Give one of them.": "`{a}` 和 `{b}` 不能一起使用。请只给出其中一个。",
    "`{a}` needs the id or the name of a run; %pai_runs shows them.": "`{a}` 需要运行的 ID 或名称；%pai_runs 会列出。",
    "`{a}` is for running again. Add --rerun": "`{a}` 用于重新运行。请加上 --rerun",
    "the record of run {a} is deleted. Its jobs stay.": "运行 {a} 的记录已删除。其作业保留。",
    "run {a} is being stopped.": "正在停止运行 {a}。",
    "run {a} has ended already.": "运行 {a} 已经结束。",
    "Delete the record of run {a}? [y/N] ": "删除运行 {a} 的记录？[y/N] ",
    # the wizard
    "name of the profile [{a}]: ": "配置名称 [{a}]：",
    "profile {a}": "配置 {a}",
    "saved as profile {a} in {b}, {c} a key. Now: %pai_config test": "已保存为配置 {a}（{b}），{c}密钥。接下来：%pai_config test",
    "with": "含",
    "without": "不含",
    "none yet": "尚无",
    "access key id [keys from {a}]: ": "AccessKey ID [密钥来自 {a}]：",
    "security token: ": "安全令牌：",
    "no access key was given. Nothing was written. To start again, type: %pai_config wizard": (
        "没有给出 AccessKey，没有写入任何内容。请重新输入 %pai_config wizard。"
    ),
    "(no list: {a})": "（无法列出：{a}）",
    "      ... and {a} more": "      ... 另有 {a} 个",
    "number or name": "编号或名称",
    "no {a} was given. Nothing was written. To start again, type: %pai_config wizard": (
        "没有给出 {a}，没有写入任何内容。请重新输入 %pai_config wizard。"
    ),
    "write the key into {a}, which only you can read? Otherwise only this kernel keeps it [y/N]: ": (
        "将密钥写入只有您能读取的 {a}？否则仅保留在本内核中 [y/N]："
    ),
    # words and sentences that others are put together with
    "created": "已创建",
    "packaging": "打包中",
    "submitting": "提交中",
    "queued": "排队中",
    "{a} (it is a pipe, a socket or a device)": "{a}（它是管道、套接字或设备）",
    "{a} (it is a pipe, a socket or a device), {b}": "{a}（它是管道、套接字或设备）、{b}",
    "{a} ({b} is a type of {c})": "{a}（{b} 是 {c} 的实例类型）",
}
