/**
 * What the job of a form costs, as the server says it of the form's line. It is asked when nothing has changed for a
 * moment; an answer that comes late, or after dispose(), is dropped.
 */

import type { CostAnswer } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { element, setText } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';

const PAUSE = 300; // milliseconds

export class CostLine {
  readonly element = element('p', { class: 'pj-JobView-quiet', 'aria-live': 'polite' });
  readonly #say: Say;
  readonly #rest: Pick<Rest, 'post'>;
  #line = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(say: Say, rest: Pick<Rest, 'post'>) {
    this.#say = say;
    this.#rest = rest;
    this.element.hidden = true;
  }

  /** Say what a job with this line costs; '': there is none. */
  show(line: string): void {
    if (line !== this.#line) {
      this.#line = line;
      clearTimeout(this.#timer);
      this.#draw('');
      this.#timer = line ? setTimeout(() => void this.#ask(line), PAUSE) : undefined;
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#line = '';
  }

  async #ask(line: string): Promise<void> {
    const text = await this.#rest.post<CostAnswer>('cost', { line }).then(
      ({ note }) => note,
      (error: unknown) => errorText(error)
    );
    if (line === this.#line) {
      this.#draw(plain(text, 1_000));
    }
  }

  #draw(text: string): void {
    this.element.hidden = text === '';
    setText(this.element, text && this.#say('Cost: {text}', { text }));
  }
}
