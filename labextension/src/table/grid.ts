/**
 * The table itself: a grid of WAI-ARIA, of which only what is in sight is drawn, in both directions. Mouse and keys:
 * gridinput.ts.
 *
 * Rule 1: the grid has the focus, and says which cell is active; what is scrolled out of sight may lose its elements.
 * Rule 2: one drawing for each frame of the screen, whatever has changed.
 */

import { Disposables, element } from '../parts/dom.js';
import { cellText, headingOf } from './cells.js';
import type { RowChoice } from './choice.js';
import { GridInput, type InputHost } from './gridinput.js';
import { HeaderCell } from './header.js';
import { inSight, layOut, type PlacedColumn, ROW_HEIGHT, totalWidth, USUAL_VIEWPORT } from './layout.js';
import type { TableLines } from './lines.js';
import type { TableLine } from './protocol.js';
import { RowElement, setPlace } from './row.js';
import { type TableState, withWidth } from './state.js';

const MARGIN = 6; // lines drawn above and below
let grids = 0;

export interface GridHost extends InputHost {
  readonly lines: TableLines;
  state(): TableState;
  change(state: TableState): void;
  isOpen(group: string): boolean;
}

export class TableGrid {
  readonly element: HTMLElement;
  readonly #input: GridInput;
  readonly #host: GridHost;
  readonly #prefix = `pj-table-${(grids += 1)}-`;
  readonly #header = element('div', { role: 'row', class: 'pj-Table-row pj-Table-header', 'aria-rowindex': 1 });
  readonly body = element('div', { role: 'rowgroup', class: 'pj-Table-body' });
  readonly #rows = new Map<number, RowElement>();
  readonly #headings = new Map<string, HeaderCell>();
  readonly #lasting = new Disposables();
  columns: readonly PlacedColumn[] = [];
  #places: readonly number[] = [];
  #previewed: readonly [key: string, width: number] | null = null; // while its edge is dragged
  #laidOut: readonly unknown[] = [undefined]; // what the columns were placed for
  #framed: readonly unknown[] = []; // what was drawn around the rows
  activeCell: HTMLElement | undefined;
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
    this.element.append(element('div', { role: 'rowgroup', class: 'pj-Table-head' }, this.#header), this.body);
    this.#lasting.listen(this.element, 'scroll', () => this.redraw());
    this.#lasting.listen(this.element, 'focus', () => this.redraw());
    this.#input = new GridInput(this, host);
    this.#input.listen(this.#lasting);
    const observer = new ResizeObserver(() => this.redraw());
    observer.observe(this.element);
    this.#lasting.add(() => observer.disconnect());
    this.#lasting.add(() => cancelAnimationFrame(this.#frame));
  }

  get choice(): RowChoice {
    return this.#input.choice;
  }

  get lines(): TableLines {
    return this.#host.lines;
  }

  openMenu(column: string): void {
    this.#headings.get(column)?.openMenu();
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
    this.#input.line = Math.min(this.#input.line, 0);
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
    const places = inSight(this.columns, scrollLeft, clientWidth || USUAL_VIEWPORT);
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
    const drawn = [this.columns, this.#places, state(), lines.answered, lines.count, lines.isKnown];
    if (drawn.every((one, at) => one === this.#framed[at])) {
      return;
    }
    this.#framed = drawn;
    const width = totalWidth(this.columns);
    this.body.style.height = `${lines.count * ROW_HEIGHT}px`;
    this.body.style.width = this.#header.style.width = `${width}px`;
    this.element.setAttribute('aria-rowcount', String(lines.count + 1));
    this.element.setAttribute('aria-colcount', String(this.columns.length));
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
      this.columns = layOut(shown, lines.columns, asked, column => headingOf(column, this.#host.say));
      this.#places = [];
      this.#input.column = Math.max(0, Math.min(this.#input.column, this.columns.length - 1));
    }
  }

  #drawHeader(): void {
    const kept = new Set<string>();
    let before: PlacedColumn | undefined;
    let next = this.#header.firstElementChild;
    for (const place of this.#places) {
      const placed = this.columns[place];
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
      row.draw(line, this.columns, this.#places, { say, grouped, isOpen });
      if (line) {
        this.#input.choice.update(line);
      }
      row.mark(this.#input.choice.has(line), at === this.#input.line);
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
      this.body.append(row.element);
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
    const key = this.columns[this.#input.column]?.column.key ?? '';
    const isHeading = this.#input.line < 0;
    const cell = isHeading
      ? this.#headings.get(key)?.element
      : this.#rows.get(this.#input.line)?.cellAt(this.#input.column);
    if (this.activeCell !== cell) {
      this.activeCell?.removeAttribute('data-cell-active');
      this.activeCell?.removeAttribute('id'); // its element may be used for another line
    }
    this.activeCell = cell;
    if (cell) {
      cell.id = `${this.#prefix}${isHeading ? 'h' : this.#input.line}-${this.#input.column}`;
      cell.toggleAttribute('data-cell-active', true);
      this.element.setAttribute('aria-activedescendant', cell.id);
    } else {
      this.element.removeAttribute('aria-activedescendant');
    }
  }

  // ---- what input and headings ask

  /** The values of this line that are known: of the columns that it was asked with. */
  valuesOf({ cells }: TableLine): string[] {
    const { lines, say } = this.#host;
    const known = new Map(lines.columns.map(column => [column.key, column]));
    return (lines.answered?.columns ?? []).flatMap((key, at) => {
      const column = known.get(key);
      const text = column?.part === 'value' ? cellText(cells[at], column, say) : '';
      return column && text ? [`${headingOf(column, say)}=${text}`] : [];
    });
  }

  #columnAt(x: number): string | null {
    const { left } = this.element.getBoundingClientRect();
    const inside = x - left;
    const scrolled = inside + this.element.scrollLeft;
    const hit =
      this.columns.find(({ isPinned, ...at }) => isPinned && at.left <= inside && inside < at.left + at.width) ??
      this.columns.find(({ isPinned, ...at }) => !isPinned && at.left <= scrolled && scrolled < at.left + at.width);
    return hit?.column.key ?? null;
  }
}
