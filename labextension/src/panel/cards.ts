/** A list of cards. What stays in it keeps its card, and so the focus that may be in it. */

import { element } from '../parts/dom.js';

export interface Card<R> {
  readonly element: HTMLElement;
  draw(row: R): void;
}

export class Cards<R> {
  readonly element: HTMLElement;
  readonly #id: (row: R) => string;
  readonly #make: () => Card<R>;
  #cards: ReadonlyMap<string, Card<R>> = new Map();

  constructor(label: string, id: (row: R) => string, make: () => Card<R>) {
    this.element = element('ul', { class: 'pj-Cards', 'aria-label': label });
    this.#id = id;
    this.#make = make;
  }

  draw(rows: readonly R[]): void {
    const cards = new Map<string, Card<R>>();
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
  }
}
