import { expect, it } from 'vitest';

import { waitingText } from '../../src/text/waiting.js';
import { translator } from '../../src/text/translation.js';

const REASON = 'waiting for a free slot: number 3 in line (process.max_parallel = 2)';

it.each([
  ['en', REASON, REASON],
  ['zh', REASON, '正在等待空闲的并行名额：排在第 3 位（process.max_parallel = 2）'],
  ['zh', 'waiting for a free slot', '正在等待空闲的并行名额'],
  ['zh', 'waiting for a GPU', 'waiting for a GPU'],
  ['zh', `${REASON} {place}`, `${REASON} {place}`]
] as const)('in %s, %s reads %s', (language, reason, text) => {
  expect(waitingText(reason, translator(language))).toBe(text);
});
