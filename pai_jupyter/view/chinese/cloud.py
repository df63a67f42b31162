"""What PAI and its sessions, keys, settings and TensorBoard apps say."""

CLOUD = {
    # backends/pai/submission/spec_check.py
    ("{a} {b} is {c}, which PAI does not know; it takes {d}, a dataset id, or a local path."): (
        "{a} {b} 是 {c}，PAI 不支持；可以是 {d}、数据集 ID 或本地路径。"
    ),
    ("{a} in a quota need a share of its machines: --option pai.instance_spec={'CPU': '4', 'Memory': '8Gi'}"): (
        "在资源配额中运行的{a}须指定所占份额：--option pai.instance_spec={'CPU': '4', 'Memory': '8Gi'}"
    ),
    (
        "`--pass-env {a}` is for jobs of this machine: PAI keeps the variables of a job with it, for all who may see "
        "the job. Where that will do, give it as --env {b}=..."
    ): (
        "`--pass-env {a}` 只能用于本机的作业：PAI 会随作业保存变量，能查看该作业的人都能看到。如果可以接受，请用 --env {b}=... 给出"
    ),
    ("`source_dir` is {a}; PAI takes a directory of this machine, or one at oss://BUCKET/DIRECTORY/."): (
        "`source_dir` 是 {a}；PAI 接受本机的目录，或 oss://BUCKET/DIRECTORY/ 中的目录。"
    ),
    ("`source_dir` is {a}; it ends with a slash where it is a directory, or with .tar.gz."): (
        "`source_dir` 是 {a}；目录应以斜杠结尾，否则应以 .tar.gz 结尾。"
    ),
    "jobs with roles": "多角色作业",
    "ElasticBatchJobs": " ElasticBatchJob ",
    ("the option pai.{a} is of the training service, and {b} run on DLC. Leave it out."): (
        "选项 pai.{a} 属于训练服务，而{b}在 DLC 上运行。请去掉它。"
    ),
    ("input {a} is a table, which DLC, where {b} run, does not read. Read it in the script."): (
        "输入 {a} 是表，而{b}在 DLC 上运行，DLC 不读取表。请在脚本中读取。"
    ),
    ("{a} is {b}, which PAI cannot write to. Give an address, e.g. oss://BUCKET/DIRECTORY/."): (
        "{a} 是 {b}，PAI 无法写入。请指定地址，例如 oss://BUCKET/DIRECTORY/。"
    ),
    (
        "{a} is {b}, and the emulator has no {c}://. Give it a directory of this machine instead: type %pai_config "
        "use emulator --stop, start python -m pai_jupyter.emulator --mount {d}=DIRECTORY in a terminal, and type "
        "%pai_config use emulator."
    ): (
        "{a} 是 {b}，模拟器没有 {c}://。请改用本机的目录：输入 %pai_config use emulator --stop，在终端启动 python -m "
        "pai_jupyter.emulator --mount {d}=DIRECTORY，再输入 %pai_config use emulator。"
    ),
    (
        "input {a} is {b}; give the path itself, and it is uploaded: -i {c}=PATH"
    ): "输入 {a} 是 {b}；请直接给出路径，它会被上传：-i {c}=PATH",
    # backends/pai/submission/creation.py
    " Looking for it failed: {a}": "查找它时失败：{a}",
    "{a} It may have been carried out all the same.": "{a}请求可能已经执行。",
    "the job was created and could not be stopped: {a}": "作业已创建，但无法再停止：{a}",
    ("the submission was broken off. It may have been carried out all the same."): "提交被中断。请求可能已经执行。",
    "its jobs cannot be listed: {a}": "无法列出其作业：{a}",
    # backends/pai/following/events_from_remote.py
    (
        "{a} wrote files into /ml/output beside its channels that could not be saved and are lost: {b}. Write it "
        'into a channel, e.g. os.environ["PAI_OUTPUT_MODEL"].'
    ): (
        '{a} 写入 /ml/output 中各通道之外的内容无法保存，已丢失：{b}。请写入通道，例如 os.environ["PAI_OUTPUT_MODEL"]。'
    ),
    (
        "the job was ended before all of its replicas could save what they may have written into /ml/output beside "
        "its channels. What they wrote into channels is there."
    ): ("作业已被结束，部分副本来不及保存写入 /ml/output 中各通道之外的内容。写入通道的内容已保存。"),
    # backends/pai/following/followed_job.py
    "the service rejects requests about job {a}: {b}": "服务拒绝提供作业 {a} 的信息：{b}",
    # backends/pai/services/job.py
    "backend 'pai' knows no job {a}.": "后端 'pai' 中没有作业 {a}。",
    "'{a}' cannot be read: {b}. It says where the job is.": "无法读取 '{a}'：{b}。其中记录了作业的位置。",
    (
        "'{a}' is damaged, so nobody knows whether job {b} was created. Look for it in the console; if it is not there, "
        "delete this file."
    ): "'{a}' 已损坏，不知道作业 {b} 是否已创建。请在控制台中查找该作业；如果没有，请删除此文件。",
    (
        "the record of job {a} does not say where it is: state.json: {b}"
    ): "作业 {a} 的记录没有说明作业在哪里：state.json：{b}",
    # backends/pai/services/logs.py
    "`Logs` in the answer is not a list. Update pai_jupyter.": "响应中的 `Logs` 不是列表。请更新 pai_jupyter。",
    (
        "`TotalCount` in the answer is not a number. Update pai_jupyter."
    ): "响应中的 `TotalCount` 不是数字。请更新 pai_jupyter。",
    # backends/pai/outputs.py
    (
        "output {a} of job {b} lies at {c}, which only jobs of PAI reach. Mount it there, or let the next job write "
        "to OSS: -o {d}=oss://BUCKET/DIRECTORY/"
    ): (
        "作业 {b} 的输出 {a} 位于 {c}，只有 PAI 的作业能访问。请挂载它，或让下一个作业写入 OSS：-o "
        "{d}=oss://BUCKET/DIRECTORY/"
    ),
    # backends/pai/spec_from_remote.py
    "a job of PAI": "PAI 作业",
    "(not reported by the service)": "（服务没有说明）",
    # backends/pai/remote_listing.py
    "{a} (submitted elsewhere, {b})": "{a}（在别处提交，{b}）",
    # backends/pai/services/job_service.py
    (
        "the service created a job without returning its id. Look for it in the console."
    ): "服务创建了作业，但没有说明是哪一个。请在控制台中查找。",
    # backends/pai/submission/uploads.py
    "sending the code": "正在上传代码",
    "sending input {a} from {b}": "正在从 {b} 上传输入 {a}",
    (
        "the files in {a} changed while they were uploaded. Run it again."
    ): "{a} 中的文件在上传时发生了变化。请重新运行。",
    "the submission was interrupted.": "提交被中断。",
    # cloud/client/answer.py
    "it answered {a} with {b} in it": "响应状态为 {a}，内容为 {b}",
    "an HTML page": "HTML 页面",
    "no JSON": "非 JSON",
    # cloud/client/client.py
    "no reason given": "没有给出原因",
    "the source of the credentials gave none in time": "凭证来源没有及时提供凭证",
    "it did not answer in time": "没有及时响应",
    # cloud/client/credential.py
    "the session": "会话",
    (
        "`{a}` from {b} is empty, or has a blank, a line break or another character that no key has. Copy it again "
        "from the RAM console."
    ): ("来自 {b} 的 `{a}` 为空，或含有空格、换行或密钥中不会出现的字符。请从 RAM 控制台重新复制。"),
    # cloud/client/endpoints.py
    ("the services at {a} must be asked over https: http would show your key's use to the network."): (
        "必须通过 https 访问 {a} 的服务：用 http 会在网络上暴露密钥的使用。"
    ),
    # cloud/client/paging.py
    "{a} gives no pages": "{a} 没有返回分页数据",
    "`{a}` in the answer is not a list. Update pai_jupyter.": "响应中的 `{a}` 不是列表。请更新 pai_jupyter。",
    "the pages of {a} do not end: the one after {b} is {c}.": "{a} 的分页没有结束：{b} 之后是 {c}。",
    "`{a}` in the answer is not a number. Update pai_jupyter.": "响应中的 `{a}` 不是数字。请更新 pai_jupyter。",
    # cloud/client/refusals.py
    ("Get a new security token: this one has expired, or belongs to another access key id."): (
        "请获取新的安全令牌：此令牌已过期，或属于另一个 AccessKey ID。"
    ),
    (
        "Set this computer's clock right, e.g. by `timedatectl set-ntp true`."
    ): "请校准本机时间，例如用 `timedatectl set-ntp true`。",
    "Ask whoever runs the account for that permission in RAM.": "请让账号管理员在 RAM 中授予该权限。",
    (
        "Check the id, the region and the workspace: it may have been deleted, or be somewhere else."
    ): "请检查 ID、地域和工作空间：它可能已被删除，或在别处。",
    "The component, or this version of it, was deleted. Type %pai_component to see those that are there.": (
        "组件或其此版本已被删除。用 %pai_component 查看现有的组件。"
    ),
    "Take an instance type that the region has. Type %pai_instances to see them.": (
        "请选用该地域提供的实例类型；用 %pai_instances 查看。"
    ),
    "Correct the value that it names.": "请改正其中指出的值。",
    (
        "Check that the region has this service; if it does, update pai_jupyter."
    ): "请检查该地域是否有此服务；如果有，请更新 pai_jupyter。",
    "Free some of it, or ask for a higher quota in the console.": "请释放一部分，或在控制台申请更高的配额。",
    (
        "Check the proxy (HTTPS_PROXY, NO_PROXY) and the address of the services."
    ): "请检查代理（HTTPS_PROXY、NO_PROXY）和服务地址。",
    (
        "Where the network has certificates of its own, name their file in SSL_CERT_FILE."
    ): "如果网络使用自己的证书，请用 SSL_CERT_FILE 指定证书文件。",
    (
        "Check the network, the region, and HTTPS_PROXY; hosts of a VPC answer only inside of it."
    ): "请检查网络、地域和 HTTPS_PROXY；VPC 地址只能在该 VPC 内访问。",
    "This computer's clock is {a} min {b} the service's.": "本机时间比服务端 {b} {a} 分钟。",
    (
        "Give the security token too: this access key id is a temporary one."
    ): "请同时给出安全令牌：此 AccessKey ID 是临时的。",
    "Stop or delete a TensorBoard app first.": "请先停止或删除一个 TensorBoard 应用。",
    "It takes the permission `{a}`. {b}": "需要权限 `{a}`。{b}",
    "did not answer": "没有响应",
    ("It may have been carried out all the same: look before you try again."): "请求可能已经执行：重试前请先查看。",
    "ahead of": "快",
    "{a} The key came from {b}.": "{a}密钥来自 {b}。",
    "Try again later.": "请稍后再试。",
    "Try again in {a} s, as it asks.": "请按服务的要求在 {a} 秒后再试。",
    "Look the code up in the service's reference.": "请在服务的文档中查看错误码。",
    # cloud/client/request.py
    "{a} cannot be written: {b}.": "无法写出 {a}：{b}。",
    "{a} is no `{b}`, which {c} needs.": "{a} 不是 `{b}`，而 {c} 需要它。",
    # cloud/client/sources.py
    "environment variables": "环境变量",
    "the address in {a}CREDENTIALS_URI": "{a}CREDENTIALS_URI 中的地址",
    ("it needs the package alibabacloud-credentials. Type: %pip install 'pai_jupyter[pai]'"): (
        "需要 alibabacloud-credentials。请输入：%pip install 'pai_jupyter[pai]'"
    ),
    "it was answered {a}": "响应为 {a}",
    "{a} gives no key any more: {b}. Log in again there.": "{a} 不再提供密钥：{b}。请在那里重新登录。",
    "{a} gives none: {b}. ": "{a} 没有提供密钥：{b}。",
    "this machine's role {a}": "本机的角色 {a}",
    # cloud/images/choice.py
    "`accelerator_type` is {a}; it is CPU or GPU.": "`accelerator_type` 是 {a}；应为 CPU 或 GPU。",
    # cloud/images/offered.py
    "the emulator": "模拟器",
    "none at all": "一个也没有",
    "`scope` is {a}; it is one of {b}.": "`scope` 是 {a}；可以是 {b} 之一。",
    # cloud/session/clock.py
    "{a} does not answer: {b}.": "{a} 没有响应：{b}。",
    (
        "{a} has no date in its answer. Check the proxy: HTTPS_PROXY, NO_PROXY."
    ): "{a} 的响应中没有时间，中间可能有代理。",
    # cloud/session/default.py
    (
        "the emulator at {a} is in force here, and its region is {b}. For the cloud type first: %pai_config use "
        "emulator --stop"
    ): ("当前使用模拟器 {a}，其地域是 {b}。要使用云上服务，请先输入：%pai_config use emulator --stop"),
    ("`region_id` is missing, and no region is configured, e.g. region_id='cn-shanghai'."): (
        "缺少 `region_id`，也没有设置地域，例如 region_id='cn-shanghai'。"
    ),
    "`{a}` is no text but {b}. Give it as a string.": "`{a}` 不是文本，而是 {b}。请以字符串给出。",
    # cloud/session/keys.py
    "the emulator's own": "模拟器自己的",
    (
        "profile {a} has no access key any more. Type: %pai_config wizard"
    ): "配置 {a} 中已没有 AccessKey。请输入：%pai_config wizard",
    # cloud/session/literal.py
    (
        "an access key stands in this cell, and so in the notebook. Take it out: keep it in a profile (type once: "
        "%pai_config wizard), or ask for it with access_key_secret=getpass.getpass('secret: ')"
    ): (
        "此单元格中有 AccessKey，会随笔记本一起保存。请将其移除：改为保存到配置中（运行一次 %pai_config wizard），或在运行时输入："
        "access_key_secret=getpass.getpass('secret: ')"
    ),
    # cloud/session/persist.py
    "Next time keys come from {a}.": "下次的密钥来自 {a}。",
    "kept region, workspace and bucket in {a}; no key is. {b}": "地域、工作空间和 Bucket 已保存到 {a}；密钥没有保存。{b}",
    ("No key is configured for next time: type %pai_config wizard, or set ALIBABA_CLOUD_ACCESS_KEY_ID and _SECRET."): (
        "下次没有可用的密钥：请输入 %pai_config wizard，或设置 ALIBABA_CLOUD_ACCESS_KEY_ID 和 _SECRET。"
    ),
    (
        "these values are the emulator's, and would stand in the way of the cloud's in {a}. Nothing is written: next "
        "time type %pai_config use emulator again."
    ): ("这些值属于模拟器，写入 {a} 会影响云的设置，因此没有写入：下次请再输入 %pai_config use emulator。"),
    "{a} is not UTF-8 text. Save it as UTF-8.": "{a} 不是 UTF-8 文本。请保存为 UTF-8。",
    # cloud/tensorboard/limit.py
    (
        "there are {a} TensorBoard apps already, and no more may run: {b}. Stop one, e.g. the oldest: "
        "%pai_tensorboard --stop {c}"
    ): ("已有 {a} 个 TensorBoard 应用，不能再启动：{b}。请停止一个，例如最早的：%pai_tensorboard --stop {c}"),
    ("there are too many TensorBoard apps, of others or in other workspaces: stop one in the console."): (
        "其他人或其他工作空间的 TensorBoard 应用过多：请在控制台停止一个。"
    ),
    # cloud/tensorboard/opening.py
    ("nobody says where the bucket {a} is. Type: %pai_config set endpoint=..."): (
        "不知道 Bucket {a} 在哪个地域。请输入：%pai_config set endpoint=..."
    ),
    ("the record of this job does not say where in the cloud it is."): "此作业的记录没有说明它在云上的位置。",
    # cloud/tensorboard/waiting.py
    ("TensorBoard app {a} does not answer after {b} s; it is {c}. Look again in a while: %pai_tensorboard --list"): (
        "TensorBoard 应用 {a} 在 {b} 秒后仍没有响应；状态为 {c}。请稍后查看：%pai_tensorboard --list"
    ),
    "no reason is given": "没有给出原因",
    "TensorBoard app {a} has ended: {b}.": "TensorBoard 应用 {a} 已结束：{b}。",
    # config/files.py
    ("{a}a profile is a table: [profiles.work], below it lines like region = ..."): (
        "{a}每个配置是一个表：先写 [profiles.work]，其下是 region = ... 这样的行"
    ),
    (
        "{a} line 1: a JSON object is expected. Correct the file, or remove it."
    ): "{a} 第 1 行：应为 JSON 对象。请改正文件，或将其删除。",
    "{a} cannot be read: {b}.": "无法读取 {a}：{b}。",
    "{a} line {b}: {c}. Correct the file, or remove it.": "{a} 第 {b} 行：{c}。请改正文件，或将其删除。",
    "{a} is nested too deeply. Correct the file, or remove it.": "{a} 嵌套过深。请改正文件，或将其删除。",
    "{a} line {b}: {c}. Correct the line.": "{a} 第 {b} 行：{c}。请改正该行。",
    "{a} is nested too deeply. Correct the file.": "{a} 嵌套过深。请改正文件。",
    # config/keys.py
    "{a} has half an access key: `{b}` is missing. Give both.": (
        "{a} 的 AccessKey 不完整：缺少 `{b}`。AccessKey ID 和 AccessKey Secret 须同时给出。"
    ),
    # config/settings.py
    "%pai_config in a notebook": "笔记本中的 %pai_config",
    "project file {a}": "项目文件 {a}",
    "user file {a}": "用户文件 {a}",
    "SDK file {a}": "SDK 文件 {a}",
    "variable {a}": "环境变量 {a}",
    # config/writing.py
    (
        "{a} has profiles in a style that is not changed here. Write [profiles.{b}] by hand."
    ): "{a} 中配置的写法无法在此修改。请手动写入 [profiles.{b}]。",
    # estimator/custom_job.py
    "`{a}` is {b}, and {c}. Leave `{d}` out.": "`{a}` 为 {b}，而{c}。请去掉 `{d}`。",
    "jobs always have it at {a}": "作业中的位置始终为 {a}",
    "code goes to the session's bucket": "代码上传到会话的 Bucket",
    ("this CustomJob has not run yet. Call .run(job_config=...) or .local_run() first."): (
        "此 CustomJob 尚未运行。请先调用 .run(job_config=...) 或 .local_run()。"
    ),
    # estimator/estimator.py
    ("a metric definition needs a Name and a Regex: {'Name': 'acc', 'Regex': 'acc=([0-9.]+)'}"): (
        "指标定义需要 Name 和 Regex：{'Name': 'acc', 'Regex': 'acc=([0-9.]+)'}"
    ),
    ("give either `command` or `entry_point`, e.g. Estimator(entry_point='train.py', ...)."): (
        "请指定 `command` 或 `entry_point` 之一，例如 Estimator(entry_point='train.py', ...)。"
    ),
    "`requirements` is text; give a list: requirements=[{a}]": "`requirements` 是文本；请指定列表：requirements=[{a}]",
    "this Estimator has not run yet. Call .fit() first.": "此 Estimator 尚未运行。请先调用 .fit()。",
    "`roles` must be a list of texts or `Role`s, e.g. ['chief=1', 'worker=2'], and is {a}.": (
        "`roles` 必须是文本或 `Role` 的列表，例如 ['chief=1', 'worker=2']，而现在是 {a}。"
    ),
    # estimator/job_config.py
    "all roles run on this machine; of `job_config` not used here: {a}": (
        "所有角色都在本机运行；`job_config` 中以下各项在本机不使用：{a}"
    ),
    (
        "a {name} has a master: the {n} workers of `job_config` run as 1 master and {n2} worker. With master_count=1 and "
        "worker_count={n3} there are {n4} replicas."
    ): (
        "{name} 需要一个 master：`job_config` 中的 {n} 个 worker 以 1 个 master 和 {n2} 个 worker 运行。"
        "写 master_count=1 和 worker_count={n3} 则有 {n4} 个副本。"
    ),
    "`instance_type` {a} is not used: the roles of `job_config` have instance types of their own.": (
        "`instance_type` {a} 没有使用：`job_config` 的各角色有自己的实例类型。"
    ),
    "`job_config` must be a JobConfig, and is {a}. Type: JobConfig.create(worker_count=1, worker_instance_type='ecs.c6.large')": (
        "`job_config` 应为 JobConfig，而现在是 {a}。请输入：JobConfig.create(worker_count=1, worker_instance_type='ecs.c6.large')"
    ),
    "`{a}_count` is {b}; it is a number of machines, e.g. 1.": "`{a}_count` 是 {b}；应为机器数量，例如 1。",
    "the role {a} has no machine: give {b}_instance_type, e.g. 'ecs.c6.large'.": (
        "角色 {a} 没有指定机器：请设置 {b}_instance_type，例如 'ecs.c6.large'。"
    ),
    (
        "no role of this JobConfig has a machine. Type: JobConfig.create(worker_count=1, "
        "worker_instance_type='ecs.c6.large')"
    ): (
        "此 JobConfig 的所有角色都没有指定机器。请输入：JobConfig.create(worker_count=1, "
        "worker_instance_type='ecs.c6.large')"
    ),
    # tensorboard/address.py
    (
        "Open it in a notebook of a Jupyter server that has pai_jupyter in its environment; restart a server that was started "
        "before pai_jupyter was installed."
    ): "请在环境中装有 pai_jupyter 的 Jupyter 服务器的 notebook 中打开；如果服务器在安装 pai_jupyter 之前启动，请重启服务器。",
    (
        "This link works on the machine that runs the kernel. From elsewhere: {a}"
    ): "此链接只能在运行内核的机器上打开。从其他机器：{a}",
    "It listens on port {a} of the hub's machine. {b}": "它监听 JupyterHub 所在机器的端口 {a}。{b}",
    # tensorboard/local.py
    "cannot start a TensorBoard in '{a}': {b}. Is there room?": "无法在 '{a}' 启动 TensorBoard：{b}。请检查是否还有磁盘空间。",
    "the directory of {a}": "{a} 的目录",
    # tensorboard/launcher.py
    "there is no secret in {a}": "{a} 中没有密钥",
    # tensorboard/server.py
    "it said nothing": "没有任何输出",
    "TensorBoard does not answer after {a} s: {b}": "TensorBoard 在 {a} 秒后没有响应：{b}",
    # cloud/client/refusals.py: how its sentences are put together
    "{a} refused {b}: {c}. {d}": "{a} 拒绝了 {b}：{c}。{d}",
    "{a} did not answer {b}: {c}. {d}": "{a} 没有响应 {b}：{c}。{d}",
    # words and sentences that others are put together with
    "behind": "慢",
    "input {a} is {b}, which PAI does not know; it takes {c}, a dataset id, or a local path.": (
        "输入 {a} 是 {b}，PAI 不支持；可以是 {c}、数据集 ID 或本地路径。"
    ),
    "output {a} is {b}, which PAI does not know; it takes {c}, a dataset id, or a local path.": (
        "输出 {a} 是 {b}，PAI 不支持；可以是 {c}、数据集 ID 或本地路径。"
    ),
}
