// @vitest-environment jsdom
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ServerConnection } from '@jupyterlab/services';
import { Application } from '@lumino/application';
import { Widget } from '@lumino/widgets';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { IJobs, jobsPlugin } from '../../src/lab/jobs.js';
import type { JobsAnswer } from '../../src/panel/protocol.js';
import { jobRow, NOW, running } from '../panel/rows.js';
import { turns } from '../turns.js';
import { FakeSocket } from '../wire/fakesocket.js';

const { notified } = vi.hoisted(() => {
  globalThis.DragEvent ??= class extends MouseEvent {} as typeof DragEvent; // which lumino builds on, and jsdom lacks
  return { notified: [] as string[] };
});
// What it builds on can be bundled, but not be loaded file by file.
vi.mock('@jupyterlab/apputils', () => ({ Notification: { warning: (text: string) => notified.push(text) } }));

let asked: string[];
let answer: () => Response;

beforeEach(() => {
  vi.stubGlobal('WebSocket', FakeSocket);
  FakeSocket.made = [];
  asked = [];
  answer = () => Response.json({ version: '1' });
  notified.length = 0;
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** What a plugin of another extension is given, which requires our token. */
async function required(): Promise<IJobs> {
  const serverSettings = ServerConnection.makeSettings({
    baseUrl: 'http://lab/user/a/',
    wsUrl: 'ws://lab/user/a/',
    token: 'secret',
    appendToken: true,
    fetch: async (request: RequestInfo | URL) => {
      asked.push(request instanceof Request ? request.url : String(request));
      return answer();
    }
  });
  const given: IJobs[] = [];
  const other: JupyterFrontEndPlugin<void> = {
    id: 'mine:count',
    requires: [IJobs],
    activate: (_, jobs: IJobs) => void given.push(jobs)
  };
  const app = new Application({ shell: new Widget() }) as unknown as JupyterFrontEnd;
  Object.assign(app, { serviceManager: { serverSettings } }); // all that the service wants of it
  app.registerPlugins([jobsPlugin, other]);
  await app.activatePlugin(other.id);
  const [jobs] = given;
  if (!jobs) {
    throw new Error('the other plugin was not activated');
  }
  return jobs;
}

it('asks for nothing until somebody wants something', async () => {
  await required();
  await turns();
  expect([asked, FakeSocket.made]).toEqual([[], []]);
});

it('gives another plugin the list of jobs, live, until it stops to listen', async () => {
  const list = (await required()).list();
  const counts: number[] = [];
  const leave = list.listen(() => counts.push([...list.rows.values()].filter(row => row.status === 'running').length));
  const [socket] = FakeSocket.made;
  socket?.accept();
  const view = socket?.heard.find(body => body['kind'] === 'watch_jobs')?.['view'];
  const push = { view, kind: 'jobs', now: NOW, gone: [], is_whole: true, notes: [] };
  socket?.say(JSON.stringify({ ...push, seq: 0, is_first: true, rows: [running('a'), running('b')] }));
  socket?.say(JSON.stringify({ ...push, seq: 1, is_first: false, rows: [jobRow('a')] }));
  expect(counts.slice(-2)).toEqual([2, 1]);
  leave();
  expect(socket?.kinds().at(-1)).toBe('bye');
  expect(socket?.address).toBe('ws://lab/user/a/pai-jupyter/api/socket?language=en&token=secret');
});

it('gives all plugins the same list', async () => {
  const jobs = await required();
  expect(jobs.list()).toBe(jobs.list());
});

it('gives another plugin the live data of a job', async () => {
  const source = (await required()).source('j1');
  expect([source.job, FakeSocket.made.length]).toEqual(['j1', 1]);
  source.dispose();
});

it('lets another plugin ask what is not watched', async () => {
  answer = () => Response.json({ rows: [jobRow('a')], count: 1, states: {}, backends: [], notebooks: [] });
  const { rows } = await (await required()).rest.get<JobsAnswer>('jobs', { status: 'running' });
  expect(rows.map(row => row.id)).toEqual(['a']);
  expect(asked[0]).toContain('http://lab/user/a/pai-jupyter/api/jobs?status=running');
});

it.each([
  ['zh_CN', 'zh'],
  ['', 'en'],
  [undefined, 'en']
])('has the language %j of the server as %s', async (told, language) => {
  answer = () => Response.json({ language: told });
  expect(await (await required()).server()).toEqual({ has_jobs: true, language });
});

it('knows of which jobs the end is told, if the server says it', async () => {
  answer = () => Response.json({ notify_after: 1_800 });
  expect((await (await required()).server()).notifyAfter).toBe(1_800);
});

it('asks once what is at the other end', async () => {
  const jobs = await required();
  await Promise.all([jobs.server(), jobs.server()]);
  await jobs.server();
  expect(asked.length).toBe(1);
});

it('names a missing server extension once, whoever asks', async () => {
  answer = () => new Response('', { status: 404 });
  const jobs = await required();
  expect((await Promise.all([jobs.server(), jobs.server()])).map(facts => facts.has_jobs)).toEqual([false, false]);
  expect(notified).toEqual([expect.stringContaining('Type "pip install pai_jupyter" there')]);
});

it.each([
  ['refuses', () => new Response('', { status: 500 })],
  [
    'cannot be reached',
    () => {
      throw new TypeError('failed to fetch');
    }
  ]
])('takes a server that %s for one that comes back, and asks again', async (_, failing) => {
  const jobs = await required();
  answer = failing;
  expect((await jobs.server()).has_jobs).toBe(true);
  answer = () => Response.json({ language: 'zh' });
  expect((await jobs.server()).language).toBe('zh');
  expect(notified).toEqual([]);
});
