/**
 * The hyperparameters of a cell as fields, and what is wrong with the cell: both as the server reads them.
 *
 * Rule 1: until the server has answered, and of what it does not know, the line keeps what it has.
 * Rule 2: a default need not be said, but where a file of values (`--params`) stands behind the line.
 */

import type { HyperparameterRow, SchemaAnswer } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { element, quiet } from '../parts/dom.js';
import { Loading } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { ValueField } from './fields.js';
import type { Part, Setting } from './magicline.js';
import { isSame, textOf } from './values.js';
import { hasBreak } from './shlex.js';

const SIGNS: Readonly<Record<string, string>> = { error: '✗', warning: '⚠', info: '·' };

export class ValueFields {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #given: readonly Setting[]; // of the line
  readonly #hasFile: boolean;
  readonly #changed: () => void;
  readonly #loading: Loading;
  #fields: readonly ValueField[] = [];

  constructor(say: Say, rest: Pick<Rest, 'post'>, cell: string, parts: readonly Part[], changed: () => void) {
    this.#say = say;
    this.#given = parts.filter(({ option }) => option === 'param');
    this.#hasFile = parts.some(({ option }) => option === 'params');
    this.#changed = changed;
    this.#loading = new Loading(say);
    this.element = this.#loading.element;
    void this.#loading.load(
      () => rest.post<SchemaAnswer>('schema', { cell }),
      answer => this.#draw(answer)
    );
  }

  get settings(): Setting[] {
    const names = new Set(this.#fields.map(({ row }) => row.name));
    const unknown = this.#given.filter(setting => !names.has(nameOf(setting)));
    return [...unknown, ...this.#fields.flatMap(field => this.#setting(field))];
  }

  /** Say what is wrong beside the fields; whether something is. */
  check(): boolean {
    const complaints = this.#fields.map(field => {
      field.show(field.complaint);
      return field.complaint;
    });
    return complaints.some(Boolean);
  }

  dispose(): void {
    this.#loading.dispose();
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

  #draw({ hyperparameters, findings }: SchemaAnswer): Node[] {
    const text = (row: HyperparameterRow): string => this.#givenText(row) ?? textOf(row.default);
    this.#fields = hyperparameters.map(row => new ValueField(this.#say, row, text(row), this.#changed));
    queueMicrotask(this.#changed); // once they are in the page
    const none = this.#say('No hyperparameters found. Declare one, e.g. lr: float = 0.01  # hp: [1e-5..1] log');
    const fields = this.#fields.map(field => field.element);
    return [...(fields.length ? fields : [quiet(none)]), ...this.#findings(findings)];
  }

  #findings(findings: SchemaAnswer['findings']): Node[] {
    const items = findings.map(({ level, line, message }) => {
      const place = line === null ? '' : `${this.#say('cell line {line}', { line })}: `;
      const sign = Object.hasOwn(SIGNS, level) ? SIGNS[level] : '';
      return element('li', { 'data-level': plain(level, 20) }, `${sign} ${place}${plain(message, 1_000)}`);
    });
    const label = this.#say('Warnings about the cell');
    return items.length ? [element('h3', {}, label), element('ul', { class: 'pj-JobView-findings' }, ...items)] : [];
  }
}

function nameOf({ value }: Setting): string {
  return (value.split('=', 1)[0] ?? '').trim();
}
