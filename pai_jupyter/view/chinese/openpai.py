"""OpenPAI: its job files and its clusters."""

OPENPAI = {
    # job files: what is wrong
    "the version of a job file is 'v1' or 'v2', and not {a}.": "作业文件的版本是 'v1' 或 'v2'，而不是 {a}。",
    "the job file": "作业文件",
    "the job file is no object. It begins e.g. with {a}": "作业文件不是对象。其开头例如：{a}",
    "the job file is no object. It begins e.g. with ": "作业文件不是对象。其开头例如：",
    "the job file is no JSON: line {a}: {b}.": "作业文件不是 JSON：第 {a} 行：{b}。",
    "the job file is no YAML: line {a}: {b}.": "作业文件不是 YAML：第 {a} 行：{b}。",
    "the job file is no YAML: {a}.": "作业文件不是 YAML：{a}。",
    "the job file is nested more than {a} deep.": "作业文件的嵌套超过 {a} 层。",
    "the job file has a number that cannot be read.": "作业文件中有一个无法读取的数字。",
    "the job file has half of a character: a lone surrogate. Write the character anew.": (
        "作业文件中有半个字符（单独的代理项）。请重新输入该字符。"
    ),
    "the job file has {a}, which is no JSON.": "作业文件中有 {a}，它不是 JSON。",
    "the job file has the name {a} twice in one object. Remove one of them.": (
        "作业文件的一个对象中名称 {a} 出现了两次。请删除其中之一。"
    ),
    "the job file has {a} bytes; servers take {b}. Move data and code out of it.": (
        "作业文件有 {a} 字节，而服务器最多接受 {b}。请将数据和代码移出该文件。"
    ),
    "the job file has more than {a} values.": "作业文件中的值超过 {a} 个。",
    "the name {a} is there twice": "名称 {a} 出现了两次",
    "reading YAML needs the package PyYAML. Type: %pip install pyyaml": (
        "读取 YAML 需要软件包 PyYAML。请输入：%pip install pyyaml"
    ),
    "this is a job file of version 1 (`jobName`). Check it as v1, and name it *.pai.json": (
        "这是版本 1 的作业文件（`jobName`）。请按 v1 检查，并命名为 *.pai.json"
    ),
    "this is a job file of version 2 (`protocolVersion`). Check it as v2, and name it *.pai.yaml": (
        "这是版本 2 的作业文件（`protocolVersion`）。请按 v2 检查，并命名为 *.pai.yaml"
    ),
    "a name in `{a}`": "`{a}` 中的名称",
    "a name in `{a}` is {b}; use {c}.": "`{a}` 中的名称是 {b}；请使用{c}。",
    "a name in `{a}` has {b} characters; it may have {c}.": "`{a}` 中的名称有 {b} 个字符，最多可有 {c} 个。",
    "{a} is {b}; it must be {c}.": "{a} 是 {b}，应为：{c}。",
    "{a} is {b}; it must be one of {c}.": "{a} 是 {b}，应为以下之一：{c}。",
    "{a} is {b}; it must be from {c} to {d}.": "{a} 是 {b}，应在 {c} 到 {d} 之间。",
    "{a} is {b}; use {c}.": "{a} 是 {b}；请使用{c}。",
    "{a} has no field {b}. Did you mean {c}?": "{a} 没有字段 {b}。您是否要写 {c}？",
    "{a} has no field {b}; it has {c}.": "{a} 没有字段 {b}；它有 {c}。",
    "{a} has {b} characters; it may have {c}.": "{a} 有 {b} 个字符，最多可有 {c} 个。",
    "{a} is empty. Give it a value.": "{a} 为空。请赋值。",
    "{a} is empty. Give it at least one entry.": "{a} 为空。请至少加入一项。",
    "`{a}` is missing. Add it.": "缺少 `{a}`。请补上。",
    "`{a}` is {b}, but the role has {c} tasks. Give {d} at most.": "`{a}` 是 {b}，但该角色只有 {c} 个任务。最多可为 {d}。",
    "`{a}.{b}` is {c}, but the role has {d} tasks. Give {e} at most.": (
        "`{a}.{b}` 是 {c}，但该角色只有 {d} 个任务。最多可为 {e}。"
    ),
    "`{a}.shmMB` is {b}, but `memoryMB` is {c}. Give {d} at most.": (
        "`{a}.shmMB` 是 {b}，但 `memoryMB` 是 {c}。最多可为 {d}。"
    ),
    "`{a}` ends at port {b}; the last one is {c}.": "`{a}` 结束于端口 {b}，而最后一个端口是 {c}。",
    "`{a}` has the {b} {c} twice. Rename one of them.": "`{a}` 中的 {b} {c} 出现了两次。请重命名其中之一。",
    "`deployments` has the name {a} twice. Rename one of them.": "`deployments` 中的名称 {a} 出现了两次。请重命名其中之一。",
    "`prerequisites` has the name {a} twice for one type. Rename one of them.": (
        "`prerequisites` 中同一类型的名称 {a} 出现了两次。请重命名其中之一。"
    ),
    "`{a}` names {b}, which `{c}` does not have; it has {d}.": "`{a}` 指定了 {b}，但 `{c}` 中没有它；其中有 {d}。",
    "`{a}.{b}` has both `skuType` and `pinnedCellId`. Give one of them.": (
        "`{a}.{b}` 同时有 `skuType` 和 `pinnedCellId`。请只给出其中之一。"
    ),
    "`{a}` refers to '${b}'; use $parameters, $secrets, $script, $output or $data.": (
        "`{a}` 引用了 '${b}'；请使用 $parameters、$secrets、$script、$output 或 $data。"
    ),
    "`{a}` refers to '${b}', but the role has no field {c}. Add it.": (
        "`{a}` 引用了 '${b}'，但该角色没有字段 {c}。请补上。"
    ),
    # what it is and what it must be
    "text of {a} characters": "{a} 个字符的文本",
    "empty text": "空文本",
    "an object": "对象",
    "a list": "列表",
    "a huge number": "极大的数字",
    "of no JSON type": "JSON 没有的类型",
    "a whole number": "整数",
    "true or false": "true 或 false",
    "text or a number": "文本或数字",
    "letters, digits and . _ ~": "字母、数字和 . _ ~",
    "letters, digits and . _ -": "字母、数字和 . _ -",
    "letters, digits and . _": "字母、数字和 . _",
    "letters, digits and _": "字母、数字和 _",
    "letters, digits, - and _": "字母、数字、- 和 _",
    "letters, digits and _, with no digit in front": "字母、数字和 _，且不以数字开头",
    # task roles
    "PAI runs no jobs of the type {a}. Type --job-type with one of {b}, or choose another backend: --backend docker.": (
        "PAI 不运行 {a} 类型的作业。请输入 --job-type 及以下之一：{b}，或选择其他后端：--backend docker。"
    ),
    "`--role {a}`: a role of TaskRoles has letters, digits and . _ ~ in its name, and no . in front. "
    "Type e.g. --role worker={b}": (
        "`--role {a}`：TaskRoles 的角色名由字母、数字和 . _ ~ 组成，且不以 . 开头。例如输入 --role worker={b}"
    ),
    # job files: warnings
    "{name}: `cd $PAI_CODE_DIR` fails: it is an address in HDFS. The code lies in the working directory: cd $PAI_JOB_NAME": (
        "{name}：`cd $PAI_CODE_DIR` 会失败：它是 HDFS 中的地址。代码在工作目录中：cd $PAI_JOB_NAME"
    ),
    "`cd $PAI_CODE_DIR` fails: it is an address in HDFS. The code lies in the working directory: cd $PAI_JOB_NAME": (
        "`cd $PAI_CODE_DIR` 会失败：它是 HDFS 中的地址。代码在工作目录中：cd $PAI_JOB_NAME"
    ),
    "{name}: a failure before the last `|` is not seen. Put in front: set -o pipefail;": (
        "{name}：最后一个 `|` 之前的失败不会被发现。请在前面加上：set -o pipefail;"
    ),
    "a failure before the last `|` is not seen. Put in front: set -o pipefail;": (
        "最后一个 `|` 之前的失败不会被发现。请在前面加上：set -o pipefail;"
    ),
    "{name}: a failure before the last `|` is not seen. Put at the top: set -o pipefail": (
        "{name}：最后一个 `|` 之前的失败不会被发现。请在文件开头加上：set -o pipefail"
    ),
    "{name}, line {n}: the exit code is dropped, so the job succeeds where this fails. Use subprocess.check_call, "
    "or pass it to sys.exit.": (
        "{name} 第 {n} 行：退出码被丢弃，因此这里失败时作业仍会成功。请使用 subprocess.check_call，或将它传给 sys.exit。"
    ),
    "`killAllOnCompletedTaskNumber` has no effect any more. Use minSucceededTaskCount of a role.": (
        "`killAllOnCompletedTaskNumber` 已不再有效。请使用角色的 minSucceededTaskCount。"
    ),
    "{name}: where a line of `commands` fails, new servers go on with the next. Begin with: set -e": (
        "{name}：`commands` 的一行失败时，新的服务器会继续执行下一行。请以 set -e 开头"
    ),
    # secrets in them
    "`{a}` holds one of the secrets loaded in this session, which would be kept in records and on the cluster. {b}": (
        "`{a}` 含有本会话已加载的敏感信息之一，它会保存在记录中和集群上。{b}"
    ),
    "`{a}` holds one of the secrets loaded in this session, which would be kept in records and on the cluster. ": (
        "`{a}` 含有本会话已加载的敏感信息之一，它会保存在记录中和集群上。"
    ),
    "{a}Take it out, have it in `jobEnvs` under the name MY_SECRET, and write $MY_SECRET in its place.": (
        "{a}请将其去掉，在 `jobEnvs` 中以 MY_SECRET 为名写入，并在原处写 $MY_SECRET。"
    ),
    "{a}Take it out, have it in `secrets` under the name my_secret, and write <% $secrets.my_secret %> in its place.": (
        "{a}请将其去掉，在 `secrets` 中以 my_secret 为名写入，并在原处写 <% $secrets.my_secret %>。"
    ),
    "a text": "一段文本",
    "{a} looks like a secret, and commands are kept in records. ": "{a} 看起来是敏感信息，而命令会保存在记录中。",
    "{a} looks like a secret, and commands are kept in records. {b}": "{a} 看起来是敏感信息，而命令会保存在记录中。{b}",
    "{a}Put its value into `jobEnvs` under such a name, and write $NAME in its place.": (
        "{a}请将其值以这样的名称写入 `jobEnvs`，并在原处写 $NAME。"
    ),
    "{a}Put its value into `secrets`, and write <% $secrets.NAME %> in its place.": (
        "{a}请将其值写入 `secrets`，并在原处写 <% $secrets.NAME %>。"
    ),
    # clusters
    "no cluster of OpenPAI is known. Type: %pai_openpai cluster add NAME HOST USER": (
        "没有已知的 OpenPAI 集群。请输入：%pai_openpai cluster add NAME HOST USER"
    ),
    "one has letters, digits and signs of ASCII. Copy it from the cluster's portal again.": (
        "令牌由 ASCII 字母、数字和符号组成。请从集群的门户重新复制。"
    ),
    "that is no token: {a}": "这不是令牌：{a}",
    "the token of {a} at {b} is none: {c}": "{a} 在 {b} 的令牌无效：{c}",
    "the cluster has taken the job {a}, and does not say that it has it.": "集群接受了作业 {a}，但没有确认已有该作业。",
    "there is no cluster {a}; there are {b}.": "没有集群 {a}；现有 {b}。",
    "{a} is no address of a cluster. Give its host, e.g. pai.example.org": (
        "{a} 不是集群的地址。请给出其主机名，例如 pai.example.org"
    ),
    "{a} is no user of OpenPAI; use letters, digits and . _ -": "{a} 不能作为 OpenPAI 的用户名；请使用字母、数字和 . _ -",
    "{a} is no name of a cluster; use letters, digits and . _ -": "{a} 不能作为集群的名称；请使用字母、数字和 . _ -",
    "'{a}' cannot be read. Correct it, or remove it and add the clusters again.": (
        "无法读取 '{a}'。请改正它，或删除它并重新添加集群。"
    ),
    "what answers at {a} is no OpenPAI. Check the host: %pai_openpai cluster add NAME HOST USER": (
        "{a} 上应答的不是 OpenPAI。请检查主机名：%pai_openpai cluster add NAME HOST USER"
    ),
    "nobody has given the password of {a} at {b} to this process. Type: %pai_openpai cluster add {c} {d} {e}": (
        "当前进程没有 {a} 在 {b} 的密码。请输入：%pai_openpai cluster add {c} {d} {e}"
    ),
    "the cluster at {a} cannot be reached: {b}. Check the host and the network.": (
        "无法连接位于 {a} 的集群：{b}。请检查主机名和网络。"
    ),
    "the cluster at {a} did not answer: {b}.": "位于 {a} 的集群没有应答：{b}。",
    "the cluster at {a} did not answer within {b} s. Check the host and the network.": (
        "位于 {a} 的集群在 {b} 秒内没有应答。请检查主机名和网络。"
    ),
    "the cluster {a} (v1.x) has no HDFS: its jobs have storages, which are not reached from here.": (
        "集群 {a}（v1.x）没有 HDFS：其作业使用存储，而这些存储无法从这里访问。"
    ),
    # a cluster is checked
    "OpenPAI before v1.0 (YARN)": "OpenPAI v1.0 之前的版本（YARN）",
    "OpenPAI {a} (Kubernetes)": "OpenPAI {a}（Kubernetes）",
    "logged in as {a}": "已以 {a} 登录",
    "logged in as {a}, by a token": "已以 {a} 登录（使用令牌）",
    "a token of {a}, which is checked when a job is submitted": "{a} 的令牌，在提交作业时才会检查",
    "no HDFS": "没有 HDFS",
    "HDFS, which answers": "HDFS 有应答",
    "the token of {a} has ended. Give a new one: %pai_openpai cluster add NAME HOST USER --token": (
        "{a} 的令牌已过期。请给出新的令牌：%pai_openpai cluster add NAME HOST USER --token"
    ),
    "the token is of {a}, and the cluster was added for {b}. Add it for {u}: %pai_openpai cluster add {c} {d} {e} --token": (
        "该令牌属于 {a}，而集群是为 {b} 添加的。请为 {u} 添加：%pai_openpai cluster add {c} {d} {e} --token"
    ),
    "the HDFS of {a} has no root directory. Check hdfs_url, and the network.": (
        "{a} 的 HDFS 没有根目录。请检查 hdfs_url 和网络。"
    ),
    "the cluster refused {a}: {b}": "集群拒绝了{a}：{b}",
    "Give the password again, or with --token a token: %pai_openpai cluster add NAME HOST USER": (
        "请重新输入密码，或使用 --token 输入令牌：%pai_openpai cluster add NAME HOST USER"
    ),
    "{a} Give the password again, or with --token a token: %pai_openpai cluster add NAME HOST USER": (
        "{a} 请重新输入密码，或使用 --token 输入令牌：%pai_openpai cluster add NAME HOST USER"
    ),
    "Password is incorrect.": "密码不正确。",  # what servers say
    "Guest is not allowed to do this operation.": "不允许未登录的用户执行此操作。",
    "the cluster has started the job again: attempt {a}. Attempts are not listed here; the job's page at the portal has them.": (
        "集群重新启动了作业：第 {a} 次尝试。这里不列出各次尝试；请在门户的作业页面查看。"
    ),
    # what is not supported
    "the cluster at {a} logs users in through Azure Active Directory (AAD), which is not supported. Copy a token from its portal, "
    "and type: %pai_openpai cluster add {b} {c} {d} --token": (
        "位于 {a} 的集群通过 Azure Active Directory（AAD）登录，暂不支持。请从其门户复制令牌，并输入："
        "%pai_openpai cluster add {b} {c} {d} --token"
    ),
    "logging in through Azure Active Directory (AAD) is not supported. Copy a token from the cluster's portal, and type: "
    "%pai_openpai cluster add NAME HOST USER --token": (
        "暂不支持通过 Azure Active Directory（AAD）登录。请从集群的门户复制令牌，并输入：%pai_openpai cluster add NAME HOST USER --token"
    ),
    "HiveD and its SKU types are not supported: the cluster gets them as the file has them, unchecked. Its portal lists them.": (
        "暂不支持 HiveD 及其 SKU 类型：它们按文件原样发给集群，不作检查。可在集群的门户查看。"
    ),
    "ssh: how to log in to a task is not shown here. The job's page at the cluster's portal shows it.": (
        "ssh：这里不显示如何登录任务。请在集群门户的作业页面查看。"
    ),
    "attempts of a job are not listed here; the log has their lines one behind the other. The job's page at the portal has them.": (
        "这里不列出作业的各次尝试；日志中依次包含它们的输出。请在门户的作业页面查看。"
    ),
    "a job of the cluster cannot be cloned here. Submit its job file again; a job of this machine: %pai_rerun JOB": (
        "这里不能克隆集群上的作业。请重新提交其作业文件；对本机的作业请输入：%pai_rerun JOB"
    ),
    "storages of a cluster cannot be browsed here. Use its portal, or a directory where this machine has them mounted; for HDFS "
    "type: %pai_hdfs ls": "这里不能浏览集群的存储。请使用其门户，或本机挂载它们的目录；对 HDFS 请输入：%pai_hdfs ls",
    "free resources of a cluster are not shown here. Its portal shows them.": "这里不显示集群的空闲资源。请在其门户查看。",
    "a part of the log is lost: the cluster keeps only the last two pieces of a long log.": (
        "部分日志已丢失：集群只保留较长日志的最后两段。"
    ),
    "{a} Ask the cluster's administrator, or give another virtual cluster.": "{a} 请联系集群管理员，或换一个虚拟集群。",
    "{a} Wait, and try again: it limits requests and submissions per hour.": (
        "{a} 请稍后再试：集群限制了每小时的请求和提交次数。"
    ),
    "the cluster's answer is no JSON.": "集群的应答不是 JSON。",
    "the cluster's answer is no list.": "集群的应答不是列表。",
    "the cluster's answer to a login has no token.": "集群对登录的应答中没有令牌。",
    "the cluster's answer about the job {a} has no jobStatus.": "集群关于作业 {a} 的应答中没有 jobStatus。",
    "the cluster's list of logs has no log.": "集群的日志列表中没有日志。",
    "the login of {a}": " {a} 的登录",
    "the job {a}": "作业 {a}",
    "to show the job {a}": "显示作业 {a}",
    "to stop the job {a}": "停止作业 {a}",
    "to list jobs": "列出作业",
    "to show a log": "显示日志",
    "this cluster (v1.x) takes job files of version 2 only, and this one is of version 1. Write it as *.pai.yaml": (
        "该集群（v1.x）只接受版本 2 的作业文件，而此文件是版本 1。请改写为 *.pai.yaml"
    ),
    # the view of a job file's job
    "the commands of a job file decide where its results go, and job {a} has no output {b}. Copy them from there, e.g. from HDFS: "
    "%pai_hdfs get PATH .": (
        "作业文件的命令决定其结果放在哪里，而作业 {a} 没有输出 {b}。请从那里复制，例如从 HDFS：%pai_hdfs get PATH ."
    ),
    "a cell's job on OpenPAI leaves what it writes into its outputs, and not its working directory. Write into an output in the "
    "script, e.g. into os.environ['PAI_OUTPUT_MODEL']": (
        "单元格的作业在 OpenPAI 上只留下写入输出的内容，而不留下工作目录。请在脚本中写入输出，例如 os.environ['PAI_OUTPUT_MODEL']"
    ),
    "Its commands run as its service runs them. Addresses, ports and directories of its tasks are known only there.": (
        "其命令按服务自己的方式运行。各任务的地址、端口和目录只有服务知道。"
    ),
    "output {a} is not on this machine. Download it: job.fetch({b})": "输出 {a} 不在本机。请取回：job.fetch({b})",
    "{a} is not on this machine. Download it: job.fetch({b})": "{a} 不在本机。请取回：job.fetch({b})",
    # %pai_doctor
    "{a}, logged in until this process ends": "{a}，在当前进程结束前保持登录",
    "{a}, with a password that is kept": "{a}，密码已保存",
    "{a}, without a password": "{a}，没有密码",
    "Type: %pai_openpai cluster add {a} {b} {c}": "请输入：%pai_openpai cluster add {a} {b} {c}",
    "OpenPAI {name}": "OpenPAI 集群 {name}",
    "hdfs://{a}; look into it with %pai_hdfs ls": "hdfs://{a}；用 %pai_hdfs ls 查看",
    # %pai_openpai
    "cluster": "集群",
    "chosen": "已选",
    "Its jobs go on, and are no longer followed.": "它的作业继续运行，但不再跟踪。",
    "nobody can be asked for a password here. Set {a} in the environment, or add the cluster in a notebook with --keep": (
        "这里无法询问密码。请在环境变量中设置 {a}，或在 Notebook 中用 --keep 添加集群"
    ),
    "{a} is no file. Give a job file, e.g. job.pai.yaml": "{a} 不是文件。请给出作业文件，例如 job.pai.yaml",
    "{a} has {n} bytes, which no cluster takes. Give a job file.": "{a} 有 {n} 字节，没有集群接受。请给出作业文件。",
    "a simulation runs in containers, and cannot now. {a}": "模拟在容器中运行，现在无法运行。{a}",
    "the commands of this job are those of its file, and take no values. Change the file, and submit it again.": (
        "该作业的命令来自其作业文件，不接受参数值。请修改文件后重新提交。"
    ),
    "{a} is good.": "{a} 没有问题。",
    "token of {a} at {b}: ": "{a} 在 {b} 的令牌：",
    "password of {a} at {b}: ": "{a} 在 {b} 的密码：",
    "Type: %pai_openpai cluster add NAME HOST USER, or: cluster list, or: cluster use NAME, or: cluster check NAME, or: cluster "
    "delete NAME": (
        "请输入：%pai_openpai cluster add NAME HOST USER，或 cluster list，或 cluster use NAME，或 cluster check NAME，或 cluster "
        "delete NAME"
    ),
    "no cluster is known. Type: %pai_openpai cluster add NAME HOST USER": (
        "没有已知的集群。请输入：%pai_openpai cluster add NAME HOST USER"
    ),
    "{a} cannot be read: {b}.": "无法读取 {a}：{b}。",
    "give one job file, e.g. %pai_openpai {a} job.pai.yaml": "请给出一个作业文件，例如 %pai_openpai {a} job.pai.yaml",
    "`--image-map {a}` is not of the form PATTERN=LOCAL": "`--image-map {a}` 不是 PATTERN=LOCAL 的形式",
    "{a} is no name of an image; an example: python:3.11-slim": "{a} 不是镜像的名称；例如：python:3.11-slim",
    "`images` must be an object: an image of the job file, and a local one.": (
        "`images` 应为对象：作业文件中的镜像和本地镜像。"
    ),
    "the job file has no image {a}. Open its dialog again.": "作业文件中没有镜像 {a}。请重新打开其对话框。",
    "a simulation needs Docker. Type: %pip install 'pai_jupyter[docker]'": (
        "模拟需要 Docker。请输入：%pip install 'pai_jupyter[docker]'"
    ),
    "no installed backend runs job files.": "没有已安装的后端可以运行作业文件。",
    "this machine has no GPUs, so the simulation runs without those that the job asks for.": (
        "本机没有 GPU，因此模拟运行时没有作业所要求的 GPU。"
    ),
    "the files are {a} bytes, and a cluster takes {b}; the largest is {c}. Name fewer: --upload GLOB": (
        "这些文件有 {a} 字节，而集群最多接受 {b}；最大的是 {c}。请减少文件：--upload GLOB"
    ),
    "'{a}' cannot be read. Correct it, or type --upload GLOB": "无法读取 '{a}'。请改正它，或输入 --upload GLOB",
    "no file in {a} matches {b}. Check `--upload`; a pattern is e.g. **/*.py": (
        "{a} 中没有与 {b} 匹配的文件。请检查 `--upload`；模式例如 **/*.py"
    ),
    "{a} is no pattern of files below the job file's folder.": "{a} 不是作业文件所在文件夹中文件的模式。",
    "{a} is a link that leaves the job file's folder. Copy the file there, or exclude it.": (
        "{a} 是指向作业文件所在文件夹之外的链接。请将文件复制到该文件夹，或将其排除。"
    ),
    "{a}: no file matches {b}.": "{a}：没有与 {b} 匹配的文件。",
    "{a}: no file goes with this job, since the job file has no `codeDir`.": (
        "{a}：没有文件随该作业提交，因为作业文件没有 `codeDir`。"
    ),
    "`--upload` names files, but the job file has no `codeDir` to which they could go. Leave it out, or add to a job file of version "
    '1: "codeDir": "$PAI_DEFAULT_FS_URI/$PAI_USER_NAME/$PAI_JOB_NAME"': (
        "`--upload` 指定了文件，但作业文件没有可存放它们的 `codeDir`。请去掉它，或在版本 1 的作业文件中加入："
        '"codeDir": "$PAI_DEFAULT_FS_URI/$PAI_USER_NAME/$PAI_JOB_NAME"'
    ),
    "`{f}` is {a}; it must be a directory in HDFS. Write: {b}/$PAI_USER_NAME/$PAI_JOB_NAME": (
        "`{f}` 是 {a}，应为 HDFS 中的目录。请写：{b}/$PAI_USER_NAME/$PAI_JOB_NAME"
    ),
    "`codeDir` would have {a} bytes with what is at {b} already, and a cluster takes {c}. Name a directory of the job's own, or "
    "fewer files.": "加上 {b} 中已有的内容，`codeDir` 将有 {a} 字节，而集群最多接受 {c}。请指定该作业专用的目录，或减少文件。",
    "there is no `codeDir` at {a}, and no file goes there with the job, which would fail. Name files: --upload GLOB, or leave "
    "`codeDir` out.": "{a} 处没有 `codeDir`，也没有文件随作业放到那里，因此作业会失败。请指定文件：--upload GLOB，或去掉 `codeDir`。",
    "there is a job {a} already. Change its name in the job file, or let it be completed: write "
    '"pai.job.generateJobName.enabled": true to .vscode/settings.json': (
        "已有名为 {a} 的作业。请在作业文件中更改名称，或让名称自动补全：在 .vscode/settings.json 中写入 "
        '"pai.job.generateJobName.enabled": true'
    ),
    "a job file": "作业文件",
    "simulation": "模拟",
    # in JupyterLab
    "there is no file {a} below the server's directory.": "服务器的目录下没有文件 {a}。",
    "the password is empty. Type the one that logs in at the cluster.": "密码为空。请输入登录集群的密码。",
    # jobs there
    "job {a} has no output {b}.": "作业 {a} 没有输出 {b}。",
    "(submitted elsewhere)": "（在别处提交）",
    "OpenPAI runs several tasks as TaskRoles, not as {a}. Type --job-type TaskRoles": (
        "OpenPAI 以 TaskRoles 运行多个任务，而不是 {a}。请输入 --job-type TaskRoles"
    ),
    "the option {a}.job holds a secret, and options are kept in records. Write {b} in its place, and give the value to "
    "`environments` under the name {c}.": (
        "选项 {a}.job 含有密钥，而选项会保存在记录中。请在其位置写 {b}，并在 `environments` 中以名称 {c} 给出值。"
    ),
    "the job file names the variable {a} in place of a secret, whose value is in no record. Set {b} in os.environ, then submit "
    "the file again.": (
        "作业文件以变量 {a} 代替密钥，其值不在任何记录中。请先在 os.environ 中设置 {b}，再重新提交该文件。"
    ),
    "OpenPAI needs an image. Type e.g. --image python:3.11": "OpenPAI 需要镜像。例如输入 --image python:3.11",
    "OpenPAI has no instance types, and `instance_type` is {a}. Leave it out, and say what a task needs: --option {b}.gpus=1": (
        "OpenPAI 没有实例规格，而 `instance_type` 是 {a}。请不要指定它，而是说明任务的需要：--option {b}.gpus=1"
    ),
    "`--send` does not work on OpenPAI: a job's code is all that goes there. Leave it out; save the values to a file, copy it to the "
    "cluster by %pai_hdfs put, and read it in the script.": (
        "OpenPAI 不支持 `--send`：只有作业的代码会发送到那里。请去掉它；将值保存到文件，用 %pai_hdfs put 复制到集群，并在脚本中读取。"
    ),
    "input {a} is {b}, and `-i` does not work on OpenPAI. Leave it out; copy the data to the cluster by %pai_hdfs put, and read them "
    "in the script.": (
        "输入 {a} 是 {b}，而 OpenPAI 不支持 `-i`。请去掉它；用 %pai_hdfs put 将数据复制到集群，并在脚本中读取。"
    ),
    "note: OpenPAI ends the job when all tasks of one role have succeeded, or when any task fails, and stops the tasks of the other "
    "roles. Let a role that is done early wait for the others.": (
        "注意：当一个角色的所有任务都成功，或任何任务失败时，OpenPAI 会结束作业，并停止其他角色的任务。请让先完成的角色等待其他角色。"
    ),
    "note: OpenPAI ends no job at a time limit: `--max-time` does not hold there. Stop the job yourself.": (
        "注意：OpenPAI 不会按时限终止作业：`--max-time` 在那里无效。请自行停止作业。"
    ),
    "note: variables of `--return` come back from clusters with HDFS only; from others, name a storage: --option "
    "openpai.storage=NAME": (
        "注意：`--return` 的变量只能从带有 HDFS 的集群取回；对于其他集群，请指定存储：--option openpai.storage=NAME"
    ),
    "`source_dir` is {a}; OpenPAI takes a directory of this machine.": "`source_dir` 是 {a}；OpenPAI 接受本机的目录。",
    "the code is packed {a} bytes; on a cluster without HDFS it may have {b}. Leave files out by .paiignore, or bake the code "
    "into an image.": (
        "代码打包后有 {a} 字节；在没有 HDFS 的集群上最多可为 {b}。请用 .paiignore 排除文件，或将代码放入镜像。"
    ),
    "output {a} of job {b} cannot be reached from here. It lies in the storage that the job named "
    "(--option openpai.storage=NAME), else it is gone with its task. Where that storage is mounted here, say it: "
    "--option openpai.storage_at=DIRECTORY": (
        "无法从这里访问作业 {b} 的输出 {a}。它在作业指定的存储中（--option openpai.storage=NAME），否则已随任务消失。"
        "如果该存储挂载在本机，请说明：--option openpai.storage_at=DIRECTORY"
    ),
}
