/**
 * A list of cards. What stays in it keeps its card, and so the focus that may be in it; where the card with the focus
 * goes, the one that comes into its place has it.
 */

import { element } from '../parts/dom.js';

export interface Card<R> {
  readonly element: HTMLElement;
  draw(row: R): void;
}

export class Cards<R, C extends Card<R> = Card<R>> {
  readonly element: HTMLElement;
  readonly #id: (row: R) => string;
  readonly #make: () => C;
  #cards: ReadonlyMap<string, C> = new Map();

  constructor(label: string, id: (row: R) => string, make: () => C) {
    this.element = element('ul', { class: 'pj-Cards', 'aria-label': label });
    this.#id = id;
    this.#make = make;
  }

  /** The card that is drawn for this id. */
  card(id: string): C | undefined {
    return this.#cards.get(id);
  }

  draw(rows: readonly R[]): void {
    const cards = new Map<string, C>();
    const active = document.activeElement;
    const held = [...this.element.children].findIndex(card => card.contains(active));
    rows.forEach((row, at) => {
      const card = this.#cards.get(this.#id(row)) ?? this.#make();
      card.draw(row);
      cards.set(this.#id(row), card);
      if (this.element.children[at] !== card.element) {
        this.element.insertBefore(card.element, this.element.children[at] ?? null);
      }
    });
    [...this.element.children].slice(rows.length).forEach(gone => gone.remove());
    this.#cards = cards;
    if (held >= 0 && document.activeElement !== active) {
      this.#focus(active, held);
    }
  }

  #focus(active: Element | null, at: number): void {
    if (active instanceof HTMLElement && active.isConnected) {
      active.focus({ preventScroll: true }); // it was moved
      return;
    }
    const card = this.element.children[Math.min(at, this.element.children.length - 1)];
    if (card instanceof HTMLElement) {
      card.tabIndex = -1;
      card.focus({ preventScroll: true });
    }
  }
}
