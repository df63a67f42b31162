// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it } from 'vitest';

import { RunEditor } from '../../src/component/run.js';
import { componentSay } from '../../src/component/translation.js';
import type { ComponentAnswer, HyperparameterRow } from '../../src/panel/protocol.js';
import { RequestError } from '../../src/wire/protocol.js';
import { turns } from '../turns.js';

const ROW: HyperparameterRow = {
  name: 'lr',
  kind: 'float',
  default: 0.1,
  minimum: 0,
  maximum: 1,
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
  range: '0 – 1',
  default_text: '0.1',
  rule: 'lr must be a number between 0 and 1'
};
const COMPONENT: ComponentAnswer = {
  name: 'iris',
  version: '1.0.0',
  versions: ['1.0.0'],
  next_version: '1.0.1',
  is_registered: false,
  form: {
    name: 'iris',
    version: '1.0.0',
    job_type: 'PyTorchJob',
    inputs: [{ name: 'train' }, { name: 'test', required: false }],
    outputs: [{ name: 'model' }],
    parameters: [
      { name: 'lr', type: 'Float', default: 0.1 },
      { name: 'label', type: 'String', required: true }
    ]
  },
  files: [],
  values: [ROW, { ...ROW, name: 'label', kind: 'str', default: null, minimum: null, maximum: null }]
};

let editor: RunEditor;
let heard: Record<string, unknown>[];
let refusal: string;

beforeEach(() => {
  [heard, refusal] = [[], ''];
});
afterEach(() => editor.dispose());

async function open(changes: Partial<ComponentAnswer> = {}): Promise<void> {
  const rest = {
    get: <T>(): Promise<T> => Promise.resolve({ backends: [], images: [], instances: [] } as T),
    post: <T>(_: string, body: object = {}): Promise<T> => {
      heard.push(body as Record<string, unknown>);
      return refusal
        ? Promise.reject(new RequestError(refusal, 'SpecError'))
        : Promise.resolve({ job: 'j1', name: 'iris-1', notes: [] } as T);
    }
  };
  editor = new RunEditor({ say: componentSay('en'), rest, component: { ...COMPONENT, ...changes } });
  document.body.replaceChildren(editor.element);
  await turns();
}

function control(label: string): HTMLInputElement {
  const found = [...editor.element.querySelectorAll('label')].find(one => one.textContent?.trim() === label);
  return (found?.querySelector('input') ?? editor.element.querySelector(`#${found?.htmlFor}`)) as HTMLInputElement;
}

function type(label: string, text: string): void {
  control(label).value = text;
  control(label).dispatchEvent(new Event('input', { bubbles: true }));
}

function alerts(): string[] {
  return [...editor.element.querySelectorAll('[role=alert]')].map(one => one.textContent ?? '').filter(Boolean);
}

it('says what is missing when the run is wanted, and starts nothing', async () => {
  await open();
  expect([alerts(), editor.refusal()]).toEqual([[], '']);
  expect(await editor.submit()).toBeNull();
  expect(alerts()).toEqual([
    'This input needs a place, e.g. ./data or oss://bucket/data/',
    'This parameter needs a value.'
  ]);
  expect([heard, document.activeElement]).toEqual([[], control('train')]);
  type('train', './data');
  type('label', 'x');
  expect([alerts(), editor.refusal()]).toEqual([[], '']);
  type('lr', '7');
  expect(alerts()).toEqual(['lr must be a number between 0 and 1']);
});

it('sends what was given, and no defaults', async () => {
  await open();
  for (const [label, text] of [
    ['train', ' ./data '],
    ['label', 'x'],
    ['Instance count', '2']
  ] as const) {
    type(label, text);
  }
  control('run although its code or image has changed since it was saved').checked = true;
  expect((await editor.submit())?.job).toBe('j1');
  expect(heard).toEqual([
    {
      name: 'iris',
      version: '1.0.0',
      registered: false,
      inputs: { train: './data' },
      outputs: {},
      values: { label: 'x' },
      job_name: null,
      backend: null,
      instance_type: null,
      instance_count: 2,
      accepts_changes: true
    }
  ]);
});

it('of a registered one has no backend to be chosen, and no changes to be accepted', async () => {
  await open({ is_registered: true });
  const labels = [...editor.element.querySelectorAll('label')].map(one => one.textContent?.trim());
  expect(labels).toEqual(['Name', 'Instance type', 'Instance count', 'train', 'test', 'model', 'lr', 'label']);
});

it('stays as it is where the server refuses', async () => {
  refusal = 'the code is not the one with which iris 1.0.0 was saved.';
  await open();
  type('train', './data');
  type('label', 'x');
  expect(await editor.submit()).toBeNull();
  expect(alerts()).toEqual([refusal]);
  expect(control('train').value).toBe('./data');
});

it('says what is wrong with a value while it is typed, and of no other field', async () => {
  await open();
  type('lr', '7');
  expect([alerts(), editor.refusal()]).toEqual([['lr must be a number between 0 and 1'], 'Fix the errors above']);
  type('lr', '0.5');
  expect([alerts(), editor.refusal(), heard]).toEqual([[], '', []]);
});

it('says that a field was left without what it needs, unless it was left for a button', async () => {
  await open();
  control('train').focus();
  control('train').blur();
  expect(alerts()).toEqual([]);
  control('train').focus();
  control('test').focus();
  expect(alerts()).toEqual(['This input needs a place, e.g. ./data or oss://bucket/data/']);
  expect(control('train').getAttribute('aria-invalid')).toBe('true');
});

it('shows each sentence of the server at its field, in words of the form, until the field is changed', async () => {
  refusal = [
    "input 'train': there is no /nope. Give a file or directory that exists: -i train=PATH",
    "`instance_type` is 'foo b' but backend 'process' runs only 'local'. Use --backend pai, or --instance-type local.",
    'the code has changed.',
    'To run it as it is now, add --accept-changes.'
  ].join('\n');
  await open();
  type('train', '/nope');
  type('label', 'x');
  type('Instance type', 'foo b');
  expect(await editor.submit()).toBeNull();
  const said = (label: string): string | undefined =>
    control(label).closest('.pj-JobView-formRow')?.querySelector('[role=alert]')?.textContent ?? undefined;
  expect(said('train')).toBe("input 'train': there is no /nope. Give a file or directory that exists.");
  expect(said('Instance type')).toBe(
    "Instance type is 'foo b' but backend 'process' runs only 'local'. Use Backend: pai, or Instance type: local."
  );
  expect(alerts().at(-1)).toBe('the code has changed. To run it as it is now, tick the box above.');
  expect([editor.refusal(), document.activeElement]).toEqual(['', control('Instance type')]);
  type('train', '/there');
  expect([said('train'), said('Instance type') === '']).toEqual(['', false]);
  type('Instance type', 'local');
  expect(said('Instance type')).toBe('');
});

it('is changed once something was typed into it', async () => {
  await open();
  expect(editor.isChanged).toBe(false);
  type('lr', '0.2');
  expect(editor.isChanged).toBe(true);
});
