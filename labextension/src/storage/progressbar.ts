/**
 * How far something is that takes its time, with a button that ends it.
 */

import { button, element, setText } from '../parts/dom.js';
import type { Say } from '../tokens.js';

export class ProgressBar {
  readonly element = element('div', { class: 'pj-Storage-progress' });
  readonly #text = element('span');
  readonly #bar = element('progress', { max: 1 });

  constructor(say: Say, text: string, cancel: () => void) {
    const stop = button(say('Cancel'), 'small', cancel);
    stop.setAttribute('aria-label', `${say('Cancel')}: ${text}`);
    this.#bar.setAttribute('aria-label', text);
    this.element.append(this.#text, this.#bar, stop);
    setText(this.#text, text);
  }

  /** `share` is 0..1. */
  draw(text: string, share: number): void {
    setText(this.#text, text);
    this.#bar.value = Math.max(0, Math.min(1, share));
  }
}
