/**
 * A place for what an answer brings: "Loading…", then the content, or one sentence and "Try again".
 *
 * Rule 1: the newest question wins; an answer that comes late, or after dispose(), is dropped.
 * Rule 2: nothing is lost: while a newer answer is awaited, and when it fails, the old content stays.
 */

import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { button, element, quiet } from './dom.js';

export class Loading {
  readonly element = element('div', { class: 'pj-JobView-loading' });
  readonly #say: Say;
  readonly #notice = element('div', { class: 'pj-JobView-paneNotice' });
  readonly #content = element('div', { class: 'pj-JobView-paneContent' });
  #asked = 0;
  #again: (() => void) | null = null;

  constructor(say: Say) {
    this.#say = say;
    this.element.append(this.#notice, this.#content);
  }

  /** Whether an answer is awaited. */
  get isBusy(): boolean {
    return this.element.hasAttribute('aria-busy');
  }

  /** Another number with every question: what was asked elsewhere before is older than what is shown now. */
  get turn(): number {
    return this.#asked;
  }

  /** Ask, and show what comes. */
  async load<T>(ask: () => Promise<T>, show: (answer: T) => Node[]): Promise<void> {
    const mine = ++this.#asked;
    const wasHere = this.element.contains(document.activeElement);
    this.#again = null;
    this.element.setAttribute('aria-busy', 'true');
    if (!this.#content.hasChildNodes()) {
      this.#notice.replaceChildren(quiet(this.#say('Loading…')));
    }
    try {
      const answer = await ask();
      if (mine === this.#asked) {
        this.#settle([], show(answer));
        this.#keepFocus(wasHere);
      }
    } catch (error) {
      if (mine === this.#asked) {
        this.#again = () => void this.load(ask, show);
        this.#settle([this.#sentence(error)]);
        this.#keepFocus(wasHere);
      }
    }
  }

  /** Ask again what failed; does nothing where nothing did. */
  retry(): void {
    this.#again?.();
  }

  dispose(): void {
    this.#asked += 1;
    this.#again = null;
  }

  #settle(notice: Node[], content?: Node[]): void {
    this.element.removeAttribute('aria-busy');
    this.#notice.replaceChildren(...notice);
    if (content) {
      this.#content.replaceChildren(...content);
    }
  }

  /** Whoever pressed a button that is gone now goes on from here, not from the top of the page. */
  #keepFocus(wasHere: boolean): void {
    if (wasHere && !this.element.contains(document.activeElement)) {
      this.element.tabIndex = -1;
      this.element.focus({ preventScroll: true });
    }
  }

  #sentence(error: unknown): HTMLElement {
    return element(
      'p',
      { class: 'pj-JobView-trouble', role: 'alert' },
      `${errorText(error)} `,
      button(this.#say('Try again'), 'small', () => this.retry())
    );
  }
}

/** What an error says to the user: what happened, and where it is known, what to do. */
export function errorText(error: unknown): string {
  const message = error instanceof Error ? error.message : error;
  const hint = error instanceof Error && 'hint' in error ? error.hint : '';
  return [plain(message, 1_000), plain(hint, 1_000)].filter(Boolean).join(' ');
}
