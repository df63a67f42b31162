"""What keeps source from being packed, and packages from being unpacked."""

PACKAGES = {
    # package/archive.py
    ("{a} changed while it was packed. Run this again when it is at rest, or name it in .paiignore."): (
        "{a} 在打包时发生了变化。请在其不再变化后重新运行，或写入 .paiignore。"
    ),
    "{a} cannot be read: {b}. Name it in .paiignore.": "无法读取 {a}：{b}。请写入 .paiignore。",
    # package/cache.py
    "the file is shorter than it was": "文件比之前短",
    # package/files.py
    "a socket": "套接字",
    "a device": "设备",
    "{a} is {b}; it was left out.": "{a} 是{b}，已略过。",
    (
        "{a} is a link to {b}, which leaves the source directory. Name it in .paiignore, add what it points to by "
        "--include PATH, or give data as an input (-i NAME=PATH)."
    ): (
        "{a} 是指向 {b} 的链接，超出了代码目录。请写入 .paiignore，用 --include PATH 加入其目标，"
        "或将数据作为输入给出（-i NAME=PATH）。"
    ),
    (
        "{a} and {b} would both be {c} in the package. Rename one of them."
    ): "{a} 和 {b} 在代码包中都会是 {c}。请重命名其中之一。",
    (
        "`source_dir` is {a}, and there is no such directory. Check --source-dir."
    ): "`source_dir` 是 {a}，但没有这个目录。请检查 --source-dir。",
    "rename the file on disk": "请重命名磁盘上的文件",
    (
        "{a} is already in {b}, and the cell would take its place. Choose another name: {c}."
    ): "{b} 中已有 {a}，单元格会占用其位置。请选择其他名称：{c}。",
    (
        "{a} is no name for a file of a package; it must be relative, without '..'."
    ): "{a} 不能作为代码包中的文件名；应为相对路径，不含 '..'。",
    "{a} is a link that leads in a circle; it was left out.": "{a} 是循环链接，已略过。",
    (
        "the file name '{a}' is not UTF-8. Rename the file, or name it in .paiignore."
    ): "文件名 '{a}' 不是 UTF-8。请重命名文件，或写入 .paiignore。",
    (
        "{a} and {b} cannot both be in the package. Rename one of them."
    ): "{a} 和 {b} 不能同时在代码包中。请重命名其中之一。",
    # package/ignore.py
    "{a} is no plain file of at most {b} MiB. Remove it.": "{a} 不是普通文件，或超过 {b} MiB。请将其删除。",
    # package/member_tree.py
    "{a} is a link to {b}, which": "指向 {b} 的链接 {a}",
    "{a} is a hard link to {b}, which": "指向 {b} 的硬链接 {a}",
    "{a} is an absolute path": "{a} 是绝对路径",
    "{a} is no name of a file": "{a} 不是文件名",
    "{a} leads upwards": "{a} 指向上级目录",
    "{a}… is more than {b} directories down": "{a}… 的目录超过 {b} 层",
    ("{a} is {b}, and only plain files, directories and links are unpacked"): "{a} 是{b}，只解包普通文件、目录和链接",
    "{a} is no name for a {b}": "{a} 不能作为 {b} 的名称",
    "it holds more than {a} files and directories": "其中的文件和目录超过 {a} 个",
    "its names are longer than those of files are": "其中的名称比文件名的上限还长",
    "{a} is a hard link to {b}, which is no file before it": "{a} 是指向 {b} 的硬链接，而之前没有这个文件",
    "{a} is there twice, as a {b} and as something else": "{a} 出现两次，一次是 {b}，一次是其他类型",
    "{a} is a link to nothing that has a name": "{a} 是没有目标的链接",
    "{a} is a link to {b}, an absolute path": "{a} 是指向绝对路径 {b} 的链接",
    "its links lead through too many other links": "其中的链接经过过多其他链接",
    "{a} leads in a circle, or through more than {b} links": "{a} 形成循环，或经过超过 {b} 个链接",
    "{a} leads more than {b} directories down": "{a} 的目录超过 {b} 层",
    "{a} lies below {b}, which is a {c}": "{a} 位于 {b} 之下，而后者是 {c}",
    "{a} leads out of the archive": "{a} 超出了压缩包",
    "{a} leads through two names that some disks take for one": "{a} 经过两个在某些磁盘上相同的名称",
    # package/members.py
    "symbolic link": "符号链接",
    "hard link": "硬链接",
    "something else": "其他类型",
    "a sparse file": "稀疏文件",
    "a header is invalid": "应有文件头的位置没有文件头",
    "of an unknown kind": "未知类型",
    "a size is negative": "大小为负",
    "a header is longer than any name": "文件头比任何名称都长",
    "it is cut": "内容不完整",
    "a number is invalid": "有一个数字无效",
    "it is empty": "内容为空",
    "a pax header is invalid": "pax 文件头无效",
    # package/packing.py
    (
        "the package holds {a} beside the code. The largest: {b}. Name in .paiignore what the job need not have, or give "
        "data as an input (-i NAME=PATH)."
    ): (
        "代码包中除代码外有 {a}。最大的有：{b}。请在 .paiignore 中写入作业不需要的内容，或将数据作为输入给出（-i NAME=PATH）。"
    ),
    (
        "the package would hold {a}. The largest: {b}. Name in .paiignore what the job need not have, give data as "
        "an input (-i NAME=PATH), or allow it: --option package.allow_large=true"
    ): (
        "代码包将含有 {a}。最大的有：{b}。请在 .paiignore 中写入作业不需要的内容，将数据作为输入给出（-i "
        "NAME=PATH），或允许：--option package.allow_large=true"
    ),
    "the package cannot be written to {a}: {b}.": "无法将代码包写入 {a}：{b}。",
    ("{a} Set PAI_JUPYTER_HOME to a directory that you can write to."): "{a}请将 PAI_JUPYTER_HOME 设为您可写的目录。",
    "{a} (the limit is {b})": "{a}（上限为 {b}）",
    "{a} files (the limit is {b})": "{a} 个文件（上限为 {b}）",
    "{a} Make room there.": "{a}请在那里释放空间。",
    # package/packed.py
    "there is no room for the package in {a}. Make room there.": "{a} 处没有空间存放代码包。请在那里腾出空间。",
    "the package {a} cannot be read: {b}.": "无法读取代码包 {a}：{b}。",
    # package/secrets.py
    ("{a} line {b} holds what looks like an access key id (LTAI...); it goes with the job."): (
        "{a} 第 {b} 行像是 AccessKey ID（LTAI...）；它会随作业一起提交。"
    ),
    (
        "{a} goes with the job; if it holds secrets, name it in .paiignore."
    ): "{a} 会随作业一起提交；如果其中有敏感信息，请写入 .paiignore。",
    ("{a} line {b} holds {c}, which would travel with the job. Take it out, or name the file in .paiignore."): (
        "{a} 第 {b} 行有{c}，会随作业一起提交。请将其移除，或把文件写入 .paiignore。"
    ),
    "a private key": "私钥",
    "one of the secrets loaded in this session": "本会话中加载的敏感信息",
    # package/unpacking.py
    "unpacked it has more than {a} GiB": "解包后超过 {a} GiB",
    "{a} cannot be unpacked into {b}: {c}.": "无法将 {a} 解包到 {b}：{c}。",
    (
        "there is no room in {a} to unpack the package. Make room there."
    ): "{a} 中没有解包代码包的空间。请在那里释放空间。",
    "{a} is damaged: {b}. Make it again.": "{a} 已损坏：{b}。请重新生成。",
    (
        "one byte of it becomes more than {a}, as in an archive that is made to fill a disk"
    ): "每个字节解压后会膨胀到 {a} 以上，像是用来写满磁盘的压缩包",
    "{a} was not unpacked: {b}.": "{a} 没有解包：{b}。",
    "--include {a}: there is no such file or directory.": "--include {a}：没有这个文件或目录。",
    "--include {a}: this is the whole machine. Name a directory inside.": "--include {a}：这是整台机器。请指定其中的目录。",
    # words and sentences that others are put together with
    "a pipe": "管道",
    "file": "文件",
    "directory": "目录",
}
