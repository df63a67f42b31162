"""`%%pai_train`: what is wrong with its line and its options."""

TRAINING = {
    "`{a} {b} {c}`: write no spaces around =, e.g. {d} {e}": "`{a} {b} {c}`：= 两边不要留空格，例如 {d} {e}",
    "a quote is not closed on this line, or in what a {name} on it stands for.": (
        "此行有未闭合的引号，或 {name} 所代表的内容中有未闭合的引号。"
    ),
    "this line is longer than {n} characters. Put values into a file: --params FILE": (
        "此行超过 {n} 个字符。请把值写入文件：--params FILE"
    ),
    "{a} Type {b}? for the options.": "{a}输入 {b}? 查看选项。",
    "{a} exclude each other. Keep one of them.": "{a} 不能同时使用，请保留其中一个。",
    "`--as {a}` is no name of a variable: {b}. Type e.g. --as job": "`--as {a}` 不能用作变量名：{b}。请输入例如 --as job",
    "it is a keyword of Python": "它是 Python 的关键字",
    "it begins with a digit": "它以数字开头",
    "it may have only letters, digits and _": "只能包含字母、数字和 _",
    "`--metric {a}` is not of the form NAME:REGEX, e.g. --metric 'acc:val_acc=([0-9.]+)'": (
        "`--metric {a}` 须写作 NAME:REGEX，例如 --metric 'acc:val_acc=([0-9.]+)'"
    ),
    "`--params {a}` cannot be read as JSON: {b}": "`--params {a}` 无法作为 JSON 读取：{b}",
    '`--params {a}` holds no JSON object. Write {"lr": 0.01}.': '`--params {a}` 不是 JSON 对象。请写 {"lr": 0.01}。',
    "`--source-dir {a}` is a file. Give its directory, and the file with --entry-point.": (
        "`--source-dir {a}` 是文件。请指定其目录，并用 --entry-point 给出文件。"
    ),
    "... and {n} more. Type --lint to see them all.": "... 另有 {n} 个。用 --lint 查看全部。",
    "This exact job is running already ({a}); nothing new was started. To start a second one add --force.": (
        "相同的作业正在运行（{a}），没有启动新的作业。要再启动一个，请加 --force。"
    ),
    "{a}line {n}: {b}": "{a}第 {n} 行：{b}",
    "cell line {n}: {a}": "单元格第 {n} 行：{a}",
    "cell [{n}], line {n2}: {a}": "单元格 [{n}] 第 {n2} 行：{a}",
    "`--leave-out {a}`: {b} is no name of a variable. Write e.g. --leave-out Net,train": (
        "`--leave-out {a}`：{b} 不是变量名。请写成例如 --leave-out Net,train"
    ),
    "`--leave-out {a}`: the cell takes no `{b}` from other cells. {c}": (
        "`--leave-out {a}`：此单元格没有从其他单元格取用 `{b}`。{c}"
    ),
    "It takes: {a}": "取用的有：{a}",
    "It takes nothing from them: remove --leave-out.": "没有取用任何名称：请删除 --leave-out。",
    "from cell [{n}]: {a}": "来自单元格 [{n}]：{a}",
    "%pai_train needs the code: %pai_train NAME --source-dir DIR. For a cell's own code use %%pai_train.": (
        "%pai_train 需要代码：%pai_train NAME --source-dir DIR。单元格中的代码请用 %%pai_train。"
    ),
    "`--entry-point {a}` must be the name of a Python file in the package, e.g. train.py": (
        "`--entry-point {a}` 必须是代码包中 Python 文件的名称，例如 train.py"
    ),
    (
        "{a} is already in {b}, so the cell cannot be called that. Give the cell's file another name: "
        "--entry-point cell_{c}"
    ): "{b} 中已有 {a}，单元格不能使用此名称。请为单元格的文件换个名称：--entry-point cell_{c}",
    "`--requirements {a}` cannot be read: {b}. It is auto, none, or a file.": (
        "`--requirements {a}` 无法读取：{b}。可以是 auto、none 或文件。"
    ),
    "`{a} {b}` is not of the form NAME=VALUE, e.g. {c} {d}": "`{a} {b}` 须写作 NAME=VALUE，例如 {c} {d}",
    "`{a}` gives {b} twice. Keep one of them.": "`{a}` 中 {b} 出现两次，请保留一个。",
    "`{a} {b}` is no length of time. Write 90s, 30m, 2h or 1h30m.": "`{a} {b}` 不是时长。请写 90s、30m、2h 或 1h30m。",
    "`{a} {b}` leaves no time at all. Write 90s, 30m, 2h or 1h30m.": "`{a} {b}` 的时长为零。请写 90s、30m、2h 或 1h30m。",
    "`{a} {b}` must be a whole number from 1, e.g. {c} {d}": "`{a} {b}` 必须是不小于 1 的整数，例如 {c} {d}",
    "`{a} {b}`: there is no such file or directory.": "`{a} {b}`：没有这个文件或目录。",
    "`{a} {b}`: there is no such file or directory below {c}/.": "`{a} {b}`：{c}/ 下没有这个文件或目录。",
    "`{a} {b}`: there is no such user on this machine.": "`{a} {b}`：本机没有这个用户。",
    "Invalid Python: {a}": "Python 代码无效：{a}",
    "`{a}{b}` is no option of {c}.{d}": "`{a}{b}` 不是 {c} 的选项。{d}",
    "`{a}{b}` is no option of {c}. Did you mean `--{d}`?": "`{a}{b}` 不是 {c} 的选项。是否想写 `--{d}`？",
    "`{a}{b}` is no option of {c}. A value for `{d}` is given with -p {e}=...": (
        "`{a}{b}` 不是 {c} 的选项。请用 -p {e}=... 给出 `{d}` 的值。"
    ),
    "`{a}{b}` is no option of {c}. A hyperparameter is given with -p {d}=...": (
        "`{a}{b}` 不是 {c} 的选项。超参数请用 -p {d}=... 给出。"
    ),
    "Did you mean `--{a}`?": "是否想写 `--{a}`？",
    "A value for `{a}` is given with -p {b}=...": "请用 -p {b}=... 给出 `{a}` 的值。",
    "A hyperparameter is given with -p {a}=...": "超参数请用 -p {a}=... 给出。",
    "`{a}{b}` is no option of {c}. A value for an input of the pipeline is given with -p {d}=...": (
        "`{a}{b}` 不是 {c} 的选项。流水线输入的值请用 -p {d}=... 给出。"
    ),
    "A value for an input of the pipeline is given with -p {a}=...": "流水线输入的值请用 -p {a}=... 给出。",
    "`{a}` is too much on this line.": "此行多出了 `{a}`。",
    "`{a}` has no value.": "`{a}` 没有值。",
    "`{a} {b}` must be a number.": "`{a} {b}` 必须是数字。",
    "`--{a}` has no value.": "`--{a}` 没有值。",
    "this line cannot be split into words. Put values with spaces in quotes.": "此行中有一个词无法与相邻的词区分。",
    "`{a}` is not an option, or abbreviates several.": "`{a}` 不是选项，或对应多个选项。",
    # words and sentences that others are put together with
    "{a} and {b} exclude each other. Keep one of them.": "{a} 和 {b} 不能同时使用，请保留其中一个。",
}
