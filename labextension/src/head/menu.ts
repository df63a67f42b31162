/**
 * A button that opens a menu: the menu button pattern of WAI-ARIA. Arrow keys, Home, End and first letters move, Enter
 * and Space choose, Escape and Tab close, as does a press anywhere else.
 */

import { Disposables, element } from '../parts/dom.js';

export interface MenuItem {
  readonly label: string;
  readonly isOn?: boolean; // of one that is switched on and off
  choose(): void;
}

export class Menu {
  readonly element = element('div', { class: 'pj-JobView-menu' });
  readonly button: HTMLButtonElement;
  readonly #items: () => MenuItem[];
  readonly #list: HTMLElement;
  readonly #lasting = new Disposables();
  readonly #whileOpen = new Disposables();

  /** `items` is asked each time that the menu opens. */
  constructor(label: string, items: () => MenuItem[]) {
    this.#items = items;
    this.button = element(
      'button',
      { type: 'button', class: 'pj-JobView-button pj-JobView-more', 'aria-haspopup': 'menu', 'aria-expanded': 'false' },
      element('span', { 'aria-hidden': 'true' }, '⋯')
    );
    this.button.setAttribute('aria-label', label);
    this.#list = element('div', { class: 'pj-JobView-menuList', role: 'menu', 'aria-label': label });
    this.#list.hidden = true;
    this.element.append(this.button, this.#list);
    this.#lasting.listen(this.button, 'click', () => (this.isOpen ? this.#close() : this.#open(0)));
    this.#lasting.listen(this.element, 'keydown', event => this.#press(event));
  }

  get isOpen(): boolean {
    return !this.#list.hidden;
  }

  dispose(): void {
    this.#whileOpen.dispose();
    this.#lasting.dispose();
  }

  #open(at: number): void {
    this.#list.replaceChildren(...this.#items().map(item => this.#item(item)));
    this.#list.hidden = false;
    this.button.setAttribute('aria-expanded', 'true');
    this.#focus(at);
    const outside = (event: Event) => {
      if (!this.element.contains(event.target as Node)) {
        this.#close(false);
      }
    };
    this.#whileOpen.listen(document, 'pointerdown', outside, { capture: true });
  }

  #close(takesFocus = true): void {
    this.#whileOpen.dispose();
    this.#list.hidden = true;
    this.button.setAttribute('aria-expanded', 'false');
    if (takesFocus) {
      this.button.focus();
    }
  }

  #item({ label, isOn, choose }: MenuItem): HTMLElement {
    const role = isOn === undefined ? 'menuitem' : 'menuitemcheckbox';
    const made = element('button', { type: 'button', role, tabindex: -1 }, isOn ? `✓ ${label}` : label);
    if (isOn !== undefined) {
      made.setAttribute('aria-checked', String(isOn));
      made.setAttribute('aria-label', label);
    }
    made.addEventListener('click', () => {
      this.#close();
      choose();
    });
    return made;
  }

  #press(event: KeyboardEvent): void {
    if (this.isOpen ? this.#pressOpen(event) : this.#pressClosed(event)) {
      event.preventDefault();
      event.stopPropagation(); // the notebook has its own meaning for arrows and Escape
    }
  }

  #pressClosed({ key }: KeyboardEvent): boolean {
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      this.#open(key === 'ArrowDown' ? 0 : -1);
      return true;
    }
    return false;
  }

  #pressOpen({ key }: KeyboardEvent): boolean {
    const at = [...this.#list.children].indexOf(document.activeElement ?? this.#list);
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    const target = moves[key];
    if (target !== undefined) {
      this.#focus(target);
    } else if (key === 'Escape') {
      this.#close();
    } else if (key === 'Tab') {
      this.#close();
      return false; // and the focus goes on from the button
    } else {
      return key.length === 1 && key !== ' ' && this.#focusLetter(key, at);
    }
    return true;
  }

  /** Focus the item at this place, counted around the ends. */
  #focus(at: number): void {
    const count = this.#list.children.length;
    const target = this.#list.children[(at + count) % count];
    if (target instanceof HTMLElement) {
      target.focus();
    }
  }

  #focusLetter(letter: string, at: number): boolean {
    const labels = [...this.#list.children].map(item => item.textContent?.toLowerCase() ?? '');
    const order = labels.map((_, step) => (at + 1 + step) % labels.length);
    const found = order.find(place => labels[place]?.startsWith(letter.toLowerCase()));
    if (found !== undefined) {
      this.#focus(found);
    }
    return found !== undefined;
  }
}
