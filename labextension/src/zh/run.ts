/** Runs of steps: their view and their list, in Chinese. */
export const zhRun: Readonly<Record<string, string>> = {
  // how a run and its steps stand
  Waiting: '等待中',
  Skipped: '已跳过',
  Blocked: '已阻塞',
  '{n} of {total} succeeded': '{total} 个中 {n} 个成功',
  '{n} {state}': '{n} 个{state}',
  '{one}, {other}': '{one}，{other}',
  '{name}: {value}': '{name}：{value}',
  '{n} tries': '尝试 {n} 次',
  'taken over': '沿用结果',
  'condition {text}: {word}': '条件 {text}：{word}',
  met: '满足',
  'not met': '不满足',
  'not decided': '未判定',
  loop: '循环',
  pipeline: '流水线',
  'no job': '无作业',

  // the view
  'Graph of the steps': '步骤图',
  'Steps of the run': '运行的步骤',
  'Levels of the run': '运行的层级',
  Graph: '图',
  Table: '表格',
  Fit: '全部显示',
  'Zoom in': '放大',
  'Zoom out': '缩小',
  'No graph of this level: see the table.': '此层级没有图：请查看表格。',
  Status: '状态',
  Condition: '条件',
  Outputs: '输出',
  'Selected step': '所选步骤',
  'Depends on': '依赖',
  Item: '循环项',
  Steps: '步骤',
  'Its result was taken over from run {run}.': '其结果沿用自运行 {run}。',
  'Stop {name} and its jobs?': '停止 {name} 及其作业？',
  'Run again with…': '更改后再次运行…',
  'Run again with other values': '以其他值再次运行',
  'Run again': '再次运行',
  'Run again from': '再次运行，起点',
  'what has failed or changed': '失败或有更改的步骤',
  'Results before that step are taken over where nothing has changed.': '该步骤之前未更改的结果将被沿用。',
  'The run was started again.': '已再次启动运行。',

  required: '必填',
  'stays as it is': '保持不变',
  'path or oss:// address': '路径或 oss:// 地址',
  'paths or oss:// addresses, one a line': '路径或 oss:// 地址，每行一个',
  'The kernel that ran this cell is gone. The run goes on: type %pai_runs {run} in a new cell to see it.':
    '运行此单元格的内核已不在。运行仍在继续：在新单元格中输入 %pai_runs {run} 即可查看。',
  'To see job {job}, run this in a cell:': '要查看作业 {job}，请在单元格中运行：',
  'To see run {run}, run this in a cell:': '要查看运行 {run}，请在单元格中运行：',

  // the list
  'No runs yet. A run is one execution of a pipeline: see %%pai_pipeline.':
    '还没有运行。运行是流水线的一次执行：请参阅 %%pai_pipeline。',
  'in the workspace': '在工作空间中',
  'Delete the run {name}? Its jobs stay.': '删除运行 {name}？其作业保留。',
  '{name} is deleted.': '{name} 已删除。'
};
