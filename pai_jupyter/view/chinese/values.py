"""What is said of variables that a job gets from the kernel (`--send`) and returns to it (`--return`)."""

_IN_A_VARIABLE = "敏感信息不会写入文件。请去掉，并以环境变量提供给本地作业：--pass-env NAME"

VALUES = {
    # sending
    "`{a}` belongs to a cell with %%pai_train: the code on disk stays as it is. Give it data as an input, -i NAME=PATH, and let "
    "it write its results to an output.": (
        "`{a}` 只用于 %%pai_train 单元格：磁盘上的代码保持不变。请用输入提供数据：-i NAME=PATH，并让代码将结果写入输出。"
    ),
    "`--send` needs a kernel. Remove it, or run the cell in the notebook.": (
        "`--send` 需要内核。请去掉它，或在笔记本中运行此单元格。"
    ),
    "the input `{a}` is that of --send. Give the other one another name: -i NAME=PATH": (
        "输入 `{a}` 是 --send 所用的。请为另一个输入换个名称：-i NAME=PATH"
    ),
    "`{a} {b}` is no name of a variable. Give names with commas: {c} X_train,y_train": (
        "`{a} {b}` 不是变量名。请用逗号分隔变量名：{c} X_train,y_train"
    ),
    "`{a} {b}` looks like a secret, and secrets are not written into files. Give it to a local job as a variable: --pass-env NAME": (
        "`{a} {b}` 可能是敏感信息，敏感信息不会写入文件。请以环境变量提供给本地作业：--pass-env NAME"
    ),
    "`--send {a}`: the notebook has no variable `{b}`. Run the cell that defines it first.": (
        "`--send {a}`：笔记本中没有变量 `{b}`。请先运行定义它的单元格。"
    ),
    "`{a}` holds what looks like a secret (a key, a token, a password), and secrets are not written into files. Take it out, and "
    "give it to a local job as a variable: --pass-env NAME": (
        f"`{{a}}` 中可能有敏感信息（密钥、令牌或密码），{_IN_A_VARIABLE}"
    ),
    "`{a}` holds one of the secrets loaded in this session, and secrets are not written into files. Take it out.": (
        "`{a}` 中有本次会话加载的敏感信息，敏感信息不会写入文件。请去掉。"
    ),
    "the values to send are larger than {a} MiB together; the largest is `{b}` ({c}). Write it to a file, and give that as an "
    "input: -i {d}=PATH": (
        "要发送的变量合计超过 {a} MiB，最大的是 `{b}`（{c}）。请将其写入文件，并作为输入提供：-i {d}=PATH"
    ),
    "the values cannot be written to {a}: {b}. Make room there, or set PAI_JUPYTER_HOME to a directory that you can write to.": (
        "变量无法写入 {a}：{b}。请在该处腾出空间，或将 PAI_JUPYTER_HOME 设为您可写入的目录。"
    ),
    "`{a}` cannot be sent: it {b}": "`{a}` 无法发送：{b}",
    "no values were sent with this job: there is no {a}.": "此作业没有收到变量：没有 {a}。",
    "`{a}` was not sent with this job. Name it: --send {b}": "`{a}` 没有随此作业发送。请指定：--send {b}",
    "`-p {a}` has no effect: `{b}` is sent with the value that it has in the notebook. Take `{c}` out of --send, or set it in the "
    "notebook and leave out -p {d}.": (
        "`-p {a}` 不起作用：`{b}` 会以其在笔记本中的值发送。请从 --send 中去掉 `{c}`，或在笔记本中设置它并去掉 -p {d}。"
    ),
    "`{a}` and `{b}` share their memory here; in the job, each is an array of its own.": (
        "`{a}` 与 `{b}` 在此处共享内存；在作业中，它们是各自独立的数组。"
    ),
    "`{a}` is {b}, that of this notebook. Choose it in the cell if the job's machine differs.": (
        "`{a}` 的值为 {b}，是此笔记本的设备。如果作业所在的机器不同，请在单元格中选择设备。"
    ),
    "Send all of them along: --send {a}": "可一并发送：--send {a}",
    # returning
    "To get {name} after the end of the job, type {name2}.returned()": "作业结束后要取得 {name}，请输入 {name2}.returned()",
    "To get {name} after the end of the job, type {name2}.returned(); once another job was started, first %pai_attach {name3} --as "
    "job, then job.returned()": (
        "作业结束后要取得 {name}，请输入 {name2}.returned()；如果之后又启动了其他作业，请先输入 %pai_attach {name3} --as job，"
        "再输入 job.returned()"
    ),
    "note: nothing came back: {name} in the notebook are what they were before.": (
        "注意：没有返回任何变量：笔记本中的 {name} 保持原来的值。"
    ),
    "returned: {a}": "返回：{a}",
    "roles: {a}": "角色：{a}",
    "sent: {a}": "发送：{a}",
    "returned value": "返回值",
    "`{a}` was not returned: it {b}": "`{a}` 没有返回：{b}",
    "pai_jupyter: `{a}` was not returned: it {b}": "pai_jupyter：`{a}` 没有返回：{b}",
    "the values of job {a}": "作业 {a} 的返回值",
    "{a} has a damaged {b}, so no values can be read. Look at its files instead.": (
        "{a} 中的 {b} 已损坏，无法读取任何值。请直接查看其文件。"
    ),
    "{a} has a damaged {b}: the file of {c} is none of its own.": "{a} 中的 {b} 已损坏：{c} 的文件不在其中。",
    "`{a}` of {b} cannot be read: it {c}": "{b}中的 `{a}` 无法读取：{c}",
    "`{a}` cannot be read: it {b}": "`{a}` 无法读取：{b}",
    "`{a}` of {b} cannot be read: it is too large for the memory.": "{b}中的 `{a}` 无法读取：超出内存。",
    "job {a} returns nothing. Name variables of its cell: %%pai_train --return model": (
        "作业 {a} 没有返回值。请指定单元格中的变量：%%pai_train --return model"
    ),
    "job {a} returned nothing: its cell did not get to the last line, after which values are written. An exception or sys.exit() "
    "ends it before.": (
        "作业 {a} 没有返回任何值：返回值在最后一行之后写入，而单元格没有运行到那里。异常或 sys.exit() 会提前结束它。"
    ),
    "job {a} returned nothing: its first worker did not get to the last line of the cell, after which values are written. The end of its "
    "shards ends the job, as an exception or sys.exit() does. What the loop leaves is in the output `model`: job.fetch('model')": (
        "作业 {a} 没有返回任何值：返回值在单元格最后一行之后写入，而第一个 worker 没有运行到那里。"
        "分片全部完成即结束作业，异常或 sys.exit() 也会结束它。"
        "循环写出的结果在输出 `model` 中：job.fetch('model')"
    ),
    "{a}: came back as a pickle, and reading one runs its code. If you trust what the job ran, type job.returned(pickle=True)": (
        "{a}：以 pickle 返回，读取时会运行其中的代码。如果您信任该作业所运行的代码，请输入 job.returned(pickle=True)"
    ),
    "{a}: came back as a pickle, and reading one runs its code. If you trust what the job ran, type job.returned(pickle=True); "
    "without it, job.returned({b})": (
        "{a}：以 pickle 返回，读取时会运行其中的代码。如果您信任该作业所运行的代码，请输入 job.returned(pickle=True)；"
        "不读取它们，请输入 job.returned({b})"
    ),
    # why one cannot be written or read
    "is a module. Write `import {a}` in the cell instead.": "这是一个模块。请在单元格中写 `import {a}`。",
    "is an open file, which no other process can read from. Open it in the cell instead.": (
        "这是打开的文件，其他进程无法读取。请在单元格中打开它。"
    ),
    "is a generator, which cannot be copied. Make it in the cell, or take list(...) of it.": (
        "这是生成器，无法复制。请在单元格中创建它，或改用 list(...)。"
    ),
    "is not defined at the end of the cell.": "单元格结束时没有定义它。",
    "is of a class or function of the notebook, which needs the package cloudpickle. Type %pip install cloudpickle": (
        "它来自笔记本中的类或函数，需要 cloudpickle 包。请输入 %pip install cloudpickle"
    ),
    "is nested too deeply.": "嵌套过深。",
    "cannot be pickled: {a}": "无法用 pickle 保存：{a}",
    "cannot be unpickled: {a}: {b}": "无法用 pickle 读取：{a}: {b}",
    "makes the values larger than {a} MiB together. Write it to a file instead.": (
        "加上它，合计超过 {a} MiB。请改为写入文件。"
    ),
    "needs the package {a}. Add %pip install {b} to the cell.": "需要 {a} 包。请在单元格中加上 %pip install {b}",
    "needs the module {a}. Add %pip install {b} to the cell.": "需要模块 {a}。请在单元格中加上 %pip install {b}",
    "needs pyarrow 15 or later: older ones may run code of a file. Add %pip install -U pyarrow": (
        "需要 pyarrow 15 或更高版本：旧版本可能会运行文件中的代码。请加上 %pip install -U pyarrow"
    ),
    "refers to another variable, which is not read with it.": "引用了另一个变量，而该变量没有一起读取。",
    "has a place in its file that is none.": "在文件中的位置无效。",
    "needs `{a}`, which is not there.": "需要 `{a}`，但它不在其中。",
    "has a format that is not read here.": "格式未知，无法读取。",
    "is damaged: {a}": "文件已损坏：{a}",
    "is no JSON: it has {a}.": "不是 JSON：其中有 {a}。",
    "is an .npy file of a version that is not read here.": "此版本的 .npy 文件无法读取。",
    "is no array: its head says {a} bytes, and {b} follow.": "不是数组：文件头写明 {a} 字节，实际有 {b} 字节。",
    "is no file of tensors: its head is longer than the file.": "不是张量文件：文件头比文件长。",
    "is no file of tensors: the sizes in its head do not fit.": "不是张量文件：文件头中的大小不符。",
    "is no file of tensors: it is cut off.": "不是张量文件：文件不完整。",
}
