"""What is in a job's way, or ended it: inputs, keys, records; what people meet in their first hour."""

RUNNING = {
    # inputs and code
    "input {a}: there is no {b}. Give a file or directory that exists: -i {c}=PATH": (
        "输入 {a}：没有 {b}。请指定存在的文件或目录：-i {c}=PATH"
    ),
    "input {a}: {b} cannot be read ({c}).": "输入 {a}：无法读取 {b}（{c}）。",
    "input {a}: {b} is a pipe or a device. Give a file.": "输入 {a}：{b} 是管道或设备。请指定文件。",
    "`{a}` has {b}, which jobs on this machine cannot reach yet. Copy the data to this machine and give a local path.": (
        "`{a}` 是 {b}，本机的作业还不能访问。请把数据复制到本机，并给出本地路径。"
    ),
    (
        "input {a}: {b} is a link to {c} in a directory that a job writes, so it is not followed out of there. "
        "Name what it points to: -i {d}=PATH"
    ): "输入 {a}：{b} 是指向 {c} 的链接，位于作业写入的目录中，因此不跟随。请指定其目标：-i {d}=PATH",
    (
        "output {a}: {b} is a link to {c} in a directory that a job writes, so it is not followed out of there. "
        "Name another directory."
    ): "输出 {a}：{b} 是指向 {c} 的链接，位于作业写入的目录中，因此不跟随。请指定其他目录。",
    "output {a} cannot go to '{b}': {c}. Name another directory: -o {d}=DIR": (
        "输出 {a} 无法写到 '{b}'：{c}。请指定其他目录：-o {d}=DIR"
    ),
    "output {a} cannot go to {b}: {c}.": "输出 {a} 无法写到 {b}：{c}。",
    "output {a} is to go to {b}, but {c}. Name another directory: -o {d}=DIR": (
        "输出 {a} 将写到 {b}，但 {c}。请指定其他目录：-o {d}=DIR"
    ),
    "cannot write to '{a}': {b}. Name another directory.": "无法写入 '{a}'：{b}。请指定其他目录。",
    "the disk that holds '{a}' is full. Free some space there, or name another directory.": (
        "'{a}' 所在的磁盘已满。请释放空间，或指定其他目录。"
    ),
    "{a} was copied to '{b}', but for: {c}.": "{a} 已复制到 '{b}'，以下除外：{c}。",
    "1 file beside the channels: {a}, in Files below workdir.": "通道之外有 1 个文件：{a}，见“文件”中的 workdir。",
    "{n} files beside the channels: {a}{b}, in Files below workdir.": "通道之外有 {n} 个文件：{a}{b}，见“文件”中的 workdir。",
    (
        "{a} wrote files into its working directory that could not be saved and are lost: {b}. Up to 1 GiB is saved, "
        "only files with names in UTF-8, no pipes and no links to elsewhere. Write files into a channel, e.g. "
        'os.environ["PAI_OUTPUT_MODEL"].'
    ): (
        "{a} 写入工作目录的文件无法保存，已丢失：{b}。最多保存 1 GiB，只保存名称为 UTF-8 的文件，不保存管道和指向别处的链接。"
        '请把文件写入通道，例如 os.environ["PAI_OUTPUT_MODEL"]。'
    ),
    (
        "{a} wrote files into /ml/output beside its channels that could not be saved and are lost: {b}. Only "
        "files with names in UTF-8 are saved, no pipes and no links to elsewhere. Write files into a channel, "
        'e.g. os.environ["PAI_OUTPUT_MODEL"].'
    ): (
        "{a} 写入 /ml/output 中各通道之外的内容无法保存，已丢失：{b}。只保存名称为 UTF-8 的文件，不保存管道和指向别处的链接。"
        '请把文件写入通道，例如 os.environ["PAI_OUTPUT_MODEL"]。'
    ),
    "you may not write to {a}": "您没有 {a} 的写权限",
    "{a} is a file": "{a} 是文件",
    "`source_dir` {a} is not a directory. Give the directory of your code, e.g. ./src": (
        "`source_dir` {a} 不是目录。请指定代码所在的目录，例如 ./src"
    ),
    "the script {a} must be in {b}, named from there, e.g. train.py": "脚本 {a} 必须在 {b} 中，并写成相对于该目录的路径，例如 train.py",
    "there is no {a} in {b}. Name the script with --entry-point.": "{b} 中没有 {a}。请用 --entry-point 给出脚本名称。",
    "{a} in {b} is no text in UTF-8, or in what its coding line says. Save it as UTF-8.": (
        "{b} 中的 {a} 不是 UTF-8 文本，也与其编码声明不符。请存为 UTF-8。"
    ),
    "{a} cannot be written into {b}, whose coding line says {c}. Save it as UTF-8, and remove the coding line.": (
        "{a} 无法写入 {b}，其编码声明为 {c}。请存为 UTF-8，并去掉编码声明。"
    ),
    "the value given for {a} is not used: every job gets its own, as the training contract says.": (
        "没有使用给 {a} 的值：按照训练约定，每个作业都有自己的值。"
    ),
    "`{a}` must be a dict of names and values, e.g. {'lr': 0.1}, and is {b}.": (
        "`{a}` 必须是名称和值的字典，例如 {'lr': 0.1}，现在是 {b}。"
    ),
    "{a} in {b} cannot be read: {c}": "无法读取 {b} 中的 {a}：{c}",
    "This code reads {a}: --compat {b} gives it.": "代码读取 {a}：--compat {b} 可提供该变量。",
    "This code reads {a}: --compat {b} gives them.": "代码读取 {a}：--compat {b} 可提供这些变量。",
    "This code reads {a}, which is set here: --pass-env {b} gives it to the job.": (
        "代码读取 {a}，该变量在此已设置：--pass-env {b} 可将其传给作业。"
    ),
    "`--compat {a}` is not a service that is known here. Use {b}.": "`--compat {a}` 不是已知的服务。请使用 {b} 之一。",
    "`compat` is {a}; it is one of {b}.": "`compat` 是 {a}；可以是 {b} 之一。",
    "not passed on: {a}, since they may be secrets. What the job needs, give it with --pass-env {b}": (
        "以下变量可能是敏感信息，没有传给作业：{a}。作业需要的变量，请用 --pass-env {b} 传入"
    ),
    (
        "`{a}` holds one of the secrets loaded in this session, which would be kept in records. Take it out; what a job needs "
        "of it, give as a variable with a secret's name, which is masked there: --env {b}=..."
    ): (
        "`{a}` 包含本会话中的敏感信息，它会被保存在记录中。请将其去掉；作业需要的敏感信息，请用名称像敏感信息的变量传入，"
        "其值在记录中会被掩盖：--env {b}=..."
    ),
    "`{a}` holds one of the secrets loaded in this session, and it would be kept for others to read. Leave it out.": (
        "`{a}` 包含本会话中的敏感信息，它会被保存下来，其他人可以读到。请将其去掉。"
    ),
    # how a job ended
    "exit code {a}": "退出码 {a}",
    "exit code {a}: {b}": "退出码 {a}：{b}",
    "out of memory (limit {a}). Raise it with --option docker.memory=..., or use less": (
        "内存不足（限制 {a}）。请用 --option docker.memory=... 提高限制，或减少使用"
    ),
    "out of memory (no limit is set, the machine itself has no more)": "内存不足（没有设置限制，机器本身的内存已用完）",
    "the command, or a program that it calls, is not in image {a}": "镜像 {a} 中没有该命令，或它调用的程序",
    "image {a} has no `python`. {b}": "镜像 {a} 中没有 `python`。{b}",
    "Use an image that has it (--image NAME)": "请使用包含它的镜像（--image NAME）",
    "image {a} has no `pip` to install the requirements. {b}, or run with --requirements none": (
        "镜像 {a} 中没有 `pip`，无法安装依赖。{b}，或用 --requirements none 运行"
    ),
    "installing the requirements failed; the end of the log has pip's reason": "安装依赖失败；原因见日志末尾的 pip 输出",
    "its container was removed by somebody else, and its exit code with it": "容器已被他人移除，退出码也随之丢失",
    "the machine was restarted while it ran": "运行期间机器重启了",
    "the engine did not start its container: {a}": "Docker 没有启动容器：{a}",
    "the command is there but cannot be executed": "命令存在，但无法执行",
    "terminated (SIGTERM) from outside, e.g. by `docker stop` or because the engine went down": (
        "被外部终止（SIGTERM），例如执行了 `docker stop`，或 Docker 停止运行"
    ),
    "killed (SIGKILL): by `docker kill`, by the engine, or because the machine had no memory left": (
        "被终止（SIGKILL）：可能由 `docker kill` 或 Docker 终止，或机器内存耗尽"
    ),
    "it ran longer than max_run_time ({a} s)": "运行时间超过 max_run_time（{a} 秒）",
    "; the disk that holds {a} is full": "；{a} 所在的磁盘已满",
    "{a}; the disk that holds {b} is full": "{a}；{b} 所在的磁盘已满",
    "run/supervisor.json of job {a} is gone or damaged, so it cannot be followed; its process lives.": (
        "作业 {a} 的 run/supervisor.json 已不存在或已损坏，无法跟踪；其进程仍在运行。"
    ),
    "killed by {a}": "被 {a} 终止",
    "requirements.txt could not be installed: {a}": "无法安装 requirements.txt：{a}",
    "this Python has neither pip nor uv. Type: python -m ensurepip": "此 Python 没有 pip 和 uv。请输入：python -m ensurepip",
    "waiting for another job that installs the same requirements": "正在等待另一个作业安装相同的依赖",
    "cannot start a process on this machine: {a}.": "无法在本机启动进程：{a}。",
    "the job's supervisor did not start: {a}.": "作业的监控进程没有启动：{a}。",
    # jobs that are there, or not
    (
        "no job whose record can be read is called {name}, and the record of job {name2} cannot be read, so its name is not "
        "known: {a} Give the id instead; %pai_jobs shows it."
    ): "记录可读的作业中没有名为 {name} 的，而作业 {name2} 的记录无法读取，因此不知道其名称：{a} 请改用 ID，可用 %pai_jobs 查看。",
    "there is no job {a}. Type %pai_jobs to see them.": "没有作业 {a}。用 %pai_jobs 查看全部。",
    "{a} is the beginning of several jobs: {b}{c}. Type more of the id.": "{a} 是多个作业 ID 的开头：{b}{c}。请再多输入几位。",
    "there is no state {a}; there are {b}.": "没有状态 {a}；可用的有：{b}。",
    "job {a} has no output {b}; it has {c}.": "作业 {a} 没有输出 {b}；可用的有：{c}。",
    "job {a} has no replica {b}; it has {c}.": "作业 {a} 没有副本 {b}；可用的有：{c}。",
    "job {a} has no {b} {c}; it has {d}.": "作业 {a} 没有 {b} {c}；可用的有：{d}。",
    "there is no {a} {b} yet: {c}": "还没有 {a} {b}：{c}",
    "job {a} is still {b}. Type job.wait() first: it returns at the end of the job.": (
        "作业 {a} 的状态仍是 {b}。请先输入 job.wait()：它在作业结束时返回。"
    ),
    "output {a} is empty yet: {b}": "输出 {a} 还是空的：{b}",
    "job {a} has no outputs: it was never started. Run its cell again.": "作业 {a} 没有输出：它从未启动。请重新运行其单元格。",
    "job {a} was stopped": "作业 {a} 已停止",
    "job {a} has not ended within {b} seconds": "作业 {a} 在 {b} 秒内没有结束",
    (
        "Detached: job {a} was not stopped; whether it goes on is not known, as it cannot be reached: {b} To look again: "
        "%pai_attach {c}"
    ): "已停止等待，没有停止作业 {a}；无法连接它，因此不知道它是否继续运行：{b} 要再次查看：%pai_attach {c}",
    "{a} has succeeded. Still running: {b}. To end the job: %pai_stop {c}": (
        "{a} 已成功，仍在运行：{b}。要结束作业：%pai_stop {c}"
    ),
    "Detached: job {a} goes on. To stop it: %pai_stop {b}": "已停止等待，作业 {a} 继续运行。要停止作业：%pai_stop {b}",
    "job {a} is still being submitted. Interrupt that, or try again in a moment.": (
        "作业 {a} 仍在提交中。请中断提交，或稍后再试。"
    ),
    "the package of job {a} is gone. Run its cell again: %pai_attach {b} --source": (
        "作业 {a} 的代码包已不存在。请重新运行其单元格：%pai_attach {b} --source"
    ),
    "job {a} is not submitted yet, so it has no TensorBoard. Try again when it runs.": (
        "作业 {a} 尚未提交，没有 TensorBoard。请在其运行后再试。"
    ),
    "the event files of job {a} are in {b}, which no TensorBoard can show.": (
        "作业 {a} 的事件文件在 {b} 中，TensorBoard 无法显示。"
    ),
    "job {a} was removed; its processes were stopped.": "作业 {a} 的记录已删除；其进程已停止。",
    "there is no job {a}, and no process of one runs here. Type %pai_jobs to see the jobs.": (
        "没有作业 {a}，也没有它的进程在运行。用 %pai_jobs 查看作业。"
    ),
    "It is tried again and again; the job itself goes on.": "会不断重试；作业本身继续运行。",
    "{a} It is tried again and again; the job itself goes on.": "{a}会不断重试；作业本身继续运行。",
    "{a} The job itself goes on.": "{a}作业本身继续运行。",
    "the disk that holds {a} is full; the job waits until there is room.": "{a} 所在的磁盘已满；作业会等到有空间为止。",
    "there is room on the disk again; the job goes on.": "磁盘已有空间；作业继续运行。",
    "job {a} goes on, but nobody follows it here. Type: %pai_attach {b}": (
        "作业 {a} 继续运行，但此处没有跟踪它。请输入：%pai_attach {b}"
    ),
    # settings and the cloud
    "there is no setting {a}; there are {b}.{c}": "没有设置 {a}；可用的有：{b}。{c}",
    " For Chinese set the environment variable PAI_JUPYTER_LANG=zh.": " 要使用中文，请设置环境变量 PAI_JUPYTER_LANG=zh。",
    "{a}there is no setting {b}; there are {c}.{d}": "{a}没有设置 {b}；可用的有：{c}。{d}",
    "{a}there is no backend {b}; there are {c}.": "{a}没有后端 {b}；可用的有：{c}。",
    "{a}`{b}` is {c}, which is not valid; e.g. {d}={e}": "{a}`{b}` 的值 {c} 无效；例如：{d}={e}",
    "{a}`{b}` is {c}; it must be {d}, e.g. {e}={f}": "{a}`{b}` 是 {c}，应为：{d}，例如 {e}={f}",
    "the number of jobs that run at once, a whole number from 1 to 9999 (empty: as many as there are cores)": (
        "同时运行的作业数，1 到 9999 的整数（留空：与核数相同）"
    ),
    (
        "{a}a secret does not belong here: notebooks and projects are shared. Put it into a profile of your own (then: "
        "%pai_config use PROFILE), into an environment variable, or ask for it with getpass."
    ): (
        "{a}敏感信息不应放在这里：笔记本和项目会被共享。请放入您自己的配置（然后运行 %pai_config use PROFILE）或环境变量，或用 "
        "getpass 在运行时输入。"
    ),
    "{a}: there is no profile {b} in {c}; there are: {d}. Add a table [profiles.{e}] there.": (
        "{a}：{c} 中没有配置 {b}；可用的有：{d}。请在其中添加表 [profiles.{e}]。"
    ),
    "no workspace is set. Type: %pai_config set workspace=ID, or %pai_config wizard": (
        "没有设置工作空间。请输入：%pai_config set workspace=ID，或 %pai_config wizard"
    ),
    "no OSS bucket is set, and the workspace has no default storage. Type: %pai_config set bucket=NAME, or %pai_config wizard": (
        "没有设置 OSS Bucket，工作空间也没有默认存储。请输入：%pai_config set bucket=NAME，或 %pai_config wizard"
    ),
    "{a} is no region. Type e.g.: %pai_config set region=cn-shanghai": (
        "{a} 不是地域。请输入，例如：%pai_config set region=cn-shanghai"
    ),
    "Invalid endpoint; expected http://… or https://…, e.g. https://pai.example.com.": (
        "服务地址无效；应为 http://… 或 https://…，例如 https://pai.example.com。"
    ),
    "Invalid proxy or certificate setting: check HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE ({a}).": (
        "代理或证书设置无效：请检查 HTTPS_PROXY、ALL_PROXY 和 SSL_CERT_FILE（{a}）。"
    ),
    "the emulator's key is not in '{a}'. Type: %pai_config use emulator": (
        "'{a}' 中没有模拟器的密钥。请输入：%pai_config use emulator"
    ),
    "there is no Alibaba Cloud access key. {a}Set {b}ACCESS_KEY_ID and {c}ACCESS_KEY_SECRET before Jupyter starts, or type in a terminal: aliyun configure": (  # noqa: E501  one sentence
        "没有阿里云 AccessKey。{a}请在启动 Jupyter 前设置 {b}ACCESS_KEY_ID 和 {c}ACCESS_KEY_SECRET，或在终端输入：aliyun configure"
    ),
    "backend 'pai' needs an image, e.g. --image pytorch:latest-gpu. Type %pai_images to see what there is.": (
        "后端 'pai' 需要镜像，例如 --image pytorch:latest-gpu。用 %pai_images 查看可用镜像。"
    ),
    (
        "PAI needs an instance type; {a} is this machine. Give one, e.g. {b}, or a quota: --option pai.resource_id=QUOTA."
    ): ("PAI 需要实例类型；{a} 指本机。请指定实例类型，例如 {b}，或资源配额：--option pai.resource_id=QUOTA。"),
    "note: this is a rehearsal: the job runs at the emulator on this machine, {a}.": (
        "注意：这是模拟运行：作业在本机的模拟器 {a} 上运行。"
    ),
    (
        "note: this is a rehearsal: the job runs at the emulator on this machine, {a}, in this machine's Python: the image "
        "is neither checked nor used."
    ): "注意：这是模拟运行：作业在本机的模拟器 {a} 上以本机的 Python 运行：既不检查也不使用镜像。",
    (
        "this is a rehearsal: the job runs at the emulator on this machine, {a}, in this machine's Python: the image is "
        "neither checked nor used."
    ): "这是模拟运行：作业在本机的模拟器 {a} 上以本机的 Python 运行：既不检查也不使用镜像。",
    "this is a rehearsal: the job runs at the emulator on this machine, {a}.": "这是模拟运行：作业在本机的模拟器 {a} 上运行。",
    "{a} has no image of {b} for {c}; there are {d}.": "{a} 没有适用于 {c} 的 {b} 镜像；可用的有：{d}。",
    "{a} has no {b} {c} for {d}; there are {e}.": "{a} 没有适用于 {d} 的 {b} {c}；可用的有：{e}。",
    "{a} has no {b} image for {c}, but for {d}.": "{a} 没有适用于 {c} 的 {b} 镜像，只有适用于 {d} 的。",
    "Check the access key id: it is unknown or switched off there.": "请检查 AccessKey ID：它不存在或已停用。",
    "Check the access key secret, which is not the one of this access key id.": (
        "请检查 AccessKey Secret：它与此 AccessKey ID 不匹配。"
    ),
    "{a}. Check the access key id: it is unknown or switched off there.": "{a}。请检查 AccessKey ID：它不存在或已停用。",
    "there is nothing at {a}. Check the address, upper and lower case included: %pai_oss ls {b}": (
        "{a} 中没有内容。请检查地址（区分大小写）：%pai_oss ls {b}"
    ),
    "there is nothing at {a}. Check the address, upper and lower case included.": "{a} 中没有内容。请检查地址（区分大小写）。",
    "there is no file or directory {a} to upload. Check the path.": "没有要上传的文件或目录 {a}。请检查路径。",
    "TensorBoard is not installed here. Type: %pip install tensorboard": "没有安装 TensorBoard。请输入：%pip install tensorboard",
    "TensorBoard ended at once: {a}": "TensorBoard 启动后立即结束：{a}",
    "a TensorBoard needs at least one job or directory. Type: %pai_tensorboard JOB": (
        "TensorBoard 至少需要一个作业或目录。请输入：%pai_tensorboard JOB"
    ),
    # what a job was started from
    "git is not installed here": "本机没有安装 git",
    "git took longer than {a} s": "git 用时超过 {a} 秒",
    "git cannot be started: {a}": "无法启动 git：{a}",
    "git could not be asked": "无法运行 git",
    "it failed": "失败",
    "it was not waited for": "没有等待其结果",
    "its directory is gone": "其目录已不存在",
    "{a} belongs to another user, and git does not read it": "{a} 属于其他用户，git 不读取它",
    "the repository configures a filter with `=` in its name": "仓库配置了名称中有 `=` 的过滤器",
    "there is no commit yet": "还没有提交",
    "nothing was recorded with job {a}": "作业 {a} 没有相关记录",
    "no uncommitted changes were recorded with job {a}.": "作业 {a} 没有记录未提交的更改。",
}
