"""Storage: directories of this machine and OSS; the store of jobs."""

FAULTS = {
    # storage/oss/faults.py
    ("Check access_key_id and access_key_secret (%pai_config test)."): (
        "请检查 access_key_id 和 access_key_secret（%pai_config test）。"
    ),
    ("Check the endpoint, and the proxy: HTTPS_PROXY and NO_PROXY; or log in to this network."): (
        "请检查 Endpoint 和代理（HTTPS_PROXY、NO_PROXY），或登录此网络。"
    ),
    (
        "Get a new one; where a profile or a role gives it, run the same again."
    ): "请获取新的安全令牌；如果它由配置或角色提供，请直接重新运行。",
    "OSS does not know this access key. {a}": "OSS 中不存在此 AccessKey。{a}",
    "the access key's secret, or the region, is wrong. {a}": "AccessKey Secret 或地域不正确。{a}",
    "the security token has expired. {a}": "安全令牌已过期。{a}",
    "OSS does not accept the security token. {a}": "OSS 不接受此安全令牌。{a}",
    ("the clock of this machine is more than 15 minutes off. Set it: sudo timedatectl set-ntp true"): (
        "本机时间相差超过 15 分钟。请校准：sudo timedatectl set-ntp true"
    ),
    ("this access key may not do that. Ask the bucket's owner for the right, or use another profile."): (
        "此 AccessKey 没有该权限。请向 Bucket 所有者申请，或使用其他配置。"
    ),
    (
        "the account is disabled, as it is with unpaid bills. See the cloud's console."
    ): "账号已停用，可能因为欠费。请查看阿里云控制台。",
    "there is no such bucket. Check its name and region.": "没有这个 Bucket。请检查其名称和地域。",
    (
        "there is no such object. Check its key, upper and lower case included."
    ): "没有这个对象。请检查对象名称（区分大小写）。",
    "the upload was ended by somebody else. Start it again.": "上传已被他人结束。请重新开始。",
    ("the object is archived. Restore it in the cloud's console first."): "对象已归档。请先在阿里云控制台解冻。",
    (
        "the bucket's retention policy protects the object. Choose another key."
    ): "对象受 Bucket 的合规保留策略保护。请使用其他对象名称。",
    "the object was replaced while it was read. Start again.": "对象在读取时被替换。请重新开始。",
    "the object is larger than OSS takes.": "对象超过 OSS 的大小上限。",
    (
        "the bucket's or the account's quota is used up. Delete something, or raise it."
    ): "Bucket 或账号的配额已用完。请删除一部分内容，或提高配额。",
    ("the bucket is full. Delete something, or raise its capacity."): "Bucket 已满。请删除一部分内容，或提高容量。",
    "the account has as many buckets as it may have.": "账号的 Bucket 数量已达上限。",
    "OSS does not know who asks. {a}": "OSS 无法识别访问者。{a}",
    "OSS refuses.": "OSS 拒绝请求。",
    "there is no such bucket or object. Check the address.": "没有这个 Bucket 或对象。请检查地址。",
    "OSS is asked too often. Try again later.": "对 OSS 的请求过于频繁。请稍后再试。",
    "OSS has no room left.": "OSS 没有空间。",
    "OSS refuses: {a} ({b})": "OSS 拒绝请求：{a}（{b}）",
    "OSS does not answer ({a}): {b}": "OSS 没有响应（{a}）：{b}",
    "the bucket is not at this endpoint, but at {a} ({b}).": "Bucket 不在此 Endpoint，而在 {a}（{b}）。",
    "OSS fails with status {a}. Try again later. ({b})": "OSS 出错，状态 {a}。请稍后再试。（{b}）",
    (
        "its certificate is not accepted. Check the endpoint, the clock, and the proxy's certificate."
    ): "其证书不被接受。请检查 Endpoint、时间和代理的证书。",
    (
        "the proxy does not let it through. Check HTTPS_PROXY and NO_PROXY."
    ): "代理不允许通过。请检查 HTTPS_PROXY 和 NO_PROXY。",
    (
        "nobody answers there. An internal endpoint is only seen from inside its region; check the network."
    ): "该地址没有响应。内网 Endpoint 只能在同一地域内访问；请检查网络。",
    "the answer takes too long. Try again later.": "响应时间过长。请稍后再试。",
    ("the connection fails or breaks. Check the endpoint and the network."): "连接失败或中断。请检查 Endpoint 和网络。",
    "what answers is not OSS ({a}): {b}. {c}": "响应方不是 OSS（{a}）：{b}。{c}",
    (
        "the data arrived damaged, each time that it was tried ({a}). Check the network."
    ): "多次尝试后，收到的数据仍有损坏（{a}）。请检查网络。",
    "OSS cannot be asked that ({a}): {b}": "OSS 不支持该请求（{a}）：{b}",
    "what answers is not OSS ({a}). {b}": "响应方不是 OSS（{a}）。{b}",
    "OSS answered what nobody understands ({a}): {b}": "无法理解 OSS 的响应（{a}）：{b}",
}
_WHAT = "{request}"
STORES = {
    **FAULTS,
    **{f"{english} ({_WHAT})": f"{chinese}（{_WHAT}）" for english, chinese in FAULTS.items()},  # and what was asked
    # storage/address.py
    ("{a} is no address in OSS. Write it as oss://BUCKET/KEY, or oss://BUCKET.ENDPOINT/KEY."): (
        "{a} 不是 OSS 地址。请写作 oss://BUCKET/KEY，或 oss://BUCKET.ENDPOINT/KEY。"
    ),
    (
        "the key {a} is refused: as a file name it would be empty, hold a NUL, or lead out of its directory. Rename "
        "the object."
    ): ("对象名称 {a} 不可用：作为文件名，它为空、含有 NUL，或会超出所在目录。请重命名对象。"),
    (
        "{a} is no endpoint; an example: oss-cn-shanghai.aliyuncs.com"
    ): "{a} 不是 Endpoint；例如：oss-cn-shanghai.aliyuncs.com",
    (
        "nobody says where the bucket is. Set its region (%pai_config set region=cn-shanghai), or write "
        "oss://BUCKET.ENDPOINT/KEY."
    ): (
        "不知道 Bucket 在哪个地域。请设置其地域（%pai_config set region=cn-shanghai），或写作 "
        "oss://BUCKET.ENDPOINT/KEY。"
    ),
    # storage/disk.py
    (
        "{a} is a link to {b}, outside of its directory. Replace it by what it points to."
    ): "{a} 是指向所在目录之外的 {b} 的链接。请用所指的内容替换它。",
    (
        "{a} is refused: a link on the way leads out of {b}. Remove it."
    ): "不能使用 {a}：其路径中的链接超出了 {b}。请删除该链接。",
    "{a} is a pipe, a socket or a device. Move it elsewhere.": "{a} 是管道、套接字或设备。请移到别处。",
    "cannot use {a}: {b}. Choose another place.": "无法使用 {a}：{b}。请选择其他位置。",
    ("{a} became shorter while it was read. Try again when it is done."): "{a} 在读取时变短。请在写入完成后重试。",
    "{a} is there already. Remove it, or choose another name.": "{a} 已存在。请将其删除，或选择其他名称。",
    ("there is no room left for {a}. Free some disk space and try again."): "没有空间写入 {a}。请释放磁盘空间后重试。",
    "{a} is not there. Check the path.": "没有 {a}。请检查路径。",
    ("{a} is a link to a directory that it is in. Remove the link."): "{a} 是指向其上级目录的链接。请删除该链接。",
    "the file name '{a}' is not UTF-8. Rename the file.": "文件名 '{a}' 不是 UTF-8。请重命名文件。",
    # storage/local.py
    "there is no file {a}. Check the path.": "没有文件 {a}。请检查路径。",
    # storage/opening.py
    "{a} is at no storage that is known; there are {b}.": "{a} 不在已知的存储上；可用的有：{b}。",
    "a local path": "本地路径",
    # storage/oss/account.py
    "listing buckets": "正在列出 Bucket",
    "listing regions": "正在列出地域",
    "looking at the bucket {a}": "正在查看 Bucket {a}",
    # storage/oss/connection.py
    "status {a}{b}, with no id of the request": "状态 {a}{b}，没有请求 ID",
    (
        "OSS needs the package {a}. Type: %pip install 'pai_jupyter[oss]'"
    ): "OSS 需要包 {a}。请输入：%pip install 'pai_jupyter[oss]'",
    (
        "crcmod lacks its C part here, so checksums take 40 times as long: 17 s for 200 MB. Type: %pip install "
        "--force-reinstall --no-deps crcmod-plus"
    ): (
        "此处的 crcmod 没有 C 部分，计算校验和的耗时是原来的 40 倍：200 MB 需要 17 秒。请输入：%pip install "
        "--force-reinstall --no-deps crcmod-plus"
    ),
    # storage/oss/proof.py
    "it tells no {a} of the object": "没有给出对象的 {a}",
    # storage/oss/storage.py
    "signing an address of": "正在生成签名地址",
    "looking at": "正在查看",
    "looking at {a}": "正在查看 {a}",
    "signing an address of {a}": "正在生成 {a} 的签名地址",
    "listing {a}": "正在列出 {a}",
    "deleting {a}": "正在删除 {a}",
    "OSS did not delete {a} of {b} objects, {c} among them.": "OSS 没有删除 {b} 个对象中的 {a} 个，其中有 {c}。",
    # storage/oss/uploading.py
    (
        "{a} changed while it was uploaded. Upload it again when it is done."
    ): "{a} 在上传时发生了变化。请在写入完成后重新上传。",
    # storage/progress.py
    (
        "the transfer was cancelled. The same call goes on from where it was."
    ): "传输已取消。重新执行同样的调用会从中断处继续。",
    # store/disk.py
    ("cannot use '{a}': {b}. Check its permissions, or set PAI_JUPYTER_HOME to a folder of yours."): (
        "无法使用 '{a}'：{b}。请检查其权限，或将 PAI_JUPYTER_HOME 设为您自己的文件夹。"
    ),
    (
        "'{a}' is not read: it is no plain file any more, but a link, a pipe or a directory, or lies in a folder "
        "that is a link. Remove what was put there."
    ): ("没有读取 '{a}'：它已不是普通文件，而是链接、管道或目录，或位于作为链接的文件夹中。请删除放在那里的内容。"),
    ("there is no room left for '{a}'. Free some disk space, or set PAI_JUPYTER_HOME to a folder that has some."): (
        "没有空间写入 '{a}'。请释放磁盘空间，或将 PAI_JUPYTER_HOME 设为有空间的文件夹。"
    ),
    ("'{a}' is gone. Type %pai_jobs to see the jobs that are there."): "'{a}' 已不存在。用 %pai_jobs 查看现有作业。",
    (
        "'{a}' is damaged: it holds no JSON object. The logs beside it may still be read."
    ): "'{a}' 已损坏：不含 JSON 对象。同一文件夹中的日志可能仍可读取。",
    (
        "'{a}' is damaged: it is larger than {b} MiB. Remove what was put there."
    ): "'{a}' 已损坏：超过 {b} MiB。请删除放在那里的内容。",
    (
        "'{a}' is damaged: {b}. The logs beside it may still be read."
    ): "'{a}' 已损坏：{b}。同一文件夹中的日志可能仍可读取。",
    # store/home.py
    (
        "jobs cannot be kept in '{a}': {b}. Make that a directory of yours with some room, or set PAI_JUPYTER_HOME "
        "to another one."
    ): ("作业无法保存在 '{a}'：{b}。请将其设为您自己的、有空间的目录，或将 PAI_JUPYTER_HOME 设为其他目录。"),
    ("PAI_JUPYTER_HOME is {a}, which leads nowhere: {b}. Set it to a directory of yours, by its whole path."): (
        "PAI_JUPYTER_HOME 是 {a}，该路径不存在：{b}。请用完整路径设为您自己的目录。"
    ),
    # store/jobstore.py
    (
        "the list of jobs cannot be read: '{a}': {b}. Check that it is a directory of yours on a disk that works, or "
        "set PAI_JUPYTER_HOME to another one."
    ): ("无法读取作业列表：'{a}'：{b}。请检查它是否为您自己的目录、磁盘是否正常，或将 PAI_JUPYTER_HOME 设为其他目录。"),
    "there is a job {a} already. Type %pai_jobs to see it.": "已有作业 {a}。用 %pai_jobs 查看。",
    (
        "a directory in '{a}' is nested too deeply. Delete it in a terminal: rm -r"
    ): "'{a}' 中有目录嵌套过深。请在终端删除：rm -r",
    # store/patterns.py
    (
        "searching for {a} takes too long: it matches in too many ways. Use fewer repetitions inside repetitions."
    ): "搜索 {a} 耗时过长：匹配方式过多。请减少嵌套的重复。",
    (
        "{a} is no regular expression: {b}. Put a \\ before signs that are meant as they are."
    ): "{a} 不是正则表达式：{b}。请在按原样匹配的符号前加 \\。",
    "{a} is no regular expression: {b}": "{a} 不是正则表达式：{b}",
    # store/record.py
    "in `spec.{a}`: ": "`spec.{a}` 中：",
    (
        "{a} is damaged: {b}{c} The logs beside it may still be read.{d}"
    ): "{a} 已损坏：{b}{c}同一文件夹中的日志可能仍可读取。{d}",
    (" A newer pai_jupyter wrote it. Type: %pip install --upgrade pai_jupyter"): (
        "它由更新版本的 pai_jupyter 写入。请输入：%pip install --upgrade pai_jupyter"
    ),
    # store/replica.py
    "none yet": "还没有",
    (
        "the log of {a} goes on at byte {b}, but only {c} bytes of it have been read. Type %pai_attach with the "
        "job's id to read on."
    ): ("{a} 的日志从第 {b} 字节继续，但只读取了 {c} 字节。请输入 %pai_attach 和作业 ID 继续读取。"),
    # store/trouble.py
    (
        "there is no room left for the record of this job in '{folder}'. Free some disk space. {goes_on}"
    ): "'{folder}' 中没有空间写入此作业的记录。请释放磁盘空间。{goes_on}",
    ("The job goes on; its record is completed when there is room."): "作业继续运行；有空间后会补全记录。",
    # store/view.py
    " … [{a} bytes left out] … ": " … [省略 {a} 字节] … ",
    # store/worker.py
    (
        "searching for {a} takes too much time or memory. Use a simpler pattern."
    ): "搜索 {a} 需要过多时间或内存。请使用更简单的表达式。",
    "no process can be started to search in: {a}.": "无法启动搜索进程：{a}。",
    "--odps-limit needs the package {a}. Type: %pip install pyodps": (
        "--odps-limit 需要包 {a}。请输入：%pip install pyodps"
    ),
    "--odps-limit needs the package 'pyodps'. Type: %pip install pyodps": (
        "--odps-limit 需要包 'pyodps'。请输入：%pip install pyodps"
    ),
}
