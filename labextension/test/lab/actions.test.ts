// @vitest-environment jsdom
/** What is done to jobs, for a page whose list of jobs is empty: nobody listens to it. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { expect, test, vi } from 'vitest';

import { labActions, rowsOf } from '../../src/lab/actions.js';
import type { IJobs } from '../../src/lab/jobs.js';
import type { Rest } from '../../src/panel/rest.js';
import { panelSay } from '../../src/panel/translation.js';
import { FakeList, jobRow } from '../panel/rows.js';

vi.mock('../../src/lab/compare.js', () => ({ openComparison: () => Promise.resolve() }));

const say = panelSay('en');

function actions() {
  const sent: [string, string, unknown?][] = [];
  const rest = {
    post: async (path: string) => {
      sent.push(['post', path]);
      return { job: 'new' };
    },
    patch: async (path: string, body: unknown) => void sent.push(['patch', path, body])
  } as unknown as Rest;
  const opened: string[] = [];
  const openTab = async (id: string): Promise<void> => void opened.push(id);
  const jobs = { rest, list: () => new FakeList() } as unknown as IJobs;
  const host = { say: () => say, openTab, showBoards: async () => undefined };
  return { act: labActions({} as JupyterFrontEnd, jobs, host), sent, opened };
}

test('a star is taken from jobs that all have one, and else given', async () => {
  const { act, sent } = actions();
  await act.star([jobRow('a', { is_starred: true })]);
  await act.star([jobRow('a', { is_starred: true }), jobRow('b')]);
  expect(sent.map(([, path, body]) => [path, body])).toEqual([
    ['jobs/a/annotations', { is_starred: false }],
    ['jobs/a/annotations', { is_starred: true }],
    ['jobs/b/annotations', { is_starred: true }]
  ]);
});

test('a job that was recorded elsewhere is imported before it is opened', async () => {
  const { act, sent, opened } = actions();
  await act.open(jobRow('a', { is_here: false }));
  await act.open({ id: 'b' });
  expect([sent, opened]).toEqual([[['post', 'jobs/a/adopt']], ['a', 'b']]);
});

test('several jobs are run again in their order, and none of them is opened', async () => {
  const { act, sent, opened } = actions();
  await act.rerun(['a', 'b']);
  expect(sent.map(([, path]) => path)).toEqual(['jobs/a/rerun', 'jobs/b/rerun']);
  expect(opened).toEqual([]);
});

test('who asks to go to the cell of a job without a notebook hears why not', async () => {
  const { act } = actions();
  await expect(act.goToCell(jobRow('a', { notebook: null }))).rejects.toThrow(
    'This job was not started in a notebook.'
  );
});

test('jobs that only their ids are known of are looked up', async () => {
  const asked: unknown[] = [];
  const get = async <T>(...question: unknown[]): Promise<T> => {
    asked.push(question);
    return { rows: [jobRow('b', { is_starred: true })] } as T;
  };
  const rows = await rowsOf({ get }, ['a', 'b']);
  expect([asked, rows.map(row => [row.id, row.is_starred])]).toEqual([
    [['jobs', { text: 'id:a,b', limit: '2' }]],
    [
      ['a', undefined],
      ['b', true]
    ]
  ]);
});
