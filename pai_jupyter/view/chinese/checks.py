"""`%pai_doctor` and `%pai_config test`."""

CHECKS = {
    # columns, and what is looked at
    "what": "项目",
    "found": "结果",
    "remedy": "解决办法",
    "kernel": "内核",
    "live view": "实时视图",
    "job folders": "作业文件夹",
    "/ml in local processes": "本地进程中的 /ml",
    "Docker engine": "Docker 引擎",
    "GPUs": "GPU",
    "configuration": "设置",
    "keys for the cloud": "云端密钥",
    "session": "会话",
    "credentials": "凭证",
    "clock": "时钟",
    "account": "账号",
    "workspace": "工作空间",
    "bucket": "Bucket",
    "proxies": "代理",
    # this machine
    "no ipykernel": "没有 ipykernel",
    "interactive: forms are shown": "可交互：显示表单",
    "not interactive: jobs start at once, and the cell waits": "不可交互：作业立即开始，单元格等待其结束",
    "{a}, IPython {b}; {c}": "{a}，IPython {b}；{c}",
    "installed: with it, JupyterLab runs scripts saved in any notebook": (
        "已安装：JupyterLab 会运行笔记本中为它保存的脚本，无论由谁编写"
    ),
    "pai_jupyter does not need it here. If nothing else does: %pip uninstall -y anywidget": (
        "pai_jupyter 在此不需要它。如无其他用途：%pip uninstall -y anywidget"
    ),
    "through the Jupyter server": "通过 Jupyter 服务器",
    "as a widget over the kernel; requests wait while a cell runs": "以小部件显示，经由内核；单元格运行时请求须等待",
    "none; a cell shows the last known state of its job": "无；单元格显示作业最后已知的状态",
    "Install pai_jupyter in the environment of the Jupyter server too, and restart the server.": (
        "请在 Jupyter 服务器的环境中也安装 pai_jupyter，然后重启服务器。"
    ),
    "Install pai_jupyter in the environment of the Jupyter server too, and restart the server. In VS Code and Colab: {a}": (
        "请在 Jupyter 服务器的环境中也安装 pai_jupyter，然后重启服务器。在 VS Code 和 Colab 中：{a}"
    ),
    " In VS Code and Colab: {a}": " 在 VS Code 和 Colab 中：{a}",
    "Set PAI_JUPYTER_HOME to a directory that you can write to.": "请将 PAI_JUPYTER_HOME 设为可写的目录。",
    "{a}: no write permission": "{a}：没有写权限",
    "Free some space there, or set PAI_JUPYTER_HOME to a directory on another disk.": (
        "请释放空间，或将 PAI_JUPYTER_HOME 设为其他磁盘上的目录。"
    ),
    "{a}, {b} GB free": "{a}，剩余 {b} GB",
    "yes, through {a}": "有，通过 {a}",
    "Install bubblewrap (Debian: apt-get install bubblewrap), or proot where that is refused.": (
        "请安装 bubblewrap（Debian：apt-get install bubblewrap）；如果系统不允许使用它，请安装 proot。"
    ),
    "no; use the PAI_* variables for paths": "没有；请从 PAI_* 变量获取路径",
    "unset PAI_JUPYTER_ML": "请取消设置 PAI_JUPYTER_ML",
    "running at {a}": "正在运行，地址：{a}",
    "the default socket": "默认套接字",
    "not running": "未运行",
    "the Python package `docker` is missing": "缺少 Python 包 `docker`",
    "Start Docker, and add your user to the group `docker` (to install it on Debian: apt-get install docker.io).": (
        "请启动 Docker，并将您的用户加入 `docker` 组（在 Debian 上安装：apt-get install docker.io）。"
    ),
    "none": "无",
    "Correct that file.": "请改正该文件。",
    "defaults; change with %pai_config set NAME=VALUE": "默认值；用 %pai_config set NAME=VALUE 更改",
    "none (local jobs need none)": "无（本地作业不需要）",
    "For PAI: %pai_config wizard": "使用 PAI：%pai_config wizard",
    "from {a}; check them with %pai_config test": "来自 {a}；用 %pai_config test 检查",
    "installed: {a}": "已安装：{a}",
    "missing: {a}": "缺少：{a}",
    "keys from roles and other tools": "来自角色和其他工具的密钥",
    "fast checksums; without it 200 MB take 17 s": "快速校验和；没有它时 200 MB 需要 17 秒",
    "the emulator of PAI": "PAI 模拟器",
    # the cloud
    "Start it again: %pai_config use emulator": "请重新启动：%pai_config use emulator",
    "Check the network, the region and the proxies below; hosts of a VPC answer only inside of it.": (
        "请检查网络、地域和下面的代理；VPC 地址只能在该 VPC 内访问。"
    ),
    "Correct that file, or type %pai_config wizard.": "请改正该文件，或输入 %pai_config wizard。",
    "no region is set": "没有设置地域",
    "Type %pai_config wizard, or %pai_config use emulator to try it without an account.": (
        "请输入 %pai_config wizard；没有账号时可用 %pai_config use emulator 试用。"
    ),
    "PAI emulator at {a}; nothing is sent to the cloud": "PAI 模拟器，地址 {a}；不会向云端发送任何内容",
    "PAI in {a}, {b} network": "PAI，地域 {a}，网络 {b}",
    "a temporary key": "临时密钥",
    "a key": "密钥",
    "{a} whose id ends in {b}, from {c}": "{a}，ID 末尾为 {b}，来自 {c}",
    "Type %pai_config wizard, or: aliyun configure (in a terminal).": (
        "请输入 %pai_config wizard，或在终端中运行：aliyun configure"
    ),
    "correct": "准确",
    "{n} min behind": "慢 {n} 分钟",
    "{n} min ahead": "快 {n} 分钟",
    "Set it: sudo timedatectl set-ntp true": "请校准时钟：sudo timedatectl set-ntp true",
    "account {a}, {b}": "账号 {a}，{b}",
    "Check the key in the RAM console, or type %pai_config wizard to give another.": (
        "请在 RAM 控制台检查密钥，或输入 %pai_config wizard 更换。"
    ),
    "Choose one of region {a} that your account may use: %pai_config set workspace=ID": (
        "请选择地域 {a} 中您的账号可用的工作空间：%pai_config set workspace=ID"
    ),
    "Choose one in region {a}: %pai_config set bucket=NAME": "请选择地域 {a} 中的 Bucket：%pai_config set bucket=NAME",
    "{a} is in region {b}, but jobs run in {c} and cannot mount it": "{a} 在地域 {b}，而作业在 {c} 运行，无法挂载",
    "If the services do not answer, name *.aliyuncs.com in NO_PROXY.": (
        "如果服务没有响应，请在 NO_PROXY 中加入 *.aliyuncs.com。"
    ),
    "(no address)": "（无地址）",
}
