"""What PAIFlow, its runs and their steps say."""

FLOWS = {
    # backends/flow
    "PAIFlow runs steps of pipelines, and no single job. Leave out the backend, or run a pipeline: %%pai_pipeline NAME --run": (
        "PAIFlow 运行流水线的步骤，不运行单个作业。请去掉 backend，或运行流水线：%%pai_pipeline NAME --run"
    ),
    "step of {a}": "{a} 的步骤",
    "{a} (step of {b})": "{a}（{b} 的步骤）",
    "PAIFlow stops a step only with its whole run. Type %pai_runs to see the runs, and stop that one.": (
        "PAIFlow 只能随整个运行一起停止步骤。输入 %pai_runs 查看所有运行，然后停止该运行。"
    ),
    "PAIFlow rejects requests about job {a}: {b}": "PAIFlow 拒绝有关作业 {a} 的请求：{b}",
    "{a} The job goes on.": "{a} 作业仍在继续。",
    "Type %pai_doctor to check region, key and workspace; PAIFlow needs the permission `paiflow:ListRuns`.": (
        "输入 %pai_doctor 检查地域、密钥和工作空间；PAIFlow 需要权限 `paiflow:ListRuns`。"
    ),
    "it answers in {a}": "在 {a} 有应答",
    "(the component's own; PAIFlow does not report it)": "（组件自己的命令；PAIFlow 未提供）",
    "backend {a} knows no job {b}.": "后端 {a} 没有作业 {b}。",
    "output {a} of job {b} is not in OSS, so it cannot be copied here: {c}": (
        "作业 {b} 的输出 {a} 不在 OSS 中，无法复制到这里：{c}"
    ),
    "its run is suspended; resume it in the console": "它所在的运行已挂起；请在控制台恢复",
    "its condition was not met, or a step before it did not succeed": "条件未满足，或它之前的步骤没有成功",
    "PAIFlow does not know its status": "PAIFlow 不知道它的状态",
    # cloud/flow
    "a run is of a manifest or of a saved pipeline. Give one of both.": "运行只能来自清单或已保存的流水线。请指定其中一个。",
    "the pipeline has no input {a} among its {b}; it has {c}. Correct the name.": (
        "流水线的 {b} 中没有输入 {a}；有 {c}。请更正名称。"
    ),
    "Give the text that PAIFlow or `to_manifest` wrote.": "请提供 PAIFlow 或 `to_manifest` 写出的文本。",
    "the manifest has {n} characters; there may be {m}.": "清单有 {n} 个字符；最多 {m} 个。",
    "the manifest has no document, or one that is no object. {a}": "清单中没有文档，或有文档不是对象。{a}",
    "in line {n} ": "第 {n} 行",
    "the manifest {a}is invalid: {b}. {c}": "清单{a}无效：{b}。{c}",
    "it has an alias": "其中有别名",
    "a component is saved under an identifier and a version. Give both.": ("组件以标识符和版本保存。请同时指定两者。"),
    (
        "PAIFlow has no component {a} of version {b} from provider {c}. Check the identifier and the version; "
        "%pai_pipeline --components lists those that are there."
    ): "PAIFlow 中没有提供者 {c} 的组件 {a} 版本 {b}。请检查标识符和版本；%pai_pipeline --components 会列出已有的组件。",
    "PAIFlow answered without the manifest of {a}. Update pai_jupyter.": (
        "PAIFlow 的应答中没有 {a} 的清单。请升级 pai_jupyter。"
    ),
    "the manifest has no documents. Give what `to_manifest` returns.": "清单中没有文档。请提供 `to_manifest` 的返回值。",
    "PAIFlow answered with a manifest that cannot be read: {a}": "PAIFlow 返回的清单无法读取：{a}",
    "PAIFlow created it without returning its id. Look for it in the console.": (
        "PAIFlow 已创建，但没有返回 ID。请在控制台查找。"
    ),
    # workflow/remote
    "the manifest is empty. Give what `to_manifest` returns.": "清单为空。请提供 `to_manifest` 的返回值。",
    "PAIFlow runs {a}, but that could not be written down here: {b}": "PAIFlow 正在运行 {a}，但无法在这里记录：{b}",
    'interrupted; run {a} goes on. To wait again, type: attach_remote_run("{b}").wait()': (
        '已中断；运行 {a} 仍在继续。要再次等待，请输入：attach_remote_run("{b}").wait()'
    ),
    "PAIFlow waits until somebody starts the run in its console": "PAIFlow 正等待有人在控制台启动该运行",
    "somebody has suspended the run; resume it in PAI's console": "有人挂起了该运行；请在 PAI 控制台恢复",
    "PAIFlow says {a}": "PAIFlow 的状态为 {a}",
    "the value of {a} is sent to PAIFlow, which shows it to all who may see the run.": (
        "{a} 的值会发送给 PAIFlow，能查看该运行的人都能看到。"
    ),
    "the value of {a} looks like a secret, so it is not saved. Set it before a run: os.environ[{b}] = getpass.getpass()": (
        "{a} 的值像是敏感信息，因此不保存。请在运行前设置：os.environ[{b}] = getpass.getpass()"
    ),
    "the `{a}` of the registry is not saved: PAIFlow pulls the image without it.": (
        "镜像仓库的 `{a}` 不保存：PAIFlow 拉取镜像时没有它。"
    ),
    (
        "the `{a}` of the registry is not in the manifest, since secrets are masked there. Make the component anew: "
        "ContainerComponent(image_registry_config=...)"
    ): (
        "manifest 中没有镜像仓库的 `{a}`，因为其中的敏感信息会被掩盖。请重新创建组件：ContainerComponent(image_registry_config=...)"
    ),
    "the `{a}` of the registry is sent to PAIFlow, which shows it to all who may see the run.": (
        "镜像仓库的 `{a}` 会发送给 PAIFlow，能查看该运行的人都能看到。"
    ),
    (
        "`{a}` looks like a secret, and PAIFlow shows the value of a parameter to all who may see the run; it is kept in records "
        "here, too. Give it as a variable, which is masked here: environments={'{b}': ...}"
    ): (
        "`{a}` 像是敏感信息，而能查看该运行的人都能在 PAIFlow 看到参数的值；它也会保存在此处的记录中。请用变量传入，"
        "其值在此处会被掩盖：environments={'{b}': ...}"
    ),
    (
        "the saved component `{a}` has no value of {b}, since secrets are not saved, and PAIFlow runs a step of it without one. "
        "Make the step of the component that it was saved from."
    ): (
        "已保存的组件 `{a}` 没有 {b} 的值，因为敏感信息不保存，而 PAIFlow 运行其步骤时也没有该值。请用保存前的组件创建步骤。"
    ),
    "the secret variable {a} has no value here. Type: os.environ[{b}] = getpass.getpass()": (
        "密钥变量 {a} 在这里没有值。请输入：os.environ[{b}] = getpass.getpass()"
    ),
    (
        "step `{a}`: PAI's SDK never sends `and`, `or` or `not` in a condition; whether PAIFlow decides it so is not known. "
        "One condition a step is safe."
    ): "步骤 `{a}`：PAI 的 SDK 从不在条件中发送 `and`、`or` 或 `not`；PAIFlow 是否这样判断尚不清楚。每个步骤只用一个条件是稳妥的。",
    (
        "step `{a}`: `{b}` is declared as text, so here 1.10 is not equal to 1.1; whether PAIFlow compares texts or numbers "
        "with `{c}` is not known. For a number declare a number, e.g. typ=float."
    ): (
        "步骤 `{a}`：`{b}` 声明为文本，因此此处 1.10 不等于 1.1；PAIFlow 用 `{c}` 比较的是文本还是数字尚不清楚。"
        "如果是数字，请声明为数字，例如 typ=float。"
    ),
    "this is a rehearsal: the steps run at the emulator on this machine, {a}.": "这是模拟运行：步骤在本机的模拟器 {a} 上运行。",
    (
        "this is a rehearsal: the steps run at the emulator on this machine, {a}, in this machine's Python: their images are "
        "neither checked nor used."
    ): "这是模拟运行：步骤在本机的模拟器 {a} 上以本机的 Python 运行：既不检查也不使用镜像。",
    "{a} PAIFlow has none of it either: %pai_pipeline --components lists those saved.": (
        "{a}PAIFlow 中也没有：%pai_pipeline --components 会列出已保存的组件。"
    ),
    (
        "step `{a}`: whether PAIFlow counts the end of a range is not known; it is not counted here. Items in a list are safe."
    ): "步骤 `{a}`：PAIFlow 的范围是否包含终点尚不清楚；在本机不包含。用列表给出各项是稳妥的。",
    "there is no {a} to send to PAI. Correct the path, or give an oss:// address.": (
        "没有可发送到 PAI 的 {a}。请更正路径，或提供 oss:// 地址。"
    ),
    (
        "{a}: PAIFlow has no `enum`, which {b} declares. What is known now was checked here; what one step gives another is not "
        "checked there."
    ): "{a}：PAIFlow 没有 {b} 所声明的 `enum`。目前已知的值已在本机检查；步骤之间传递的值在 PAI 上不检查。",
    (
        "{a}: whether PAIFlow writes `true` or `True` for the Bool {b} is not known; here it is `true`. Let the command take both."
    ): "{a}：PAIFlow 将 Bool 参数 {b} 写作 `true` 还是 `True` 尚不清楚；在本机写作 `true`。请让命令两者都能接受。",
    (
        "{a}: PAI installs no requirements for a custom job, and it has: {b}. Give an image that has them."
    ): "{a}：PAI 不为自定义作业安装依赖，而它需要：{b}。请使用已包含这些依赖的镜像。",
    (
        "{a}: PAI passes {b} as one word of text, e.g. `--name True`; here the script gets what it declares: a flag alone, or the "
        "items of a list as words. Let the script read the text, or give a String."
    ): (
        "{a}：PAI 将 {b} 作为一个文本参数传递，例如 `--name True`；在本机，脚本按其声明得到值：单独的开关，或列表中的各项。"
        "请让脚本读取该文本，或改用 String。"
    ),
    (
        "PAIFlow takes no step over from an earlier run: `from_step` is for runs of this machine. Leave it out, and all steps run again."
    ): "PAIFlow 不会沿用先前运行的步骤：`from_step` 仅用于本机的运行。请去掉它，所有步骤都会重新运行。",
    "component `{a}`": "组件 `{a}`",
    "step `{a}`: PAIFlow has no `{b}`, so it is left out.": "步骤 `{a}`：PAIFlow 没有 `{b}`，因此去掉。",
}
