/** What the hosts of the view say, in 中文. */
export const zhHost: Readonly<Record<string, string>> = {
  ['pai_jupyter is not installed in the environment of this Jupyter server. ' +
  'Type "pip install pai_jupyter" there and restart the server.']:
    '此 Jupyter 服务器的环境中没有安装 pai_jupyter。请在该环境中运行 "pip install pai_jupyter"，然后重启服务器。',
  'The kernel that ran this cell is gone. The job goes on: type %pai_attach {job} in a new cell to see it.':
    '运行此单元格的内核已不存在，作业仍在运行：请在新的单元格中输入 %pai_attach {job} 查看。'
};
