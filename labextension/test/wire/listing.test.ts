import { beforeEach, expect, it } from 'vitest';

import { PushedRows } from '../../src/panel/list.js';
import type { JobsPush } from '../../src/panel/protocol.js';
import { Exchange } from '../../src/wire/protocol.js';
import { WireList } from '../../src/wire/listing.js';
import { jobRow, NOW } from '../panel/rows.js';
import { FarEnd, snapshot } from './farend.js';

let far: FarEnd;
let exchange: Exchange;
let list: WireList;
let uses: string[];

beforeEach(() => {
  far = new FarEnd();
  exchange = new Exchange({ send: body => far.hear(body) }, { timeout: null, patience: null });
  far.deliver = message => exchange.receive(message);
  uses = [];
  const use = { begin: () => void uses.push('begin'), release: () => void uses.push('release') };
  list = new WireList(exchange, use, new PushedRows(() => 0));
  exchange.open();
});

function push(seq: number, changes: Partial<JobsPush> = {}): void {
  const body = { kind: 'jobs', seq, now: NOW, rows: [], gone: [], is_first: seq === 0, is_whole: true, notes: [] };
  far.deliver({ body: { ...body, ...changes, view: list.view }, buffers: [] });
}

const turn = (): Promise<void> => new Promise(resolve => setTimeout(resolve));
const count = (kind: string): number => far.kinds().filter(heard => heard === kind).length;
const ids = (): string[] => [...list.rows.keys()];

it('asks for nothing until somebody listens', () => {
  expect([far.heard, uses]).toEqual([[], []]);
});

it('watches once, however many listen, and until the last has gone', () => {
  const ends = [list.listen(() => undefined), list.listen(() => undefined)];
  expect([far.kinds(), uses]).toEqual([['watch_jobs'], ['begin']]);
  ends[0]?.();
  ends[0]?.();
  expect(far.kinds()).toEqual(['watch_jobs']);
  ends[1]?.();
  expect([far.kinds(), uses]).toEqual([
    ['watch_jobs', 'bye'],
    ['begin', 'release']
  ]);
  expect(far.last('bye')).toMatchObject({ view: list.view, job: '' });
});

it('tells of rows as they come', () => {
  const heard: number[] = [];
  list.listen(() => heard.push(list.rows.size));
  push(0, { rows: [jobRow('a')], is_whole: false });
  push(1, { rows: [jobRow('b')] });
  expect([heard, ids(), list.isWhole]).toEqual([[1, 2], ['a', 'b'], true]);
});

it('passes over what is for a view of a job', () => {
  list.listen(() => undefined);
  far.push(snapshot(0), list.view);
  expect(list.rows.size).toBe(0);
});

it('asks again after a gap, once, and is told all anew', async () => {
  list.listen(() => undefined);
  far.answer('watch_jobs', { count: 1 });
  await turn();
  push(0, { rows: [jobRow('a')] });
  push(2, { rows: [jobRow('c')] });
  push(5);
  expect([count('watch_jobs'), ids()]).toEqual([2, ['a']]);
  push(0, { rows: [jobRow('b')] });
  expect(ids()).toEqual(['b']);
});

it('asks again after a lost connection, and keeps what it knew meanwhile', async () => {
  list.listen(() => undefined);
  far.answer('watch_jobs', { count: 1 });
  await turn();
  push(0, { rows: [jobRow('a')] });
  exchange.lost();
  expect([list.status, ids()]).toEqual(['offline', ['a']]);
  exchange.open();
  expect([list.status, count('watch_jobs')]).toEqual(['live', 2]);
});

it('does not ask twice when the connection is lost before the answer has come', () => {
  list.listen(() => undefined);
  exchange.lost();
  exchange.open();
  expect(count('watch_jobs')).toBe(2); // the same request, sent again
  expect(new Set(far.heard.map(body => body['id'])).size).toBe(1);
});

it('says why the list is refused, until it is not', async () => {
  list.listen(() => undefined);
  far.refuse('watch_jobs', 'SpecError', 'There is no such request.');
  await turn();
  expect([list.status, list.message]).toEqual(['offline', 'There is no such request.']);
  exchange.lost();
  exchange.open();
  far.answer('watch_jobs', { count: 0 });
  await turn();
  expect([list.status, list.message]).toEqual(['live', '']);
});

it('begins anew with a new listener, with what it knew', () => {
  list.listen(() => undefined)();
  list.listen(() => undefined);
  expect([far.kinds(), uses]).toEqual([
    ['watch_jobs', 'bye', 'watch_jobs'],
    ['begin', 'release', 'begin']
  ]);
});

it('brings the courses of metrics, at most 100 at once', async () => {
  const asked = list.sparks(Array.from({ length: 120 }, (_, at) => String(at)));
  expect((far.last('sparks')['jobs'] as string[]).length).toBe(100);
  const values = new Float64Array([1, 0.5]);
  far.answer('sparks', { sparks: [{ job: '7', name: 'loss' }] }, [values.buffer]);
  expect([...(await asked)]).toEqual([['7', { name: 'loss', values }]]);
});

it('says what is to be shown when it begins to watch, and whenever that changes', () => {
  list.select({ text: 'iris' });
  expect(far.kinds()).toEqual([]);
  list.listen(() => undefined);
  expect(far.last('watch_jobs')).toMatchObject({ text: 'iris' });
  list.select({ text: 'lr=0.3' });
  expect(far.last('select_jobs')).toMatchObject({ text: 'lr=0.3', view: list.view });
  push(0, { rows: [jobRow('a'), jobRow('b')], order: { at: 0, drop: 0, ids: ['b'] } });
  expect(list.shown.map(row => row.id)).toEqual(['b']);
});

it('lives on where a selection is refused', async () => {
  list.listen(() => undefined);
  push(0, { rows: [jobRow('a')] });
  list.select({ text: 'x' });
  far.refuse('select_jobs', 'SpecError', 'This view does not list jobs.');
  await turn();
  expect([list.status, list.shown.length]).toEqual(['live', 1]);
});
