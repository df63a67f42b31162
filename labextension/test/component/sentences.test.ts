import { expect, it } from 'vitest';

import { fieldOf, inForm } from '../../src/component/sentences.js';
import { componentSay } from '../../src/component/translation.js';

const NAMES = { inputs: ['train', 'test'], outputs: ['model'], values: ['lr'] };

it.each([
  ["input 'test': there is no /nope. Give a file or directory that exists: -i test=PATH", ['inputs', 'test']],
  ["输入 'train'：没有 /nope。请给出存在的文件或目录：-i train=PATH", ['inputs', 'train']],
  ["output 'model' cannot be written.", ['outputs', 'model']],
  ['`lr` is 7; it must be between 0 and 1.', ['values', 'lr']],
  [
    "`instance_type` is 'foo b' but backend 'process' runs only 'local'. Use --backend pai, or --instance-type local.",
    ['option', 'instance-type']
  ],
  [
    'the component runs on one machine, and 3 are asked for. Type --instance-count 1, or leave it out.',
    ['option', 'instance-count']
  ],
  ["backend 'docker' needs an image, or use --backend process.", ['option', 'backend']],
  ['The disk is full.', null]
])('knows the field of %j', (sentence, field) => {
  expect(fieldOf(sentence, NAMES)).toEqual(field);
});

it.each([
  [
    "input 'train': there is no /nope. Give a file or directory that exists: -i train=PATH",
    "input 'train': there is no /nope. Give a file or directory that exists."
  ],
  [
    "输入 'train'：没有 /nope。请给出存在的文件或目录：-i train=PATH",
    "输入 'train'：没有 /nope。请给出存在的文件或目录。"
  ],
  ['Give data as an input (-i NAME=PATH).', 'Give data as an input.'],
  [
    "`instance_type` is 'foo b' but backend 'process' runs only 'local'. Use --backend pai, or --instance-type local.",
    "Instance type is 'foo b' but backend 'process' runs only 'local'. Use Backend: pai, or Instance type: local."
  ],
  ['Leave --backend out, or run a saved one.', 'Leave Backend out, or run a saved one.'],
  ['To run it as it is now, add --accept-changes.', 'To run it as it is now, tick the box above.'],
  ["The image 'a' is not there.", "The image 'a' is not there."]
])('says %j in words of the form', (sentence, words) => {
  expect(inForm(sentence, componentSay('en'))).toBe(words);
});

it('names fields as the form does, in Chinese too', () => {
  const say = componentSay('zh');
  expect(inForm('请用 --backend pai，或 --instance-type local。', say)).toBe(
    `请用 ${say('Backend')}: pai，或 ${say('Instance type')}: local。`
  );
  expect(say('Backend')).not.toBe('Backend');
  expect(inForm('如需按现在的内容运行，请加 --accept-changes。', say)).toBe('如需按现在的内容运行，请勾选上面的选项。');
});
