"""Jobs tracked at an MLflow server: what is said of the server, and what a job is told of its run there."""

TRACKING = {
    # config
    (
        "{a}the address in `{name}` has a login in it, which does not belong there: settings are shown. Leave out what is before the @, "
        "and set the environment variables MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN."
    ): (
        "{a}`{name}` 中的地址含有登录信息，不应写在这里：设置会被显示。请去掉 @ 之前的内容，并设置环境变量 "
        "MLFLOW_TRACKING_USERNAME 和 MLFLOW_TRACKING_PASSWORD，或 MLFLOW_TRACKING_TOKEN。"
    ),
    "{a}`{b}` is {c}; it must be mlflow: and the address of an MLflow server, e.g. {d}={e}, or {f}": (
        "{a}`{b}` 是 {c}；应为 mlflow: 加上 MLflow 服务器的地址，例如 {d}={e}，或 {f}"
    ),
    (
        "jobs of this notebook are tracked there until its kernel ends. To keep that, add this line to pai_jupyter.toml in its "
        'directory: {a} = "{b}"'
    ): '此笔记本的作业会记录到那里，直到内核结束。要长期保留，请在笔记本目录的 pai_jupyter.toml 中加一行：{a} = "{b}"',
    # diagnostics
    "tracking": "MLflow 记录",
    "Check the address: %pai_config set {a} {b}": "请检查地址：%pai_config set {a} {b}",
    "{a} (not set any more)": "{a}（已不再设置）",
    "{a}, which their jobs had, is not set here": "这里没有设置 {a}，而这些作业提交时设置了",
    "Each is tried for 30 days. To give them up now: %pai_config drop {a}": (
        "30 天内会继续发送。要立即放弃：%pai_config drop {a}"
    ),
    "The next try is within 10 minutes; each message is tried for 30 days. To give them up now: %pai_config drop {a}": (
        "10 分钟内会再次发送；30 天内会继续发送。要立即放弃：%pai_config drop {a}"
    ),
    "{a}. What is left is tried for 30 days. To give it up: %pai_config drop {b}": (
        "{a}。待发送的消息 30 天内会继续发送。要放弃：%pai_config drop {b}"
    ),
    "nothing is left to send to an MLflow server.": "没有待发送到 MLflow 服务器的消息。",
    "nothing is left to send to this address; there is something for {a}": "没有待发送到此地址的消息；待发送的地址有 {a}",
    "1 message": "1 条消息",
    "{n} messages": "{n} 条消息",
    "dropped: {a} of {b} for MLflow at {c}": "已放弃：{b}的{a}，原定发往 {c} 的 MLflow",
    "MLflow at {a} does not get what was left of this job: it was dropped by %pai_config drop.": (
        "{a} 的 MLflow 不会收到此作业余下的内容：已用 %pai_config drop 放弃。"
    ),
    "{a}. Jobs to come are tracked there still. To end that: %pai_config set tracking=": (
        "{a}。之后的作业仍记录到那里。要停止：%pai_config set tracking="
    ),
    "{a} answers": "{a} 有响应",
    "{a}; mlflow-skinny is not installed": "{a}；未安装 mlflow-skinny",
    "jobs are tracked through mlflow-skinny, which is not installed here. Type: {a}": (
        "作业通过 mlflow-skinny 记录，这里没有安装它。请输入：{a}"
    ),
    "there is no MLflow server at {a}: {b}. {c}": "{a} 处没有 MLflow 服务器：{b}。{c}",
    "note: {a} cannot be used yet: {b}. What jobs tell waits until it can.": (
        "注意：{a} 暂时无法使用：{b}。作业要记录的内容会等到它可用为止。"
    ),
    "this job is not tracked at {a} until mlflow-skinny is installed here. Type: {b}": (
        "在安装 mlflow-skinny 之前，此作业不会记录到 {a}。请输入：{b}"
    ),
    # delivery
    "job {a} was deleted": "作业 {a} 已删除",
    "it answers {a}, and not as an MLflow server does": "它返回 {a}，而不是 MLflow 服务器的响应",
    "it answers {a}: check MLFLOW_TRACKING_USERNAME and _PASSWORD, or _TOKEN": (
        "它返回 {a}：请检查 MLFLOW_TRACKING_USERNAME 和 _PASSWORD，或 _TOKEN"
    ),
    "it answers {a}": "它返回 {a}",
    "its answer is not that of an MLflow server": "它的响应不是 MLflow 服务器的",
    "MLflow's client cannot be imported. Type: {a}": "无法导入 MLflow 客户端。请输入：{a}",
    "the experiment {a} was deleted there": "实验 {a} 在那里已被删除",
    "its run was deleted there": "其运行记录在那里已被删除",
    "output {a} is not on this machine any more": "输出 {a} 已不在本机",
    "'{name}' has grown since the job ended": "'{name}' 在作业结束后变大了",
    "1 file is": "1 个文件",
    "{n} files are": "{n} 个文件",
    "{a} where the job was submitted: %pai_download {b}:{c}": "{a}在提交作业的机器上：%pai_download {b}:{c}",
    "a secret of yours is in it": "其中有您的敏感信息",
    "its run": "其运行记录",
    "metrics": "指标",
    "its name, tags and note": "其名称、标签和备注",
    "the output {a}": "输出 {a}",
    "MLflow at {a} has not got {b} yet: {c}. It is sent again for 30 days. Check with %pai_doctor": (
        "{a} 的 MLflow 尚未收到{b}：{c}。30 天内会继续发送。请用 %pai_doctor 检查"
    ),
    "MLflow at {a} did not get {b}: {c}. It is not sent again.": "{a} 的 MLflow 没有收到{b}：{c}。不再发送。",
    "Its run at MLflow has {a}.": "它在 MLflow 的运行记录：{a}。",
    "the values {a}": "值 {a}",
    "the metrics {a}": "指标 {a}",
    "the tags {a}": "标签 {a}",
    "the artifacts {a}": "文件 {a}",
    "{a}; the tags {b}": "{a}；标签 {b}",
    "{a}; the artifacts {b}": "{a}；文件 {b}",
    "{a}; steps without their fractions, for MLflow takes whole ones": "{a}；步数去掉了小数部分，因为 MLflow 只接受整数",
    "{a}; no files, for its server keeps them elsewhere": "{a}；没有文件，因为服务器把文件存放在别处",
    "{a} with its first {n} characters": "{a}（前 {n} 个字符）",
    "steps without their fractions, for MLflow takes whole ones": "步数去掉了小数部分，因为 MLflow 只接受整数",
    "no files, for its server keeps them elsewhere": "没有文件，因为服务器把文件存放在别处",
}
