// @vitest-environment jsdom
import { Title, Widget } from '@lumino/widgets';
import { describe, expect, it, vi } from 'vitest';

import { failureCauses, drawBadge, endNotices, runNotice, StatusItem } from '../../src/lab/statusbar.js';
import type { JobRow } from '../../src/panel/protocol.js';
import type { Rest } from '../../src/panel/rest.js';
import { panelSay } from '../../src/panel/translation.js';
import { jobRow, jobRows } from '../panel/rows.js';
import { runHead } from '../run/runs.js';

vi.hoisted(() => {
  globalThis.DragEvent ??= class extends MouseEvent {} as typeof DragEvent; // which lumino builds on, and jsdom lacks
});

const say = panelSay('en');

describe('a notification', () => {
  it('tells of each job that has ended, in its own way', () => {
    const rows = [
      jobRow('a'),
      jobRow('b', { status: 'failed' }),
      jobRow('c', { status: 'stopped', name: '\u001b[31m<b>' })
    ];
    expect(endNotices(rows, say)).toEqual([
      { message: 'iris-a: Succeeded', kind: 'success', job: 'a' },
      { message: 'iris-b: Failed', kind: 'error', job: 'b' },
      { message: '<b>: Stopped', kind: 'info', job: 'c' }
    ]);
  });

  it('says why a job has failed', () => {
    const causes = new Map([
      ['b', 'ValueError: no \u001b[31mdata'],
      ['c', '']
    ]);
    const told = endNotices([jobRow('b', { status: 'failed' }), jobRow('c', { status: 'failed' })], say, causes);
    expect(told.map(({ message }) => message)).toEqual(['iris-b: Failed. ValueError: no data', 'iris-c: Failed']);
  });

  it('tells runs of one name apart, and speaks Chinese', () => {
    const rows = [jobRow('a', { name: 'iris' }), jobRow('b', { name: 'iris', status: 'failed' })];
    const causes = new Map([['b', 'KeyError: x (cell line 2)']]);
    const differs = (id: string): string => (id === 'a' ? 'lr=0.3' : 'lr=0.5');
    expect(endNotices(rows, say, causes, differs).map(({ message }) => message)).toEqual([
      'iris · lr=0.3: Succeeded',
      'iris · lr=0.5: Failed. KeyError: x (cell line 2)'
    ]);
    expect(endNotices(rows, panelSay('zh'), causes, differs).map(({ message }) => message)).toEqual([
      'iris · lr=0.3：成功',
      'iris · lr=0.5：失败。KeyError: x (cell line 2)'
    ]);
  });

  it('keeps the cause in the 140 characters that JupyterLab shows', () => {
    const row = jobRow('b', { status: 'failed', name: 'n'.repeat(100) });
    const [told] = endNotices([row], say, new Map([['b', `KeyError: ${'x'.repeat(500)}`]]));
    expect(told?.message).toMatch(/^n{39}…: Failed\. KeyError: x+…$/);
    expect(told?.message.length).toBeLessThanOrEqual(140);
  });

  it('is one for a run, with its first inputs and why it has failed', () => {
    const inputs = { lr: '0.3', mode: 'fast' };
    expect(runNotice(runHead({ status: 'succeeded', inputs }), say)).toEqual({
      message: 'Run iris · lr=0.3 mode=fast: Succeeded',
      kind: 'success',
      job: null,
      run: 'r1'
    });
    const failed = runHead({ status: 'failed', reason: 'step `train` failed', name: '\u001b[31m<b>' });
    expect(runNotice(failed, say)).toMatchObject({ message: 'Run <b>: Failed. step `train` failed', kind: 'error' });
    expect(runNotice(runHead({ status: 'stopped' }), panelSay('zh'))).toMatchObject({
      message: '运行 iris：已停止',
      kind: 'info'
    });
    expect(runNotice(runHead({ status: 'failed', reason: 'x'.repeat(500) }), say).message.length).toBe(140);
  });

  it('is one for many jobs', () => {
    expect(endNotices([...jobRows(4), jobRow('x', { status: 'failed' })], say)).toEqual([
      { message: '5 training jobs have ended, 1 of them failed.', kind: 'error', job: null }
    ]);
    expect(endNotices(jobRows(5), say).map(notice => notice.kind)).toEqual(['success']);
  });
});

describe('the causes of failures', () => {
  const failed = (id: string): JobRow => jobRow(id, { status: 'failed' });

  it('are asked of those that have failed, and of no other', async () => {
    const asked: string[] = [];
    const get = async (path: string): Promise<unknown> => {
      asked.push(path);
      return { failure: { cause: 'exit code 3' } };
    };
    expect(await failureCauses([jobRow('a'), failed('b c')], { get } as Rest)).toEqual(
      new Map([['b c', 'exit code 3']])
    );
    expect(asked).toEqual(['jobs/b%20c']);
  });

  it('are left out where nobody knows them, or not in time', async () => {
    vi.useFakeTimers();
    const get = (path: string): Promise<unknown> => {
      return path.endsWith('b') ? Promise.reject(new Error('gone')) : new Promise(() => undefined);
    };
    const causes = failureCauses([failed('b'), failed('c')], { get } as Rest);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await causes).toEqual(new Map());
    vi.useRealTimers();
  });

  it('are not asked for where the notification has no room for them', async () => {
    const get = (): never => {
      throw new Error('asked');
    };
    expect(await failureCauses(jobRows(4, { status: 'failed' }), { get } as unknown as Rest)).toEqual(new Map());
  });
});

describe('the item of the status bar', () => {
  it('is there while jobs run, and says how many', () => {
    const item = new StatusItem(() => undefined);
    const heard: boolean[] = [];
    item.activeChanged.connect(() => heard.push(item.isActive));
    [0, 2, 3, 0].forEach(count => item.draw(count, say));
    expect(heard).toEqual([true, false]);
    item.draw(2, say);
    expect(item.node.textContent).toBe('2 running');
    item.dispose();
  });

  it('shows the panel', () => {
    let count = 0;
    const item = new StatusItem(() => (count += 1));
    item.node.querySelector('button')?.click();
    expect(count).toBe(1);
    item.dispose();
  });
});

describe('the tab of the panel', () => {
  it.each<[number, number, string | undefined, string]>([
    [0, 0, undefined, 'Training jobs'],
    [2, 0, '2', 'Training jobs: 2 running'],
    [0, 1, '✗1', 'Training jobs: 1 failed'],
    [2, 1, '✗1 2', 'Training jobs: 2 running, 1 failed']
  ])('with %i that run and %i that failed', (running, failed, badge, caption) => {
    const title = new Title({ owner: new Widget(), dataset: { of: 'others' } });
    drawBadge(title, 5, 5, say);
    drawBadge(title, running, failed, say);
    expect([title.dataset['pj-badge'], title.caption]).toEqual([badge, caption]);
    expect([title.dataset['of'], 'pj-failed' in title.dataset]).toEqual(['others', failed > 0]);
  });
});
