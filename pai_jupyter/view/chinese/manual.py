"""What `%pai_jobs?` and the other magics say of themselves and of their options (`magics.manual`).

Apart from the sentences: a job may be called "code" or "options", and is called so in 中文 too.
"""

MANUAL = {
    # headings
    "options": "选项",
    "positional arguments": "参数",
    "what to do": "做什么",
    "where": "在哪里运行",
    "data and values": "数据和参数",
    "code": "代码",
    # options of backends
    "options of backends, for --option": "各后端的选项，用于 --option",
    "memory of each container; the job fails beyond it": "每个容器的内存；超出则作业失败",
    "cores of each container, e.g. 1.5": "每个容器的 CPU 核数，例如 1.5",
    "size of /dev/shm, which data loaders share": "共享内存 /dev/shm 的大小，由数据加载器共用",
    "the workspace, in place of the configured one": "工作空间，代替已配置的",
    "a text that the console shows": "控制台显示的说明",
    "labels of the job": "作业的标签",
    "a quota to run in, in place of the public pool": "用于运行的资源配额，代替公共资源",
    "the share of the quota: CPU, GPU, GPUType, Memory, SharedMemory": "占用配额的份额：CPU、GPU、GPUType、Memory、SharedMemory",
    "preemptible machines and their highest price": "抢占式机器及其最高价格",
    "run on preemptible machines": "在抢占式机器上运行",
    "nodes of the quota to use or to avoid": "使用或避开配额中的哪些节点",
    "the VPC that the job can reach": "作业可访问的 VPC",
    "the experiment that the job belongs to": "作业所属的实验",
    "1 to 9, among the jobs of the quota": "1 到 9，在配额的作业之间",
    "the RAM role of the job": "作业的 RAM 角色",
    "keys of a role that the job finds in its environment": "作业在环境中得到的角色密钥",
    "further settings of the service, e.g. Tags": "服务的其他设置，例如 Tags",
    "patterns of the log that tell the progress": "日志中表示进度的模式",
    "declarations of hyperparameters, as the service takes them": "超参数的声明，按服务的格式",
    "what machines the job accepts": "作业接受哪些机器",
    "per input channel: VersionName, Options, RoleArn": "按输入通道：VersionName、Options、RoleArn",
    "per output channel: VersionName, RoleArn": "按输出通道：VersionName、RoleArn",
    # first lines
    "List the jobs of this user, newest first, or those that a search finds, as the filter box of the panel does.": (
        "列出此用户的作业，最新的在前；或者列出搜索到的作业，搜索方式与面板的筛选框相同。"
    ),
    "Words that all must fit, e.g. iris state:failed lr=0.3. Fields: state, name, notebook, backend, metric, id; "
    'state:active are jobs that have not ended; quotes keep blanks: notebook:"my file.ipynb".': (
        "须全部匹配的词，例如 iris state:failed lr=0.3。字段：state、name、notebook、backend、metric、id；"
        'state:active 表示尚未结束的作业；含空格的内容加引号：notebook:"my file.ipynb"。'
    ),
    "by this column (default: created, newest first)": "按此列排序（默认：created，最新的在前）",
    "Show a job here, and follow it; all its lines are there, whoever started it.": (
        "在此处显示并跟踪一个作业；无论由谁启动，都能看到全部日志。"
    ),
    "Print the log of a job.": "打印作业的日志。",
    "Stop jobs; says first exactly which, and asks.": "停止作业；先确切说明是哪些，并询问。",
    "Run a job again with the same code, and other values where they are given.": (
        "用相同的代码重新运行作业，可给出不同的参数值。"
    ),
    "Copy an output of a job into a directory.": "将作业的输出复制到一个目录。",
    "Open one TensorBoard over jobs and directories, and show its link; an app for what lies in OSS.": (
        "为作业和目录打开一个 TensorBoard，并显示其链接；OSS 中的内容使用 TensorBoard 应用。"
    ),
    "List the official images, by framework, the newest first.": "按框架列出官方镜像，最新的在前。",
    "List the machines that jobs can have, the smallest first.": "列出作业可用的机器，最小的在前。",
    "Show or change the values that apply in this notebook; secrets never stand on this line.": (
        "查看或更改此笔记本使用的设置；密钥不写在这一行。"
    ),
    "Say what this machine has and lacks, with remedies.": "检查本机具备和缺少的内容，并给出解决办法。",
    "List, copy, remove and print objects in OSS.": "列出、复制、删除和打印 OSS 中的对象。",
    "Run this cell as a training job.": "将此单元格作为训练作业运行。",
    (
        "The cell becomes `train.py`, line for line. Its hyperparameters are read from argparse calls, annotated "
        "assignments, `# hp:` comments and a dict `hp = {...}`; inputs and outputs come by the variables PAI_INPUT_<NAME> "
        "and PAI_OUTPUT_<NAME>. In a notebook a form is shown first; `--run` submits at once. Without a front end "
        "(`jupyter execute`, papermill, CI) the job runs at once, the cell waits, and a failed job raises."
    ): (
        "单元格逐行成为 `train.py`。超参数取自 argparse 调用、带类型注解的赋值、`# hp:` 注释和字典 `hp = {...}`；"
        "输入和输出由变量 PAI_INPUT_<NAME> 和 PAI_OUTPUT_<NAME> 给出。在笔记本中先显示表单；`--run` 立即提交。"
        "没有前端时（`jupyter execute`、papermill、CI）作业立即运行，单元格等待其结束，作业失败则抛出异常。"
    ),
    "Examples::": "示例::",
    # options
    "a job and one of its outputs (default: model)": "作业及其一个输出（默认：model）",
    "another value for a hyperparameter": "超参数的其他值",
    "as JSON, for programs": "以 JSON 输出，供程序使用",
    "at least so many GPUs": "至少这么多 GPU",
    "at least so many cores": "至少这么多核",
    "at least so much memory": "至少这么多内存",
    "at most so many (default: 20)": "最多这么多（默认：20）",
    "do not ask": "不询问",
    "go on until the job ends; interrupting detaches": "持续到作业结束；中断即分离",
    "id, unique prefix of an id, or name": "ID、ID 的唯一开头或名称",
    "ids, unique prefixes, or names": "ID、ID 的唯一开头或名称，可多个",
    "into a file instead of the output": "写入文件，不显示在输出中",
    "jobs (id, prefix, name), directories here or in OSS; for --stop, also ids of boards and apps": (
        "作业（ID、开头或名称），本机或 OSS 中的目录；--stop 也可用面板和应用的 ID"
    ),
    "list the boards here, and the apps where a session is set up": "列出本机的面板，设置了会话时也列出应用",
    "list, copy to or from OSS, remove, print": "列出、与 OSS 复制、删除、打印",
    "ls: all below; rm: a whole directory; cp always does": "ls：所有下级；rm：整个目录；cp 总是如此",
    "one replica, e.g. worker-0": "一个副本，例如 worker-0",
    "only lines that match": "只要匹配的行",
    "only the last N lines": "只要最后 N 行",
    "only those for CPUs": "只要用于 CPU 的",
    "only those for GPUs": "只要用于 GPU 的",
    "only those in this state: queued, running, succeeded, failed, stopped": (
        "只要此状态的：queued、running、succeeded、failed、stopped"
    ),
    "only those of this framework, e.g. PyTorch": "只要此框架的，例如 PyTorch",
    "only those that are not sold out": "只要尚未售罄的",
    "only those with GPUs": "只要带 GPU 的",
    "put the original cell below instead": "改为在下方放入原来的单元格",
    "rm: remove it, without a question": "rm：直接删除，不询问",
    "show the job as a widget, over the kernel instead of the server": "以 widget 显示作业，经由内核而不是服务器",
    "show, set NAME=VALUE..., use PROFILE, use emulator, test, wizard": (
        "show、set NAME=VALUE...、use PROFILE、use emulator、test、wizard"
    ),
    "stop the board of these, or every board here when none is named": "停止这些的面板；没有给出时停止本机所有面板",
    "store the Job under this name": "将 Job 保存为此名称的变量",
    "store the Job under this name (default: _pai)": "将 Job 保存为此名称的变量（默认：_pai）",
    "the directory to put it in (default: here)": "放入的目录（默认：当前目录）",
    "use emulator: end it, and go back to what applied before": "use emulator：结束它，恢复之前的设置",
    "use emulator: what runs its jobs": "use emulator：用什么运行其作业",
    "what they are made for (default: training)": "用途（默认：training）",
    "what to set or use": "要设置或使用的内容",
    "where; a directory ends with a slash": "位置；目录以斜杠结尾",
    "name of the job; leave it out to generate one": "作业名称；不写则自动生成",
    "submit now, without the form": "立即提交，不显示表单",
    "show the form first (the default in a notebook)": "先显示表单（笔记本中的默认方式）",
    "check and pack, show what would be run, start nothing": "检查并打包，显示将运行的内容，不启动",
    "only check the cell": "只检查单元格",
    "return at the end of the job (the default without a front end)": "作业结束时返回（没有前端时的默认方式）",
    "end the wait when the job cannot be reached for so long (default: 10m)": (
        "作业这么久无法访问时停止等待（默认：10m）"
    ),
    "return at once (the default in a notebook)": "立即返回（笔记本中的默认方式）",
    "start a second job although the same one is running": "即使相同的作业正在运行，也再启动一个",
    "show nothing but errors": "只显示错误",
    "process, docker, ...; automatic when left out": "process、docker 等；不写则自动选择",
    "the image of the container": "容器镜像",
    "local, local_gpu, or a type of PAI": "local、local_gpu 或 PAI 的类型",
    "number of replicas": "副本数量",
    "end the job after this time: 90s, 30m, 2h": "超过此时长则结束作业：90s、30m、2h",
    "e.g. docker.memory=4g": "例如 docker.memory=4g",
    "an input channel, e.g. train=./data": "输入通道，例如 train=./data",
    "where an output channel goes": "输出通道的位置",
    "a hyperparameter": "超参数",
    "hyperparameters from a JSON file; -p goes over it": "取自 JSON 文件的超参数；-p 优先",
    "where a nas:// or cpfs:// input is mounted here": "nas:// 或 cpfs:// 输入在本机的挂载位置",
    "for local jobs: also the first N rows of odps:// inputs, as data.csv": (
        "用于本机作业：odps:// 输入的前 N 行，另存为 data.csv"
    ),
    "a metric of the log: 'acc:val_acc=([0-9.]+)'": "日志中的指标：'acc:val_acc=([0-9.]+)'",
    "a directory that is packed too, or oss://BUCKET/DIR/, or a .tar.gz there": (
        "一起打包的目录，或 oss://BUCKET/DIR/，或其中的 .tar.gz"
    ),
    "the script's name in the package (default: train.py)": "代码包中脚本的名称（默认：train.py）",
    "a file or directory that is packed too": "一起打包的文件或目录",
    "auto: %%pip lines and requirements.txt (default)": "auto：%%pip 行和 requirements.txt（默认）",
    "an environment variable of the job": "作业的环境变量",
    "a variable of the kernel that a local job gets; never recorded": "传给本机作业的内核变量；不会被记录",
    "the command (default: python train.py $PAI_USER_ARGS)": "命令（默认：python train.py $PAI_USER_ARGS）",
}
