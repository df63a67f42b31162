import { expect, it } from 'vitest';

import { served } from '../../src/text/served.js';
import { translator } from '../../src/text/words.js';

const chinese = translator('zh');

it.each([
  ['Time limit reached (5 s)', '已达到时间上限（5 秒）'],
  ["ModuleNotFoundError: No module named 'x' (cell line 3)", "ModuleNotFoundError: No module named 'x'（单元格第 3 行）"],
  ['the emulator at http://127.0.0.1:1', '模拟器：http://127.0.0.1:1'],
  ['a literal /ml: yes, through bwrap', '目录 /ml：可用（bwrap）'],
  ['Docker engine: running at the default socket', 'Docker 引擎：正在运行，地址：默认套接字'],
  ['the job ended with exit code 3 (cell line 4)', '作业结束，退出码 3（单元格第 4 行）'],
  [
    'Add `%pip install cv2` to the cell; if it is a file of yours, --include cv2.py.',
    '请在单元格中加入 `%pip install cv2`；如果是您自己的文件，请用 --include cv2.py。'
  ],
  [
    'The job also has the variables that its image sets, such as PATH and HOME. This is the command of a-0. ' +
    'Other roles have their own commands.',
    '作业还有镜像设置的变量，例如 PATH 和 HOME。这是 a-0 的命令，其他角色有各自的命令。'
  ]
])('%s is said in Chinese', (english, said) => {
  expect(served(english, chinese)).toBe(said);
  expect(served(english, translator('en'))).toBe(english);
});

it.each(['disk is full', '', 'toString', '{a} (cell line {b})x', 'x'.repeat(9_000), 'KeyError: a\nb (cell line 3)'])(
  '%s stays as it is', text => expect(served(text, chinese)).toBe(text)
);
