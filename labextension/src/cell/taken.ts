/**
 * The names that the job takes from other cells of the notebook, a checkbox each.
 *
 * Rule: all are taken; what is switched off is left out by the line, and then missing in the job.
 */

import type { TakenRow } from '../panel/protocol.js';
import { element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import type { Part, Setting } from './magicline.js';

export class TakenNames {
  readonly element = element('section', { hidden: '' });
  readonly #say: Say;
  readonly #title: string;
  readonly #changed: () => void;
  readonly #given: readonly string[]; // left out by the line
  #checks: readonly HTMLInputElement[] = [];

  constructor(say: Say, title: string, parts: readonly Part[], changed: () => void) {
    this.#say = say;
    this.#title = title;
    this.#changed = changed;
    this.#given = parts.filter(({ option }) => option === 'leave-out').flatMap(({ value }) => value.split(','));
  }

  get settings(): Setting[] {
    const drawn = new Set(this.#checks.map(({ value }) => value));
    const off = this.#checks.filter(({ checked }) => !checked).map(({ value }) => value);
    const names = [...this.#given.map(name => name.trim()).filter(name => name && !drawn.has(name)), ...off];
    return names.length ? [{ option: 'leave-out', value: names.join(',') }] : [];
  }

  /** Nothing here can be wrong. */
  check(): boolean {
    return false;
  }

  draw(rows: readonly TakenRow[]): void {
    const say = this.#say;
    const off = new Set(this.#given.map(name => name.trim()));
    const labels = rows.map(({ name, cell }) => {
      const check = element('input', { type: 'checkbox', value: plain(name, 200) });
      check.checked = !off.has(name);
      check.addEventListener('change', this.#changed);
      return { check, label: element('label', {}, check, ` ${plain(name, 200)} · ${say('cell [{cell}]', { cell })}`) };
    });
    this.#checks = labels.map(({ check }) => check);
    this.element.hidden = rows.length === 0;
    const title = this.#title;
    const list = element('div', { class: 'pj-JobView-taken', role: 'group', 'aria-label': title });
    list.append(...labels.map(({ label }) => label));
    this.element.replaceChildren(element('h3', {}, title), list);
  }
}
