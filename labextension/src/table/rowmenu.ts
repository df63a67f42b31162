/** The menu of a right click: at the pointer, within the table. */

import { Menu, type MenuItem } from '../head/menu.js';
import { Disposables } from '../parts/dom.js';

export class RowMenu {
  readonly element: HTMLElement;
  readonly #menu: Menu;
  readonly #lasting = new Disposables();

  /** `items` is asked each time that it opens; `closed` takes the keyboard back. */
  constructor(label: string, items: () => MenuItem[], closed: () => void) {
    this.#menu = new Menu(label, items);
    const { button, element } = this.#menu;
    this.element = element;
    element.classList.add('pj-Table-rowMenu');
    button.tabIndex = -1;
    this.#lasting.listen(button, 'focus', () => this.#menu.isOpen || closed()); // where a menu that closes gives it
  }

  /** Open it at this place of the screen, further up or left where it has no room. */
  open(x: number, y: number): void {
    if (this.#menu.isOpen) {
      this.#menu.button.click();
    }
    const around = this.element.parentElement?.getBoundingClientRect();
    const place = (left: number, top: number): void => {
      this.element.style.left = `${left - (around?.left ?? 0)}px`;
      this.element.style.top = `${top - (around?.top ?? 0)}px`;
    };
    place(x, y);
    this.#menu.button.click();
    const list = this.element.querySelector('[role=menu]')?.getBoundingClientRect();
    if (around && list) {
      place(Math.min(x, around.right - list.width), Math.max(around.top, Math.min(y, around.bottom - list.height)));
    }
  }

  dispose(): void {
    this.#menu.dispose();
    this.#lasting.dispose();
  }
}
