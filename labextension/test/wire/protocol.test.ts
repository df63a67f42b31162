import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { JobSource, Kind, Push, SourceStatus } from '../../src/tokens.js';
import { Exchange, type Limits, RequestError } from '../../src/wire/protocol.js';
import { WireSource } from '../../src/wire/source.js';
import { FarEnd, snapshot } from './farend.js';

interface Heard {
  pushes: [string, number][];
  statuses: [SourceStatus, string][];
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function joined(limits: Partial<Limits> = {}): { far: FarEnd; exchange: Exchange } {
  const far = new FarEnd();
  const exchange = new Exchange({ send: body => far.hear(body) }, { timeout: 60_000, patience: null, ...limits });
  far.deliver = message => exchange.receive(message);
  return { far, exchange };
}

function view(exchange: Exchange, job = 'j1'): WireSource {
  return new WireSource(job, exchange, { download: () => null, release: () => undefined });
}

function open(limits: Partial<Limits> = {}): { far: FarEnd; exchange: Exchange; source: WireSource } {
  const { far, exchange } = joined(limits);
  exchange.open();
  return { far, exchange, source: view(exchange) };
}

function listen(source: JobSource): Heard {
  const heard: Heard = { pushes: [], statuses: [] };
  source.listen({
    push: push => heard.pushes.push([push.kind, push.seq]),
    status: (status, message) => heard.statuses.push([status, message])
  });
  return heard;
}

const state = (seq: number): Push => ({ kind: 'state', seq, now: 0, events: [] });
const turn = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

it('says hello when it is made, with job and view', () => {
  const { far, source } = open();
  expect(far.heard).toEqual([{ id: expect.any(String) as unknown, kind: 'hello', job: 'j1', view: source.view }]);
});

it('resolves a request with its answer and buffers', async () => {
  const { far, source } = open();
  const asked = source.request('points', { group: 'metrics' });
  const buffers = [Float64Array.of(1).buffer];
  far.answer('points', { series: [] }, buffers);
  expect(await asked).toEqual({ ok: { series: [] }, buffers });
});

it('gives every answer to its own request, in any order', async () => {
  const { far, source } = open();
  const first = source.request('files', {});
  const [asked] = far.heard.slice(-1);
  const second = source.request('files', { channel: 'model' });
  far.answer('files', 'second');
  far.deliver({ body: { id: asked?.['id'], ok: 'first' }, buffers: [] });
  expect([(await first).ok, (await second).ok]).toEqual(['first', 'second']);
});

it('rejects with the sentence, the type and the hint of the other end', async () => {
  const { far, source } = open();
  const asked = source.request('stop', {});
  far.refuse('stop', 'UnavailableError', 'Docker does not answer.', 'Start it.');
  await expect(asked).rejects.toMatchObject({
    message: 'Docker does not answer.',
    type: 'UnavailableError',
    hint: 'Start it.',
    constructor: RequestError
  });
});

it.each([[{}], [{ message: { toString: 1 }, type: [] }], [[]]])('rejects with the malformed error %j', async error => {
  const { far, source } = open();
  const asked = source.request('stop', {});
  far.deliver({ body: { id: far.last('stop')['id'], error }, buffers: [] });
  await expect(asked).rejects.toMatchObject({ message: '', type: '' });
});

it.each([
  ['an unknown id', { id: 'x', ok: {} }],
  ['an id of another type', { id: 7, ok: {} }],
  ['no kind', {}],
  ['an unknown kind', { kind: 'sing', seq: 1 }],
  ['a push without seq', { kind: 'state', now: 1 }],
  ['a push whose seq is text', { kind: 'state', seq: '1' }],
  ['an id that every object has', { id: 'constructor', ok: 1 }]
])('ignores a message with %s', (_, body) => {
  const { far, source } = open();
  const heard = listen(source);
  expect(() => far.deliver({ body, buffers: [] })).not.toThrow();
  expect(heard.pushes).toEqual([]);
});

it('gives a request up after its time', async () => {
  const { source } = open({ timeout: 1_000 });
  const asked = source.request('lines', { replica: 'a', start: 0, stop: 1 });
  const refused = expect(asked).rejects.toMatchObject({ type: 'Timeout' });
  await vi.advanceTimersByTimeAsync(1_000);
  await refused;
});

it('keeps requests until it can send them, hello first', async () => {
  const { far, exchange } = joined();
  const source = view(exchange);
  const asked = source.request('source', {});
  expect(far.heard).toEqual([]);
  exchange.open();
  expect(far.kinds()).toEqual(['hello', 'source']);
  far.answer('source', 'text');
  expect((await asked).ok).toBe('text');
});

it('hears the pushes for its view and those for all, no others', () => {
  const { far, source } = open();
  const heard = listen(source);
  far.push(snapshot(0), source.view);
  far.push(state(1), '');
  far.push(state(1), 'another');
  far.deliver({ body: { kind: 'state', seq: 2 }, buffers: [] });
  expect(heard.pushes).toEqual([
    ['snapshot', 0],
    ['state', 1],
    ['state', 2]
  ]);
});

it('says hello again after a gap, once for one gap', async () => {
  const { far, source } = open();
  far.answer('hello', { api: 1 });
  far.push(snapshot(0), source.view);
  await turn();
  far.push(state(3), source.view);
  far.push(state(4), source.view);
  expect(far.kinds()).toEqual(['hello', 'hello']);
});

it('takes a snapshot with any number, and counts on from it', async () => {
  const { far, source } = open();
  far.answer('hello', { api: 1 });
  far.push(snapshot(7), source.view);
  far.push(state(8), source.view);
  far.push(snapshot(0), source.view);
  far.push(state(1), source.view);
  await turn();
  expect(far.kinds()).toEqual(['hello']);
});

it('goes on pushing while it says hello anew', async () => {
  const { far, source } = open();
  const heard = listen(source);
  far.push(snapshot(0), source.view);
  far.push(state(5), source.view);
  expect(heard.pushes).toEqual([
    ['snapshot', 0],
    ['state', 5]
  ]);
});

it('says hello again once the connection is back, for the replica that it watches', async () => {
  const { far, exchange, source } = open();
  far.answer('hello', { api: 1 });
  void source.request('hello', { replica: 'worker-1' });
  far.answer('hello', { api: 1 });
  await turn();
  exchange.lost();
  exchange.open();
  expect(far.last('hello')).toMatchObject({ replica: 'worker-1', view: source.view });
  expect(far.kinds()).toEqual(['hello', 'hello', 'hello']);
});

it('watches the replica that was chosen last, though no hello was ever answered', () => {
  const { far, exchange, source } = open();
  void source.request('hello', { replica: 'worker-1' });
  exchange.lost();
  exchange.open();
  expect(far.last('hello')).toMatchObject({ replica: 'worker-1' });
});

it('says a hello that still waits only once', () => {
  const { far, source } = open();
  void source.request('hello', {});
  expect(far.kinds()).toEqual(['hello']);
});

it('asks again for the points that were live, and pushes them', async () => {
  const { far, exchange, source } = open();
  const heard = listen(source);
  far.answer('hello', { api: 1 });
  void source.request('points', { group: 'metrics', live: true });
  far.answer('points', { series: [] });
  await turn();
  exchange.lost();
  exchange.open();
  far.answer('hello', { api: 1 });
  await turn();
  far.answer('points', { series: [] });
  await turn();
  expect(far.kinds()).toEqual(['hello', 'points', 'hello', 'points']);
  expect(heard.pushes).toEqual([['points', 0]]);
});

it('does not ask again for points that are live no more', async () => {
  const { far, exchange, source } = open();
  for (const live of [true, false]) {
    void source.request('points', { group: 'metrics', live });
    far.answer('points', { series: [] });
    await turn();
  }
  far.answer('hello', { api: 1 });
  await turn();
  exchange.lost();
  exchange.open();
  far.answer('hello', { api: 1 });
  await turn();
  expect(far.kinds()).toEqual(['hello', 'points', 'points', 'hello']);
});

it('sends what was not answered again after a lost connection', async () => {
  const { far, exchange, source } = open();
  const asked = source.request('search', { replica: 'a', pattern: 'x' });
  exchange.lost();
  exchange.open();
  expect(far.kinds()).toEqual(['hello', 'search', 'hello', 'search']);
  far.answer('search', 'found');
  expect((await asked).ok).toBe('found');
});

it('never sends a rerun twice', async () => {
  const { far, exchange, source } = open();
  const asked = source.request('rerun', {});
  exchange.lost();
  await expect(asked).rejects.toMatchObject({ type: 'Lost' });
  exchange.open();
  expect(far.kinds().filter(kind => kind === 'rerun')).toHaveLength(1);
});

it('tells how the connection stands', () => {
  const { far, exchange } = joined();
  const source = view(exchange);
  const heard = listen(source);
  expect(source.status).toBe('connecting');
  exchange.open();
  exchange.lost('Gone.');
  exchange.lost('Gone.');
  exchange.open();
  expect(heard.statuses).toEqual([
    ['live', ''],
    ['offline', 'Gone.'],
    ['live', '']
  ]);
  expect(far.kinds()).toEqual(['hello', 'hello']);
});

it('is busy while a request waits too long, and live once it is answered', async () => {
  const { far, source } = open({ patience: 300, timeout: null });
  const heard = listen(source);
  far.answer('hello', { api: 1 });
  void source.request('stop', {});
  await vi.advanceTimersByTimeAsync(299);
  expect(source.status).toBe('live');
  await vi.advanceTimersByTimeAsync(1);
  expect(source.status).toBe('busy');
  far.push(snapshot(0), source.view);
  far.answer('stop');
  expect(heard).toEqual({
    pushes: [['snapshot', 0]],
    statuses: [
      ['busy', ''],
      ['live', '']
    ]
  });
});

it('never gives up what waits for a kernel', async () => {
  const { far, source } = open({ patience: 300, timeout: null });
  const asked = source.request('stop', {});
  await vi.advanceTimersByTimeAsync(3_600_000);
  far.answer('stop');
  expect(await asked).toEqual({ ok: {}, buffers: [] });
});

it('says why the job cannot be shown, and forgets it when it can', async () => {
  const { far, exchange, source } = open();
  const heard = listen(source);
  const greeted = expect(source.greeted).rejects.toMatchObject({ type: 'NotFoundError' });
  far.refuse('hello', 'NotFoundError', "there is no job 'j1'.");
  await greeted;
  expect(source.status).toBe('offline');
  exchange.lost();
  exchange.open();
  far.answer('hello', { api: 1 });
  await turn();
  expect(source.status).toBe('live');
  expect(heard.statuses).toEqual([
    ['offline', "there is no job 'j1'."],
    ['live', '']
  ]);
});

it('says bye when it is disposed of, ends what it asked, and hears no more', async () => {
  const { far, source } = open();
  const heard = listen(source);
  const asked = source.request('files', {});
  const ended = expect(asked).rejects.toMatchObject({ type: 'Closed' });
  source.dispose();
  source.dispose();
  await ended;
  far.push(snapshot(0), source.view);
  expect(far.kinds()).toEqual(['hello', 'files', 'bye']);
  expect(heard.pushes).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

it.each<Kind>(['stop', 'hello'])('refuses %s after its end', async kind => {
  const { source } = open();
  source.dispose();
  await expect(source.request(kind, {})).rejects.toMatchObject({ type: 'Closed' });
});

it('ends only its own requests', async () => {
  const { far, exchange, source } = open();
  const other = view(exchange, 'j2');
  const asked = other.request('source', {});
  source.dispose();
  far.answer('source', 'text');
  expect((await asked).ok).toBe('text');
});
