// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { Query, Rest } from '../../src/panel/rest.js';
import { RunList } from '../../src/run/section.js';
import type { RunAgain, RunInputsAnswer, RunRow, RunsAnswer } from '../../src/run/tokens.js';
import { RequestError } from '../../src/wire/protocol.js';
import { fakePanel, FakeList } from '../panel/rows.js';
import { turns } from '../turns.js';
import { NOW, runInput, runRow } from './runs.js';

let rows: RunRow[];
let refusal: string;
let heard: string[];
let section: RunList;

async function take<T>(method: string, path: string, query: Query, answer: T): Promise<T> {
  heard.push([method, path, ...Object.keys(query)].join(' '));
  await Promise.resolve();
  if (refusal) {
    throw new RequestError(refusal, 'SpecError');
  }
  return answer;
}

beforeEach(() => {
  vi.useFakeTimers();
  const ended = { status: 'succeeded', ended: NOW - 10, counts: { succeeded: 4 } } as const;
  rows = [runRow('new'), runRow('old', { ...ended, created: NOW - 600 })];
  [refusal, heard] = ['', []];
  const rest = {
    get: (path: string, query: Query = {}): Promise<RunsAnswer | RunInputsAnswer> => {
      if (path.endsWith('/inputs')) {
        return take<RunInputsAnswer>('GET', path, query, { inputs: [runInput('lr')], steps: ['train'] });
      }
      const runs = rows.filter(({ is_here: isHere }) => isHere || query['remote'] === 'true');
      return take<RunsAnswer>('GET', path, query, { runs, notes: ['PAI cannot be asked.'] });
    },
    post: (path: string, body: object = {}) => {
      const again: RunAgain = { run: 'next', name: 'run-next', problems: [] };
      return take('POST', `${path} ${JSON.stringify(body)}`, {}, again);
    },
    remove: (path: string) => {
      rows = rows.filter(({ id }) => path !== `runs/${id}`);
      return take('DELETE', path, {}, {});
    }
  } as unknown as Rest;
  section = new RunList({ ...fakePanel(new FakeList()), rest, openRun: run => void heard.push(`open ${run}`) });
  document.body.replaceChildren(section.element);
});
afterEach(() => {
  section.dispose();
  vi.useRealTimers();
});

async function shown(): Promise<void> {
  section.show(true);
  await vi.advanceTimersByTimeAsync(10);
  await turns();
}

const cards = (): HTMLElement[] => [...section.element.querySelectorAll<HTMLElement>('li.pj-Cards-card')];
const card = (name: string): HTMLElement => cards().find(one => one.textContent?.includes(name)) as HTMLElement;

async function press(within: HTMLElement, label: string): Promise<void> {
  const buttons = [...within.querySelectorAll('button')].filter(one => !one.hidden && one.textContent === label);
  buttons.at(-1)?.click();
  await turns();
}

it('says how each run stands', async () => {
  await shown();
  expect(cards().length).toBe(2);
  expect(card('run-new').textContent).toContain('Running · 1/4 ✓ · 1 ●');
  expect(card('run-old').textContent).toContain('Succeeded · 4/4 ✓');
  expect(section.element.textContent).toContain('PAI cannot be asked.');
});

it('tells runs of one name apart by their inputs, their time and their ids', async () => {
  const inputs = { lr: '0.3', mode: 'fast' };
  rows = [runRow('a', { name: 'iris', inputs }), runRow('b', { name: 'iris', inputs: { ...inputs, lr: '0.5' } })];
  rows.push(runRow('c', { name: 'other', status: 'failed' }));
  await shown();
  const texts = cards().map(one => one.textContent ?? '');
  ['a', 'b', 'c'].forEach((id, at) => expect(texts[at]).toMatch(new RegExp(`\\d\\d:\\d\\d · ${id}`)));
  expect(cards().map(one => one.querySelector('.pj-Runs-inputs:not([hidden])')?.textContent)).toEqual([
    'lr = 0.3, mode = fast',
    'lr = 0.5, mode = fast',
    undefined
  ]);
  const labels = cards().map(one => one.querySelector('.pj-JobView-buttons button:not([hidden])'));
  expect(labels.map(one => one?.getAttribute('aria-label'))).toEqual([
    'Stop: iris · lr=0.3 (a)',
    'Stop: iris · lr=0.5 (b)',
    'Run again: other'
  ]);
});

it('lets a run be deleted that cannot be read, of which nothing else is known', async () => {
  rows = [runRow('bad', { status: 'unknown', reason: "'run.json' is damaged.", created: 0, counts: {} })];
  await shown();
  const bad = card('run-bad');
  const offered = [...bad.querySelectorAll('button')].filter(({ hidden }) => !hidden).map(one => one.textContent);
  expect(offered).toEqual(['run-bad', 'Delete']);
  expect(bad.textContent).not.toMatch(/1970|\d+:\d\d/);
  expect(bad.textContent).toContain('is damaged');
});

it('follows the runs of this server while it is shown, and keeps those of the workspace', async () => {
  rows.push(runRow('far', { is_here: false, created: NOW - 900 }));
  await shown();
  rows[0] = runRow('new', { status: 'failed', reason: 'Step train failed.', ended: NOW });
  await vi.advanceTimersByTimeAsync(3_500);
  expect(card('run-new').textContent).toContain('Step train failed.');
  expect(card('run-far').textContent).toContain('in the workspace');
  section.show(false);
  const asked = heard.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(heard.length).toBe(asked);
});

it('opens a run', async () => {
  await shown();
  await press(card('run-new'), 'run-new');
  expect(heard.at(-1)).toBe('open new');
});

it('stops a run that goes on, once that is confirmed', async () => {
  await shown();
  await press(card('run-new'), 'Stop');
  expect(document.activeElement?.textContent).toBe('Keep running');
  await press(card('run-new'), 'Stop');
  expect(heard).toContain('POST runs/new/stop {}');
});

it('deletes a run that has ended, and says why it cannot', async () => {
  await shown();
  refusal = 'No.';
  const [row] = rows.slice(1);
  await press(card('run-old'), 'Delete');
  await press(card('run-old'), 'Delete');
  expect(card('run-old').textContent).toContain('No.');
  [rows, refusal] = [[...rows.filter(({ id }) => id !== 'old'), ...(row ? [row] : [])], ''];
  await press(card('run-old'), 'Delete');
  await press(card('run-old'), 'Delete');
  await turns();
  expect(cards().length).toBe(1);
  expect(section.element.textContent).toContain('run-old is deleted.');
});

it('runs a run again as it was, and with other values', async () => {
  await shown();
  await press(card('run-old'), 'Run again');
  expect(heard).toContain('POST runs/old/rerun {}');
  await press(card('run-old'), 'Open');
  expect(heard.at(-1)).toBe('open next');
  await press(card('run-old'), 'Run again with…');
  const field = card('run-old').querySelector('input[type=text]') as HTMLInputElement;
  field.value = '0.5';
  await press(card('run-old').querySelector('.pj-Run-rerun') as HTMLElement, 'Run again');
  expect(heard).toContain('POST runs/old/rerun {"from_step":null,"parameters":{"lr":"0.5"}}');
  expect(card('run-old').textContent).toContain('The run was started again.');
});

it('offers no Delete for what runs or is of the workspace, and no Stop for what has ended', async () => {
  rows = [runRow('a'), runRow('b', { status: 'failed' }), runRow('c', { status: 'stopped', is_here: false })];
  await shown();
  const offered = cards().map(one =>
    [...one.querySelectorAll<HTMLElement>('.pj-JobView-buttons button')]
      .filter(({ hidden }) => !hidden)
      .map(({ textContent }) => textContent)
  );
  const again = ['Run again', 'Run again with…'];
  expect(offered).toEqual([['Stop', ...again], [...again, 'Delete'], []]);
});

it('says what a run is where there is none', async () => {
  rows = [];
  await shown();
  expect(section.element.textContent).toContain('%%pai_pipeline');
});
