/**
 * A virtual list: as many rows as fit on the screen, over as many lines as there are.
 *
 *   element   what scrolls and has the keyboard          its scroll bar stands for the whole log (`scrollscale.ts`)
 *     sizer   as high as the log, or as the browser lets it be
 *       layer sticks to the top of the view, as high as it
 *         the rows in their order, moved up by what is scrolled out (`renderedrows.ts`)
 *
 * What stays in place is the anchor, a row and how far it is scrolled out: lines that come, go or turn out higher than
 * thought never move what is being read. Only who scrolls moves the anchor; the bar follows it.
 *
 * Rule 1: everything is drawn in one animation frame, and only while somebody can see it.
 * Rule 2: while text in the list is selected it does not follow, and the selected rows stay in the page, up to `HELD`
 *         of them, wherever one scrolls: new lines destroy no selection.
 * Rule 3: following ends when the user moves up, and begins again when they move down to the end.
 */

import { Disposables, element } from '../parts/dom.js';
import { RenderedRows, type DrawRow, type RowRange } from './renderedrows.js';
import type { RowSource } from './logrows.js';
import { keyPixels, observe, wheelPixels } from './gestures.js';
import {
  type Anchor,
  isExact,
  lastPosition,
  placeRows,
  type Placed,
  positionAt,
  rangeOf,
  rowsFor,
  type ScrollScale,
  scrollTopOf
} from './scrollscale.js';

const HELD = 1_000; // rows
const NEAR = 4; // viewports that one move may measure; farther ones go by whole rows
const USUAL_HEIGHT = 18; // pixels of a row, where it cannot be measured

export interface LogListOptions {
  readonly draw: DrawRow;
  /** It follows the end from now on, or does not any more. */
  followed(isFollowing: boolean): void;
}

export class LogList {
  readonly element = element('div', { class: 'pj-JobView-log', role: 'log', 'aria-live': 'off', tabindex: 0 });
  height = USUAL_HEIGHT; // of a row, in pixels
  viewport = 0; // pixels
  readonly #options: LogListOptions;
  readonly #sizer = element('div', { class: 'pj-JobView-logSizer' });
  readonly #layer = element('div', { class: 'pj-JobView-logLayer' });
  readonly #drawn: RenderedRows;
  readonly #lasting = new Disposables();
  #rows: RowSource | null = null;
  #anchor: Anchor = { row: 0, shift: 0 };
  #bar = 0; // where the scroll bar was last known to be
  #moved: 'up' | 'down' | 'bar up' | 'bar down' | null = null; // by the user, since the last frame
  #frame = 0;
  #isShown = false;
  #isInView = true;
  #isFollowing = true;
  #isAtEnd = false;
  #isWrapped = false;

  constructor(options: LogListOptions) {
    this.#options = options;
    this.#drawn = new RenderedRows(options.draw, () => this.element.focus({ preventScroll: true }));
    this.#layer.append(this.#drawn.element);
    this.#sizer.append(this.#layer);
    this.element.append(this.#sizer);
    this.#lasting.listen(this.element, 'scroll', () => this.#dragged());
    this.#lasting.listen(this.element, 'wheel', event => this.#wheeled(event), { passive: false });
    this.#lasting.listen(this.element, 'keydown', event => this.#pressed(event));
    this.#lasting.listen(document, 'selectionchange', () => this.changed());
    const watch = this.#watch();
    this.#lasting.add(() => watch.dispose());
  }

  /** Show other rows: from their end where it follows, else from this one. */
  setRows(rows: RowSource, row = 0): void {
    this.#rows = rows;
    this.#anchor = { row, shift: 0 };
    this.#drawn.forget();
    this.changed();
  }

  /** So many rows at the beginning are there no more. */
  shift(rows: number): void {
    this.#anchor = { ...this.#anchor, row: Math.max(0, this.#anchor.row - rows) };
  }

  /** Lines have come, or there are more of them. */
  changed(): void {
    if (this.#isShown && this.#isInView && this.#frame === 0) {
      this.#frame = requestAnimationFrame(() => this.#draw());
    }
  }

  /** What is drawn in every row has changed. */
  redraw(): void {
    this.#drawn.redraw();
    this.changed();
  }

  show(isShown: boolean): void {
    this.#isShown = isShown;
    this.#measure();
    this.changed();
  }

  follow(isFollowing: boolean): void {
    if (isFollowing !== this.#isFollowing) {
      this.#isFollowing = isFollowing;
      this.#options.followed(isFollowing);
    }
    this.changed();
  }

  /** Show when each line came. */
  stamp(isTimed: boolean): void {
    this.element.classList.toggle('pj-JobView-isTimed', isTimed);
    this.changed();
  }

  wrap(isWrapped: boolean): void {
    this.#isWrapped = isWrapped;
    this.element.classList.toggle('pj-JobView-isWrapped', isWrapped);
    this.redraw();
  }

  /** Bring this row into the middle of the view, unless it is in view. */
  reveal(row: number): void {
    this.follow(false);
    if (!this.#isInside(row)) {
      this.#anchor = { row, shift: -Math.max(0, this.viewport - this.height) / 2 };
    }
    this.redraw();
  }

  /** The rows in view, [first, last). */
  seen(): RowRange {
    const last = this.#anchor.row + Math.max(1, Math.ceil((this.viewport + this.#anchor.shift) / this.height));
    return { first: this.#anchor.row, last: Math.min(this.#rows?.count ?? 0, last) };
  }

  /** The text that is selected in the list, '' where none is. */
  selectedText(): string {
    return this.#drawn.selected() ? String(document.getSelection()) : '';
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
    this.#isShown = false;
    this.#lasting.dispose();
  }

  // ---- drawing

  #draw(): void {
    this.#frame = 0;
    const scale = this.#scale();
    if (!this.#rows || !this.#isShown || scale.viewport <= 0) {
      return;
    }
    const held = this.#drawn.selected();
    if (this.#isFollowing && !held) {
      this.#anchor = { row: scale.count, shift: 0 };
    }
    this.#anchor = { ...this.#anchor, row: Math.min(this.#anchor.row, scale.count) };
    const needed = rowsFor(scale, this.#anchor);
    const margin = needed.last - needed.first;
    this.#rows.want(Math.max(0, needed.first - margin), Math.min(scale.count, needed.last + margin));
    const span = joined(needed, held);
    this.#drawn.fill(this.#rows, span);
    const heights = this.#heights(span);
    const placed = placeRows(scale, span.first, heights, this.#anchor);
    this.#drawn.element.style.transform = `translateY(${Math.round(placed.offset)}px)`;
    this.#settle(scale, placed, heights[placed.anchor.row - span.first] ?? this.height);
  }

  /** Take over where the rows have come to lie, and let the scroll bar and the box for following say so. */
  #settle(scale: ScrollScale, placed: Placed, topHeight: number): void {
    this.#anchor = placed.anchor;
    this.#isAtEnd = placed.isAtEnd;
    this.#sizer.style.height = `${rangeOf(scale)}px`;
    const width = `${this.#drawn.widest}ch + var(--pj-stamp, 0ch)`;
    this.#sizer.style.minWidth = this.#isWrapped ? '' : `max(100%, ${width})`;
    const moved = this.#moved;
    this.#moved = null;
    if (moved?.endsWith('down') && placed.isAtEnd) {
      this.follow(true);
    }
    const position = placed.isAtEnd ? lastPosition(scale) : placed.anchor.row + placed.anchor.shift / topHeight;
    const bar = scrollTopOf(scale, position);
    if (!moved?.startsWith('bar') && Math.abs(bar - this.#bar) >= 1) {
      this.element.scrollTop = bar;
      this.#bar = this.element.scrollTop;
    }
  }

  #heights({ first, last }: RowRange): number[] {
    return Array.from({ length: last - first }, (_, index) => {
      const row = this.#isWrapped ? this.#drawn.at(first + index) : undefined;
      return Math.max(this.height, row?.getBoundingClientRect().height ?? 0);
    });
  }

  /** Is all of this row in view? */
  #isInside(row: number): boolean {
    const at = this.#drawn.at(row)?.getBoundingClientRect();
    const view = this.#layer.getBoundingClientRect();
    return at !== undefined && at.top >= view.top && at.bottom <= view.bottom;
  }

  // ---- moving

  /** The scroll bar, or what scrolls without asking us, has moved the element. */
  #dragged(): void {
    const bar = this.element.scrollTop;
    if (Math.abs(bar - this.#bar) < 1 || !this.#isShown) {
      return; // we did it, or it went sideways
    }
    if (this.element.clientHeight !== this.viewport) {
      this.#resized(); // the browser did it, since the list has become higher: nobody has dragged
      return;
    }
    const isUp = bar < this.#bar;
    this.#bar = bar;
    const position = positionAt(this.#scale(), bar);
    const row = Math.floor(position);
    this.#anchor = { row, shift: (position - row) * this.height };
    this.#noteMove(isUp ? 'bar up' : 'bar down');
  }

  /** Where a pixel of the bar is many rows, the wheel moves the rows instead, pixel by pixel. */
  #wheeled(event: WheelEvent): void {
    const pixels = wheelPixels(event, this);
    const isStuck = event.deltaY < 0 ? this.#anchor.row === 0 && this.#anchor.shift <= 0 : this.#isAtEnd;
    if (pixels === null || isStuck || lastPosition(this.#scale()) <= 0) {
      return; // the page around may scroll
    }
    if (pixels < 0) {
      this.follow(false);
    }
    if (this.#isWrapped || !isExact(this.#scale())) {
      event.preventDefault();
      this.#move(pixels);
    }
  }

  #pressed(event: KeyboardEvent): void {
    const pixels = keyPixels(event, this);
    if (pixels !== null) {
      event.preventDefault();
      this.#move(pixels);
    }
  }

  #move(pixels: number): void {
    const count = this.#rows?.count ?? 0;
    const shift = this.#anchor.shift + pixels;
    const far = Math.abs(shift) > NEAR * this.viewport ? Math.trunc(shift / this.height) : 0;
    const row = Math.max(0, Math.min(count, this.#anchor.row + far));
    this.#anchor = { row, shift: Number.isFinite(shift) ? shift - far * this.height : 0 };
    this.#noteMove(pixels < 0 ? 'up' : 'down');
  }

  #noteMove(how: 'up' | 'down' | 'bar up' | 'bar down'): void {
    this.#moved = how;
    if (how.endsWith('up') && lastPosition(this.#scale()) > 0) {
      this.follow(false);
    }
    this.changed();
  }

  // ---- measuring

  #scale(): ScrollScale {
    return { count: this.#rows?.count ?? 0, height: this.height, viewport: this.viewport };
  }

  #watch(): Disposables {
    return observe(
      this.element,
      () => this.#resized(),
      isSeen => {
        this.#isInView = isSeen;
        this.changed();
      }
    );
  }

  #resized(): void {
    this.#measure();
    this.changed();
  }

  #measure(): void {
    const probe = element('div', {}, 'M');
    this.#layer.append(probe);
    this.height = probe.getBoundingClientRect().height || USUAL_HEIGHT;
    probe.remove();
    this.viewport = this.element.clientHeight;
    this.#bar = this.element.scrollTop; // a browser moves it when the element becomes higher, or is hidden
    this.#layer.style.height = `${this.viewport}px`;
    this.element.style.setProperty('--pj-row-height', `${this.height}px`);
  }
}

/** Both ranges in one, where that is not too much to keep in the page; else the first. */
function joined(needed: RowRange, held: RowRange | null): RowRange {
  const first = Math.min(needed.first, held?.first ?? needed.first);
  const last = Math.max(needed.last, held?.last ?? needed.last);
  return last - first <= HELD ? { first, last } : needed;
}
