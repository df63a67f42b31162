// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { RunMonitor } from '../../src/lab/runmonitor.js';
import type { JobRow } from '../../src/panel/protocol.js';
import type { Rest } from '../../src/panel/rest.js';
import type { RunHead } from '../../src/run/tokens.js';
import { RequestError } from '../../src/wire/protocol.js';
import { jobRow, running } from '../panel/rows.js';
import { pushed, runHead } from '../run/runs.js';

let runs: Map<string, RunHead>;
let refusal: Error | null;
let asked: string[];
let told: string[];
let monitor: RunMonitor;

beforeEach(() => {
  vi.useFakeTimers();
  runs = new Map([['r1', runHead()]]);
  [refusal, asked, told] = [null, [], []];
  const get = async (path: string): Promise<unknown> => {
    asked.push(path);
    if (refusal) {
      throw refusal;
    }
    const run = runs.get(path.slice('runs/'.length));
    if (!run) {
      throw new RequestError('there is no such run', 'NotFoundError');
    }
    return { ...pushed('run'), run };
  };
  monitor = new RunMonitor({ get } as Pick<Rest, 'get'>, ({ id, status }) => told.push(`${id} ${status}`));
});
afterEach(() => vi.useRealTimers());

/** These jobs have just ended, beside these that go on. */
async function end(ended: readonly JobRow[], going: readonly JobRow[] = []): Promise<void> {
  monitor.take(ended, new Map([...ended, ...going].map(row => [row.id, row])));
  await vi.advanceTimersByTimeAsync(100);
}

function finish(changes: Partial<RunHead> = {}): void {
  runs.set('r1', runHead({ status: 'succeeded', ...changes }));
}

const step = (id: string): JobRow => jobRow(id, { run: 'r1', step: id });

it('tells of a run once, when it has ended, whatever becomes of its jobs', async () => {
  await end([step('a')]);
  await end([step('b')]);
  expect(told).toEqual([]);
  finish();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(told).toEqual(['r1 succeeded']);
  const before = asked.length;
  await end([step('late')]);
  await vi.advanceTimersByTimeAsync(120_000);
  expect([told.length, asked.length]).toEqual([1, before]);
});

it('asks nothing about jobs of no run, nor while a job of the run goes on', async () => {
  await end([jobRow('alone')]);
  await end([step('a')], [running('b', { run: 'r1' })]);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(asked).toEqual([]);
  finish({ status: 'failed' });
  await end([step('b')]);
  expect(told).toEqual(['r1 failed']);
});

it('asks less and less about a run that waits, and at once about another', async () => {
  await end([step('a')]);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(asked.length).toBeLessThan(35);
  runs.set('r2', runHead({ id: 'r2', status: 'stopped' }));
  await end([step('a'), jobRow('x', { run: 'r2' })]);
  expect(told).toEqual(['r2 stopped']);
});

it('goes on where the server cannot be reached, and forgets a run that is deleted', async () => {
  refusal = new Error('offline');
  await end([step('a')]);
  refusal = null;
  await vi.advanceTimersByTimeAsync(10_000);
  runs.delete('r1');
  await vi.advanceTimersByTimeAsync(60_000);
  const before = asked.length;
  expect(before).toBeGreaterThan(1);
  await vi.advanceTimersByTimeAsync(600_000);
  expect([told, asked.length]).toEqual([[], before]);
});
