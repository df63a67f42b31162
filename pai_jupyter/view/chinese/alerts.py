"""Alerts of jobs: what they say, and what is said of the webhook that takes them."""

ALERTS = {
    # events/alerts.py
    "{a} and {n} more metrics": "{a} 等另外 {n} 个指标",
    "{a} became {b}.": "{a} 变为 {b}。",
    "{a} became {b} at step {c}.": "{a} 在第 {c} 步变为 {b}。",
    "The job goes on.": "作业继续进行。",
    "No progress for {a}: no new line in the log, and no use of the CPU.": "{a} 没有进展：日志没有新行，也没有使用 CPU。",
    "No progress for {a}: no new line in the log. Its use of the CPU is not known.": (
        "{a} 没有进展：日志没有新行。CPU 使用情况未知。"
    ),
    # config
    (
        "{a}`{b}` is a secret, which is kept in a profile of your own: type %pai_config set {c}, without a value, "
        "and you are asked for it."
    ): "{a}`{b}` 是敏感信息，保存在您自己的配置中：请输入 %pai_config set {c}，不带值，然后按提示输入。",
    "a number of minutes, 0 for every job": "分钟数，0 表示每个作业",
    "a number of minutes, 0 for never": "分钟数，0 表示从不",
    "the environment": "环境变量",
    (
        "{a}the address of the webhook is not valid. It begins with https:// and is as its service shows it, e.g. "
        "https://hooks.slack.com/services/... To give it again, type %pai_config set notify.webhook"
    ): (
        "{a}webhook 地址无效。地址以 https:// 开头，与其服务显示的一致，例如 "
        "https://hooks.slack.com/services/... 要重新输入，请输入 %pai_config set notify.webhook"
    ),
    # magics
    "{a} (a secret)": "{a}（敏感信息）",
    (
        "`{a}` cannot be asked for here: that needs a notebook or a terminal. Set the environment variable {b} instead."
    ): "这里无法询问 `{a}`：需要笔记本或终端。请改为设置环境变量 {b}。",
    "nothing was changed: you interrupted the question": "没有更改：您中断了提问",
    "address of the webhook (empty: none any more): ": "webhook 地址（留空：不再使用）：",
    "signing secret of the webhook (empty: none any more): ": "webhook 的签名密钥（留空：不再使用）：",
    "this is too long for a signing secret. Nothing was written.": "签名密钥过长。没有写入任何内容。",
    "profile {a} in {b}, which only you can read": "{b} 中的配置 {a}（只有您能读取）",
    "kept in {a}. Now: %pai_config test": "已保存到{a}。接下来：%pai_config test",
    "removed from {a}": "已从{a}删除",
    # training
    "`--notify` has nobody to send alerts to. Type first: %pai_config set notify.webhook": (
        "`--notify` 没有可发送告警的地址。请先输入：%pai_config set notify.webhook"
    ),
    # delivery
    "'{name}' is damaged: {a}. Delete it; what it had to send is lost.": (
        "'{name}' 已损坏：{a}。请删除它；其中待发送的内容已丢失。"
    ),
    "the process that sent it was killed": "发送它的进程被终止",
    "it answers {a}{b}": "它返回 {a}{b}",
    "it answers{a}, which is no answer of Slack": "它返回{a}，这不是 Slack 的响应",
    "it answers{a}, which is no answer of {b}": "它返回{a}，这不是 {b} 的响应",
    "it answers {a}: {b}": "它返回 {a}：{b}",
    "its address is not valid": "其地址无效",
    "no connection within {a} s": "{a} 秒内没有连接成功",
    "no answer within {a} s": "{a} 秒内没有响应",
    "the message could not be sent within {a} s": "{a} 秒内未能发送消息",
    "cannot connect": "无法连接",
    "its certificate is not trusted": "其证书不受信任",
    "the proxy does not let it through": "代理不允许通过",
    "the connection broke": "连接中断",
    "there is no address of a webhook any more": "已没有 webhook 地址",
    "its failure": "作业失败",
    "a metric that became NaN or infinite": "指标变为 NaN 或无穷大",
    "missing progress": "没有进展",
    "this job": "此作业",
    "its end": "作业结束",
    (
        "The alert about {a} has not arrived yet: {b}. It is sent again for three days. Check with %pai_config test"
    ): "关于{a}的告警尚未送达：{b}。三天内会继续发送。请用 %pai_config test 检查",
    (
        "The alert about {a} may not have arrived: {b}. It is not sent again, so that it does not arrive twice."
    ): "关于{a}的告警可能没有送达：{b}。为避免重复，不再发送。",
    (
        "The alert about {a} was not taken: {b}. It is not sent again. Check with %pai_config test"
    ): "关于{a}的告警未被接收：{b}。不再发送。请用 %pai_config test 检查",
    "%pai_config test has sent this message.": "此消息由 %pai_config test 发送。",
    # diagnostics
    "alerts": "告警",
    "Check the address: %pai_config set notify.webhook": "请检查地址：%pai_config set notify.webhook",
    (
        "{a}. If the robot wants a signature: %pai_config set notify.secret; if a keyword: pai_jupyter"
    ): "{a}。如果机器人要求签名：%pai_config set notify.secret；如果要求关键词：pai_jupyter",
    "{a}; nothing is left to send": "{a}；没有待发送的消息",
    "{a}; {n} messages are left to send: {b}": "{a}；有 {n} 条消息待发送：{b}",
    "{a}; 1 message is left to send: {b}": "{a}；有 1 条消息待发送：{b}",
    "no webhook is set": "没有设置 webhook",
    "not tried yet": "尚未发送",
    "Check with %pai_config test": "请用 %pai_config test 检查",
    "{a}: the test message was taken": "{a}：测试消息已被接收",
    "{a}: the test message was not taken: {b}": "{a}：测试消息未被接收：{b}",
    "webhook at {a} ({b}) from {c}": "{a} 的 webhook（{b}），来自{c}",
}
