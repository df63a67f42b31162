/**
 * The table itself: a grid of WAI-ARIA, of which only what is in sight is drawn, in both directions.
 *
 *   arrows, Home, End, PageUp, PageDown   move; with Ctrl Home and End go to the first and last line
 *   Space   selects a job, with Shift as far as the one selected before; Shift and arrows select on the way
 *   Shift+F10   offers what can be done with the selected jobs, as a right click does
 *   Enter   opens a job, opens or closes a group, on a heading its menu
 *   Ctrl+A, Escape, Delete   selects all, selects none, deletes what is selected
 *
 * Rule 1: the grid has the focus, and says which cell is active; what is scrolled out of sight may lose its elements.
 * Rule 2: one drawing for each frame of the screen, whatever has changed.
 */

import { Disposables, element } from '../parts/dom.js';
import type { Say } from '../tokens.js';
import { cellText, headingOf } from './cells.js';
import { MOST_CHOSEN, RowChoice } from './choice.js';
import { HeaderCell } from './header.js';
import { GROUP, inSight, layOut, type PlacedColumn, totalWidth } from './layout.js';
import type { TableLines } from './lines.js';
import type { TableLine } from './protocol.js';
import { RowElement, setPlace } from './row.js';
import { type TableState, withWidth } from './state.js';

export const ROW_HEIGHT = 28; // as the styles have it
const MARGIN = 6; // lines drawn above and below
const USUAL_VIEWPORT = 600;
let grids = 0;

export interface GridHost {
  readonly say: Say;
  readonly lines: TableLines;
  state(): TableState;
  change(state: TableState): void;
  isOpen(group: string): boolean;
  toggle(group: string): void;
  open(line: TableLine): void;
  remove(): void;
  chosen(): void;
  /** Offer, at this place of the screen, what can be done with the selected jobs. */
  menu(x: number, y: number): void;
  /** Tell a screen reader. */
  announce(text: string): void;
}

export class TableGrid {
  readonly element: HTMLElement;
  readonly choice = new RowChoice(line => this.#valuesOf(line));
  readonly #host: GridHost;
  readonly #prefix = `pj-table-${(grids += 1)}-`;
  readonly #header = element('div', { role: 'row', class: 'pj-Table-row pj-Table-header', 'aria-rowindex': 1 });
  readonly #body = element('div', { role: 'rowgroup', class: 'pj-Table-body' });
  readonly #rows = new Map<number, RowElement>();
  readonly #headings = new Map<string, HeaderCell>();
  readonly #lasting = new Disposables();
  #columns: readonly PlacedColumn[] = [];
  #places: readonly number[] = [];
  #previewed: readonly [key: string, width: number] | null = null; // while its edge is dragged
  #laidOut: readonly unknown[] = [undefined]; // what the columns were placed for
  #framed: readonly unknown[] = []; // what was drawn around the rows
  #line = 0; // where the keyboard is; -1: on the headings
  #column = 0;
  #active: HTMLElement | undefined;
  #frame = 0;

  constructor(host: GridHost) {
    this.#host = host;
    this.element = element('div', {
      role: 'grid',
      class: 'pj-Table-grid',
      tabindex: 0,
      'aria-multiselectable': 'true'
    });
    this.element.setAttribute('aria-label', host.say('Runs'));
    this.element.append(element('div', { role: 'rowgroup', class: 'pj-Table-head' }, this.#header), this.#body);
    this.#lasting.listen(this.element, 'scroll', () => this.redraw());
    this.#lasting.listen(this.element, 'keydown', event => this.#pressed(event));
    this.#lasting.listen(this.#body, 'click', event => this.#clicked(event));
    this.#lasting.listen(this.element, 'contextmenu', event => this.#menuAsked(event));
    this.#lasting.listen(this.#body, 'dblclick', event => this.#openAt(this.#placeOf(event)));
    this.#lasting.listen(this.element, 'focus', () => this.redraw());
    const observer = new ResizeObserver(() => this.redraw());
    observer.observe(this.element);
    this.#lasting.add(() => observer.disconnect());
    this.#lasting.add(() => cancelAnimationFrame(this.#frame));
  }

  /** Draw with the next frame. */
  redraw(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  /** Scroll up to the first line. */
  toTop(): void {
    this.element.scrollTop = 0;
    this.#line = Math.min(this.#line, 0);
  }

  dispose(): void {
    this.#lasting.dispose();
    this.#headings.forEach(heading => heading.dispose());
  }

  // ---- drawing

  #draw(): void {
    const span = this.#span(); // read before anything is written, which would have the page laid out twice
    const { scrollLeft, clientWidth } = this.element;
    this.#layOut();
    this.element.toggleAttribute('data-shifted', scrollLeft > 0); // CSS pins no column before
    const places = inSight(this.#columns, scrollLeft, clientWidth || USUAL_VIEWPORT);
    if (places.join() !== this.#places.join()) {
      this.#places = places;
    }
    this.#drawFrame();
    this.#drawRows(span);
    this.#tellActive();
  }

  /** What is around the rows, if it is another than before. */
  #drawFrame(): void {
    const { lines, state } = this.#host;
    const drawn = [this.#columns, this.#places, state(), lines.answered, lines.count, lines.isKnown];
    if (drawn.every((one, at) => one === this.#framed[at])) {
      return;
    }
    this.#framed = drawn;
    const width = totalWidth(this.#columns);
    this.#body.style.height = `${lines.count * ROW_HEIGHT}px`;
    this.#body.style.width = this.#header.style.width = `${width}px`;
    this.element.setAttribute('aria-rowcount', String(lines.count + 1));
    this.element.setAttribute('aria-colcount', String(this.#columns.length));
    this.element.setAttribute('aria-busy', String(!lines.isKnown));
    this.element.setAttribute('role', lines.answered?.group ? 'treegrid' : 'grid'); // only one of a tree has open lines
    this.#drawHeader();
  }

  /** Place the columns anew where that may have changed. */
  #layOut(): void {
    const { lines, state } = this.#host;
    const laidOut = [state(), lines.columns, lines.answered, this.#previewed]; // none of which is ever changed
    if (laidOut.some((one, at) => one !== this.#laidOut[at])) {
      this.#laidOut = laidOut;
      const { columns: asked = [], group = '' } = lines.answered ?? {};
      const kept = { ...state(), group: group ?? '' };
      const shown = this.#previewed ? withWidth(kept, ...this.#previewed) : kept;
      this.#columns = layOut(shown, lines.columns, asked, column => headingOf(column, this.#host.say));
      this.#places = [];
      this.#column = Math.max(0, Math.min(this.#column, this.#columns.length - 1));
    }
  }

  #drawHeader(): void {
    const kept = new Set<string>();
    let before: PlacedColumn | undefined;
    let next = this.#header.firstElementChild;
    for (const place of this.#places) {
      const placed = this.#columns[place];
      if (!placed) {
        continue;
      }
      const { key } = placed.column;
      const heading = this.#headings.get(key) ?? this.#heading(placed);
      kept.add(key);
      heading.draw(placed);
      setPlace(heading.element, placed, place, before);
      if (heading.element === next) {
        next = next.nextElementSibling;
      } else {
        this.#header.insertBefore(heading.element, next);
      }
      before = placed;
    }
    for (const [key, heading] of this.#headings) {
      if (!kept.has(key)) {
        heading.dispose();
        this.#headings.delete(key);
      }
    }
  }

  #heading(placed: PlacedColumn): HeaderCell {
    const { say, state, change, lines } = this.#host;
    const made = new HeaderCell(
      {
        say,
        state,
        change,
        all: () => lines.columns,
        preview: (key, width) => {
          this.#previewed = width === null ? null : [key, width];
          this.redraw();
        },
        columnAt: x => this.#columnAt(x),
        focus: () => this.element.focus({ preventScroll: true })
      },
      placed
    );
    this.#headings.set(placed.column.key, made);
    return made;
  }

  #drawRows([first, last]: readonly [first: number, last: number]): void {
    const { lines, say, isOpen } = this.#host;
    lines.want(first, last);
    const spare = [...this.#rows].filter(([at]) => at < first || at >= last);
    const group = lines.answered?.group ?? '';
    const grouped = lines.columns.find(column => column.key === group) ?? null;
    for (let at = first; at < last; at += 1) {
      const row = this.#rows.get(at) ?? this.#row(at, spare.pop());
      const line = lines.at(at);
      row.draw(line, this.#columns, this.#places, { say, grouped, isOpen });
      if (line) {
        this.choice.update(line);
      }
      row.mark(this.choice.has(line), at === this.#line);
    }
    for (const [at, row] of spare) {
      this.#rows.delete(at);
      row.element.remove();
    }
  }

  #row(at: number, spare: readonly [number, RowElement] | undefined): RowElement {
    const row = spare?.[1] ?? new RowElement();
    if (spare) {
      this.#rows.delete(spare[0]);
    } else {
      this.#body.append(row.element);
    }
    this.#rows.set(at, row);
    row.element.dataset['at'] = String(at);
    row.element.setAttribute('aria-rowindex', String(at + 2));
    row.element.style.transform = `translateY(${at * ROW_HEIGHT}px)`;
    return row;
  }

  #span(): readonly [first: number, last: number] {
    const { count } = this.#host.lines;
    const viewport = this.element.clientHeight || USUAL_VIEWPORT;
    const top = Math.min(this.element.scrollTop, Math.max(0, count * ROW_HEIGHT - viewport + ROW_HEIGHT));
    const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - MARGIN);
    return [first, Math.min(count, Math.ceil((top + viewport) / ROW_HEIGHT) + MARGIN)];
  }

  #tellActive(): void {
    const key = this.#columns[this.#column]?.column.key ?? '';
    const isHeading = this.#line < 0;
    const cell = isHeading ? this.#headings.get(key)?.element : this.#rows.get(this.#line)?.cellAt(this.#column);
    if (this.#active !== cell) {
      this.#active?.removeAttribute('data-cell-active');
      this.#active?.removeAttribute('id'); // its element may be used for another line
    }
    this.#active = cell;
    if (cell) {
      cell.id = `${this.#prefix}${isHeading ? 'h' : this.#line}-${this.#column}`;
      cell.toggleAttribute('data-cell-active', true);
      this.element.setAttribute('aria-activedescendant', cell.id);
    } else {
      this.element.removeAttribute('aria-activedescendant');
    }
  }

  // ---- mouse

  /** The values of this line that are known: of the columns that it was asked with. */
  #valuesOf({ cells }: TableLine): string[] {
    const { lines, say } = this.#host;
    const known = new Map(lines.columns.map(column => [column.key, column]));
    return (lines.answered?.columns ?? []).flatMap((key, at) => {
      const column = known.get(key);
      const text = column?.part === 'value' ? cellText(cells[at], column, say) : '';
      return column && text ? [`${headingOf(column, say)}=${text}`] : [];
    });
  }

  #placeOf({ target }: Event): number {
    const row = target instanceof Element ? target.closest<HTMLElement>('.pj-Table-row') : null;
    return row?.dataset['at'] === undefined ? -1 : Number(row.dataset['at']);
  }

  #columnAt(x: number): string | null {
    const { left } = this.element.getBoundingClientRect();
    const inside = x - left;
    const scrolled = inside + this.element.scrollLeft;
    const hit =
      this.#columns.find(({ isPinned, ...at }) => isPinned && at.left <= inside && inside < at.left + at.width) ??
      this.#columns.find(({ isPinned, ...at }) => !isPinned && at.left <= scrolled && scrolled < at.left + at.width);
    return hit?.column.key ?? null;
  }

  #clicked(event: MouseEvent): void {
    const at = this.#placeOf(event);
    const line = this.#host.lines.at(at);
    const cell = event.target instanceof Element ? event.target.closest('[aria-colindex]') : null;
    if (!line) {
      return;
    }
    this.#line = at;
    this.#column = Number(cell?.getAttribute('aria-colindex') ?? 1) - 1;
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
    const isByKey = event.target === this.element;
    const at = isByKey ? this.#line : this.#placeOf(event);
    const line = this.#host.lines.at(at);
    if (event.shiftKey || line?.id === undefined) {
      return; // JupyterLab has the browser's own menu with Shift
    }
    event.preventDefault();
    event.stopPropagation();
    if (!this.choice.has(line)) {
      this.choice.press(line, false);
      this.choice.anchor = at;
    }
    this.#line = at;
    this.#chosen();
    const { left = 0, bottom = 0 } = (isByKey && this.#active?.getBoundingClientRect()) || {};
    this.#host.menu(isByKey ? left : event.clientX, isByKey ? bottom : event.clientY);
  }

  #openAt(at: number): void {
    const line = this.#host.lines.at(at);
    if (line?.id !== undefined) {
      this.#host.open(line);
    }
  }

  // ---- keys

  #pressed(event: KeyboardEvent): void {
    if (event.target !== this.element || event.altKey) {
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
    const line = this.#line < 0 ? undefined : this.#host.lines.at(this.#line);
    if (this.#line < 0 && (key === 'Enter' || key === ' ' || key === 'ContextMenu')) {
      this.#headings.get(this.#columns[this.#column]?.column.key ?? GROUP)?.openMenu();
    } else if (key === 'Enter' && line?.group !== undefined) {
      this.#host.toggle(line.group);
    } else if (key === 'Enter' && line) {
      this.#openAt(this.#line);
    } else if (key === ' ' && shiftKey) {
      void this.#chooseTo(this.#line);
    } else if (key === ' ' && line) {
      this.choice.press(line, true);
      this.choice.anchor = this.#line;
      this.#chosen();
    } else if (isCommand && key.toLowerCase() === 'a') {
      this.choice.anchor = 0;
      void this.#chooseTo(this.#host.lines.count - 1);
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
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW_HEIGHT) - 2);
    const [lines, columns] = [this.#host.lines.count, this.#columns.length];
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
    const least = key === 'ArrowUp' || this.#line < 0 ? -1 : 0; // only an arrow goes up to the headings
    this.#line = Math.max(least, Math.min(lines - 1, this.#line + move[0]));
    this.#column = Math.max(0, Math.min(columns - 1, this.#column + move[1]));
    this.#reveal();
    if (event.shiftKey && move[0] !== 0 && this.#line >= 0) {
      void this.#chooseTo(this.#line);
    }
    this.redraw();
    return true;
  }

  /** Scroll so that the active cell is in sight. */
  #reveal(): void {
    const { element: box } = this;
    const viewport = (box.clientHeight || USUAL_VIEWPORT) - ROW_HEIGHT; // the headings cover a line
    if (this.#line >= 0) {
      const top = this.#line * ROW_HEIGHT;
      this.#body.style.height = `${this.#host.lines.count * ROW_HEIGHT}px`;
      box.scrollTop = Math.max(top + ROW_HEIGHT - viewport, Math.min(box.scrollTop, top));
    }
    const placed = this.#columns[this.#column];
    if (placed && !placed.isPinned) {
      const pinned = this.#columns.reduce((width, { isPinned, ...at }) => width + (isPinned ? at.width : 0), 0);
      const least = placed.left + placed.width - (box.clientWidth || USUAL_VIEWPORT);
      box.scrollLeft = Math.max(least, Math.min(box.scrollLeft, placed.left - pinned));
    }
  }

  /** Choose all jobs from the one where a range begins to this line. */
  async #chooseTo(at: number): Promise<void> {
    const anchor = this.choice.anchor < 0 ? at : this.choice.anchor;
    const [first, last] = [Math.min(anchor, at), Math.max(anchor, at) + 1];
    const { lines, say, announce } = this.#host;
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
    this.redraw();
    this.#host.chosen();
  }
}
