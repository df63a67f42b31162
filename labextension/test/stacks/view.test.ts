// @vitest-environment jsdom

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { hotLines, readFlame } from '../../src/stacks/flame.js';
import { StacksView } from '../../src/stacks/view.js';
import { translator } from '../../src/text/translation.js';
import type { Answers, Context, StackFrame } from '../../src/tokens.js';
import { cells, find, settled, Stage } from '../charts/stage.js';

const say = translator('en');
let stage: Stage;
let view: StacksView;
const opened: number[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  opened.length = 0;
  stage = new Stage();
  stage.source.snapshot();
  const context: Context = { ...stage.context, openLine: line => void opened.push(line) };
  view = new StacksView(context);
  document.body.append(view.element);
});

afterEach(() => {
  view.dispose();
  document.body.replaceChildren();
  vi.useRealTimers();
});

function frame(name: string, changes: Partial<StackFrame> = {}): StackFrame {
  return { function: name, file: 'a.py', line: 1, cell: null, is_own: false, ...changes };
}

const OWN = { file: '', is_own: true };
const PROFILE: Answers['profile'] = {
  state: 'done',
  elapsed: 10,
  seconds: 10,
  samples: 100,
  frames: [frame('<module>', { ...OWN, line: 12 }), frame('train', { ...OWN, line: 5 }), frame('<b>dot\x1b[2J</b>')],
  nodes: [
    [0, -77, 100],
    [1, 0, 100],
    [2, 1, 90],
    [3, 2, 60],
    [2, 2, 10]
  ],
  notes: ['Only the first 16 of 20 Python processes were recorded.']
};

it('reads the tree and adds up each line once', () => {
  const root = readFlame(PROFILE, say);
  const [process] = root.children;
  const [module] = process?.children ?? [];
  expect([process?.name, module?.name]).toEqual(['process 77', 'cell line 12 · <module>']);
  expect(module?.children.map(child => [child.name, child.start, child.samples])).toEqual([
    ['cell line 5 · train', 0, 90],
    ['a.py:1 · <b>dot</b>', 90, 10]
  ]);
  expect(hotLines(root).map(({ own, total }) => [own, total])).toEqual([
    [70, 70],
    [30, 90],
    [0, 100]
  ]);
});

it('leaves out what fits nowhere', () => {
  const nodes: [number, number, number][] = [
    [5, 0, 1],
    [0, 99, 1],
    [-1, 0, 1]
  ];
  expect(readFlame({ ...PROFILE, nodes }, say).children).toEqual([]);
});

it('shows stacks as text, with links to lines of the cell', async () => {
  const thread = {
    name: 'Main\x1b[2JThread',
    is_idle: false,
    has_gil: true,
    left_out: 0,
    frames: [frame('<module>', { ...OWN, line: 12 }), frame('<img src=x>')]
  };
  stage.source.answers.stacks = () => ({
    ok: { processes: [{ replica: 'worker-0', pid: 7, threads: [thread], left_out: 3, trouble: '' }] }
  });
  await view.dump();
  expect(view.element.textContent).toContain('process 7thread MainThread (active, holds the GIL)');
  expect(view.element.textContent).toContain('a.py:1 <img src=x>');
  expect(view.element.textContent).toContain('3 more threads');
  expect(view.element.querySelector('img')).toBeNull();
  find('pre button', 'cell line 12').click();
  expect(opened).toEqual([12]);
});

it('says in one sentence why there are none', async () => {
  stage.source.refuse('stacks', 'py-spy is missing.');
  await view.dump();
  expect(find('[role=alert]').textContent).toBe('py-spy is missing.');
});

it('asks for a recording until it is done', async () => {
  const states: Answers['profile'][] = [
    { ...PROFILE, state: 'running', elapsed: 0, nodes: [], frames: [] },
    { ...PROFILE, state: 'running', elapsed: 4.2, nodes: [], frames: [] },
    PROFILE
  ];
  stage.source.answers.profile = () => ({ ok: states.shift() ?? PROFILE });
  await view.record();
  expect(find<HTMLProgressElement>('progress').max).toBe(10);
  vi.advanceTimersByTime(500);
  await settled();
  expect(view.element.textContent).toContain('Recording: 4 of 10 s');
  vi.advanceTimersByTime(500);
  await settled();
  expect(stage.source.heard.filter(([kind]) => kind === 'profile').map(([, asked]) => asked)).toEqual([
    { action: 'start', seconds: 10 },
    { action: 'show' },
    { action: 'show' }
  ]);
  expect(document.querySelectorAll('[role=treeitem]')).toHaveLength(5);
  expect(view.element.textContent).toContain('Only the first 16');
  find('button', 'Table').click();
  const table = find<HTMLTableElement>('table');
  expect([table.hidden, find('[role=tree]').hidden]).toEqual([false, true]);
  expect(cells(table)[0]).toEqual(['a.py:1 · <b>dot</b>', '70.0 %', '70.0 %']);
});

it('ends the recording when it is stopped, or goes', async () => {
  stage.source.answers.profile = () => ({ ok: { ...PROFILE, state: 'running', elapsed: 1 } });
  await view.record();
  find('button', 'Stop recording').click();
  await settled();
  await view.record();
  view.dispose();
  await settled();
  vi.advanceTimersByTime(5_000);
  await settled();
  const asked = stage.source.heard.filter(([kind]) => kind === 'profile').map(([, one]) => one);
  expect(asked).toEqual([
    { action: 'start', seconds: 10 },
    { action: 'stop' },
    { action: 'start', seconds: 10 },
    { action: 'stop' }
  ]);
});

it('is read and zoomed by keys', async () => {
  stage.source.answers.profile = () => ({ ok: PROFILE });
  await view.record();
  const items = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[role=treeitem]')];
  const press = (key: string): void => {
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  };
  const focused = (): string => document.activeElement?.getAttribute('aria-label') ?? '';
  expect(items().filter(item => item.tabIndex === 0)).toHaveLength(1);
  items()[0]?.focus();
  for (const [key, name] of [
    ['ArrowDown', 'cell line 12'],
    ['ArrowDown', 'cell line 5'],
    ['ArrowRight', 'a.py:1'],
    ['ArrowLeft', 'cell line 5'],
    ['ArrowUp', 'cell line 12'],
    ['Home', 'process 77'],
    ['ArrowUp', 'process 77']
  ] as const) {
    press(key);
    expect(focused()).toContain(name);
  }
  press('ArrowDown');
  press('ArrowDown');
  press('Enter');
  expect(focused()).toBe('cell line 5 · train: 90.0 %, 90 samples');
  expect((document.activeElement as HTMLElement).style.width).toBe('100%');
  expect(items()).toHaveLength(4); // its callers, and what it called
  press('Escape');
  expect(items()).toHaveLength(5);
});
