/**
 * Mouse and keys of the table: where the keyboard is, what is selected, and what is asked for.
 *
 *   arrows, Home, End, PageUp, PageDown   move; with Ctrl Home and End go to the first and last line
 *   Space   selects a job, with Shift as far as the one selected before; Shift and arrows select on the way
 *   Shift+F10   offers what can be done with the selected jobs, as a right click does
 *   Enter   opens a job, opens or closes a group, on a heading its menu
 *   Ctrl+A, Escape, Delete   selects all, selects none, deletes what is selected
 */

import type { Disposables } from '../parts/dom.js';
import type { Say } from '../tokens.js';
import { MOST_CHOSEN, RowChoice } from './choice.js';
import { GROUP, type PlacedColumn, ROW_HEIGHT, USUAL_VIEWPORT } from './layout.js';
import type { TableLines } from './lines.js';
import type { TableLine } from './protocol.js';

/** What is asked of the host. */
export interface InputHost {
  readonly say: Say;
  toggle(group: string): void;
  open(line: TableLine): void;
  remove(): void;
  chosen(): void;
  /** Offer, at this place of the screen, what can be done with the selected jobs. */
  menu(x: number, y: number): void;
  /** Tell a screen reader. */
  announce(text: string): void;
}

/** What is asked of the grid. */
export interface InputGrid {
  readonly element: HTMLElement;
  readonly body: HTMLElement;
  readonly lines: TableLines;
  readonly columns: readonly PlacedColumn[];
  readonly activeCell: HTMLElement | undefined;
  redraw(): void;
  openMenu(column: string): void;
  /** What tells a job from others of its name, as far as it is known. */
  valuesOf(line: TableLine): readonly string[];
}

export class GridInput {
  readonly choice: RowChoice;
  line = 0; // where the keyboard is; -1: on the headings
  column = 0;
  readonly #grid: InputGrid;
  readonly #host: InputHost;

  constructor(grid: InputGrid, host: InputHost) {
    this.#grid = grid;
    this.#host = host;
    this.choice = new RowChoice(line => grid.valuesOf(line));
  }

  listen(lasting: Disposables): void {
    const { element, body } = this.#grid;
    lasting.listen(element, 'keydown', event => this.#pressed(event));
    lasting.listen(body, 'click', event => this.#clicked(event));
    lasting.listen(element, 'contextmenu', event => this.#menuAsked(event));
    lasting.listen(body, 'dblclick', event => this.#openAt(this.#placeOf(event)));
  }

  #placeOf({ target }: Event): number {
    const row = target instanceof Element ? target.closest<HTMLElement>('.pj-Table-row') : null;
    return row?.dataset['at'] === undefined ? -1 : Number(row.dataset['at']);
  }

  #clicked(event: MouseEvent): void {
    const at = this.#placeOf(event);
    const line = this.#grid.lines.at(at);
    const cell = event.target instanceof Element ? event.target.closest('[aria-colindex]') : null;
    if (!line) {
      return;
    }
    this.line = at;
    this.column = Number(cell?.getAttribute('aria-colindex') ?? 1) - 1;
    if (line.group !== undefined) {
      this.#host.toggle(line.group);
    } else if (event.shiftKey) {
      void this.#chooseTo(at);
      return;
    } else {
      this.choice.press(line, event.ctrlKey || event.metaKey);
      this.choice.anchor = at;
    }
    this.#chosen();
  }

  /** A right click, or the key for it; of a job that is not selected, that one is. */
  #menuAsked(event: MouseEvent): void {
    const isByKey = event.target === this.#grid.element;
    const at = isByKey ? this.line : this.#placeOf(event);
    const line = this.#grid.lines.at(at);
    if (event.shiftKey || line?.id === undefined) {
      return; // JupyterLab has the browser's own menu with Shift
    }
    event.preventDefault();
    event.stopPropagation();
    if (!this.choice.has(line)) {
      this.choice.press(line, false);
      this.choice.anchor = at;
    }
    this.line = at;
    this.#chosen();
    const { left = 0, bottom = 0 } = (isByKey && this.#grid.activeCell?.getBoundingClientRect()) || {};
    this.#host.menu(isByKey ? left : event.clientX, isByKey ? bottom : event.clientY);
  }

  #openAt(at: number): void {
    const line = this.#grid.lines.at(at);
    if (line?.id !== undefined) {
      this.#host.open(line);
    }
  }

  #pressed(event: KeyboardEvent): void {
    if (event.target !== this.#grid.element || event.altKey) {
      return;
    }
    const isOurs = this.#act(event) || this.#move(event);
    if (isOurs) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  #act(event: KeyboardEvent): boolean {
    const { key, shiftKey } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    const line = this.line < 0 ? undefined : this.#grid.lines.at(this.line);
    if (this.line < 0 && (key === 'Enter' || key === ' ' || key === 'ContextMenu')) {
      this.#grid.openMenu(this.#grid.columns[this.column]?.column.key ?? GROUP);
    } else if (key === 'Enter' && line?.group !== undefined) {
      this.#host.toggle(line.group);
    } else if (key === 'Enter' && line) {
      this.#openAt(this.line);
    } else if (key === ' ' && shiftKey) {
      void this.#chooseTo(this.line);
    } else if (key === ' ' && line) {
      this.choice.press(line, true);
      this.choice.anchor = this.line;
      this.#chosen();
    } else if (isCommand && key.toLowerCase() === 'a') {
      this.choice.anchor = 0;
      void this.#chooseTo(this.#grid.lines.count - 1);
    } else if (key === 'Escape' && this.choice.rows.length) {
      this.choice.none();
      this.#chosen();
    } else if (key === 'Delete' && this.choice.rows.length) {
      this.#host.remove();
    } else {
      return false;
    }
    return true;
  }

  #move(event: KeyboardEvent): boolean {
    const { key } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    const page = Math.max(1, Math.floor(this.#grid.element.clientHeight / ROW_HEIGHT) - 2);
    const [lines, columns] = [this.#grid.lines.count, this.#grid.columns.length];
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      PageUp: [-page, 0],
      PageDown: [page, 0],
      Home: isCommand ? [-lines, -columns] : [0, -columns],
      End: isCommand ? [lines, columns] : [0, columns]
    };
    const move = moves[key];
    if (!move) {
      return false;
    }
    const least = key === 'ArrowUp' || this.line < 0 ? -1 : 0; // only an arrow goes up to the headings
    this.line = Math.max(least, Math.min(lines - 1, this.line + move[0]));
    this.column = Math.max(0, Math.min(columns - 1, this.column + move[1]));
    this.#reveal();
    if (event.shiftKey && move[0] !== 0 && this.line >= 0) {
      void this.#chooseTo(this.line);
    }
    this.#grid.redraw();
    return true;
  }

  /** Scroll so that the active cell is in sight. */
  #reveal(): void {
    const { element: box } = this.#grid;
    const viewport = (box.clientHeight || USUAL_VIEWPORT) - ROW_HEIGHT; // the headings cover a line
    if (this.line >= 0) {
      const top = this.line * ROW_HEIGHT;
      this.#grid.body.style.height = `${this.#grid.lines.count * ROW_HEIGHT}px`;
      box.scrollTop = Math.max(top + ROW_HEIGHT - viewport, Math.min(box.scrollTop, top));
    }
    const placed = this.#grid.columns[this.column];
    if (placed && !placed.isPinned) {
      const pinned = this.#grid.columns.reduce((width, { isPinned, ...at }) => width + (isPinned ? at.width : 0), 0);
      const least = placed.left + placed.width - (box.clientWidth || USUAL_VIEWPORT);
      box.scrollLeft = Math.max(least, Math.min(box.scrollLeft, placed.left - pinned));
    }
  }

  /** Choose all jobs from the one where a range begins to this line. */
  async #chooseTo(at: number): Promise<void> {
    const anchor = this.choice.anchor < 0 ? at : this.choice.anchor;
    const [first, last] = [Math.min(anchor, at), Math.max(anchor, at) + 1];
    const { lines } = this.#grid;
    const { say, announce } = this.#host;
    const stop = Math.min(last, first + MOST_CHOSEN);
    let found: readonly (TableLine | undefined)[] = Array.from({ length: stop - first }, (_, n) => lines.at(first + n));
    if (found.includes(undefined)) {
      found = await lines.range(first, stop).catch(() => []);
    }
    this.choice.anchor = anchor;
    this.choice.only(found.filter(line => line !== undefined));
    if (last > stop) {
      announce(say('At most {count} jobs can be selected at once.', { count: MOST_CHOSEN }));
    }
    this.#chosen();
  }

  #chosen(): void {
    this.#grid.redraw();
    this.#host.chosen();
  }
}
