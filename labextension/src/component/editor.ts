/**
 * The form of a component, new or a new version: what it is, its code, channels, parameters and machines.
 *
 *   problems.ts    a field with its sentences       rows.ts         rows to be added and removed
 *   channels.ts    inputs and outputs               parameters.ts   parameters
 *
 * Rule 1: the server checks, a moment after the last change and before anything is done; the form shows each sentence
 *   at its field, unchanged.
 * Rule 2: what the form has no control for, it keeps; files of its own stay on the server (`files_of`).
 * Rule 3: the command is the default one until somebody changes it, and again when it is emptied.
 */

import { Debouncer } from '@lumino/polling';

import { choiceControl, type Control, textControl } from '../cell/fields.js';
import type { OpenableForm } from '../panel/openform.js';
import type {
  ComponentForm,
  ComponentFormInput,
  ComponentFormOutput,
  ComponentFormParameter,
  ComponentNamed,
  ComponentProblemRow,
  ComponentProblems,
  ComponentSaved,
  ImagesAnswer
} from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { type Option } from '../parts/controls.js';
import { Disposables, element, quiet, setText } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { RequestError } from '../wire/protocol.js';
import { inputControls, outputControls } from './channels.js';
import { parameterControls } from './parameters.js';
import { ComponentField, isError, noteLine, sentences } from './problems.js';
import { checkBox, type RowControls, Rows, without } from './rows.js';

export const SAVE = 'save';
export const REGISTER = 'register';

const PAUSE = 400; // milliseconds after the last letter
const CUT_PAUSE = 2_000; // milliseconds until a check that got no answer is asked for again
const JOB_TYPES: readonly Option[] = ['PyTorchJob', 'TFJob', 'XGBoostJob', 'ElasticBatchJob'].map(type => [type, type]);
const GIT = /^(?!oss:)[a-z][a-z0-9+.-]*:\/\/|^[\w.-]+@[\w.-]+:/i; // as component/addresses.py tells sources apart
const UNANSWERED: ReadonlySet<string> = new Set(['Unreachable', 'Timeout']);
const ROWS: ReadonlySet<string> = new Set(['inputs', 'outputs', 'parameters']);
const MOST_IMAGES = 1_000;

export interface EditorOptions {
  readonly say: Say;
  readonly rest: Pick<Rest, 'get' | 'post'>;
  readonly form: ComponentForm;
  /** The version whose own files are kept; its name cannot be changed. */
  readonly of: ComponentNamed | null;
  readonly files: readonly string[];
  /** The next version of a component of this name, where one is known. */
  proposed(name: string): string | undefined;
}

export class ComponentEditor implements OpenableForm<ComponentSaved> {
  readonly element: HTMLElement;
  changed: () => void = () => undefined;
  readonly #options: EditorOptions;
  readonly #fields: Readonly<Record<string, ComponentField>>;
  readonly #inputs: Rows<ComponentFormInput>;
  readonly #outputs: Rows<ComponentFormOutput>;
  readonly #parameters: Rows<ComponentFormParameter>;
  readonly #several: HTMLInputElement;
  readonly #cards: HTMLInputElement;
  readonly #others = element('p', { class: 'pj-JobView-fieldError', role: 'alert' });
  readonly #notes = noteLine();
  readonly #lasting = new Disposables();
  readonly #typed: Debouncer<void>;
  readonly #cut: Debouncer<void>;
  #asked = 0;
  #command = ''; // the default one
  #version = ''; // the one that was proposed
  #problems: readonly ComponentProblemRow[] = [];
  #isUnreadable = false;
  #isChanged = false;

  constructor(options: EditorOptions) {
    const { say, form } = (this.#options = options);
    const changed = (): void => this.#change();
    this.#fields = this.#makeFields();
    this.#inputs = this.#rows(say('Input'), say('Add an input'), inputControls, form.inputs);
    this.#outputs = this.#rows(say('Output'), say('Add an output'), outputControls, form.outputs);
    this.#parameters = this.#rows(say('Parameter'), say('Add a parameter'), parameterControls, form.parameters);
    this.#several = checkBox(say('runs on several machines'), form.constraint?.several_machines ?? true);
    this.#cards = checkBox(say('uses several GPUs of a machine'), form.constraint?.several_cards ?? false);
    this.#version = form.version;
    this.element = this.#build();
    this.#typed = new Debouncer(() => this.#check(), PAUSE);
    this.#cut = new Debouncer(() => this.#check(), CUT_PAUSE);
    this.#lasting.listen(this.element, 'input', changed);
    this.#lasting.listen(this.element, 'change', changed);
    this.#draw();
    void this.#check();
  }

  get isChanged(): boolean {
    return this.#isChanged;
  }

  refusal(choice: string): string {
    const isOff = this.#problems.some(one => isError(one) || (choice === REGISTER && one.severity === 'error'));
    return isOff || this.#isUnreadable ? this.#options.say('Fix the errors above') : '';
  }

  async submit(choice: string): Promise<ComponentSaved | null> {
    const { say, rest } = this.#options;
    setText(this.#others, '');
    setText(this.#notes, say('Checking…'));
    await this.#check();
    if (this.refusal(choice)) {
      this.#focusError();
      return null;
    }
    setText(this.#notes, choice === REGISTER ? say('Registering…') : say('Saving…'));
    try {
      return await rest.post<ComponentSaved>('components', { ...this.#asking, register: choice === REGISTER });
    } catch (error) {
      setText(this.#others, errorText(error));
      setText(this.#notes, '');
      return null;
    }
  }

  dispose(): void {
    this.#asked += 1;
    this.#typed.dispose();
    this.#cut.dispose();
    this.#lasting.dispose();
  }

  #rows<R>(title: string, add: string, controls: MakeRow<R>, given: readonly R[] = []): Rows<R> {
    const { say } = this.#options;
    return new Rows({ say, title, add, make: row => controls(say, row), changed: () => this.#change() }, given);
  }

  #makeFields(): Record<string, ComponentField> {
    const { say, form, of } = this.#options;
    const fields = {
      name: new ComponentField(say('Name'), textControl(form.name)),
      version: new ComponentField(say('Version'), textControl(form.version)),
      description: new ComponentField(say('Description'), textControl(form.description ?? '')),
      version_description: new ComponentField(say('What is new'), textControl(form.version_description ?? '')),
      job_type: new ComponentField(say('Job type'), choiceControl(JOB_TYPES, form.job_type)),
      image: new ComponentField(say('Image'), textControl(form.image ?? '')),
      source: new ComponentField(
        say('Code'),
        textControl(form.source ?? ''),
        say('A directory, oss://BUCKET/DIRECTORY/, or the address of a Git repository')
      ),
      branch: new ComponentField(say('Branch'), textControl(form.branch ?? ''), say('Default: that of the repository')),
      commit: new ComponentField(say('Commit'), textControl(form.commit ?? '')),
      command: new ComponentField(say('Command'), commandControl(form.command ?? '')),
      constraint: new ComponentField(say('Machines'), choiceControl(machines(say), form.constraint?.machine ?? ''))
    };
    [fields.description, fields.version_description, fields.image, fields.source].forEach(({ control }) => {
      control.element.classList.add('pj-JobView-wide');
    });
    if (of !== null) {
      fields.name.control.element.setAttribute('readonly', '');
    }
    this.#offerImages(fields.image);
    return fields;
  }

  #build(): HTMLElement {
    const { say, files } = this.#options;
    const { constraint, ...fields } = this.#fields;
    const kept = files.map(name => plain(name, 100)).join(', ');
    const boxes = [this.#several, this.#cards].map(box => box.closest('label'));
    const described = Object.values(fields).map(field => field.element);
    return element(
      'section',
      { class: 'pj-JobView pj-JobView-cellForm', 'aria-label': say('The component') },
      ...described,
      ...(files.length ? [quiet(say('It keeps its own files: {files}', { files: kept }))] : []),
      element('h3', {}, say('Inputs')),
      this.#inputs.element,
      element('h3', {}, say('Outputs')),
      this.#outputs.element,
      element('h3', {}, say('Parameters')),
      this.#parameters.element,
      element('h3', {}, say('Training constraint')),
      constraint?.element ?? null,
      element('div', { class: 'pj-JobView-formControl' }, ...boxes),
      element('div', { class: 'pj-JobView-formLine' }, this.#others, this.#notes)
    );
  }

  /** The images of PAI, asked for when somebody wants one. */
  #offerImages(field: ComponentField): void {
    const { rest } = this.#options;
    const control = field.control.element;
    const list = element('datalist', { id: `${control.id}-list` });
    control.setAttribute('list', list.id);
    control.after(list);
    const show = ({ images }: ImagesAnswer): void =>
      list.replaceChildren(
        ...images.slice(0, MOST_IMAGES).map(({ short_name }) => element('option', { value: plain(short_name, 200) }))
      );
    const ask = (): void =>
      void rest.get<ImagesAnswer>('images').then(show, (error: unknown) => field.explain(errorText(error)));
    control.addEventListener('focus', ask, { once: true });
  }

  #text(name: string): string {
    return this.#fields[name]?.text.trim() ?? '';
  }

  get #isGit(): boolean {
    return GIT.test(this.#text('source'));
  }

  /** The form as the server takes it. */
  get #asking(): { form: Record<string, unknown>; files_of?: ComponentNamed } {
    const { form, of } = this.#options;
    const machine = this.#text('constraint');
    const command = this.#text('command');
    const several = {
      several_machines: this.#several.checked,
      several_cards: machine === 'GPU' && this.#cards.checked
    };
    const given = {
      ...without(form, 'source', 'branch', 'commit', 'constraint'),
      ...Object.fromEntries(['name', 'version', 'job_type'].map(name => [name, this.#text(name)])),
      ...Object.fromEntries(['description', 'version_description', 'image'].map(name => [name, this.#text(name)])),
      ...(this.#text('source') ? { source: this.#text('source') } : {}),
      ...(this.#isGit && this.#text('branch') ? { branch: this.#text('branch') } : {}),
      ...(this.#isGit && this.#text('commit') ? { commit: this.#text('commit') } : {}),
      command: command === this.#command ? '' : command,
      inputs: this.#inputs.values,
      outputs: this.#outputs.values,
      parameters: this.#parameters.values,
      ...(machine ? { constraint: { machine, ...several } } : {})
    };
    return of === null ? { form: given } : { form: given, files_of: of };
  }

  #change(): void {
    this.#isChanged = true;
    this.#draw();
    void this.#typed.invoke().catch(() => undefined); // disposed of
  }

  /** What is to be seen for what is chosen. */
  #draw(): void {
    const machine = this.#text('constraint');
    for (const name of ['branch', 'commit']) {
      const field = this.#fields[name];
      if (field) {
        field.element.hidden = !this.#isGit;
      }
    }
    const [several, cards] = [this.#several.closest('label'), this.#cards.closest('label')];
    if (several && cards) {
      [several.hidden, cards.hidden] = [machine === '', machine !== 'GPU'];
    }
  }

  async #check(): Promise<void> {
    const mine = (this.#asked += 1);
    try {
      const answer = await this.#options.rest.post<ComponentProblems>('component/problems', this.#asking);
      if (mine === this.#asked) {
        this.#propose(answer);
        this.#tell(answer.problems);
      }
    } catch (error) {
      if (mine === this.#asked) {
        setText(this.#others, errorText(error));
        this.#askAgain(error);
      }
    }
  }

  /** Check again after a request that got no answer: what stands there is about what was typed before. */
  #askAgain(error: unknown): void {
    if (error instanceof RequestError && UNANSWERED.has(error.type)) {
      void this.#cut.invoke().catch(() => undefined); // disposed of
    }
  }

  /** Put in what is proposed, where nothing else was typed. */
  #propose({ command, next_version }: ComponentProblems): void {
    const field = this.#fields['command'];
    if (field && command && (field.text.trim() === '' || field.text.trim() === this.#command)) {
      field.control.set(command);
    }
    this.#command = command || this.#command;
    const version = this.#options.proposed(this.#text('name')) ?? next_version;
    if (this.#options.of === null && version && this.#text('version') === this.#version && version !== this.#version) {
      this.#fields['version']?.control.set(version);
      this.#version = version;
      void this.#typed.invoke().catch(() => undefined);
    }
  }

  /** Show each sentence where it belongs, and below what belongs nowhere. */
  #tell(problems: readonly ComponentProblemRow[]): void {
    this.#problems = problems;
    for (const [name, field] of Object.entries(this.#fields)) {
      field.tell(problems.filter(({ field: of }) => of === name));
    }
    const unreadable = [this.#inputs, this.#outputs, this.#parameters].map((rows, at) => {
      const name = [...ROWS][at];
      return rows.tell(problems.filter(({ field }) => field === name));
    });
    this.#isUnreadable = unreadable.includes(true);
    const isPlaced = ({ field, index }: ComponentProblemRow): boolean =>
      field in this.#fields || (ROWS.has(field) && index !== null);
    const others = problems.filter(problem => !isPlaced(problem));
    setText(this.#others, sentences(others.filter(isError)));
    setText(this.#notes, sentences(others.filter(problem => !isError(problem))));
    this.changed();
  }

  #focusError(): void {
    this.element.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }
}

type MakeRow<R> = (say: Say, row: R | null) => RowControls<R>;

function machines(say: Say): readonly Option[] {
  return [
    ['', say('Any')],
    ['CPU', 'CPU'],
    ['GPU', 'GPU']
  ];
}

function commandControl(text: string): Control {
  const made = element('textarea', { class: 'pj-JobView-input pj-JobView-command', rows: 3 });
  made.spellcheck = false;
  made.value = text;
  return {
    element: made,
    get: () => made.value,
    set: value => {
      made.value = value;
    }
  };
}
