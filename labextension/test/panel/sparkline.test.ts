// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { JobRow } from '../../src/panel/protocol.js';
import { sparklinePath, SparklineLoader } from '../../src/panel/sparkline.js';
import { FakeList, jobRow } from './rows.js';

const told = (id: string, value = 1): JobRow => jobRow(id, { metric: { name: 'loss', value } });
const pass = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);
let list: FakeList;
let sparks: SparklineLoader;
let came: number;

beforeEach(() => {
  vi.useFakeTimers();
  came = 0;
  list = new FakeList();
  list.courses = new Map([['a', { name: 'loss', values: new Float64Array([1, 2]) }]]);
  sparks = new SparklineLoader(list, () => (came += 1));
});
afterEach(() => {
  sparks.dispose();
  vi.useRealTimers();
});

it.each<[number[], string]>([
  [[], ''],
  [[1, 2, 3], 'M1.0 13.0L24.0 7.0L47.0 1.0'],
  [[5, 5], 'M1.0 7.0L47.0 7.0'],
  [[7], 'M1.0 7.0'],
  [[0, NaN, 1], 'M1.0 13.0M47.0 1.0'],
  [[NaN, Infinity], '']
])('the line through %j is %s', (values, path) => {
  expect(sparklinePath(values)).toBe(path);
});

it('asks in one question for all that are in sight and have a metric', async () => {
  sparks.want([told('a'), jobRow('b'), told('c'), told('far', 1)]);
  await pass(0);
  expect(list.asked).toEqual([['a', 'c', 'far']]);
  expect([came, sparks.of('a')?.values.length, sparks.of('c')]).toEqual([1, 2, undefined]);
});

it('asks again only for those whose value has changed, after a pause', async () => {
  sparks.want([told('a'), told('c')]);
  await pass(10);
  sparks.want([told('a', 2), told('c')]);
  expect(list.asked).toHaveLength(1);
  await pass(3_000);
  expect(list.asked.slice(1)).toEqual([['a']]);
  await pass(60_000);
  expect(list.asked).toHaveLength(2);
});

it('asks for nothing more once nothing is in sight', async () => {
  sparks.want([told('a')]);
  await pass(0);
  sparks.want([]);
  await pass(60_000);
  expect([list.asked.length, vi.getTimerCount()]).toEqual([1, 0]);
});

it('waits longer after trouble, and goes on', async () => {
  vi.spyOn(list, 'sparks').mockRejectedValueOnce(new Error('no'));
  sparks.want([told('a')]);
  await pass(5_000);
  expect(list.asked).toHaveLength(0);
  await pass(60_000);
  expect(list.asked).toEqual([['a']]);
});

it('does nothing after its end', async () => {
  sparks.want([told('a')]);
  sparks.dispose();
  await pass(60_000);
  expect([list.asked.length, vi.getTimerCount()]).toEqual([1, 0]);
});
