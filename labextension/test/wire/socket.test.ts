// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { JobSource, SourceStatus } from '../../src/tokens.js';
import { Connection } from '../../src/wire/socket.js';
import type { WireSource } from '../../src/wire/source.js';
import { binaryFrame, snapshot } from './farend.js';
import { FakeSocket } from './fakesocket.js';

const ADDRESS = { socket: 'ws://lab/pai-jupyter/api/socket', api: 'http://lab/user/a/pai-jupyter/api/', token: '' };

let isHidden = false;
const sources: WireSource[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.spyOn(document, 'hidden', 'get').mockImplementation(() => isHidden);
  FakeSocket.made = [];
  isHidden = false;
});

afterEach(() => {
  sources.splice(0).forEach(source => source.dispose());
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function mount(connection: Connection, job: string): WireSource {
  const source = connection.source(job);
  sources.push(source);
  return source;
}

/** A connection with its first view, accepted. */
function connected(): { connection: Connection; source: WireSource; socket: FakeSocket } {
  const connection = new Connection(ADDRESS, () => 1);
  const source = mount(connection, 'j1');
  newest().accept();
  newest().answer('hello', { api: 1 });
  return { connection, source, socket: newest() };
}

function newest(): FakeSocket {
  const socket = FakeSocket.made.at(-1);
  if (!socket) {
    throw new Error('nobody has connected');
  }
  return socket;
}

function statuses(source: JobSource): SourceStatus[] {
  const heard: SourceStatus[] = [];
  source.listen({ status: status => heard.push(status) });
  return heard;
}

const pass = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);
const wake = (): boolean => document.dispatchEvent(new Event('visibilitychange'));

it('connects when the first view wants it, once for all', () => {
  const connection = new Connection(ADDRESS);
  expect(FakeSocket.made).toHaveLength(0);
  mount(connection, 'j1');
  mount(connection, 'j2');
  expect(FakeSocket.made.map(socket => socket.address)).toEqual([ADDRESS.socket]);
  newest().accept();
  expect(newest().heard.map(body => [body['kind'], body['job']])).toEqual([
    ['hello', 'j1'],
    ['hello', 'j2']
  ]);
});

it('brings pushes, in text and in binary frames', () => {
  const { source, socket } = connected();
  const pushes: [string, number[]][] = [];
  source.listen({ push: ({ kind }, buffers) => pushes.push([kind, buffers.map(buffer => buffer.byteLength)]) });
  socket.say(JSON.stringify({ ...snapshot(0), view: source.view }));
  const points = { kind: 'points', group: 'metrics', series: [], seq: 1, view: source.view };
  socket.say(binaryFrame(points, [new ArrayBuffer(24)]));
  expect(pushes).toEqual([
    ['snapshot', []],
    ['points', [24]]
  ]);
  expect(socket.binaryType).toBe('arraybuffer');
});

it('lives on after a malformed frame', async () => {
  const { source, socket } = connected();
  socket.say('{');
  socket.say(new ArrayBuffer(2));
  const asked = source.request('stop', {});
  socket.answer('stop', 'done');
  expect((await asked).ok).toBe('done');
});

it('closes some time after the last view has gone', async () => {
  const { source, socket } = connected();
  source.dispose();
  await pass(4_000);
  expect(socket.readyState).toBe(1);
  await pass(2_000);
  expect(socket.readyState).toBe(3);
  await pass(60_000);
  expect([FakeSocket.made.length, vi.getTimerCount()]).toEqual([1, 0]);
});

it('stays open for a view that comes soon after', async () => {
  const { connection, source, socket } = connected();
  source.dispose();
  await pass(1_000);
  const next = mount(connection, 'j2');
  await pass(30_000);
  expect([socket.readyState, FakeSocket.made.length, next.status]).toEqual([1, 1, 'live']);
});

it('opens again for a view that comes after its close', async () => {
  const { connection, source } = connected();
  source.dispose();
  await pass(10_000);
  const next = mount(connection, 'j2');
  expect([FakeSocket.made.length, next.status]).toEqual([2, 'connecting']);
});

it('reconnects after growing pauses, the longest of 15 s', async () => {
  connected();
  const pauses: number[] = [];
  for (let at = 0; at < 8; at++) {
    newest().close();
    const [count, since] = [FakeSocket.made.length, performance.now()];
    while (FakeSocket.made.length === count) {
      await vi.advanceTimersToNextTimerAsync();
    }
    pauses.push(performance.now() - since);
  }
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
});

it('begins with a short pause again once it has heard something', async () => {
  connected();
  newest().close();
  await pass(500);
  newest().close();
  await pass(1_000);
  newest().accept();
  newest().answer('hello', { api: 1 });
  newest().close();
  await pass(500);
  expect(FakeSocket.made).toHaveLength(4);
});

it('says hello for every view after a reconnection, and tells them how it stands', async () => {
  const { connection, source } = connected();
  mount(connection, 'j2');
  newest().answer('hello', { api: 1 });
  await pass(0);
  const heard = statuses(source);
  newest().close();
  await pass(500);
  newest().accept();
  expect(newest().heard.map(body => [body['kind'], body['job']])).toEqual([
    ['hello', 'j1'],
    ['hello', 'j2']
  ]);
  expect(heard).toEqual(['offline', 'live']);
});

it.each([
  ['the page is looked at', wake],
  ['the network is back', () => window.dispatchEvent(new Event('online'))]
])('reconnects at once when %s', async (_, happen) => {
  connected();
  newest().close();
  happen();
  expect(FakeSocket.made).toHaveLength(2);
  await pass(14_000);
  expect(FakeSocket.made).toHaveLength(2);
});

it('does not hurry while nobody looks at the page', () => {
  connected();
  newest().close();
  isHidden = true;
  wake();
  expect(FakeSocket.made).toHaveLength(1);
});

it('drops a connection that died in its sleep', async () => {
  const { socket } = connected();
  await pass(31_000);
  wake();
  expect(socket.kinds()).toEqual(['hello', 'bye']);
  await pass(5_000);
  expect([socket.readyState, FakeSocket.made.length]).toEqual([3, 2]);
});

it('keeps a silent connection that answers', async () => {
  const { socket } = connected();
  await pass(31_000);
  wake();
  socket.answer('bye');
  await pass(60_000);
  expect([socket.readyState, FakeSocket.made.length]).toEqual([1, 1]);
});

it('does not ask a connection that spoke just now', async () => {
  const { socket } = connected();
  await pass(10_000);
  wake();
  expect(socket.kinds()).toEqual(['hello']);
});

it('leaves nothing behind when every view has gone while it was lost', async () => {
  const { source } = connected();
  newest().close();
  source.dispose();
  wake();
  window.dispatchEvent(new Event('online'));
  await pass(60_000);
  expect([FakeSocket.made.length, vi.getTimerCount()]).toEqual([1, 0]);
});

it.each<[Parameters<JobSource['download']>[0], string]>([
  [{ log: 'worker-0' }, 'log?replica=worker-0'],
  [{ log: 'a b&c' }, 'log?replica=a+b%26c'],
  [{ package: true }, 'package'],
  [{ channel: 'model', path: 'sub/a.txt' }, 'files/model/sub/a.txt'],
  [{ channel: 'model', path: '训练/a b?#%.txt' }, 'files/model/%E8%AE%AD%E7%BB%83/a%20b%3F%23%25.txt']
])('tells where the browser downloads %j', (what, path) => {
  const { source } = connected();
  expect(source.download(what)).toBe(`http://lab/user/a/pai-jupyter/api/jobs/j1/${path}`);
});

it('adds the token to a download where the browser has no cookie', () => {
  const source = mount(new Connection({ ...ADDRESS, token: 'a&b' }), 'j1');
  expect(source.download({ package: true })).toMatch(/\/package\?token=a%26b$/);
});
