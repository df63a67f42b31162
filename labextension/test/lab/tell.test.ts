// @vitest-environment jsdom
import { Title, Widget } from '@lumino/widgets';
import { describe, expect, it, vi } from 'vitest';

import { drawTab, endNotices, StatusItem } from '../../src/lab/tell.js';
import { panelSay } from '../../src/panel/words.js';
import { jobRow, jobRows } from '../panel/rows.js';

vi.hoisted(() => {
  globalThis.DragEvent ??= class extends MouseEvent {} as typeof DragEvent; // which lumino builds on, and jsdom lacks
});

const say = panelSay('en');

describe('a notification', () => {
  it('tells of each job that has ended, in its own way', () => {
    const rows = [
      jobRow('a'), jobRow('b', { status: 'failed' }), jobRow('c', { status: 'stopped', name: '\u001b[31m<b>' })
    ];
    expect(endNotices(rows, say)).toEqual([
      { message: 'iris-a: Succeeded', kind: 'success', job: 'a' },
      { message: 'iris-b: Failed', kind: 'error', job: 'b' },
      { message: '<b>: Stopped', kind: 'info', job: 'c' }
    ]);
  });

  it('is one for many jobs', () => {
    expect(endNotices([...jobRows(4), jobRow('x', { status: 'failed' })], say)).toEqual([
      { message: '5 training jobs have ended, 1 of them failed.', kind: 'error', job: null }
    ]);
    expect(endNotices(jobRows(5), say).map(notice => notice.kind)).toEqual(['success']);
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
    drawTab(title, 5, 5, say);
    drawTab(title, running, failed, say);
    expect([title.dataset['pj-badge'], title.caption]).toEqual([badge, caption]);
    expect([title.dataset['of'], 'pj-failed' in title.dataset]).toEqual(['others', failed > 0]);
  });
});
