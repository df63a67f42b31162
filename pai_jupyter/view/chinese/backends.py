"""What is said of the choice of a backend, its options and its machines."""

BACKENDS = {
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
}
