import { beforeEach, expect, it } from 'vitest';

import { isNews, NotificationState } from '../../src/panel/notifications.js';
import type { JobRow } from '../../src/panel/protocol.js';
import { jobRow, NOW, running } from './rows.js';

let notifications: NotificationState;
const take = (...rows: JobRow[]): string[] => {
  return notifications.take(new Map(rows.map(row => [row.id, row])), NOW).map(row => row.id);
};
const quick = (id: string, changes: Partial<JobRow> = {}): JobRow => {
  return jobRow(id, { created: NOW + 5, started: NOW + 5, ended: NOW + 5.4, ...changes });
};

beforeEach(() => {
  notifications = new NotificationState();
});

it('tells of a job that it saw running, once', () => {
  take(running('a'), running('b'));
  expect(take(jobRow('a'), running('b'))).toEqual(['a']);
  expect(take(jobRow('a'), running('b'))).toEqual([]);
});

it('tells nothing of what was over when it came', () => {
  expect(take(jobRow('a'), jobRow('b', { status: 'failed' }))).toEqual([]);
  expect(take(jobRow('a'), jobRow('b', { status: 'failed' }), jobRow('c'))).toEqual([]);
  expect(notifications.failed).toBe(0);
});

it('tells of a job that began and ended between two looks, once', () => {
  take(jobRow('old'));
  expect(take(jobRow('old'), quick('a'), quick('b', { status: 'failed' }))).toEqual(['a', 'b']);
  expect(take(jobRow('old'), quick('a'), quick('b', { status: 'failed' }))).toEqual([]);
  expect(notifications.failed).toBe(1);
});

it('tells nothing of jobs that come with the rest of a long list', () => {
  take(jobRow('new', { created: NOW - 1 }));
  expect(take(jobRow('new', { created: NOW - 1 }), jobRow('old', { created: NOW - 9e6 }))).toEqual([]);
});

it('waits for the end of one that cannot be reached for a while', () => {
  take(running('a'));
  expect(take(running('a', { status: 'unknown' }))).toEqual([]);
  expect(take(jobRow('a'))).toEqual(['a']);
});

it('counts those that run, not those that wait', () => {
  take(running('a'), running('b', { status: 'queued' }), jobRow('c'));
  expect(notifications.running).toBe(1);
});

it('counts what has failed until somebody looks', () => {
  take(running('a'), running('b'));
  take(jobRow('a', { status: 'failed' }), running('b'));
  take(jobRow('a', { status: 'failed' }), jobRow('b', { status: 'stopped' }));
  expect(notifications.failed).toBe(1);
  notifications.looked();
  expect(notifications.failed).toBe(0);
});

it('does not count a failed job that was deleted', () => {
  take(running('a'));
  take(jobRow('a', { status: 'failed' }));
  take();
  expect(notifications.failed).toBe(0);
});

it('tells of an alert once, and of the next one again', () => {
  const alert = { kind: 'nan', text: '`loss` became nan.', time: NOW + 1 };
  const alerted = (...rows: JobRow[]): string[] => {
    return notifications.alerted(new Map(rows.map(row => [row.id, row])), NOW).map(row => row.id);
  };
  expect(alerted(running('a'), running('old', { alert: { ...alert, time: NOW - 1 } }))).toEqual([]);
  expect(alerted(running('a', { alert }))).toEqual(['a']);
  expect(alerted(running('a', { alert }))).toEqual([]);
  expect(alerted(jobRow('a', { alert: { ...alert, time: NOW + 2 } }))).toEqual(['a']);
});

it.each([
  [{ status: 'succeeded', ended: NOW + 0.3 }, 600, false],
  [{ status: 'stopped', ended: NOW + 599 }, 600, false],
  [{ status: 'succeeded', ended: NOW + 600 }, 600, true],
  [{ status: 'failed', ended: NOW + 0.3 }, 600, true],
  [{ status: 'succeeded', ended: NOW + 0.3 }, 0, true],
  [{ status: 'succeeded', ended: null }, 600, false]
])('the end of %j is news where %d seconds are wanted: %s', (job, after, told) => {
  expect(isNews({ created: NOW, ...job }, after)).toBe(told);
});
