/** What the host of the widget says, in 中文. */
export const zhHost: Readonly<Record<string, string>> = {
  'The kernel that ran this cell is gone. The job goes on: type %pai_attach {job} in a new cell to see it.':
    '运行此单元格的内核已不存在，作业仍在运行：请在新的单元格中输入 %pai_attach {job} 查看。'
};
