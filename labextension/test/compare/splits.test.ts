import { describe, expect, it } from 'vitest';

import { joinedMetrics, splitName } from '../../src/compare/splits.js';

describe('the part of the data that a metric is of', () => {
  it.each([
    ['val_loss', 'loss', 'val'],
    ['train/loss', 'loss', 'train'],
    ['loss/val', 'loss', 'val'],
    ['valLoss', 'Loss', 'val'],
    ['eval/model/f1', 'model/f1', 'val'],
    ['model/test_acc', 'model/acc', 'test'],
    ['epoch_train_loss', 'epoch_loss', 'train'],
    ['val', 'val', null],
    ['value', 'value', null],
    ['loss', 'loss', null],
    ['训练损失', '训练损失', null],
    ['', '', null]
  ])('%s', (name, metric, split) => {
    expect(splitName(name)).toEqual({ metric, split });
  });
});

describe('metrics of several parts', () => {
  const titles = (names: string[]): unknown[] => [...joinedMetrics(names).values()].map(one => [one.metric, one.split]);

  it('are one metric', () => {
    expect(titles(['train_loss', 'val_loss', 'lr'])).toEqual([
      ['loss', 'train'],
      ['loss', 'val'],
      ['lr', null]
    ]);
  });

  it('of which one says no part: that is the training', () => {
    expect(titles(['Loss', 'valLoss'])).toEqual([
      ['Loss', 'train'],
      ['Loss', 'val']
    ]);
  });

  it('of one part alone keep their names', () => {
    expect(titles(['val_loss', 'val_acc', 'acc/val'])).toEqual([
      ['val_loss', null],
      ['val_acc', null],
      ['acc/val', null]
    ]);
  });
});
