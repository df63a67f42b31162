/**
 * Start the job again, and say where it went: a line with the new job's name, and a way there where the host knows one.
 * One line serves the menu's Rerun and the failure's Retry.
 */

import { button, element } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import type { Answers, Context } from '../tokens.js';

export class Rerun {
  readonly element = element('div', { class: 'pj-JobView-outcome' });
  readonly #context: Context;
  #isAsking = false;
  #isDisposed = false;

  constructor(context: Context) {
    this.#context = context;
    this.element.hidden = true;
  }

  /** A second press while the first is under way starts nothing. */
  async start(): Promise<void> {
    if (this.#isAsking) {
      return;
    }
    const { say, source } = this.#context;
    this.#isAsking = true;
    this.show(source.status === 'busy' ? say('Starts when the kernel responds') : say('Starting…'));
    try {
      const { ok } = await source.request('rerun', {});
      this.#started(ok);
    } catch (error) {
      this.show(
        errorText(error),
        button(say('Try again'), 'small', () => void this.start())
      );
    } finally {
      this.#isAsking = false;
    }
  }

  /** Show a sentence here; '' takes the line away. */
  show(text: string, action: HTMLElement | null = null): void {
    if (!this.#isDisposed) {
      this.element.replaceChildren(element('span', {}, text), ...(action ? [action] : []));
      this.element.hidden = text === '';
      this.#context.announce(text);
    }
  }

  dispose(): void {
    this.#isDisposed = true;
  }

  #started({ job, name }: Answers['rerun']): void {
    const { say, host } = this.#context;
    const text = say('Rerun started: {name} ({id})', { name: plain(name, 100), id: plain(job, 100) });
    this.show(text, host.openJob ? button(say('Open'), 'small', () => host.openJob?.(job)) : null);
  }
}
