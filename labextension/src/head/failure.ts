/**
 * Why a job failed, before everything else: the cause, what to do about it, the last lines, and Retry.
 */

import { button, element } from '../parts/dom.js';
import { block, plain } from '../text/sanitize.js';
import type { Context, Failure } from '../tokens.js';

const MAX_TAIL = 10;

export class FailureBox {
  readonly element = element('section', { class: 'pj-JobView-failure' });
  readonly #context: Context;
  readonly #retry: () => void;
  #drawn = '';

  constructor(context: Context, retry: () => void) {
    this.#context = context;
    this.#retry = retry;
    this.element.setAttribute('aria-label', context.say('Why it failed'));
    this.draw(null);
  }

  draw(failure: Failure | null): void {
    const key = JSON.stringify(failure);
    if (key !== this.#drawn) {
      this.#drawn = key;
      this.element.hidden = failure === null;
      this.element.replaceChildren(...(failure ? this.#parts(failure) : []));
    }
  }

  #parts({ cause, hint, line, tail }: Failure): Node[] {
    const { say } = this.#context;
    const buttons = element('div', { class: 'pj-JobView-failureButtons' });
    if (line !== null) {
      const label = say('Go to line {line}', { line });
      buttons.append(button(label, 'plain', () => this.#context.openLine(line)));
    }
    buttons.append(button(say('Retry'), 'primary', this.#retry));
    return [
      element('p', { class: 'pj-JobView-cause' }, plain(cause, 1_000)),
      ...(hint ? [element('p', { class: 'pj-JobView-hint' }, `${say('Hint')}: ${plain(hint, 1_000)}`)] : []),
      ...(tail.length ? [tailBox(tail, say('Last lines of the log'))] : []),
      buttons
    ];
  }
}

/** The last lines; it scrolls, so it can be focused. */
function tailBox(tail: string[], label: string): HTMLElement {
  const lines = tail.slice(-MAX_TAIL).map(line => block(line, 1_000).replace(/\n/g, ' '));
  const properties = { class: 'pj-JobView-tail', tabindex: 0, role: 'group', 'aria-label': label };
  return element('pre', properties, lines.join('\n'));
}
