/**
 * The headings of the table: a press sorts, a drag moves the column, its right edge makes it wider, and a menu does all
 * of it by keyboard.
 */

import { Menu, type MenuItem } from '../head/menu.js';
import { Disposables, element, setText } from '../parts/dom.js';
import type { Say } from '../tokens.js';
import { headingOf } from './cells.js';
import { GROUP, type PlacedColumn } from './layout.js';
import type { TableColumn } from './protocol.js';
import { moveBy, moveTo, sortBy, type TableState, withColumn, withPin, withWidth } from './state.js';

const DRAGGED = 6; // pixels from which a press is a drag
const WIDER = 40; // pixels, by one choice of the menu

export interface HeaderHost {
  readonly say: Say;
  state(): TableState;
  all(): readonly TableColumn[];
  change(state: TableState): void;
  /** Show this width for the time being; null: as wide as the state says. */
  preview(key: string, width: number | null): void;
  /** The column at this place of the screen. */
  columnAt(x: number): string | null;
  /** Give the keyboard back to the table. */
  focus(): void;
}

/** One heading. */
export class HeaderCell {
  readonly element = element('div', { role: 'columnheader', class: 'pj-Table-cell pj-Table-heading' });
  readonly #host: HeaderHost;
  readonly #title = element('span', { class: 'pj-Table-title' });
  readonly #arrow = element('span', { class: 'pj-Table-arrow', 'aria-hidden': 'true' });
  readonly #menu: Menu;
  readonly #lasting = new Disposables();
  #placed: PlacedColumn;

  constructor(host: HeaderHost, placed: PlacedColumn) {
    this.#host = host;
    this.#placed = placed;
    this.#menu = new Menu(host.say('Column {title}', { title: headingOf(placed.column, host.say) }), () =>
      this.#items()
    );
    const { button } = this.#menu;
    button.tabIndex = -1;
    this.#lasting.listen(button, 'focus', () => this.#menu.isOpen || host.focus());
    const edge = element('div', { class: 'pj-Table-edge', 'aria-hidden': 'true' });
    this.#lasting.listen(edge, 'pointerdown', event => this.#resize(event, edge));
    this.#lasting.listen(this.#title, 'pointerdown', event => this.#press(event));
    this.element.append(this.#title, this.#arrow, this.#menu.element, edge);
    this.draw(placed);
  }

  get key(): string {
    return this.#placed.column.key;
  }

  draw(placed: PlacedColumn): void {
    this.#placed = placed;
    const { sort, isDescending, group } = this.#host.state();
    const title = headingOf(placed.column, this.#host.say);
    setText(this.#title, title);
    this.#title.title = title;
    const isSorted = sort === (this.key === GROUP ? group : this.key);
    this.element.setAttribute('aria-sort', isSorted ? (isDescending ? 'descending' : 'ascending') : 'none');
    setText(this.#arrow, isSorted ? (isDescending ? '▼' : '▲') : '');
  }

  openMenu(): void {
    this.#menu.button.click();
  }

  dispose(): void {
    this.#menu.dispose();
    this.#lasting.dispose();
    this.element.remove();
  }

  #items(): MenuItem[] {
    const { say, change, state, all } = this.#host;
    const key = this.key;
    const sorted = key === GROUP ? state().group : key;
    const item = (label: string, next: () => TableState): MenuItem => ({
      label: say(label),
      choose: () => {
        change(next());
        this.#host.focus();
      }
    });
    const width = this.#placed.width;
    const sorts = [
      item('Sort ascending', () => sortBy(state(), sorted, false)),
      item('Sort descending', () => sortBy(state(), sorted, true))
    ];
    const widths = [
      item('Wider', () => withWidth(state(), key, width + WIDER)),
      item('Narrower', () => withWidth(state(), key, width - WIDER))
    ];
    if (key === GROUP) {
      return [...sorts, item('Do not group', () => ({ ...state(), group: '' })), ...widths];
    }
    const isPinned = state().pinned.includes(key);
    return [
      ...sorts,
      item(isPinned ? 'Unpin' : 'Pin', () => withPin(state(), key, !isPinned)),
      item('Move left', () => moveBy(state(), all(), key, -1)),
      item('Move right', () => moveBy(state(), all(), key, 1)),
      ...widths,
      item('Group by this column', () => ({ ...state(), group: key })),
      item('Hide', () => withColumn(state(), all(), key, false))
    ];
  }

  /** A press of the title sorts, unless the pointer goes on: then the column is moved to where it is let go. */
  #press(down: PointerEvent): void {
    if (down.button !== 0) {
      return;
    }
    const { change, state, all, columnAt } = this.#host;
    let isDragged = false;
    follow(this.#title, down, this.#lasting, {
      move: ({ clientX }) => {
        isDragged ||= Math.abs(clientX - down.clientX) > DRAGGED;
        this.element.toggleAttribute('data-dragged', isDragged);
      },
      end: ({ clientX }) => {
        this.element.removeAttribute('data-dragged');
        const target = columnAt(clientX);
        const sorted = this.key === GROUP ? state().group : this.key;
        if (!isDragged) {
          change(sortBy(state(), sorted));
        } else if (target && this.key !== GROUP) {
          change(moveTo(state(), all(), this.key, target));
        }
      },
      cancel: () => this.element.removeAttribute('data-dragged')
    });
  }

  #resize(down: PointerEvent, edge: HTMLElement): void {
    down.preventDefault();
    const { width } = this.#placed;
    const { change, state, preview } = this.#host;
    const wanted = ({ clientX }: PointerEvent): number => width + clientX - down.clientX;
    follow(edge, down, this.#lasting, {
      move: event => preview(this.key, wanted(event)),
      end: event => {
        preview(this.key, null);
        if (wanted(event) !== width) {
          change(withWidth(state(), this.key, wanted(event)));
        }
      },
      cancel: () => preview(this.key, null)
    });
  }
}

interface Followed {
  move(event: PointerEvent): void;
  end(event: PointerEvent): void;
  /** The pointer was taken away. */
  cancel(): void;
}

/** Hear of the pointer until it is let go, wherever it is. */
function follow(
  target: HTMLElement,
  { pointerId }: PointerEvent,
  lasting: Disposables,
  { move, end, cancel }: Followed
): void {
  const whileDown = new Disposables();
  target.setPointerCapture?.(pointerId);
  whileDown.listen(target, 'pointermove', move);
  whileDown.listen(target, 'pointerup', event => {
    whileDown.dispose();
    end(event);
  });
  whileDown.listen(target, 'pointercancel', () => {
    whileDown.dispose();
    cancel();
  });
  lasting.add(() => whileDown.dispose());
}
