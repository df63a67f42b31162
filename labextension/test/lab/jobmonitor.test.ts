// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { JobMonitor } from '../../src/lab/jobmonitor.js';
import { FakeList, jobRow, NOW, running } from '../panel/rows.js';

let isHidden: boolean;
let list: FakeList;
let ended: string[];
let watch: JobMonitor;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(document, 'hidden', 'get').mockImplementation(() => isHidden);
  isHidden = false;
  list = new FakeList(running('a'));
  ended = [];
  watch = new JobMonitor(list, rows => ended.push(...rows.map(row => row.id)));
});
afterEach(() => {
  watch.dispose();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function look(isLooking: boolean): void {
  isHidden = !isLooking;
  document.dispatchEvent(new Event('visibilitychange'));
}

it('listens while it is wanted, and only then', () => {
  expect(list.listenerCount).toBe(0);
  watch.want(true);
  watch.want(true);
  expect(list.listenerCount).toBe(1);
  watch.want(false);
  expect(list.listenerCount).toBe(0);
});

it('tells which jobs have ended', () => {
  watch.want(true);
  list.tell();
  list.change(jobRow('a'), running('b'));
  expect([ended, watch.notifications.running]).toEqual([['a'], 1]);
});

it('goes on for a moment when the page is hidden, and then ends', () => {
  watch.want(true);
  look(false);
  expect(list.listenerCount).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(list.listenerCount).toBe(0);
});

it('does not begin on a page that is hidden', () => {
  look(false);
  watch.want(true);
  expect(list.listenerCount).toBe(0);
  look(true);
  expect(list.listenerCount).toBe(1);
});

it('tells what has ended while nobody looked', () => {
  watch.want(true);
  list.tell();
  look(false);
  vi.advanceTimersByTime(60_000);
  list.change(jobRow('a'));
  expect(ended).toEqual([]);
  look(true);
  list.tell();
  expect(ended).toEqual(['a']);
});

it('tells what has begun and ended while nobody looked', () => {
  watch.want(true);
  list.tell();
  look(false);
  vi.advanceTimersByTime(600_000);
  list.change(jobRow('quick', { created: NOW + 300, ended: NOW + 301 }));
  look(true);
  list.tell();
  expect(ended).toEqual(['quick']);
});

it('takes nothing for news that it hears of before the list has come', () => {
  list.set();
  list.isWhole = false;
  watch.want(true);
  list.tell(); // the connection is there, the list is not
  list.ahead = 60;
  list.set(jobRow('before', { created: NOW + 30, ended: NOW + 31 }));
  expect(ended).toEqual([]);
});

it('has nothing left to do after its end', () => {
  watch.want(true);
  watch.dispose();
  look(true);
  expect([list.listenerCount, vi.getTimerCount()]).toEqual([0, 0]);
});

it('goes on while the page is hidden if the browser is to notify', () => {
  watch.want(true, true);
  look(false);
  vi.advanceTimersByTime(60_000);
  expect(list.listenerCount).toBe(1);
  watch.want(true);
  vi.advanceTimersByTime(60_000);
  expect(list.listenerCount).toBe(0);
});

it('tells which jobs have got an alert', () => {
  const alerted: string[] = [];
  watch.dispose();
  watch = new JobMonitor(list, (_, rows) => alerted.push(...rows.map(row => row.id)));
  watch.want(true);
  list.tell();
  list.change(running('a', { alert: { kind: 'stalled', text: 'No progress', time: list.now() + 1 } }));
  expect(alerted).toEqual(['a']);
});
