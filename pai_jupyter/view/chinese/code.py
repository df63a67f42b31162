"""What is found in code before it runs (`cell`, `hyperparameters`), and what is said of values that do not fit."""

_DEBUGGER = "作业运行时无人操作调试器；请删除。"
CODE = {
    # values
    "a whole number": "整数",
    "a number": "数字",
    "true or false": "true 或 false",
    "a list or a dict as JSON, e.g. [1, 2]": "JSON 列表或字典，例如 [1, 2]",
    "a list as JSON, e.g. [1, 2], and each item {a}": "JSON 列表，例如 [1, 2]，其中每一项为：{a}",
    "a whole number between {a} and {b}": "整数，在 {a} 和 {b} 之间",
    "a whole number at least {a}": "整数，不小于 {a}",
    "a whole number at most {a}": "整数，不大于 {a}",
    "a number between {a} and {b}": "数字，在 {a} 和 {b} 之间",
    "a number at least {a}": "数字，不小于 {a}",
    "a number at most {a}": "数字，不大于 {a}",
    "text of a length between {a} and {b}": "文本，长度在 {a} 和 {b} 之间",
    "text of a length at least {a}": "文本，长度不小于 {a}",
    "text of a length at most {a}": "文本，长度不大于 {a}",
    "a whole number above {a} and below {b}": "整数，大于 {a}，且小于 {b}",
    "a whole number above {a} and at most {b}": "整数，大于 {a}，且不大于 {b}",
    "a whole number at least {a} and below {b}": "整数，不小于 {a}，且小于 {b}",
    "a whole number above {a}": "整数，大于 {a}",
    "a whole number below {a}": "整数，小于 {a}",
    "a number above {a} and below {b}": "数字，大于 {a}，且小于 {b}",
    "a number above {a} and at most {b}": "数字，大于 {a}，且不大于 {b}",
    "a number at least {a} and below {b}": "数字，不小于 {a}，且小于 {b}",
    "a number above {a}": "数字，大于 {a}",
    "a number below {a}": "数字，小于 {a}",
    "text of a length above {a} and below {b}": "文本，长度大于 {a}，且小于 {b}",
    "text of a length above {a} and at most {b}": "文本，长度大于 {a}，且不大于 {b}",
    "text of a length at least {a} and below {b}": "文本，长度不小于 {a}，且小于 {b}",
    "text of a length above {a}": "文本，长度大于 {a}",
    "text of a length below {a}": "文本，长度小于 {a}",
    "{a} or None": "{a}，或 None",
    "one of {a}": "{a} 之一",
    "`{a}` is empty; it must be {b}. The default is {c}.": "`{a}` 为空，应为：{b}。默认值是 {c}。",
    "`{a}` is {b}; it must be {c}.": "`{a}` 是 {b}，应为：{c}。",
    "`{a}` is a {b}; it must be a number, text, True or False, a list, or a dict with text as keys.": (
        "`{a}` 是 {b}；应为数字、文本、True 或 False、列表，或以文本为键的字典。"
    ),
    "`{a}` is an input of this job, so it cannot have a value as well. Remove -i or -p.": (
        "`{a}` 是此作业的输入，不能同时有值。请去掉 -i 或 -p。"
    ),
    "`{a}` and `{b}` are the same option. Give one of them.": "`{a}` 和 `{b}` 是同一个选项，只能给出一个。",
    "`{a}` is an option only with `{b}` = `{c}`. Remove it, or give -p {d}={e}.": (
        "`{a}` 只在 `{b}` = `{c}` 时是选项。请去掉该值，或指定 -p {d}={e}。"
    ),
    "{a} that does not begin with -": "{a}，不以 - 开头",
    "`{a}` is an option of the subcommand `{b}`, which is not the chosen one. Remove it, or give -p {c}={d}.": (
        "`{a}` 是子命令 `{b}` 的选项，而所选的不是它。请去掉该值，或给出 -p {c}={d}。"
    ),
    "{a} cannot be a hyperparameter's name; use letters, digits, _, - and ., no _ in front.": (
        "{a} 不能作为超参数名；只能用字母、数字、_、- 和 .，且不能以 _ 开头。"
    ),
    "`{a}` is spelled `{b}` in the script. Write -p {c}=...": "`{a}` 在脚本中写作 `{b}`。请写 -p {c}=...",
    "`{a}` is no option of the script, whose parse_args() stops at it. {b} To let it through write parse_known_args().": (
        "脚本没有选项 `{a}`，parse_args() 会因此报错。{b}如要允许它，请改用 parse_known_args()。"
    ),
    (
        "`{a}` is not declared by the script, and nothing in it reads it. {b} "
        "To use `{c}`, write `{d}` on a line of its own at the top level of the script."
    ): "脚本没有声明 `{a}`，也不会读取它。{b}如需使用 `{c}`，请在脚本顶层单独写一行 `{d}`。",
    "on line {n}": "第 {n} 行",
    "on cell line {n}": "单元格第 {n} 行",
    "in cell [{n}], line {n2}": "单元格 [{n}] 第 {n2} 行",
    "`{a}` is a plain variable {b}. To give it values, write `{c}` there.": (
        "`{a}` 是{b}的普通变量。要使其成为超参数，请在该行写 `{c}`。"
    ),
    (
        "`{a}` is set {d} inside `{b}`, where it is not seen. "
        "Write `{c}` at the top level instead, or add `# hp:` behind it."
    ): "`{a}` 在{d}的 `{b}` 内赋值，不会被识别。请在顶层写 `{c}`，或在该行末尾加上 `# hp:`。",
    "`{a}` is a key of several dicts: {b}. Write the one that you mean: -p {c}=...": (
        "`{a}` 是多个字典的键：{b}。请写明是哪一个：-p {c}=..."
    ),
    "Did you mean `{a}`?": "是否想写 `{a}`？",
    "It has no options.": "脚本没有任何选项。",
    "It has no hyperparameters.": "脚本没有声明任何超参数。",
    "It has no {a}.": "脚本没有 {a}。",
    "It has {a}.": "可用的有：{a}。",
    " and {a} more": " 等（另有 {a} 个）",
    "`{a}` has no value, and the script requires one. Give it: -p {b}=...": ("脚本需要 `{a}` 的值。请指定：-p {b}=..."),
    "`{a}` has no place, and the script requires one. Give it: -i {b}=./data": (
        "脚本需要 `{a}` 的路径。请指定：-i {b}=./data"
    ),
    "`{a}` holds a line break, which no magic's line can. {b}": "`{a}` 中有换行，而魔法命令行中不能有换行。{b}",
    "Write the values to a JSON file and give it: --params FILE": "请把值写入 JSON 文件并用 --params FILE 给出",
    "Remove it.": "请去掉。",
    "the default of `{a}` is {b}, but only {c} is allowed; change one of them": (
        "`{a}` 的默认值是 {b}，但只允许 {c}；请修改其一"
    ),
    "`{a}` is assigned again before anything reads it, so its value above has no effect; delete one of the two": (
        "`{a}` 在被读取之前又被赋值，上面的值因此不起作用；请删去其一"
    ),
    "`{a}` cannot be a hyperparameter: names are letters, digits, _, - and ., with no _ in front": (
        "`{a}` 不能作为超参数：名称只能用字母、数字、_、- 和 .，且不能以 _ 开头"
    ),
    "`--{a}` cannot be a hyperparameter: names are letters, digits, _, - and ., with no _ in front": (
        "`--{a}` 不能作为超参数：名称只能用字母、数字、_、- 和 .，且不能以 _ 开头"
    ),
    "`--{a}` has no type=, so a value given to it arrives as text; write type=int or type=float": (
        "`--{a}` 没有 type=，给出的值会是文本；请写 type=int 或 type=float"
    ),
    "the option `{a}` has no long name, so no value can be given to it; add one like --{b}": (
        "选项 `{a}` 没有长选项名，无法为其给出值；请加上一个，例如 --{b}"
    ),
    "the flag `{a}` cannot be given by -p; write --command 'python train.py $PAI_USER_ARGS {b}'": (
        "开关 `{a}` 不能用 -p 给出；请写 --command 'python train.py $PAI_USER_ARGS {b}'"
    ),
    "`{a}` does not read the job's arguments, so no value reaches it; write {b}": (
        "`{a}` 不读取作业的参数，得不到任何值；请写 {b}"
    ),
    "`{a}` takes the place of the job's arguments, so no value reaches the script; delete this line": (
        "`{a}` 替换了作业的参数，脚本得不到任何值；请删除该行"
    ),
    "{a}Invalid Python: {b}": "{a}Python 代码无效：{b}",
    "the code cannot be read as Python: {a}. Correct it.": "无法将代码解析为 Python：{a}。请改正。",
    # the line of a magic
    " A value for `{a}` is given with -p {b}=...": "`{a}` 的值用 -p {b}=... 给出",
    " Did you mean `--{a}`?": "是否想写 `--{a}`？",
    " A hyperparameter is given with -p {a}=...": "超参数用 -p {a}=... 给出",
    "`{a}` looks like a secret, and the value of a hyperparameter is kept in the job's record. Give it as a variable, which is masked there: --env {b}=... (os.environ[{c}] in the script).": (  # noqa: E501  one sentence
        "`{a}` 像是敏感信息，而超参数的值会保存在作业记录中。请改为环境变量，它在记录中会被遮盖："
        "--env {b}=...（脚本中用 os.environ[{c}]）。"
    ),
    # questions, keys, names
    "nobody can answer `{a}()` in a job.": "作业运行时无人应答 `{a}()`。",
    "{a} Make it a hyperparameter (-p NAME=VALUE) or a variable (--env).": "{a}请改为超参数（-p NAME=VALUE）或环境变量（--env）。",
    "nobody can answer a debugger in a job, which fails there. Delete it.": "作业运行时无人操作调试器，作业会在此失败。请删除。",
    "the option": "该选项",
    '`{a}` has type=bool, to which every text is true, even "False". Use action="store_true".': (
        '`{a}` 的 type=bool 会把任何文本都当作真，包括 "False"。请使用 action="store_true"。'
    ),
    (
        "an access key stands in the code, which is stored and sent with the job. "
        "Take it out, and give the job a role or a credentials file to read where it runs."
    ): "代码中有 AccessKey，会随作业保存和提交。请将其移除，改为给作业授予角色，或让作业在运行处读取凭证文件。",
    "hyperparameters `{a}` and `{b}` become the same variable PAI_HPS_{c}. Rename one.": (
        "超参数 `{a}` 和 `{b}` 会成为同一个变量 PAI_HPS_{c}。请重命名其一。"
    ),
    "`{a}` is not defined in this cell; the job does not see the notebook's variables.": (
        "`{a}` 在此单元格中没有定义；作业看不到笔记本的变量。"
    ),
    (
        "`{a}` is used before it is assigned; the job does not see the notebook's variables. "
        "Assign it first, or read it from an input."
    ): "`{a}` 在赋值之前就被使用；作业看不到笔记本的变量。请先赋值，或从输入读取。",
    # what is taken from other cells
    "`{a}` is a value of cell [{n}] ({b}), which the job does not see. Send it along: --send {c}": (
        "`{a}` 是单元格 [{n}] 中的值（{b}），作业看不到它。请一起发送：--send {c}"
    ),
    "`{a}` is a value of cell [{n}], which the job does not see. Send it along: --send {b}": (
        "`{a}` 是单元格 [{n}] 中的值，作业看不到它。请一起发送：--send {b}"
    ),
    "`{a}` is a value ({b}), which the job does not see. Send it along: --send {c}": (
        "`{a}` 是一个值（{b}），作业看不到它。请一起发送：--send {c}"
    ),
    "`{a}` was deleted in cell [{n}]; define it in the cell.": "`{a}` 已在单元格 [{n}] 中删除；请在此单元格中定义。",
    "`{a}` is defined in cell [{n}], which failed. Run that cell again.": (
        "`{a}` 在单元格 [{n}] 中定义，而该单元格运行失败。请重新运行该单元格。"
    ),
    "`{a}` is defined in cell [{n}], but the kernel has it no more. Run that cell again.": (
        "`{a}` 在单元格 [{n}] 中定义，但内核中已没有它。请重新运行该单元格。"
    ),
    (
        "`{a}` of cell [{n}] holds what looks like a secret, which would be stored with the job. "
        "Read it in the cell from a variable, and pass that: --pass-env {b}"
    ): "单元格 [{n}] 中的 `{a}` 含有疑似敏感信息，会随作业保存。请在单元格中从环境变量读取，并传递该变量：--pass-env {b}",
    "`{a}` is that of cell [{n}]; cell [{n2}], which defines it later, failed.": (
        "`{a}` 取自单元格 [{n}]；之后定义它的单元格 [{n2}] 运行失败。"
    ),
    "`{a}` is that of cell [{n}]; cell [{n2}], which defines it later, is not what the kernel holds.": (
        "`{a}` 取自单元格 [{n}]；之后定义它的单元格 [{n2}] 与内核中的不一致。"
    ),
    "`{a}` is that of cell [{n}], which failed after defining it.": "`{a}` 取自单元格 [{n}]，该单元格在定义它之后运行失败。",
    "`{a}` is what cell [{n}] ran; that cell ran again as [{n2}], and does not define it any more.": (
        "`{a}` 取自单元格 [{n}] 当时运行的代码；该单元格之后重新运行为 [{n2}]，已不再定义它。"
    ),
    "cell {a} also calls {b}, which does not come along: call it in this cell": (
        "单元格 {a} 还调用了 {b}，它不会一起提交：请在此单元格中调用"
    ),
    "cell {a} also calls {b}, which do not come along: call them in this cell": (
        "单元格 {a} 还调用了 {b}，它们不会一起提交：请在此单元格中调用"
    ),
    "cells {a} also call {b}, which do not come along: call them in this cell": (
        "单元格 {a} 还调用了 {b}，它们不会一起提交：请在此单元格中调用"
    ),
    "{a} Add: {b}": "{a}请添加：{b}",
    "{a} Is `{b}` meant?": "{a}是否想写 `{b}`？",
    "{a} Define it in the cell, read it from an input, or send its module along with --include.": (
        "{a}请在单元格中定义，从输入读取，或用 --include 一起提交其模块。"
    ),
    "`display` exists only in a notebook. Use print(...) in a job, or save the figure into PAI_OUTPUT_MODEL.": (
        "`display` 只存在于笔记本中。作业中请用 print(...)，或把图保存到 PAI_OUTPUT_MODEL。"
    ),
    "`get_ipython` exists only in a notebook. Delete the call, or write in Python what it does.": (
        "`get_ipython` 只存在于笔记本中。请删除该调用，或用 Python 写出其作用。"
    ),
    "{a}: a script has no running event loop. Put it into `async def main():`, then asyncio.run(main()).": (
        "{a}：脚本没有运行中的事件循环。请放入 `async def main():`，再用 asyncio.run(main())。"
    ),
    "Python cannot read this line: {a}.": "Python 无法解析此行：{a}。",
    "Python cannot read this code: {a}.": "Python 无法解析此代码：{a}。",
    "it is nested too deeply": "嵌套过深",
    "the cell has no code. Write the training code below the line %%pai_train.": (
        "单元格中没有代码。请在 %%pai_train 行下面写训练代码。"
    ),
    # paths
    "`{a}` is not there: jobs of this backend have no directory /ml. Use {b} instead.": (
        "`{a}` 不存在：此后端不能为作业提供 /ml。请改用 {b}。"
    ),
    'os.environ["PAI_OUTPUT_MODEL"], os.environ["PAI_INPUT_<CHANNEL>"] and their like': (
        'os.environ["PAI_OUTPUT_MODEL"]、os.environ["PAI_INPUT_<CHANNEL>"] 等'
    ),
    "`{a}` is the input `{b}` of the job, which lies elsewhere there. Read {c}.": (
        "`{a}` 是作业的输入 `{b}`，在作业中位于别处。请读取 {c}。"
    ),
    '`{a}` is in the input `{b}` of the job, which lies elsewhere there. Read {c} + "/{d}".': (
        '`{a}` 在作业的输入 `{b}` 中，在作业中位于别处。请读取 {c} + "/{d}"。'
    ),
    "`{a}` is not among the files that are sent. Add --include {b}, or give it as an input with -i.": (
        "`{a}` 不在要提交的文件中。请加 --include {b}，或用 -i 作为输入给出。"
    ),
    '`{a}` is a path of this machine, which may not be there where the job runs. Give it as an input, -i data={b}, and read os.environ["PAI_INPUT_DATA"].': (  # noqa: E501  one sentence
        '`{a}` 是本机的路径，作业运行处可能没有。请用 -i data={b} 作为输入给出，并读取 os.environ["PAI_INPUT_DATA"]。'
    ),
    # lines of IPython
    "left out, since it means nothing in a job: `{a}`{b}": "已略去，因为在作业中没有意义：`{a}`{b}",
    (
        "conda means nothing in a job, whose packages come from its image and from %pip, so `{a}` is left out. "
        "If the job needs the package: %pip install NAME"
    ): "conda 在作业中没有意义（作业的包来自镜像和 %pip），因此略去 `{a}`。如作业需要该包，请写 %pip install NAME",
    "`{a}` gives nothing outside of IPython. Delete the line.": "`{a}` 在 IPython 之外不起作用。请删除此行。",
    "`{a}` is IPython's help or automatic call. Delete it, or call the function with parentheses.": (
        "`{a}` 是 IPython 的帮助或自动调用。请删除，或加括号调用函数。"
    ),
    "`%{a}` speaks to the notebook, not to the job. Run it in a cell of its own.": (
        "`%{a}` 作用于笔记本，而不是作业。请在单独的单元格中运行。"
    ),
    "`%%{a}` runs a shell, which only IPython can. {b}": "`%%{a}` 会运行 shell，只能在 IPython 中使用。{b}",
    'Use subprocess.run("...", shell=True, check=True), or --command for the job\'s own command.': (
        '请使用 subprocess.run("...", shell=True, check=True)，或用 --command 给出作业自己的命令。'
    ),
    "`{a}{b}` exists only in IPython. {c}": "`{a}{b}` 只能在 IPython 中使用。{c}",
    "`{a}{b}` exists only in IPython. ": "`{a}{b}` 只能在 IPython 中使用。",
    "Delete it, or write in Python what it does.": "请删除，或用 Python 写出其作用。",
    "Import the module (--include sends it along), or use runpy.run_path(path).": (
        "请导入该模块（用 --include 一起提交），或使用 runpy.run_path(path)。"
    ),
    "Run it once, so that the code itself stands in the cell.": "请先运行一次，使代码本身写入单元格。",
    "Write: import numpy as np; import matplotlib.pyplot as plt": "请写：import numpy as np; import matplotlib.pyplot as plt",
    "Use timeit.timeit(...), or %time for a single run.": "请使用 timeit.timeit(...)，或单次运行用 %time。",
    "Nobody can answer a debugger in a job; delete it.": _DEBUGGER,
    "Save the file once and send it along with --include.": "请先保存该文件，再用 --include 一起提交。",
    "It must be the first line, once in a cell.": "它必须是第一行，且在一个单元格中只出现一次。",
    # modules of the user's own
    "sent along, since the cell imports it: {a}": "一起提交（单元格导入了它）：{a}",
    (
        "`{a}` is installed from {b}, which is not sent with the job. Send it along with --include {c}, or name a published "
        "package: %pip install NAME"
    ): "`{a}` 安装自 {b}，不会随作业提交。请用 --include {c} 一起提交，或改用已发布的包：%pip install NAME",
    (
        "{a} beside the notebook is imported, and the cell's own file has that name. Give the cell's file another name: "
        "--entry-point cell_{b}"
    ): "单元格导入了笔记本旁的 {a}，而单元格自己的文件也用此名。请为单元格的文件另取名称：--entry-point cell_{b}",
    "the code imports {a}, which {b} leaves out. If the job needs it: --include {c}": (
        "代码导入了 {a}，但 {b} 将其排除。如作业需要它，请加 --include {c}"
    ),
    # lines of %pip
    "`{a}` in {b} names a file of this machine. Take the line out, and send what it names along with --include.": (
        "{b} 中的 `{a}` 指向本机的文件。请去掉该行，并用 --include 一起提交其所指的文件。"
    ),
    "`{a}` names itself. Take the line out.": "`{a}` 引用了自身。请去掉该行。",
    "`pip install -r {a}`: the file cannot be read: {b}. It is looked for beside the notebook.": (
        "`pip install -r {a}`：无法读取该文件：{b}。该文件应与笔记本在同一目录。"
    ),
    "it is not UTF-8": "不是 UTF-8",
    "Write the versions themselves, e.g. %pip install numpy==2.0": "请直接写出版本，例如 %pip install numpy==2.0",
    "Send the module along instead: --include {a}": "请改为一起提交该模块：--include {a}",
    "`{a}` is no requirement. Write it without spaces, e.g. %pip install 'numpy>=2.0'": (
        "`{a}` 不是有效的依赖。请不要加空格，例如 %pip install 'numpy>=2.0'"
    ),
    "`{a}` is a file of this machine. Send it along with --include, or name a published package.": (
        "`{a}` 是本机的文件。请用 --include 一起提交，或改用已发布的包。"
    ),
    "`{a}` stands for a variable of the notebook, which the job does not see. Write the value itself.": (
        "`{a}` 代表笔记本的变量，作业看不到。请直接写出值。"
    ),
    "only `pip install` can be kept, not `{a}`. Begin the line with !, not with %.": (
        "只能保留 `pip install`，不能保留 `{a}`。请用 ! 而不是 % 开头。"
    ),
    "the address of {a} holds a password, which would be stored with the job. Take it out and let pip find it in its own configuration (pip.conf, netrc or PIP_INDEX_URL) where the job runs.": (  # noqa: E501  one sentence
        "{a} 的地址含有密码，会随作业保存。请移除，并让 pip 在作业运行处从其配置中读取（pip.conf、netrc 或 PIP_INDEX_URL）。"
    ),
    "`{a} {b}` names a file of this machine. {c}": "`{a} {b}` 指向本机的文件。{c}",
    "`{a} {b}` names a file of this machine. ": "`{a} {b}` 指向本机的文件。",
    "the option `{a}` of pip cannot be kept for a job. Delete it.": "作业不能保留 pip 的选项 `{a}`。请删除。",
    "`{a}` is no address.": "`{a}` 不是地址。",
}
