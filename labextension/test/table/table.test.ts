// @vitest-environment jsdom
/** The runs table as a whole: what is selected, and what can be done with it. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { panelSay } from '../../src/panel/translation.js';
import type { TableAnswer, TableAsked, TableColumn, TableLine } from '../../src/table/protocol.js';
import { NEW_STATE } from '../../src/table/state.js';
import { RunsTable } from '../../src/table/table.js';
import { FakeActions } from '../panel/rows.js';
import { turns } from '../turns.js';

const COLUMNS: TableColumn[] = [
  { key: 'job:name', title: 'name', part: 'job', kind: 'text', is_shown: true },
  { key: 'value:lr', title: 'lr', part: 'value', kind: 'number', is_shown: true }
];

interface Run {
  readonly id: string;
  readonly name: string;
  readonly lr: number;
  readonly tags: readonly string[];
}

let runs: Run[];
let act: FakeActions;
let table: RunsTable;
let refused: Error | null;

/** A server whose search knows words in names, `tag:` and `id:a,b`. */
function answer({ text, columns, limit }: TableAsked): TableAnswer {
  const fits = (run: Run, word: string): boolean => {
    const [field, asked = ''] = word.split(':');
    const wanted = asked.split(',');
    return field === 'id' ? wanted.includes(run.id) : field === 'tag' ? run.tags.includes(asked) : run.name === word;
  };
  if (text === 'nope<1') {
    return {
      version: '1',
      lines: [],
      count: 0,
      jobs: 0,
      total: runs.length,
      columns: COLUMNS,
      problem: 'no such value'
    };
  }
  const found = runs.filter(run => (text ?? '').split(' ').every(word => !word || fits(run, word)));
  const cellOf = (run: Run, key: string): string | number => (key === 'value:lr' ? run.lr : run.name);
  const lines = found.slice(0, limit ?? 100).map((run): TableLine => ({
    id: run.id,
    name: run.name,
    status: 'succeeded',
    is_here: true,
    cells: columns.map(key => cellOf(run, key))
  }));
  return {
    version: `${runs.length}`,
    lines,
    count: found.length,
    jobs: found.length,
    total: runs.length,
    columns: COLUMNS
  };
}

beforeEach(async () => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {}
      disconnect(): void {}
    }
  );
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  refused = null;
  runs = [
    { id: 'j1', name: 'sweep', lr: 0.1, tags: [] },
    { id: 'j2', name: 'sweep', lr: 0.2, tags: [] },
    { id: 'j3', name: 'sweep', lr: 0.3, tags: ['ten'] },
    { id: 'j4', name: 'ten', lr: 0.4, tags: ['ten'] }
  ];
  act = new FakeActions();
  const post = <T>(_: string, body: object): Promise<T> =>
    refused ? Promise.reject(refused) : Promise.resolve(answer(body as TableAsked) as T);
  const rest = { post } as never; // it asks for nothing else
  table = new RunsTable({ say: panelSay('en'), rest, act, keep: () => undefined }, NEW_STATE);
  document.body.append(table.element);
  table.show(true);
  await settled();
});

afterEach(() => {
  table.dispose();
  document.body.replaceChildren();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await turns();
  }
}

const row = (id: string): HTMLElement => {
  const at = runs.findIndex(run => run.id === id);
  return table.element.querySelector<HTMLElement>(`.pj-Table-body [data-at='${at}']`) as HTMLElement;
};

async function select(...ids: string[]): Promise<void> {
  ids.forEach(id => row(id).dispatchEvent(new MouseEvent('click', { bubbles: true, ctrlKey: true })));
  await settled();
}

async function filterBy(text: string): Promise<void> {
  const box = table.element.querySelector<HTMLInputElement>('input[type=search]') as HTMLInputElement;
  box.value = text;
  box.dispatchEvent(new Event('input'));
  vi.advanceTimersByTime(200); // it asks when nobody types any more
  await settled();
}

const told = (): string => table.element.querySelector('.pj-Panel-doing')?.textContent ?? '';

function press(label: string): void {
  const all = [...table.element.querySelectorAll<HTMLElement>('button')];
  all.find(one => one.textContent === label)?.click();
}

describe('a filter', () => {
  it('that is refused is marked as wrong, until it is another', async () => {
    const box = table.element.querySelector('input[type=search]');
    expect(box?.getAttribute('aria-invalid')).toBe('false');
    await filterBy('nope<1');
    expect(box?.getAttribute('aria-invalid')).toBe('true');
    expect(table.element.textContent).toContain('no such value');
    await filterBy('sweep');
    expect(box?.getAttribute('aria-invalid')).toBe('false');
  });
});

describe('a selection', () => {
  it('drops what the filter hides, and keeps the others', async () => {
    await select('j1', 'j2', 'j3');
    expect(told()).toBe('3 selected');
    await filterBy('tag:ten');
    expect(told()).toBe('1 selected');
    press('Delete');
    expect(table.element.querySelector('.pj-JobView-confirm')?.textContent).toContain(
      'Delete sweep (j3) with all logs'
    );
    await filterBy('nothing');
    expect([told(), table.element.querySelector('.pj-JobView-confirm')]).toEqual(['0 of 4 jobs', null]);
    await filterBy('');
    expect(told()).toBe('4 jobs');
  });

  it('does nothing as long as nobody knows what the filter hides', async () => {
    await select('j1', 'j2');
    refused = new Error('The server is away.');
    await filterBy('tag:ten');
    expect(told()).toBe('4 jobs');
    table.element.querySelector('.pj-Table-grid')?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Delete' }));
    await settled();
    expect([table.element.querySelector('.pj-JobView-confirm'), act.done]).toEqual([null, []]);
  });

  it('is named in a question by what tells jobs of one name apart', async () => {
    await select('j1', 'j2', 'j4');
    press('Delete');
    const asked = table.element.querySelector('.pj-JobView-confirm')?.textContent ?? '';
    expect(asked).toContain('Delete sweep · lr=0.1 (j1), sweep · lr=0.2 (j2), ten (j4) with all logs');
    press('Delete');
    await settled();
    expect(act.done).toEqual([['remove', ['j1', 'j2', 'j4']]]);
  });
});

describe('a right click', () => {
  const items = (): HTMLElement[] => [
    ...table.element.querySelectorAll<HTMLElement>('.pj-Table-rowMenu [role=menuitem]')
  ];
  const grid = (): HTMLElement => table.element.querySelector<HTMLElement>('.pj-Table-grid') as HTMLElement;
  const ask = (on: HTMLElement): boolean =>
    on.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }));

  it('offers all that can be done with a job, which is selected then', async () => {
    await select('j1');
    expect(ask(row('j2').firstElementChild as HTMLElement)).toBe(false); // nobody else has a menu for it
    await settled();
    expect(row('j2').getAttribute('aria-selected')).toBe('true');
    expect(told()).toBe('1 selected');
    const labels = items().map(item => item.textContent);
    expect(labels).toEqual(expect.arrayContaining(['Open', 'Rerun…', 'Rerun as it was', 'TensorBoard', 'Delete']));
    items()
      .find(item => item.textContent === 'Open')
      ?.click();
    await settled();
    expect(act.done).toEqual([['open', 'j2']]);
    expect(document.activeElement).toBe(grid());
  });

  it('is about all that are selected where it is on one of them, by key too, and asks before a rerun', async () => {
    await select('j1', 'j2');
    grid().focus();
    ask(grid());
    items()
      .find(item => item.textContent === 'Rerun as it was')
      ?.click();
    await settled();
    const question = table.element.querySelector('.pj-JobView-confirm');
    expect(question?.textContent).toContain('Rerun sweep · lr=0.1 (j1), sweep · lr=0.2 (j2) as they were?');
    press('Rerun');
    await settled();
    expect(act.done).toEqual([['rerun', ['j1', 'j2']]]);
  });
});
