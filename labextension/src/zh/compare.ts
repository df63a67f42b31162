/** 中文: the comparison of jobs, cells as jobs, and what is done in notebooks. */
export const zhCompare: Readonly<Record<string, string>> = {
  // the comparison
  'Comparison of {count} jobs': '{count} 个作业的比较',
  'Comparison of jobs': '作业比较',
  'Choose {fewest} to {most} jobs to compare.': '请选择 {fewest} 到 {most} 个作业进行比较。',
  Overview: '概览',
  Job: '作业',
  State: '状态',
  Reason: '原因',
  'Running time': '运行时间',
  'Created at': '创建时间',
  'Run on': '运行位置',
  'Final metrics': '最终指标',
  Instances: '实例',
  Notebook: '笔记本',
  'Differences only': '只看差异',
  best: '最佳',
  'None of these jobs has hyperparameters.': '这些作业都没有超参数。',
  'None of these jobs has metrics so far.': '这些作业都还没有指标。',
  'Difference of the code': '代码差异',
  From: '基准',
  To: '对比',
  'The scripts are the same.': '脚本相同。',
  'The scripts differ in more lines than are shown.': '脚本中还有未显示的差异行。',

  // notebooks
  'This job was not started in a notebook.': '这个作业不是在笔记本中启动的。',
  "{name} is outside the server's root folder. Open it, then try again.":
    '{name} 不在服务器的根目录中。请先打开它，再试一次。',
  'No cell of {name} contains this job any more.': '{name} 中已没有包含这个作业的单元格。',
  'No Python notebook is open. Open one, then try again.': '没有打开的 Python 笔记本。请先打开一个，再试一次。',
  'Could not switch to the notebook. Click on it, then try again.': '无法切换到该笔记本。请点击它，再试一次。',

  // a cell as a job
  'Run Cell as Training Job…': '将单元格作为训练作业运行…',
  'Run cell as training job': '将单元格作为训练作业运行',
  'Click on a code cell of a notebook first.': '请先点击笔记本中的一个代码单元格。',
  'The first line of this cell has an open quote or an unknown option. Correct it first.':
    '此单元格的第一行有未闭合的引号或未知的选项，请先改正。',
  'This kernel has no pai_jupyter. Run "%pip install pai_jupyter" in a cell, then this one again.':
    '此内核中没有 pai_jupyter。请在单元格中运行 "%pip install pai_jupyter"，然后重新运行此单元格。',
  'This notebook uses {language}. Training jobs need a Python notebook.':
    '这是 {language} 笔记本。训练作业需要 Python 笔记本。',
  'This cell is read-only.': '此单元格为只读。',
  'This notebook is read-only: save it under another name to keep the line.':
    '此笔记本为只读：请另存为其他名称以保留魔法命令行。',
  'The cell was deleted. Nothing was changed.': '该单元格已被删除，没有做任何更改。',
  Insert: '插入',
  'Insert and run': '插入并运行',
  'Options of the job': '作业选项',
  'Magic line': '魔法命令行',
  'Fix the errors above': '请先改正上面的错误',
  Backend: '后端',
  Image: '镜像',
  'Instance type': '实例类型',
  'Instance count': '实例数',
  Inputs: '输入',
  Input: '输入',
  'Add an input': '添加输入',
  Remove: '移除',
  Reset: '恢复默认',
  default: '默认',
  none: '无',
  Auto: '自动',
  'Leave blank to generate': '留空则自动生成',
  'Warnings about the cell': '单元格中的警告',
  'No hyperparameters found. Declare one, e.g. lr: float = 0.01  # hp: [1e-5..1] log':
    '没有找到超参数。可以这样声明：lr: float = 0.01  # hp: [1e-5..1] log',

  // what is wrong in the form
  'Line breaks are not allowed.': '不能有换行。',
  'Line breaks are not allowed. Put the values in a JSON file and pass it with --params FILE':
    '不能有换行。请把值写入 JSON 文件并用 --params FILE 给出',
  'A name cannot begin with "-".': '名称不能以 "-" 开头。',
  'An input needs a name and a path, e.g. train and ./data.': '输入需要名称和路径，例如 train 和 ./data。',
  'There are two inputs called {name}. Keep one of them.': '有两个名为 {name} 的输入，请保留其中一个。',
  'Choose one of the options.': '请从选项中选择一个。',
  'This must be a whole number between 1 and {maximum}.': '必须是 1 到 {maximum} 之间的整数。',
  'This must not be empty. The default is {value}.': '不能为空。默认值是 {value}。',
  'This must be a whole number.': '必须是整数。',
  'This must be a number.': '必须是数字。',
  'This must be True or False.': '必须是 True 或 False。',
  'This must be a list or a dict as JSON, e.g. [1, 2].': '必须是 JSON 列表或字典，例如 [1, 2]。',
  'This must be of {minimum} to {maximum} characters.': '长度必须在 {minimum} 到 {maximum} 个字符之间。',
  'This must be between {minimum} and {maximum}.': '必须在 {minimum} 和 {maximum} 之间。',
  'This must be above {minimum}.': '必须大于 {minimum}。',
  'This must be below {maximum}.': '必须小于 {maximum}。',
  'This must be at most {maximum}.': '不能大于 {maximum}。',
  'This must be at least {minimum}.': '不能小于 {minimum}。'
};
