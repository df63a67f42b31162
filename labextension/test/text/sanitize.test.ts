import { describe, expect, test } from 'vitest';

import { block, plain } from '../../src/text/sanitize.js';

describe('plain', () => {
  test.each([
    ['iris', 'iris'],
    ['\x1b[31mred\x1b[0m', 'red'],
    ['\x1b]0;title\x07name', 'name'],
    ['\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['two\nlines\tand a tab', 'two lines and a tab'],
    ['evil\u202etxt.exe', 'evil txt.exe'],
    ['bell\x07 nul\x00 c1\x9b', 'bell  nul  c1 '],
    ['<img onerror=x>', '<img onerror=x>'],
    [0.5, '0.5'],
    [false, 'false'],
    [null, ''],
    [{ toString: () => 'sly' }, ''],
    [['a'], '']
  ])('makes %j fit to read', (value, text) => {
    expect(plain(value)).toBe(text);
  });

  test('a long text ends in an ellipsis', () => {
    expect(plain('x'.repeat(10_000_000), 5)).toBe('xxxx…');
  });

  test('a block keeps its lines and tabs', () => {
    expect(block('a\r\n\tb\x1b[1m')).toBe('a\n\tb');
  });
});
