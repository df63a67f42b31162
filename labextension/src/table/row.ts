/** A line of the table as it is drawn. Elements are used again for other lines: only texts change while one scrolls. */

import { element } from '../parts/dom.js';
import type { Say } from '../tokens.js';
import { cellText, isNumeric } from './cells.js';
import { GROUP, type PlacedColumn } from './layout.js';
import type { TableColumn, TableLine } from './protocol.js';

const SHORT = 12; // letters that every column has room for

export interface RowContext {
  readonly say: Say;
  /** The column of the groups as jobs have it; null where nothing is grouped. */
  readonly grouped: Pick<TableColumn, 'key' | 'kind'> | null;
  isOpen(group: string): boolean;
}

export class RowElement {
  readonly element = element('div', { role: 'row', class: 'pj-Table-row' });
  #cells: HTMLElement[] = [];
  #texts: string[] = []; // of the cells
  #columns: readonly PlacedColumn[] = [];
  #places: readonly number[] = [];
  #drawn: readonly unknown[] = []; // what it shows

  /** Draw this line; undefined: it is not known yet. `places`: the columns that are drawn, by their places. */
  draw(
    line: TableLine | undefined,
    columns: readonly PlacedColumn[],
    places: readonly number[],
    context: RowContext
  ): void {
    const isOpen = line?.group !== undefined && context.isOpen(line.group);
    const drawn = [line, columns, places, context.grouped, isOpen];
    if (this.#drawn.length && drawn.every((one, at) => one === this.#drawn[at])) {
      return; // as it is while one scrolls, but for the few lines that come into sight
    }
    this.#drawn = drawn;
    if (columns !== this.#columns || places !== this.#places) {
      this.#build(columns, places);
    }
    this.element.toggleAttribute('data-group', line?.group !== undefined);
    if (line?.group === undefined || !context.grouped) {
      this.element.removeAttribute('aria-expanded');
    } else {
      this.element.setAttribute('aria-expanded', String(isOpen));
    }
    places.forEach((place, at) => {
      const column = columns[place];
      const cell = this.#cells[at];
      if (column && cell) {
        this.#drawCell(cell, at, column, line ? textOf(line, column, context) : at === 0 ? '…' : '');
        if (column.column.key === 'job:status') {
          setOrRemove(cell, 'data-status', line?.status);
        }
      }
    });
  }

  /** Draw whether it is selected, and whether the keyboard is in it. */
  mark(isSelected: boolean, isActive: boolean): void {
    setOrRemove(this.element, 'aria-selected', String(isSelected));
    this.element.toggleAttribute('data-active', isActive);
  }

  /** The element of the cell in this column, if it is drawn. */
  cellAt(place: number): HTMLElement | undefined {
    return this.#cells[this.#places.indexOf(place)];
  }

  /** Most cells of a line that is used again change, and some do not: those that all jobs share, or without any. */
  #drawCell(cell: HTMLElement, at: number, { isPinned }: PlacedColumn, text: string): void {
    if (this.#texts[at] === text) {
      return;
    }
    this.#texts[at] = text;
    cell.textContent = text;
    setOrRemove(cell, 'title', text.length > SHORT ? text : undefined);
    if (isPinned) {
      setOrRemove(cell, 'role', text ? 'rowheader' : 'gridcell'); // one without text is no heading of its row
    }
  }

  #build(columns: readonly PlacedColumn[], places: readonly number[]): void {
    this.#columns = columns;
    this.#places = places;
    this.#cells = places.map((place, at) => {
      const column = columns[place];
      const made = element('div', { role: 'gridcell', class: 'pj-Table-cell' });
      if (column) {
        setPlace(made, column, place, columns[places[at - 1] ?? -1]);
        made.classList.toggle('pj-mod-number', isNumeric(column.column) && column.column.key !== GROUP);
      }
      return made;
    });
    this.#texts = [];
    this.element.replaceChildren(...this.#cells);
  }
}

/** Set width and place; columns that are left out before it are a margin. */
export function setPlace(
  cell: HTMLElement,
  { left, width, isPinned }: PlacedColumn,
  place: number,
  before: PlacedColumn | undefined
): void {
  cell.style.width = `${width}px`;
  cell.style.marginLeft = `${left - (before ? before.left + before.width : 0)}px`;
  cell.style.left = isPinned ? `${left}px` : '';
  cell.classList.toggle('pj-mod-pinned', isPinned);
  cell.setAttribute('aria-colindex', String(place + 1));
}

/** Set an attribute where it is another one: to set it again would have the page styled again. */
function setOrRemove(node: Element, name: string, value: string | undefined): void {
  if (value === undefined) {
    node.removeAttribute(name);
  } else if (node.getAttribute(name) !== value) {
    node.setAttribute(name, value);
  }
}

function textOf(line: TableLine, { column, cell }: PlacedColumn, context: RowContext): string {
  const { say, grouped } = context;
  if (column.key !== GROUP) {
    return cellText(line.cells[cell], column, say);
  }
  if (line.group === undefined || !grouped) {
    return '';
  }
  const own = cellText(line.cell, grouped, say) || say('(none)');
  return `${context.isOpen(line.group) ? '▾' : '▸'} ${own} (${line.count ?? 0})`;
}
