"""What backends of this machine, Docker and data for them say: directories, mounts, tables, processes."""

MACHINE = {
    # backends/docker/containers.py
    "looking for job {a}": "正在查找作业 {a}",
    "stopping job {a}": "正在停止作业 {a}",
    "removing a container of job {a}": "正在移除作业 {a} 的容器",
    "removing the network of job {a}": "正在移除作业 {a} 的网络",
    "looking at job {a}": "正在查看作业 {a}",
    # backends/docker/deployment.py
    "the directory of all outputs": "所有输出的目录",
    "that of output {a}": "输出 {a} 的目录",
    ("output {a} is to go to {b}, which is in {c}, {d}. Name a directory beside it: -o {e}=DIR"): (
        "输出 {a} 将写到 {b}，它位于 {c}（{d}）之中。请指定不在其中的目录：-o {e}=DIR"
    ),
    "backend 'docker' knows no job {a}.": "后端 'docker' 中没有作业 {a}。",
    "'{a}' cannot be read: {b}. It says which engine has the job.": "无法读取 '{a}'：{b}。其中记录了作业提交到哪个 Docker。",
    (
        "an output is to go to {a}, which is in {b}, where another job writes that has not ended. Wait for its end, "
        "or name a directory elsewhere: -o CHANNEL=DIR, or `output_path`."
    ): (
        "有输出将写到 {a}，它位于 {b} 之中，另一个未结束的作业正在那里写入。请等它结束，或指定其他目录：-o CHANNEL=DIR，或 `output_path`。"
    ),
    "the record of job {a} is damaged: state.json: {b}": "作业 {a} 的记录已损坏：state.json：{b}",
    # backends/docker/engine.py
    (
        "the engine at {a} is remote, but a job's log and data are bound from this machine's disk. Unset DOCKER_HOST "
        "(or choose a local one with `docker context use`), or use --backend process."
    ): (
        "{a} 的 Docker 在另一台机器上，但作业的日志和数据要从本机磁盘挂载。请取消设置 DOCKER_HOST（或用 `docker "
        "context use` 选择本机的 Docker），或使用 --backend process。"
    ),
    # backends/docker/faults.py
    "no such image": "没有此镜像",
    # backends/docker/following.py
    (
        "the disk that holds {a} is full; what the job prints meanwhile may be missing from its log, and what it "
        "writes from its outputs."
    ): ("{a} 所在的磁盘已满；在此期间，作业打印的内容可能不在日志中，写入的文件可能不在输出中。"),
    "every replica has ended": "所有副本都已结束",
    "the outputs are there, but {a}": "输出已保存，但 {a}",
    # backends/docker/ownership.py
    "some files of job {a} still belong to others: {b}": "作业 {a} 的部分文件仍属于其他用户：{b}",
    "taking over the files of job {a}": "正在接管作业 {a} 的文件",
    "asking for its settings": "正在读取其设置",
    "the key": "密钥",
    # backends/docker/queueing.py
    "asking what runs": "正在查询运行中的作业",
    "job {a} is being started right now. Try again in a moment.": "作业 {a} 正在启动。请稍后再试。",
    "it ended without a message": "已结束，没有给出原因",
    "the job cannot wait for its turn: {a}.": "作业无法排队：{a}。",
    # backends/docker/submission.py
    "job {a} was never started.": "作业 {a} 从未启动。",
    "making the job's network": "正在创建作业的网络",
    "making a container of image {a}": "正在用镜像 {a} 创建容器",
    "the submission of job {a} was cancelled.": "作业 {a} 的提交已取消。",
    "the containers of job {a} are still being removed.": "作业 {a} 的容器仍在移除中。",
    # backends/docker/watch.py
    "listening to the engine's events": "正在接收 Docker 的事件",
    # backends/local/cache.py
    (
        "{a} changes while it is downloaded. Try again when nobody writes there."
    ): "{a} 在下载期间发生了变化。请在没有人写入时重试。",
    (
        "{a} holds {b}, of which {c} must still be downloaded, but the disk that holds {d} has only {e} left. Make "
        "room there (what is in that directory may be deleted while no job runs), or set PAI_JUPYTER_HOME to a "
        "larger disk."
    ): (
        "{a} 共 {b}，还须下载 {c}，但 {d} 所在的磁盘只剩 {e}。请在那里释放空间（没有作业运行时，"
        "该目录中的内容可以删除），或将 PAI_JUPYTER_HOME 设为更大的磁盘。"
    ),
    (
        "the submission was interrupted while it waited for data that another one downloads."
    ): "在等待另一个作业下载数据时，提交被中断。",
    # backends/local/inputs.py
    "{a}, unchanged since they were brought from {b}.": "{a}，从 {b} 下载后没有变化。",
    "{a}, brought from {b} in {c} s.": "{a}，从 {b} 下载，用时 {c} 秒。",
    "the first {a} rows of {b} are in data.csv.": "data.csv 中有 {b} 的前 {a} 行。",
    "{a}, read with PyODPS.": "{a}，用 PyODPS 读取。",
    "bringing input {a} from {b}": "正在从 {b} 下载输入 {a}",
    (
        "note: input {a} is brought from {b} before the job starts, unless it is here already."
    ): "注意：输入 {a} 将在作业开始前从 {b} 下载，除非本机已有。",
    # backends/local/mounts.py
    (
        "option local.{a} is {b}; it maps addresses to directories: {c}"
    ): "选项 local.{a} 是 {b}；应为地址到目录的映射：{c}",
    (
        "input {a} is {b}, which PAI mounts and this machine does not. Mount it here, and say where: --mount-map "
        "{c}=/local/path"
    ): ("输入 {a} 是 {b}，PAI 会挂载它，本机不会。请在本机挂载，并指明位置：--mount-map {c}=/local/path"),
    (
        "input {a} is {b}; an address has no `..`. Name the directory itself."
    ): "输入 {a} 是 {b}；地址中不能有 `..`。请写目录本身。",
    "`--mount-map {a}=...`: only {b} can be mapped, e.g. {c}": "`--mount-map {a}=...`：只能映射 {b}，例如 {c}",
    "`--mount-map {a}=` has no directory behind it, e.g. {b}": "`--mount-map {a}=` 后面没有目录，例如 {b}",
    # backends/local/outputs.py
    "output {a} of job {b}": "作业 {b} 的输出 {a}",
    "cannot copy {a} of {b} to {c}: {d}.": "无法将 {b} 的 {a} 复制到 {c}：{d}。",
    "job {a} has no record of its outputs in {b}.": "{b} 中没有作业 {a} 的输出记录。",
    "output {a} of job {b} is gone: there is no {c}.": "作业 {b} 的输出 {a} 已不存在：没有 {c}。",
    "the directory {a}": "目录 {a}",
    ("the job has put something else in the place of a directory: {a}"): "作业把一个目录换成了其他内容：{a}",
    "it is a pipe, a socket or a device. Remove it there first": "它是管道、套接字或设备。请先将其删除",
    # backends/local/parallel.py
    "waiting for a free slot": "正在等待空闲的并行名额",
    # backends/local/passed.py
    (
        "`--pass-env {a}`: there is no such variable here. Set it first: import os, getpass; os.environ[{b}] = "
        "getpass.getpass()"
    ): ("`--pass-env {a}`：这里没有这个变量。请先设置：import os, getpass; os.environ[{b}] = getpass.getpass()"),
    ("`local.{a}` is {b}; it is a list of names of variables. Type --pass-env HF_TOKEN"): (
        "`local.{a}` 是 {b}；应为变量名的列表。请输入 --pass-env HF_TOKEN"
    ),
    # backends/local/record.py
    "no record of outputs in {a}": "{a} 中没有输出记录",
    # backends/local/remote.py
    ("data in OSS need the package 'oss2'. Type: %pip install 'pai_jupyter[oss]'"): (
        "OSS 中的数据需要包 'oss2'。请输入：%pip install 'pai_jupyter[oss]'"
    ),
    ("{a} is a directory, and an address of one ends with a slash: {b}"): "{a} 是目录，目录的地址以斜杠结尾：{b}",
    "{a} is a whole bucket. If that is meant, write {b}.": "{a} 是整个 Bucket。如果确实如此，请写 {b}。",
    # backends/local/rows.py
    ("there is no such project. Check the address, and the region."): "没有这个项目。请检查地址和地域。",
    "there is no such table. Check the address.": "没有这个表。请检查地址。",
    "the table has no such partition. Check the address.": "表中没有这个分区。请检查地址。",
    (
        "this access key may not read it. Ask the project's owner for the right."
    ): "此 AccessKey 没有读取权限。请向项目所有者申请。",
    (
        "MaxCompute does not accept this access key. Type: %pai_config test"
    ): "MaxCompute 不接受此 AccessKey。请输入：%pai_config test",
    "the access key's secret is wrong. Type: %pai_config test": "AccessKey Secret 不正确。请输入：%pai_config test",
    "MaxCompute cannot authenticate the request. Type: %pai_config test": "MaxCompute 无法识别访问者。请输入：%pai_config test",
    (
        "the clock of this machine is wrong. Set it: sudo timedatectl set-ntp true"
    ): "本机时间不正确。请校准：sudo timedatectl set-ntp true",
    "MaxCompute does not answer. Check the network.": "MaxCompute 没有响应。请检查网络。",
    "MaxCompute fails. Try again later.": "MaxCompute 出错。请稍后再试。",
    "MaxCompute refuses: {a} ({b})": "MaxCompute 拒绝请求：{a}（{b}）",
    (
        "MaxCompute does not answer. Check the network, and the region. ({a})"
    ): "MaxCompute 没有响应。请检查网络和地域。（{a}）",
    "reading {a}": "正在读取 {a}",
    # backends/local/source.py
    ("{a} is neither a directory, whose address ends with a slash, nor a .tar.gz. Give one of these."): (
        "{a} 既不是以斜杠结尾的目录地址，也不是 .tar.gz。请指定其中之一。"
    ),
    (
        "`source_dir` is {a}, which backend {b} cannot read yet. Fetch it first and give the directory: --source-dir "
        "DIR"
    ): ("`source_dir` 是 {a}，后端 {b} 还不能读取。请先下载，再给出目录：--source-dir DIR"),
    "`source_dir`: {a}": "`source_dir`：{a}",
    ("`source_dir` {a}: {b} If it is yours and meant to be so, allow it: --option package.allow_large=true"): (
        "`source_dir` {a}：{b}如果确实需要，请允许：--option package.allow_large=true"
    ),
    # backends/local/tables.py
    (
        "{a} is no table of MaxCompute. Write it as odps://PROJECT/tables/NAME, a partition as "
        "odps://PROJECT/tables/NAME/ds=20240101."
    ): (
        "{a} 不是 MaxCompute 的表。请写作 odps://PROJECT/tables/NAME，分区写作 odps://PROJECT/tables/NAME/ds=20240101。"
    ),
    ("`--odps-limit {a}` must be a whole number from 1, e.g. --odps-limit 1000"): (
        "`--odps-limit {a}` 必须是不小于 1 的整数，例如 --odps-limit 1000"
    ),
    (
        "the emulator has no MaxCompute, so there are no tables. Give the data as a file, or type: %pai_config use "
        "emulator --stop"
    ): ("模拟器没有 MaxCompute，因此没有表。请以文件给出数据，或输入：%pai_config use emulator --stop"),
    "the job's folder": "作业的文件夹",
    # backends/local/tree.py
    "output {a}": "输出 {a}",
    ("cannot use {a}: {b}. Check its permissions, or set PAI_JUPYTER_HOME to a directory that you may write."): (
        "无法使用 {a}：{b}。请检查其权限，或将 PAI_JUPYTER_HOME 设为您可写的目录。"
    ),
    ("the disk that holds {a} is full. Make room and run it again."): "{a} 所在的磁盘已满。请释放空间后重新运行。",
    # backends/process/isolation.py
    "{a} is not installed": "没有安装 {a}",
    "it does not work here ({a})": "在这里不可用（{a}）",
    "{a} is {b}; it is one of {c}.": "{a} 是 {b}；可以是 {c} 之一。",
    "{a} is {b}, but {c}. Set it to auto or plain.": "{a} 是 {b}，但 {c}。请设为 auto 或 plain。",
    "{a} does not run here ({b})": "{a} 无法在这里运行（{b}）",
    (
        "the output {a} is to go to {b}, but {c} holds files already. Jobs have no directory /ml of their own on this "
        "machine, so the two would be mixed. Give another `output_path`."
    ): (
        "输出 {a} 将写到 {b}，但 {c} 中已有文件。本机的作业没有自己的目录 /ml，两者会混在一起。请指定其他 `output_path`。"
    ),
    # backends/process/life.py
    (
        "the log in {a} cannot be written ({b}); the job waits until it can."
    ): "无法写入 {a} 中的日志（{b}）；作业将等到可以写入为止。",
    # backends/process/report.py
    "its supervisor was killed": "监控进程被终止",
    "processes of the job may still run: %pai_stop {a} ends them": "作业的进程可能仍在运行：用 %pai_stop {a} 结束它们",
    (
        "no process was started for job {a}. Type %pai_jobs to see the jobs."
    ): "没有为作业 {a} 启动进程。用 %pai_jobs 查看作业。",
    "killed by {a} (exit code {b}){c}": "被 {a} 终止（退出码 {b}）{c}",
    ", as the system does when memory runs out": "，系统在内存耗尽时会这样做",
    "replica {a}: {b}": "副本 {a}：{b}",
    (
        "run/exit.json, which said how it has ended, is damaged. The log may say more"
    ): "记录结束方式的 run/exit.json 已损坏。日志中可能有更多信息",
    (
        "{a} while it waited for a free slot, so nothing of it has run"
    ): "{a}，当时它正在等待空闲的并行名额，因此没有运行",
    "must be one of {a}": "必须是 {a} 之一",
    (
        "run/{a} is damaged: {b} The logs beside it may still be read."
    ): "run/{a} 已损坏：{b}同一文件夹中的日志可能仍可读取。",
    # backends/process/supervisor/member.py
    "cannot start {a}: {b}\n": "无法启动 {a}：{b}\n",
    # contract/command.py
    (
        "the command has ${a} inside quotes, a here-document or an assignment, where the value of {b} does not "
        "arrive as it is. Write ${c} without quotes, directly behind the program."
    ): ("命令中的 ${a} 在引号、here-document 或赋值之内，{b} 的值无法原样传入。请在程序名之后直接写 ${c}，不加引号。"),
    ('the command has ${a} without quotes, where a shell splits the value of {b}. Write "${c}" with quotes.'): (
        '命令中的 ${a} 没有引号，shell 会拆分 {b} 的值。请加引号写作 "${c}"。'
    ),
    # contract/environment.py
    "the variable {a}": "变量 {a}",
    # contract/pai_options.py
    "a mapping, e.g. {'team': 'vision'}": "映射，例如 {'team': 'vision'}",
    " (did you mean {a}?)": "（是否想写 {a}？）",
    ("the option pai.instance_spec is a share of a quota; name that too: pai.resource_id=QUOTA"): (
        "选项 pai.instance_spec 是资源配额的份额；请同时给出配额：pai.resource_id=QUOTA"
    ),
    "the option pai.{a} is {b}; it must be {c}.": "选项 pai.{a} 是 {b}；应为 {c}。",
    ("the option pai.{a} holds {b}, a secret. Options are recorded; let a role give it (RoleArn)."): (
        "选项 pai.{a} 含有密钥 {b}。选项会被记录；请改用角色（RoleArn）。"
    ),
    ("the option {a} is {b}; it must be a mapping with some of {c}."): "选项 {a} 是 {b}；应为含有 {c} 中若干项的映射。",
    "backend 'pai' has no option 'pai.{a}'{b}; it has {c}.": "后端 'pai' 没有选项 'pai.{a}'{b}；可用的有：{c}。",
    "the option {a} has no {b}{c}; it has {d}.": "选项 {a} 没有 {b}{c}；可用的有：{d}。",
    # backends/process/supervisor/shards.py, and what `pai_shards` tells it
    "pai_shards: {a} has the shards of {b}: give these sizes, or another directory with to=...": (
        "pai_shards：{a} 中是 {b} 的分片：请使用这些大小，或用 to=... 指定其他目录"
    ),
    "pai_shards: size={a}, shard_size={b}: they must be whole numbers of at least 0 and 1": (
        "pai_shards：size={a}, shard_size={b}：应分别为不小于 0 和不小于 1 的整数"
    ),
    "pai_shards: the sizes are refused; the logs say why": "pai_shards：大小不被接受；原因见日志",
    "its workers have ended, but not all shards are done: the last lines of each worker say how many were left": (
        "各 worker 都已结束，但并非所有分片都已完成：各 worker 日志的末尾写有剩余的分片数"
    ),
    "the sizes are refused; the logs say why": "分片大小不被接受；原因见日志",
    # contract/topology.py
    (
        "the data are not divided: each of the {a} workers runs the whole command over all of them. Divide them by "
        "`for shard in pai_shards.shards(size=..., shard_size=...)` in the script, or use one worker."
    ): (
        "数据没有切分：{a} 个 worker 都会对全部数据运行整个命令。请在脚本中用 "
        "`for shard in pai_shards.shards(size=..., shard_size=...)` 切分数据，或只用一个 worker。"
    ),
    # jobs/submission.py
    (
        "line {a}: what stands behind the loop over the shards may not run: the job ends when all of them are done. Put "
        "it into a cell of its own."
    ): "第 {a} 行：分片循环之后的代码可能不会运行：所有分片完成后作业就会结束。请将其放到单独的单元格中。",
    (
        "the values of --return may be missing: they are written behind the loop over the shards, and the job ends when all "
        "of them are done. Write what you need inside of the loop."
    ): "--return 的值可能缺失：它们在分片循环之后写入，而所有分片完成后作业就会结束。请在循环之内写出所需的内容。",
    (
        "on PAI each of the {a} workers does a fixed part of the shards, and none takes over from another one. Shards "
        "that are done already are skipped."
    ): "在 PAI 上，{a} 个 worker 各自处理固定的一部分分片，不会接手其他 worker 的分片。已完成的分片会跳过。",
    # contract/roles.py
    "the role AIMaster is left out: PAI runs its own, and jobs of this machine need none.": (
        "角色 AIMaster 不会启动：PAI 运行自己的 AIMaster，本机作业不需要它。"
    ),
    "TensorFlow takes one {a} at most, and the roles have {n}: its strategies refuse such a cluster.": (
        "TensorFlow 最多只能有一个 {a}，而各角色共有 {n} 个：其分布式策略会拒绝这样的集群。"
    ),
    "chief (master is its older name)": "chief（master 是其旧名）",
    (
        "`--role {a}` is not of the form NAME=COUNT or NAME=COUNT:TYPE, e.g. --role worker=2 or --role worker=2:ecs.c6.large"
    ): "`--role {a}` 应写作 NAME=COUNT 或 NAME=COUNT:TYPE，例如 --role worker=2 或 --role worker=2:ecs.c6.large",
    "`--role {a}`: the count must be a whole number from 1, e.g. --role {b}=2": (
        "`--role {a}`：数量须为不小于 1 的整数，例如 --role {b}=2"
    ),
    "`--role {a}`: {name} has no role {b}; it has {c}. Type e.g. --role worker={n}": (
        "`--role {a}`：{name} 没有角色 {b}；可用的有：{c}。请输入例如 --role worker={n}"
    ),
    "`--role {a}`: the role {b} is given twice. Type it once: --role {name}={n}": (
        "`--role {a}`：角色 {b} 给出了两次。请只写一次：--role {name}={n}"
    ),
    "{name} needs exactly one master, and {n} are asked for. Type --role master=1": (
        "{name} 需要且只需要一个 master，而要求了 {n} 个。请输入 --role master=1"
    ),
    "ElasticBatchJob needs workers: nothing of yours runs in an AIMaster. Type --role worker=2": (
        "ElasticBatchJob 需要 worker：AIMaster 中不运行您的代码。请输入 --role worker=2"
    ),
    "`--role {a}` needs a job type, one of {b}. Type e.g. --job-type {name}": (
        "`--role {a}` 需要作业类型，可以是 {b} 之一。请输入例如 --job-type {name}"
    ),
    "`--instance-count {a}` disagrees with the roles, which are {n} instances: {b}. Leave out `--instance-count`.": (
        "`--instance-count {a}` 与各角色的实例数不符，它们共有 {n} 个实例：{b}。请去掉 `--instance-count`。"
    ),
    # contract/values.py
    (
        "{a} holds a NUL character, which no program can be given. Remove it."
    ): "{a} 含有 NUL 字符，无法传给程序。请将其去掉。",
    ("{a} has {b} bytes; a program takes at most {c} in one piece. Put it into a file and pass that as an input."): (
        "{a} 有 {b} 字节；程序一次最多接受 {c}。请写入文件，并作为输入给出。"
    ),
    (
        "a hyperparameter has a value that cannot be written as text: {a}. Use a number, text, True or False, a list "
        "or a dict."
    ): ("有超参数的值无法写成文本：{a}。请使用数字、文本、True 或 False、列表或字典。"),
    (
        "{a} has an incomplete character ({b}), which is not UTF-8. Remove it."
    ): "{a} 含有不完整的字符（{b}），不是 UTF-8 文本。请将其去掉。",
    "{a} is no JSON value": "{a} 不是 JSON 值",
    "hyperparameter {a}": "超参数 {a}",
    # path_guard/names.py
    ("the path {a} is not inside an output. Give names with / between them, e.g. epoch-3/model.pt"): (
        "路径 {a} 不在输出之内。请用 / 分隔名称，例如 epoch-3/model.pt"
    ),
    "the path {a} has an incomplete character.": "路径 {a} 含有不完整的字符。",
    # path_guard/opening.py
    (
        "is no plain file (a pipe, a socket or a device), which cannot be shown."
    ): "不是普通文件（是管道、套接字或设备），无法显示。",
    "{a}, which holds {b},": "{b} 所在的 {a}",
    "is a directory. List it instead.": "是目录。请列出其内容。",
    "is a file, no directory. Open it instead.": "是文件，不是目录。请打开它。",
    "no file of {a} was named. Give its path.": "没有指明 {a} 的文件。请指定路径。",
    ("is a link to {a}, which is not followed. Open what it points to."): "是指向 {a} 的链接，不会跟随。请打开其目标。",
    "has just changed. Look again.": "刚刚发生了变化。请重新查看。",
    "{a} cannot be {b}: {c}.": "{a} 无法 {b}：{c}。",
    ("{a} in {b} is nested too deeply. Delete it in a terminal: rm -r"): "{b} 中的 {a} 嵌套过深。请在终端删除：rm -r",
    "there is no {a}, or no longer.": "没有 {a}，或已不存在。",
    # spec.py
    "letters, digits, _ and -": "字母、数字、_ 和 -",
    (
        "the job has no name. Type one after the magic: %%pai_train iris"
    ): "作业没有名称。请在魔法命令后写一个：%%pai_train iris",
    ("the name {a} has a slash, a control character or more than 100 characters. Use letters, digits, - and _."): (
        "名称 {a} 含有斜杠、控制字符或超过 100 个字符。请用字母、数字、- 和 _。"
    ),
    ("`command` is empty. Give one, e.g. --command 'python train.py $PAI_USER_ARGS'."): (
        "`command` 为空。请指定命令，例如 --command 'python train.py $PAI_USER_ARGS'。"
    ),
    "`job_type` is {a}; it is one of {b}.": "`job_type` 是 {a}；可以是 {b} 之一。",
    "instance_count of role {a}": "角色 {a} 的 instance_count",
    "`roles` has {a}, which is no `Role`. Give e.g. Role(name='worker', instance_count=2)": (
        "`roles` 中的 {a} 不是 `Role`。请指定，例如 Role(name='worker', instance_count=2)"
    ),
    "a role has the name {a}. Give e.g. Role(name='worker', instance_count=2)": (
        "有角色的名称是 {a}。请指定，例如 Role(name='worker', instance_count=2)"
    ),
    "`instance_count` is {a}; a job has at most {b} instances.": "`instance_count` 是 {a}；一个作业最多 {b} 个实例。",
    (
        "`max_run_time` is {a}; it is in seconds, a whole number from 1."
    ): "`max_run_time` 是 {a}；应为秒数，且为不小于 1 的整数。",
    "`max_run_time` is {a} seconds; it may be {b}, ten years.": "`max_run_time` 是 {a} 秒；最多 {b} 秒，即十年。",
    "`{a}` has the name {b}; use {c}, with no _ in front.": "`{a}` 中有名称 {b}；请用 {c}，且不以 _ 开头。",
    ("`{a}` has {b} and {c}, which become the same variable {d}. Rename one of them."): (
        "`{a}` 中的 {b} 和 {c} 会成为同一个变量 {d}。请重命名其中之一。"
    ),
    "`environments` has the name {a}; use letters, digits and _.": "`environments` 中有名称 {a}；请用字母、数字和 _。",
    "text with a NUL": "含有 NUL 的文本",
    "`environments` gives {a} {b}; the value must be text.": "`environments` 中 {a} 是 {b}；值必须是文本。",
    ("the regex of metric {a} is too long. Use a shorter one, of at most {b} characters."): (
        "指标 {a} 的正则表达式过长。请使用不超过 {b} 个字符的表达式。"
    ),
    ("the regex of metric {a} has no group for the value. E.g. --metric 'acc:val_acc=([0-9.]+)'"): (
        "指标 {a} 的正则表达式没有用于取值的分组。例如 --metric 'acc:val_acc=([0-9.]+)'"
    ),
    (
        "option {a} is not of the form BACKEND.KEY, e.g. docker.memory=4g"
    ): "选项 {a} 须写作 BACKEND.KEY，例如 docker.memory=4g",
    "is none of {a}": "不是 {a} 之一",
    (
        "`{a}` has {b}, a name that every job uses itself. Choose another."
    ): "`{a}` 中有 {b}，此名称由作业自身使用。请换一个。",
    (
        "`{a}` has no place for {b}. Give a path or a URI: {c}=./data"
    ): "`{a}` 没有给出 {b} 的路径。请指定路径或 URI：{c}=./data",
    ("the regex of metric {a} is wrong: {b}. E.g. --metric 'acc:val_acc=([0-9.]+)'"): (
        "指标 {a} 的正则表达式有误：{b}。例如 --metric 'acc:val_acc=([0-9.]+)'"
    ),
    # words and sentences that others are put together with
    "input {a}": "输入 {a}",
    "input {a}: {b}": "输入 {a}：{b}",
    "output {a}: {b}": "输出 {a}：{b}",
    "{a} is no plain file (a pipe, a socket or a device), which cannot be shown.": (
        "{a} 不是普通文件（是管道、套接字或设备），无法显示。"
    ),
    "{a} is a directory. List it instead.": "{a} 是目录。请列出其内容。",
    "{a} is a file, no directory. Open it instead.": "{a} 是文件，不是目录。请打开它。",
    "{a} is a link to {b}, which is not followed. Open what it points to.": (
        "{a} 是指向 {b} 的链接，不会跟随。请打开其目标。"
    ),
    "{a} has just changed. Look again.": "{a} 刚刚发生了变化。请重新查看。",
    "{a} cannot be deleted: {b}.": "无法删除 {a}：{b}。",
}
