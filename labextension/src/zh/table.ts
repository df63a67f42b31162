/** 中文: the runs table. */
export const zhTable: Readonly<Record<string, string>> = {
  Runs: '运行',
  'Runs table': '运行表',
  'All training jobs with their values and metrics': '所有训练作业及其值和指标',
  'Filter runs': '筛选运行',
  ['Words that all must fit, e.g. iris state:failed lr=0.3. Compare values and metrics: lr<0.1 accuracy>=0.9 ' +
  'opt!=adam max(accuracy)>0.9; also duration>60 (seconds) and cost<10.']:
    '须全部匹配的词，例如 iris state:failed lr=0.3。比较值和指标：lr<0.1 accuracy>=0.9 opt!=adam max(accuracy)>0.9；' +
    '也可比较 duration>60（秒）和 cost<10。',
  'Group by': '分组',
  'Not grouped': '不分组',
  'By {column}': '按 {column}',
  '(none)': '（无）',
  Columns: '列',
  'Find a column': '查找列',
  'Default columns': '默认的列',
  '{count} more: search for them.': '还有 {count} 列：请搜索。',
  'No such column': '没有这样的列',
  'Rerun {jobs} as they were?': '原样重新运行 {jobs}？',
  Rerun: '重新运行',
  'Export CSV': '导出 CSV',
  '{count} runs exported': '已导出 {count} 个运行',
  'At most {count} jobs can be selected at once.': '一次最多可选择 {count} 个作业。',
  'Jobs that differ in a value and have a metric are needed.': '需要至少有一个超参数不同且有指标的作业。',
  '{count} selected jobs': '已选择的 {count} 个作业',
  'The first {count} of {jobs} jobs. Select jobs to see these alone.':
    '{jobs} 个作业中的前 {count} 个。选择作业可只看所选的作业。',

  // headings and their menus
  'Column {title}': '列 {title}',
  'Sort ascending': '升序排列',
  'Sort descending': '降序排列',
  Pin: '固定',
  Unpin: '取消固定',
  'Move left': '左移',
  'Move right': '右移',
  Wider: '加宽',
  Narrower: '变窄',
  'Group by this column': '按此列分组',
  'Do not group': '取消分组',
  Hide: '隐藏',
  Duration: '时长',
  'Started at': '开始时间',
  'Ended at': '结束时间',
  'Step of the run': '运行的步骤',
  Star: '星标',
  Tags: '标签',
  Notes: '备注',
  'Cost ({currency})': '费用（{currency}）',
  'Recorded name': '记录的名称',
  ID: 'ID'
};
