// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { RunHost, RunStep } from '../../src/run/tokens.js';
import { mountRunView } from '../../src/run/view.js';
import { eventually, turns } from '../turns.js';
import { FakeRun, NOW, picture, runHead, runStep, savedRun } from './runs.js';

let source: FakeRun;
let end: () => void;
let done: string[];
let refusal: string;

const act = async (what: string): Promise<string> => {
  await Promise.resolve();
  if (refusal) {
    throw new Error(refusal);
  }
  done.push(what);
  return 'r2';
};

function mount(host: Partial<RunHost> = {}, saved = false): void {
  const ways: RunHost = {
    language: 'en',
    openJob: job => void done.push(`job ${job}`),
    openRun: run => void done.push(`run ${run}`),
    stop: () => act('stop'),
    inputs: () => Promise.resolve({ inputs: [], steps: ['train', 'nested', 'nested/x'] }),
    rerun: async asked => ({ run: await act(`rerun ${JSON.stringify(asked)}`), name: 'iris', problems: [] }),
    ...host
  };
  end = mountRunView(document.body, source, { host: ways, saved: saved ? savedRun() : null });
}

beforeEach(() => {
  [done, refusal, source] = [[], '', new FakeRun()];
  document.body.replaceChildren();
});
afterEach(() => end());

const STEPS: readonly RunStep[] = [
  runStep('prepare', { status: 'succeeded', job: 'j1', started: NOW - 50, ended: NOW - 40 }),
  runStep('train', { status: 'running', job: 'j2', started: NOW - 30 }),
  runStep('nested', { kind: 'pipeline', has_picture: true, counts: { waiting: 2 } }),
  runStep('skip', { status: 'skipped', condition: { text: '', label: 'acc > 0.9' } })
];
const INNER = [runStep('nested/x'), runStep('nested/y')];

function begin(steps: readonly RunStep[] = STEPS): void {
  const top = steps.filter(({ parent }) => parent === '').map(({ path }) => path);
  source.push('run', { steps: [...steps], pictures: [picture('', top)] });
}

const view = (): HTMLElement => document.querySelector('.pj-Run') as HTMLElement;
const node = (path: string): HTMLElement => document.querySelector(`.pj-Run-node[data-path="${path}"]`) as HTMLElement;
const row = (path: string): HTMLElement => document.querySelector(`.pj-Run-row[data-path="${path}"]`) as HTMLElement;
const rows = (): (string | undefined)[] =>
  [...document.querySelectorAll<HTMLElement>('.pj-Run-row')].map(one => one.dataset['path']);
const labels = (selector: string): (string | null)[] =>
  [...document.querySelectorAll(selector)].map(one => one.getAttribute('aria-label'));
const details = (): string => document.querySelector('.pj-Run-details')?.textContent ?? '';

function press(label: string): void {
  const shown = [...document.querySelectorAll('button')].filter(one => !one.closest('[hidden]'));
  const found = shown.filter(one => one.textContent === label).at(-1); // a question lies below the header
  expect(found, label).toBeDefined();
  found?.focus();
  found?.click();
}

/** The texts in an element, each of one of its children. */
function textsOf(one: Element): string {
  return [...one.children].map(({ textContent }) => textContent).join('|');
}

function key(target: Element | null, name: string): void {
  target?.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
}

it('shows what a saved notebook knows, until the run itself answers', () => {
  mount({}, true);
  expect(view().textContent).toContain('as of');
  begin();
  expect(view().textContent).not.toContain('as of');
  expect(view().getAttribute('aria-label')).toBe('Run iris');
});

it('draws each step at its place, and says all of it to those who hear', () => {
  mount();
  begin();
  expect(labels('.pj-Run-node')).toEqual([
    'prepare, prepare code, Succeeded',
    'train, train code, Running',
    'nested, nested code, pipeline, Waiting, 0 of 2 succeeded, 2 waiting',
    'skip, skip code, Skipped, condition acc > 0.9: not decided'
  ]);
  expect(node('train').style.left).toBe('200px');
  expect(document.querySelectorAll('.pj-Run-edge').length).toBe(3);
  expect(document.querySelectorAll('.pj-Run-edge[data-status=skipped]').length).toBe(1);
});

it('changes only what a push brings', () => {
  mount();
  begin();
  const others = [...document.querySelectorAll('.pj-Run-node')].filter(one => one !== node('train'));
  const before = others.map(one => one.outerHTML);
  const seen: MutationRecord[] = [];
  const observer = new MutationObserver(records => seen.push(...records));
  observer.observe(document.querySelector('.pj-Run-graph') as Element, {
    subtree: true,
    childList: true,
    attributes: true,
    characterData: true
  });
  source.push('run_changes', { steps: [runStep('train', { status: 'failed', reason: 'exit code 1', job: 'j2' })] });
  seen.push(...observer.takeRecords());
  expect(others.map(one => one.outerHTML)).toEqual(before);
  expect(seen.every(({ target }) => node('train').contains(target))).toBe(true);
  expect(node('train').getAttribute('aria-label')).toContain('Failed, exit code 1');
  expect(document.querySelector('[role=status]')?.closest('.pj-Run')).toBe(view());
});

it('opens the job of a node, the level of a pipeline, and the way back', () => {
  mount();
  begin();
  node('prepare').click();
  expect(done).toEqual(['job j1']);
  node('nested').click();
  expect(source.opened).toEqual([['nested']]);
  expect(view().textContent).toContain('No graph of this level');
  source.push('run_changes', { steps: INNER, pictures: [picture('nested', ['nested/x', 'nested/y'])] });
  expect(labels('.pj-Run-node').length).toBe(2);
  press('iris');
  expect([labels('.pj-Run-node').length, source.opened.at(-1)]).toEqual([4, []]);
  expect(document.activeElement).toBe(node('prepare'));
});

it('opens no job that there is not', () => {
  mount();
  begin([runStep('a', { status: 'running', job: 'j9', tries: [{ job: 'j9', status: 'created' }] }), runStep('b')]);
  node('a').click();
  node('b').click();
  expect(done).toEqual([]);
});

it('goes from node to node by arrows, one of them in the order of Tab', () => {
  mount();
  begin();
  expect([...document.querySelectorAll('.pj-Run-node[tabindex="0"]')]).toEqual([node('prepare')]);
  node('prepare').focus();
  key(document.activeElement, 'ArrowRight');
  expect(document.activeElement).toBe(node('train'));
  key(document.activeElement, 'ArrowDown');
  expect(document.activeElement).toBe(node('skip'));
  expect([...document.querySelectorAll('.pj-Run-node[tabindex="0"]')]).toEqual([node('skip')]);
  expect(details()).toContain('Condition: acc > 0.9 – not decided');
});

it('shows what is known of the step with the focus, and keeps it current', () => {
  mount();
  begin();
  node('train').focus();
  const tries = [
    { job: 'j0', status: 'failed', reason: 'exit code 1' },
    { job: 'j2', status: 'succeeded' }
  ];
  const parameters = { acc: '0.93' };
  source.push('run_changes', { steps: [runStep('train', { status: 'succeeded', job: 'j2', tries, parameters })] });
  expect(details()).toContain('acc = 0.93');
  expect(details()).toContain('Job j0 Failed · exit code 1');
  press('j0');
  expect(done).toEqual(['job j0']);
});

it('says what went into the run and what it has given, and which run of its name it is', () => {
  mount();
  begin();
  const values = (): string[] => [...document.querySelectorAll('.pj-Run-notes .pj-Run-values > div')].map(textsOf);
  expect(values()).toEqual([]);
  const inputs = { lr: '0.1', data: 'oss://b/iris.csv', '…': '+3' };
  source.push('run_changes', { run: runHead({ inputs, created: 0 }) });
  expect(values()).toEqual(['Inputs|lr = 0.1|data = oss://b/iris.csv|… +3']);
  source.push('run_changes', { run: runHead({ inputs, parameters: { acc: '0.9' }, artifacts: { model: '/m' } }) });
  expect(values().slice(1)).toEqual(['Outputs|acc = 0.9|model = /m']);
  expect(view().querySelector('.pj-Run-notes')?.textContent).toMatch(/r1 · started \d{4}-\d\d-\d\d \d\d:\d\d$/);
});

it('says what a step began with, and shows in the table what it has given', () => {
  mount();
  const ended = { status: 'succeeded', inputs: { lr: '0.1' }, parameters: { acc: '0.93' } } as const;
  begin([runStep('train', { ...ended, artifacts: { model: `/${'m'.repeat(300)}` } }), runStep('next')]);
  node('train').focus();
  const shown = [...document.querySelectorAll('.pj-Run-details .pj-Run-values > div')].map(textsOf);
  expect(shown[0]).toBe('Inputs|lr = 0.1');
  expect(shown[1]).toMatch(/^Outputs\|acc = 0.93\|model = \/m+…$/);
  press('Table');
  const heads = [...document.querySelectorAll('.pj-Run-table thead th')].map(one => one.textContent);
  const cell = row('train').children[heads.indexOf('Outputs')] as HTMLElement;
  expect(cell.textContent).toMatch(/^acc = 0.93, model = \/m{80,}…$/);
  expect(cell.title.length).toBeGreaterThan(300);
  source.push('run_changes', { steps: [runStep('next', { status: 'succeeded', parameters: { loss: '1' } })] });
  expect(row('next').children[heads.indexOf('Outputs')]?.textContent).toBe('loss = 1');
});

it('begins as a table above 60 steps, and as what was chosen from then on', () => {
  mount();
  begin(Array.from({ length: 61 }, (_, at) => runStep(`s${at}`)));
  expect([rows().length, labels('.pj-Run-node').length]).toEqual([61, 0]);
  press('Graph');
  source.push('run_changes', { steps: [runStep('new')] });
  expect(labels('.pj-Run-node').length).toBe(61);
});

it('is a table that opens in place, by keys', () => {
  mount();
  begin();
  press('Table');
  expect(rows()).toEqual(['prepare', 'train', 'nested', 'skip']);
  row('prepare').focus();
  key(document.activeElement, 'n');
  expect(row('nested').getAttribute('aria-expanded')).toBe('false');
  key(document.activeElement, 'ArrowRight');
  expect(source.opened).toEqual([['nested']]);
  source.push('run_changes', { steps: INNER });
  expect(rows()).toEqual(['prepare', 'train', 'nested', 'nested/x', 'nested/y', 'skip']);
  const place = ['aria-level', 'aria-posinset', 'aria-setsize'].map(name => row('nested/y').getAttribute(name));
  expect([row('nested').getAttribute('aria-expanded'), place]).toEqual(['true', ['2', '2', '2']]);
  key(document.activeElement, 'ArrowRight');
  expect(document.activeElement).toBe(row('nested/x'));
  key(document.activeElement, 'ArrowLeft');
  expect(document.activeElement).toBe(row('nested'));
  key(document.activeElement, 'ArrowLeft');
  expect([rows().length, source.opened.at(-1)]).toEqual([4, []]);
  key(document.activeElement, 'Home');
  key(document.activeElement, 'Enter');
  expect(done).toEqual(['job j1']);
});

it('says in the table what a skipped step had no job for', () => {
  mount();
  begin();
  press('Table');
  expect(row('skip').textContent).toContain('acc > 0.9 (not decided)');
  expect(row('skip').textContent).toContain('no job');
});

it('shows the executions of a loop as they begin', () => {
  mount();
  begin([runStep('loop', { kind: 'loop' })]);
  press('Table');
  expect(row('loop').hasAttribute('aria-expanded')).toBe(false);
  source.push('run_changes', { steps: [runStep('loop', { kind: 'loop', has_picture: true, counts: { running: 3 } })] });
  expect(row('loop').getAttribute('aria-expanded')).toBe('false');
  expect(row('loop').textContent).toContain('0/3 ✓ · 3 ●');
});

it('asks before it stops, with the focus on the harmless answer', async () => {
  mount();
  begin();
  press('Stop');
  expect(document.activeElement?.textContent).toBe('Keep running');
  press('Stop');
  await turns();
  expect(done).toEqual(['stop']);
  source.push('run_changes', { run: runHead({ is_stopping: true }) });
  expect(view().querySelector('.pj-JobView-state')?.textContent).toContain('Stopping…');
});

it('says why it cannot be stopped', async () => {
  refusal = 'No.';
  mount();
  begin();
  press('Stop');
  press('Stop');
  await turns();
  expect(view().querySelector('.pj-Run-asked [role=status]')?.textContent).toBe('No.');
});

it('runs again as it was at one click, and once where one clicks twice', async () => {
  mount();
  begin();
  press('Run again');
  press('Run again');
  await turns();
  expect(done).toEqual(['rerun {}']);
  press('Open');
  expect(done).toEqual(['rerun {}', 'run r2']);
});

it('runs again from the step that has the focus', async () => {
  mount();
  begin();
  node('train').focus();
  press('Run again with…');
  await turns();
  expect((document.activeElement as HTMLSelectElement).value).toBe('train');
  press('Run again');
  await turns();
  expect(done).toEqual(['rerun {"from_step":"train","parameters":{}}']);
  expect(view().textContent).toContain('The run was started again.');
});

it('does not run again by Escape', async () => {
  mount();
  begin();
  press('Run again with…');
  await turns();
  key(document.activeElement, 'Escape');
  await turns();
  expect([done, document.activeElement?.textContent]).toEqual([[], 'Run again with…']);
});

it('offers nothing that the host cannot do', () => {
  end = mountRunView(document.body, source, { host: { language: 'en' } });
  begin();
  const shown = [...view().querySelectorAll('.pj-JobView-header button')].filter(one => !(one as HTMLElement).hidden);
  expect(shown).toEqual([]);
});

it('says how the run ended, and stops counting', () => {
  vi.useFakeTimers();
  try {
    mount();
    begin();
    expect(vi.getTimerCount()).toBe(1);
    const run = runHead({ status: 'failed', reason: 'Step train failed.', ended: NOW, notes: ['a note'] });
    source.push('run_changes', { run: { ...run, parameters: { best: '0.93' } } });
    expect(vi.getTimerCount()).toBe(0);
    expect(view().querySelector('.pj-JobView-spoken')?.textContent).toBe('iris: Failed. Step train failed.');
    ['Step train failed.', 'a note', 'best = 0.93'].forEach(text => expect(view().textContent).toContain(text));
  } finally {
    vi.useRealTimers();
  }
});

it('shows hostile texts as texts', () => {
  mount();
  const evil = '<img src=x onerror=alert(1)>';
  const condition = { text: evil, label: evil, values: { [evil]: evil }, is_met: true };
  const values = { inputs: { [evil]: evil }, parameters: { [evil]: evil }, artifacts: { [evil]: evil } };
  begin([
    runStep(evil, {
      ...values,
      title: evil,
      reason: evil,
      condition,
      tries: [{ job: evil, status: evil, reason: evil }]
    })
  ]);
  source.push('run_changes', {
    run: runHead({ ...values, name: evil, notes: [evil], reason: evil, url: 'javascript:alert(1)' })
  });
  node(evil).focus();
  press('Table');
  expect(document.querySelectorAll('img, a').length).toBe(0);
  expect(view().textContent).toContain(evil);
});

it('says when the connection is lost', () => {
  mount();
  source.go('offline', 'There is no run r1.');
  expect(view().textContent).toContain('There is no run r1.');
});

it('leaves nothing behind', async () => {
  mount();
  begin();
  end();
  await eventually(() => expect([source.listenerCount, document.body.childElementCount]).toEqual([0, 0]));
});

it('lets a step stay under the mouse until the click: its details come with that', () => {
  mount();
  begin();
  const down = new MouseEvent('mousedown', { bubbles: true, cancelable: true });
  node('train').dispatchEvent(down);
  expect(down.defaultPrevented).toBe(true);
  node('train').click();
  expect(document.activeElement).toBe(node('train'));
  const ground = new MouseEvent('mousedown', { bubbles: true, cancelable: true });
  document.querySelector('.pj-Run-graph')?.dispatchEvent(ground);
  expect(ground.defaultPrevented).toBe(false);
});
