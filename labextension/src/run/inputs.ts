/**
 * Fields for the inputs of a run or of a component: each with its type, its value, and what the server says of it.
 *
 * Rule 1: only what was changed is given; what is fixed (a secret, or too long to be edited) stays as it is.
 * Rule 2: nothing is checked here: the server's sentences stand at their fields until these are changed.
 */

import { choiceControl, type Control, Field, textControl } from '../cell/fields.js';
import { element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import type { InputProblem, RunInput } from './tokens.js';

const LONGEST = 1_000; // characters of a sentence

export class InputFields {
  readonly element = element('div', { class: 'pj-Run-inputs' });
  readonly #fields: readonly (readonly [input: RunInput, field: Field])[];

  constructor(say: Say, inputs: readonly RunInput[]) {
    this.#fields = inputs.map(input => [input, fieldOf(input, say)] as const);
    this.element.append(...this.#fields.map(([, { element: row }]) => row));
    this.element.addEventListener('input', ({ target }) => this.#changed(target));
  }

  /** What was changed, by name. */
  get given(): Record<string, string> {
    const changed = this.#fields.filter(([input, { text }]) => !input.is_fixed && text !== input.value);
    return Object.fromEntries(changed.map(([{ name }, { text }]) => [name, text]));
  }

  /** Say what is wrong, and go there; what is about none of the fields is given back. */
  tell(problems: readonly InputProblem[]): string[] {
    this.#fields.forEach(([input, field]) => {
      const own = problems.filter(({ name }) => name === input.name);
      field.show(own.map(({ text }) => plain(text, LONGEST)).join(' '));
    });
    this.element.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    const names = new Set(this.#fields.map(([{ name }]) => name));
    return problems.filter(({ name }) => !names.has(name)).map(({ text }) => plain(text, LONGEST));
  }

  #changed(target: EventTarget | null): void {
    this.#fields.find(([, { control }]) => control.element === target)?.[1].show('');
  }
}

function fieldOf(input: RunInput, say: Say): Field {
  const control = controlOf(input);
  control.element.toggleAttribute('disabled', input.is_fixed);
  const help = [
    input.type || say(input.is_list ? 'paths or oss:// addresses, one a line' : 'path or oss:// address'),
    plain(input.range, 100),
    input.is_required && say('required'),
    input.is_fixed && say('stays as it is')
  ];
  return new Field(plain(input.name, 100), control, help.filter(Boolean).join(' · '));
}

function controlOf({ type, value, choices, is_list: isList }: RunInput): Control {
  const offered = choices.length ? choices : type === 'Bool' ? ['true', 'false'] : [];
  if (offered.length) {
    const known = offered.includes(value) ? offered : [value, ...offered];
    return choiceControl(
      known.map(one => [one, plain(one, 100) || '—'] as const),
      value
    );
  }
  return isList ? textControl(value, true) : textControl(value);
}
