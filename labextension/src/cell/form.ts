/**
 * A form over the first line of a cell, `%%pai_train NAME --option value ...`: name, place, inputs, hyperparameters;
 * and the line that it makes of them, as one types.
 *
 *   shlex.ts    quoting, as Python's shlex     magicline.ts   the line's parts, and the line put together again
 *   fields.ts   controls with their errors     values.ts      what a hyperparameter may be
 *   target.ts, inputs.ts, hyperparameters.ts   the parts of the form
 *
 * Rule 1: what the form does not know, the line keeps.
 * Rule 2: the form changes no cell; whoever shows it asks for the line.
 */

import type { Rest } from '../panel/rest.js';
import { textBlock } from '../parts/blocks.js';
import { Disposables, element, quiet, setText } from '../parts/dom.js';
import type { Say } from '../tokens.js';
import { ValueFields } from './hyperparameters.js';
import { InputRows } from './inputs.js';
import { formatLine, type Part } from './magicline.js';
import { TargetFields } from './target.js';

const OWNED: ReadonlySet<string> = new Set([
  '',
  'backend',
  'image',
  'instance-type',
  'instance-count',
  'input',
  'param'
]);

export interface FormOptions {
  readonly say: Say;
  readonly rest: Pick<Rest, 'get' | 'post'>;
  readonly cell: string;
  readonly parts: readonly Part[]; // of the cell's line
  readonly notes: readonly string[]; // what else to know, a sentence each
  /** Something was changed, or is wrong, or is so no more. */
  changed(): void;
}

export class CellForm {
  readonly element: HTMLElement;
  readonly #options: FormOptions;
  readonly #place: TargetFields;
  readonly #inputs: InputRows;
  readonly #values: ValueFields;
  readonly #line: HTMLElement;
  readonly #lasting = new Disposables();
  #isWrong = false;

  constructor(options: FormOptions) {
    const { say, rest, cell, parts, notes } = options;
    const check = (): void => this.#check();
    this.#options = options;
    this.#place = new TargetFields(say, rest, parts);
    this.#inputs = new InputRows(say, parts, check);
    this.#values = new ValueFields(say, rest, cell, parts, check);
    this.#line = textBlock('', say('Magic line'));
    this.element = element(
      'section',
      { class: 'pj-JobView pj-JobView-cellForm', 'aria-label': say('Options of the job') },
      ...notes.map(quiet),
      this.#place.element,
      element('h3', {}, say('Inputs')),
      this.#inputs.element,
      element('h3', {}, say('Hyperparameters')),
      this.#values.element,
      element('div', { class: 'pj-JobView-formLine' }, element('h3', {}, say('Magic line')), this.#line)
    );
    this.#lasting.listen(this.element, 'input', check);
    this.#lasting.listen(this.element, 'change', check);
    this.#check();
  }

  /** Whether the form says something that no line can. */
  get isWrong(): boolean {
    return this.#isWrong;
  }

  /** The line; with `run` it submits the job without asking again. */
  line(run: boolean): string {
    const settings = [this.#place, this.#inputs, this.#values].flatMap(part => part.settings);
    return formatLine(this.#options.parts, OWNED, settings, run);
  }

  dispose(): void {
    this.#lasting.dispose();
    this.#values.dispose();
  }

  #check(): void {
    const wrong = [this.#place, this.#inputs, this.#values].map(part => part.check());
    this.#isWrong = wrong.includes(true);
    setText(this.#line, this.#isWrong ? this.#options.say('Fix the errors above') : this.line(false));
    this.#options.changed();
  }
}
