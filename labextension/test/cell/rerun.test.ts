// @vitest-environment jsdom
import { afterEach, describe, expect, it } from 'vitest';

import { RerunForm } from '../../src/cell/rerun.js';
import type { RerunFormAnswer } from '../../src/panel/protocol.js';
import { panelSay } from '../../src/panel/translation.js';
import { turns } from '../turns.js';

const ANSWER: RerunFormAnswer = {
  hyperparameters: [
    {
      name: 'lr',
      kind: 'float',
      default: 0.01,
      minimum: null,
      maximum: null,
      open_minimum: false,
      open_maximum: false,
      nullable: false,
      step: null,
      is_log: false,
      choices: [],
      help: '',
      line: 1,
      is_offered: false,
      commands: [],
      chosen_by: '',
      required: false,
      is_given: false,
      range: '',
      default_text: '0.01',
      rule: 'lr must be a number'
    }
  ],
  inputs: [],
  taken: [],
  values: [],
  assigned: [],
  findings: [],
  line: '%%pai_train iris --wait --send df --backend process -p lr=0.5'
};

let form: RerunForm;
let posted: unknown[];

async function open(post: () => Promise<unknown>): Promise<void> {
  posted = [];
  const rest = {
    get: <T>() => Promise.resolve({ backends: [], profile: '', settings: [] } as T),
    post: <T>(path: string, body?: object): Promise<T> => {
      posted.push([path, body]);
      return post() as Promise<T>;
    }
  };
  form = new RerunForm(panelSay('en'), rest, 'jobs/j1', ANSWER);
  document.body.append(form.element);
  await turns();
}

afterEach(() => {
  form.dispose();
  document.body.replaceChildren();
});

function type(label: string, text: string): void {
  const found = [...document.querySelectorAll('label')].find(one => one.textContent === label);
  const made = document.getElementById(found?.htmlFor ?? '') as HTMLInputElement;
  made.value = text;
  made.dispatchEvent(new Event('input', { bubbles: true }));
}

describe('the form of a rerun', () => {
  it('says what the job ran with, and what was changed', async () => {
    await open(() => Promise.resolve({ job: 'j2', name: 'iris-2' }));
    expect([form.isChanged, form.refusal()]).toEqual([false, '']);
    type('lr', '0.25');
    expect(form.isChanged).toBe(true);
    expect(await form.submit()).toEqual({ job: 'j2', name: 'iris-2' });
    const line = '%%pai_train iris --wait --send df --backend process -p lr=0.25';
    expect(posted).toEqual([['jobs/j1/rerun', { line }]]);
  });

  it('has nothing of the code, which stays', async () => {
    await open(() => Promise.resolve({}));
    const titles = [...document.querySelectorAll('h3')].map(one => one.textContent);
    expect(titles).toEqual(['Hyperparameters', 'Inputs', 'Run on', 'Magic line']);
  });

  it('says why the server refuses, until something is changed', async () => {
    await open(() => Promise.reject(new Error('The package of the job is gone.')));
    expect(await form.submit()).toBeNull();
    const trouble = (): string => form.element.lastElementChild?.textContent ?? '';
    expect(trouble()).toBe('The package of the job is gone.');
    type('lr', 'x');
    expect([trouble(), form.refusal()]).toEqual(['', 'Fix the errors above']);
  });
});
