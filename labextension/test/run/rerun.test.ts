// @vitest-environment jsdom
import { beforeEach, expect, it } from 'vitest';

import { RerunForm } from '../../src/run/rerun.js';
import type { RunAgain, RunInput, RunRerunAsked } from '../../src/run/tokens.js';
import { runSay } from '../../src/run/translation.js';
import { turns } from '../turns.js';
import { runInput } from './runs.js';

const STARTED: RunAgain = { run: 'r2', name: 'iris', problems: [] };
let form: RerunForm;
let asked: RunRerunAsked[];
let answers: (RunAgain | Error)[];

beforeEach(() => {
  form = new RerunForm(runSay('en'), { label: 'Values', start: 'Run again' });
  document.body.replaceChildren(form.element);
  [asked, answers] = [[], []];
});

async function open(inputs: readonly RunInput[], chosen = ''): Promise<{ ended: Promise<RunAgain | null> }> {
  const rerun = async (given: RunRerunAsked): Promise<RunAgain> => {
    asked.push(given);
    await Promise.resolve();
    const answer = answers.shift() ?? STARTED;
    if (answer instanceof Error) {
      throw answer;
    }
    return answer;
  };
  const offered = { inputs: [...inputs], steps: ['train', 'nested', 'nested/x'] };
  const ended = form.ask({ inputs: () => Promise.resolve(offered), rerun }, chosen);
  await turns();
  return { ended };
}

function control(name: string): HTMLInputElement {
  const label = [...form.element.querySelectorAll('label')].find(one => one.textContent === name);
  return document.getElementById(label?.htmlFor ?? '') as HTMLInputElement;
}

async function press(label: string): Promise<void> {
  [...form.element.querySelectorAll('button')].find(one => one.textContent === label)?.click();
  await turns();
}

it('gives what was changed, and the step from which on', async () => {
  const fixed = runInput('token', { type: 'String', value: '***', is_fixed: true });
  const mode = runInput('mode', { type: 'String', value: 'fast', choices: ['fast', 'slow'] });
  const { ended } = await open([runInput('lr', { range: '(0, 1]' }), runInput('n'), fixed, mode], 'nested/x');
  expect(form.element.textContent).toContain('Double · (0, 1]');
  expect(control('token').disabled).toBe(true);
  control('lr').value = '0.5';
  control('mode').value = 'slow';
  await press('Run again');
  expect(asked).toEqual([{ from_step: 'nested/x', parameters: { lr: '0.5', mode: 'slow' } }]);
  expect(await ended).toEqual(STARTED);
  expect(form.element.hidden).toBe(true);
});

it('begins at the step that holds one that cannot be chosen', async () => {
  await open([], 'nested/[1]/y');
  expect(form.element.querySelector('select')?.value).toBe('nested');
});

it('says at its field what is wrong with a value, until that is changed', async () => {
  const problem = { name: 'lr', text: 'It must be in (0, 1].' };
  answers = [{ run: '', name: '', problems: [problem, { name: 'gone', text: 'There is no such input.' }] }];
  await open([runInput('n'), runInput('lr')]);
  control('lr').value = '7';
  await press('Run again');
  const field = control('lr');
  expect([document.activeElement, field.getAttribute('aria-invalid')]).toEqual([field, 'true']);
  expect(document.getElementById(`${field.id}-error`)?.textContent).toBe('It must be in (0, 1].');
  expect(form.element.querySelector('.pj-JobView-trouble')?.textContent).toBe('There is no such input.');
  field.value = '0.7';
  field.dispatchEvent(new Event('input', { bubbles: true }));
  expect(field.getAttribute('aria-invalid')).toBe('false');
  await press('Run again');
  expect(form.element.hidden).toBe(true);
});

it('says why nothing was started, and stays open', async () => {
  answers = [new Error('The disk is full.')];
  await open([]);
  await press('Run again');
  expect([form.element.hidden, form.element.textContent?.includes('The disk is full.')]).toEqual([false, true]);
});

it('says why it cannot be opened', async () => {
  const refusing = (): Promise<never> => Promise.reject(new Error('There is no run r1.'));
  const ended = form.ask({ inputs: refusing, rerun: refusing }, '');
  await turns();
  expect(form.element.textContent).toContain('There is no run r1.');
  await press('Close');
  expect(await ended).toBe(null);
});

it('gives places a line each, and shows hostile texts as texts', async () => {
  const evil = '<img src=x onerror=alert(1)>';
  const inputs = [runInput('data', { type: '', value: '/a\n/b', is_list: true }), runInput(evil, { value: evil })];
  await open(inputs);
  expect(control('data').tagName).toBe('TEXTAREA');
  control('data').value = '/c';
  expect(document.querySelectorAll('img').length).toBe(0);
  await press('Run again');
  expect(asked[0]?.parameters).toEqual({ data: '/c' });
});
