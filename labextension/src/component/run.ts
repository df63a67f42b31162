/**
 * The form of a run of a component: places of its channels, values of its parameters, machines.
 *
 * Rule 1: what is wrong with a field is said as it is typed; what is missing, once the field has been left, or the run
 *   is wanted. The rest the server says, before anything starts: each sentence at its field until that is changed.
 * Rule 2: a default need not be said.
 */

import { Field, textControl, ValueField } from '../cell/fields.js';
import { TargetFields } from '../cell/target.js';
import { textOf } from '../cell/values.js';
import type { OpenableForm } from '../panel/openform.js';
import type { ComponentAnswer, SubmitAnswer } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { Disposables, element, quiet, setText } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { checkBox } from './rows.js';
import { fieldOf, inForm, type RunNames } from './sentences.js';

export const RUN = 'run';
const LONGEST = 1_000; // characters of a sentence

export interface RunOptions {
  readonly say: Say;
  readonly rest: Pick<Rest, 'get' | 'post'>;
  readonly component: ComponentAnswer;
}

export class RunEditor implements OpenableForm<SubmitAnswer> {
  readonly element: HTMLElement;
  changed: () => void = () => undefined;
  readonly #options: RunOptions;
  readonly #target: TargetFields;
  readonly #inputs: readonly (readonly [name: string, isRequired: boolean, field: Field])[];
  readonly #outputs: readonly (readonly [name: string, field: Field])[];
  readonly #values: readonly ValueField[];
  readonly #required: ReadonlySet<string>;
  readonly #accepts: HTMLInputElement;
  readonly #trouble = element('p', { class: 'pj-JobView-fieldError', role: 'alert' });
  readonly #progress = element('p', { class: 'pj-JobView-quiet', role: 'status' });
  readonly #lasting = new Disposables();
  readonly #touched = new Set<Field>();
  readonly #told = new Map<Field, readonly [text: string, sentence: string]>();
  #isTried = false;
  #isChanged = false;

  constructor(options: RunOptions) {
    const { say, rest, component } = (this.#options = options);
    const { form, is_registered, values } = component;
    const check = (): void => this.#check();
    this.#target = new TargetFields(say, rest, [], is_registered ? ['backend', 'image', 'role'] : ['image', 'role']);
    this.#inputs = (form.inputs ?? []).map(({ name, sources, required, description }) => {
      const help = [plain(description, 300), sources?.join(', '), required === false && say('not required')];
      const field = new Field(plain(name, 100), textControl(''), help.filter(Boolean).join(' · '));
      return [name, required !== false, field] as const;
    });
    this.#outputs = (form.outputs ?? []).map(({ name, storage, description }) => {
      const help = [plain(description, 300), storage ?? 'OSS', say('Leave blank for a place of the job')];
      return [name, new Field(plain(name, 100), textControl(''), help.filter(Boolean).join(' · '))] as const;
    });
    this.#values = values.map(row => new ValueField(say, row, textOf(row.default), check));
    this.#required = new Set((form.parameters ?? []).filter(({ required }) => required).map(({ name }) => name));
    this.#accepts = checkBox(say('run although its code or image has changed since it was saved'), false);
    this.element = this.#build();
    const typed = ({ target }: Event): void => {
      this.#isChanged = true;
      this.#touch(target);
    };
    this.#lasting.listen(this.element, 'input', typed);
    this.#lasting.listen(this.element, 'change', typed);
    this.#lasting.listen(this.element, 'focusout', ({ target, relatedTarget }) => {
      if (relatedTarget instanceof Node && this.element.contains(relatedTarget)) {
        this.#touch(target); // not for a button of the dialog, which may be "Cancel"
      }
    });
    this.#check();
  }

  get isChanged(): boolean {
    return this.#isChanged;
  }

  refusal(): string {
    const isWrong = this.#complaints().some(([field, complaint]) => complaint !== '' && this.#isSaid(field));
    return this.#target.check() || isWrong ? this.#options.say('Fix the errors above') : '';
  }

  async submit(): Promise<SubmitAnswer | null> {
    const { say, rest } = this.#options;
    this.#isTried = true;
    this.#told.clear();
    this.#target.forget();
    this.#check();
    setText(this.#trouble, '');
    if (this.#hasErrors()) {
      this.#focusError();
      return null;
    }
    setText(this.#progress, say('Starting…'));
    try {
      return await rest.post<SubmitAnswer>('component/run', this.#asking);
    } catch (error) {
      this.#tell(error);
      return null;
    } finally {
      setText(this.#progress, '');
    }
  }

  dispose(): void {
    this.#lasting.dispose();
    this.#target.dispose();
  }

  #build(): HTMLElement {
    const { say, component } = this.#options;
    const part = (title: string, fields: readonly Field[]): HTMLElement[] =>
      fields.length ? [element('h3', {}, title), ...fields.map(field => field.element)] : [];
    const { description } = component.form;
    return element(
      'section',
      { class: 'pj-JobView pj-JobView-cellForm', 'aria-label': say('Options of the job') },
      ...(description ? [quiet(plain(description, 1_000))] : []),
      this.#target.nameElement,
      this.#target.element,
      ...part(
        say('Inputs'),
        this.#inputs.map(([, , field]) => field)
      ),
      ...part(
        say('Outputs'),
        this.#outputs.map(([, field]) => field)
      ),
      ...part(say('Parameters'), this.#values),
      ...(component.is_registered ? [] : [this.#accepts.closest('label')]),
      element('div', { class: 'pj-JobView-formLine' }, this.#trouble, this.#progress)
    );
  }

  get #asking(): Record<string, unknown> {
    const { component } = this.#options;
    const options = Object.fromEntries(this.#target.settings.map(({ option, value }) => [option, value]));
    const places = (fields: readonly (readonly [string, Field])[]): Record<string, string> =>
      Object.fromEntries(fields.map(([name, { text }]) => [name, text.trim()]).filter(([, place]) => place !== ''));
    const given = this.#values.filter(field => field.text !== textOf(field.row.default));
    return {
      name: component.name,
      version: component.version,
      registered: component.is_registered,
      inputs: places(this.#inputs.map(([name, , field]) => [name, field] as const)),
      outputs: places(this.#outputs),
      values: Object.fromEntries(given.map(({ row, text }) => [row.name, text])),
      job_name: options[''] ?? null,
      backend: options['backend'] ?? null,
      instance_type: options['instance-type'] ?? null,
      instance_count: Number(options['instance-count'] ?? 1),
      accepts_changes: this.#accepts.checked
    };
  }

  #complaints(): (readonly [Field, string])[] {
    const { say } = this.#options;
    return [
      ...this.#outputs.map(([, field]) => [field, ''] as const),
      ...this.#inputs.map(([, isRequired, field]) => {
        const isMissing = isRequired && field.text.trim() === '';
        return [field, isMissing ? say('This input needs a place, e.g. ./data or oss://bucket/data/') : ''] as const;
      }),
      ...this.#values.map(field => {
        const isMissing = this.#required.has(field.row.name) && field.text === '';
        return [field, isMissing ? say('This parameter needs a value.') : field.complaint] as const;
      })
    ];
  }

  #hasErrors(): boolean {
    return this.#target.check() || this.#complaints().some(([, complaint]) => complaint !== '');
  }

  #check(): void {
    this.#target.check();
    for (const [field, complaint] of this.#complaints()) {
      const [text, sentence] = this.#told.get(field) ?? [];
      const told = text === field.text ? (sentence ?? '') : '';
      field.show((this.#isSaid(field) ? complaint : '') || told);
    }
    this.changed();
  }

  /** Whether what is wrong with it is shown. */
  #isSaid(field: Field): boolean {
    return this.#isTried || this.#touched.has(field);
  }

  #touch(target: EventTarget | null): void {
    const fields = this.#complaints().map(([field]) => field);
    const touched = fields.find(field => target instanceof Node && field.element.contains(target));
    if (touched) {
      this.#touched.add(touched);
    }
    this.#check();
  }

  /** Show each sentence of a refusal at its field, and below what belongs to none. */
  #tell(error: unknown): void {
    const { say } = this.#options;
    const message = error instanceof Error ? error.message : String(error);
    const rest = message.split('\n').filter(sentence => !this.#isPlaced(sentence));
    const hint = error instanceof Error && 'hint' in error ? plain(error.hint, LONGEST) : '';
    const left = rest.map(sentence => plain(inForm(sentence, say), LONGEST));
    setText(this.#trouble, [...left, hint].filter(Boolean).join(' '));
    this.#check();
    this.#focusError();
  }

  #isPlaced(sentence: string): boolean {
    const { say } = this.#options;
    const values = this.#values.map(field => [field.row.name, field] as const);
    const inputs = this.#inputs.map(([name, , field]) => [name, field] as const);
    const outputs = this.#outputs;
    const fields: Readonly<Record<keyof RunNames, readonly (readonly [string, Field])[]>> = { inputs, outputs, values };
    const names = (of: keyof RunNames): string[] => fields[of].map(([name]) => name);
    const known = { inputs: names('inputs'), outputs: names('outputs'), values: names('values') };
    const [kind, name] = fieldOf(sentence, known) ?? [];
    const text = plain(inForm(sentence, say), LONGEST);
    if (kind === undefined || name === undefined || kind === 'option') {
      return name !== undefined && this.#target.tell(name, text);
    }
    const field = fields[kind].find(([each]) => each === name)?.[1];
    const before = field && this.#told.get(field)?.[1];
    if (field) {
      this.#told.set(field, [field.text, before ? `${before} ${text}` : text]);
    }
    return field !== undefined;
  }

  #focusError(): void {
    this.element.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }
}
