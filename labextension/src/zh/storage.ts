/** The sections of TensorBoard boards, backends and storage, in Chinese. */
export const zhStorage: Readonly<Record<string, string>> = {
  // boards
  'TensorBoard boards': 'TensorBoard',
  'oss:// address of event files': '事件文件的 oss:// 地址',
  'New board': '新建',
  '{count} of {limit} on PAI': 'PAI 上 {count}/{limit} 个',
  '{count} of {limit} on the emulator': '模拟器上 {count}/{limit} 个',
  'No TensorBoard is running. Open one from a job, or enter an address below.':
    '没有正在运行的 TensorBoard。可以从作业打开，或在下面输入地址新建。',
  'Stop TensorBoard {name}?': '停止 TensorBoard {name}？',
  Open: '打开',
  starting: '正在启动',
  stopped: '已停止',
  'this machine': '本机',

  // backends
  Backends: '后端',
  Check: '检查',
  'Checking…': '正在检查…',
  ready: '可用',
  'not ready': '不可用',
  'not checked': '未检查',
  emulator: '模拟器',
  'Profile {name}': '配置 {name}',
  'No profile selected': '未选择配置',

  // storage: where one is
  Storage: '存储',
  Locations: '位置',
  Jobs: '作业',
  Preview: '预览',
  Close: '关闭',
  '{count} entry': '{count} 项',
  '{count} entries': '{count} 项',
  'Showing entries {first} to {last}': '显示第 {first} 至 {last} 项',
  'Show next entries': '显示后面的条目',
  'Go to…': '转到…',
  Go: '转到',
  'Address of a folder, e.g. oss://bucket/folder/': '文件夹地址，例如 oss://bucket/folder/',
  'Type an address.': '请输入地址。',

  // storage: what one brings
  Upload: '上传',
  Uploads: '上传',
  waiting: '等待中',
  Cancel: '取消',
  Dismiss: '忽略',
  'Uploaded: {name}': '已上传：{name}',
  '{what} already exists. Replace?': '{what} 已存在。要替换吗？',
  Replace: '替换',
  Keep: '保留',
  'Not uploaded: {what}. Rename it: no slashes, no control characters, at most 255 bytes.':
    '未上传：{what}。请重命名：不能含斜杠和控制字符，最多 255 字节。',
  '{names} and {count} more': '{names} 及另外 {count} 个',
  'New folder': '新建文件夹',
  'Name of the new folder': '新文件夹的名称',
  Create: '新建',
  'Type a name.': '请输入名称。',
  'A name cannot contain slashes or control characters, and cannot be "." or "..".':
    '名称不能含斜杠或控制字符，也不能是 "." 或 ".."。',
  'The name is too long.': '名称过长。',

  // storage: what one takes away
  'Folders are downloaded in a notebook: {line}': '文件夹请在 notebook 中下载：{line}',
  Delete: '删除',
  'Counting…': '正在统计…',
  'Delete {what}? In all {amount}. This cannot be undone.': '删除 {what}？共 {amount}。此操作无法撤销。',
  '{count} file, {size}': '{count} 个文件，{size}',
  '{count} files, {size}': '{count} 个文件，{size}',
  'more than {count} files, {size}': '超过 {count} 个文件，{size}',
  'Deleting…': '正在删除…',
  'Deleting {name}': '正在删除 {name}',
  'Deleted {count} file': '已删除 {count} 个文件',
  'Deleted {count} files': '已删除 {count} 个文件'
};
