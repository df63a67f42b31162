/**
 * A form over the first line of a cell, `%%pai_train NAME --option value ...`: name, place, inputs, hyperparameters;
 * and the line that it makes of them, as one types.
 *
 *   shlex.ts    quoting, as Python's shlex     magicline.ts   the line's parts, and the line put together again
 *   fields.ts   controls with their errors     values.ts      what a hyperparameter may be
 *   target.ts, roles.ts, inputs.ts, hyperparameters.ts, taken.ts, variables.ts, findings.ts   the parts of the form
 *
 * Rule 1: what the form does not know, the line keeps.
 * Rule 2: the form changes no cell; whoever shows it asks for the line.
 */

import type { SchemaAnswer } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { textBlock } from '../parts/blocks.js';
import { Disposables, element, quiet, setText } from '../parts/dom.js';
import type { Say } from '../tokens.js';
import { CostLine } from './cost.js';
import { CellFindings } from './findings.js';
import { ValueFields } from './hyperparameters.js';
import { InputRows } from './inputs.js';
import { type Above, formatLine, type Part } from './magicline.js';
import { TakenNames } from './taken.js';
import { TargetFields } from './target.js';
import { VariableNames } from './variables.js';

const OWNED: ReadonlySet<string> = new Set([
  '',
  'backend',
  'image',
  'instance-type',
  'instance-count',
  'job-type',
  'role',
  'input',
  'param',
  'leave-out',
  'send',
  'return'
]);

export interface FormOptions {
  readonly say: Say;
  readonly rest: Pick<Rest, 'get' | 'post'>;
  readonly cell: string;
  readonly above: Above;
  readonly notebook?: string; // its path below the server's root
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
  readonly #findings: CellFindings;
  readonly #taken: TakenNames;
  readonly #sends: VariableNames;
  readonly #returns: VariableNames;
  readonly #line: HTMLElement;
  readonly #cost: CostLine;
  readonly #refusal = element('p', { class: 'pj-JobView-fieldError', role: 'status' });
  readonly #lasting = new Disposables();
  #isWrong = false;

  constructor(options: FormOptions) {
    const { say, rest, cell, above, notebook, parts, notes } = options;
    const check = (): void => this.#check();
    this.#options = options;
    this.#place = new TargetFields(say, rest, parts);
    this.#inputs = new InputRows(say, parts, check);
    this.#findings = new CellFindings(say);
    this.#taken = new TakenNames(say, parts, check);
    this.#sends = new VariableNames({
      say,
      option: 'send',
      title: say('Send from the notebook'),
      parts,
      label: name => say('Send {name}', { name })
    });
    this.#returns = new VariableNames({
      say,
      option: 'return',
      title: say('Return to the notebook'),
      parts,
      label: name => say('Return {name}', { name })
    });
    const source = notebook === undefined ? { cell, ...above } : { cell, ...above, notebook };
    const answered = (answer: SchemaAnswer): void => this.#draw(answer);
    this.#values = new ValueFields({ say, rest, source, parts, answered, changed: check });
    this.#line = textBlock('', say('Magic line'));
    this.#cost = new CostLine(say, rest);
    this.element = element(
      'section',
      { class: 'pj-JobView pj-JobView-cellForm', 'aria-label': say('Options of the job') },
      ...notes.map(quiet),
      this.#place.element,
      element('h3', {}, say('Inputs')),
      this.#inputs.element,
      element('h3', {}, say('Hyperparameters')),
      this.#values.element,
      this.#findings.element,
      this.#taken.element,
      this.#sends.element,
      this.#returns.element,
      this.#cost.element,
      element('div', { class: 'pj-JobView-formLine' }, element('h3', {}, say('Magic line')), this.#line, this.#refusal)
    );
    this.#lasting.listen(this.element, 'input', check);
    this.#lasting.listen(this.element, 'change', check);
    this.#check();
  }

  /** Whether the form says something that no line can. */
  get isWrong(): boolean {
    return this.#isWrong;
  }

  /** Why the job would not start as things are, a sentence; '' where nothing is known against it. */
  get refusal(): string {
    return this.#findings.hasErrors
      ? this.#options.say('To insert and run, fix the errors of the cell (✗) first.')
      : '';
  }

  /** The line; with `run` it submits the job without asking again. */
  line(run: boolean): string {
    const parts = [this.#place, this.#inputs, this.#values, this.#taken, this.#sends, this.#returns];
    const settings = parts.flatMap(part => part.settings);
    return formatLine(this.#options.parts, OWNED, settings, run);
  }

  dispose(): void {
    this.#lasting.dispose();
    this.#values.dispose();
    this.#cost.dispose();
  }

  #draw({ taken, values, assigned, findings }: SchemaAnswer): void {
    const sent = this.#sends.names; // what is sent is not taken
    this.#taken.draw((taken ?? []).filter(({ name }) => !sent.includes(name)));
    this.#sends.draw(values ?? []);
    this.#returns.draw((assigned ?? []).map(name => ({ name })));
    this.#findings.draw(findings);
  }

  #check(): void {
    this.#findings.check(this.#sends.names);
    const wrong = [this.#place, this.#inputs, this.#values].map(part => part.check());
    this.#isWrong = wrong.includes(true);
    setText(this.#line, this.#isWrong ? this.#options.say('Fix the errors above') : this.line(false));
    setText(this.#refusal, this.refusal);
    this.#cost.show(this.#isWrong ? '' : this.line(false));
    this.#options.changed();
  }
}
