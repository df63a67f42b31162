"""Names, stars, tags and notes that the user gives jobs."""

ANNOTATIONS = {
    "recorded name": "记录中的名称",
    # store/annotations.py
    "is empty": "为空",
    "begins with -": "以 - 开头",
    "has a blank in it": "含有空格",
    "has {name} in it": "含有 {name}",
    "has characters that cannot be seen": "含有不可见字符",
    "has {n} characters": "有 {n} 个字符",
    "has {n} tags; there may be {n2}": "有 {n} 个标签；最多 {n2} 个",
    "has line breaks or control characters": "含有换行或控制字符",
    "has control characters": "含有控制字符",
    "the tag {name} {a}. A tag has 1 to {n} characters, without blanks, commas, colons, quotes, < and >, and does not begin with "
    "-.": "标签 {name} {a}。标签为 1 到 {n} 个字符，不含空格、逗号、冒号、引号、< 和 >，且不以 - 开头。",
    "the name {a}. It is one line of at most {n} characters.": "名称{a}。名称为一行，最多 {n} 个字符。",
    "the note {a}. It is text of at most {n} characters.": "备注{a}。备注为文本，最多 {n} 个字符。",
    "{a} is {name}; it must be text.": "{a}是 {name}；必须是文本。",
    "a tag": "标签",
    "the name": "名称",
    "the note": "备注",
    "the job would have {n} tags; it may have {n2}. Remove some first.": "作业将有 {n} 个标签；最多 {n2} 个。请先移除一些。",
    "a job has a star or none: give True or False.": "作业有星标或没有：请指定 True 或 False。",
    "is of a newer pai_jupyter. Type: %pip install --upgrade pai_jupyter": (
        "来自更新版本的 pai_jupyter。请输入：%pip install --upgrade pai_jupyter"
    ),
    # store/annotation_files.py
    "'{name}' cannot be read: {a}. Without this file the job has its first name, and no star, tags or note.": (
        "无法读取 '{name}'：{a}。删除此文件后，作业恢复原来的名称，没有星标、标签和备注。"
    ),
    "another process is changing names, tags and notes of jobs, and has not ended for {n} s. Try again.": (
        "另一个进程正在修改作业的名称、标签和备注，已超过 {n} 秒。请重试。"
    ),
    # jobs/job_index
    "a job has a star or none, not {name}. Type star:yes or star:no.": (
        "作业有星标或没有，不能是 {name}。请输入 star:yes 或 star:no。"
    ),
    "tags": "标签",
    # magics
    "no star, tags or note": "没有星标、标签和备注",
    "--star and --no-star exclude each other. Keep one of them.": "--star 和 --no-star 不能同时使用。请只保留一个。",
    "--name is of one job, and these are {n}. Give one.": "--name 只用于一个作业，而这里有 {n} 个。请只指定一个。",
    "which job? Type e.g. %pai_tag iris-3 best, or %pai_jobs to see them.": (
        "哪个作业？请输入例如 %pai_tag iris-3 best，或用 %pai_jobs 查看全部。"
    ),
    "{name} is a tag and the name of a job. For the tag type --add {name2}, for the job its id.": (
        "{name} 既是标签，又是作业的名称。要指标签，请输入 --add {name2}；要指作业，请输入其 ID。"
    ),
    "the job has not got its tags: {a}": "作业没有得到标签：{a}",
    # server
    "job {name} was submitted from another machine, and names and tags are kept beside its record, of which there is none here "
    "yet. Import it first: Import in its menu makes one.": (
        "作业 {name} 是在其他机器上提交的；名称和标签保存在作业记录旁，而这里还没有它的记录。请先在其菜单中选择“导入”。"
    ),
}
