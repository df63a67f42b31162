/**
 * The hyperparameters of a cell as fields, as the server reads them.
 *
 * Rule 1: until the server has answered, and of what it does not know, the line keeps what it has.
 * Rule 2: a default need not be said, but where a file of values (`--params`) stands behind the line.
 * Rule 3: of a subcommand that is not chosen no option is shown or said, unless the line wrongly does.
 */

import type { HyperparameterRow, SchemaAnswer } from '../panel/protocol.js';
import { button, element, quiet } from '../parts/dom.js';
import { Loading } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { ValueField } from './fields.js';
import type { Part, Setting } from './magicline.js';
import { isSame, textOf } from './values.js';
import { hasBreak } from './shlex.js';

export interface ValueOptions {
  readonly say: Say;
  /** Ask for the form of the cell. */
  ask(): Promise<SchemaAnswer>;
  readonly parts: readonly Part[];
  /** The server has answered; the other parts of the form show what concerns them. */
  answered(answer: SchemaAnswer): void;
  changed(): void;
}

export class ValueFields {
  readonly element: HTMLElement;
  /** Sets all back to their defaults; shown where one has another value. */
  readonly resetAll: HTMLButtonElement;
  readonly #say: Say;
  readonly #given: readonly Setting[]; // of the line
  readonly #hasFile: boolean;
  readonly #changed: () => void;
  readonly #answered: (answer: SchemaAnswer) => void;
  readonly #loading: Loading;
  #fields: readonly ValueField[] = [];
  #misplaced: ReadonlySet<ValueField> = new Set(); // options of other subcommands that the line gives

  constructor({ say, ask, parts, answered, changed }: ValueOptions) {
    this.#answered = answered;
    this.#say = say;
    this.#given = parts.filter(({ option }) => option === 'param');
    this.#hasFile = parts.some(({ option }) => option === 'params');
    this.#changed = changed;
    this.#loading = new Loading(say);
    this.element = this.#loading.element;
    this.resetAll = button(say('Reset all'), 'small', () => this.#resetAll());
    this.resetAll.hidden = true;
    void this.#loading.load(ask, answer => this.#draw(answer));
  }

  get settings(): Setting[] {
    const names = new Set(this.#fields.map(({ row }) => row.name));
    const unknown = this.#given.filter(setting => !names.has(nameOf(setting)));
    return [...unknown, ...this.#shown.flatMap(field => this.#setting(field))];
  }

  /** Say what is wrong beside the fields; whether something is. */
  check(): boolean {
    const shown = new Set(this.#shown);
    const complaints = this.#fields.map(field => {
      const complaint = shown.has(field) ? field.complaint || this.#misplacement(field) : '';
      field.element.hidden = !shown.has(field);
      field.show(complaint);
      return complaint;
    });
    this.resetAll.hidden = !this.#fields.some(field => shown.has(field) && field.isChanged);
    return complaints.some(Boolean);
  }

  /** Whether one that the script requires has no value. */
  get lacksOne(): boolean {
    return this.#shown.some(({ row, text }) => row.required && row.default === null && text.trim() === '');
  }

  get #shown(): readonly ValueField[] {
    return this.#fields.filter(field => this.#applies(field) || (this.#misplaced.has(field) && !isDefault(field)));
  }

  /** Whether the program has this option with what is chosen in the form. */
  #applies({ row: { chosen_by: name, commands } }: ValueField): boolean {
    const chooser = this.#fields.find(({ row }) => row.name === name);
    return (
      !commands.length || (chooser !== undefined && commands.includes(chooser.text || textOf(chooser.row.default)))
    );
  }

  #misplacement(field: ValueField): string {
    const { chosen_by: name, commands } = field.row;
    return this.#applies(field)
      ? ''
      : this.#say('This is an option only with {name} = {value}.', {
          name: plain(name, 100),
          value: plain(commands?.[0] ?? '', 100)
        });
  }

  dispose(): void {
    this.#loading.dispose();
  }

  #resetAll(): void {
    this.#fields.forEach(field => field.reset());
    this.#fields[0]?.control.element.focus(); // the button that had it is gone
    this.#changed();
  }

  #setting({ row, text }: ValueField): Setting[] {
    const given = this.#givenText(row);
    const isUntouched = given === text || (given === undefined && isSame(row, text, textOf(row.default)));
    const isUsual = isSame(row, text, textOf(row.default)) && (!this.#hasFile || hasBreak(text));
    const isSaid = isUntouched ? given !== undefined : !isUsual;
    return isSaid ? [{ option: 'param', value: `${row.name}=${text}` }] : [];
  }

  #givenText({ name }: HyperparameterRow): string | undefined {
    return this.#given
      .filter(setting => nameOf(setting) === name)
      .at(-1)
      ?.value.slice(name.length + 1);
  }

  #draw(answer: SchemaAnswer): Node[] {
    const { hyperparameters } = answer;
    this.#answered(answer);
    const text = (row: HyperparameterRow): string => this.#givenText(row) ?? textOf(row.default);
    this.#fields = hyperparameters.map(row => new ValueField(this.#say, row, text(row), this.#changed));
    this.#misplaced = new Set(
      this.#fields.filter(field => this.#givenText(field.row) !== undefined && !this.#applies(field))
    );
    queueMicrotask(this.#changed); // once they are in the page
    const none = this.#say('No hyperparameters found. Declare one, e.g. lr: float = 0.01  # hp: [1e-5..1] log');
    const isFolded = ({ row }: ValueField): boolean => row.is_offered && this.#givenText(row) === undefined;
    const fields = this.#fields.filter(field => !isFolded(field)).map(field => field.element);
    const offered = this.#fields.filter(isFolded).map(field => field.element);
    return [...(fields.length ? fields : [quiet(none)]), ...this.#folded(offered)];
  }

  #folded(offered: readonly HTMLElement[]): Node[] {
    const label = `${this.#say('More values in the code')} (${offered.length})`;
    const summary = element('summary', {}, label);
    return offered.length ? [element('details', { class: 'pj-JobView-offered' }, summary, ...offered)] : [];
  }
}

function isDefault({ row, text }: ValueField): boolean {
  return isSame(row, text, textOf(row.default));
}

function nameOf({ value }: Setting): string {
  return (value.split('=', 1)[0] ?? '').trim();
}
