// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { environmentPane } from '../../src/panes/environment.js';
import { sourcePane } from '../../src/panes/source.js';
import { boardPane } from '../../src/panes/tensorboard.js';
import type { BoardAnswer, Pane } from '../../src/tokens.js';
import { fakeContext, FakeSource, START } from '../fakes.js';
import { eventually } from '../turns.js';

let source: FakeSource;
const panes: Pane[] = [];

function show<P extends Pane>(pane: P): P {
  panes.push(pane);
  document.body.append(pane.element);
  pane.show(true);
  return pane;
}

const says = (text: string) => eventually(() => expect(document.body.textContent).toContain(text));
const press = (label: string) =>
  [...document.querySelectorAll('button')].find(one => one.textContent === label)?.click();
const cells = (label: string) =>
  [...document.querySelectorAll(`table[aria-label="${label}"] tbody tr`)].map(row =>
    [...row.children].map(cell => cell.textContent)
  );

beforeEach(() => {
  source = new FakeSource();
});

afterEach(() => {
  panes.splice(0).forEach(pane => pane.dispose());
  document.body.replaceChildren();
  vi.useRealTimers();
});

describe('Source', () => {
  const lines = () => [...document.querySelectorAll('.pj-JobView-codeLine')].map(line => line.textContent);
  const highlighted = () => document.querySelector('[data-highlighted]')?.textContent;

  test('has the exact cell line for line, the values and the files', async () => {
    source.answers.source = () => ({
      ok: {
        cell: '%%pai_train iris\n\n  x = "<b>"  # 训练',
        script: 'x',
        entry_point: 'train.py',
        notebook: 'iris.ipynb',
        package: {
          digest: 'sha256:abcdefabcdef99',
          size: 2_048,
          is_cut: true,
          files: [{ name: 'a b.py', size: 10, digest: '0123456789abcdef' }]
        },
        values: [
          { name: 'lr', value: 0.1 },
          { name: 'none', value: null },
          { name: 'flag', value: false }
        ]
      }
    });
    show(sourcePane(fakeContext(source)));
    await says('Cell · iris.ipynb');
    expect(lines()).toEqual(['%%pai_train iris', '', '  x = "<b>"  # 训练']);
    expect(cells('Hyperparameters')).toEqual([
      ['lr', '0.1'],
      ['none', '–'],
      ['flag', 'false']
    ]);
    expect(cells('Submitted files')).toEqual([['a b.py', '10 B', '0123456789ab']]);
    expect(document.body.textContent).toContain('1 file, 2 KB packed · abcdefabcdef');
    expect(document.body.textContent).toContain('More files are not shown');
    expect(document.querySelector('details pre')?.textContent).toBe('x');
  });

  test('has the lines of other cells above the cell, each with its number there', async () => {
    source.answers.source = () => ({
      ok: {
        cell: '%%pai_train\ntrain()',
        script: '# from cell [3]\ndef train():\n    pass\n# the cell\n# %%pai_train\ntrain()',
        above: [0, 7, 8, 0],
        entry_point: 'train.py',
        notebook: '',
        package: { digest: '', size: 0, is_cut: false, files: [] },
        values: [{ name: 'lr', value: 1, written: { line: 2, value: 2 } }]
      }
    });
    const pane = show(sourcePane(fakeContext(source)));
    pane.highlight(-2);
    await eventually(() => expect(highlighted()).toBe('def train():'));
    expect(lines().slice(0, 5)).toEqual(['# from cell [3]', 'def train():', '    pass', '# the cell', '%%pai_train']);
    expect(lines()[5]).toContain('train()');
    const numbers = [...document.querySelectorAll<HTMLElement>('.pj-JobView-lineNumber')];
    expect(numbers.map(({ dataset }) => dataset['number'])).toEqual(['', '7', '8', '', '1', '2']);
    expect(document.querySelectorAll('[data-changed]')[0]?.textContent).toContain('train()');
    pane.highlight(2);
    expect(highlighted()).toContain('train()');
  });

  test('highlights a line, also one that was asked for before the cell came', async () => {
    const pane = show(sourcePane(fakeContext(source)));
    pane.highlight(3);
    await eventually(() => expect(highlighted()).toBe('raise SystemExit(3)'));
    pane.highlight(2);
    expect(highlighted()).toBe('print(1)');
    expect(document.querySelectorAll('[data-highlighted]')).toHaveLength(1);
  });

  test('shows the values of the run first, and marks the lines of the cell that say others', async () => {
    source.answers.source = () => ({
      ok: {
        cell: '%%pai_train iris\nlr: float = 0.1\nopt = "adam"',
        script: 'x',
        entry_point: 'train.py',
        notebook: '',
        package: { digest: '', size: 0, files: [], is_cut: false },
        values: [
          { name: 'lr', value: 0.3, written: { line: 2, value: 0.1 } },
          { name: 'opt', value: 'adam' },
          { name: 'odd', value: '<b>', written: { line: null, value: null } }
        ]
      }
    });
    show(sourcePane(fakeContext(source)));
    await says('In the cell');
    expect(document.querySelector('h3')?.textContent).toBe('Hyperparameters');
    expect(cells('Hyperparameters')).toEqual([
      ['lr', '0.3', '0.1'],
      ['opt', 'adam', ''],
      ['odd', '<b>', '–']
    ]);
    const changed = [...document.querySelectorAll('[data-changed]')].map(line => line.textContent);
    expect(changed).toEqual(['lr: float = 0.1ran with lr = 0.3']);
  });

  test('of a program has the script', async () => {
    source.answers.source = () => ({
      ok: {
        cell: '',
        script: 'import os',
        entry_point: 'train.py',
        notebook: '',
        values: [],
        package: { digest: '', size: 0, files: [], is_cut: false }
      }
    });
    show(sourcePane(fakeContext(source)));
    await eventually(() => expect(lines()).toEqual(['import os']));
    expect(document.querySelector('h3')?.textContent).toBe('train.py');
  });

  test('is asked for once, and anew when a connection is back', async () => {
    source.refuse('source', 'Connection lost.');
    const pane = show(sourcePane(fakeContext(source)));
    source.listen({ push: push => pane.update(push, []) });
    await says('Connection lost.');
    source.allow('source');
    source.snapshot();
    await says('Cell');
    pane.show(false);
    pane.show(true);
    expect(source.count('source')).toBe(1);
  });
});

describe('Environment', () => {
  const replica = (name: string) => ({
    name,
    variables: [
      ['PAI_HPS_LR', '0.01'],
      ['PATH', `/bin:/${name}`]
    ] as [string, string][],
    paths: [['/ml/input/data/train', 'iris.csv, 4 KB']] as [string, string][]
  });

  beforeEach(() => {
    source.answers.environment = () => ({
      ok: {
        command: 'python train.py --lr 0.01',
        note: 'Secrets are masked.',
        replicas: [replica('worker-0'), replica('worker-1')]
      }
    });
  });

  test('has the command, variables, paths and the note', async () => {
    show(environmentPane(fakeContext(source)));
    await says('python train.py --lr 0.01');
    expect(cells('Variables')).toEqual([
      ['PAI_HPS_LR', '0.01'],
      ['PATH', '/bin:/worker-0']
    ]);
    expect(cells('Paths')).toEqual([['/ml/input/data/train', 'iris.csv, 4 KB']]);
    expect(document.body.textContent).toContain('Secrets are masked.');
  });

  test('is narrowed by a filter on names and values', async () => {
    show(environmentPane(fakeContext(source)));
    await says('PATH');
    const filter = document.querySelector('input');
    const found = { hps: [['PAI_HPS_LR', '0.01']], '/bin': [['PATH', '/bin:/worker-0']], zz: [] };
    for (const [text, variables] of Object.entries(found)) {
      Object.assign(filter ?? {}, { value: text });
      filter?.dispatchEvent(new Event('input'));
      expect(cells('Variables')).toEqual(variables);
    }
    expect(document.body.textContent).toContain('No matches');
  });

  test('shows the replica that is chosen', async () => {
    show(environmentPane(fakeContext(source)));
    await says('PATH');
    const choice = document.querySelector('select');
    Object.assign(choice ?? {}, { value: '1' });
    choice?.dispatchEvent(new Event('change'));
    expect(cells('Variables')[1]).toEqual(['PATH', '/bin:/worker-1']);
  });

  test('is asked anew once the job stands differently', async () => {
    const pane = show(environmentPane(fakeContext(source)));
    source.snapshot();
    await says('PATH');
    pane.show(false);
    source.news({ kind: 'StatusChanged', status: 'succeeded', time: START + 60 });
    pane.show(true);
    await eventually(() => expect(source.count('environment')).toBe(2));
    pane.show(false);
    pane.show(true);
    expect(source.count('environment')).toBe(2);
  });
});

describe('TensorBoard', () => {
  let board: BoardAnswer;

  beforeEach(() => {
    board = { state: 'stopped', url: '', note: '' };
    source.answers.board = ({ action }) => {
      if (action !== 'show') {
        board = { ...board, state: action === 'start' ? 'starting' : 'stopped', url: '' };
      }
      return { ok: board };
    };
  });

  test('is started, asked for until it runs, framed, and stopped', async () => {
    vi.useFakeTimers();
    show(boardPane(fakeContext(source)));
    await vi.advanceTimersByTimeAsync(0);
    press('Start TensorBoard');
    await vi.advanceTimersByTimeAsync(3_000);
    expect(document.body.textContent).toContain('TensorBoard is starting…');
    board = { state: 'running', url: '/proxy/6006/', note: '' };
    await vi.advanceTimersByTimeAsync(8_000);
    const frame = document.querySelector('iframe');
    expect(frame?.getAttribute('src')).toBe('/proxy/6006/');
    expect(frame?.getAttribute('sandbox')).toBe('allow-scripts allow-same-origin allow-forms allow-popups');
    press('Stop TensorBoard');
    await vi.advanceTimersByTimeAsync(0);
    expect(document.querySelector('iframe')).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is asked for with growing pauses', async () => {
    vi.useFakeTimers();
    board = { state: 'starting', url: '', note: '' };
    show(boardPane(fakeContext(source)));
    await vi.advanceTimersByTimeAsync(3_600);
    expect(source.count('board')).toBe(4); // at 0, 0.5, 1.5 and 3.5 s
  });

  test.each(['hidden', 'disposed'])('is not asked for while %s', async how => {
    vi.useFakeTimers();
    board = { state: 'starting', url: '', note: '' };
    const pane = show(boardPane(fakeContext(source)));
    await vi.advanceTimersByTimeAsync(0);
    if (how === 'hidden') {
      pane.show(false);
    } else {
      pane.dispose();
    }
    await vi.advanceTimersByTimeAsync(60_000);
    expect(source.count('board')).toBe(1);
  });

  test('keeps its frame while it is the same board', async () => {
    board = { state: 'running', url: '/proxy/6006/', note: '' };
    const pane = show(boardPane(fakeContext(source)));
    await eventually(() => expect(document.querySelector('iframe')).not.toBeNull());
    const frame = document.querySelector('iframe');
    const moves: MutationRecord[] = [];
    new MutationObserver(all => moves.push(...all)).observe(frame?.parentElement ?? document.body, { childList: true });
    pane.show(false);
    pane.show(true);
    await eventually(() => expect(source.count('board')).toBe(2));
    expect(document.querySelector('iframe')).toBe(frame);
    expect(moves).toEqual([]);
  });

  test('of another host is a link that tells it nothing of this page, and never framed', async () => {
    board = { state: 'running', url: 'https://app.example/?a=1', note: '' };
    show(boardPane(fakeContext(source)));
    await says('https://app.example/?a=1');
    const link = document.querySelector('a');
    expect([link?.getAttribute('href'), link?.target]).toEqual(['https://app.example/?a=1', '_blank']);
    expect(link?.rel).toBe('noopener noreferrer');
    expect(document.querySelector('iframe')).toBeNull();
  });

  test('at no address of the web is neither', async () => {
    board = { state: 'running', url: 'javascript:alert(1)', note: '' };
    show(boardPane(fakeContext(source)));
    await says('javascript:alert(1)');
    expect(document.querySelector('iframe, a')).toBeNull();
  });

  test('that is refused says why, and a note is shown', async () => {
    source.refuse('board', 'TensorBoard is not installed: pip install tensorboard.');
    const pane = show(boardPane(fakeContext(source)));
    await says('TensorBoard is not installed');
    source.allow('board');
    board = { state: 'none', url: '', note: 'The job writes no event files.' };
    press('Try again');
    await says('The job writes no event files.');
    pane.dispose();
  });
});
