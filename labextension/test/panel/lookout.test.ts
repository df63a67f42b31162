import { beforeEach, expect, it } from 'vitest';

import { Lookout } from '../../src/panel/lookout.js';
import type { JobRow } from '../../src/panel/protocol.js';
import { jobRow, running } from './rows.js';

let lookout: Lookout;
const take = (...rows: JobRow[]): string[] => lookout.take(new Map(rows.map(row => [row.id, row]))).map(row => row.id);

beforeEach(() => {
  lookout = new Lookout();
});

it('tells of a job that it saw running, once', () => {
  take(running('a'), running('b'));
  expect(take(jobRow('a'), running('b'))).toEqual(['a']);
  expect(take(jobRow('a'), running('b'))).toEqual([]);
});

it('tells nothing of what was over when it came', () => {
  expect(take(jobRow('a'), jobRow('b', { status: 'failed' }))).toEqual([]);
  expect(take(jobRow('a'), jobRow('b', { status: 'failed' }), jobRow('c'))).toEqual([]);
  expect(lookout.failed).toBe(0);
});

it('waits for the end of one that cannot be reached for a while', () => {
  take(running('a'));
  expect(take(running('a', { status: 'unknown' }))).toEqual([]);
  expect(take(jobRow('a'))).toEqual(['a']);
});

it('counts those that run, not those that wait', () => {
  take(running('a'), running('b', { status: 'queued' }), jobRow('c'));
  expect(lookout.running).toBe(1);
});

it('counts what has failed until somebody looks', () => {
  take(running('a'), running('b'));
  take(jobRow('a', { status: 'failed' }), running('b'));
  take(jobRow('a', { status: 'failed' }), jobRow('b', { status: 'stopped' }));
  expect(lookout.failed).toBe(1);
  lookout.looked();
  expect(lookout.failed).toBe(0);
});

it('does not count a failed job that was deleted', () => {
  take(running('a'));
  take(jobRow('a', { status: 'failed' }));
  take();
  expect(lookout.failed).toBe(0);
});
