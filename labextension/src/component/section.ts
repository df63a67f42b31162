/**
 * The section of components: those saved on this server, of jobs and of pipelines, and those registered in the
 * workspace; new, new version, run, register, delete. Loaded when it is first seen.
 *
 * Rule 1: they are asked for when the section is shown, and again when something here has changed them.
 * Rule 2: what is done is done with the version that is chosen on the card, which says how it went.
 * Rule 3: what is saved elsewhere, by a magic or on another page, appears by itself. Only the saved ones are looked at
 *   for that: the workspace is asked by "Refresh".
 */

import { type Card, Cards } from '../panel/cards.js';
import type { DiscardQuestion, FormChoice } from '../panel/openform.js';
import type {
  ComponentAnswer,
  ComponentForm,
  ComponentNamed,
  ComponentRow,
  ComponentSaved,
  ComponentsAnswer
} from '../panel/protocol.js';
import type { Query } from '../panel/rest.js';
import type { PanelContext } from '../panel/section.js';
import { WatchedSection } from '../panel/watchedsection.js';
import { setOptions } from '../parts/controls.js';
import { button, element, quiet, setText } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import type { Tell } from '../parts/outcome.js';
import { type Choice, Question } from '../parts/question.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import type { StepComponentRow } from '../wire/schema.js';
import { ComponentEditor, REGISTER, SAVE } from './editor.js';
import { RUN, RunEditor } from './run.js';
import { StepCard } from './stepcard.js';
import { componentSay } from './translation.js';

const PATH = 'components';
const ONE = 'component';
const FIRST = '1.0.0';
const LONGEST = 1_000; // characters of a sentence
const PAUSE = 5_000; // milliseconds between two looks at the saved ones

export class ComponentList extends WatchedSection {
  readonly element = element('div', { class: 'pj-Components' });
  readonly #context: PanelContext;
  readonly #say: Say;
  readonly #cards: Cards<ComponentRow>;
  readonly #steps: Cards<StepComponentRow>;
  readonly #question = new Question();
  readonly #outcome = element('p', { role: 'status' });
  readonly #make: HTMLButtonElement;
  #rows: readonly ComponentRow[] = [];
  #ofSteps: readonly StepComponentRow[] = [];
  #said: Tell = () => undefined; // where the last sentence stands

  constructor(context: PanelContext) {
    const say = componentSay(context.language);
    super(say, 'components', PAUSE);
    this.#say = say;
    this.#context = context;
    const actions: CardActions = {
      newVersion: (row, tell) => void this.#do(() => this.#newVersion(row, tell), tell),
      run: (row, tell) => void this.#do(() => this.#run(row, tell), tell),
      register: (row, tell) => void this.#do(() => this.#register(row, tell), tell),
      remove: (row, tell) => void this.#do(() => this.#remove(row, tell), tell)
    };
    this.#cards = new Cards(say('Components'), idOf, () => new ComponentCard(say, actions));
    this.#steps = new Cards(
      say('Components of pipelines'),
      ({ name }) => name,
      () => new StepCard(say, context, sentence => this.#deleted(sentence))
    );
    const make = (this.#make = button(say('New Component…'), 'small', () => this.newComponent()));
    make.hidden = context.openForm === undefined;
    this.element.append(
      element('div', { class: 'pj-JobView-tools' }, make, this.refresh),
      this.#question.element,
      this.#outcome,
      this.#cards.element,
      this.#steps.element,
      this.loading.element
    );
  }

  newComponent(): void {
    const form: ComponentForm = { name: '', version: FIRST, job_type: 'PyTorchJob' };
    const edit = (): Promise<void> => this.#edit(this.#say('New component'), form, null, [], this.#tell);
    void this.#do(edit, this.#tell);
  }

  override dispose(): void {
    super.dispose();
    this.#question.dispose();
  }

  protected ask(): void {
    void this.loading.load(
      () => this.#context.rest.get<ComponentsAnswer>(PATH),
      answer => this.#draw(answer)
    );
  }

  /** Ask for all of them where the saved ones are others by now. */
  protected async look(): Promise<void> {
    const { components, steps } = await this.#context.rest.get<ComponentsAnswer>(PATH, { saved: 'true' });
    const known = this.#rows.filter(({ is_registered }) => !is_registered);
    if (!this.loading.isBusy && contentOf(components, steps) !== contentOf(known, this.#ofSteps)) {
      this.ask();
    }
  }

  #draw({ components, steps, problem }: ComponentsAnswer): Node[] {
    const hadFocus = this.element.contains(document.activeElement);
    [this.#rows, this.#ofSteps] = [components, steps];
    this.#cards.draw(components);
    this.#steps.draw(steps);
    if (hadFocus && !this.element.contains(document.activeElement)) {
      this.#make.focus(); // the last card is gone
    }
    const none = this.#say(
      'No components yet. A component is code with an image, channels and parameters, which others can run.'
    );
    return [...(components.length + steps.length ? [] : [none]), ...(problem ? [plain(problem, LONGEST)] : [])].map(
      quiet
    );
  }

  // ---- what is done

  async #newVersion(row: ChosenComponent, tell: Tell): Promise<void> {
    const shown = await this.#read(row);
    const { name, version, files, is_registered } = shown;
    const form = { ...shown.form, version: shown.next_version, version_description: '' };
    const of: ComponentNamed | null = is_registered ? null : { name, version };
    await this.#edit(this.#say('New version of {name}', { name: plain(name, 100) }), form, of, files, tell);
  }

  async #edit(
    title: string,
    form: ComponentForm,
    of: ComponentNamed | null,
    files: readonly string[],
    tell: Tell
  ): Promise<void> {
    const { openForm, rest } = this.#context;
    const say = this.#say;
    const proposed = (name: string): string | undefined => this.#rows.find(row => row.name === name)?.next_version;
    const editor = new ComponentEditor({ say, rest, form, of, files, proposed });
    const choices: FormChoice[] = [
      [say('Save'), SAVE],
      [say('Save and register'), REGISTER]
    ];
    const saved = await openForm?.(title, editor, say('Cancel'), choices, this.#leaving);
    if (saved) {
      this.#tellSaved(saved, say('{component} is saved.', { component: titleOf(saved) }), tell);
    }
  }

  async #run(row: ChosenComponent, tell: Tell): Promise<void> {
    const { openForm, rest, act } = this.#context;
    const say = this.#say;
    const component = await this.#read(row);
    const editor = new RunEditor({ say, rest, component });
    const title = say('Run {component}', { component: titleOf(component) });
    const started = await openForm?.(title, editor, say('Cancel'), [[say('Run'), RUN]], this.#leaving);
    if (started) {
      const notes = started.notes.map(note => plain(note, LONGEST));
      tell([say('Job {name} has started.', { name: plain(started.name, 100) }), ...notes].join(' '));
      await act.open({ id: started.job });
    }
  }

  async #register({ name, version }: ChosenComponent, tell: Tell): Promise<void> {
    tell(this.#say('Registering…'));
    const saved = await this.#context.rest.post<ComponentSaved>(`${ONE}/register`, { name, version });
    this.#tellSaved(saved, this.#say('{component} is registered.', { component: titleOf(saved) }), tell);
  }

  async #remove(row: ChosenComponent, tell: Tell): Promise<void> {
    const say = this.#say;
    const { name, version, versions, is_registered } = row;
    const component = titleOf(row);
    const text = is_registered
      ? say('Delete {component} from the workspace? Its jobs and its code in the bucket stay.', { component })
      : say('Delete {component} from this server? Its jobs stay.', { component });
    const all: Choice<string | null> = [say('Delete all versions'), '', 'danger'];
    const chosen = await this.#question.ask<string | null>(text, [
      [say('Delete {version}', { version: plain(version, 40) }), version, 'danger'],
      ...(versions.length > 1 ? [all] : []),
      [say('Keep'), null]
    ]);
    if (chosen !== null) {
      const isLast = chosen === '' || versions.length === 1; // or a component without versions stays in the workspace
      const query: Query = { name, registered: String(is_registered), ...(isLast ? {} : { version: chosen }) };
      await this.#context.rest.remove(ONE, query);
      const sentence = say('{component} is deleted.', { component: chosen ? component : plain(name, 100) });
      this.#said = isLast ? this.#tell : tell; // with the last version the card goes
      this.#said(sentence);
      this.ask();
    }
  }

  /** A component of pipelines is gone. */
  #deleted(sentence: string): void {
    this.#tell(sentence);
    this.ask();
  }

  #read({ name, version, is_registered }: ChosenComponent): Promise<ComponentAnswer> {
    return this.#context.rest.get<ComponentAnswer>(ONE, { name, version, registered: String(is_registered) });
  }

  // ---- how it went

  #tellSaved(saved: ComponentSaved, sentence: string, tell: Tell): void {
    tell([sentence, ...saved.notes.map(note => plain(note, LONGEST))].join(' '));
    this.ask();
  }

  async #do(act: () => Promise<void>, tell: Tell): Promise<void> {
    this.#said('');
    this.#said = tell;
    try {
      await act();
    } catch (error) {
      tell(errorText(error), true);
    }
  }

  /** Above the cards, for what is about none of them. */
  readonly #tell: Tell = (text, isBad = false) => {
    show(this.#outcome, text, isBad);
  };

  get #leaving(): DiscardQuestion {
    const say = this.#say;
    return [say('Discard what you have entered?'), say('Discard'), say('Keep editing')];
  }
}

/** Say it where it is seen. */
function show(line: HTMLElement, text: string, isBad: boolean): void {
  setText(line, text);
  line.className = isBad ? 'pj-JobView-trouble' : 'pj-JobView-quiet';
  if (text) {
    line.scrollIntoView?.({ block: 'nearest' });
  }
}

/** What is to be seen of saved components; the next version also depends on the registered ones. */
function contentOf(rows: readonly ComponentRow[], steps: readonly StepComponentRow[]): string {
  return JSON.stringify([rows.map(row => ({ ...row, next_version: '' })), steps]);
}

/** A component with the version that is chosen of it. */
type ChosenComponent = Pick<ComponentRow, 'name' | 'version' | 'versions' | 'is_registered'>;

interface CardActions {
  newVersion(row: ChosenComponent, tell: Tell): void;
  run(row: ChosenComponent, tell: Tell): void;
  register(row: ChosenComponent, tell: Tell): void;
  remove(row: ChosenComponent, tell: Tell): void;
}

class ComponentCard implements Card<ComponentRow> {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #name = element('strong');
  readonly #version = element('select', { class: 'pj-JobView-input' });
  readonly #where = element('span', { class: 'pj-JobView-quiet' });
  readonly #about = element('div', { class: 'pj-JobView-quiet' });
  readonly #description = element('div');
  readonly #problem = element('p', { class: 'pj-JobView-trouble' });
  readonly #outcome = element('p', { role: 'status' });
  readonly #buttons: readonly (readonly [label: string, button: HTMLButtonElement])[];
  readonly #register: HTMLButtonElement;
  #row: ComponentRow | null = null;

  constructor(say: Say, actions: CardActions) {
    this.#say = say;
    const tell: Tell = (text, isBad = false) => show(this.#outcome, text, isBad);
    const made = (
      label: string,
      act: (row: ChosenComponent, tell: Tell) => void
    ): readonly [string, HTMLButtonElement] => [
      label,
      button(label, 'small', () => this.#row && act({ ...this.#row, version: this.#version.value }, tell))
    ];
    const register = made(say('Register'), actions.register);
    this.#register = register[1];
    this.#buttons = [
      made(say('Run…'), actions.run),
      made(say('New Version…'), actions.newVersion),
      register,
      made(say('Delete'), actions.remove)
    ];
    this.element = element(
      'li',
      { class: 'pj-Cards-card' },
      element('div', { class: 'pj-Cards-head' }, this.#name, this.#version, this.#where),
      this.#description,
      this.#about,
      this.#problem,
      element('div', { class: 'pj-JobView-formControl' }, ...this.#buttons.map(([, one]) => one)),
      this.#outcome
    );
  }

  draw(row: ComponentRow): void {
    const say = this.#say;
    const isOther = this.#row?.version !== row.version;
    this.#row = row;
    const name = plain(row.name, 200);
    setText(this.#name, name);
    this.#version.setAttribute('aria-label', `${say('Version')}: ${name}`);
    setOptions(
      this.#version,
      row.versions.map(version => [version, plain(version, 40)] as const)
    );
    if (isOther) {
      this.#version.value = row.version; // the newest, whichever was chosen before there was one
    }
    setText(this.#where, row.is_registered ? say('registered') : say('saved'));
    const about = [row.job_type, row.image, row.source].map(text => plain(text, 300));
    setText(this.#about, about.filter(Boolean).join(' · '));
    setText(this.#description, plain(row.description, LONGEST));
    setText(this.#problem, plain(row.problem, LONGEST));
    this.#problem.hidden = row.problem === '';
    this.#register.hidden = row.is_registered;
    this.#buttons.forEach(([label, one]) => one.setAttribute('aria-label', `${label}: ${name}`));
  }
}

function idOf({ name, is_registered }: ComponentRow): string {
  return `${String(is_registered)} ${name}`;
}

function titleOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${plain(name, 100)} ${plain(version, 40)}`;
}
