import { expect, it } from 'vitest';

import { JobLabels } from '../../src/panel/joblabels.js';
import type { JobRow } from '../../src/panel/protocol.js';
import { jobRow } from './rows.js';

const rowsOf = (...rows: JobRow[]): ReadonlyMap<string, JobRow> => new Map(rows.map(row => [row.id, row]));
const [A, B] = [
  jobRow('a', { name: 'iris', values: ['lr=0.1', 'batch=64'] }),
  jobRow('b', { name: 'iris', values: ['lr=0.3', 'batch=64'] })
];

it('tells jobs of a name apart by their values', () => {
  const distinct = new JobLabels();
  expect(distinct.update(rowsOf(A, B))).toBe(true);
  expect([distinct.of('a'), distinct.of('b'), distinct.of('nobody')]).toEqual(['lr=0.1', 'lr=0.3', '']);
});

it('names a job in a question so that nobody deletes another', () => {
  const distinct = new JobLabels();
  const alone = jobRow('c', { name: 'wine', values: ['lr=0.1'] });
  distinct.update(rowsOf(A, B, alone));
  expect([A, B, alone].map(row => distinct.name(row))).toEqual(['iris · lr=0.1 (a)', 'iris · lr=0.3 (b)', 'wine']);
  distinct.update(rowsOf(A, jobRow('d', { name: 'iris', values: A.values ?? [] })));
  expect(distinct.name(A)).toBe('iris (a)');
});

it('tells a renamed job apart within the jobs of its recorded name', () => {
  const distinct = new JobLabels();
  distinct.update(rowsOf(A, B));
  const renamed = { ...A, name: 'baseline', recorded_name: 'iris' };
  expect(distinct.update(rowsOf(renamed, B))).toBe(true);
  expect([distinct.of('a'), distinct.of('b')]).toEqual(['lr=0.1', 'lr=0.3']);
  expect([distinct.name(renamed), distinct.name(B)]).toEqual(['baseline', 'iris']);
});

it('counts again only when jobs come or go', () => {
  const distinct = new JobLabels();
  distinct.update(rowsOf(A, B));
  expect(distinct.update(rowsOf({ ...A, status: 'failed' }, B))).toBe(false);
  expect(distinct.update(rowsOf(A))).toBe(true);
  expect(distinct.of('a')).toBe('');
});
