/** A line of the table as it is drawn. Elements are used again for other lines: only texts change while one scrolls. */

import { element, setText } from '../parts/dom.js';
import type { Say } from '../tokens.js';
import { cellText, isNumeric } from './cells.js';
import { GROUP, type PlacedColumn } from './layout.js';
import type { TableColumn, TableLine } from './protocol.js';

export interface RowContext {
  readonly say: Say;
  /** The column of the groups as jobs have it; null where nothing is grouped. */
  readonly grouped: Pick<TableColumn, 'key' | 'kind'> | null;
  isOpen(group: string): boolean;
}

export class RowElement {
  readonly element = element('div', { role: 'row', class: 'pj-Table-row' });
  #cells: HTMLElement[] = [];
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
        const text = line ? textOf(line, column, context) : at === 0 ? '…' : '';
        setText(cell, text);
        cell.title = text.length > 12 ? text : '';
        if (column.isPinned) {
          cell.setAttribute('role', text ? 'rowheader' : 'gridcell'); // one without text is no heading of its row
        }
        const status = column.column.key === 'job:status' ? line?.status : undefined;
        cell.toggleAttribute('data-status', status !== undefined);
        if (status !== undefined) {
          cell.dataset['status'] = status;
        }
      }
    });
  }

  /** The element of the cell in this column, if it is drawn. */
  cellAt(place: number): HTMLElement | undefined {
    return this.#cells[this.#places.indexOf(place)];
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
