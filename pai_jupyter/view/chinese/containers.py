"""What is said of jobs in containers: the engine, images, limits, mounts."""

CONTAINERS = {
    "backend 'docker' needs an image: --image python:3.11-slim, or use --backend process.": (
        "后端 'docker' 需要镜像：--image python:3.11-slim，或使用 --backend process。"
    ),
    "note: image {a} is not on this machine yet; it is pulled first.": "注意：本机还没有镜像 {a}；将先拉取。",
    "image {a} is not on this machine yet; it is pulled first.": "本机还没有镜像 {a}；将先拉取。",
    "option docker.cpus is {a}; it is a number of cores, e.g. docker.cpus=1.5": (
        "选项 docker.cpus 是 {a}；应为核数，例如 docker.cpus=1.5"
    ),
    "option docker.{a} is {b}; write docker.{c}=true": "选项 docker.{a} 是 {b}；请写 docker.{c}=true",
    "option docker.{a} is {b}; write docker.{c}={d}": "选项 docker.{a} 是 {b}；请写 docker.{c}={d}",
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
}
