// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { ComponentList } from '../../src/component/section.js';
import type { OpenableForm } from '../../src/panel/openform.js';
import type { ComponentRow } from '../../src/panel/protocol.js';
import type { Query, Rest } from '../../src/panel/rest.js';
import type { StepComponentRow } from '../../src/wire/schema.js';
import { RequestError } from '../../src/wire/protocol.js';
import { fakePanel, FakeList } from '../panel/rows.js';
import { runInput } from '../run/runs.js';
import { turns } from '../turns.js';

const componentRow = (name: string, changes: Partial<ComponentRow> = {}): ComponentRow => ({
  name,
  version: '1.0.0',
  versions: ['1.0.0'],
  next_version: '1.0.1',
  is_registered: false,
  description: '',
  job_type: 'PyTorchJob',
  image: '',
  source: '',
  problem: '',
  ...changes
});

const stepRow = (name: string, versions: readonly string[] = ['v1']): StepComponentRow => {
  return { name, versions: [...versions], kind: 'job', about: 'TFJob · train.py', inputs: ['lr'], outputs: ['model'] };
};

let rows: ComponentRow[];
let steps: StepComponentRow[];
let refusal: string;
let heard: string[];
let section: ComponentList;
let opened: OpenableForm<unknown>[];

const take = async <T>(method: string, path: string, query: Query, answer: T): Promise<T> => {
  heard.push([method, path, ...Object.entries(query).map(pair => pair.join('='))].join(' '));
  await Promise.resolve();
  if (refusal) {
    throw new RequestError(refusal, 'SpecError');
  }
  return answer;
};

beforeEach(() => {
  vi.useFakeTimers();
  [rows, refusal, heard, opened] = [[componentRow('a'), componentRow('b')], '', [], []];
  steps = [];
  const rest = {
    get: (path: string, query: Query = {}) => {
      const isSaved = query['saved'] === 'true';
      const shown = {
        ...rows[0],
        form: { name: 'a', version: '1.0.0', job_type: 'PyTorchJob' },
        files: [],
        values: []
      };
      const all = { components: rows.filter(row => !(isSaved && row.is_registered)), steps, problem: '' };
      const inputs = { inputs: [runInput('lr')], steps: [] };
      const answers: Record<string, unknown> = { components: all, 'component/step': inputs };
      return take('GET', path, query, answers[path] ?? shown);
    },
    post: (path: string, body: object = {}) =>
      take('POST', path, {}, { version: '1.0.0', path: '', notes: ['a note.'], ...body, run: 'r9', problems: [] }),
    remove: (path: string, query: Query = {}) => {
      rows = rows.filter(({ name }) => name !== query['name']);
      steps = steps.filter(({ name }) => name !== query['name']);
      return take('DELETE', path, query, {});
    }
  } as unknown as Rest;
  const openForm = async (_: string, form: OpenableForm<unknown>): Promise<null> => {
    opened.push(form);
    return null;
  };
  const openRun = (run: string): void => void heard.push(`open ${run}`);
  section = new ComponentList({ ...fakePanel(new FakeList()), rest, openForm: openForm as never, openRun });
  document.body.replaceChildren(section.element);
});
afterEach(() => {
  section.dispose();
  opened.forEach(form => form.dispose());
  vi.useRealTimers();
});

async function shown(): Promise<void> {
  section.show(true);
  await vi.advanceTimersByTimeAsync(10);
  await turns();
}

function card(name: string): HTMLElement {
  return [...section.element.querySelectorAll('li')].find(one => one.textContent?.startsWith(name)) as HTMLElement;
}

function names(): (string | null | undefined)[] {
  return [...section.element.querySelectorAll('strong')].map(one => one.textContent);
}

async function press(within: HTMLElement, label: string): Promise<void> {
  const found = [...within.querySelectorAll('button')].find(one => one.textContent === label);
  found?.focus();
  found?.click();
  await turns();
}

const said = (within: HTMLElement): string | null | undefined => within.querySelector('[role=status]')?.textContent;

it('says at the card how it went there, and nowhere else', async () => {
  await shown();
  await press(card('b'), 'Register');
  expect(said(card('b'))).toBe('b 1.0.0 is registered. a note.');
  expect([said(card('a')), said(section.element)]).toEqual(['', '']);
  refusal = 'No.';
  await press(card('a'), 'Register');
  expect([said(card('a')), said(card('b'))]).toEqual(['No.', '']);
});

it('gives the focus to the next card when one was deleted, and to the first button after the last', async () => {
  await shown();
  await press(card('a'), 'Delete');
  await press(section.element, 'Delete 1.0.0');
  await turns();
  expect([names(), document.activeElement]).toEqual([['b'], card('b')]);
  expect(said(section.element)).toBe('a 1.0.0 is deleted.');
  await press(card('b'), 'Delete');
  await press(section.element, 'Delete 1.0.0');
  await turns();
  expect([names(), document.activeElement?.textContent]).toEqual([[], 'New Component…']);
});

it('lists components of pipelines and runs the version that is chosen, with what is typed', async () => {
  steps = [stepRow('train', ['v2', 'v 1'])];
  await shown();
  expect(card('train').textContent).toContain('custom job for pipelines');
  expect(card('train').textContent).toContain('TFJob · train.py');
  expect(card('train').textContent).toContain('lr → model');
  (card('train').querySelector('select') as HTMLSelectElement).value = 'v 1';
  await press(card('train'), 'Run…');
  expect(heard).toContain('GET component/step name=train version=v 1');
  const field = card('train').querySelector('input') as HTMLInputElement;
  expect(document.activeElement).toBe(field);
  field.value = '0.7';
  await press(card('train').querySelector('.pj-Run-rerun') as HTMLElement, 'Run');
  expect(heard).toContain('POST component/step/run');
  expect(card('train').textContent).toContain('Run train has started.');
  await press(card('train'), 'Open');
  expect(heard.at(-1)).toBe('open r9');
});

it('copies the line of Python that loads a component', async () => {
  const copied: string[] = [];
  vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } });
  steps = [stepRow('say "hi"')];
  await shown();
  await press(card('say'), 'Copy Python Line');
  expect(copied).toEqual(['RegisteredComponent.get_by_identifier("say \\"hi\\"", version="v1")']);
  expect(card('say').textContent).toContain('Copied');
  vi.unstubAllGlobals();
});

it('deletes a version of a component of pipelines once that is confirmed, or says why it cannot', async () => {
  steps = [stepRow('train')];
  await shown();
  refusal = 'No.';
  await press(card('train'), 'Delete');
  await press(card('train').querySelector('.pj-JobView-confirm') as HTMLElement, 'Delete');
  expect(card('train').textContent).toContain('No.');
  refusal = '';
  await press(card('train'), 'Delete');
  await press(card('train').querySelector('.pj-JobView-confirm') as HTMLElement, 'Delete');
  await turns();
  expect([names(), said(section.element)]).toEqual([['a', 'b'], 'train v1 is deleted.']);
});

it('shows what was saved elsewhere, without asking the workspace again and again', async () => {
  rows.push(componentRow('there', { is_registered: true }));
  await shown();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(heard.filter(one => one === 'GET components')).toHaveLength(1);
  expect(heard.filter(one => one === 'GET components saved=true').length).toBeGreaterThan(2);
  steps.push(stepRow('of steps'));
  rows.unshift(componentRow('new'));
  await vi.advanceTimersByTimeAsync(10_000);
  await turns();
  expect(names()).toEqual(['new', 'a', 'b', 'there', 'of steps']);
  expect(heard.filter(one => one === 'GET components')).toHaveLength(2);
  section.show(false);
  const before = heard.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(heard.length).toBe(before);
});
