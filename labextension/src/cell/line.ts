/** The line that a form makes, and a button that copies it. */

import { textBlock } from '../parts/blocks.js';
import { copyText } from '../parts/copy.js';
import { button, element, setText } from '../parts/dom.js';
import type { Say } from '../tokens.js';

export class LineField {
  readonly element: HTMLElement;
  /** The button, and what came of it. */
  readonly copying: HTMLElement;
  readonly #copy: HTMLButtonElement;
  readonly #said = element('span', { class: 'pj-JobView-quiet', role: 'status' });
  #line = '';

  constructor(say: Say, label: string) {
    this.element = textBlock('', label);
    const words = { say, announce: () => undefined }; // what it says is read aloud where it stands
    this.#copy = button(say('Copy as %%pai_train line'), 'small', () => {
      void copyText(this.#line, words, this.#said);
    });
    this.copying = element('span', { class: 'pj-JobView-group' }, this.#copy, this.#said);
  }

  /** Show this line; without one, why there is none. */
  show(line: string, reason: string): void {
    if (line !== this.#line) {
      setText(this.#said, '');
    }
    this.#line = line;
    setText(this.element, line || reason);
    this.#copy.disabled = line === '';
  }
}
