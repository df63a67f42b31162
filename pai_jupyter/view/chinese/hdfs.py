"""HDFS: its storage, and `%pai_hdfs`."""

HDFS = {
    # storage/hdfs/address.py
    "{a} is no address in HDFS. Write it as hdfs://HOST/PATH.": "{a} 不是 HDFS 地址。请写作 hdfs://HOST/PATH。",
    "the name {a} has a colon, which HDFS refuses. Rename the file.": "名称 {a} 含有冒号，HDFS 不接受。请重命名文件。",
    (
        "{a} cannot be the name of a user of HDFS: letters, digits, `.`, `_` and `-`, a letter first. "
        "Type: %pai_config set hdfs_user=NAME"
    ): (
        "{a} 不能作为 HDFS 的用户名：只能由字母、数字、`.`、`_` 和 `-` 组成，并以字母开头。请输入：%pai_config set hdfs_user=NAME"
    ),
    "{a} is no address of WebHDFS; examples: http://HOST:50070, https://HOST/webhdfs/api/v1": (
        "{a} 不是 WebHDFS 的地址；例如：http://HOST:50070、https://HOST/webhdfs/api/v1"
    ),
    "{a} is no list of data nodes; an example: node-1=10.0.0.5:50075,node-2=10.0.0.6:50075": (
        "{a} 不是数据节点列表；例如：node-1=10.0.0.5:50075,node-2=10.0.0.6:50075"
    ),
    # storage/hdfs/faults.py, connection.py
    "there is no such file or directory in HDFS.": "HDFS 中没有这个文件或目录。",
    "HDFS does not allow it. Choose another place, or another hdfs_user.": (
        "HDFS 不允许此操作。请选择其他位置，或其他 hdfs_user。"
    ),
    "HDFS does not know who asks. Type: %pai_config set hdfs_user=NAME": (
        "HDFS 不知道是谁在请求。请输入：%pai_config set hdfs_user=NAME"
    ),
    "something of this name is there already. Choose another name.": "已有同名的内容。请选择其他名称。",
    "a part of the path is a file. Choose another name.": "路径中有一部分是文件。请选择其他名称。",
    "the directory is not empty.": "目录不为空。",
    "HDFS takes no such name. Choose another one.": "HDFS 不接受这样的名称。请选择其他名称。",
    "HDFS refuses what it is asked.": "HDFS 拒绝此请求。",
    "the directory has as many files as it may have. Delete some.": "目录中的文件数已达上限。请删除一些。",
    "the directory's space is used up. Delete something.": "目录的空间已用完。请删除一些内容。",
    "this name node is in reserve. Set hdfs_url to the active one.": (
        "此名称节点是备用节点。请将 hdfs_url 设为活动节点。"
    ),
    "HDFS is in safe mode: until it leaves it, files can be read and not changed. Try again later.": (
        "HDFS 处于安全模式：退出之前只能读取文件，不能更改。请稍后重试。"
    ),
    "somebody else writes this file. Try again in a minute.": "有人正在写入此文件。请稍后重试。",
    "HDFS is closing this file. Try again in a minute.": "HDFS 正在关闭此文件。请稍后重试。",
    "HDFS refuses.": "HDFS 拒绝请求。",
    "HDFS fails. Try again later.": "HDFS 出错。请稍后重试。",
    "{a} (HDFS, {b}; {c})": "{a}（HDFS，{b}；{c}）",
    "what answers is not WebHDFS ({a}): {b}. Check hdfs_url, and the network. A cluster of OpenPAI v1.x has no HDFS, and its storages "
    "cannot be browsed here.": (
        "应答的不是 WebHDFS（{a}）：{b}。请检查 hdfs_url 和网络。OpenPAI v1.x 的集群没有 HDFS，其存储不能在这里浏览。"
    ),
    "the data arrived incomplete, each time that it was tried ({a}). Check the network.": (
        "数据每次到达都不完整（{a}）。请检查网络。"
    ),
    "WebHDFS gives an address that cannot be used ({a}): {b}": "WebHDFS 给出的地址无法使用（{a}）：{b}",
    "this HDFS demands Kerberos, which pai_jupyter does not have ({a}).": "此 HDFS 要求 Kerberos，pai_jupyter 不支持（{a}）。",
    "answers too slowly": "响应太慢",
    "breaks the connection": "中断了连接",
    "{a} {b} {c} ({d}). Try again: it goes on from where it was.": "{a} {b} {c}（{d}）。请重试：会从中断处继续。",
    (
        "the data node {a} cannot be reached from here ({b}). If it has another address here, type: "
        "%pai_config set hdfs_datanodes={c}=HOST:PORT"
    ): (
        "此处无法访问数据节点 {a}（{b}）。如果它在此处有其他地址，请输入：%pai_config set hdfs_datanodes={c}=HOST:PORT"
    ),
    "the name node {a} cannot be reached ({b}). Check the address, hdfs_url, and the network.": (
        "无法访问名称节点 {a}（{b}）。请检查地址、hdfs_url 和网络。"
    ),
    "the data node": "数据节点",
    "the name node": "名称节点",
    "an HTML page with status {a}": "HTML 页面，状态 {a}",
    "a status without length and time": "状态中没有长度和时间",
    "a status without type": "状态中没有类型",
    "a list without FileStatus": "列表中没有 FileStatus",
    "a list with a name that no file has": "列表中有不可能的文件名",
    "a summary without fileCount": "摘要中没有 fileCount",
    "a redirect to {a}": "重定向到 {a}",
    "a redirect to {a}, where the address of a data node is due": "重定向到 {a}，而此处应给出数据节点的地址",
    "a redirect by {a}, where content is due": "{a} 给出重定向，而此处应给出内容",
    "status {a} where the address of a data node is due": "状态 {a}，而此处应给出数据节点的地址",
    "status {a} and no JSON": "状态 {a}，不是 JSON",
    "status {a} and JSON that is no object": "状态 {a}，JSON 不是对象",
    "{a} bytes of {b}": "{b} 字节中的 {a} 字节",
    "not appended": "没有追加",
    "the draft cannot be renamed": "无法重命名草稿",
    # storage/hdfs/storage.py, uploading.py, downloading.py
    "HDFS has no addresses that are valid for a time. Download the file, and share that.": (
        "HDFS 没有限时有效的地址。请下载文件后再分享。"
    ),
    "HDFS is in safe mode: waiting": "HDFS 处于安全模式：正在等待",
    "{a} changed while it was downloaded. Download it again.": "{a} 在下载时发生了变化。请重新下载。",
    "comparing {a}": "正在比较 {a}",
    # cloud/hdfs.py
    "no HDFS is set. Type: %pai_config set hdfs_url=http://HOST:50070, or write hdfs://HOST/PATH": (
        "没有设置 HDFS。请输入：%pai_config set hdfs_url=http://HOST:50070，或写 hdfs://HOST/PATH"
    ),
    # storage/hdfs/connection.py
    "the connection ended {a} bytes before the end": "连接中断，还差 {a} 字节",
    # magics/hdfs_magics.py
    (
        "note: HDFS is not made to keep your files: servers of a cluster come and go, and its disks may fill up. Keep a copy of "
        "what you need elsewhere."
    ): "注意：不推荐用 HDFS 保存文件：集群的服务器可能频繁增减，磁盘空间也可能不够。请将需要的内容另存一份。",
    "several files go into a directory. Write {a}/": "多个文件须放入目录。请写作 {a}/",
    "{a} is not in HDFS. Write /PATH or hdfs://HOST/PATH": "{a} 不在 HDFS 中。请写作 /PATH 或 hdfs://HOST/PATH",
    "`{a}` must be written %pai_hdfs {b} {c}": "`{a}` 的写法：%pai_hdfs {b} {c}",
    "made {a}": "已创建 {a}",
    # wire/files/uri_resolver.py
    "HDFS {a}": "HDFS {a}",
}
