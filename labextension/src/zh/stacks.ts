/** Stacks of running jobs and their flame graphs, in Chinese. */
export const zhStacks: Readonly<Record<string, string>> = {
  'Reading the stacks…': '正在读取调用栈…',
  'The recording was ended. Record again.': '记录已结束，请重新记录。',
  'No thread was active: all waited, or slept. Their stacks say where.':
    '没有活动的线程：都在等待或休眠。调用栈显示在何处。',
  'Recording: {elapsed} of {seconds} s': '正在记录：{elapsed} / {seconds} 秒',
  Recording: '正在记录',
  'Stop recording': '停止记录',
  'Hottest lines': '耗时最多的行',
  Line: '行',
  Itself: '自身',
  'With calls': '含调用',
  '{count} samples in {seconds} s': '{seconds} 秒内 {count} 个样本',
  'Flame graph': '火焰图',
  '{name}: {part} %, {count} samples': '{name}：{part} %，{count} 个样本',
  'process {pid}': '进程 {pid}',
  thread: '线程',
  '{n} more threads': '另有 {n} 个线程',
  '{n} frames are left out': '省略了 {n} 帧',
  idle: '空闲',
  active: '活动',
  'holds the GIL': '持有 GIL',
  'cell line {line}': '单元格第 {line} 行',
  'cell [{cell}], line {line}': '单元格 [{cell}] 第 {line} 行'
};
