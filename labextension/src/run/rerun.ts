/** The question from which step on a run is to be run again. It has the focus while it is open; Escape ends it. */

import { choice, field, setOptions } from '../parts/controls.js';
import { button, Disposables, element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';

const MOST = 1_000; // steps to choose from

export class RerunQuestion {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #steps: HTMLSelectElement;
  readonly #lasting = new Disposables();
  #answer: (from: string | null) => void = () => undefined;

  constructor(say: Say) {
    this.#say = say;
    const title = say('Run again');
    this.#steps = choice(say('Run again from'), [], () => undefined);
    const start = button(title, 'primary', () => this.#answer(this.#steps.value));
    const keep = button(say('Cancel'), 'plain', () => this.#answer(null));
    const what = say('Results before that step are taken over where nothing has changed.');
    const group = element(
      'div',
      { class: 'pj-JobView-confirm', role: 'group', 'aria-label': title },
      field(say('Run again from'), this.#steps),
      start,
      keep,
      element('span', { class: 'pj-JobView-quiet' }, what)
    );
    this.element = element('div', { class: 'pj-JobView-asked' }, group);
    this.element.hidden = true;
    this.#lasting.listen(this.element, 'keydown', event => {
      if (event.key === 'Escape') {
        event.stopPropagation();
        this.#answer(null);
      }
    });
  }

  /** The name of a step, '' for what is not done yet or has changed, null for not at all. */
  ask(steps: readonly string[], chosen: string): Promise<string | null> {
    this.#answer(null);
    const before = document.activeElement;
    const names = steps.slice(0, MOST).map(name => [name, plain(name, 100)] as const);
    setOptions(this.#steps, [['', this.#say('what has failed or changed')], ...names]);
    this.#steps.value = steps.includes(chosen) ? chosen : '';
    this.element.hidden = false;
    this.#steps.focus();
    return new Promise(resolve => {
      this.#answer = from => {
        this.#answer = () => undefined;
        const hadFocus = this.element.contains(document.activeElement);
        this.element.hidden = true;
        if (hadFocus && before instanceof HTMLElement && before.isConnected) {
          before.focus({ preventScroll: true });
        }
        resolve(from);
      };
    });
  }

  dispose(): void {
    this.#answer(null);
    this.#lasting.dispose();
  }
}
