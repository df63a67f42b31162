/**
 * A list of any length: as high as all its rows, of which those are in the page that can be seen. It is a listbox of
 * several choices as WAI-ARIA has it, so keys mean what they mean in a list of files:
 *
 *   arrows, Page Up/Down, Home, End   go on and choose; with Shift a range, with Ctrl without choosing
 *   Space, Ctrl+A, Escape             choose too or not, all, none
 *   a letter                          the next row that begins so
 *   Enter, Delete                     `open` and `remove` of whoever made the list; `key` has others of its own
 *
 * Rule 1: everything is drawn in one animation frame, and only while it is shown.
 * Rule 2: a row keeps its element as long as it is in the page, whatever place it moves to.
 * Rule 3: rows have ids; what else they are, and how they look, is of whoever made the list.
 */

import { Disposables, element } from '../parts/dom.js';
import { randomId } from '../wire/protocol.js';
import { type Keys, Selection } from './selection.js';

const MARGIN = 4; // rows drawn above and below what is seen
const USUAL_VIEWPORT = 400; // pixels, where it cannot be measured

/** One row in the page, as an element that is an option. */
export interface RowView<R> {
  readonly element: HTMLElement;
  draw(row: R): void;
}

export interface VirtualListOptions<R> {
  readonly label: string;
  readonly rowHeight: number; // pixels, as the style sheet has it
  id(row: R): string;
  /** What a letter finds a row by. */
  text(row: R): string;
  make(row: R): RowView<R>;
  /** These rows are in sight, the first at this place. */
  seen(rows: readonly R[], first: number): void;
  chosen(): void;
  open(): void;
  remove(): void;
  /** Do what this key does to the chosen rows; false where it does nothing. */
  key?(key: string): boolean;
}

export class VirtualList<R> {
  readonly element: HTMLElement;
  readonly #options: VirtualListOptions<R>;
  readonly #sizer = element('div', { class: 'pj-Virtual-sizer', role: 'presentation' });
  readonly #drawn = new Map<string, RowView<R>>();
  readonly #lasting = new Disposables();
  readonly #prefix = `pj-${randomId()}-`;
  #selection = new Selection();
  #rows: readonly R[] = [];
  #ids: readonly string[] = [];
  #frame = 0;
  #isShown = false;

  constructor(options: VirtualListOptions<R>) {
    this.#options = options;
    this.element = element('div', {
      class: 'pj-Virtual',
      role: 'listbox',
      tabindex: 0,
      'aria-multiselectable': 'true',
      'aria-label': options.label
    });
    this.element.append(this.#sizer);
    this.#lasting.listen(this.element, 'scroll', () => this.redraw(), { passive: true });
    this.#lasting.listen(this.element, 'keydown', event => this.#pressed(event));
    this.#lasting.listen(this.element, 'click', event => this.#clicked(event));
    this.#lasting.listen(this.element, 'dblclick', event => this.#rowAt(event) !== null && this.#options.open());
    this.#lasting.listen(this.element, 'contextmenu', event => this.#aimed(event));
    if (typeof ResizeObserver !== 'undefined') {
      const observer = new ResizeObserver(() => this.redraw());
      observer.observe(this.element);
      this.#lasting.add(() => observer.disconnect());
    }
  }

  get selection(): Selection {
    return this.#selection;
  }

  /** The chosen rows in their order. */
  get chosen(): R[] {
    return this.#rows.filter((_, at) => this.selection.chosen.has(this.#ids[at] ?? ''));
  }

  setRows(rows: readonly R[]): void {
    this.#rows = rows;
    this.#ids = rows.map(row => this.#options.id(row));
    this.selection.setOrder(this.#ids);
    this.redraw();
  }

  /** The same of a list of other things: nothing is chosen, and it begins at its top. */
  reset(rows: readonly R[]): void {
    this.#selection = new Selection();
    this.element.scrollTop = 0;
    this.setRows(rows);
  }

  show(isShown: boolean): void {
    this.#isShown = isShown;
    this.redraw();
    if (!isShown) {
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
      this.#options.seen([], 0);
    }
  }

  /** Choose these and no others, and bring the last of them into view. */
  choose(ids: readonly string[]): void {
    ids.forEach((id, at) => this.selection.press(id, { isRange: false, isMore: at > 0 }));
    this.#moved();
  }

  redraw(): void {
    if (this.#isShown && this.#frame === 0) {
      this.#frame = requestAnimationFrame(() => this.#draw());
    }
  }

  dispose(): void {
    this.show(false);
    this.#lasting.dispose();
  }

  // ---- drawing

  #draw(): void {
    this.#frame = 0;
    const { first, last } = this.#span();
    this.#size();
    const shown = this.#rows.slice(first, last);
    this.#release(new Set(this.#ids.slice(first, last)));
    let next = this.#sizer.firstElementChild;
    shown.forEach((row, at) => {
      const view = this.#viewOf(this.#ids[first + at] ?? '', row);
      if (view.element === next) {
        next = next.nextElementSibling;
      } else {
        this.#sizer.insertBefore(view.element, next);
      }
      view.draw(row);
      this.#place(view.element, first + at);
    });
    this.#tellActive();
    this.#options.seen(shown, first);
  }

  #size(): void {
    this.#sizer.style.height = `${this.#rows.length * this.#options.rowHeight}px`;
  }

  #place(option: HTMLElement, place: number): void {
    const id = this.#ids[place] ?? '';
    option.style.transform = `translateY(${place * this.#options.rowHeight}px)`;
    option.setAttribute('aria-selected', String(this.selection.chosen.has(id)));
    option.setAttribute('aria-posinset', String(place + 1));
    option.setAttribute('aria-setsize', String(this.#rows.length));
    option.toggleAttribute('data-active', this.selection.active === id);
  }

  #span(): { first: number; last: number } {
    const [count, height] = [this.#rows.length, this.#options.rowHeight];
    const viewport = this.#viewport();
    const top = Math.min(this.element.scrollTop, Math.max(0, count * height - viewport));
    const first = Math.max(0, Math.floor(top / height) - MARGIN);
    return { first, last: Math.min(count, Math.ceil((top + viewport) / height) + MARGIN) };
  }

  #viewport(): number {
    return this.element.clientHeight || USUAL_VIEWPORT;
  }

  #viewOf(id: string, row: R): RowView<R> {
    const known = this.#drawn.get(id);
    if (known) {
      return known;
    }
    const made = this.#options.make(row);
    made.element.id = this.#prefix + randomId(); // an id of a row may have spaces, which one of an element may not
    made.element.dataset['row'] = id;
    this.#drawn.set(id, made);
    return made;
  }

  #release(kept: ReadonlySet<string>): void {
    for (const [id, { element: gone }] of this.#drawn) {
      if (!kept.has(id)) {
        gone.remove();
        this.#drawn.delete(id);
      }
    }
  }

  #tellActive(): void {
    const view = this.#drawn.get(this.selection.active ?? '');
    if (view) {
      this.element.setAttribute('aria-activedescendant', view.element.id);
    } else {
      this.element.removeAttribute('aria-activedescendant');
    }
  }

  // ---- mouse and keys

  #rowAt({ target }: Event): string | null {
    const hit = target instanceof Element ? target.closest<HTMLElement>('[role=option]') : null;
    return hit?.dataset['row'] ?? null;
  }

  #clicked(event: MouseEvent): void {
    const id = this.#rowAt(event);
    if (id !== null) {
      this.selection.press(id, { isRange: event.shiftKey, isMore: event.ctrlKey || event.metaKey });
    } else {
      this.selection.none();
    }
    this.#changed();
  }

  /** A menu is about to open: it is about the chosen rows, or about the one that was pointed at. */
  #aimed(event: MouseEvent): void {
    const id = this.#rowAt(event);
    if (id !== null && !this.selection.chosen.has(id)) {
      this.selection.press(id, { isRange: false, isMore: false });
      this.#changed();
    }
  }

  #pressed(event: KeyboardEvent): void {
    const isCommand = event.ctrlKey || event.metaKey;
    const isOurs = event.altKey
      ? false
      : isCommand && event.key.toLowerCase() === 'a'
        ? this.#chooseAll()
        : this.#act(event) ||
          this.#move(event, { isRange: event.shiftKey, isMore: isCommand }) ||
          (!isCommand && this.#goToLetter(event.key));
    if (isOurs) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  #chooseAll(): boolean {
    this.selection.all();
    this.#changed();
    return true;
  }

  #act({ key }: KeyboardEvent): boolean {
    const { active, chosen } = this.selection;
    if (key === 'Enter' && chosen.size) {
      this.#options.open();
    } else if (key === 'Delete' && chosen.size) {
      this.#options.remove();
    } else if (key === 'Escape' && chosen.size) {
      this.selection.none();
      this.#changed();
    } else if (key === ' ' && active !== null) {
      this.selection.press(active, { isRange: false, isMore: true });
      this.#changed();
    } else {
      return chosen.size > 0 && (this.#options.key?.(key) ?? false);
    }
    return true;
  }

  #move({ key }: KeyboardEvent, keys: Keys): boolean {
    const page = Math.max(1, Math.floor(this.#viewport() / this.#options.rowHeight) - 1);
    const count = this.#rows.length;
    const steps: Readonly<Record<string, number>> = {
      ArrowUp: -1,
      ArrowDown: 1,
      PageUp: -page,
      PageDown: page,
      Home: -count,
      End: count
    };
    const step = steps[key];
    if (step === undefined) {
      return false;
    }
    this.selection.move(step, keys);
    this.#moved();
    return true;
  }

  #goToLetter(key: string): boolean {
    if ([...key].length !== 1) {
      return false;
    }
    const start = this.#ids.indexOf(this.selection.active ?? '') + 1;
    const order = [...this.#rows.slice(start), ...this.#rows.slice(0, start)];
    const found = order.find(row => this.#options.text(row).toLowerCase().startsWith(key.toLowerCase()));
    if (found !== undefined) {
      this.choose([this.#options.id(found)]);
    }
    return found !== undefined;
  }

  #moved(): void {
    const place = this.#ids.indexOf(this.selection.active ?? '');
    const height = this.#options.rowHeight;
    if (place >= 0) {
      this.#size(); // it may have other rows by now than were drawn
      const least = (place + 1) * height - this.#viewport();
      this.element.scrollTop = Math.max(least, Math.min(this.element.scrollTop, place * height));
    }
    this.#changed();
  }

  #changed(): void {
    this.redraw();
    this.#options.chosen();
  }
}
