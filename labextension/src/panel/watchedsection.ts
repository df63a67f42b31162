/**
 * A section whose list can change elsewhere: all of it is asked for when it is shown, and by "Refresh"; what is cheap
 * to ask for is looked at every few seconds while it is shown.
 */

import { Poll } from '@lumino/polling';

import { button } from '../parts/dom.js';
import { Loading } from '../parts/loading.js';
import type { Say } from '../tokens.js';
import type { Section } from './section.js';

const LONGEST_PAUSE = 60_000; // milliseconds, where nothing answers

export abstract class WatchedSection implements Section {
  abstract readonly element: HTMLElement;
  protected readonly loading: Loading;
  protected readonly refresh: HTMLButtonElement;
  readonly #poll: Poll;

  /** `interval`: milliseconds between two looks. */
  constructor(say: Say, name: string, interval: number) {
    this.loading = new Loading(say);
    this.refresh = button(say('Refresh'), 'small', () => this.ask());
    this.refresh.classList.add('pj-JobView-last');
    this.#poll = new Poll({
      name: `pai-jupyter:${name}`,
      auto: false,
      standby: 'when-hidden',
      factory: () => this.look(),
      frequency: { interval, backoff: true, max: LONGEST_PAUSE }
    });
  }

  show(isShown: boolean): void {
    if (isShown) {
      this.ask();
      void this.#poll.start();
    } else {
      void this.#poll.stop();
    }
  }

  dispose(): void {
    this.#poll.dispose();
    this.loading.dispose();
  }

  /** Ask for all of it, and draw that. */
  protected abstract ask(): void;

  /** Look whether there is something new. */
  protected abstract look(): Promise<void>;
}
