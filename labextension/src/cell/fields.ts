/**
 * The fields of the form: a control with its label, what it means, and what is wrong with it.
 *
 *   choices                  select, with "—" for no value where that is the default
 *   bool                     checkbox, or a select where it has no default
 *   int, float               number field with its bounds; a text field where what the line says is no number
 *   json, str                text field
 *
 * Rule: what the line says and the control cannot hold is shown in a text field as it was typed, with the error beside.
 */

import type { HyperparameterRow } from '../panel/protocol.js';
import { choice, type Option } from '../parts/controls.js';
import { button, element, setText } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { isSame, isValid, textOf, valueError } from './values.js';

let fields = 0;

export interface Control {
  readonly element: HTMLElement;
  get(): string;
  set(text: string): void;
}

/** A row of the form. */
export class Field {
  readonly element: HTMLElement;
  readonly control: Control;
  readonly #help = element('span', { class: 'pj-JobView-quiet' });
  readonly #error = element('p', { class: 'pj-JobView-fieldError', role: 'alert' });

  /** `help` says what it is; `more` stands behind the control. */
  constructor(label: string, control: Control, help = '', ...more: HTMLElement[]) {
    const id = `pj-field-${(fields += 1)}`;
    const target = control.element;
    this.control = control;
    [target.id, this.#help.id, this.#error.id] = [id, `${id}-help`, `${id}-error`];
    target.setAttribute('aria-describedby', `${id}-help ${id}-error`);
    target.removeAttribute('aria-label'); // the label beside it is its name
    this.#error.hidden = true;
    this.explain(help);
    this.element = element(
      'div',
      { class: 'pj-JobView-formRow' },
      element('label', { for: id }, label),
      element('div', { class: 'pj-JobView-formControl' }, target, ...more, this.#help, this.#error)
    );
  }

  get text(): string {
    return this.control.get();
  }

  /** Letters in a number field: the browser gives no text for them. */
  get isUnreadable(): boolean {
    const control = this.control.element;
    return control instanceof HTMLInputElement && control.validity.badInput;
  }

  explain(help: string): void {
    setText(this.#help, help);
  }

  /** Say what is wrong; '' takes it away. */
  show(error: string): void {
    setText(this.#error, error);
    this.#error.hidden = error === '';
    this.control.element.setAttribute('aria-invalid', String(error !== ''));
  }
}

/** A field for text, of several lines where it has them already. */
export function textControl(text: string, isLong = text.includes('\n')): Control {
  const made = isLong
    ? element('textarea', { class: 'pj-JobView-input', rows: 3 })
    : element('input', { type: 'text', class: 'pj-JobView-input', autocomplete: 'off' });
  made.spellcheck = false;
  made.value = text;
  return holding(made);
}

/** A field for a number from `usual` on, which it is where it is left empty. */
export function countControl(text: string, usual = '1'): Control {
  const made = element('input', { type: 'number', class: 'pj-JobView-input', min: usual, step: 1, placeholder: usual });
  made.value = text;
  return holding(made);
}

export function choiceControl(options: readonly Option[], text: string): Control {
  const made = choice('', options, () => undefined);
  made.value = text;
  return holding(made);
}

function holding(made: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement): Control {
  return {
    element: made,
    get: () => made.value,
    set: text => {
      made.value = text;
    }
  };
}

/** One hyperparameter, with a way back to its default where it is another value. */
export class ValueField extends Field {
  readonly row: HyperparameterRow;
  readonly #say: Say;
  readonly #reset: HTMLButtonElement;

  constructor(say: Say, row: HyperparameterRow, text: string, changed: () => void) {
    const control = controlFor(row, text);
    const label = plain(row.name, 100);
    const reset = button(say(row.is_given ? 'Remove' : 'Reset'), 'small', () => {
      this.reset();
      control.element.focus(); // the button that had it is gone
      changed();
    });
    reset.setAttribute('aria-label', `${reset.textContent}: ${label}`);
    super(row.required ? `${label} *` : label, control, explanation(row, say), reset);
    this.row = row;
    this.#say = say;
    this.#reset = reset;
    this.#offerReset();
    ['input', 'change'].forEach(type => control.element.addEventListener(type, () => this.#offerReset()));
  }

  /** Whether it is another value than the default. */
  get isChanged(): boolean {
    return this.isUnreadable || !isSame(this.row, this.text, textOf(this.row.default));
  }

  /** What is wrong with what it holds. */
  get complaint(): string {
    const { row, text } = this;
    return this.isUnreadable ? plain(row.rule, 500) : valueError(row, text, this.#say);
  }

  reset(): void {
    this.control.set(textOf(this.row.default));
    this.#offerReset();
  }

  /** Its room is kept, so that nothing moves while one types. */
  #offerReset(): void {
    this.#reset.style.visibility = this.isChanged ? '' : 'hidden';
  }
}

function controlFor(row: HyperparameterRow, text: string): Control {
  const isNone = row.default === null || text === '';
  const offered = row.choices.length ? row.choices.map(textOf) : row.kind === 'bool' && isNone ? ['True', 'False'] : [];
  if (offered.length && (offered.includes(text) || text === '')) {
    const options = offered.map((one): Option => [one, plain(one, 100)]);
    return choiceControl(isNone ? [['', '—'], ...options] : options, text);
  }
  if (row.kind === 'bool' && /^(True|False)$/.test(text)) {
    return checkControl(text === 'True');
  }
  return isNumeral(row, text) ? numberControl(row, text) : textControl(text);
}

/** Whether a number field can hold this text, be it out of bounds. */
function isNumeral(row: HyperparameterRow, text: string): boolean {
  const isNumber = (row.kind === 'int' || row.kind === 'float') && !row.choices.length;
  // the browser empties a field of any other
  const isShown = text === '' || (text.trim() === text && Number.isFinite(Number(text)));
  const isFree = { ...row, minimum: null, maximum: null };
  return isNumber && isShown && (text === '' || text === textOf(row.default) || isValid(isFree, text));
}

function checkControl(isChecked: boolean): Control {
  const made = element('input', { type: 'checkbox' });
  made.checked = isChecked;
  return {
    element: made,
    get: () => (made.checked ? 'True' : 'False'),
    set: text => {
      made.checked = text === 'True';
    }
  };
}

/** The arrows go by the step, or by one; what is between the steps is a number as good as any. */
function numberControl({ kind, minimum, maximum, step }: HyperparameterRow, text: string): Control {
  const stride = String(step ?? (kind === 'int' ? 1 : 'any'));
  const made = element('input', { type: 'number', class: 'pj-JobView-input', min: minimum, max: maximum });
  const fit = (): void => {
    made.step = stride;
    made.step = made.validity.stepMismatch ? 'any' : stride;
  };
  const set = (value: string): void => {
    made.value = value;
    fit();
  };
  made.addEventListener('input', fit);
  set(text);
  return { element: made, get: () => made.value, set };
}

/** In the words of the cell's form (`pai_jupyter/form/rows.py`). */
function explanation(row: HyperparameterRow, say: Say): string {
  const value = plain(row.default_text, 100) || say('none');
  const last = row.is_given ? say('not declared by the script') : `${say('default')} ${value}`;
  return [plain(row.help), row.kind, plain(row.range, 100), last].filter(Boolean).join(' · ');
}
