/** Clusters, and job files that are submitted to them or simulated, in Chinese. */
export const zhCluster: Readonly<Record<string, string>> = {
  // the list
  Cluster: '集群',
  Clusters: '集群',
  'Add Cluster…': '添加集群…',
  'Add a cluster': '添加集群',
  Add: '添加',
  'No cluster yet.': '还没有集群。',
  Use: '使用',
  'Submit to this cluster where none is named': '未指定集群时提交到此集群',
  'Ask the cluster whether it answers and takes the password': '询问集群是否应答并接受密码',
  'Log In…': '登录…',
  'Log in': '登录',
  'no password': '没有密码',
  'password in memory, until the server ends': '密码在内存中，服务器结束后即失效',
  'password in your file': '密码在您的文件中',
  'Delete {cluster} and its password here? Its jobs go on, and are no longer followed.':
    '删除 {cluster} 及此处的密码？其作业继续运行，但不再被跟踪。',

  // the form of a cluster
  'Your own name for it, e.g. lab': '您为它取的名称，例如 lab',
  Address: '地址',
  'Host or http(s)://HOST[:PORT]': '主机名或 http(s)://HOST[:PORT]',
  User: '用户名',
  Password: '密码',
  'keep the password in a file that only you can read': '将密码保存在只有您可以读取的文件中',
  'This field is empty.': '此字段为空。',

  // the form of a job file
  'Job file': '作业文件',
  'Submit {file}': '提交 {file}',
  'Simulate {file}': '模拟运行 {file}',
  Submit: '提交',
  Simulate: '模拟运行',
  'Submitting…': '正在提交…',
  '{file} is not submitted.': '{file} 没有提交。',
  '{file} is not simulated.': '{file} 没有模拟运行。',
  'Cluster: {cluster}': '集群：{cluster}',
  'No cluster yet. Add one:': '还没有集群。请添加一个：',
  'Local images': '本地镜像',
  'The local image to run in its place. Leave blank to keep it.': '代替它运行的本地镜像。留空则保持不变。',
  'This is no name of an image, e.g. python:3.11-slim': '这不是镜像的名称，例如 python:3.11-slim'
};
