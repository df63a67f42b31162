// @vitest-environment jsdom
/** Columns are made wider with the pointer. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { panelSay } from '../../src/panel/translation.js';
import { TableGrid } from '../../src/table/grid.js';
import { TableLines } from '../../src/table/lines.js';
import type { TableAnswer } from '../../src/table/protocol.js';
import { NEW_STATE, type TableState } from '../../src/table/state.js';
import { turns } from '../turns.js';

const ANSWER: TableAnswer = {
  version: '1',
  lines: [{ id: 'a', name: 'iris', status: 'running', is_here: true, cells: ['iris'] }],
  count: 1,
  jobs: 1,
  total: 1,
  columns: [{ key: 'job:name', title: 'name', part: 'job', kind: 'text', is_shown: true }]
};

let grid: TableGrid;
let kept: TableState[];
let state: TableState;

beforeEach(async () => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {}
      disconnect(): void {}
    }
  );
  [kept, state] = [[], NEW_STATE];
  const lines = new TableLines(
    { columns: ['job:name'] },
    () => Promise.resolve(ANSWER),
    () => grid.redraw()
  );
  grid = new TableGrid({
    say: panelSay('en'),
    lines,
    state: () => state,
    change: next => {
      kept.push((state = next));
      grid.redraw();
    },
    isOpen: () => false,
    toggle: () => undefined,
    open: () => undefined,
    remove: () => undefined,
    chosen: () => undefined,
    menu: () => undefined,
    announce: () => undefined
  });
  document.body.append(grid.element);
  lines.want(0, 10);
  await turns();
});

afterEach(() => {
  grid.dispose();
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

function point(type: string, clientX: number): void {
  const edge = grid.element.querySelector('.pj-Table-edge');
  edge?.dispatchEvent(new MouseEvent(type, { clientX, bubbles: true, cancelable: true }));
}

const width = (): string => grid.element.querySelector<HTMLElement>('.pj-Table-heading')?.style.width ?? '';

it('shows the width on the way, and keeps it once, when the pointer is let go', async () => {
  expect(width()).toBe('200px');
  point('pointerdown', 100);
  for (const x of [110, 130, 150]) {
    point('pointermove', x);
    await turns();
  }
  expect([width(), kept]).toEqual(['250px', []]);
  point('pointerup', 160);
  await turns();
  expect([width(), kept.map(({ widths }) => widths)]).toEqual(['260px', [{ 'job:name': 260 }]]);
});

it('is as wide as before where the pointer is taken away, or was not moved', async () => {
  point('pointerdown', 100);
  point('pointermove', 150);
  point('pointercancel', 150);
  await turns();
  point('pointerdown', 100);
  point('pointerup', 100);
  await turns();
  expect([width(), kept]).toEqual(['200px', []]);
});
