/**
 * A text field that offers what fits to what is typed: the combobox pattern of WAI-ARIA, with a list of its own.
 *
 * Arrow keys open the list and move in it, Enter takes what is marked, Escape closes the list; any text is allowed.
 *
 * Rule 1: what is offered may be late; a list that is open is drawn anew.
 * Rule 2: while the list is open its keys are nobody else's: a dialog would take Enter and Escape for its buttons.
 */

import { Disposables, element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';

/** What is put into the field, and what is said of it. */
export interface Offer {
  readonly value: string;
  readonly details: string;
}

const MOST = 100; // that a list shows: who looks for another one types
let lists = 0;

export class Combobox {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #list: HTMLElement;
  readonly #whileOpen = new Disposables();
  #offers: readonly Offer[] = [];
  #shown: readonly Offer[] = [];
  #at = -1;
  #isFiltered = false;

  /** `label` is the name of the list; the field has its own. */
  constructor(input: HTMLInputElement, label: string) {
    this.#input = input;
    this.#list = element('ul', { class: 'pj-JobView-offers', role: 'listbox', id: `pj-offers-${(lists += 1)}` });
    this.#list.setAttribute('aria-label', label);
    this.#list.hidden = true;
    const roles = { role: 'combobox', 'aria-autocomplete': 'list', 'aria-expanded': 'false' };
    Object.entries({ ...roles, 'aria-controls': this.#list.id }).forEach(pair => input.setAttribute(...pair));
    this.element = element('span', { class: 'pj-JobView-combobox' }, input, this.#list);
    input.addEventListener('input', () => this.#open(true));
    input.addEventListener('click', () => this.#open(false));
    input.addEventListener('keydown', event => this.#press(event));
    input.addEventListener('blur', () => this.#close());
    this.#list.addEventListener('pointerdown', event => event.preventDefault()); // the focus stays in the field
    this.#list.addEventListener('click', event => this.#click(event.target));
  }

  /** What is said of the text in the field; '' where it is none of the offers. */
  get details(): string {
    return this.#offers.find(({ value }) => value === this.#input.value.trim())?.details ?? '';
  }

  offer(offers: readonly Offer[]): void {
    this.#offers = offers;
    if (this.#input.getAttribute('aria-expanded') === 'true') {
      this.#draw();
    }
  }

  dispose(): void {
    this.#whileOpen.dispose();
  }

  #open(isFiltered: boolean): void {
    if (isFiltered || this.#list.hidden) {
      this.#isFiltered = isFiltered;
      this.#at = -1;
      this.#whileOpen.dispose();
      this.#whileOpen.listen(document, 'keydown', event => this.#pressOpen(event), { capture: true });
      this.#draw();
    }
  }

  #close(): void {
    this.#whileOpen.dispose();
    this.#list.hidden = true;
    this.#input.setAttribute('aria-expanded', 'false');
    this.#input.removeAttribute('aria-activedescendant');
  }

  #draw(): void {
    const words = this.#isFiltered ? this.#input.value.toLowerCase().split(/\s+/).filter(Boolean) : [];
    const fits = ({ value, details }: Offer): boolean => {
      const text = `${value} ${details}`.toLowerCase();
      return words.every(word => text.includes(word));
    };
    this.#shown = this.#offers.filter(fits).slice(0, MOST);
    this.#list.replaceChildren(...this.#shown.map(({ value, details }, at) => this.#item(value, details, at)));
    this.#list.hidden = this.#shown.length === 0;
    this.#input.setAttribute('aria-expanded', String(!this.#list.hidden));
    this.#mark(Math.min(this.#at, this.#shown.length - 1));
  }

  #item(value: string, details: string, at: number): HTMLElement {
    const quiet = element('span', { class: 'pj-JobView-quiet' }, plain(details, 200));
    return element('li', { role: 'option', id: `${this.#list.id}-${at}` }, `${plain(value, 200)} `, quiet);
  }

  #mark(at: number): void {
    this.#at = at;
    [...this.#list.children].forEach((item, place) => item.setAttribute('aria-selected', String(place === at)));
    const marked = this.#list.children[at];
    if (marked) {
      this.#input.setAttribute('aria-activedescendant', marked.id);
      marked.scrollIntoView?.({ block: 'nearest' });
    } else {
      this.#input.removeAttribute('aria-activedescendant');
    }
  }

  /** The list is closed: only the arrows are ours. */
  #press(event: KeyboardEvent): void {
    if (this.#list.hidden && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      this.#open(false);
      this.#mark(event.key === 'ArrowDown' ? 0 : this.#shown.length - 1);
    }
  }

  #pressOpen(event: KeyboardEvent): void {
    if (event.target === this.#input && !this.#list.hidden && !event.isComposing && this.#move(event.key)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** Whether this key is the list's. */
  #move(key: string): boolean {
    const count = this.#shown.length;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      const next = key === 'ArrowDown' ? this.#at + 1 : this.#at < 0 ? count - 1 : this.#at - 1;
      this.#mark((next + count) % count);
    } else if (key === 'Escape') {
      this.#close();
    } else if (key === 'Enter' && this.#at >= 0) {
      this.#choose(this.#at);
    } else {
      return false;
    }
    return true;
  }

  #click(target: EventTarget | null): void {
    const item = target instanceof Element ? target.closest('li') : null;
    if (item) {
      this.#choose([...this.#list.children].indexOf(item));
    }
  }

  #choose(at: number): void {
    this.#input.value = this.#shown[at]?.value ?? this.#input.value;
    this.#input.dispatchEvent(new Event('input', { bubbles: true }));
    this.#close();
  }
}
