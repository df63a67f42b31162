import { describe, expect, it } from 'vitest';

import { ALL, arrange, choices, type Wanted } from '../../src/panel/order.js';
import type { JobRow } from '../../src/panel/protocol.js';
import { jobRow, jobRows, NOW, running } from './rows.js';

const names = (rows: readonly JobRow[], wanted: Partial<Wanted>): string[] =>
  arrange(rows, { ...ALL, ...wanted }).map(row => row.id);

describe('the filter', () => {
  const rows = [
    running('a', { name: 'Iris 训练', backend: 'process', place: 'process', notebook: null }),
    jobRow('b', { status: 'failed', metric: { name: 'val_loss', value: 1 }, values: ['lr=0.35', 'opt=adam'] }),
    jobRow('c', { values: ['lr=0.3', 'x_lr=0.35'], backend: 'pai', place: 'cn-hangzhou', notebook: 'x (1).ipynb' })
  ].map((row, at) => ({ ...row, created: NOW - at }));

  it.each<[Partial<Wanted>, string[]]>([
    [{}, ['a', 'b', 'c']],
    [{ text: 'IRIS' }, ['a', 'b', 'c']],
    [{ text: '训练' }, ['a']],
    [{ text: ' hangzhou  x ' }, ['c']],
    [{ text: 'val_loss' }, ['b']],
    [{ text: '(1)' }, ['c']],
    [{ text: '.*' }, []],
    [{ text: 'lr=0.3' }, ['c']],
    [{ text: 'lr=.30' }, ['c']],
    [{ text: 'LR=3.5e-1' }, ['b']],
    [{ text: 'lr=0.' }, ['b', 'c']],
    [{ text: 'opt=ad' }, ['b']],
    [{ text: 'opt=' }, ['b']],
    [{ text: 'lr=0.3 opt=adam' }, []],
    [{ text: 'adam' }, ['b']],
    [{ text: 'failed' }, ['b']],
    [{ text: 'Runn' }, ['a']],
    [{ state: 'active' }, ['a']],
    [{ state: 'failed' }, ['b']],
    [{ backend: 'pai' }, ['c']],
    [{ notebook: 'work/iris.ipynb' }, ['b']],
    [{ notebook: 'work/iris.ipynb', state: 'active' }, []]
  ])('%j lists %j', (wanted, ids) => {
    expect(names(rows, wanted)).toEqual(ids);
  });
});

describe('the order', () => {
  const rows = [
    jobRow('old', { name: 'job-10', created: 1, ended: 90 }),
    running('on', { name: 'job-2', created: 2 }),
    jobRow('bad', { name: 'job-1', created: 3, ended: 50, status: 'failed' })
  ];

  it.each<[Wanted['sort'], string[]]>([
    ['created', ['bad', 'on', 'old']],
    ['name', ['bad', 'on', 'old']],
    ['status', ['on', 'bad', 'old']],
    ['ended', ['on', 'old', 'bad']]
  ])('%s', (sort, ids) => {
    expect(names(rows, { sort })).toEqual(ids);
  });

  it('is the same whatever order the rows came in', () => {
    const alike = ['b', 'a', 'c'].map(id => jobRow(id, { name: 'same' }));
    expect(names(alike, { sort: 'name' })).toEqual(names([...alike].reverse(), { sort: 'name' }));
  });
});

it('offers each value once, and none for jobs that have none', () => {
  expect(choices([...jobRows(3), jobRow('x', { notebook: null })], row => row.notebook)).toEqual(['work/iris.ipynb']);
});
