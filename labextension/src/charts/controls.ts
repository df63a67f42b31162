/** What the user can set of charts: which metrics, over what, smoothed or not, on which scale. */

import { choice, field, isPressed, searchBox, toggle } from '../parts/controls.js';
import { element } from '../parts/dom.js';
import type { Say } from '../tokens.js';
import type { ChartSettings } from './series.js';

export class ChartControls {
  readonly filter: HTMLInputElement;
  readonly elements: readonly HTMLElement[];
  readonly #axis: HTMLSelectElement;
  readonly #log: HTMLButtonElement;
  readonly #smoothing = element('input', { type: 'range', min: 0, max: 0.99, step: 0.01, value: 0 });

  constructor(say: Say, changed: () => void) {
    const amount = element('output', { class: 'pj-JobView-amount' }, '0');
    this.filter = searchBox(say('Filter by name'), changed);
    this.#axis = choice(
      say('X axis'),
      [
        ['step', say('Step')],
        ['time', say('Time')]
      ],
      changed
    );
    this.#log = toggle(say('Log scale'), changed);
    this.#smoothing.addEventListener('input', () => {
      amount.textContent = this.#smoothing.value;
      changed();
    });
    this.elements = [
      this.filter,
      field(say('X axis'), this.#axis),
      field(say('Smoothing'), this.#smoothing, amount),
      this.#log
    ];
  }

  /** `origin` is the moment that is time 0. */
  look(origin: number): ChartSettings {
    const axis = this.#axis.value === 'time' ? 'time' : 'step';
    return { axis, isLog: isPressed(this.#log), smoothing: Number(this.#smoothing.value), origin };
  }
}
