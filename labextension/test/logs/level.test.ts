import { describe, expect, it } from 'vitest';

import { levelOf } from '../../src/logs/level.js';

describe('the level of a line', () => {
  it.each([
    ['2026-11-21 ERROR no file', 'error'],
    ['CRITICAL:root:x', 'error'],
    ['[FATAL] x', 'error'],
    ['Traceback (most recent call last):', 'error'],
    ['torch.cuda.OutOfMemoryError: CUDA out of memory', 'error'],
    ['shutil.Error: x', 'error'],
    ['WARNING ERROR', 'error'],
    ['WARNING: x', 'warning'],
    ['UserWarning: x', 'warning'],
    ['W WARN x', 'warning'],
    ['ERRORS: 0', null],
    ['NO_ERROR', null],
    ['mean squared Error: 0.1', null],
    ['an error: x', null],
    ['epoch 1 loss 0.5', null],
    ['INFO x', null],
    ['', null],
    ['DEBUG x', null]
  ])('%j is that which the server finds it at', (line, level) => {
    expect(levelOf(line)).toBe(level);
  });

  it('costs no more where a line is long', () => {
    const begin = performance.now();
    levelOf('WARN_'.repeat(200_000));
    expect(performance.now() - begin).toBeLessThan(500);
  });
});
