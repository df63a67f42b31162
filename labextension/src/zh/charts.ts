export const zhCharts: Readonly<Record<string, string>> = {
  ['No metrics so far. Print lines such as "epoch 3 loss=0.2", say what to look for with ' +
  '--metric NAME:REGEX, or write TensorBoard events to os.environ["PAI_OUTPUT_TENSORBOARD"].']:
    '还没有指标。可以打印 "epoch 3 loss=0.2" 这样的行，用 --metric NAME:REGEX 指定要找的内容，' +
    '或把 TensorBoard 事件写到 os.environ["PAI_OUTPUT_TENSORBOARD"]。',
  ['No metrics were recorded. For the next run print lines such as "epoch 3 loss=0.2", say what to look for with ' +
  '--metric NAME:REGEX, or write TensorBoard events to os.environ["PAI_OUTPUT_TENSORBOARD"].']:
    '没有记录到指标。下次运行可以打印 "epoch 3 loss=0.2" 这样的行，用 --metric NAME:REGEX 指定要找的内容，' +
    '或把 TensorBoard 事件写到 os.environ["PAI_OUTPUT_TENSORBOARD"]。',
  'No resource data yet. It is sampled every few seconds while the job runs.':
    '还没有资源数据。作业运行时每隔几秒采样一次。',
  'No resource data was recorded.': '没有记录到资源数据。',
  'Disk read': '磁盘读取',
  'Disk written': '磁盘写入',
  'Network in': '网络接收',
  'Network out': '网络发送',
  'The network was not measured.': '未测量网络。',
  limit: '上限',
  'Limit: {limit}': '上限：{limit}',
  'Total: {total}': '合计：{total}',
  '{count} hours': '{count} 小时',
  // the stacks of a running job
  Stacks: '调用栈',
  'What the Python processes of the job do right now': '作业的 Python 进程此刻在做什么',
  'Record 10 s': '记录 10 秒',
  'Where the job spends its time, as a flame graph': '作业的时间花在哪里（火焰图）',
  'The charts could not be loaded. Reload the page.': '图表无法加载，请刷新页面。',
  'The first {shown} of {count} lines; the table has all.': '共 {count} 条曲线，显示前 {shown} 条；表格中有全部。',
  'The last {shown} of {count} values; CSV has {all} of them.':
    '共 {count} 个值，显示最后 {shown} 个；CSV 中有 {all} 个。',
  'No matching metrics': '没有匹配的指标',
  'Filter by name': '按名称筛选',
  'X axis': '横轴',
  Step: '步数',
  Time: '时间',
  Smoothing: '平滑',
  'Log scale': '对数坐标',
  'One chart': '合为一图',
  'Metrics of about the same size share a chart': '数值大小相近的指标合为一图',
  Table: '表格',
  'Save all values as CSV': '把所有值存为 CSV',
  'Save this chart as a picture': '把此图存为图片',
  'Reset zoom': '重置缩放',
  '{name}: the arrow keys read the values': '{name}：用方向键读取数值',
  'min {min}, max {max}': '最小 {min}，最大 {max}',
  'step {step}': '第 {step} 步',
  'Points of': '数据点',
  Points: '数据点',
  'Metrics and their values': '指标及其数值',
  Metric: '指标',
  Replica: '副本',
  Last: '最新',
  last: '最新',
  'Last value': '最新值',
  Min: '最小',
  Max: '最大',
  Value: '值',
  Values: '个数',
  'NaN or Inf': 'NaN 或 Inf',
  'CPU (cores)': 'CPU（核）',
  Memory: '内存',
  'GPU load': 'GPU 利用率',
  'GPU memory': '显存'
};
