"""`%pai_oss`, and what transfers say of themselves."""

STORAGE = {
    "and more: only the first {a} are shown": "还有更多：只显示前 {a} 项",
    "changed (UTC)": "修改时间（UTC）",
    "nothing is at {a}": "{a} 中没有内容",
    "uploading {a}: {b}": "正在上传 {a}：{b}",
    "downloading {a}: {b}": "正在下载 {a}：{b}",
    "uploading {a}": "正在上传 {a}",
    "uploaded {a}: {b}": "已上传 {a}：{b}",
    "downloading {a}": "正在下载 {a}",
    "downloaded {a}: {b}": "已下载 {a}：{b}",
    "`cp` needs one address in OSS and one local path, e.g. %pai_oss cp ./data/ {a}": (
        "`cp` 须一边在 OSS，另一边在本机，例如 %pai_oss cp ./data/ {a}"
    ),
    "nothing was removed. This would remove {a}. To remove it, add -y": "没有删除任何内容。此命令会删除 {a}。确认删除请加 -y",
    "removed {a}": "已删除 {a}",
    "there is no object {a}. Look: %pai_oss ls {b}": "没有对象 {a}。请查看：%pai_oss ls {b}",
    "{a} is not a text. Download it: %pai_oss cp {b} .": "{a} 不是文本。请下载：%pai_oss cp {b} .",
    "{a}\n... and {b} more: %pai_oss cp {c} .": "{a}\n... 还有 {b}：%pai_oss cp {c} .",
    "`{a}` must be written %pai_oss {b} {c}": "`{a}` 的写法：%pai_oss {b} {c}",
    "there is nothing at {a}, so nothing was removed.": "{a} 中没有内容，没有删除任何内容。",
    "{a} is a directory, with {b} in it. To remove all of it, add -r": "{a} 是目录，其中有 {b}。全部删除请加 -r",
    "{a} is not in OSS. Write oss://BUCKET/KEY": "{a} 不在 OSS 中。请写作 oss://BUCKET/KEY",
    "checking what is already there": "正在查看已有内容",
}
