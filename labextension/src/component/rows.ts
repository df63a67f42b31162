/**
 * Rows of channels or parameters, to be added and removed; each says below itself what is wrong with it.
 *
 * Rule: what a row has no control for, it keeps.
 */

import type { ComponentProblemRow } from '../panel/protocol.js';
import { button, element, setText } from '../parts/dom.js';
import type { Say } from '../tokens.js';
import { isError, noteLine, sentences } from './problems.js';

let rows = 0;

/** The controls of a row, the one of its name first. */
export interface RowControls<R> {
  readonly controls: readonly HTMLElement[];
  get(): R;
  /** What is wrong with what the controls hold, where no value can be made of it. */
  complaint(): string;
}

export interface RowsOptions<R> {
  readonly say: Say;
  /** What one of them is called: "Input". */
  readonly title: string;
  readonly add: string;
  make(row: R | null): RowControls<R>;
  changed(): void;
}

interface DrawnRow<R> {
  readonly element: HTMLElement;
  readonly made: RowControls<R>;
  readonly error: HTMLElement;
  readonly note: HTMLElement;
}

export class Rows<R> {
  readonly element = element('div', { class: 'pj-JobView-inputRows pj-Components-rows' });
  readonly #options: RowsOptions<R>;
  readonly #add: HTMLButtonElement;
  #rows: readonly DrawnRow<R>[] = [];

  constructor(options: RowsOptions<R>, given: readonly R[]) {
    this.#options = options;
    this.#add = button(options.add, 'small', () => {
      this.#append(null).made.controls[0]?.focus();
      options.changed();
    });
    this.element.append(this.#add);
    given.forEach(row => this.#append(row));
  }

  get values(): R[] {
    return this.#rows.map(({ made }) => made.get());
  }

  /** Show what is wrong, each sentence at the row that it is about; whether a control holds what is no value. */
  tell(problems: readonly ComponentProblemRow[]): boolean {
    const wrong = this.#rows.map(({ made, error, note }, at) => {
      const mine = problems.filter(({ index }) => index === at);
      const complaint = made.complaint();
      const text = complaint || sentences(mine.filter(isError));
      setText(error, text);
      error.hidden = text === '';
      made.controls[0]?.setAttribute('aria-invalid', String(text !== ''));
      setText(note, sentences(mine.filter(problem => !isError(problem))));
      return complaint !== '';
    });
    return wrong.includes(true);
  }

  #append(given: R | null): DrawnRow<R> {
    const { say, title, make } = this.#options;
    const id = `pj-component-row-${(rows += 1)}`;
    const made = make(given);
    const error = element('p', { class: 'pj-JobView-fieldError', role: 'alert', id: `${id}-error`, hidden: true });
    const note = noteLine();
    note.id = `${id}-note`;
    made.controls[0]?.setAttribute('aria-describedby', `${error.id} ${note.id}`);
    const remove = button(say('Remove'), 'small', () => this.#remove(row));
    const shown = made.controls.map(control => control.closest('label') ?? control);
    const group = element('div', { class: 'pj-JobView-formControl', role: 'group', 'aria-label': title }, ...shown);
    group.append(remove, error, note);
    const row: DrawnRow<R> = { element: group, made, error, note };
    this.#rows = [...this.#rows, row];
    this.#add.before(group);
    return row;
  }

  #remove(row: DrawnRow<R>): void {
    this.#rows = this.#rows.filter(one => one !== row);
    row.element.remove();
    this.#add.focus(); // the button that had it is gone
    this.#options.changed();
  }
}

export function textBox(label: string, example: string, text: string): HTMLInputElement {
  const made = element('input', {
    type: 'text',
    class: 'pj-JobView-input',
    'aria-label': label,
    placeholder: example,
    title: label,
    autocomplete: 'off'
  });
  made.spellcheck = false;
  made.value = text;
  return made;
}

/** A box for a text with its label around it. */
export function labelledBox(label: string, text: string): HTMLInputElement {
  const made = element('input', { type: 'text', class: 'pj-JobView-input', autocomplete: 'off' });
  made.spellcheck = false;
  made.value = text;
  element('label', { class: 'pj-JobView-field' }, label, made);
  return made;
}

/** A box for what a row is about. */
export function descriptionBox(say: Say, given: { readonly description?: string } | null): HTMLInputElement {
  const made = labelledBox(say('Description'), given?.description ?? '');
  made.classList.add('pj-JobView-about');
  return made;
}

export function described(box: HTMLInputElement): { readonly description?: string } {
  const description = box.value.trim();
  return description === '' ? {} : { description };
}

/** A checkbox with its label around it. */
export function checkBox(label: string, isChecked: boolean): HTMLInputElement {
  const made = element('input', { type: 'checkbox' });
  made.checked = isChecked;
  element('label', { class: 'pj-JobView-field' }, made, label);
  return made;
}

/** What is kept of a row beside what it has controls for. */
export function without(given: object, ...names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
}
