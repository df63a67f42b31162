"""Why a job failed, and what may help (`cell.explain`)."""

_FOUND_NOT = "请使用含有该命令的镜像，或改正 --command。"
HINTS = {
    "Use smaller batches, or give it more memory (in a container: --option docker.memory=8g).": (
        "请减小批量，或分配更多内存（容器：--option docker.memory=8g）。"
    ),
    (
        "'{a}' is beside the code, but {b} `{c}` keeps it out of the package. Change that line, write a .paiignore, "
        "which decides in its place, or give the file as an input."
    ): "'{a}' 在代码旁边，但 {b} 的 `{c}` 使它没有进入代码包。请修改该行、写一个 .paiignore（由它代替决定），或把文件作为输入。",
    (
        "'{a}' is beside the code, but {b} `{c}` keeps it out of the package. Change that line, or give the file as an "
        "input: -i NAME={d}"
    ): "'{a}' 在代码旁边，但 {b} 的 `{c}` 使它没有进入代码包。请修改该行，或把文件作为输入：-i NAME={d}",
    "'{a}' is beside the code, but {b} `{c}` keeps it out of the package: --include {d}": (
        "'{a}' 在代码旁边，但 {b} 的 `{c}` 使它没有进入代码包：--include {d}"
    ),
    "Give it as an input, -i NAME=PATH, or send it along with --include.": (
        "请用 -i NAME=PATH 作为输入给出，或用 --include 一起提交。"
    ),
    'Write to os.environ["PAI_OUTPUT_MODEL"] or another output; inputs are read-only.': (
        '请写入 os.environ["PAI_OUTPUT_MODEL"] 或其他输出；输入是只读的。'
    ),
    "the job was killed (SIGKILL): often it ran out of memory, else somebody killed it": (
        "作业被终止（SIGKILL）：多半是内存不足，也可能是被人终止"
    ),
    "the job was terminated from outside (SIGTERM)": "作业被外部终止（SIGTERM）",
    "the job was interrupted (SIGINT)": "作业被中断（SIGINT）",
    "native code crashed (SIGSEGV)": "原生代码崩溃（SIGSEGV）",
    "Set --env PYTHONFAULTHANDLER=1 to see where; often two packages are incompatible.": (
        "请设置 --env PYTHONFAULTHANDLER=1 查看崩溃位置；常见原因是两个包不兼容。"
    ),
    "bus error (SIGBUS): shared memory or the disk is full": "总线错误（SIGBUS）：共享内存或磁盘已满",
    "Use num_workers=0 in the data loader, or free disk space.": "请在 DataLoader 中使用 num_workers=0，或释放磁盘空间。",
    "native code aborted (SIGABRT); see the last lines of the log": "原生代码中止（SIGABRT）；请查看日志的最后几行",
    "Use another version of the package or image.": "请使用该包或镜像的其他版本。",
    "this CPU lacks an instruction that a package uses (SIGILL)": "此 CPU 缺少某个包使用的指令（SIGILL）",
    "Add the option to the script's parser, use parse_known_args(), or leave the value out.": (
        "请在脚本的解析器中加入该选项，使用 parse_known_args()，或不给出该值。"
    ),
    "Give the value that the script's parser takes: -p NAME=VALUE or -i NAME=PATH.": (
        "请指定脚本的解析器所需的值：-p NAME=VALUE 或 -i NAME=PATH。"
    ),
    "the command `{a}` was not found": "找不到命令 `{a}`",
    "Use an image that has it, or correct --command.": _FOUND_NOT,
    "`{a}` may not be executed": "`{a}` 没有执行权限",
    "Call its program: --command 'sh {a}'": "请调用其解释器：--command 'sh {a}'",
    "the script {a} is not among the files of the job": "脚本 {a} 不在作业的文件中",
    "Correct --command, or send the script along with --include.": "请改正 --command，或用 --include 加入脚本。",
    "the command may not be executed (exit code 126)": "命令没有执行权限（退出码 126）",
    "Call its program, e.g. --command 'sh train.sh'": "请调用其解释器，例如 --command 'sh train.sh'",
    "a command was not found (exit code 127)": "找不到命令（退出码 127）",
    "Use opencv-python-headless: %pip install opencv-python-headless": (
        "请使用 opencv-python-headless：%pip install opencv-python-headless"
    ),
    "The installed version differs; name one: %pip install PACKAGE==VERSION": (
        "已安装的版本不符；请指定版本：%pip install PACKAGE==VERSION"
    ),
    "The job does not see the notebook's variables; define `{a}` in the cell.": (
        "作业看不到笔记本的变量；请在单元格中定义 `{a}`。"
    ),
    "The job has no such input. Give it with -i NAME=PATH; the name becomes upper case.": (
        "作业没有这个输入。请用 -i NAME=PATH 给出；名称会变成大写。"
    ),
    "The job has no such output. Give it with -o NAME=PATH; the name becomes upper case.": (
        "作业没有这个输出。请用 -o NAME=PATH 给出；名称会变成大写。"
    ),
    "The job has no such hyperparameter. Give it with -p NAME=VALUE.": "作业没有这个超参数。请用 -p NAME=VALUE 给出。",
    "Take the path from the PAI_* variables: /ml is not there with every backend.": (
        "请从 PAI_* 变量获取路径：并非每个后端都有 /ml。"
    ),
    "An input of one file is that file; its variable names it.": "单个文件的输入就是该文件；其变量的值是文件路径。",
    "A shard's result is one file: write it to `shard.path`.": "分片的结果是一个文件：请写入 `shard.path`。",
    "An input in a directory is the directory; join the file's name to it.": "目录输入就是该目录；请在其后拼接文件名。",
    "The disk is full; free space, or write less.": "磁盘已满；请释放空间或减少写入。",
    "Nobody can answer input() in a job; make it a hyperparameter.": "作业运行时无人应答 input()；请改为超参数。",
    (
        'Start the processes below `if __name__ == "__main__":`, or take them from multiprocessing.get_context("fork"): '
        "a process that is spawned runs all of the code again."
    ): (
        '请在 `if __name__ == "__main__":` 下启动进程，或使用 multiprocessing.get_context("fork")：'
        "以 spawn 方式启动的进程会再次运行全部代码。"
    ),
    "`{a}` was not sent with the job; send it along: --include {b}": (
        "`{a}` 没有随作业提交；请一起提交：--include {b}"
    ),
    "'{a}' lies beside the notebook and was not sent with the job: --include {b}": (
        "'{a}' 就在笔记本旁边，但没有随作业提交：--include {b}"
    ),
    "A worker died, often for lack of memory. ": "一个工作进程异常退出，常见原因是内存不足。",
    "A worker died, often for lack of memory. {a}": "一个工作进程异常退出，常见原因是内存不足。{a}",
    "Use smaller batches, or a GPU with more memory.": "请减小批量，或使用显存更大的 GPU。",
    "Use --instance-type local_gpu, or move nothing to cuda.": "请使用 --instance-type local_gpu，或不要把数据和模型移到 cuda。",
    "Shared memory is too small; use num_workers=0.": "共享内存太小；请使用 num_workers=0。",
    "the job failed for an unknown reason": "作业失败，原因未知",
    "the job ended with exit code {a}": "作业结束，退出码 {a}",
    "the job was ended by a signal ({a})": "作业被信号结束（{a}）",
    "`{a}` is a module of your own that was not sent; send it along with --include.": (
        "`{a}` 是您自己的模块，但没有提交；请用 --include 一起提交。"
    ),
    "Add `%pip install {a}` to the cell. If it is your own file, send it along with --include {b}.py.": (
        "请在单元格中加入 `%pip install {a}`。如果是您自己的文件，请用 --include {b}.py 一起提交。"
    ),
    "Time limit reached ({a} s)": "已达到时间上限（{a} 秒）",
    "{a} (cell line {b})": "{a}（单元格第 {b} 行）",
    "{a} ({b}.py line {c})": "{a} ({b}.py 第 {c} 行)",
    "{a} (cell [{b}], line {c})": "{a}（单元格 [{b}] 第 {c} 行）",
    # what the Environment tab says beside the variables (`wire.environment`)
    "The job also has the environment variables of the kernel, such as HOME and LANG, except those that look like "
    "credentials. Their values are not recorded.": (
        "作业还继承内核的环境变量（例如 HOME 和 LANG），看起来像凭证的除外。这些变量的值没有记录。"
    ),
    "The job also has the variables that its image sets, such as PATH and HOME.": (
        "作业还有镜像设置的变量，例如 PATH 和 HOME。"
    ),
    "The variables that the backend set were not recorded. These follow from the job's options.": (
        "后端设置的变量没有记录；此处按作业的选项列出。"
    ),
    "This is the command of {a}. Other roles have their own commands.": "这是 {a} 的命令，其他角色有各自的命令。",
    "{a} This is the command of {b}. Other roles have their own commands.": (
        "{a}这是 {b} 的命令，其他角色有各自的命令。"
    ),
    # what the Backends section says (`server.backends`)
    "PAI in {a}": "PAI，地域 {a}",
    "the emulator at {a}": "模拟器：{a}",
    "the emulator at {a} does not answer. Start it again: %pai_config use emulator": (
        "模拟器 {a} 没有响应。请重新启动：%pai_config use emulator"
    ),
    "Docker engine: not running. Start Docker, and add your user to the group `docker` (to install it on Debian: apt-get "
    "install docker.io).": (
        "Docker 引擎：未运行。请启动 Docker，并将您的用户加入 `docker` 组（在 Debian 上安装：apt-get install docker.io）。"
    ),
    "Docker engine: running at {a}": "Docker 引擎：正在运行，地址：{a}",
    "the default socket": "默认套接字",
    (
        "no region is set, so PAI cannot be asked. Type %pai_config wizard, or %pai_config set region=cn-shanghai; "
        "%pai_config use emulator rehearses on this machine, with no account."
    ): (
        "没有设置地域，无法访问 PAI。请输入 %pai_config wizard，或 %pai_config set "
        "region=cn-shanghai；没有账号时可用 %pai_config use emulator 在本机模拟运行。"
    ),
    "Jobs run on this machine. They find their files below /ml, as on PAI.": (
        "作业在本机运行，文件位于 /ml 之下，与 PAI 相同。"
    ),
    "Jobs run on this machine. They have no directory /ml: {a}. {b}": "作业在本机运行，没有目录 /ml：{a}。{b}",
}
