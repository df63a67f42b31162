"""What is said of pipelines that run on this machine: their manifests, the jobs of their steps, and what these have written."""

LOCAL_PIPELINES = {
    # workflow/place.py, local_run.py, preflight.py
    "there is no such backend": "没有这个后端",
    "{a} is not on this machine": "{a} 不在本机",
    "`backend` is {a}, but {b}. Give backend='process' or backend='docker'; .run(NAME) goes to PAI.": (
        "`backend` 为 {a}，但{b}。请使用 backend='process' 或 backend='docker'；.run(NAME) 提交到 PAI。"
    ),
    "`parallel` is {a}; it is a number of jobs, from 1.": "`parallel` 为 {a}；应为作业数，从 1 开始。",
    (
        "{a} is neither a Pipeline nor the documents of a manifest. Give Pipeline(steps=[...]), or Pipeline.from_manifest(FILE)."
    ): "{a} 既不是 Pipeline，也不是 manifest 的文档。请给出 Pipeline(steps=[...])，或 Pipeline.from_manifest(FILE)。",
    "the variable {a} has no value. Set it before the run: os.environ[{b}] = getpass.getpass()": (
        "变量 {a} 没有值。请在运行前设置：os.environ[{b}] = getpass.getpass()"
    ),
    "the variable {a} has no value here. Set it, and run again: os.environ[{b}]": (
        "变量 {a} 在此没有值。请设置后重新运行：os.environ[{b}]"
    ),
    "and {n} more problems": "另有 {n} 个问题",
    (
        "several jobs write to the output_path '{a}' ({b}): a later one replaces what is there, and side by side they disturb each "
        "other. Give each its own."
    ): "多个作业写入 output_path '{a}'（{b}）：后运行的会覆盖已有内容，同时运行时会相互干扰。请为每个作业单独指定。",
    # workflow/planning*.py
    "the manifest is empty. Write it with Pipeline.to_manifest().": "manifest 为空。请用 Pipeline.to_manifest() 生成。",
    "the manifest is damaged: {a} Write it with Pipeline.to_manifest().": (
        "manifest 已损坏：{a} 请用 Pipeline.to_manifest() 生成。"
    ),
    "the manifest is of apiVersion {a}; only {b} is known.": "manifest 的 apiVersion 为 {a}；只支持 {b}。",
    "component `{a}` has neither a container nor steps, so it cannot run here.": (
        "组件 `{a}` 既没有容器也没有步骤，因此无法在本机运行。"
    ),
    "the manifest is damaged: {a} is no JSON. Write it with Pipeline.to_manifest().": (
        "清单已损坏：{a} 不是 JSON。请用 Pipeline.to_manifest() 写出清单。"
    ),
    "component `{a}` has neither an entry point nor a command.": "组件 `{a}` 既没有入口脚本也没有命令。",
    (
        "component `{a}` has no command; that of its image is not known here. Give it one: command=['python', 'train.py']"
    ): "组件 `{a}` 没有命令；其镜像自带的命令在此未知。请指定：command=['python', 'train.py']",
    "component `{a}` has `{b}`, which jobs of this machine have not. Run it on PAI.": (
        "组件 `{a}` 有 `{b}`，本机的作业不支持。请在 PAI 上运行。"
    ),
    "/pai/outputs/ or /ml/output/": "/pai/outputs/ 或 /ml/output/",
    "component `{a}` writes the output parameter `{b}` to {c}. Let it write below {d}.": (
        "组件 `{a}` 将输出参数 `{b}` 写入 {c}。请写入 {d} 之下。"
    ),
    "component `{a}` writes an artifact to {b}. Let it write below /pai/outputs/ or /ml/output/.": (
        "组件 `{a}` 将制品写入 {b}。请写入 /pai/outputs/ 或 /ml/output/ 之下。"
    ),
    (
        "component `{a}` puts values into shell text, as on PAI: what is shell code in a value is run. Pass them as arguments, or as "
        "variables in double quotes."
    ): "组件 `{a}` 与 PAI 上一样将值填入 shell 文本：值中的 shell 代码会被执行。请改用参数，或双引号中的变量传递。",
    "two components give the secret {a} different values, and a run has one. Rename one of them.": (
        "两个组件给密钥变量 {a} 指定了不同的值，而一次运行只有一个。请重命名其中之一。"
    ),
    "the packed code {a} cannot be read ({b}). Make the component anew: job.as_component(...)": (
        "无法读取打包的代码 {a}（{b}）。请重新生成组件：job.as_component(...)"
    ),
    "its packed code has no script {a}. Make the component anew: job.as_component(...)": (
        "其打包的代码中没有脚本 {a}。请重新生成组件：job.as_component(...)"
    ),
    "parameter `{a}` has the type {b}; it must be one of: {c}.": "参数 `{a}` 的类型为 {b}；必须是以下之一：{c}。",
    "artifact `{a}` must be a path, an oss:// address, or PAI's JSON with a `location`.": (
        "制品 `{a}` 必须是路径、oss:// 地址，或 PAI 的含 `location` 的 JSON。"
    ),
    (
        "artifact `{a}` is {b} in MaxCompute, which jobs of this machine cannot read. Run the pipeline on PAI: .run(NAME); or give a "
        "file: a path or an oss:// address."
    ): "制品 `{a}` 是 MaxCompute 中的 {b}，本机的作业无法读取。请在 PAI 上运行流水线：.run(NAME)；或给出文件：路径或 oss:// 地址。",
    "its component is not in the manifest. Write the manifest with Pipeline.to_manifest().": (
        "其组件不在 manifest 中。请用 Pipeline.to_manifest() 生成 manifest。"
    ),
    "the registered component `{a}` {b} cannot be looked up here.": "在此无法查找已注册的组件 `{a}` {b}。",
    "more than {n} pipelines are within each other.": "流水线嵌套超过 {n} 层。",
    "it is given `{a}` twice.": "`{a}` 给出了两次。",
    "output `{a}` of `{b}` has no source, so it stays empty.": "`{b}` 的输出 `{a}` 没有来源，因此为空。",
    # workflow/custom_job_step.py, container_step.py and their parts
    (
        "the job type is {a}, of which several replicas cannot run on this machine; it has {b}. Give one worker, or run on PAI."
    ): "作业类型为 {a}，其多个副本无法在本机运行；本机支持 {b}。请只用一个 worker，或在 PAI 上运行。",
    "{a} Give job_config=JobConfig.create(worker_count=1, worker_instance_type='ecs.c6.large').to_dict()": (
        "{a} 请使用 job_config=JobConfig.create(worker_count=1, worker_instance_type='ecs.c6.large').to_dict()"
    ),
    (
        "component `{a}` uses {b}, which jobs of the backend {c} do not have here. Run it in Docker: backend='docker'; or install "
        "bubblewrap, with which local processes have it."
    ): "组件 `{a}` 使用 {b}，而后端 {c} 的作业在此没有。请在 Docker 中运行：backend='docker'；或安装 bubblewrap，本地进程即可使用。",
    "{{{a}}} is used in a component, which knows its own inputs alone.": "组件中使用了 {{{a}}}，而组件只知道自己的输入。",
    # workflow/step_outputs.py
    "output parameter `{a}`": "输出参数 `{a}`",
    "the job's output": "作业的输出",
    "job {a} has no record of its outputs on this machine.": "本机没有作业 {a} 的输出记录。",
    "{a} is missing: the job has not written {b}.": "{a} 缺失：作业没有写入 {b}。",
    "{a} is empty: the job has written nothing into {b}.": "{a} 为空：作业没有向 {b} 写入内容。",
    "output artifact `{a}` is missing: the job has not written /ml/output/{b}.": (
        "输出制品 `{a}` 缺失：作业没有写入 /ml/output/{b}。"
    ),
}
