/**
 * The section of runs: those of this server and of the workspace, the newest first; open, stop, run again, delete.
 * Loaded when it is first seen.
 *
 * Rule 1: those of this server are asked for every few seconds while the section is shown; those of the workspace when
 *   it is shown, and by "Refresh".
 * Rule 2: what is done is done with the run of the card, which says how it went.
 */

import { type Card, Cards } from '../panel/cards.js';
import { JobLabels } from '../panel/joblabels.js';
import type { PanelContext } from '../panel/section.js';
import { WatchedSection } from '../panel/watchedsection.js';
import { button, element, quiet, setText } from '../parts/dom.js';
import { clock, duration, moment } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { RunActions } from './actions.js';
import { type RunDeeds, runDeeds } from './deeds.js';
import { countsText, isOver, lookGlyph, lookWord, reasonOf } from './status.js';
import type { RunHost, RunRow, RunsAnswer } from './tokens.js';
import { runSay } from './translation.js';
import { inputLabels, valueTexts } from './values.js';

const PATH = 'runs';
const PAUSE = 3_000; // milliseconds between two looks
const LONGEST = 1_000; // characters of a sentence
const MOST = 200; // cards

export class RunList extends WatchedSection {
  readonly element = element('div', { class: 'pj-Runs' });
  readonly #context: PanelContext;
  readonly #say: Say;
  readonly #cards: Cards<RunRow>;
  readonly #labels = new JobLabels(); // what tells runs of one name apart
  readonly #outcome = element('p', { role: 'status', class: 'pj-JobView-quiet' });
  readonly #notes = element('ul', { class: 'pj-JobView-quiet' });
  #remote: readonly RunRow[] = []; // those of the workspace, as they were when they were asked for

  constructor(context: PanelContext) {
    const say = runSay(context.language);
    super(say, 'runs', PAUSE);
    this.#say = say;
    this.#context = context;
    this.#cards = new Cards(
      say('Runs'),
      ({ id }) => id,
      () =>
        new RunCard(
          say,
          () => context.list.now(),
          run => this.#labels.name(run),
          run => this.#host(run)
        )
    );
    this.element.append(
      element('div', { class: 'pj-JobView-tools' }, this.refresh),
      this.#outcome,
      this.#cards.element,
      this.loading.element,
      this.#notes
    );
  }

  protected ask(): void {
    void this.loading.load(
      () => this.#context.rest.get<RunsAnswer>(PATH, { remote: 'true' }),
      answer => {
        this.#remote = answer.runs.filter(({ is_here: isHere }) => !isHere);
        return this.#draw(answer.runs, answer.notes);
      }
    );
  }

  /** How those of this server stand by now. */
  protected async look(): Promise<void> {
    const { turn } = this.loading;
    const { runs } = await this.#context.rest.get<RunsAnswer>(PATH);
    if (turn === this.loading.turn && !this.loading.isBusy) {
      const known = new Set(runs.map(({ id }) => id));
      const all = [...runs, ...this.#remote.filter(({ id }) => !known.has(id))];
      this.#draw(all.sort((one, other) => other.created - one.created));
    }
  }

  #draw(runs: readonly RunRow[], notes: readonly string[] | null = null): Node[] {
    const hadFocus = this.#cards.element.contains(document.activeElement);
    this.#labels.update(
      new Map(runs.map(({ id, name, inputs }) => [id, { id, name, values: inputLabels(inputs) }] as const))
    );
    this.#cards.draw(runs.slice(0, MOST));
    if (hadFocus && !this.element.contains(document.activeElement)) {
      this.element.querySelector('button')?.focus(); // the last card is gone
    }
    if (notes) {
      const texts = notes.slice(0, 5).map(note => element('li', {}, plain(note, LONGEST)));
      this.#notes.replaceChildren(...texts);
    }
    const none = this.#say('No runs yet. A run is one execution of a pipeline: see %%pai_pipeline.');
    return runs.length ? [] : [quiet(none)];
  }

  /** What can be done with the run of a card, after which the list is asked for again. */
  #host(run: () => RunRow): RunHost {
    const { language, rest, openRun } = this.#context;
    const deeds = (): RunDeeds => runDeeds(rest, run().id);
    return {
      language,
      ...(openRun ? { openRun } : {}),
      stop: () => this.#change(deeds().stop()),
      inputs: () => deeds().inputs(),
      rerun: asked => this.#change(deeds().rerun(asked)),
      remove: async () => {
        const name = plain(run().name, 100);
        await this.#change(deeds().remove());
        setText(this.#outcome, this.#say('{name} is deleted.', { name })); // its card is gone
      }
    };
  }

  async #change<T>(act: Promise<T>): Promise<T> {
    setText(this.#outcome, '');
    const done = await act;
    this.ask();
    return done;
  }
}

class RunCard implements Card<RunRow> {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #now: () => number;
  readonly #glyph = element('span', { class: 'pj-Run-glyph', 'aria-hidden': 'true' });
  readonly #name: HTMLButtonElement;
  readonly #time = element('span', { class: 'pj-JobView-quiet' });
  readonly #about = element('div', { class: 'pj-JobView-quiet' });
  readonly #inputs = element('div', { class: 'pj-Runs-inputs' });
  readonly #problem = element('p', { class: 'pj-JobView-trouble' });
  readonly #actions: RunActions;
  #run: RunRow | null = null;

  /** `label`: what to call a run where there are others beside it. */
  constructor(say: Say, now: () => number, label: (run: RunRow) => string, host: (run: () => RunRow) => RunHost) {
    this.#say = say;
    this.#now = now;
    const own = host(() => this.#run as RunRow); // nothing is pressed before it is drawn
    this.#name = button('', 'link', () => this.#run && own.openRun?.(this.#run.id));
    this.#actions = new RunActions({ say, host: own, kind: 'small', label, chosen: () => '' });
    this.element = element(
      'li',
      { class: 'pj-Cards-card pj-Runs-card' },
      element('div', { class: 'pj-Cards-head' }, this.#glyph, this.#name, this.#time),
      this.#about,
      this.#inputs,
      this.#problem,
      this.#actions.element,
      this.#actions.line
    );
  }

  draw(run: RunRow): void {
    const say = this.#say;
    this.#run = run;
    const isEnded = isOver(run.status);
    this.element.dataset['status'] = run.status;
    setText(this.#glyph, lookGlyph(run.status));
    setText(this.#name, plain(run.name, 100) || plain(run.id, 100));
    setText(this.#time, timeText(run, this.#now()));
    const status = run.is_stopping && !isEnded ? say('Stopping…') : lookWord(run.status, say);
    const where = run.is_here ? '' : say('in the workspace');
    const began = run.created ? moment(run.created) : ''; // of one that cannot be read nothing is known
    const id = plain(run.id, 128);
    setText(this.#about, [status, countsText(run.counts), where, began, id].filter(Boolean).join(' · '));
    const inputs = valueTexts(run.inputs).join(', ');
    setText(this.#inputs, inputs);
    this.#inputs.title = inputs;
    this.#inputs.hidden = inputs === '';
    const problem = [reasonOf(run), plain(run.trouble, LONGEST)].filter(Boolean).join(' ');
    setText(this.#problem, problem);
    this.#problem.hidden = problem === '';
    this.#actions.draw(run);
  }
}

function timeText({ status, created, ended }: RunRow, now: number): string {
  if (!created) {
    return '';
  }
  return isOver(status) ? duration(Math.max(0, (ended ?? created) - created)) : clock(Math.max(0, now - created));
}
