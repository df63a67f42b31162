"""What the server and the wire answer to a page."""

PAGES = {
    # server/__init__.py
    "pai_jupyter cannot show jobs in this server: {a}": "pai_jupyter 无法在此服务器中显示作业：{a}",
    # server/answers.py
    "the parameter {a} is unknown or repeated; {b} takes {c}.": "参数 {a} 未知或重复；{b} 可用 {c}。",
    "the parameter {a} is {b}; it must be {c}.": "参数 {a} 是 {b}；应为 {c}。",
    # server/boards.py
    "this request must come from a page of this server.": "此请求必须来自本服务器的页面。",
    "this is not an address of a TensorBoard.": "这不是 TensorBoard 的地址。",
    "the TensorBoard does not answer. Try again.": "TensorBoard 没有响应。请重试。",
    # server/cells.py
    (
        "the cell does not begin with %%pai_train. Add that line, with the options it needs."
    ): "单元格没有以 %%pai_train 开头。请加上这一行和所需的选项。",
    (
        "`{a}` is a variable of the kernel, which the server cannot read. Write its value, or run the cell in the notebook."
    ): ("`{a}` 代表内核的变量，此处看不到它的值。请写出其值，或直接运行单元格。"),
    '`values` must be a JSON object, e.g. {"lr": 0.01}.': '`values` 必须是对象：{"lr": 0.01}。',
    "the notebook {a} must be a path below the server's directory.": "笔记本 {a} 不在服务器的目录之下。",
    "the notebook {a} is not in a directory of this server.": "笔记本 {a} 不在此服务器显示的目录中。",
    "`{a}` needs a kernel. Remove it, or run the cell in the notebook.": "`{a}` 需要内核。请去掉它，或直接运行单元格。",
    # server/downloads.py
    "the folder of job {a}": "作业 {a} 的文件夹",
    # server/http.py
    (
        "pai_jupyter failed at this request. See the log of the Jupyter server."
    ): "pai_jupyter 处理此请求时出错；详情见 Jupyter 服务器日志。",
    "{a} is not allowed": "不允许 {a}",
    "more than {a} bytes of JSON.": "JSON 超过 {a} 字节。",
    "the body of this request must be a JSON object.": "请求内容必须是 JSON 对象。",
    "there is nothing at {a}.": "{a} 处没有内容。",
    "the body of this request is not valid JSON: {a}.": "请求内容不是 JSON：{a}。",
    # server/rest.py
    "the parameter {a} is missing.": "缺少参数 {a}。",
    # server/socket.py
    "a request must be a text message, and this one is binary.": "请求应为文本，而此请求是二进制。",
    "this request is not valid JSON: {a}.": "此请求不是 JSON：{a}。",
    "nothing was read for {a} seconds": "{a} 秒内没有读取任何内容",
    # server/storage.py
    (
        "the disk of the Jupyter server is too full for this upload. Free some space in '{a}', or set PAI_JUPYTER_HOME to another disk."
    ): ("Jupyter 服务器的磁盘没有空间接收此上传。请在 '{a}' 释放空间，或将 PAI_JUPYTER_HOME 设到其他磁盘。"),
    # wire/connection/answers.py
    "unknown kind of request {a}; it must be one of {b}.": "没有 {a} 类型的请求；可用的有：{b}。",
    "live points need a view. Send `hello` first.": "实时数据需要视图。请先发送 `hello`。",
    ("job {a} has no cell to copy: it was not started by a cell on this machine."): (
        "作业 {a} 不是由单元格启动的，或不在本机，没有可复制的单元格。"
    ),
    # wire/tabs/boards.py
    "no TensorBoard {a} is running. Type: %pai_tensorboard --list": (
        "这里没有正在运行的 TensorBoard {a}。请输入：%pai_tensorboard --list"
    ),
    ("showing {b} of {a} TensorBoard apps. For all, type: %pai_tensorboard --list"): (
        "共 {a} 个应用，列出前 {b} 个；用 %pai_tensorboard --list 查看全部。"
    ),
    ('a TensorBoard needs either {"jobs": [id, ...]} or {"uri": "oss://..."}.'): (
        'TensorBoard 须以 {"jobs": [id, ...]} 或 {"uri": "oss://..."} 打开。'
    ),
    "{a} itself cannot be deleted. Delete files or directories in it.": "{a} 本身不能删除。请删除其中的文件或目录。",
    "{a} is not a folder in OSS. Write oss://BUCKET/FOLDER/.": "{a} 不是 OSS 中的文件夹。请写作 oss://BUCKET/FOLDER/。",
    "`jobs` must be a list of 1 to {a} ids.": "`jobs` 必须是 1 到 {a} 个 ID 的列表。",
    ("the event files of job {a} are in OSS, where one TensorBoard app shows one job. Open it alone."): (
        "作业 {a} 的事件文件在 OSS 中，而一个 TensorBoard 应用只显示一个作业。请单独打开。"
    ),
    # wire/tabs/difference.py
    (
        "the script of job {a} is not recorded here, so there is nothing to compare it with."
    ): "作业 {a} 的脚本没有记录在这里，无法比较。",
    # wire/tabs/environment.py
    "the package, unpacked; the working directory": "解包后的代码包；工作目录",
    "a link to usercode": "指向 usercode 的链接",
    "the hyperparameters, as text": "超参数（文本）",
    "the job in PAI's format": "作业（PAI 的描述方式）",
    "a link to tensorboard": "指向 tensorboard 的链接",
    # wire/files/explorer.py
    "nothing was deleted: {a}": "没有删除任何内容：{a}",
    ("this is the address of a directory. Append the file's name."): "这是目录的地址。请在其后加上文件名。",
    "{a} is a bucket, a whole HDFS, a job or a channel. Name a file or directory in it.": "{a} 是存储位置本身。请指定其中的内容。",
    (
        "files cannot be uploaded into the outputs of jobs. Choose a directory of a bucket or of HDFS."
    ): "不能向作业的输出中写入。请选择 Bucket 或 HDFS 中的目录。",
    "{a} was uploaded, but has been deleted since.": "刚放到 {a} 的内容已不存在：有人删除了它。",
    # wire/files/output_files.py
    "{a} in output {b}": "输出 {b} 中的 {a}",
    "`{a}` of a files request must be a text.": "files 请求的 `{a}` 不是文本。",
    "`{a}` of a files request is longer than {b} characters.": "files 请求的 `{a}` 超过 {b} 个字符。",
    "`{a}` of a files request must be a whole number from 0 to {b}.": "files 请求的 `{a}` 不是 0 到 {b} 的整数。",
    # wire/files/uri_resolver.py
    "Delete jobs in the list of jobs.": "请在作业列表中删除作业。",
    "{a} is not an address that can be browsed. Use one of {b}.": "{a} 不是可查看的地址；可用的有：{b}。",
    (
        "{a} is not a known endpoint of OSS. Write oss://{b}/KEY."
    ): "{a} 不是此处已知的 OSS Endpoint。请写作 oss://{b}/KEY。",
    "this is a directory. List it instead.": "这是目录。请列出其内容。",
    "`{a}` has an invalid character (half of a surrogate pair).": "`{a}` 含有不完整的字符。",
    "job {a} has not ended. Stop it first.": "作业 {a} 尚未结束。请先停止它。",
    "bucket {a}": "Bucket {a}",
    # wire/job_view/points.py
    ("This job has more than {a} series; only the first are shown."): "此作业的曲线超过 {a} 条；只显示前面的。",
    # wire/files/file_roots.py
    (
        "output {a} is at {b}, which only jobs can reach. Download it: job.fetch({c})"
    ): "输出 {a} 位于 {b}，只有作业能访问。请取回：job.fetch({c})",
    "there is no directory {a} in {b}.": "{b} 中没有目录 {a}。",
    "there is no file {a} in {b}.": "{b} 中没有文件 {a}。",
    # wire/connection/selection.py
    "`status` has {a}; it must be one of {b}.": "`status` 中的 {a} 不是状态；可用的有：{b}。",
    # wire/tabs/source.py
    "the archive is cut": "压缩包不完整",
    # wire/job_view/poller.py
    ("live updates stopped: a fault in pai_jupyter. See the log of the Jupyter server or of the kernel."): (
        "由于 pai_jupyter 的故障，无法继续查看此作业；详情见服务器或内核的日志。"
    ),
    "job {a} was removed: its folder is gone.": "作业 {a} 已被删除：其文件夹已不存在。",
    # wire/connection/feed.py, view
    "this view does not list jobs. Ask for `watch_jobs` first.": "此视图没有列出作业。请先发送 `watch_jobs`。",
    "pai_jupyter failed at this request. See the log of the Jupyter server or of the kernel.": (
        "pai_jupyter 处理此请求时出错；详情见服务器或内核的日志。"
    ),
    "more than {a} requests at once. Retry when some are answered.": "同时有超过 {a} 个请求。请在部分请求得到响应后重试。",
    "more than {a} views are open. Close some of them.": "打开的视图超过 {a} 个。请关闭一些。",
    "this view does not show job {a}. Send `hello` first.": "此视图没有显示作业 {a}。请先发送 hello。",
    "PAI_JUPYTER_RENDER is {a}; it must be one of {b}.": "PAI_JUPYTER_RENDER 是 {a}；可以是 {b} 之一。",
    "jobs cannot be shown as a widget here: anywidget is missing. Type: {a}": (
        "无法在此以小部件显示作业：没有安装 anywidget。请输入：{a}"
    ),
    (
        "jobs cannot be shown as a widget here: this installation was made from sources without its front end. "
        "Type: make setup"
    ): "无法在此以小部件显示作业：从源码安装时没有构建前端。请输入：make setup",
}
