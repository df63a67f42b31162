"""What `%pai_jobs?` and the other magics say of themselves and of their options (`magics.manual`).

Apart from the sentences: a job may be called "code" or "options", and is called so in 中文 too.
"""

MANUAL = {
    # %pai_stack
    "Print what the Python processes of a running job do right now, the innermost call last.": (
        "打印运行中作业的 Python 进程此刻在做什么，最内层的调用在最后。"
    ),
    "Lines of the job's script are told as lines of the cell. The job must run on this machine. Its processes are looked at with "
    "py-spy from outside, and are not changed.": (
        "作业脚本的行显示为单元格的行。作业必须在本机运行。其进程由 py-spy 从外部查看，不会被改变。"
    ),
    "record so many seconds, and draw them as a flame graph": "记录这么多秒，并绘制为火焰图",
    "write to a file instead: .json, or with --seconds also .svg": "写入文件：.json，加上 --seconds 时也可以是 .svg",
    # %%pai_component
    "Make a custom component of this cell: code, image, channels and parameters under a name and a version.": (
        "由此单元格创建自定义组件：代码、镜像、通道和参数，带有名称和版本。"
    ),
    "The cell is completed as by %%pai_train, and its hyperparameters become parameters. Without --save, --register or --run the "
    "component is checked and shown. %pai_component alone lists components; with the name or the file of a saved one, the name of "
    "a registered one or --source-dir it does the same for these.": (
        "单元格的补全方式与 %%pai_train 相同，其超参数成为组件的参数。不加 --save、--register 或 --run 时，只检查并显示组件。"
        "单独的 %pai_component 列出组件；给出已保存组件的名称或文件、已注册组件的名称或 --source-dir 时，对它们执行同样的操作。"
    ),
    "Check, submit or simulate a job file of OpenPAI (*.pai.json, *.pai.yaml); list and choose clusters.": (
        "检查、提交或模拟 OpenPAI 的作业文件（*.pai.json、*.pai.yaml）；列出和选择集群。"
    ),
    "a job file; with `cluster`: add NAME HOST USER, list, use NAME, check [NAME], delete NAME": (
        "作业文件；使用 `cluster` 时：add NAME HOST USER、list、use NAME、check [NAME]、delete NAME"
    ),
    "the cluster, in place of the chosen one": "集群，代替已选择的",
    "the virtual cluster": "虚拟集群",
    "CPUs of each task": "每个任务的 CPU 数",
    "memory of each task, in MB": "每个任务的内存，单位 MB",
    "GPUs of each task": "每个任务的 GPU 数",
    "a storage of the cluster, where outputs go": "保存输出的集群存储",
    "where this machine has that storage mounted": "该存储在本机的挂载位置",
    "a job file, as an object, in place of a command": "作业文件（对象），代替命令",
    "files that go with the job, e.g. **/*.py": "随作业一起的文件，例如 **/*.py",
    "simulate: a local image for others": "模拟：用本地镜像代替其他镜像",
    "cluster add: log in by a token of the portal, or an application token": (
        "cluster add：使用门户的令牌或应用令牌登录"
    ),
    "cluster add: keep the password in a file that only you can read": "cluster add：将密码保存在只有您能读取的文件中",
    "the component": "组件",
    "name of the component, or the file of a saved one": "组件的名称，或已保存组件的文件",
    "save it to a YAML file (default: among your components)": "保存为 YAML 文件（默认保存到您的组件中）",
    "register it in the workspace of PAI": "注册到 PAI 的工作空间",
    "run it as a job": "作为作业运行",
    "delete the version, without --version all of them": "删除该版本；不加 --version 则删除全部版本",
    "take the registered one, though one of this name is saved": "使用已注册的组件，即使有同名的已保存组件",
    "take a saved component although code or image has changed": "即使代码或镜像已改变，也使用已保存的组件",
    "its version (default: the next)": "组件的版本（默认：下一个版本）",
    "what the component does": "组件的描述",
    "what is new in this version": "版本的描述",
    "TFJob, PyTorchJob, XGBoostJob, ElasticBatchJob": "TFJob、PyTorchJob、XGBoostJob、ElasticBatchJob",
    "TFJob, PyTorchJob, XGBoostJob, ElasticBatchJob, TaskRoles": "TFJob、PyTorchJob、XGBoostJob、ElasticBatchJob、TaskRoles",
    "the command (default: the script with all parameters and channels)": "执行命令（默认：脚本，带所有参数和通道）",
    "the machines that it needs (default: any)": "所需的机器类型（默认：任意）",
    "it does not run on several machines": "不支持多机运行",
    "it uses several GPUs of a machine": "使用一台机器的多张 GPU 卡",
    "an input channel; URI is for --run": "输入通道；URI 用于 --run",
    "an output channel; URI is for --run": "输出通道；URI 用于 --run",
    "a value of a parameter, for --run": "参数的值，用于 --run",
    "where all outputs go, for --run": "所有输出的位置，用于 --run",
    "a directory, oss://BUCKET/DIR/, or the address of a Git repository": "目录、oss://BUCKET/DIR/ 或 Git 仓库的地址",
    "the branch of the repository": "仓库的分支",
    "the commit of the repository": "仓库的 commit",
    # headings
    "options": "选项",
    "positional arguments": "位置参数",
    "what to do": "做什么",
    "where": "在哪里运行",
    "data and values": "数据和超参数",
    "code": "代码",
    "variables of the notebook that the cell gets: X_train,y_train": "单元格要得到的笔记本变量：X_train,y_train",
    "variables of the cell for job.returned(): model,history": "供 job.returned() 读取的单元格变量：model,history",
    # options of backends
    "options of backends, for --option": "各后端的选项，用于 --option",
    "memory of each container; the job fails beyond it": "每个容器的内存上限；超出则作业失败",
    "cores of each container, e.g. 1.5": "每个容器的 CPU 核数，例如 1.5",
    "size of /dev/shm, which data loaders share": "共享内存（/dev/shm）的大小，由 DataLoader 共用",
    "true: start in the working directory of the image, not in that of the code": "true：从镜像自身的工作目录启动，而不是代码目录",
    "true: a job file's name stays as it is": "true：作业文件中的名称保持不变",
    "host: the containers have the network of this machine, and reach what listens at 127.0.0.1": (
        "host：容器使用本机的网络，可以访问在 127.0.0.1 上监听的服务"
    ),
    "the workspace, in place of the configured one": "工作空间，代替已设置的",
    "a text that the console shows": "控制台显示的说明",
    "labels of the job": "作业的标签",
    "a quota to run in, in place of the public pool": "用于运行的资源配额，代替公共资源",
    "the share of the quota: CPU, GPU, GPUType, Memory, SharedMemory": "在资源配额中所占的份额：CPU、GPU、GPUType、Memory、SharedMemory",
    "preemptible machines and their highest price": "抢占式实例及其最高价格",
    "run on preemptible machines": "使用抢占式实例运行",
    "nodes of the quota to use or to avoid": "使用或避开资源配额中的哪些节点",
    "the VPC that the job can reach": "作业可访问的 VPC",
    "the experiment that the job belongs to": "作业所属的实验",
    "1 to 9, among the jobs of the quota": "1 到 9，在同一资源配额的作业之间排序",
    "the RAM role of the job": "作业的 RAM 角色",
    "keys of a role that the job finds in its environment": "作业在环境中得到的角色密钥",
    "further settings of the service, e.g. Tags": "服务的其他设置，例如 Tags",
    "patterns of the log that tell the progress": "从日志中提取进度的表达式",
    "declarations of hyperparameters, as the service takes them": "超参数的声明，按服务的格式",
    "what machines the job accepts": "作业接受哪些机器",
    "the registered component that runs, by AlgorithmName and AlgorithmVersion": (
        "要运行的已注册组件，以 AlgorithmName 和 AlgorithmVersion 指定"
    ),
    "per input channel: VersionName, Options, RoleArn": "各输入通道的 VersionName、Options、RoleArn",
    "per output channel: VersionName, RoleArn": "各输出通道的 VersionName、RoleArn",
    # first lines
    "List the jobs of this user, newest first, or those that a search finds, as the filter box of the panel does.": (
        "列出此用户的作业，最新的在前；或者列出搜索到的作业，搜索方式与面板的筛选框相同。"
    ),
    "Words that all must fit, e.g. iris state:failed lr=0.3 tag:best. Fields: state, name, tag, star, note, notebook, backend, "
    "metric, id, run; state:active are jobs that have not ended, star:yes those with a star; quotes keep blanks: "
    'notebook:"my file.ipynb". '
    "Compare values and metrics: lr<0.1 accuracy>=0.9 opt!=adam max(accuracy)>0.9; also duration>60 (seconds) and cost<10.": (
        "须全部匹配的词，例如 iris state:failed lr=0.3 tag:best。字段：state、name、tag、star、note、notebook、backend、metric、id、run；"
        'state:active 表示尚未结束的作业，star:yes 表示加了星标的作业；含空格的内容加引号：notebook:"my file.ipynb"。'
        "比较值和指标：lr<0.1 accuracy>=0.9 opt!=adam max(accuracy)>0.9；也可比较 duration>60（秒）和 cost<10。"
    ),
    "Give jobs tags, a star, another name or a note; without any of these, show what they have.": (
        "给作业加标签、星标、另一个名称或备注；不加这些时，显示作业已有的。"
    ),
    "Lists show and search them: `%pai_jobs tag:best star:yes note:overfits`. They are kept beside the job's record, which "
    "never changes.": (
        "列表会显示并可搜索这些内容：`%pai_jobs tag:best star:yes note:overfits`。它们保存在作业记录旁，记录本身从不改变。"
    ),
    "jobs: ids, unique prefixes, or names; then tags that all of them get": (
        "作业：ID、ID 的唯一前缀或名称；其后是所有这些作业要加的标签"
    ),
    "a tag, where a job has that name too; may be repeated": "标签，用于与作业同名时；可重复",
    "take this tag away; may be repeated": "移除此标签；可重复",
    "give them a star": "加星标",
    "take their star away": "移除星标",
    'show the job by this name, by which it is found as well; --name "" takes it back': (
        '以此名称显示作业，也可用它查找；--name "" 恢复原名'
    ),
    'a note, in the place of the one that is there; --note "" removes it': '备注，替换已有的备注；--note "" 移除',
    "a tag of the job, by which lists find it": "作业的标签，可在列表中据此查找",
    "by this column (default: created, newest first)": "按此列排序（默认：created，最新的在前）",
    "Show a job here and follow it, whoever started it; its log is complete.": (
        "在此处显示并跟踪一个作业；无论由谁启动，都能看到全部日志。"
    ),
    "Print the log of a job.": "打印作业的日志。",
    "Secrets in it are masked: those that this session knows, and what has the form of one. `job.logs()` gives it as it is.": (
        "其中的敏感信息会被掩盖：本会话已知的，以及形式像敏感信息的。`job.logs()` 给出原样的日志。"
    ),
    "Stop jobs, after listing them and asking for confirmation.": "停止作业；先列出具体是哪些作业，再请您确认。",
    "show a form with the job's values first": "先显示填有该作业各项值的表单",
    "Run a job again with the same code; -p changes hyperparameters, --form also where it runs and its inputs.": (
        "用相同的代码重新运行作业，可给出不同的参数值。"
    ),
    "Copy an output of a job into a directory.": "将作业的输出复制到一个目录。",
    "Open one TensorBoard for jobs and directories and show its link; for files in OSS, a TensorBoard app.": (
        "打开一个 TensorBoard，显示所选作业和目录，并给出链接；OSS 中的内容使用 TensorBoard 应用。"
    ),
    "List the official images, by framework, the newest first.": "按框架列出官方镜像，最新的在前。",
    "List the instance types for jobs, the smallest first.": "列出作业可用的实例类型，规格小的在前。",
    "Show or change the settings of this notebook; secrets never go on this line.": (
        "查看或更改此笔记本使用的设置；敏感信息不能写在这一行。"
    ),
    "Show what this machine has and lacks, with remedies.": "检查本机具备和缺少什么，并给出解决办法。",
    "List, copy, remove and print objects in OSS.": "列出、复制、删除和打印 OSS 中的对象。",
    "List, copy, make and remove files in HDFS.": "列出、复制、创建和删除 HDFS 中的文件。",
    "Run this cell as a training job.": "将此单元格作为训练作业运行。",
    (
        "The cell becomes `train.py`, line for line, below the imports, functions, classes and constants of other cells that it "
        "uses (`--only-cell`: without them). Its hyperparameters are read from argparse calls, annotated "
        "assignments, `# hp:` comments and a dict `hp = {...}`; inputs and outputs come by the variables PAI_INPUT_<NAME> "
        "and PAI_OUTPUT_<NAME>. In a notebook a form is shown first; `--run` submits at once. Without a front end "
        "(`jupyter execute`, papermill, CI) the job runs at once, the cell waits, and a failed job raises."
    ): (
        "单元格逐行成为 `train.py`，其前是它用到的其他单元格中的导入、函数、类和常量（`--only-cell`：不加入）。"
        "超参数取自 argparse 调用、带类型注解的赋值、`# hp:` 注释和字典 `hp = {...}`；"
        "输入和输出由变量 PAI_INPUT_<NAME> 和 PAI_OUTPUT_<NAME> 给出。在笔记本中先显示表单；`--run` 立即提交。"
        "没有前端时（`jupyter execute`、papermill、CI）作业立即运行，单元格等待其结束，作业失败则抛出异常。"
    ),
    (
        "With `--job-type` a job has several replicas, as many as `--instance-count` says, or a `--role` for each role. On this "
        "machine a replica of a TFJob, PyTorchJob or XGBoostJob that fails is not started again: nothing preempts it here, and "
        "a broken script would loop. A worker of an ElasticBatchJob is, 3 times at most."
    ): (
        "指定 `--job-type` 后，作业有多个副本：数量由 `--instance-count` 给出，或对每个角色用一个 `--role` 给出。"
        "在本机，TFJob、PyTorchJob 或 XGBoostJob 的副本失败后不会重新启动：本机不会发生抢占，有错误的脚本会不断重复失败。"
        "ElasticBatchJob 的 worker 失败后会重新启动，最多 3 次。"
    ),
    "Examples::": "示例::",
    # options
    "a job and one of its outputs (default: model)": "作业及其一个输出（默认：model）",
    "change a hyperparameter": "超参数的其他值",
    "as JSON, for programs": "以 JSON 输出，供程序使用",
    "minimum number of GPUs": "GPU 数量的下限",
    "minimum number of cores": "CPU 核数的下限",
    "minimum memory": "内存的下限",
    "maximum number of jobs (default: 20)": "最多显示的数量（默认：20）",
    "do not ask for confirmation": "不询问",
    "follow until the job ends; an interrupt stops following, not the job": "持续显示到作业结束；中断只停止显示，作业继续运行",
    "id, unique prefix of an id, or name": "ID、能唯一确定 ID 的开头部分，或名称",
    "ids, unique prefixes, or names": "ID、能唯一确定 ID 的开头部分，或名称，可多个",
    "write to a file instead of the output": "写入文件，不显示在输出中",
    "jobs (id, prefix, name), directories here or in OSS; for --stop, also ids of boards and apps": (
        "作业（ID、ID 开头或名称），本机或 OSS 中的目录；--stop 也可用 TensorBoard 和 TensorBoard 应用的 ID"
    ),
    "list local boards, and TensorBoard apps if a session is set up": "列出本机的 TensorBoard；设置了会话时，也列出 TensorBoard 应用",
    "list, copy to or from OSS, remove, print": "列出、与 OSS 之间复制、删除、打印",
    "list, copy to HDFS, copy from HDFS, make a directory, remove": "列出、复制到 HDFS、从 HDFS 复制、创建目录、删除",
    "path in HDFS, the last of `put`; local path; a directory ends with a slash": (
        "HDFS 中的路径（put 的最后一个）；本地路径；目录以斜杠结尾"
    ),
    "ls: with subdirectories; rm: a whole directory; others: always": "ls：包括子目录；rm：整个目录；其他：总是如此",
    "ls: with subdirectories; rm: a whole directory; cp: always": "ls：列出所有下级；rm：删除整个目录；cp 总是包含下级",
    "one replica, e.g. worker-0": "一个副本，例如 worker-0",
    "only matching lines": "只显示匹配的行",
    "only the last N lines": "只显示最后 N 行",
    "only those for CPUs": "只显示用于 CPU 的",
    "only those for GPUs": "只显示用于 GPU 的",
    "only those in this state: queued, running, succeeded, failed, stopped": (
        "只显示此状态的：queued、running、succeeded、failed、stopped"
    ),
    "only those of this framework, e.g. PyTorch": "只显示此框架的，例如 PyTorch",
    "only those that are not sold out": "只显示尚未售罄的",
    "only those with GPUs": "只显示带 GPU 的",
    "insert the original cell below instead": "改为在下方插入原来的单元格",
    "rm: do not ask for confirmation": "rm：直接删除，不询问",
    "show the job as a widget, over the kernel instead of the server": "以小部件显示作业，经由内核而不是服务器",
    "show, set NAME=VALUE..., use PROFILE, use emulator, test, wizard, drop ADDRESS": (
        "show、set NAME=VALUE...、use PROFILE、use emulator、test、wizard、drop ADDRESS"
    ),
    "stop the boards of these, or all local boards if none is named": "停止这些的 TensorBoard；未指定时停止本机的全部 TensorBoard",
    "store the Job under this name": "将 Job 保存为此名称的变量",
    "store the Job under this name (default: _pai)": "将 Job 保存为此名称的变量（默认：_pai）",
    "target directory (default: the current one)": "放入的目录（默认：当前目录）",
    "use emulator: end it, and restore the settings from before": "use emulator：结束它，恢复之前的设置",
    "use emulator: the backend that runs its jobs": "use emulator：模拟器用什么运行作业",
    "purpose of the images (default: training)": "用途（默认：training）",
    (
        'what to set or use, until the kernel ends (a line NAME = "VALUE" in pai_jupyter.toml in the notebook\'s directory keeps '
        "it); `set tracking mlflow:URI` makes each job a run at an MLflow server, `drop ADDRESS` gives up what is left "
        "to send to one"
    ): (
        '要设置或使用的内容，到内核结束为止（笔记本目录中 pai_jupyter.toml 里的一行 NAME = "VALUE" 可以长期保留）；'
        "`set tracking mlflow:URI` 把每个作业记录到 MLflow 服务器，`drop ADDRESS` 放弃尚未发送到该服务器的内容"
    ),
    "address or path; a directory ends with a slash": "位置；目录以斜杠结尾",
    "name of the job; leave it out to generate one": "作业名称；不写则自动生成",
    "submit now, without the form": "立即提交，不显示表单",
    "show the form first (the default in a notebook)": "先显示表单（笔记本中的默认方式）",
    "check and pack, show what would be run, start nothing": "检查并打包，显示将运行的内容，不启动",
    "only check the cell": "只检查单元格",
    "return at the end of the job (the default without a front end)": "作业结束时返回（没有前端时的默认方式）",
    "end the wait when the job cannot be reached for so long (default: 10m)": (
        "作业持续无法访问达到此时长后停止等待（默认：10m）"
    ),
    "return at once (the default in a notebook)": "立即返回（笔记本中的默认方式）",
    "send alerts of this job to the webhook, also of the end of a short one": "向 webhook 发送此作业的告警，短作业结束时也发送",
    "send no alerts of this job": "不发送此作业的告警",
    "start a second job although the same one is running": "即使相同的作业正在运行，也再启动一个",
    "show nothing but errors": "只显示错误",
    "process, docker, ...; automatic when left out": "process、docker 等；不写则自动选择",
    "the image of the container": "容器镜像",
    "local, local_gpu, or a type of PAI": "local、local_gpu 或 PAI 的实例类型",
    "number of replicas": "副本数量",
    "replicas of a role of the job type: chief=1, worker=2:ecs.c6.large": (
        "作业类型中某个角色的副本：chief=1、worker=2:ecs.c6.large"
    ),
    "end the job before it costs more, by your prices.json: 30 or 30CNY": (
        "在费用超过此金额前终止作业，价格取自您的 prices.json：30 或 30CNY"
    ),
    "end the job after this time: 90s, 30m, 2h": "超过此时长则结束作业：90s、30m、2h",
    "e.g. docker.memory=4g": "例如 docker.memory=4g",
    "an input channel, e.g. train=./data": "输入通道，例如 train=./data",
    "where an output channel goes": "输出通道的写入位置",
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
    "take nothing along from other cells of the notebook": "不加入笔记本其他单元格中的任何内容",
    "a name that is not taken from other cells: Net, or Net,train": "不从其他单元格加入的名称：Net，或 Net,train",
    "a file or directory that is packed too": "一起打包的文件或目录",
    "auto: %%pip lines and requirements.txt (default)": "auto：%%pip 行和 requirements.txt（默认）",
    "an environment variable of the job": "作业的环境变量",
    "code written for this service finds its variables, e.g. SM_MODEL_DIR": (
        "为该服务编写的代码能读到它的变量，例如 SM_MODEL_DIR"
    ),
    "a variable of the kernel that a local job gets; never recorded": "传给本机作业的内核变量；不会被记录",
    "the command (default: python train.py $PAI_USER_ARGS)": "命令（默认：python train.py $PAI_USER_ARGS）",
    # %%pai_pipeline
    "Draw or run the pipeline that this cell makes, or that a manifest describes.": (
        "绘制或运行此单元格创建的、或清单所描述的流水线。"
    ),
    "The cell is Python. Components saved on this machine are at hand by their names (iris-train is iris_train), beside your "
    "variables. Its pipeline is the last expression, or the only Pipeline that it makes. The run goes on without this notebook.": (
        "单元格是 Python 代码。除您的变量外，保存在本机的组件可直接按名称使用（iris-train 写作 iris_train）。"
        "其流水线是最后一个表达式，或其中创建的唯一 Pipeline。运行不依赖此笔记本。"
    ),
    "name of the run; without a cell the YAML file of a manifest": "运行的名称；没有单元格时为清单的 YAML 文件",
    "draw the pipeline, and run nothing (the default)": "绘制流水线，不运行任何步骤（默认）",
    "print its manifest": "打印其清单",
    "run it": "运行",
    "list the components that are saved for pipelines, and nothing else": "仅列出为流水线保存的组件",
    "a value of an input of the pipeline": "流水线某个输入的值",
    "return at the end of the run (the default without a front end)": "运行结束后返回（没有前端时默认如此）",
    "store the Run under this name": "将 Run 存入此变量",
    "process, docker: where the steps run here; automatic when left out": (
        "process、docker：步骤在本机的运行方式；不写则自动选择"
    ),
    "run it at PAI, whatever its machines are": "在 PAI 上运行，无论其机器类型",
    "at most so many jobs at the same time, here": "在本机同时运行的作业数上限",
    "stop all steps when one has failed, here": "在本机运行时，某个步骤失败即停止所有步骤",
    # %pai_report
    "Write a report of jobs: their values, metrics, curves, and how they went, in one file without scripts.": (
        "写出作业报告：超参数、指标、曲线和运行情况，全部在一个不含脚本的文件中。"
    ),
    "words that all must fit, as in the runs table: tag:best lr<0.1; none: all jobs": (
        "须全部符合的词，同作业表：tag:best lr<0.1；不写则为所有作业"
    ),
    "the file: .html for one page that anybody can read, .ipynb for a notebook (default: report.html)": (
        "文件：.html 为任何人都能阅读的单个网页，.ipynb 为笔记本（默认：report.html）"
    ),
    "the title of the report": "报告的标题",
    # %pai_runs
    "List runs of pipelines and jobs, with their values and metrics; show, stop, run again or delete a run of a pipeline.": (
        "列出流水线的运行以及作业的值和指标；显示、停止、重新运行或删除流水线的一次运行。"
    ),
    "id of a run of a pipeline, the beginning of it, or a name: the newest run of it. Any other words filter the table of "
    "jobs: lr<0.1 accuracy>0.9. Without words runs of pipelines and all other jobs are listed": (
        "流水线运行的 ID、其开头，或名称（该名称最新的运行）。其他的词筛选作业表：lr<0.1 accuracy>0.9。"
        "不写则列出流水线的运行和所有其他作业"
    ),
    "maximum number of runs or jobs (default: 20)": "运行数或作业数上限（默认：20）",
    "columns of the table of jobs, with commas between them, or all: lr,loss,max(acc)": (
        "作业表的列，以逗号分隔，或 all：lr,loss,max(acc)"
    ),
    "sort jobs by this column; with - before it (--sort=-loss) the largest come first": (
        "按此列排序作业；前面加 -（--sort=-loss）则从大到小"
    ),
    "group jobs by this column: mean ± standard deviation of the others": "按此列分组作业：其他列显示均值 ± 标准差",
    "write the table of all jobs that the words find to this file": "将这些词找到的所有作业写入此文件",
    "list the newest runs of the workspace at PAI, too; those that were started elsewhere are only listed": (
        "同时列出 PAI 工作空间中最新的运行；在别处启动的运行仅供列出"
    ),
    "stop the run and its jobs": "停止该运行及其作业",
    "run it again (a run of this machine); what is unchanged is taken over": "重新运行（本机的运行）；未改变的部分沿用之前的结果",
    "with --rerun: run this step and all that depends on it anew": "与 --rerun 一起：重新执行此步骤及依赖它的所有步骤",
    "with --rerun: change a value of an input": "与 --rerun 一起：更改某个输入的值",
    "delete the record of an ended run; its jobs stay": "删除已结束运行的记录；其作业保留",
}
