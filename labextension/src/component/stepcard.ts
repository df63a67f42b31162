/**
 * A component of pipelines that is saved on this server: what it is, run it, delete it, copy the line of Python that
 * loads it. What is done is done with the version that is chosen.
 */

import type { Card } from '../panel/cards.js';
import type { PanelContext } from '../panel/section.js';
import { setOptions } from '../parts/controls.js';
import { copyText } from '../parts/copy.js';
import { button, element, setText } from '../parts/dom.js';
import { Outcome } from '../parts/outcome.js';
import { Question } from '../parts/question.js';
import { RerunForm } from '../run/rerun.js';
import type { RunAgain, RunInputsAnswer } from '../run/tokens.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import type { StepComponentRow } from '../wire/schema.js';

const PATH = 'component/step';
const KINDS = { job: 'custom job', container: 'container', pipeline: 'pipeline' } as const;

export class StepCard implements Card<StepComponentRow> {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #context: PanelContext;
  readonly #deleted: (sentence: string) => void;
  readonly #name = element('strong');
  readonly #version = element('select', { class: 'pj-JobView-input' });
  readonly #kind = element('span', { class: 'pj-JobView-quiet' });
  readonly #about = element('div', { class: 'pj-JobView-quiet' });
  readonly #names = element('div', { class: 'pj-JobView-quiet' });
  readonly #question = new Question();
  readonly #form: RerunForm;
  readonly #outcome = new Outcome();
  readonly #way = element('span');
  readonly #buttons: readonly HTMLButtonElement[];
  #row: StepComponentRow | null = null;

  /** `deleted` hears of a version that is gone; its card may be, too. */
  constructor(say: Say, context: PanelContext, deleted: (sentence: string) => void) {
    this.#say = say;
    this.#context = context;
    this.#deleted = deleted;
    this.#form = new RerunForm(say, { label: say('Inputs of the run'), start: say('Run') });
    this.#buttons = [
      button(say('Run…'), 'small', () => void this.#do(() => this.#run())),
      button(say('Copy Python Line'), 'small', () => void this.#do(() => this.#copy())),
      button(say('Delete'), 'small', () => void this.#do(() => this.#remove()))
    ];
    this.element = element(
      'li',
      { class: 'pj-Cards-card' },
      element('div', { class: 'pj-Cards-head' }, this.#name, this.#version, this.#kind),
      this.#about,
      this.#names,
      element('div', { class: 'pj-JobView-formControl' }, ...this.#buttons),
      element(
        'div',
        { class: 'pj-Run-asked' },
        this.#question.element,
        this.#form.element,
        this.#outcome.element,
        this.#way
      )
    );
  }

  draw(row: StepComponentRow): void {
    const say = this.#say;
    const name = plain(row.name, 200);
    this.#row = row;
    setText(this.#name, name);
    this.#version.setAttribute('aria-label', `${say('Version')}: ${name}`);
    setOptions(
      this.#version,
      row.versions.map(version => [version, plain(version, 60)] as const)
    );
    setText(this.#kind, say('{kind} for pipelines', { kind: say(KINDS[row.kind]) }));
    setText(this.#about, plain(row.about, 300));
    const names = (all: readonly string[]): string => all.map(one => plain(one, 100)).join(', ');
    setText(this.#names, [names(row.inputs), names(row.outputs)].filter(Boolean).join(' → '));
    this.#buttons.forEach(one => one.setAttribute('aria-label', `${one.textContent}: ${name}`));
  }

  get #chosen(): { name: string; version: string } {
    return { name: this.#row?.name ?? '', version: this.#version.value };
  }

  async #run(): Promise<void> {
    const { rest, openRun } = this.#context;
    const chosen = this.#chosen;
    const started = await this.#form.ask(
      {
        inputs: () => rest.get<RunInputsAnswer>(PATH, chosen),
        rerun: ({ parameters = {} }) => rest.post<RunAgain>(`${PATH}/run`, { ...chosen, parameters })
      },
      ''
    );
    if (started) {
      this.#outcome.tell(this.#say('Run {name} has started.', { name: plain(started.name, 100) }));
      this.#way.replaceChildren(button(this.#say('Open'), 'link', () => openRun?.(started.run)));
      this.#way.hidden = openRun === undefined;
    }
  }

  /** JSON writes a text as Python does. */
  async #copy(): Promise<void> {
    const [name, version] = [JSON.stringify(this.#chosen.name), JSON.stringify(this.#chosen.version)];
    const line = `RegisteredComponent.get_by_identifier(${name}, version=${version})`;
    await copyText(
      line,
      { say: this.#say, announce: this.#context.announce.bind(this.#context) },
      this.#outcome.element
    );
  }

  async #remove(): Promise<void> {
    const say = this.#say;
    const chosen = this.#chosen;
    const component = `${plain(chosen.name, 100)} ${plain(chosen.version, 60)}`;
    const isWanted = await this.#question.ask(
      say('Delete {component} from this server? Its runs stay.', { component }),
      [
        [say('Delete'), true, 'danger'],
        [say('Keep'), false]
      ]
    );
    if (isWanted) {
      await this.#context.rest.remove(PATH, chosen);
      this.#deleted(say('{component} is deleted.', { component }));
    }
  }

  async #do(act: () => Promise<void>): Promise<void> {
    this.#outcome.tell('');
    this.#way.replaceChildren();
    await this.#outcome.report(act);
  }
}
