// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { ComponentEditor, type EditorOptions, REGISTER, SAVE } from '../../src/component/editor.js';
import { valueOf } from '../../src/component/parameters.js';
import { componentSay } from '../../src/component/translation.js';
import type { ComponentForm, ComponentProblemRow, ComponentProblems } from '../../src/panel/protocol.js';
import { RequestError } from '../../src/wire/protocol.js';
import { turns } from '../turns.js';

type Asked = { form: Record<string, unknown>; files_of?: unknown; register?: boolean };

const FORM: ComponentForm = { name: 'iris', version: '1.0.0', job_type: 'PyTorchJob' };
const wrong = (field: string, changes: Partial<ComponentProblemRow> = {}): ComponentProblemRow => ({
  field,
  index: null,
  text: `${field} is wrong.`,
  severity: 'error',
  on_pai: false,
  ...changes
});

/** The server: what it finds, and what it was asked. */
class Server {
  problems: ComponentProblemRow[] = [];
  command = 'python main.py';
  next_version = '1.0.0';
  refusal = '';
  isCut = false;
  readonly heard: [path: string, body: Asked][] = [];

  get<T>(): Promise<T> {
    return Promise.resolve({ images: [] } as T);
  }

  post<T>(path: string, body: object = {}): Promise<T> {
    this.heard.push([path, body as Asked]);
    if (path === 'components') {
      return this.refusal
        ? Promise.reject(new RequestError(this.refusal, 'SpecError'))
        : Promise.resolve({ name: 'iris', version: '1.0.0', path: '', notes: [] } as T);
    }
    if (this.isCut) {
      return Promise.reject(new RequestError('The Jupyter server cannot be reached.', 'Unreachable'));
    }
    const { problems, command, next_version } = this;
    return Promise.resolve({ problems, command, next_version } satisfies ComponentProblems as T);
  }

  get last(): Record<string, unknown> {
    return this.heard.at(-1)?.[1].form ?? {};
  }
}

let server: Server;
let editor: ComponentEditor;

beforeEach(() => {
  vi.useFakeTimers();
  server = new Server();
});
afterEach(() => {
  editor.dispose();
  vi.useRealTimers();
});

async function open(form: Partial<ComponentForm> = {}, options: Partial<EditorOptions> = {}): Promise<void> {
  const say = componentSay('en');
  const proposed = (): undefined => undefined;
  editor = new ComponentEditor({
    say,
    rest: server,
    form: { ...FORM, ...form },
    of: null,
    files: [],
    proposed,
    ...options
  });
  document.body.replaceChildren(editor.element);
  await turns();
}

/** A control by its visible label. */
function control(label: string): HTMLInputElement {
  const found = [...editor.element.querySelectorAll('label')].find(one => one.textContent?.trim() === label);
  return (found?.querySelector('input') ?? editor.element.querySelector(`#${found?.htmlFor}`)) as HTMLInputElement;
}

async function type(target: HTMLInputElement, text: string): Promise<void> {
  target.value = text;
  target.dispatchEvent(new Event('input', { bubbles: true }));
  await vi.advanceTimersByTimeAsync(500);
  await turns();
}

function press(label: string): void {
  [...editor.element.querySelectorAll('button')].find(one => one.textContent === label)?.click();
}

function alerts(): string[] {
  return [...editor.element.querySelectorAll('[role=alert]')].map(one => one.textContent ?? '').filter(Boolean);
}

it('asks once after a pause, whatever was typed', async () => {
  await open();
  const before = server.heard.length;
  for (const text of ['a', 'ab', 'abc']) {
    control('Name').value = text;
    control('Name').dispatchEvent(new Event('input', { bubbles: true }));
    await vi.advanceTimersByTimeAsync(100);
  }
  await vi.advanceTimersByTimeAsync(500);
  expect(server.heard.slice(before).map(([path, { form }]) => [path, form['name']])).toEqual([
    ['component/problems', 'abc']
  ]);
});

it('shows every sentence at its field or row, and below what has none', async () => {
  server.problems = [
    wrong('image'),
    wrong('inputs', { index: 1 }),
    wrong('elsewhere'),
    wrong('region', { severity: 'warning' })
  ];
  await open({ inputs: [{ name: 'a' }, { name: 'b' }] });
  expect(control('Image').getAttribute('aria-invalid')).toBe('true');
  const invalid = [...editor.element.querySelectorAll<HTMLInputElement>('[aria-invalid=true]')].map(one => one.value);
  expect(invalid).toEqual(['', 'b']);
  expect(alerts()).toEqual(['image is wrong.', 'inputs is wrong.', 'elsewhere is wrong.']);
  expect(editor.element.textContent).toContain('region is wrong.');
});

it('can be saved but not registered where PAI alone refuses', async () => {
  server.problems = [wrong('image', { on_pai: true })];
  await open();
  expect([editor.refusal(SAVE), editor.refusal(REGISTER)]).toEqual(['', 'Fix the errors above']);
  expect(alerts()).toEqual([]);
});

it('sends nothing that is wrong, though nobody has paused', async () => {
  await open();
  server.problems = [wrong('name')];
  expect(await editor.submit(SAVE)).toBeNull();
  expect(server.heard.map(([path]) => path)).not.toContain('components');
  expect(document.activeElement).toBe(control('Name'));
});

it('checks again by itself what got no answer', async () => {
  server.problems = [wrong('name')];
  await open();
  server.problems = [];
  server.isCut = true;
  await type(control('Name'), 'abc');
  expect([editor.refusal(SAVE), alerts().at(-1)]).toEqual([
    'Fix the errors above',
    'The Jupyter server cannot be reached.'
  ]);
  server.isCut = false;
  await vi.advanceTimersByTimeAsync(2_500);
  await turns();
  expect([editor.refusal(SAVE), alerts()]).toEqual(['', []]);
});

it('stays as it is where the server refuses', async () => {
  server.refusal = 'There is no git here.';
  await open();
  expect(await editor.submit(REGISTER)).toBeNull();
  expect(alerts()).toEqual(['There is no git here.']);
  expect(server.heard.at(-1)?.[1].register).toBe(true);
});

it('follows the default command until it is changed, and again once it is emptied', async () => {
  await open();
  expect([control('Command').value, server.last['command']]).toEqual(['python main.py', '']);
  server.command = 'python main.py --train x';
  await type(control('Name'), 'b');
  expect(control('Command').value).toBe('python main.py --train x');
  await type(control('Command'), 'bash run.sh');
  await type(control('Name'), 'c');
  expect([control('Command').value, server.last['command']]).toEqual(['bash run.sh', 'bash run.sh']);
  await type(control('Command'), '');
  expect(control('Command').value).toBe('python main.py --train x');
});

it('proposes the next version of a name until one is typed', async () => {
  await open({}, { proposed: name => (name === 'taken' ? '2.0.1' : undefined) });
  await type(control('Name'), 'taken');
  expect(control('Version').value).toBe('2.0.1');
  await type(control('Version'), '3.0.0');
  await type(control('Name'), 'other');
  expect(control('Version').value).toBe('3.0.0');
});

it('keeps what it has no control for, and the files of the version that it was made of', async () => {
  const of = { name: 'iris', version: '1.0.0' };
  const parameter = { name: 'lr', type: 'Float', minimum: 0, maximum: 1, open_minimum: true, description: 'a rate' };
  const inputs = [{ name: 'train', sources: ['NAS'], description: 'rows' }];
  await open({ inputs, parameters: [parameter] }, { of, files: ['main.py'] });
  const [, asked] = server.heard.at(-1) ?? [];
  expect(asked?.files_of).toEqual(of);
  expect(asked?.form['inputs']).toEqual([{ ...inputs[0], required: true }]);
  expect(asked?.form['parameters']).toEqual([{ ...parameter, required: false }]);
  expect(control('Name').hasAttribute('readonly')).toBe(true);
  expect(editor.element.textContent).toContain('It keeps its own files: main.py');
  await type(control('Minimum'), '0.5');
  expect(server.last['parameters']).toEqual([{ ...parameter, minimum: 0.5, open_minimum: false, required: false }]);
});

it('has a description of every channel and parameter', async () => {
  await open({
    inputs: [{ name: 'train' }],
    outputs: [{ name: 'model' }],
    parameters: [{ name: 'lr', type: 'Float' }]
  });
  const boxes = [...editor.element.querySelectorAll<HTMLInputElement>('[role=group] .pj-JobView-about')];
  expect(boxes.map(box => box.closest('label')?.textContent)).toEqual(Array(3).fill('Description'));
  for (const [at, box] of boxes.entries()) {
    await type(box, ` about ${at} `);
  }
  const said = ['inputs', 'outputs', 'parameters'].map(name => (server.last[name] as { description: string }[])[0]);
  expect(said.map(one => one?.description)).toEqual(['about 0', 'about 1', 'about 2']);
  await type(boxes[0] as HTMLInputElement, '');
  expect(server.last['inputs']).toEqual([{ name: 'train', required: true }]);
});

it('has branch and commit for repositories alone, and cards for GPUs alone', async () => {
  await open({ source: 'code', branch: 'main' });
  expect([server.last['source'], 'branch' in server.last]).toEqual(['code', false]);
  await type(control('Code'), 'git@host:me/r.git');
  expect(server.last['branch']).toBe('main');
  await type(control('Machines'), 'GPU');
  control('uses several GPUs of a machine').checked = true;
  await type(control('Name'), 'b');
  expect(server.last['constraint']).toEqual({ machine: 'GPU', several_machines: true, several_cards: true });
  await type(control('Machines'), 'CPU');
  expect(server.last['constraint']).toEqual({ machine: 'CPU', several_machines: true, several_cards: false });
});

it('adds and removes rows, and a range that is none is said at once', async () => {
  await open();
  press('Add a parameter');
  await type(control('Minimum'), 'low');
  expect(alerts()).toEqual(['A range needs numbers.']);
  expect(editor.refusal(SAVE)).not.toBe('');
  press('Remove');
  await vi.advanceTimersByTimeAsync(500);
  expect([server.last['parameters'], editor.refusal(SAVE)]).toEqual([[], '']);
  expect(document.activeElement?.textContent).toBe('Add a parameter');
});

it('is changed by whoever types or adds a row, and not by what is proposed', async () => {
  await open();
  expect([control('Command').value, editor.isChanged]).toEqual(['python main.py', false]);
  press('Add an input');
  expect(editor.isChanged).toBe(true);
});

it.each([
  ['3', 'Int', 3],
  ['3.5', 'Int', '3.5'],
  ['9007199254740993', 'Int', '9007199254740993'],
  ['1e-3', 'Float', 0.001],
  ['nan', 'Float', 'nan'],
  ['True', 'Bool', true],
  ['maybe', 'Bool', 'maybe'],
  [' a ', 'String', ' a ']
])('reads %j as a value of type %s', (text, kind, value) => {
  expect(valueOf(text, kind)).toBe(value);
});
