"""What is said while jobs are submitted, followed and removed, and metrics read."""

FOLLOWING = {
    # errors.py
    "job {a} failed: {b}": "作业 {a} 失败：{b}",
    # events/definitions.py
    (
        "Metric {a} is not read from the log any more: {b}. Use fewer repetitions inside repetitions, e.g. --metric "
        "'acc:val_acc=([0-9.]+)'."
    ): ("不再从日志读取指标 {a}：{b}。请减少嵌套的重复，例如 --metric 'acc:val_acc=([0-9.]+)'。"),
    "its pattern takes too long on the lines of this job": "其正则表达式在此作业的日志行上耗时过长",
    "its pattern is too large": "其正则表达式过大",
    # events/state.py
    "must be a list of five numbers": "必须是五个数字的列表",
    # events/types.py
    "is not finite": "不是有限数",
    # events/waiting.py
    "waiting for a free slot: number {a} in line ({b} = {c})": "正在等待空闲的并行名额：排在第 {a} 位（{b} = {c}）",
    # jobs/drafts.py
    "Only the first {a} values are shown, compared and searched; the job gets all {b}.": (
        "只显示、比较和搜索前 {a} 个参数；作业会得到全部 {b} 个。"
    ),
    # store/writer.py
    "Only the first {a} metrics of a job are kept; others are left out, the first of them `{b}`.": (
        "一个作业只保留前 {a} 个指标；其余的不保留，其中第一个是 `{b}`。"
    ),
    # jobs/import_remote.py
    (
        "there is no job {a}, neither here nor among the newest ones that were recorded elsewhere."
    ): "没有作业 {a}：这里没有，在别处记录的最新作业中也没有。",
    # jobs/job_index/index.py
    ("the list of jobs is no longer updated because of an error in pai_jupyter; see the log of the server."): (
        "由于 pai_jupyter 的故障，作业列表不再更新；详情见服务器日志。"
    ),
    # jobs/job_index/remote_jobs.py
    ("Jobs of {a} that were recorded elsewhere cannot be listed: {b}"): "无法列出 {a} 中在别处记录的作业：{b}",
    "it has not answered within {a} seconds.": "它在 {a} 秒内没有响应。",
    # jobs/follower.py
    "backend {a} did not say how job {b} has ended.": "后端 {a} 没有说明作业 {b} 如何结束。",
    "job {a} cannot be followed: {b}": "无法跟踪作业 {a}：{b}",
    ("job {a} was removed: its folder is gone. If it runs still, end it: %pai_stop {b}"): (
        "作业 {a} 已被删除：其文件夹已不存在。如果作业仍在运行，请停止它：%pai_stop {b}"
    ),
    # jobs/job.py
    "output parameter": "输出参数",
    "asked for its outputs": "读取输出",
    "output 'output_parameters' of job {a}": "作业 {a} 的输出 'output_parameters'",
    # jobs/pending.py
    (
        "it is not known yet whether the job was started: its submission ended before the answer of its service was "
        "recorded. The service is asked again until it answers; meanwhile nothing is submitted twice. To see the status, "
        "type: %pai_attach {job_id}"
    ): (
        "不知道作业是否已启动：提交结束时还没有记录到服务的响应。会持续查询服务直到确定，期间不会重复提交。"
        "要查看状态，请输入：%pai_attach {job_id}"
    ),
    " The job is stopped as soon as it is found.": "找到作业后会立即停止它。",
    "its submission was interrupted before it had started": "提交在作业启动前被中断",
    ("its submission did not reach the service, so it was never started"): "提交没有到达服务，因此作业从未启动",
    ", or type: %pai_rerun {a}": "，或输入：%pai_rerun {a}",
    "{a}. Run the cell again{b}": "{a}。请重新运行单元格{b}",
    (
        "job {a} cannot be {b} yet: it is not known whether it was started. Try again when that is known; to see the "
        "status, type: %pai_attach {c}"
    ): ("作业 {a} 还不能 {b}：不知道它是否已启动。请在确定后再试；要查看状态，请输入：%pai_attach {c}"),
    "job {a} was started, and could not be stopped again: {b}": "作业 {a} 已启动，但无法再停止：{b}",
    # jobs/present.py
    "job {a} ({b}) runs on: {c}": "作业 {a}（{b}）运行于：{c}",
    "job {a} ({b}) ran on: {c}": "作业 {a}（{b}）曾运行于：{c}",
    # jobs/wait_lines.py
    "job {a} is queued: {b}": "作业 {a} 正在排队：{b}",
    "job {a} is queued.": "作业 {a} 正在排队。",
    "job {a} is running.": "作业 {a} 正在运行。",
    "job {a} cannot be reached: {b}": "无法连接作业 {a}：{b}",
    # jobs/removal.py
    (
        "job {a} has not ended, so it cannot be deleted. Stop it first: %pai_stop {b}"
    ): "作业 {a} 尚未结束，不能删除。请先停止它：%pai_stop {b}",
    (
        "job {a} cannot be deleted yet: run {b} needs it and has not ended. Stop the run first: %pai_runs --stop {c}"
    ): "暂时不能删除作业 {a}：运行 {b} 需要它，且尚未结束。请先停止该运行：%pai_runs --stop {c}",
    (
        "job {a} has ended, and its last lines are being recorded. Try again in a moment."
    ): "作业 {a} 已结束，最后的日志正在记录。请稍后再试。",
    # jobs/step_outputs.py
    (
        "{a} has more than {b} KiB; an output parameter is a small text. Write larger results into an output artifact."
    ): "{a} 超过 {b} KiB；输出参数应是一小段文本。较大的结果请写入输出 Artifact。",
    "{a} is not UTF-8 text, as an output parameter must be.": "{a} 不是 UTF-8 文本，而输出参数必须是。",
    (
        "{a} in {b} is a link, which is not followed. Write a directory there."
    ): "{b} 中的 {a} 是一个链接，不会跟随它。请在那里写入目录。",
    (
        "outputs of a job on this machine can be copied to oss:// only, and {a} is elsewhere."
    ): "本机作业的输出只能复制到 oss://，而 {a} 不在那里。",
    (
        "{a} needs a session with OSS. Type %pai_config wizard, or %pai_config use emulator."
    ): "{a} 需要能访问 OSS 的会话。请输入 %pai_config wizard，或 %pai_config use emulator。",
    "the outputs of job {a}": "作业 {a} 的输出",
    # jobs/rerun.py
    (
        "job {a} had the value of {b} in other places than that variable (its command, a value, a path), and it is "
        "not recorded because it may be a secret. Run its cell again."
    ): (
        "除变量 {b} 之外，作业 {a} 的其他地方（命令、值或路径）也有它的值；该值可能是敏感信息，因此没有记录。请重新运行其单元格。"
    ),
    (
        "job {a} was given the variable {b}, whose value is not recorded because it may be a secret. Set it in this "
        "process first, e.g. os.environ[{c}] = getpass.getpass()."
    ): (
        "作业 {a} 使用了变量 {b}，其值可能是敏感信息，因此没有记录。请先在此进程中设置，例如 os.environ[{c}] = getpass.getpass()。"
    ),
    # jobs/runtime.py
    (
        "this call waits for the thread 'pai-jupyter', and it was made on that very thread, so it would never "
        "return. Use `await job` there, or make the call on another thread."
    ): (
        "此调用在线程 'pai-jupyter' 上等待该线程自身，因此永远不会返回。请在那里使用 `await job`，或在其他线程中调用。"
    ),
    # jobs/submission.py
    (
        "`source_dir` lies at {a} and is used there as it is, so {b} cannot be added to it. Put it there and run "
        "what is there (%pai_train, with one %), or give a directory of this machine: --source-dir ./src"
    ): (
        "`source_dir` 位于 {a}，会原样使用，无法加入 {b}。请把它放到那里并运行已有的代码（%pai_train，一个 %），"
        "或给出本机的目录：--source-dir ./src"
    ),
    # jobs/trouble.py
    (
        "its service takes the key no more. Give a new one (%pai_config wizard, or setup_default_session as before), "
        "and the job, which goes on, is followed again by itself."
    ): (
        "服务不再接受此密钥。请提供新的密钥（%pai_config wizard，或像之前一样用 setup_default_session）；作业继续运行，之后会自动恢复跟踪。"
    ),
    (
        "the wait for job {a} has ended, because the job could not be {b} for {c}: {d} The job was not stopped. "
        "To wait for it again: %pai_attach {e}. To stop it: %pai_stop {f}"
    ): (
        "不再等待作业 {a}：{c} 内一直无法 {b}：{d}作业没有被停止。要继续等待：%pai_attach {e}。要停止作业：%pai_stop {f}"
    ),
    "its preparation failed": "准备失败",
    # tfevents
    "'{a}' has more than {b} files; not all were looked at for scalars.": "'{a}' 中的文件超过 {b} 个；没有在全部文件中查找标量。",
    "'{a}' has more than {b} event files; the first found are shown.": "'{a}' 中的事件文件超过 {b} 个；只显示最先找到的。",
    "The event file {a} is damaged at byte {b}; what lies before that is shown.": (
        "事件文件 {a} 在第 {b} 字节处损坏；显示其之前的内容。"
    ),
    "The event file {a} has more than {b} tags; the first of them are shown.": (
        "事件文件 {a} 的标签超过 {b} 个；只显示前面的。"
    ),
    "the event file '{a}' is gone. Look again: its job may have replaced it.": (
        "事件文件 '{a}' 已不存在。请重新查看：作业可能已替换它。"
    ),
    "cannot read the event file '{a}': {b}. Check its permissions.": "无法读取事件文件 '{a}'：{b}。请检查其权限。",
    "'{a}' is no file, so it holds no scalars. Name an event file.": "'{a}' 不是文件，不含标量。请指定事件文件。",
    # typed_json: what is wrong with a record
    "is nested more than {a} deep": "嵌套超过 {a} 层",
    "text of {a} characters": "{a} 个字符的文本",
    "is {a}; it must be text of at most {b} characters": "是 {a}；应为最多 {b} 个字符的文本",
    "has control characters": "含有控制字符",
    "has incomplete characters": "含有不完整的字符",
    "is {a}; it must be a whole number from {b} to {c}": "是 {a}；应为 {b} 到 {c} 的整数",
    "is {a}; it must be a time in seconds since 1970": "是 {a}；应为自 1970 年起的秒数",
    "is {a}; it must be a number": "是 {a}；应为数字",
    "it is {a}; it must be an object.": "它是 {a}；应为对象。",
    "it has {a} entries; there may be {b}.": "它有 {a} 项；最多 {b} 项。",
    "is {a}; it must be an object": "是 {a}；应为对象",
    "has {a} entries; there may be {b}": "有 {a} 项；最多 {b} 项",
    "must be true or false": "必须是 true 或 false",
    "has {a} items": "有 {a} 项",
    "{a}; it must be a list of at most {b}": "{a}；应为最多 {b} 项的列表",
    "is missing": "缺失",
    "an object": "对象",
    "{a} of a track is {b}": "轨迹的 {a} 是 {b}",
    # a rerun by a form
    "`--form` needs a notebook. Change values with -p, e.g. -p lr=0.01": "`--form` 需要笔记本。请用 -p 更改值，例如 -p lr=0.01",
    "job {a} was made of a job file, so there is no form for it. Change the file, and submit it again.": (
        "作业 {a} 由作业文件创建，没有表单。请修改该文件，然后重新提交。"
    ),
    # words and sentences that others are put together with
    "deleted": "删除",
    "rerun": "重新运行",
    "reached": "访问",
    "recorded": "写入记录",
    "{n} min": "{n} 分钟",
}
