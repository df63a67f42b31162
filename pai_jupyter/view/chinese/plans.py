"""What is said of the plan of a run: steps, references, conditions, values, and why a step has ended."""

PLANS = {
    "step `{a}`: {b}": "步骤 `{a}`：{b}",
    "the pipeline: {a}": "流水线：{a}",
    "the component: {a}": "该组件：{a}",
    "component `{a}`: {b}": "组件 `{a}`：{b}",
    (
        "`{a}` holds one of the secrets loaded in this session, which would be kept in records. Take it out; what a job needs "
        "of it, give as a variable with a secret's name, which is masked there: environments={'{b}': ...}"
    ): (
        "`{a}` 包含本会话中的敏感信息，它会被保存在记录中。请将其去掉；作业需要的敏感信息，请用名称像敏感信息的变量传入，"
        "其值在记录中会被掩盖：environments={'{b}': ...}"
    ),
    (
        "line {n} of the cell holds one of the secrets loaded in this session, and the cell is kept with its run. Have the text "
        "in a variable, e.g. MY_SECRET = getpass.getpass() in another cell, and give that to jobs: environments={'MY_SECRET': MY_SECRET}"
    ): (
        "单元格第 {n} 行包含本会话中的敏感信息，而单元格会随运行一起保存。请将其放在变量中，例如在另一个单元格中输入 "
        "MY_SECRET = getpass.getpass()，再将该变量传给作业：environments={'MY_SECRET': MY_SECRET}"
    ),
    # values of parameters and artifacts
    "a JSON object": "JSON 对象",
    "a JSON list": "JSON 列表",
    "the value": "该值",
    "parameter `{a}`": "参数 `{a}`",
    "output `{a}`": "输出 `{a}`",
    "a choice of `{a}`": "`{a}` 的一个可选值",
    "{a} is {b}, and NaN and infinity are no values. Give a finite number.": "{a} 为 {b}，而 NaN 和无穷大不是有效值。请给出有限的数字。",
    "{a} is {b}; it must be {c} ({d}).": "{a} 为 {b}；必须是{c}（{d}）。",
    "{a} has {n} characters; there may be {m}.": "{a} 有 {n} 个字符；最多 {m} 个。",
    "{a} is {b}; it must be one of: {c}.": "{a} 为 {b}；必须是以下之一：{c}。",
    "{a} is {b}; it must be a number in {c}.": "{a} 为 {b}；必须是 {c} 内的数字。",
    "{a} is {b}; it must be in {c}.": "{a} 为 {b}；必须在 {c} 内。",
    "{a} is nested too deep; use a flatter value.": "{a} 嵌套过深；请使用更扁平的值。",
    "{a} is no range. Write (0, 1], [1, 10] or [0, INF).": "{a} 不是取值范围。请写 (0, 1]、[1, 10] 或 [0, INF)。",
    "the range {a} is empty: its lower bound is above the upper one.": "取值范围 {a} 为空：下界大于上界。",
    "parameter `{a}` has no value. Give it one: arguments={'{b}': VALUE}, or in a magic's line -p {c}=VALUE": (
        "参数 `{a}` 没有值。请指定一个：arguments={'{b}': VALUE}，或在魔法命令行中写 -p {c}=VALUE"
    ),
    "parameter `{a}` has no value. Give it one.": "参数 `{a}` 没有值。请指定一个。",
    "parameter `{a}`{b}: {c}": "参数 `{a}`{b}：{c}",
    "artifact `{a}` has no value. Give it a path or an oss:// address.": (
        "制品 `{a}` 没有值。请指定路径或 oss:// 地址。"
    ),
    "artifact `{a}` must be a path or an oss:// address.": "制品 `{a}` 必须是路径或 oss:// 地址。",
    "artifact `{a}` is one place, but a list is given. Give it a path.": (
        "制品 `{a}` 是单个位置，但给出的是列表。请指定一个路径。"
    ),
    "the pipeline has no input `{a}`. Its inputs: {b}.": "流水线没有输入 `{a}`。它的输入：{b}。",
    # loops
    "the loop has more than {n} items. Split it, or give each item more to do.": (
        "循环超过 {n} 项。请拆分循环，或让每一项做更多的事。"
    ),
    "the loop's {a}": "循环的 {a}",
    "the loop's list of items": "循环的列表",
    "the loop's list of items is {a}; it must be a list.": "循环的列表为 {a}；必须是列表。",
    "its loop needs either items or an end, and a parallelism of at least 1.": (
        "循环需要列表或终点二者之一，且并行数至少为 1。"
    ),
    "the items of its loop cannot be made of {a}.": "循环的列表不能由 {a} 得出。",
    "{a} is used, but there is no loop.": "{a}：没有循环。",
    # conditions
    "the condition cannot be decided: {a} is no number, and `{b}` compares numbers only.": (
        "无法判断条件：{a} 不是数字，而 `{b}` 只比较数字。"
    ),
    "the condition cannot be decided: {{{a}}} has no value.": "无法判断条件：{{{a}}} 没有值。",
    "a condition has {n} characters; there may be {m}.": "条件有 {n} 个字符；最多 {m} 个。",
    "the condition {a} is nested more than {n} deep.": "条件 {a} 的嵌套超过 {n} 层。",
    "the condition {a} is wrong {b}: expected {c}.": "条件 {a} 有误，{b}：应为 {c}。",
    "the condition {a} is wrong at {b}.{c}": "条件 {a} 在 {b} 处有误。{c}",
    "at its end": "在末尾",
    "a reference or a number or text": "引用、数字或文本",
    " Close the quotes.": "请补上引号。",
    "its condition is not met": "不满足条件",
    # references and dependencies
    "{{{a}}} is no reference. Write {{inputs.parameters.NAME}}, {{pipelines.STEP.outputs.parameters.NAME}}, "
    "the same with `artifacts`, or {{item}}.": (
        "{{{a}}} 不是引用。请写 {{inputs.parameters.NAME}}、{{pipelines.STEP.outputs.parameters.NAME}}，"
        "或同样形式的 `artifacts`，或 {{item}}。"
    ),
    "{{{a}}} has no value: step `{b}` ": "{{{a}}} 没有值：步骤 `{b}` ",
    "{{{a}}} has no value: step `{b}` gave none.": "{{{a}}} 没有值：步骤 `{b}` 没有给出。",
    "{{{a}}} has no value: step `{b}` is {c}.": "{{{a}}} 没有值：步骤 `{b}` 的状态为 {c}。",
    "gave none.": "没有给出。",
    "{a} is used, but the pipeline has no such input. {b}": "{a}：流水线没有这个输入。{b}",
    "{a} is used, but there is no step `{b}` beside it.": "{a}：旁边没有步骤 `{b}`。",
    "{a} is used, but step `{b}` has no such output. {c}": "{a}：步骤 `{b}` 没有这个输出。{c}",
    "an artifact is given {{{a}}}, a parameter. Give it an artifact or a path.": (
        "给制品指定了参数 {{{a}}}。请指定制品或路径。"
    ),
    "it depends on `{a}`, but there is no such step beside it.": "它依赖 `{a}`，但旁边没有这个步骤。",
    "it has no input {a} `{b}`. {c}": "它没有输入{a} `{b}`。{c}",
    "output `{a}{b}` ({c}): {d}": "输出 `{a}{b}`（{c}）：{d}",
    "There is: {a}.": "现有：{a}。",
    "It has none.": "它没有任何一个。",
    "an argument": "参数值",
    "{a} Use a flatter value.": "{a}请使用更扁平的值。",
    "steps wait for each other in a circle: {a}. Remove one of these dependencies.": (
        "步骤互相等待，形成环：{a}。请去掉其中一个依赖。"
    ),
    # graphs
    "the pipeline": "流水线",
    "pipeline `{a}`": "流水线 `{a}`",
    "{a} has no steps. Give it at least one.": "{a}没有步骤。请至少给出一个。",
    "{a} has {n} steps; there may be {m}.": "{a}有 {n} 个步骤；最多 {m} 个。",
    "{a} has a step of the name {b}. Use letters, digits, `-` and `_`.": (
        "{a}有名为 {b} 的步骤。请使用字母、数字、`-` 和 `_`。"
    ),
    "{a} has two steps of the name `{b}`. Give each a name of its own.": (
        "{a}有两个名为 `{b}` 的步骤。请使用不同的名称。"
    ),
    "more than {n} pipelines are within each other at step `{a}`.": "步骤 `{a}` 处的流水线嵌套超过 {n} 层。",
    "a pipeline is not retried, and not cached as a whole. Give `{a}` to its steps.": (
        "流水线不会重试，也不会整体缓存。请给它的步骤设置 `{a}`。"
    ),
    "is one of more than {n} pipelines within each other": "是嵌套超过 {n} 层的流水线之一",
    "has neither a value nor a template": "既没有值也没有模板",
    # why a step has ended
    "step `{a}` failed{b}{c}": "步骤 `{a}` 失败{b}{c}",
    "step `{a}` failed": "步骤 `{a}` 失败",
    "step `{a}` failed: {b}": "步骤 `{a}` 失败：{b}",
    "step `{a}` failed ({n} others failed too): {b}": "步骤 `{a}` 失败（另有 {n} 个失败）：{b}",
    " ({n} others failed too)": "（另有 {n} 个失败）",
    "step `{a}` failed (1 other failed too): {b}": "步骤 `{a}` 失败（另有 1 个失败）：{b}",
    " (1 other failed too)": "（另有 1 个失败）",
    "step `{a}` was skipped": "步骤 `{a}` 已跳过",
    "step `{a}` was stopped": "步骤 `{a}` 已停止",
    "was skipped": "已跳过",
    "was stopped": "已停止",
    "its job failed": "作业失败",
    "its job was stopped": "作业已停止",
    "its job was lost {n} times": "作业丢失了 {n} 次",
    "the record of its job is gone": "作业的记录已不存在",
}
