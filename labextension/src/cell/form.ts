/**
 * A form over the first line of a cell, `%%pai_train NAME --option value ...`, and the line that it makes, as one
 * types. Its sections, their order and their words are those of the form in a cell (`FORM_SECTIONS`, pai_jupyter/form).
 *
 *   shlex.ts    quoting, as Python's shlex     magicline.ts   the line's parts, and the line put together again
 *   fields.ts   controls with their errors     values.ts      what a hyperparameter may be
 *   combobox.ts a field that offers            line.ts        the line, to be copied
 *   target.ts, roles.ts, inputs.ts, hyperparameters.ts, taken.ts, variables.ts, findings.ts   the parts of the form
 *
 * Rule 1: what the form does not know, the line keeps.
 * Rule 2: the form changes no cell; whoever shows it asks for the line.
 */

import type { SchemaAnswer } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { Disposables, element, quiet, setText } from '../parts/dom.js';
import type { Say } from '../tokens.js';
import { FORM_SECTIONS, type FormSection } from '../wire/schema.js';
import { CostLine } from './cost.js';
import { CellFindings } from './findings.js';
import { ValueFields } from './hyperparameters.js';
import { InputRows } from './inputs.js';
import { LineField } from './line.js';
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

/** What belongs to the code: names of other cells, and variables that are sent and returned. */
const OF_THE_CODE: ReadonlySet<string> = new Set(['taken', 'send', 'return', 'leave-out']);

export interface FormOptions {
  readonly say: Say;
  readonly rest: Pick<Rest, 'get' | 'post'>;
  /** Ask for what the code declares, and what is wrong with it. */
  ask(): Promise<SchemaAnswer>;
  readonly parts: readonly Part[]; // of the cell's line
  readonly notes: readonly string[]; // what else to know, a sentence each
  readonly isRerun?: boolean; // of a job: its code stays, and so what the line says of it
  /** Something was changed, or is wrong, or is so no more. */
  changed(): void;
}

/** What the server reads the form of: a cell, those above it, and the path of its notebook where it has one. */
export function askAbout(
  rest: Pick<Rest, 'post'>,
  cell: string,
  above: Above,
  notebook: string | undefined
): () => Promise<SchemaAnswer> {
  const source = notebook === undefined ? { cell, ...above } : { cell, ...above, notebook };
  return () => rest.post<SchemaAnswer>('schema', source);
}

export class CellForm {
  readonly element: HTMLElement;
  readonly #options: FormOptions;
  readonly #target: TargetFields;
  readonly #inputs: InputRows;
  readonly #values: ValueFields;
  readonly #findings: CellFindings;
  readonly #taken: TakenNames;
  readonly #sends: VariableNames;
  readonly #returns: VariableNames;
  readonly #line: LineField;
  readonly #cost: CostLine;
  readonly #refusal = element('p', { class: 'pj-JobView-fieldError', role: 'status' });
  readonly #lasting = new Disposables();
  #isWrong = false;
  #first: string | null = null; // what it said when it was opened

  constructor(options: FormOptions) {
    const { say, rest, ask, parts, notes } = options;
    const check = (): void => this.#check();
    const answered = (answer: SchemaAnswer): void => this.#draw(answer);
    this.#options = options;
    this.#target = new TargetFields(say, rest, parts);
    this.#inputs = new InputRows(say, parts, check);
    this.#findings = new CellFindings(say, this.#title('findings'));
    this.#taken = new TakenNames(say, this.#title('taken'), parts, check);
    this.#sends = new VariableNames({
      say,
      option: 'send',
      title: this.#title('send'),
      parts,
      label: name => say('Send {name}', { name })
    });
    this.#returns = new VariableNames({
      say,
      option: 'return',
      title: this.#title('return'),
      parts,
      label: name => say('Return {name}', { name })
    });
    this.#values = new ValueFields({ say, ask, parts, answered, changed: check });
    this.#line = new LineField(say, this.#title('line'));
    this.#cost = new CostLine(say, rest);
    this.element = element(
      'section',
      { class: 'pj-JobView pj-JobView-cellForm', 'aria-label': say('Options of the job') },
      ...notes.map(quiet),
      ...FORM_SECTIONS.flatMap(({ key }) => this.#section(key))
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
    const { say } = this.#options;
    if (this.#findings.hasErrors) {
      return say('To insert and run, fix the errors of the cell (✗) first.');
    }
    return this.#values.lacksOne || this.#inputs.lacksOne ? say('Fill in the fields marked with * first.') : '';
  }

  /** Whether it says something else than the line that it was opened with. */
  get isChanged(): boolean {
    return this.#first !== null && this.line(false) !== this.#first;
  }

  /** The line; with `run` it submits the job without asking again. */
  line(run: boolean): string {
    const ofCode = [this.#taken, this.#sends, this.#returns];
    const parts = [this.#target, this.#inputs, this.#values, ...(this.#options.isRerun ? [] : ofCode)];
    const owned = [...OWNED].filter(option => !this.#options.isRerun || !OF_THE_CODE.has(option));
    const settings = parts.flatMap(part => part.settings);
    return formatLine(this.#options.parts, new Set(owned), settings, run);
  }

  dispose(): void {
    this.#lasting.dispose();
    this.#values.dispose();
    this.#target.dispose();
    this.#cost.dispose();
  }

  #title(key: FormSection['key']): string {
    const title = FORM_SECTIONS.find(section => section.key === key)?.title;
    return title ? this.#options.say(title) : '';
  }

  /** What a section is drawn as; none where only a form in a cell has it. */
  #section(key: FormSection['key']): HTMLElement[] {
    const heading = (): HTMLElement => element('h3', {}, this.#title(key));
    if (this.#options.isRerun && OF_THE_CODE.has(key)) {
      return [];
    }
    switch (key) {
      case 'name':
        return [this.#target.nameElement];
      case 'values':
        return [
          element('div', { class: 'pj-JobView-formHead' }, heading(), this.#values.resetAll),
          this.#values.element
        ];
      case 'inputs':
        return [heading(), this.#inputs.element];
      case 'taken':
        return [this.#taken.element];
      case 'send':
        return [this.#sends.element];
      case 'return':
        return [this.#returns.element];
      case 'target':
        return [heading(), this.#target.element];
      case 'pass':
        return []; // the server does not know the variables of the kernel
      case 'findings':
        return [this.#findings.element];
      case 'line':
        return [
          element(
            'div',
            { class: 'pj-JobView-formLine' },
            element('div', { class: 'pj-JobView-formHead' }, heading(), this.#line.copying),
            this.#line.element,
            this.#cost.element,
            this.#refusal
          )
        ];
    }
  }

  #draw({ inputs, taken, values, assigned, findings }: SchemaAnswer): void {
    this.#inputs.draw(inputs ?? []);
    const sent = this.#sends.names; // what is sent is not taken
    this.#taken.draw((taken ?? []).filter(({ name }) => !sent.includes(name)));
    this.#sends.draw(values ?? []);
    this.#returns.draw((assigned ?? []).map(name => ({ name })));
    this.#findings.draw(findings);
  }

  #check(): void {
    this.#findings.check(this.#sends.names);
    const wrong = [this.#target, this.#inputs, this.#values].map(part => part.check());
    this.#isWrong = wrong.includes(true);
    const line = this.line(false);
    this.#first ??= line;
    this.#line.show(this.#isWrong ? '' : line, this.#options.say('Fix the errors above'));
    setText(this.#refusal, this.refusal);
    this.#cost.show(this.#isWrong ? '' : line);
    this.#options.changed();
  }
}
