/** The side panel: jobs, what is done to them, and what is told of them, in Chinese. */
export const zhPanel: Readonly<Record<string, string>> = {
  'Training jobs': '训练作业',
  'Training Jobs': '训练作业',
  'All training jobs, runs, boards, backends, stored files and components':
    '全部训练作业、运行、TensorBoard、后端、存储文件和组件',
  Runs: '运行',
  Run: '运行',
  'Run {name}': '运行 {name}',
  folded: '已折叠',
  open: '已展开',
  'Enter or a double click opens the run': '按 Enter 或双击打开该运行',
  'Refresh training jobs': '刷新训练作业',
  Jobs: '作业',
  Backends: '后端',
  Storage: '存储',
  Components: '组件',
  'New Component…': '新建组件…',
  ['pai_jupyter is not installed in the environment of this Jupyter server. ' +
  'Type "pip install pai_jupyter" there and restart the server.']:
    '此 Jupyter 服务器的环境中没有安装 pai_jupyter。请在该环境中运行 "pip install pai_jupyter"，然后重启服务器。',

  // the form of a cell
  'cell line {line}': '单元格第 {line} 行',
  'cell [{cell}]': '单元格 [{cell}]',
  'From other cells': '来自其他单元格',
  'Cost: {text}': '费用：{text}',

  // a row
  'submitted elsewhere': '在别处提交',
  'created {time}': '创建于 {time}',
  'started {time}': '开始于 {time}',
  'ended {time}': '结束于 {time}',
  'took {time}': '用时 {time}',
  '{n}d ago': '{n} 天前',
  '{n}h ago': '{n} 小时前',
  '{n}m ago': '{n} 分钟前',
  '{n}s ago': '{n} 秒前',

  '{jobs}: {amount} an hour': '{jobs}：每小时 {amount}',

  // which are listed
  Filters: '筛选条件',
  'Filter jobs': '筛选作业',
  ['Words that all must fit, e.g. iris state:failed lr=0.3 tag:best. Fields: state, name, tag, star, note, ' +
  'notebook, backend, metric, id, run; state:active are jobs that have not ended, star:yes those with a star; ' +
  'quotes keep blanks: notebook:"my file.ipynb". ' +
  'Compare values and metrics: lr<0.1 accuracy>=0.9 opt!=adam max(accuracy)>0.9; ' +
  'also duration>60 (seconds) and cost<10.']:
    '须全部匹配的词，例如 iris state:failed lr=0.3 tag:best。字段：state、name、tag、star、note、notebook、' +
    'backend、metric、id、run；state:active 表示尚未结束的作业，star:yes 表示加了星标的作业；' +
    '含空格的内容加引号：notebook:"my file.ipynb"。' +
    '比较值和指标：lr<0.1 accuracy>=0.9 opt!=adam max(accuracy)>0.9；也可比较 duration>60（秒）和 cost<10。',
  Tag: '标签',
  'All tags': '全部标签',
  'Only jobs with a star': '只显示加了星标的作业',
  State: '状态',
  Backend: '后端',
  Notebook: '笔记本',
  'Sort by': '排序',
  'All states': '全部状态',
  Active: '未结束',
  'All backends': '全部后端',
  'All notebooks': '全部笔记本',
  'Newest first': '最新的在前',
  'Last finished first': '最近结束的在前',
  'By state': '按状态',
  'By name': '按名称',
  'Announce state changes to screen readers': '作业状态变化时由读屏软件播报',
  'No jobs yet. Add %load_ext pai_jupyter and %%pai_train to a notebook.':
    '还没有作业。请在笔记本中加入 %load_ext pai_jupyter 和 %%pai_train。',
  'No jobs yet. Add %load_ext pai_jupyter and %%pai_train to a notebook, or:':
    '还没有作业。请在笔记本中加入 %load_ext pai_jupyter 和 %%pai_train，或：',
  'Run a cell as a job': '将单元格作为作业运行',
  // settings
  region: '地域',
  workspace: '工作空间',
  bucket: 'Bucket',
  backend: '后端',
  endpoint: 'OSS Endpoint',
  services: '服务地址',
  image: '镜像',
  instance_type: '实例类型',
  network: '网络',
  'process.max_parallel': '本地进程同时运行的作业数',
  'docker.max_parallel': 'Docker 同时运行的作业数',
  'Read aloud': '播报',
  'No matching jobs': '没有匹配的作业',
  'Clear filters': '清除筛选',
  '{count} jobs': '{count} 个作业',
  '{shown} of {count} jobs': '共 {count} 个作业，显示 {shown} 个',
  '1 job': '1 个作业',
  '{jobs}, {running} running': '{jobs}，{running} 个运行中',

  // what is done
  'Actions for the selected jobs': '对所选作业的操作',
  '{count} selected': '已选 {count} 个',
  Open: '打开',
  'Clone to a new cell': '复制到新单元格',
  'Go to cell': '转到单元格',
  'Insert %pai_attach': '插入 %pai_attach',
  Compare: '比较',
  Import: '导入',
  'Add or remove star': '添加或移除星标',
  '{jobs}: starred': '{jobs}：已加星标',
  '{jobs}: star removed': '{jobs}：已移除星标',
  'Add star (*)': '添加星标 (*)',
  'Remove star (*)': '移除星标 (*)',
  'Edit name, tags and note…': '编辑名称、标签和备注…',
  'Report…': '报告…',
  'Report of 1 job': '1 个作业的报告',
  'Report of {count} jobs': '{count} 个作业的报告',
  'Write report': '写入报告',
  'Report as': '报告格式',
  'HTML page': 'HTML 页面',
  'In the folder {folder}': '位于文件夹 {folder}',
  "In the server's root folder": '位于服务器的根文件夹',
  'File name': '文件名',
  'Enter a file name': '请输入文件名',
  'Leave blank for "Report of jobs"': '留空则为“作业报告”',
  'Replace the file': '替换该文件',
  '{file} is there already. Choose another name, or replace it.': '{file} 已存在。请换一个名称，或替换它。',
  'Report written: {path}': '报告已写入：{path}',
  'Name, tags and note': '名称、标签和备注',
  'Name, tags and note of {name}': '{name} 的名称、标签和备注',
  'Tags of {count} jobs': '{count} 个作业的标签',
  'Leave blank for the first name': '留空则使用原来的名称',
  'Words with blanks between them': '以空格分隔',
  Tags: '标签',
  'Add tags': '添加标签',
  'Remove tags': '移除标签',
  'Known tags': '已有标签',
  Star: '星标',
  Delete: '删除',
  Keep: '保留',
  'Stop {jobs}?': '停止 {jobs}？',
  'Delete {jobs} with all logs and outputs on this server? This cannot be undone.':
    '删除 {jobs} 以及此服务器上的全部日志和输出？此操作无法撤销。',
  'Deleting…': '正在删除…',
  'Working…': '正在执行…',
  '{names} and {count} more': '{names} 及另外 {count} 个',

  'Discard what you have entered?': '放弃已填写的内容？',
  Discard: '放弃',
  'Keep editing': '继续编辑',
  'Submit Job File': '提交作业文件',
  'Simulate Job File': '模拟运行作业文件',
  'Select a *.pai.json or *.pai.yaml file in the file browser first, or open one.':
    '请先在文件浏览器中选择一个 *.pai.json 或 *.pai.yaml 文件，或打开一个。',

  // what is told
  '{count} running': '{count} 个运行中',
  '{count} failed': '{count} 个失败',
  '{count} training jobs have ended.': '{count} 个训练作业已结束。',
  '{count} training jobs have ended, {failed} of them failed.': '{count} 个训练作业已结束，其中 {failed} 个失败。',
  '{one}. {other}': '{one}。{other}',
  'Job {name} has started.': '作业 {name} 已启动。',
  Show: '查看',

  // settings
  'Training Jobs: Cells': '训练作业：单元格',
  'Runs the code cell of a notebook as a training job.': '将笔记本的代码单元格作为训练作业运行。',
  'Training Jobs: Job Files': '训练作业：作业文件',
  'Submits a job file of a cluster, or runs it on this machine.': '提交集群的作业文件，或在本机运行它。',
  'The training jobs panel and its notifications.': '训练作业面板及其通知。',
  'Notify when a job ends': '作业结束时通知',
  'Notify of alerts': '告警通知',
  'Show a notification when a metric becomes nan or infinite, or a job makes no progress.':
    '指标变为 nan 或无穷大，或作业没有进展时，显示通知。',
  'Notifications of the browser': '浏览器通知',
  ['Show these notifications by the browser too, while this page is in the background. ' +
  'The browser asks once whether it may.']: '此页面在后台时，同时由浏览器显示这些通知。浏览器会询问一次是否允许。',
  'The browser does not show notifications of this page.': '浏览器不显示此页面的通知。',
  'Let the browser show notifications of training jobs?': '允许浏览器显示训练作业的通知吗？',
  Allow: '允许',
  '{count} training jobs have alerts: a metric is no number, or no progress.':
    '{count} 个训练作业有告警：指标不再是数值，或没有进展。',
  '{job}: {alert}': '{job}：{alert}',
  'Show a notification when a job fails, or has ended that took at least 10 minutes (notify.after in %pai_config).':
    '作业失败，或运行至少 10 分钟（%pai_config 中的 notify.after）的作业结束时显示通知。',
  'Notify of short jobs too': '短作业也通知',
  'Show a notification whenever a job ends, however long it took.': '无论作业运行多久，结束时都显示通知。',
  'Metric of a job in the list': '列表中作业的指标',
  'Its name, e.g. val_auc. Leave blank for the best known: accuracy, loss, auc, and so on.':
    '指标名称，例如 val_auc。留空则显示最常用的指标：accuracy、loss、auc 等。',
  'Count jobs': '显示作业数',
  "Show counts of running jobs and of new failures on the panel's icon and in the status bar.":
    '在面板图标和状态栏上显示正在运行的作业数，以及上次查看之后失败的作业数。'
};
