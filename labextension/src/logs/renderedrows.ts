/**
 * The rows that are in the page: a few dozen elements, in their order, used again as one scrolls.
 *
 * Rule: a row keeps its element as long as its line is drawn, and is filled anew only where its line or its marks have
 * changed; so what is selected in it stays selected.
 */

import { element } from '../parts/dom.js';
import type { RowSource } from './logrows.js';
import type { Line } from './linecache.js';

/** Fill `place` with this row; returns how many characters wide it is. */
export type DrawRow = (place: HTMLElement, row: number, line: Line | undefined) => number;

export interface RowRange {
  readonly first: number;
  readonly last: number; // the first row behind it
}

interface Row {
  readonly element: HTMLElement;
  line: Line | undefined;
  revision: number;
}

export class RenderedRows {
  readonly element = element('div');
  /** Characters of the widest row since `forget`. */
  widest = 0;
  readonly #draw: DrawRow;
  readonly #orphaned: () => void;
  readonly #rows = new Map<number, Row>();
  #revision = 1;

  /** `orphaned` is called when a row goes that has the focus. */
  constructor(draw: DrawRow, orphaned: () => void) {
    this.#draw = draw;
    this.#orphaned = orphaned;
  }

  /** Other rows will be drawn. */
  forget(): void {
    this.widest = 0;
    this.redraw();
  }

  /** What is drawn in every row has changed. */
  redraw(): void {
    this.#revision += 1;
  }

  /** Have these rows in the page, and no others. */
  fill(rows: RowSource, { first, last }: RowRange): void {
    const free = this.#release(first, last);
    let next = this.element.firstElementChild;
    for (let number = first; number < last; number += 1) {
      const row = this.#rows.get(number) ?? free.pop() ?? { element: element('div'), line: undefined, revision: 0 };
      this.#rows.set(number, row);
      if (row.element === next) {
        next = next.nextElementSibling;
      } else {
        this.element.insertBefore(row.element, next);
      }
      this.#paint(row, number, rows.line(number));
    }
  }

  at(row: number): HTMLElement | undefined {
    return this.#rows.get(row)?.element;
  }

  /** The rows from one end of the selection to the other; null where nothing in them is selected. */
  selected(): RowRange | null {
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed) {
      return null;
    }
    const ends = [selection.anchorNode, selection.focusNode].flatMap(node => {
      const found = [...this.#rows].find(([, row]) => row.element.contains(node));
      return found ? [found[0]] : [];
    });
    return ends.length ? { first: Math.min(...ends), last: Math.max(...ends) + 1 } : null;
  }

  #paint(row: Row, number: number, line: Line | undefined): void {
    if (row.line === line && row.revision === this.#revision) {
      return;
    }
    [row.line, row.revision] = [line, this.#revision];
    this.widest = Math.max(this.widest, this.#draw(row.element, number, line));
  }

  /** Take the rows outside of [first, last) out of the page, to be used again. */
  #release(first: number, last: number): Row[] {
    const outside = [...this.#rows].filter(([number]) => number < first || number >= last);
    return outside.map(([number, row]) => {
      this.#rows.delete(number);
      if (row.element.contains(document.activeElement)) {
        this.#orphaned();
      }
      row.element.remove();
      return { ...row, revision: 0 };
    });
  }
}
