/**
 * What is wrong, where it is wrong: a field or a row with its errors, and with what keeps it from PAI alone.
 *
 * Rule: errors keep a component from being saved; those about PAI only, and warnings, are notes.
 */

import { type Control, Field } from '../cell/fields.js';
import type { ComponentProblemRow } from '../panel/protocol.js';
import { element, setText } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';

const LONGEST = 1_000;

export function isError({ severity, on_pai }: ComponentProblemRow): boolean {
  return severity === 'error' && !on_pai;
}

export function sentences(problems: readonly ComponentProblemRow[]): string {
  return problems.map(({ text }) => plain(text, LONGEST)).join(' ');
}

export function noteLine(): HTMLElement {
  return element('p', { class: 'pj-JobView-fieldNote', role: 'status' });
}

/** A field that also has notes. */
export class ComponentField extends Field {
  readonly #note = noteLine();

  constructor(label: string, control: Control, help = '', ...more: HTMLElement[]) {
    super(label, control, help, ...more);
    this.#note.id = `${control.element.id}-note`;
    const described = control.element.getAttribute('aria-describedby') ?? '';
    control.element.setAttribute('aria-describedby', `${described} ${this.#note.id}`);
    this.element.lastElementChild?.append(this.#note);
  }

  tell(problems: readonly ComponentProblemRow[]): void {
    this.show(sentences(problems.filter(isError)));
    setText(this.#note, sentences(problems.filter(problem => !isError(problem))));
  }
}
