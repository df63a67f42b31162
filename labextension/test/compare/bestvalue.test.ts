import { describe, expect, it } from 'vitest';

import { bestOf, directionOf } from '../../src/compare/bestvalue.js';

describe('which values of a metric are better', () => {
  it.each([
    ['loss', 'low'],
    ['val_loss', 'low'],
    ['train/Loss', 'low'],
    ['valLoss', 'low'],
    ['mlogloss', 'low'],
    ['rmse', 'low'],
    ['error_rate', 'low'],
    ['perplexity', 'low'],
    ['accuracy', 'high'],
    ['val_acc', 'high'],
    ['test-auc', 'high'],
    ['eval/F1', 'high'],
    ['mAP', 'high'],
    ['recall@5', 'high'],
    ['acc_top1', 'high'],
    ['acc_loss', 'low'],
    ['lr', null],
    ['epoch', null],
    ['grad_norm', null],
    ['x', null],
    ['', null],
    ['训练损失', null]
  ])('%s', (name, direction) => {
    expect(directionOf(name)).toBe(direction);
  });
});

describe('the best of several', () => {
  it.each<[string, number[], number[]]>([
    ['acc', [0.5, 0.9, NaN], [1]],
    ['loss', [0.5, 0.1, 0.1], [1, 2]],
    ['loss', [NaN, Infinity, 3], []],
    ['lr', [1, 2], []],
    ['acc', [0.5, 0.5], []],
    ['acc', [0.5, NaN], []],
    ['loss', [], []]
  ])('%s of %j', (name, values, best) => {
    expect(bestOf(name, values)).toEqual(best);
  });
});
