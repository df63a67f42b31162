/** A line that says how it goes, or what went wrong. */

import { element, setText } from './dom.js';
import { errorText } from './loading.js';

/** Say how it goes, or what went wrong. */
export type Tell = (text: string, isBad?: boolean) => void;

export class Outcome {
  readonly element = element('p', { role: 'status', class: 'pj-JobView-quiet' });

  readonly tell: Tell = (text, isBad = false) => {
    setText(this.element, text);
    this.element.className = isBad ? 'pj-JobView-trouble' : 'pj-JobView-quiet';
  };

  /** Do it, and say why where it fails. */
  async report(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.tell(errorText(error), true);
    }
  }
}
