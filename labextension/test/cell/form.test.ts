// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { askAbout, CellForm } from '../../src/cell/form.js';
import { parseLine } from '../../src/cell/magicline.js';
import type { HyperparameterRow, SchemaAnswer } from '../../src/panel/protocol.js';
import { panelSay } from '../../src/panel/translation.js';
import { RequestError } from '../../src/wire/protocol.js';
import { FORM_SECTIONS } from '../../src/wire/schema.js';
import { turns } from '../turns.js';

function row(name: string, kind: HyperparameterRow['kind'], more: Partial<HyperparameterRow> = {}): HyperparameterRow {
  return {
    name,
    kind,
    default: null,
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
    default_text: String(more.default ?? ''),
    rule: `${name} must be right`,
    ...more
  };
}

const LR_RULE = 'lr must be a number between 1e-05 and 1';
const LR = row('lr', 'float', { default: 0.01, minimum: 1e-5, maximum: 1, help: 'learning rate', rule: LR_RULE });

/** The server: what it answers, and what it was asked. */
class Server {
  schema: SchemaAnswer = { hyperparameters: [LR], inputs: [], taken: [], values: [], assigned: [], findings: [] };
  heard: string[] = [];
  answers: Record<string, object> = {
    backends: {
      backends: [
        { name: 'process', is_ready: true, note: 'here', is_emulator: false },
        { name: 'docker', is_ready: false, note: 'Docker does not answer. Start it.', is_emulator: false },
        { name: 'farm', title: 'Render farm', is_ready: null, note: '', is_emulator: false, instances: ['farm.small'] }
      ],
      profile: '',
      settings: []
    },
    images: { images: [{ short_name: 'pytorch:2', details: 'PyTorch · Python 3.11' }] },
    instances: {
      instances: [
        { name: 'ecs.gone', is_available: false, details: '1 CPU · 2 GiB · out of stock' },
        { name: 'ecs.c6.large', is_available: true, details: '2 CPU · 4 GiB · in stock' }
      ]
    }
  };

  async get<T>(path: string): Promise<T> {
    this.heard.push(path);
    const answer = this.answers[path];
    if (!answer) {
      throw new RequestError('No credentials. Type %pai_config wizard.', 'AuthError');
    }
    return answer as T;
  }

  async post<T>(path: string, body: object = {}): Promise<T> {
    this.heard.push(`${path} ${JSON.stringify(body)}`);
    return this.schema as T;
  }
}

let server: Server;
let form: CellForm;
let changes: number;

beforeEach(() => {
  server = new Server();
  changes = 0;
});

afterEach(() => {
  form.dispose();
  document.body.replaceChildren();
});

async function open(
  cell = 'lr: float = 0.01',
  hyperparameters: HyperparameterRow[] = [LR],
  place: { notebook?: string } = {}
): Promise<void> {
  server.schema = { ...server.schema, hyperparameters };
  form = new CellForm({
    say: panelSay('en'),
    rest: server,
    ask: askAbout(server, cell, { above: ['import os'], numbers: [3] }, place.notebook),
    parts: parseLine(cell) ?? [],
    notes: [],
    changed: () => {
      changes += 1;
    }
  });
  document.body.append(form.element);
  await turns();
}

/** The control with this label. */
function control(label: string): HTMLInputElement {
  const found = [...document.querySelectorAll('label')].find(one => one.textContent === label);
  const made = found && document.getElementById(found.htmlFor);
  return (made ?? document.querySelector(`[aria-label="${label}"]`)) as HTMLInputElement;
}

function type(label: string, text: string): void {
  const made = control(label);
  made.value = text;
  made.dispatchEvent(new Event('input', { bubbles: true }));
}

function press(label: string): void {
  const found = [...document.querySelectorAll('button')].find(one => one.textContent === label);
  found?.click();
}

function errorOf(label: string): string {
  const [, id = ''] = (control(label).getAttribute('aria-describedby') ?? '').split(' ');
  return document.getElementById(id)?.textContent ?? '';
}

const line = (run = false): string => form.line(run);
const shownLine = (): string => document.querySelector('pre')?.textContent ?? '';
const offers = (): string[] =>
  [...document.querySelectorAll('[role=listbox]:not([hidden]) [role=option]')].map(one => one.textContent ?? '');

describe('the names of other cells', () => {
  const taken = [
    { name: 'os', cell: 3 },
    { name: 'Net', cell: 4 }
  ];
  const boxes = (): HTMLInputElement[] => [...document.querySelectorAll<HTMLInputElement>('.pj-JobView-taken input')];

  it('have a checkbox each, and all are taken', async () => {
    server.schema = { ...server.schema, taken };
    await open();
    expect(boxes().map(box => box.parentElement?.textContent?.trim())).toEqual(['os · cell [3]', 'Net · cell [4]']);
    expect(line()).toBe('%%pai_train');
    expect(server.heard.find(asked => asked.startsWith('schema'))).toContain('"above":["import os"],"numbers":[3]');
  });

  it('are left out by the line where they are switched off', async () => {
    server.schema = { ...server.schema, taken };
    await open();
    boxes()[1]?.click();
    expect(line()).toBe('%%pai_train --leave-out Net');
    boxes()[1]?.click();
    expect(line()).toBe('%%pai_train');
  });

  it('stay as the line has them', async () => {
    server.schema = { ...server.schema, taken };
    await open('%%pai_train --leave-out os,other\nlr: float = 0.01');
    expect(boxes().map(box => box.checked)).toEqual([false, true]);
    expect(line()).toBe('%%pai_train --leave-out other,os');
  });

  it('are no part of a cell that takes none', async () => {
    await open();
    expect(document.querySelector('.pj-JobView-taken')?.closest('section')?.hidden ?? true).toBe(true);
  });
});

describe('variables', () => {
  const values = [
    { name: 'df', cell: 3 },
    { name: '数据', cell: 4 }
  ];
  const missing = (name: string, level: 'error' | 'warning' = 'error'): SchemaAnswer['findings'][number] => ({
    level,
    line: 2,
    message: `\`${name}\` is a value of cell [3], which the job does not see. Send it along: --send ${name}`,
    name
  });
  const group = (label: string): HTMLElement | null => document.querySelector(`[role="group"][aria-label="${label}"]`);
  const texts = (label: string): string[] =>
    [...(group(label)?.querySelectorAll('label') ?? [])].map(one => one.textContent?.trim() ?? '');
  const findings = (): string[] =>
    [...document.querySelectorAll<HTMLElement>('.pj-JobView-findings li')]
      .filter(item => !item.closest('[hidden]'))
      .map(item => item.textContent ?? '');

  it('of the notebook have a checkbox each, and none is sent unless it is chosen', async () => {
    server.schema = { ...server.schema, values };
    await open();
    expect(texts('Send from the notebook')).toEqual(['df · cell [3]', '数据 · cell [4]']);
    expect(line()).toBe('%%pai_train');
    control('Send df · cell [3]').click();
    expect(shownLine()).toBe('%%pai_train --send df');
    control('Send 数据 · cell [4]').click();
    expect(line(true)).toBe("%%pai_train --send 'df,数据' --run");
    control('Send df · cell [3]').click();
    control('Send 数据 · cell [4]').click();
    expect(line()).toBe('%%pai_train');
  });

  it('of the cell have a checkbox each, whose label is no field of another part', async () => {
    server.schema = { ...server.schema, assigned: ['model', 'history'] };
    await open('%%pai_train --return lr\n');
    expect(texts('Return to the notebook')).toEqual(['model', 'history', 'lr']);
    expect(control('lr').type).toBe('number');
    expect(control('Return lr').checked).toBe(true);
    control('Return history').click();
    control('Return lr').click();
    expect(line()).toBe('%%pai_train --return history');
  });

  it('of the line are chosen, and it stands as it stood while nothing is switched', async () => {
    server.schema = { ...server.schema, values, assigned: ['model'] };
    const given = '%%pai_train --send "df, other" --return=model --send {columns}';
    await open(`${given}\nprint(df)`);
    expect(texts('Send from the notebook')).toEqual(['df · cell [3]', '数据 · cell [4]', 'other']);
    expect([control('Send df · cell [3]').checked, control('Send other').checked]).toEqual([true, true]);
    expect(line()).toBe('%%pai_train --send "df, other" --send {columns} --return=model');
    control('Send df · cell [3]').click();
    expect(line()).toBe('%%pai_train --send {columns} --send other --return=model');
  });

  it('of the line stay while the server has not answered', async () => {
    server.post = () => new Promise(() => undefined);
    await open('%%pai_train --send df --return a,b\n');
    expect(line()).toBe('%%pai_train --send df --return a,b');
    expect(group('Send from the notebook')).toBeNull();
  });

  it('that are sent are not taken as well', async () => {
    server.schema = { ...server.schema, taken: [{ name: 'SIZE', cell: 2 }] };
    await open('%%pai_train --send SIZE\n');
    expect([texts('From other cells'), texts('Send from the notebook')]).toEqual([[], ['SIZE']]);
    expect(line()).toBe('%%pai_train --send SIZE');
  });

  it('that the job lacks are an error until they are sent', async () => {
    server.schema = { ...server.schema, values, findings: [missing('df'), missing('数据', 'warning')] };
    await open();
    const before = changes;
    expect(findings().map(text => text.slice(0, 20))).toEqual(['✗ cell line 2: `df` ', '⚠ cell line 2: `数据` ']);
    expect(form.refusal).toBe('To insert and run, fix the errors of the cell (✗) first.');
    expect(document.querySelector('p[role="status"]')?.textContent).toBe(form.refusal);
    expect(form.isWrong).toBe(false); // the line can be inserted
    control('Send df · cell [3]').click();
    expect([findings().length, form.refusal, changes > before]).toEqual([1, '', true]);
    expect(document.querySelector('p[role="status"]')?.textContent).toBe('');
    control('Send 数据 · cell [4]').click();
    expect(document.querySelector('.pj-JobView-findings')?.closest('[hidden]')).not.toBeNull();
    control('Send df · cell [3]').click();
    expect([findings().length, form.refusal !== '']).toEqual([1, true]);
  });

  it('that the line sends are no error', async () => {
    server.schema = { ...server.schema, values, findings: [missing('df')] };
    await open('%%pai_train --send df\nprint(df)');
    expect([findings(), form.refusal]).toEqual([[], '']);
  });

  it('answer no other error', async () => {
    const other = { level: 'error', line: 1, message: 'Python cannot read this line.', name: '' } as const;
    server.schema = { ...server.schema, values, findings: [other] };
    await open('%%pai_train --send df\nprint(df');
    expect(findings()).toEqual(['✗ cell line 1: Python cannot read this line.']);
    expect(form.refusal).not.toBe('');
  });

  it('are in no form of a cell without any, nor of an older server', async () => {
    server.schema = { hyperparameters: [LR], findings: [] } as unknown as SchemaAnswer;
    await open();
    const groups = [...document.querySelectorAll<HTMLElement>('.pj-JobView-taken')];
    expect(groups.filter(one => !one.closest('[hidden]'))).toEqual([]);
  });
});

describe('the line', () => {
  it('says nothing that need not be said', async () => {
    await open();
    expect(line()).toBe('%%pai_train');
  });

  it('has what the fields say, in the order in which one writes it', async () => {
    await open();
    type('Name', 'iris');
    type('Backend', 'docker');
    type('Image', 'my image');
    type('Instance count', '2');
    type('lr', '0.003');
    press('Add an input');
    type('Channel', 'train');
    type('Address', './a b');
    expect(line()).toBe(
      "%%pai_train iris --backend docker --image 'my image' --instance-count 2 -i 'train=./a b' -p lr=0.003"
    );
    expect(shownLine()).toBe(line());
    expect(line(true)).toBe(`${line()} --run`);
  });

  it('fills the form, and comes out of it as it was', async () => {
    const given = '%%pai_train "iris" --wait --image={img} -i train=./d -p lr={lr} -p other=1 --instance-count 1';
    await open(`${given}\nlr: float = 0.01`);
    expect([control('Name').value, control('Image').value, control('lr').value, control('Channel').value]).toEqual([
      'iris',
      '{img}',
      '{lr}',
      'train'
    ]);
    expect(errorOf('lr')).toBe(LR_RULE);
    expect(line()).toBe('%%pai_train "iris" --wait --image={img} -i train=./d -p other=1 -p lr={lr}');
  });

  it('can be copied while nothing is wrong', async () => {
    const copied: string[] = [];
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } });
    await open();
    type('lr', '0.5');
    press('Copy as %%pai_train line');
    await turns();
    expect([copied, form.element.textContent?.includes('Copied')]).toEqual([['%%pai_train -p lr=0.5'], true]);
    type('lr', '7');
    const copy = [...document.querySelectorAll('button')].find(one => one.textContent?.startsWith('Copy as'));
    expect(copy?.disabled).toBe(true);
    vi.unstubAllGlobals();
  });

  it('loses a value that is set back to its default', async () => {
    await open('%%pai_train -p lr=0.5\nlr = 1');
    press('Reset');
    expect(line()).toBe('%%pai_train');
    expect(control('lr').value).toBe('0.01');
  });

  it('keeps such a value where a file of values stands behind it', async () => {
    await open('%%pai_train --params p.json -p lr=0.5\nlr = 1');
    press('Reset');
    expect(line()).toBe('%%pai_train --params p.json -p lr=0.01');
  });

  it('keeps the values of a line while the server has not said what there is', async () => {
    server.post = () => new Promise(() => undefined);
    await open('%%pai_train -p lr=0.5 -p n={x}\nlr = 1');
    expect(line()).toBe('%%pai_train -p lr=0.5 -p n={x}');
  });

  it('loses an input that is removed', async () => {
    await open('%%pai_train -i a=x -i b=y=z\n');
    press('Remove');
    expect(line()).toBe('%%pai_train -i b=y=z');
    expect(document.activeElement?.textContent).toBe('Add an input');
  });

  it('may have no value of what has no default', async () => {
    server.schema.hyperparameters = [row('lr', 'int')];
    await open('%%pai_train -p lr=3');
    type('lr', '');
    expect(line()).toBe('%%pai_train -p lr=');
  });
});

describe('the sections', () => {
  it('stand in the order of the form in a cell, with its words', async () => {
    server.schema = {
      ...server.schema,
      taken: [{ name: 'os', cell: 3 }],
      values: [{ name: 'df', cell: 3 }],
      assigned: ['model'],
      findings: [{ level: 'warning', line: 1, message: 'odd', name: '' }]
    };
    await open();
    const titles = [...document.querySelectorAll('h3')].map(one => one.textContent);
    const drawn = FORM_SECTIONS.filter(({ key }) => key !== 'pass').map(({ title }) => title);
    expect(titles).toEqual(drawn.filter(Boolean));
    expect(document.querySelector('.pj-JobView-cellForm label')?.textContent).toBe('Name');
  });
});

describe('an input', () => {
  const inputs = [
    { name: 'train', help: 'Training data.', required: true },
    { name: 'extra', help: '', required: false }
  ];

  it('that the script declares has a field, which keeps what the line says', async () => {
    server.schema = { ...server.schema, inputs };
    await open('%%pai_train -i other=./o -i train=./d\n');
    expect([control('train *').value, control('extra').value, control('Channel').value]).toEqual(['./d', '', 'other']);
    expect(line()).toBe('%%pai_train -i train=./d -i other=./o');
    type('extra', './e');
    expect(line()).toBe('%%pai_train -i train=./d -i extra=./e -i other=./o');
  });

  it('that the script requires is asked for before the cell runs', async () => {
    server.schema = { ...server.schema, inputs };
    await open();
    expect([form.isWrong, form.refusal]).toEqual([false, 'Fill in the fields marked with * first.']);
    type('train *', './d');
    expect(form.refusal).toBe('');
  });
});

describe('what is wrong', () => {
  it.each<[string, string, string]>([
    ['Name', '-x', 'A name cannot begin with "-".'],
    ['Image', 'a\u2028b', 'Line breaks are not allowed.'],
    ['Instance count', '0', 'This must be a whole number between 1 and 10000.'],
    ['Instance count', '10001', 'This must be a whole number between 1 and 10000.'],
    ['lr', '2', LR_RULE],
    ['lr', '', `${LR_RULE}. The default is 0.01.`]
  ])('is said beside the field %s', async (label, text, expected) => {
    await open();
    type(label, text);
    expect(errorOf(label)).toBe(expected);
    expect(control(label).getAttribute('aria-invalid')).toBe('true');
    expect(form.isWrong).toBe(true);
    expect(shownLine()).toBe('Fix the errors above');
  });

  it('goes away', async () => {
    await open();
    type('lr', '2');
    const before = changes;
    type('lr', '0.2');
    expect([form.isWrong, errorOf('lr'), changes > before]).toEqual([false, '', true]);
  });

  it.each<[string, string]>([
    ['%%pai_train -i train=', 'An input needs a name and a path, e.g. train and ./data.'],
    ['%%pai_train -i train', 'An input needs a name and a path, e.g. train and ./data.'],
    ['%%pai_train -i a=x -i a=y', 'There are two inputs called a. Keep one of them.']
  ])('is said of the inputs: %s', async (cell, expected) => {
    await open(cell);
    expect(document.querySelector('.pj-JobView-inputRows .pj-JobView-fieldError')?.textContent).toBe(expected);
    expect(form.isWrong).toBe(true);
  });

  it('with the cell is listed, hostile or not', async () => {
    const message = '<img src=x>\u001b[31m `x` is not defined.';
    server.schema.findings = [{ level: 'warning', line: 3, message, name: 'x' }];
    await open();
    expect(document.querySelector('li')?.textContent).toBe('⚠ cell line 3: <img src=x> `x` is not defined.');
  });
});

describe('a hyperparameter', () => {
  const shape = (label: string): string => {
    const { tagName, type: kind } = control(label);
    return tagName === 'INPUT' ? kind : tagName.toLowerCase();
  };

  it.each<[string, HyperparameterRow]>([
    ['number', LR],
    ['number', row('lr', 'int', { default: 3 })],
    ['number', row('lr', 'int')],
    ['checkbox', row('lr', 'bool', { default: false })],
    ['select-one', row('lr', 'bool')],
    ['select-one', row('lr', 'str', { default: 'a', choices: ['a', 'b'] })],
    ['text', row('lr', 'str', { default: 'a' })],
    ['textarea', row('lr', 'str', { default: 'a\nb' })],
    ['text', row('lr', 'json', { default: '[1]' })]
  ])('has a %s: %j', async (expected, declared) => {
    await open('', [declared]);
    const found = shape('lr');
    expect(found === 'select' ? 'select-one' : found).toBe(expected);
    expect([line(), form.isWrong]).toEqual(['%%pai_train', false]);
  });

  it.each<[string, HyperparameterRow]>([
    ['abc', LR],
    ['maybe', row('lr', 'bool', { default: true })],
    ['c', row('lr', 'str', { choices: ['a', 'b'] })]
  ])('shows %s of the line as it was typed', async (text, declared) => {
    await open(`%%pai_train -p lr=${text}`, [declared]);
    expect(control('lr').value).toBe(text);
    expect(errorOf('lr')).not.toBe('');
    press('Reset');
    expect(form.isWrong).toBe(false);
  });

  it('can be set back only where it is another than the default', async () => {
    await open('', [LR, row('n', 'int', { default: 1 })]);
    const shown = (): string[] =>
      [...document.querySelectorAll<HTMLElement>('button')]
        .filter(one => one.textContent?.startsWith('Reset') && !one.hidden && one.style.visibility !== 'hidden')
        .map(one => one.getAttribute('aria-label') ?? one.textContent ?? '');
    expect(shown()).toEqual([]);
    type('lr', '1e-2');
    expect(shown()).toEqual([]);
    type('n', '2');
    expect(shown()).toEqual(['Reset all', 'Reset: n']);
    type('lr', '0.5');
    press('Reset all');
    expect([line(), shown(), document.activeElement === control('lr')]).toEqual(['%%pai_train', [], true]);
  });

  it('is told by a checkbox as Python writes it', async () => {
    await open('', [row('amp', 'bool', { default: true })]);
    control('amp').click();
    expect(line()).toBe('%%pai_train -p amp=False');
  });

  it('is no other when it is only written in another way', async () => {
    await open();
    type('lr', '1e-2');
    expect(line()).toBe('%%pai_train');
  });

  it('may lie between the steps of its arrows', async () => {
    await open('', [row('n', 'int', { default: 1, minimum: 1, maximum: 100, step: 10 })]);
    type('n', '5');
    expect([form.isWrong, document.querySelector(':invalid')]).toEqual([false, null]);
  });

  it('that nobody declared is explained', async () => {
    await open('', []);
    expect(form.element.textContent).toContain('No hyperparameters found.');
  });
});

describe('a value in the code', () => {
  const BATCH = row('BATCH', 'int', { default: 64, is_offered: true });
  const folded = (): HTMLDetailsElement | null => document.querySelector('details');

  it('is folded below what is declared, and said only where it is changed', async () => {
    await open('', [LR, BATCH]);
    expect(folded()?.open).toBe(false);
    expect(folded()?.querySelector('summary')?.textContent).toBe('More values in the code (1)');
    expect(folded()?.contains(control('BATCH'))).toBe(true);
    expect(folded()?.contains(control('lr'))).toBe(false);
    expect(line()).toBe('%%pai_train');
    type('BATCH', '32');
    expect(line()).toBe('%%pai_train -p BATCH=32');
  });

  it('stands with the declared ones where the line gives it', async () => {
    await open('%%pai_train -p BATCH=8\n', [BATCH]);
    expect(folded()).toBeNull();
    expect(control('BATCH').value).toBe('8');
  });
});

describe('an option of a subcommand', () => {
  const ROWS = [
    row('do', 'str', { choices: ['fit', 'test'] }),
    row('lr', 'float', { default: 0.1, commands: ['fit'], chosen_by: 'do' }),
    row('split', 'str', { default: 'val', commands: ['test'], chosen_by: 'do' })
  ];
  const shown = (): string[] =>
    ['do', 'lr', 'split'].filter(name => control(name).closest<HTMLElement>('.pj-JobView-formRow')?.hidden === false);

  it('is shown and said only where that is chosen', async () => {
    await open('%%pai_train -p do=fit\n', ROWS);
    expect(shown()).toEqual(['do', 'lr']);
    type('lr', '0.5');
    expect(line()).toBe('%%pai_train -p do=fit -p lr=0.5');
    type('do', 'test');
    expect(shown()).toEqual(['do', 'split']);
    expect(line()).toBe('%%pai_train -p do=test');
    expect(form.isWrong).toBe(false);
  });

  it('that the line gives to another is shown as wrong until it is reset', async () => {
    await open('%%pai_train -p do=test -p lr=0.5\n', ROWS);
    expect(shown()).toEqual(['do', 'lr', 'split']);
    expect(errorOf('lr')).toBe('This is an option only with do = fit.');
    expect(form.isWrong).toBe(true);
    type('lr', '0.1');
    expect(shown()).toEqual(['do', 'split']);
    expect(form.isWrong).toBe(false);
    expect(line()).toBe('%%pai_train -p do=test');
  });

  it('follows the default of the choice where none is made', async () => {
    await open('', [{ ...ROWS[0]!, default: 'fit' }, ...ROWS.slice(1)]);
    expect(shown()).toEqual(['do', 'lr']);
  });
});

describe('what a service knows', () => {
  it('of the form is told by the notebook, where there is one', async () => {
    await open('x = 1', [], { notebook: 'a b/n.ipynb' });
    expect(server.heard).toContain(
      'schema {"cell":"x = 1","above":["import os"],"numbers":[3],"notebook":"a b/n.ipynb"}'
    );
  });

  it('is asked for when its field gets the focus, once', async () => {
    await open();
    expect(server.heard).toEqual([
      'backends',
      'schema {"cell":"lr: float = 0.01","above":["import os"],"numbers":[3]}'
    ]);
    control('Image').focus();
    control('Instance type').focus();
    control('Image').focus();
    await turns();
    expect(server.heard.slice(2)).toEqual(['images', 'instances']);
    control('Image').click();
    expect(offers()).toEqual(['pytorch:2 PyTorch · Python 3.11']);
    control('Instance type').focus();
    control('Instance type').click();
    expect(offers()).toEqual([
      'local ',
      'local_gpu ',
      'farm.small Render farm',
      'ecs.c6.large 2 CPU · 4 GiB · in stock',
      'ecs.gone 1 CPU · 2 GiB · out of stock'
    ]);
  });

  it("is offered as one types, and taken by keys that are nobody else's", async () => {
    await open();
    const field = control('Instance type');
    const heard: string[] = [];
    document.body.addEventListener('keydown', ({ key }) => heard.push(key));
    field.focus();
    await turns();
    type('Instance type', 'ecs cpu');
    expect([offers().length, field.getAttribute('aria-expanded')]).toEqual([2, 'true']);
    const key = (name: string): void =>
      void field.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
    key('ArrowDown');
    const marked = document.getElementById(field.getAttribute('aria-activedescendant') ?? '');
    expect([marked?.textContent, marked?.getAttribute('aria-selected')]).toEqual([
      'ecs.c6.large 2 CPU · 4 GiB · in stock',
      'true'
    ]);
    key('Enter');
    expect([field.value, line(), offers()]).toEqual(['ecs.c6.large', '%%pai_train --instance-type ecs.c6.large', []]);
    expect(field.closest('.pj-JobView-formControl')?.textContent).toContain('2 CPU · 4 GiB · in stock');
    field.click();
    key('Escape');
    expect([offers(), heard]).toEqual([[], []]);
    key('Escape');
    expect(heard).toEqual(['Escape']);
  });

  it('is not needed: why it cannot be had stands beside the field', async () => {
    delete server.answers['images'];
    await open();
    control('Image').focus();
    await turns();
    expect(control('Image').closest('div')?.textContent).toContain('Type %pai_config wizard.');
    type('Image', 'x');
    expect(line()).toBe('%%pai_train --image x');
  });

  it('about a backend is said when it is chosen', async () => {
    await open();
    const backend = control('Backend');
    backend.value = 'docker';
    backend.dispatchEvent(new Event('change', { bubbles: true }));
    expect(backend.closest('div')?.textContent).toContain('Docker does not answer. Start it.');
  });

  it('cannot take a backend away that the line has', async () => {
    await open('%%pai_train --backend mine');
    expect(line()).toBe('%%pai_train --backend mine');
  });
});
