"""What is in a job's way, or ended it: backends, inputs, images, keys, records; what people meet in their first hour."""

RUNNING = {
    # which backend
    "`--instance-type {a}` is this machine, not {b}. Leave out {c}, or give a type of {d}, e.g. --instance-type {e}.": (
        "`--instance-type {a}` 指本机，不是 {b}。请去掉 {c}，或指定 {d} 的实例类型，例如 --instance-type {e}。"
    ),
    "there is no backend {a}; there are {b}.": "没有后端 {a}；可用的有：{b}。",
    "backend {a} needs an instance type of {b}: --instance-type {c}": "后端 {a} 需要 {b} 的实例类型：--instance-type {c}",
    "no installed backend has the option {a}.": "已安装的后端都没有选项 {a}。",
    "backend {a} cannot be loaded: {b}. Update or remove its package.": "后端 {a} 无法加载：{b}。请更新或卸载它的包。",
    (
        "the backend {name} failed in {name2}: {a}. This is a fault of the package {name3}: update it, or tell its authors."
    ): "后端 {name} 在 {name2} 中出错：{a}。这是包 {name3} 的缺陷：请更新它，或告知其作者。",
    "the option {a} is {b}; it must be {c}.": "选项 {a} 是 {b}，应为：{c}。",
    "its check failed: {a}": "检查失败：{a}",
    "Update or remove its package.": "请更新或卸载它的包。",
    "backend {a} needs the package {b}. Type: %pip install {c}": ("后端 {a} 需要包 {b}。请输入：%pip install {c}"),
    "{a} has no {b}; it has {c}. Give one of these, or {d}.": "{a} 没有 {b}；它有：{c}。请指定其中之一，或 {d}。",
    "`instance_type` is {a} but backend {b} runs only 'local' or 'local_gpu'. Use --backend {c}, or {d}.": (
        "`instance_type` 是 {a}，但后端 {b} 只运行 'local' 或 'local_gpu'。请用 --backend {c}，或 {d}。"
    ),
    "backend {a} has no option '{b}.{c}'; it has {d}.": "后端 {a} 没有选项 '{b}.{c}'；可用的有：{d}。",
    "option {a}: there is no backend {b}; there are {c}.{d}": "选项 {a}：没有后端 {b}；可用的有：{c}。{d}",
    " Did you mean {a}?": " 是否想写 {a}？",
    "`{a}` is {b}; it must be a whole number from 1.": "`{a}` 是 {b}，应为不小于 1 的整数。",
    "`instance_type` is 'local_gpu', but this machine has no NVIDIA GPU. Use --instance-type local.": (
        "`instance_type` 是 'local_gpu'，但本机没有 NVIDIA GPU。请用 --instance-type local。"
    ),
    (
        "the workers of an XGBoostJob listen at one port (WORKER_PORT), so each needs an address of its own, and this system "
        "has 127.0.0.1 alone. Use --backend docker."
    ): (
        "XGBoostJob 的各个 worker 监听同一端口（WORKER_PORT），因此需要各自的地址，而本系统只有 127.0.0.1。"
        "请用 --backend docker。"
    ),
    (
        "note: each of the {a} replicas that ask for GPUs sees all GPUs of the job ({b}). "
        "Let the script choose its own, by RANK for example."
    ): "注意：申请 GPU 的 {a} 个副本都能看到作业的全部 GPU（{b} 个）。请让脚本自行选择，例如按 RANK。",
    "waiting for a GPU that another job of this machine has: number {a} in line": (
        "正在等待本机其他作业占用的 GPU：排在第 {a} 位"
    ),
    "`local.{a}` is {b}, and this machine has {c}. Type --option local.{d}={e}": (
        "`local.{a}` 为 {b}，而本机只有 {c} 个。请输入 --option local.{d}={e}"
    ),
    "`local.{a}` is {b}; it is a whole number from 1. Type --option local.{c}=1": (
        "`local.{a}` 为 {b}，它应是不小于 1 的整数。请输入 --option local.{c}=1"
    ),
    "note: the image {a} is not used by the process backend.": "注意：本地进程不使用镜像 {a}。",
    "the image {a} is not used by the process backend.": "本地进程不使用镜像 {a}。",
    (
        "Jobs go to the emulator, as %pai_config says. To run this one on this machine, type --backend process; "
        "to leave the emulator, type %pai_config use emulator --stop."
    ): (
        "按照 %pai_config 的设置，作业提交到模拟器。要在本机运行此作业，请写 --backend process；"
        "要停用模拟器，请输入 %pai_config use emulator --stop。"
    ),
    "the emulator at {a} is not running. Start it again, jobs included: %pai_config use emulator": (
        "模拟器 {a} 未运行。请重新启动（其作业也会恢复）：%pai_config use emulator"
    ),
    "job {a} ran at the emulator, which is not running here. Type %pai_config use emulator, and rerun it.": (
        "作业 {a} 曾在模拟器上运行，而模拟器当前未运行。请输入 %pai_config use emulator，然后重新运行。"
    ),
    (
        "the package of job {a} was changed after that job was started, so the code is not the same: {b}. For the code that "
        "the job had, run its cell again: %pai_attach {c} --source"
    ): (
        "作业 {a} 的代码包在该作业启动后被更改，代码已不相同：{b}。要用原来的代码，请重新运行其单元格：%pai_attach {c} --source"
    ),
    "there is no {a}. Give a script that is there, e.g. {b}": "没有 {a}。请指定存在的脚本，例如 {b}",
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
    "not passed on, since they may be secrets: {a}. What the job needs, give it with --pass-env {b}": (
        "以下变量可能是敏感信息，没有传给作业：{a}。作业需要的变量，请用 --pass-env {b} 传入"
    ),
    # Docker
    "backend 'docker' needs an image: --image python:3.11-slim, or use --backend process.": (
        "后端 'docker' 需要镜像：--image python:3.11-slim，或使用 --backend process。"
    ),
    "note: image {a} is not on this machine yet; it is pulled first.": "注意：本机还没有镜像 {a}；将先拉取。",
    "image {a} is not on this machine yet; it is pulled first.": "本机还没有镜像 {a}；将先拉取。",
    "option docker.cpus is {a}; it is a number of cores, e.g. docker.cpus=1.5": (
        "选项 docker.cpus 是 {a}；应为核数，例如 docker.cpus=1.5"
    ),
    "option docker.{a} is {b}; it is a number with a unit, e.g. docker.{c}=4g": (
        "选项 docker.{a} 是 {b}；应为带单位的数字，例如 docker.{c}=4g"
    ),
    "pulling image {a}": "正在拉取镜像 {a}",
    "looking for image {a}": "正在查找镜像 {a}",
    "starting image {a}": "正在启动镜像 {a}",
    "asking at {a}": "正在访问 {a}",
    "connecting to {a}": "正在连接 {a}",
    "image {a} is not on this machine and cannot be pulled: {b}": "本机没有镜像 {a}，且无法拉取：{b}",
    "image {a} is not there, though it was pulled. Try `docker pull {b}`.": (
        "镜像 {a} 拉取后仍不存在。请尝试 `docker pull {b}`。"
    ),
    "no Docker engine answers ({a}). Start it (`sudo systemctl start docker`, or Docker Desktop), or use --backend process.": (
        "Docker 没有响应（{a}）。请启动它（`sudo systemctl start docker` 或 Docker Desktop），或使用 --backend process。"
    ),
    (
        "you may not use the Docker engine ({a}). Add yourself to its group: `sudo usermod -aG docker $USER`, and log in again; "
        "or use --backend process."
    ): "您没有使用 Docker 的权限（{a}）。请加入其用户组：`sudo usermod -aG docker $USER`，并重新登录；或使用 --backend process。",
    "backend 'docker' needs the package {a}. Type: %pip install 'pai_jupyter[docker]'": (
        "后端 'docker' 需要包 {a}。请输入：%pip install 'pai_jupyter[docker]'"
    ),
    "the Docker engine cannot be used ({a}): {b}": "无法使用 Docker（{a}）：{b}",
    "the Docker engine refuses ({a}): {b}": "Docker 拒绝请求（{a}）：{b}",
    "the Docker engine finds no such thing ({a}): {b}": "Docker 中没有此对象（{a}）：{b}",
    "the Docker engine sent an answer that cannot be understood ({a}): {b}": "无法理解 Docker 的响应（{a}）：{b}",
    "the engine's disk is full ({a}). Make room, e.g. with `docker system prune`, and run it again.": (
        "Docker 的磁盘已满（{a}）。请释放空间，例如运行 `docker system prune`，然后重新运行作业。"
    ),
    "the engine has no GPU to give. Install the NVIDIA Container Toolkit, or use --instance-type local.": (
        "Docker 没有可用的 GPU。请安装 NVIDIA Container Toolkit，或使用 --instance-type local。"
    ),
    "the image has no `sh`, which runs the command of every job. Use another image: --image NAME.": (
        "镜像中没有运行作业命令的 `sh`。请使用其他镜像：--image NAME。"
    ),
    "the image is made for another processor than this machine's. Use another image: --image NAME.": (
        "镜像与本机的处理器架构不符。请使用其他镜像：--image NAME。"
    ),
    "the image's name is invalid ({a}). It looks like this: --image python:3.11-slim": (
        "镜像名称无效（{a}）。应类似：--image python:3.11-slim"
    ),
    "the registry refuses you ({a}). Check the name, or log in first: `docker login`.": (
        "镜像仓库拒绝访问（{a}）。请检查名称，或先登录：`docker login`。"
    ),
    "the registry has no such image ({a}). Check its name and tag.": "镜像仓库中没有此镜像（{a}）。请检查名称和标签。",
    "the engine has no such image ({a}).": "Docker 中没有此镜像（{a}）。",
    "the registry cannot be reached ({a}). Check the network, or bring the image here with `docker load`.": (
        "无法访问镜像仓库（{a}）。请检查网络，或用 `docker load` 导入镜像。"
    ),
    "the engine refuses a limit ({a}). Check --option docker.memory and docker.cpus against this machine.": (
        "Docker 拒绝该限制（{a}）。请对照本机检查 --option docker.memory 和 docker.cpus。"
    ),
    (
        "the engine does not see {a}: it lives on another machine or in a container of its own. Use an engine of this "
        "machine, or --backend process."
    ): "Docker 看不到 {a}：它在另一台机器或容器中。请使用本机的 Docker，或 --backend process。",
    (
        "the engine may not see the job's folder. Share it in Docker Desktop (Settings, Resources, File sharing), or set "
        "PAI_JUPYTER_HOME to a shared directory."
    ): (
        "Docker 没有访问作业文件夹的权限。请在 Docker Desktop 中共享它（Settings, Resources, File sharing），"
        "或将 PAI_JUPYTER_HOME 设为已共享的目录。"
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
    "Check the access key secret: it is not the one of this access key id.": (
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
}
