// @vitest-environment jsdom
import { beforeEach, expect, it } from 'vitest';

import { openCellLine } from '../../src/lab/notebook.js';

interface FakeNotebook {
  content: { widgets: object[]; activeCellIndex: number };
  outputs: HTMLElement[];
  done: unknown[];
}

/** A notebook of three cells, whose editors write down what is done to them. */
function notebook(): FakeNotebook {
  const done: unknown[] = [];
  const outputs = [0, 1, 2].map(() => document.createElement('div'));
  const widgets = outputs.map((output, index) => {
    const node = document.createElement('div');
    node.append(output);
    const editor = {
      setCursorPosition: (position: unknown) => done.push([index, position]),
      focus: () => done.push([index, 'focus']),
      revealPosition: () => undefined
    };
    return { node, editor, inputHidden: true };
  });
  return { content: { widgets, activeCellIndex: 0 }, outputs, done };
}

let first: FakeNotebook;
let second: FakeNotebook;
const output = (index: number): HTMLElement => second.outputs[index] ?? document.createElement('div');

beforeEach(() => {
  first = notebook();
  second = notebook();
});

const shell = (...widgets: object[]): { widgets: () => object[] } => ({ widgets: () => widgets });

it('puts the cursor on the line of the cell that holds the view', () => {
  openCellLine(shell(first, second), output(1), 7);
  expect(second.done).toEqual([[1, { line: 6, column: 0 }], [1, 'focus']]);
  expect(second.content.activeCellIndex).toBe(1);
  expect(first.done).toEqual([]);
});

it('opens a cell whose source was folded away', () => {
  openCellLine(shell(second), output(2), 1);
  expect(second.content.widgets[2]).toMatchObject({ inputHidden: false });
});

it.each<[string, object]>([
  ['no content', {}], ['a content without cells', { content: {} }], ['no list of cells', { content: { widgets: 7 } }],
  ['an empty cell', { content: { widgets: [{}] } }], ['nothing', { content: null }]
])('passes over a widget with %s', (_, other) => {
  openCellLine(shell(other, second), output(0), 1);
  expect(second.done).toHaveLength(2);
});

it('does nothing where the view is in no cell', () => {
  openCellLine(shell(first, second), document.createElement('div'), 1);
  expect([first.done, second.done]).toEqual([[], []]);
});
