/**
 * A question asked in its own place, not by a dialog of the browser: "Delete a.txt? [Delete] [Keep]", or for a word to
 * be typed. The promise is the answer.
 *
 *     const question = new Question();
 *     if (await question.ask(say('Delete it?'), [[say('Delete'), true, 'danger'], [say('Keep'), false]])) { ... }
 *
 * Rule 1: the last choice is the harmless one. It has the focus, so that Enter twice or a double click harms nothing,
 *   and it is what Escape, a newer question and the end mean.
 * Rule 2: the focus goes back to where it was.
 */

import { button, type ButtonKind, Disposables, element } from './dom.js';

export type Choice<T> = readonly [label: string, value: T, kind?: ButtonKind];

export class Question {
  readonly element = element('div', { class: 'pj-JobView-asked' });
  readonly #lasting = new Disposables();
  #dismiss: () => void = () => undefined;

  constructor() {
    this.element.hidden = true;
    this.#lasting.listen(this.element, 'keydown', event => {
      if (event.key === 'Escape') {
        event.stopPropagation();
        this.#dismiss();
      }
    });
  }

  /** Whether one is being asked. */
  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** Take back what is asked, as Escape does. */
  dismiss(): void {
    this.#dismiss();
  }

  /** Have one of these chosen. */
  ask<T>(text: string, choices: readonly [...Choice<T>[], Choice<T>]): Promise<T> {
    const otherwise = choices[choices.length - 1] as Choice<T>; // there is one
    return this.#open(otherwise[1], answer => {
      const buttons = choices.map(([label, value, kind = 'plain']) => button(label, kind, () => answer(value)));
      this.#draw(text, buttons, buttons.at(-1));
    });
  }

  /** Have a word typed; null where it is not. `mistake` says what is wrong with one, '' where nothing is. */
  word(text: string, [yes, no]: readonly [string, string], mistake: (word: string) => string): Promise<string | null> {
    return this.#open<string | null>(null, answer => {
      const box = element('input', { type: 'text', class: 'pj-JobView-input', spellcheck: 'false' });
      box.setAttribute('aria-label', text);
      const trouble = element('p', { class: 'pj-JobView-trouble', role: 'alert' });
      const accept = (): void => {
        trouble.textContent = mistake(box.value.trim());
        box.setAttribute('aria-invalid', String(trouble.textContent !== ''));
        if (!trouble.textContent) {
          answer(box.value.trim());
        }
      };
      box.addEventListener('keydown', event => {
        if (event.key === 'Enter' && !event.isComposing) {
          // Enter also ends the spelling of 中文
          event.preventDefault(); // or it presses the button that gets the focus back
          accept();
        }
      });
      this.#draw(text, [box, button(yes, 'primary', accept), button(no, 'plain', this.#dismiss), trouble], box);
    });
  }

  dispose(): void {
    this.#dismiss();
    this.#lasting.dispose();
  }

  #open<T>(otherwise: T, draw: (answer: (value: T) => void) => void): Promise<T> {
    this.#dismiss();
    const before = document.activeElement;
    return new Promise(resolve => {
      const answer = (value: T): void => {
        const hadFocus = this.element.contains(document.activeElement);
        this.#dismiss = () => undefined;
        this.element.hidden = true;
        this.element.replaceChildren();
        if (hadFocus && before instanceof HTMLElement && before.isConnected) {
          before.focus({ preventScroll: true });
        }
        resolve(value);
      };
      this.#dismiss = () => answer(otherwise);
      draw(answer);
    });
  }

  #draw(text: string, controls: readonly HTMLElement[], first: HTMLElement | undefined): void {
    const group = element('div', { class: 'pj-JobView-confirm', role: 'group', 'aria-label': text });
    group.append(element('span', {}, text), ...controls);
    this.element.hidden = false;
    this.element.replaceChildren(group);
    first?.focus();
  }
}
