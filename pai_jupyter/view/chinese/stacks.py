"""Stacks of running jobs, and recordings of where they spend their time."""

STACKS = {
    "the stacks of a job are read on Linux only: this system has no /proc.": "只能在 Linux 上读取作业的调用栈：此系统没有 /proc。",
    "the processes of a job are found on Linux only: this system has no /proc.": "只能在 Linux 上找到作业的进程：此系统没有 /proc。",
    "py-spy is missing, which reads the stacks of a running job. Type: {a}": (
        "缺少 py-spy，它用于读取运行中作业的调用栈。请输入：{a}"
    ),
    "py-spy has not answered within {a} seconds. Try again.": "py-spy 在 {a} 秒内没有回答。请重试。",
    "py-spy cannot be started: {a}. Type: {b}": "无法启动 py-spy：{a}。请输入：{b}",
    "what py-spy says of process {n} cannot be read, or is more than 16 MB.": "py-spy 对进程 {n} 的输出无法读取，或超过 16 MB。",
    "py-spy could not read process {n} in time. Try again.": "py-spy 未能及时读取进程 {n}。请重试。",
    (
        "py-spy does not know the Python of process {n}: it reads CPython 3.3 and newer, but not PyPy, and a new Python only in a "
        "newer version. Type: %pip install --upgrade py-spy"
    ): (
        "py-spy 不认识进程 {n} 的 Python：它能读取 CPython 3.3 及更新版本，不能读取 PyPy；新的 Python 需要更新的 py-spy。"
        "请输入：%pip install --upgrade py-spy"
    ),
    (
        "process {n} is another user's, so its stacks may not be read. Run Jupyter as that user or as root, or type in a "
        "terminal: sudo py-spy dump --pid {m}"
    ): "进程 {n} 属于其他用户，因此不能读取其调用栈。请以该用户或 root 运行 Jupyter，或在终端输入：sudo py-spy dump --pid {m}",
    "this system forbids to look at other processes until it is restarted (kernel.yama.ptrace_scope is 3).": (
        "此系统在重启之前禁止查看其他进程（kernel.yama.ptrace_scope 为 3）。"
    ),
    (
        "this system lets nobody look at other processes (kernel.yama.ptrace_scope is {n}). Allow it, until the next restart, in a "
        "terminal: sudo sysctl kernel.yama.ptrace_scope=0"
    ): (
        "此系统不允许查看其他进程（kernel.yama.ptrace_scope 为 {n}）。请在终端允许（到下次重启为止）："
        "sudo sysctl kernel.yama.ptrace_scope=0"
    ),
    (
        "this container may not look at other processes. Start it with: docker run --cap-add SYS_PTRACE (in Kubernetes: "
        "securityContext.capabilities.add SYS_PTRACE)"
    ): (
        "此容器不能查看其他进程。请这样启动它：docker run --cap-add SYS_PTRACE（在 Kubernetes 中："
        "securityContext.capabilities.add SYS_PTRACE）"
    ),
    "this system refuses to read process {n}. Run Jupyter as root, or type in a terminal: sudo py-spy dump --pid {m}": (
        "此系统拒绝读取进程 {n}。请以 root 运行 Jupyter，或在终端输入：sudo py-spy dump --pid {m}"
    ),
    (
        "the processes of job {name} cannot be seen from here: it runs in another container, or on another machine with the same "
        "files."
    ): "从这里看不到作业 {name} 的进程：它在另一个容器中运行，或在另一台使用相同文件的机器上运行。",
    (
        "the processes of job {name} cannot be seen from here: its Docker engine runs in a virtual machine or in another container. "
        "Where it runs, type: docker top {name2}"
    ): "从这里看不到作业 {name} 的进程：其 Docker 引擎在虚拟机或另一个容器中运行。请在它运行的地方输入：docker top {name2}",
    "job {name} has ended ({a}), so it has no stacks.": "作业 {name} 已结束（{a}），因此没有调用栈。",
    "job {name} does not run yet ({a}), so it has no stacks.": "作业 {name} 尚未运行（{a}），因此没有调用栈。",
    "the stacks of job {name} cannot be read: it runs on {a}, and only processes of this machine can be looked at.": (
        "无法读取作业 {name} 的调用栈：它在 {a} 上运行，只能查看本机的进程。"
    ),
    "{a} runs no Python process now, and stacks are read of Python only.": "{a}现在没有运行 Python 进程，只能读取 Python 的调用栈。",
    "job {name}": "作业 {name}",
    "replica {name} of job {name2}": "作业 {name2} 的副本 {name}",
    "Only the first {n} of {m} Python processes were recorded.": "共 {m} 个 Python 进程，只记录了前 {n} 个。",
    "`seconds` is {a}; it must be a whole number from 1 to {n}.": "`seconds` 为 {a}；必须是 1 到 {n} 的整数。",
    "`--seconds {a}` must be a whole number from 1 to {n}.": "`--seconds {a}` 必须是 1 到 {n} 的整数。",
    "`-o {a}` must end in .svg or .json.": "`-o {a}` 必须以 .svg 或 .json 结尾。",
    "`-o {a}` draws a recording. Add --seconds 10, or write a .json file.": (
        "`-o {a}` 用于绘制一段记录。请加上 --seconds 10，或写入 .json 文件。"
    ),
    "stacks written to {name}": "调用栈已写入 {name}",
    "recording {name}: {n} of {m} s": "正在记录 {name}：{n} / {m} 秒",
    # what is printed
    "process {n}": "进程 {n}",
    "thread": "线程",
    "idle": "空闲",
    "active": "活动",
    "holds the GIL": "持有 GIL",
    "cell line {n}": "单元格第 {n} 行",
    "cell [{n}], line {m}": "单元格 [{n}] 第 {m} 行",
    "{n} more threads": "另有 {n} 个线程",
    "{n} frames are left out": "省略了 {n} 帧",
    "{n} samples in {m} seconds": "{m} 秒内 {n} 个样本",
    "No thread was active: all waited, or slept. Their stacks say where.": "没有活动的线程：都在等待或休眠。调用栈显示在何处。",
}
