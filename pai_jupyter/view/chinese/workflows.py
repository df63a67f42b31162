"""What is said of components and pipelines as users write them."""

WORKFLOWS = {
    # words within others
    "input": "输入",
    "output": "输出",
    "parameter": "参数",
    "artifact": "数据",
    "identifier": "标识",
    "version": "版本",
    "the step": "该步骤",
    "step `{a}`": "步骤 `{a}`",
    "There are no {a}s.": "没有{a}。",
    "the condition `{a}`": "条件 `{a}`",
    "the value of the parameter `{a}`": "参数 `{a}` 的值",
    "whether {a} is in the parameter `{b}`": "{a} 是否在参数 `{b}` 中",
    # artifacts
    "artifact `{a}` is {b}; it must be a path, or an oss:// or odps:// address.": (
        "数据 `{a}` 是 {b}；必须是路径，或 oss://、odps:// 地址。"
    ),
    "artifact `{a}` is {b}. Write odps://PROJECT/tables/TABLE, with /PARTITION at the end if it has one.": (
        "数据 `{a}` 是 {b}。请写 odps://PROJECT/tables/TABLE，有分区时在末尾加 /PARTITION。"
    ),
    "artifact `{a}` is one place, so it has no count.": "数据 `{a}` 只有一个位置，没有数量。",
    "the count of artifact `{a}` must be 1 to {b}, not {c}.": "数据 `{a}` 的数量必须为 1 到 {b}，而不是 {c}。",
    "artifact `{a}` is one place: give it without [{b}].": "数据 `{a}` 只有一个位置：请不要写 [{b}]。",
    "artifact `{a}` has places 0 to {b}, not {c}.": "数据 `{a}` 的位置为 0 到 {b}，没有 {c}。",
    "how many places of artifact `{a}`? Write e.g. [0:2].": "数据 `{a}` 取多少个位置？例如写 [0:2]。",
    "the metadata of an artifact is {a}. Write ArtifactMetadataUtils.oss_dataset().": (
        "数据的元信息是 {a}。请写 ArtifactMetadataUtils.oss_dataset()。"
    ),
    # what inputs are given
    "{a} is no value of JSON. Give a number, text, a list or a dict.": "{a} 不是 JSON 的值。请给出数字、文本、列表或字典。",
    "parameter `{a}` is given the artifact `{b}`. Give it a parameter or a value.": (
        "参数 `{a}` 得到的是数据 `{b}`。请给它参数或值。"
    ),
    "parameter `{a}` is given {b}, an artifact. Give it a parameter or a value.": "参数 `{a}` 得到的 {b} 是数据。请给它参数或值。",
    "parameter `{a}` is given None. Leave it out, or give a value.": "参数 `{a}` 得到的是 None。请省略它，或给出值。",
    "artifact `{a}` is given the parameter `{b}`. Give it an artifact or a path.": "数据 `{a}` 得到的是参数 `{b}`。请给它数据或路径。",
    "artifact `{a}` is one place, and `{b}` is several. Give it one of them: {c}[0], "
    "or declare several: PipelineArtifact({d}, repeated=True).": (
        "数据 `{a}` 只有一个位置，而 `{b}` 有多个。请给其中一个：{c}[0]；或声明多个位置：PipelineArtifact({d}, repeated=True)。"
    ),
    "parameter `{a}` is of type {b}, and is given `{c}` of a loop, a list with the value of each item. "
    "Declare it as a list: PipelineParameter({d}, typ=list), or [] as its value in a CustomJob.": (
        "参数 `{a}` 的类型是 {b}，得到的是循环的输出 `{c}`，即由各项的值组成的列表。"
        "请声明为列表：PipelineParameter({d}, typ=list)；在 CustomJob 中请把它的值设为 []。"
    ),
    "its condition compares `{a}` of type {b} with `{c}`, which is for numbers. Let a step choose a number from it, and compare that.": (
        "它的条件比较类型为 {b} 的 `{a}`，而 `{c}` 只用于数字。请用一个步骤从中选出数字，再比较该数字。"
    ),
    "step `{a}` can never run: its condition and that of `{b}`, which it waits for, exclude each other. Change one of them.": (
        "步骤 `{a}` 永远不会运行：它的条件与它所等待的 `{b}` 的条件互斥。请更改其中一个。"
    ),
    "step `{a}` can never run: it waits for `{b}` and `{c}`, whose conditions exclude each other, and what is behind a skipped step is "
    "skipped. Put both into a pipeline of their own, and let `{d}` depend on that step.": (
        "步骤 `{a}` 永远不会运行：它等待 `{b}` 和 `{c}`，而两者的条件互斥，跳过的步骤之后的步骤也会跳过。"
        "请把两者放进一个单独的流水线，让 `{d}` 依赖该步骤。"
    ),
    "step `{a}` runs again: it waits for step `{b}`, which has run again.": "步骤 `{a}` 再次运行：它等待的步骤 `{b}` 已再次运行。",
    "the item of a loop is compared within the loop only. Make a pipeline with an input, compare that in its step, and loop over the "
    "pipeline: pipeline.as_loop_step(NAME, ITEMS, inputs={INPUT: LoopItem()})": (
        "循环的项只能在循环内比较。请创建一个带输入的流水线，在其步骤中比较该输入，再对该流水线循环："
        "pipeline.as_loop_step(NAME, ITEMS, inputs={INPUT: LoopItem()})"
    ),
    "the cell cannot be read as Python, line {n}: {a}.": "单元格不是有效的 Python，第 {n} 行：{a}。",
    "the component has no input `{a}`. Its inputs: {b}.": "组件没有输入 `{a}`。它的输入：{b}。",
    "an item of the loop is None, which no input can be given. Leave it out.": "循环的某一项是 None，不能给任何输入。请去掉它。",
    "{{item}} has no value: item {a} of the loop is null.": "{{item}} 没有值：循环的第 {a} 项是 null。",
    "artifact `{a}` is {b}, and is given `{c}`, {d}. Give it one of its kind.": (
        "数据 `{a}` 的类型是 {b}，得到的 `{c}` 是 {d}。请给同类的数据。"
    ),
    "parameter `{a}` is of type {b}, and is given `{c}` of type {d}. Declare both alike: PipelineParameter({e}, typ={f}).": (
        "参数 `{a}` 的类型是 {b}，得到的 `{c}` 类型是 {d}。请声明为相同类型：PipelineParameter({e}, typ={f})。"
    ),
    "parameter `{a}` is of type {b}, and is given {c} of type {d}. Declare both alike.": (
        "参数 `{a}` 的类型是 {b}，得到的 {c} 类型是 {d}。请声明为相同类型。"
    ),
    "parameter `{a}` is nested too deep; use a flatter value.": "参数 `{a}` 嵌套过深；请使用更平的值。",
    "artifact `{a}` is given an empty list. Give it at least one place.": "数据 `{a}` 得到空列表。请至少给一个位置。",
    # names
    "the pipeline has two inputs or outputs of the name `{a}`. Rename one of them.": (
        "流水线有两个名为 `{a}` 的输入或输出。请重命名其中之一。"
    ),
    "the {a} `{b}` is there twice. Rename one of them.": "{a} `{b}` 出现了两次。请重命名其中之一。",
    "the name of a step is text, and {a} is none. Give e.g. name='train'.": "步骤名称是文本，而 {a} 不是。例如 name='train'。",
    "the step {a} has a name of {b} characters; there may be {c}. Shorten it.": "步骤 {a} 的名称有 {b} 个字符；最多 {c} 个。请缩短。",
    "the name of a {a} is text, and {b} is none. Give e.g. 'learning_rate'.": "{a}的名称是文本，而 {b} 不是。例如 'learning_rate'。",
    "the {a} {b} has a name of {c} characters; there may be {d}. Shorten it.": "{a} {b} 的名称有 {c} 个字符；最多 {d} 个。请缩短。",
    "a component is saved under an identifier and a version; its {a} is missing.": "组件以标识和版本保存；缺少{a}。",
    (
        "the custom component {a} is no step on PAIFlow, which does not pass values as PAI does to custom components. Run the "
        "pipeline here: .local_run(NAME); or make the step of a CustomJob."
    ): "自定义组件 {a} 不能作为 PAIFlow 的步骤，因为 PAIFlow 传值的方式与 PAI 的自定义组件不同。请在本机运行流水线："
    ".local_run(NAME)；或用 CustomJob 创建该步骤。",
    "component {a} adds files to code in OSS, which a step cannot. Give all its code in one place.": (
        "组件 {a} 在 OSS 中的代码之外还有文件，步骤不支持。请将全部代码放在一处。"
    ),
    "Save it again: %pai_component {a} --save --accept-changes": (
        "请重新保存：%pai_component {a} --save --accept-changes"
    ),
    "the {a} is {b}; it must be text, e.g. {c}.": "{a} 为 {b}；必须是文本，例如 {c}。",
    "the {a} {b} must be one line of at most {c} characters.": "{a} {b} 必须是一行，最多 {c} 个字符。",
    "the {a} {b} has a name with other characters than letters, digits, _ and -. Rename it.": (
        "{a} {b} 的名称含有字母、数字、_ 和 - 以外的字符。请重命名。"
    ),
    "the {a} `{b}` belongs to another component. Create one for each: {c}({d}).": (
        "{a} `{b}` 属于另一个组件。请为每个组件各建一个：{c}({d})。"
    ),
    # arguments and parameters
    "{a} has no argument `{b}`. Write {c}": "{a} 没有参数 `{b}`。请写 {c}",
    "`feasible` of parameter `{a}` is {b}. Write {'range': '(0, 1]'} or {'enum': [1, 2]}.": (
        "参数 `{a}` 的 `feasible` 是 {b}。请写 {'range': '(0, 1]'} 或 {'enum': [1, 2]}。"
    ),
    "parameter `{a}`: {b}": "参数 `{a}`：{b}",
    "the parameter `{a}` has no value. Give it one, so that its type is known.": "参数 `{a}` 没有值。请给出值，以便确定类型。",
    "the parameter `{a}` is {b}; give a number, text, a list or a dict.": "参数 `{a}` 是 {b}；请给出数字、文本、列表或字典。",
    # components
    "give either `entry_point` or `command`, e.g. entry_point='train.py'.": (
        "请给出 `entry_point` 或 `command` 之一，例如 entry_point='train.py'。"
    ),
    "PAI-DLC job config, including worker spec, resource spec, etc.": "PAI-DLC 作业配置，包括 Worker 规格、资源规格等。",
    "Job output path, could be OSS url or NAS url.": "作业输出路径，可以是 OSS 或 NAS 地址。",
    "a container needs an image, e.g. image_uri='python:3'.": "容器需要镜像，例如 image_uri='python:3'。",
    "a container needs a command, e.g. command=['python', 'train.py'].": "容器需要命令，例如 command=['python', 'train.py']。",
    "`{a}` must be a list of texts and parameters, and {b} is neither.": "`{a}` 必须是文本和参数的列表，而 {b} 都不是。",
    "component `{a}` has no image, and jobs on PAI need one. Give CustomJob(image_uri=...), or run it here: .local_run(NAME)": (
        "组件 `{a}` 没有镜像，而 PAI 上的作业需要镜像。请写 CustomJob(image_uri=...)，或在本机运行：.local_run(NAME)"
    ),
    "`{a}` has not run yet. Call .run(NAME) or .local_run(NAME) first.": "`{a}` 尚未运行。请先调用 .run(NAME) 或 .local_run(NAME)。",
    "an {a} must be a PipelineParameter or a PipelineArtifact, and is {b}.": (
        "{a}必须是 PipelineParameter 或 PipelineArtifact，而它是 {b}。"
    ),
    "there is no {a} {b}. {c}": "没有{a} {b}。{c}",
    # saved components
    "components of provider {a} are in PAIFlow, and there is no session. Type setup_default_session(...).": (
        "提供者 {a} 的组件在 PAIFlow 中，而当前没有会话。请输入 setup_default_session(...)。"
    ),
    "component {a} has a version {b} already, and a version stays as it is. Give another, e.g. version='v-%s' % int(time.time()).": (
        "组件 {a} 已有版本 {b}，版本保存后不变。请换一个，例如 version='v-%s' % int(time.time())。"
    ),
    "component {a} has no saved version {b} on this machine; it has: {c}.": "组件 {a} 在本机没有保存版本 {b}；已有：{c}。",
    "'{a}' holds no component: {b} Remove it, or save the component again.": "'{a}' 中没有组件：{b} 请删除它，或重新保存组件。",
    "it is saved already, and a version stays as it is. Save the component that it was made of.": (
        "它已保存，版本保存后不变。请保存它的原组件。"
    ),
    # conditions
    "Write & for `and`, | for `or`, ~ for `not`, each side in brackets: (a > 1) & (b < 2); for `a < b < c` write "
    "(a < b) & (b < c), and for `in` compare with each value: (a == 1) | (a == 2).": (
        "请用 & 代替 `and`，用 | 代替 `or`，用 ~ 代替 `not`，两边都加括号：(a > 1) & (b < 2)；`a < b < c` 写作 "
        "(a < b) & (b < c)，`in` 改为与各个值比较：(a == 1) | (a == 2)。"
    ),
    "{a} is known only when the pipeline runs, so Python cannot decide it now. {b}": (
        "{a} 只有在流水线运行时才知道，Python 现在无法判断。{b}"
    ),
    "`{a}` is known only when the pipeline runs, so it cannot be put into text now. Give it to an input by itself, and put "
    "the text together in the step.": (
        "`{a}` 只有在流水线运行时才知道，现在无法写入文本。请将其单独交给一个输入，并在步骤中组成文本。"
    ),
    "a condition compares parameters with numbers or text, and {a} is neither.": "条件将参数与数字或文本比较，而 {a} 都不是。",
    "`{a}` joins two conditions, and {b} is none. Put each side in brackets: (a > 1) {c} (b < 2).": (
        "`{a}` 连接两个条件，而 {b} 不是条件。请给两边加括号：(a > 1) {c} (b < 2)。"
    ),
    'a condition compares an output or a parameter, and {a} is none. Write e.g. step.outputs["accuracy"] > 0.9': (
        '条件比较输出或参数，而 {a} 不是。例如 step.outputs["accuracy"] > 0.9'
    ),
    # loops
    "a loop runs over a list, a range or a parameter, and {a} is none. Give e.g. items=[1, 2].": (
        "循环遍历列表、range 或参数，而 {a} 不是。例如 items=[1, 2]。"
    ),
    "a loop runs over a list, and parameter `{a}` is of type {b}. Make it an Array.": (
        "循环遍历列表，而参数 `{a}` 的类型是 {b}。请改为 Array。"
    ),
    # steps and pipelines
    "`retries` is {a}; it must be a whole number from 0 to {b}.": "`retries` 是 {a}；必须是 0 到 {b} 的整数。",
    "`parallelism` is {a}; it must be a whole number from 1.": "`parallelism` 是 {a}；必须是从 1 开始的整数。",
    "a step needs a component. Make it with component.as_step(name=..., inputs=...).": (
        "步骤需要组件。请用 component.as_step(name=..., inputs=...) 创建。"
    ),
    "step `{a}` is in a pipeline already. Call after() before.": "步骤 `{a}` 已在流水线中。请提前调用 after()。",
    "step `{a}` is in a pipeline already. Make a step of its own for each pipeline.": (
        "步骤 `{a}` 已在流水线中。请为每个流水线各建一个步骤。"
    ),
    "`depends` must be a list of steps, and {a} is none.": "`depends` 必须是步骤的列表，而 {a} 不是。",
    "the inputs of {a} must be a dict of names and values, not {b}.": "{a} 的输入必须是名称和值的字典，而不是 {b}。",
    "{a} has no input {b}. Its inputs: {c}.": "{a} 没有输入 {b}。它的输入：{c}。",
    "{a} has no input `{b}`. Its inputs: {c}.": "{a} 没有输入 `{b}`。它的输入：{c}。",
    "{a} needs the artifact `{b}`. Add it: arguments={'{c}': PATH}; of %%pai_pipeline: -p {d}=PATH": (
        "{a} 需要数据 `{b}`。请添加：arguments={'{c}': PATH}；用 %%pai_pipeline 时：-p {d}=PATH"
    ),
    "the pipeline": "流水线",
    "the component": "该组件",
    "the manifest describes neither a container nor steps. Give the text that PAIFlow or `to_manifest` wrote.": (
        "清单中既没有容器也没有步骤。请提供 PAIFlow 或 `to_manifest` 写出的文本。"
    ),
    "the manifest has no document. Give the text that Pipeline.to_manifest() wrote.": (
        "清单中没有文档。请给出 Pipeline.to_manifest() 写的文本。"
    ),
    "`outputs` must be a list or a dict of outputs of steps, not {a}.": "`outputs` 必须是步骤输出的列表或字典，而不是 {a}。",
    "an output must be the output of a step, and is {a}.": "输出必须是步骤的输出，而它是 {a}。",
    "two outputs have the name `{a}`. Give them by name: outputs={'NAME': ...}.": (
        "两个输出的名称都是 `{a}`。请按名称给出：outputs={'NAME': ...}。"
    ),
    "`steps` must be a list of steps, and is {a}. Write steps=[step1, step2].": (
        "`steps` 必须是步骤的列表，而它是 {a}。请写 steps=[step1, step2]。"
    ),
    "a pipeline needs at least one step. Write steps=[component.as_step(...)].": (
        "流水线至少需要一个步骤。请写 steps=[component.as_step(...)]。"
    ),
    "the pipeline has two steps of the name `{a}`. Give each a name of its own.": "流水线有两个名为 `{a}` 的步骤。请分别命名。",
    "`inputs` lacks {a}, which steps use. Add it.": "`inputs` 缺少步骤使用的 {a}。请添加。",
    "the input `{a}` is used by no step. Give it to one, or leave it out.": "没有步骤使用输入 `{a}`。请交给某个步骤，或省略它。",
    "`{a}` is an input of another pipeline or component. Make one for each: PipelineParameter(...).": (
        "`{a}` 是另一流水线或组件的输入。请为每个单独创建：PipelineParameter(...)。"
    ),
    "`{a}` is an input or output of a component elsewhere. Use that of a step: step.outputs[{b}].": (
        "`{a}` 是别处组件的输入或输出。请使用步骤的：step.outputs[{b}]。"
    ),
    # where they run
    "step `{a}` is for this machine and others are for PAI. Such a pipeline runs here alone: .local_run(NAME)": (
        "步骤 `{a}` 在本机运行，其他步骤在 PAI 运行。这样的流水线只能在本机运行：.local_run(NAME)"
    ),
    "input `{a}` is for this machine and others are for PAI. Such a pipeline runs here alone: .local_run(NAME)": (
        "输入 `{a}` 指定在本机运行，其他步骤在 PAI 运行。这样的流水线只能在本机运行：.local_run(NAME)"
    ),
    "step `{a}` has no `job_config`, and jobs on PAI need one. Give inputs={'job_config': "
    "JobConfig.create(worker_count=1, worker_instance_type='ecs.c6.large').to_dict(), ...}": (
        "步骤 `{a}` 没有 `job_config`，而 PAI 上的作业需要它。请写 inputs={'job_config': "
        "JobConfig.create(worker_count=1, worker_instance_type='ecs.c6.large').to_dict(), ...}"
    ),
    "`{a}` is for runs on this machine. Leave it out, or type .local_run(NAME, {b}={c}).": (
        "`{a}` 用于本机的运行。请省略它，或输入 .local_run(NAME, {b}={c})。"
    ),
    "run {a} {b} runs on PAIFlow {c}": "运行 {a} {b} 在 PAIFlow 上运行 {c}",
}
