// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { render } from '../../src/run/widget.js';
import type { RunPushed } from '../../src/run/tokens.js';
import { picture, pushed, runHead, runStep } from './runs.js';
import { Kernel } from '../wire/kernel.js';

const STEPS = [
  runStep('train', { status: 'running', job: 'j7', tries: [{ job: 'j7', status: 'running' }] }),
  runStep('publish')
];
const begun = (changes: Partial<RunPushed> = {}): RunPushed =>
  pushed('run', { run: runHead(), steps: STEPS, pictures: [picture('', ['train', 'publish'])], ...changes });

let kernel: Kernel;
let el: HTMLElement;
let ends: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers();
  kernel = new Kernel({ job: 'r1', language: 'en', first: begun() });
  el = document.createElement('div');
  document.body.replaceChildren(el);
  ends = [];
});
afterEach(() => {
  ends.forEach(end => end());
  vi.useRealTimers();
});

function mount(): void {
  ends.push(render({ model: kernel, el }));
}

function tell(push: RunPushed): void {
  kernel.deliver({ body: { ...push, view: '' }, buffers: [] });
}

async function press(label: string): Promise<void> {
  const found = [...el.querySelectorAll('button')].filter(one => !one.hidden && one.textContent === label);
  found.at(-1)?.click();
  await vi.advanceTimersByTimeAsync(1);
}

const nodes = (): number => el.querySelectorAll('.pj-Run-node').length;

it('draws from what the kernel knew, before any answer, and goes on by pushes that name no view', () => {
  mount();
  expect([nodes(), kernel.kinds()[0]]).toEqual([2, 'watch_run']);
  tell(pushed('run_changes', { seq: 1, run: runHead({ status: 'failed', reason: 'Step train failed.' }) }));
  expect(el.textContent).toContain('Step train failed.');
});

it('waits for a push where the kernel knew nothing', () => {
  kernel.traits['first'] = {};
  mount();
  expect(nodes()).toBe(0);
  tell(begun());
  expect(nodes()).toBe(2);
});

it('is stopped over the comm, once that is confirmed', async () => {
  mount();
  await press('Stop');
  await press('Stop');
  expect(kernel.last('stop_run')).toMatchObject({ job: 'r1' });
});

it('is run again over the comm, as it was and with other values', async () => {
  mount();
  await press('Run again');
  kernel.answer('rerun_run', { run: 'r2', name: 'iris', problems: [] });
  await vi.advanceTimersByTimeAsync(1);
  await press('Open');
  expect(el.querySelector('.pj-Run-hint')?.textContent).toContain('%pai_runs r2');
  await press('Run again with…');
  kernel.answer('run_inputs', { inputs: [], steps: ['train'] });
  await vi.advanceTimersByTimeAsync(1);
  await press('Run again');
  expect(kernel.last('rerun_run')).toMatchObject({ job: 'r1', from_step: null, parameters: {} });
});

it('says what to type to see the job of a step', () => {
  mount();
  el.querySelector<HTMLElement>('.pj-Run-node')?.click();
  const hint = el.querySelector('.pj-Run-hint');
  expect(hint?.querySelector('code')?.textContent).toBe('%pai_attach j7');
});

it('takes no more than a word for the name of a job', () => {
  const job = 'j7\nimport os';
  kernel.traits['first'] = begun({ steps: [runStep('train', { job, tries: [{ job, status: 'running' }] })] });
  mount();
  el.querySelector<HTMLElement>('.pj-Run-node')?.click();
  expect(el.querySelector('.pj-Run-hint code')?.textContent ?? '').not.toContain('\n');
});

it('says what to do when the kernel is gone, in the language that it is told', () => {
  kernel.traits['language'] = 'zh';
  mount();
  kernel.trigger('comm_live_update');
  expect(el.querySelector('.pj-JobView-connection')?.textContent).toMatch(/内核.*%pai_runs r1/);
});

it('leaves nothing behind', () => {
  render({ model: kernel, el })();
  expect([kernel.listenerCount, kernel.kinds().at(-1), el.childElementCount]).toEqual([0, 'bye', 0]);
  expect(vi.getTimerCount()).toBe(0);
});
