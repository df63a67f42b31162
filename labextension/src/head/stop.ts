/**
 * The Stop button. It asks in its own place, "Stop this job? [Stop] [Keep running]", with the focus on the harmless
 * answer, so that Enter twice or a double click stops nothing. While the kernel is busy the wish is shown as waiting.
 */

import { button, Disposables, element } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import type { Context } from '../tokens.js';

type Step = 'offered' | 'asking' | 'sent';

export class StopButton {
  readonly element = element('div', { class: 'pj-JobView-stop' });
  readonly #context: Context;
  readonly #report: (text: string) => void;
  readonly #lasting = new Disposables();
  #step: Step = 'offered';

  /** `report` shows a sentence below the header. */
  constructor(context: Context, report: (text: string) => void) {
    this.#context = context;
    this.#report = report;
    this.#lasting.listen(this.element, 'keydown', event => {
      if (event.key === 'Escape' && this.#step === 'asking') {
        event.stopPropagation();
        this.#draw('offered', true);
      }
    });
    this.#draw('offered');
  }

  /** Whether there is something to stop; the focus goes to `next` when the button that has it goes. */
  offer(isOffered: boolean, next: HTMLElement): void {
    if (this.element.hidden === isOffered) {
      const hadFocus = this.element.contains(document.activeElement);
      this.element.hidden = !isOffered;
      if (!isOffered) {
        this.#draw('offered');
      }
      if (hadFocus && !isOffered) {
        next.focus();
      }
    }
  }

  /** The connection has changed: what waits for a busy kernel says so. */
  redraw(): void {
    if (this.#step === 'sent') {
      this.#draw('sent', this.element.contains(document.activeElement));
    }
  }

  dispose(): void {
    this.#lasting.dispose();
  }

  #draw(step: Step, takesFocus = false): void {
    this.#step = step;
    const parts = { offered: () => this.#offered(), asking: () => this.#asking(), sent: () => this.#sent() }[step]();
    this.element.replaceChildren(...parts);
    if (takesFocus) {
      this.element.querySelector<HTMLElement>('[data-first]')?.focus();
    }
  }

  #offered(): Node[] {
    const stop = button(this.#context.say('Stop'), 'plain', () => this.#draw('asking', true));
    stop.dataset['first'] = '';
    return [stop];
  }

  #asking(): Node[] {
    const { say } = this.#context;
    const keep = button(say('Keep running'), 'plain', () => this.#draw('offered', true));
    keep.dataset['first'] = '';
    const question = say('Stop this job?');
    const group = element(
      'div',
      { class: 'pj-JobView-confirm', role: 'group', 'aria-label': question },
      element('span', {}, question),
      button(say('Stop'), 'danger', () => void this.#send()),
      keep
    );
    return [group];
  }

  #sent(): Node[] {
    const { say, source } = this.#context;
    const text = source.status === 'busy' ? say('Stops when the kernel responds') : say('Stopping…');
    return [element('span', { class: 'pj-JobView-quiet', tabindex: -1, 'data-first': true }, text)];
  }

  async #send(): Promise<void> {
    this.#report('');
    this.#draw('sent', true);
    this.#context.announce(this.element.textContent ?? '');
    try {
      await this.#context.source.request('stop', {});
    } catch (error) {
      this.#draw('offered', this.element.contains(document.activeElement));
      this.#report(errorText(error));
    }
  }
}
