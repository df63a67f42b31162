// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it } from 'vitest';

import { jobsSection, type JobsSection } from '../../src/panel/jobs.js';
import type { Query, Rest } from '../../src/panel/rest.js';
import { runRow } from '../run/runs.js';
import { eventually, turns } from '../turns.js';
import { fakePanel, FakeList, type FakePanel, jobRow, NOW, running } from './rows.js';

let panel: FakePanel;
let section: JobsSection;
let asked: number;
let opened: string[];

beforeEach(async () => {
  [asked, opened] = [0, []];
  const list = new FakeList(
    jobRow('alone', { created: NOW - 1 }),
    running('b', { created: NOW - 2, run: 'r1', step: 'train' }),
    jobRow('other', { created: NOW - 3 }),
    jobRow('a', { created: NOW - 4, run: 'r1', step: 'prepare', status: 'failed' })
  );
  const get = async (_: string, query: Query = {}): Promise<unknown> => {
    asked += 1;
    const far = query['remote'] ? [runRow('flow-1', { name: 'far', is_here: false })] : [];
    return { runs: [runRow('r1', { name: 'iris' }), ...far], notes: [] };
  };
  panel = { ...fakePanel(list), rest: { get } as unknown as Rest, openRun: run => void opened.push(run) } as FakePanel;
  section = jobsSection(panel);
  document.body.replaceChildren(section.element);
  section.show(true);
  await turns();
});
afterEach(() => section.dispose());

const options = (): HTMLElement[] => [...section.element.querySelectorAll<HTMLElement>('[role=option]')];
const ids = (): (string | undefined)[] => options().map(option => option.dataset['row']);
const fold = (): HTMLElement => section.element.querySelector('.pj-Panel-fold') as HTMLElement;

async function click(type = 'click'): Promise<void> {
  fold().dispatchEvent(new MouseEvent(type, { bubbles: true }));
  await turns();
}

async function press(key: string): Promise<void> {
  const list = section.element.querySelector('[role=listbox]');
  list?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  await turns();
}

it('has the jobs of a run under one row, where the first of them was', () => {
  expect(ids()).toEqual(['alone', 'run r1', 'other']);
  expect(fold().getAttribute('aria-label')).toBe('iris, Run, 2 jobs, 1 running, 1 failed, folded');
  expect([asked, section.element.textContent?.includes('4 jobs, 1 running')]).toEqual([1, true]);
});

it('tells runs of one name apart by the inputs in which they differ, or by their time, and their ids', async () => {
  section.dispose();
  const runs = [
    runRow('r1', { name: 'iris', inputs: { lr: '0.3', mode: 'fast', api_key: '***' } }),
    runRow('r2', { name: 'iris', inputs: { lr: '0.5', mode: 'fast' } }),
    runRow('r3', { name: 'same', created: 0 }),
    runRow('r4', { name: 'same', created: 0 })
  ];
  const jobs = runs.map(({ id }, at) => jobRow(`j${at}`, { run: id, created: NOW - at }));
  const rest = { get: async () => ({ runs, notes: [] }) } as unknown as Rest;
  section = jobsSection({ ...panel, list: new FakeList(...jobs), rest } as FakePanel);
  document.body.replaceChildren(section.element);
  section.show(true);
  await eventually(() => expect(fold().getAttribute('aria-label')).toBe('iris, lr=0.3, Run, 1 job, r1, folded'));
  const told = [...section.element.querySelectorAll('.pj-Panel-fold')].map(
    one =>
      `${one.querySelector('.pj-Panel-differs')?.textContent} | ${one.querySelector('.pj-Panel-line')?.textContent}`
  );
  expect(told.slice(0, 2)).toEqual(['lr=0.3 | Run · 1 job · r1', 'lr=0.5 | Run · 1 job · r2']);
  expect(told[3]).toMatch(/^19(69|70)-\d\d-\d\d \d\d:\d\d \| Run · 1 job · r4$/);
});

it('has the name of a run of the workspace, which is asked for only then', async () => {
  section.dispose();
  asked = 0;
  section = jobsSection({ ...panel, list: new FakeList(jobRow('c', { run: 'flow-1', step: 'train' })) } as FakePanel);
  document.body.replaceChildren(section.element);
  section.show(true);
  await eventually(() => expect(fold().getAttribute('aria-label')).toContain('far, Run, 1 job'));
  expect(asked).toBe(2);
});

it('opens by a click, and closes by another', async () => {
  await click();
  expect(ids()).toEqual(['alone', 'run r1', 'b', 'a', 'other']);
  expect(fold().getAttribute('aria-label')).toContain('open');
  await click();
  expect(ids().length).toBe(3);
});

it('opens and closes by arrows, and shows the run by Enter and by a double click', async () => {
  await press('Home');
  await press('ArrowDown');
  await press('ArrowRight');
  expect(ids().length).toBe(5);
  await press('ArrowLeft');
  expect(ids().length).toBe(3);
  await press('Enter');
  await click('dblclick');
  expect([opened, panel.act.done]).toEqual([['r1', 'r1'], []]);
});

it('is no job: what is chosen with it is not done to the jobs in it', async () => {
  await press('Home');
  await press('End');
  section.element
    .querySelector('[role=listbox]')
    ?.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', ctrlKey: true, bubbles: true }));
  await turns();
  expect(section.chosen.map(({ id }) => id)).toEqual(['alone', 'other']);
});

it('opens where a job in it is to be chosen', async () => {
  section.choose(['a']);
  await turns();
  expect([ids().length, section.chosen.map(({ id }) => id)]).toEqual([5, ['a']]);
});

it('is open where something is looked for', async () => {
  const box = section.element.querySelector('input[type=search]') as HTMLInputElement;
  box.value = 'iris-a';
  box.dispatchEvent(new Event('input'));
  await eventually(() => expect(ids()).toEqual(['alone', 'run r1', 'a']));
});
