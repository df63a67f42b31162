/**
 * Variables that the notebook sends to the job, or gets back from it, a checkbox each: `--send a,b`, `--return c`.
 *
 * Rule 1: until the server has answered, and while nothing is switched, the line keeps what it has.
 * Rule 2: a text of the line that is no list of names (`{columns}` of the notebook) has no checkbox and stays.
 */

import { element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import type { Part, Setting } from './magicline.js';

const NAME = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*$/u; // of Python

/** A variable, and the number of the cell that it is from, where that is known. */
export interface Variable {
  readonly name: string;
  readonly cell?: number;
}

export interface VariableOptions {
  readonly say: Say;
  readonly option: 'send' | 'return';
  readonly title: string;
  readonly parts: readonly Part[];
  /** What a checkbox does, in words: its text alone may be that of a field. */
  label(text: string): string;
}

export class VariableNames {
  readonly element = element('section', { hidden: '' });
  readonly #options: VariableOptions;
  readonly #texts: readonly string[]; // of the line
  readonly #given: readonly string[];
  #checks: readonly HTMLInputElement[] | null = null;

  constructor(options: VariableOptions) {
    this.#options = options;
    this.#texts = options.parts.filter(({ option }) => option === options.option).map(({ value }) => value);
    this.#given = [...new Set(this.#texts.filter(isList).flatMap(namesIn))];
  }

  /** The names that are chosen: those of the line first, in its order. */
  get names(): readonly string[] {
    const checks = this.#checks;
    if (checks === null) {
      return this.#given;
    }
    const chosen = checks.filter(({ checked }) => checked).map(({ value }) => value);
    return [
      ...this.#given.filter(name => chosen.includes(name)),
      ...chosen.filter(name => !this.#given.includes(name))
    ];
  }

  get settings(): Setting[] {
    const names = this.names;
    const isUntouched = names.join() === this.#given.join();
    const others = this.#texts.filter(text => !isList(text));
    const texts = isUntouched ? this.#texts : [...others, ...(names.length ? [names.join()] : [])];
    return texts.map(value => ({ option: this.#options.option, value }));
  }

  /** Show a checkbox for each of these and for each name of the line. */
  draw(offered: readonly Variable[]): void {
    const known = new Set(offered.map(({ name }) => name));
    const others = this.#given.filter(name => !known.has(name)).map((name): Variable => ({ name }));
    const { title } = this.#options;
    const rows = [...offered, ...others].map(variable => this.#row(variable));
    const list = element('div', { class: 'pj-JobView-taken', role: 'group', 'aria-label': title });
    list.append(...rows.map(({ label }) => label));
    this.#checks = rows.map(({ check }) => check);
    this.element.hidden = rows.length === 0;
    this.element.replaceChildren(element('h3', {}, title), list);
  }

  #row({ name, cell }: Variable): { check: HTMLInputElement; label: HTMLElement } {
    const { say, label } = this.#options;
    const shown = plain(name, 200);
    const text = cell === undefined ? shown : `${shown} · ${say('cell [{cell}]', { cell })}`;
    const check = element('input', { type: 'checkbox', value: shown, 'aria-label': label(text) });
    check.checked = this.#given.includes(name);
    return { check, label: element('label', {}, check, ` ${text}`) };
  }
}

function namesIn(text: string): string[] {
  return text.split(',').map(name => name.trim());
}

function isList(text: string): boolean {
  return namesIn(text).every(name => NAME.test(name));
}
