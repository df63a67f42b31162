/**
 * The way to where one is, as steps that lead back: "Places / oss://bucket / a / b". The last is here, and no button.
 */

import { plain } from '../text/sanitize.js';
import { button, element } from './dom.js';

export interface Step {
  readonly label: string;
  go(): void;
}

export class Breadcrumb {
  readonly element: HTMLElement;
  readonly #list = element('ol', { class: 'pj-JobView-trail' });

  constructor(label: string) {
    this.element = element('nav', { 'aria-label': label }, this.#list);
  }

  draw(steps: readonly Step[]): void {
    const items = steps.map(({ label, go }, at) => {
      const text = plain(label, 100);
      const isHere = at === steps.length - 1;
      return element('li', {}, isHere ? element('span', { 'aria-current': 'page' }, text) : button(text, 'link', go));
    });
    this.#list.replaceChildren(...items);
  }
}
