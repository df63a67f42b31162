/**
 * The section of runs: those of this server and of the workspace, the newest first; open, stop, delete. Loaded when it
 * is first seen.
 *
 * Rule 1: those of this server are asked for every few seconds while the section is shown; those of the workspace when
 *   it is shown, and by "Refresh".
 * Rule 2: what is done is done with the run of the card, which says how it went.
 */

import { Poll } from '@lumino/polling';

import { type Card, Cards } from '../panel/cards.js';
import type { PanelContext, Section } from '../panel/section.js';
import { button, element, quiet, setText } from '../parts/dom.js';
import { errorText, Loading } from '../parts/loading.js';
import { Question } from '../parts/question.js';
import { clock, duration, moment } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { countsText, isOver, lookGlyph, lookWord, reasonOf } from './status.js';
import type { RunRow, RunsAnswer } from './tokens.js';
import { runSay } from './translation.js';

const PATH = 'runs';
const PAUSE = 3_000; // milliseconds between two looks
const LONGEST_PAUSE = 60_000;
const LONGEST = 1_000; // characters of a sentence
const MOST = 200; // cards

/** Say how it goes, or what went wrong. */
type Tell = (text: string, isBad?: boolean) => void;

export class RunList implements Section {
  readonly element = element('div', { class: 'pj-Runs' });
  readonly #context: PanelContext;
  readonly #say: Say;
  readonly #cards: Cards<RunRow>;
  readonly #loading: Loading;
  readonly #outcome = element('p', { role: 'status', class: 'pj-JobView-quiet' });
  readonly #notes = element('ul', { class: 'pj-JobView-quiet' });
  readonly #poll: Poll;
  #remote: readonly RunRow[] = []; // those of the workspace, as they were when they were asked for

  constructor(context: PanelContext) {
    const say = (this.#say = runSay(context.language));
    this.#context = context;
    this.#loading = new Loading(say);
    const actions: CardActions = {
      open: run => context.openRun?.(run.id),
      stop: (run, tell) => this.#do(tell, say('Stopping…'), () => this.#stop(run)),
      remove: (run, tell) => this.#do(tell, say('Deleting…'), () => this.#remove(run))
    };
    this.#cards = new Cards(
      say('Runs'),
      ({ id }) => id,
      () => new RunCard(say, actions, () => context.list.now())
    );
    this.#poll = new Poll({
      name: 'pai-jupyter:runs',
      auto: false,
      standby: 'when-hidden',
      factory: () => this.#look(),
      frequency: { interval: PAUSE, backoff: true, max: LONGEST_PAUSE }
    });
    const refresh = button(say('Refresh'), 'small', () => this.#ask());
    refresh.classList.add('pj-JobView-last');
    this.element.append(
      element('div', { class: 'pj-JobView-tools' }, refresh),
      this.#outcome,
      this.#cards.element,
      this.#loading.element,
      this.#notes
    );
  }

  show(isShown: boolean): void {
    if (isShown) {
      this.#ask();
      void this.#poll.start();
    } else {
      void this.#poll.stop();
    }
  }

  dispose(): void {
    this.#poll.dispose();
    this.#loading.dispose();
  }

  #ask(): void {
    void this.#loading.load(
      () => this.#context.rest.get<RunsAnswer>(PATH, { remote: 'true' }),
      answer => {
        this.#remote = answer.runs.filter(({ is_here: isHere }) => !isHere);
        return this.#draw(answer.runs, answer.notes);
      }
    );
  }

  /** How those of this server stand by now. */
  async #look(): Promise<void> {
    const { runs } = await this.#context.rest.get<RunsAnswer>(PATH);
    if (!this.#loading.isBusy) {
      const known = new Set(runs.map(({ id }) => id));
      const all = [...runs, ...this.#remote.filter(({ id }) => !known.has(id))];
      this.#draw(all.sort((one, other) => other.created - one.created));
    }
  }

  #draw(runs: readonly RunRow[], notes: readonly string[] | null = null): Node[] {
    const hadFocus = this.#cards.element.contains(document.activeElement);
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

  // ---- what is done

  async #stop({ id }: RunRow): Promise<void> {
    await this.#context.rest.post(`${addressOf(id)}/stop`);
    this.#ask();
  }

  async #remove({ id, name }: RunRow): Promise<void> {
    await this.#context.rest.remove(addressOf(id));
    setText(this.#outcome, this.#say('{name} is deleted.', { name: plain(name, 100) })); // its card is gone
    this.#ask();
  }

  async #do(tell: Tell, before: string, act: () => Promise<void>): Promise<void> {
    setText(this.#outcome, '');
    tell(before);
    try {
      await act();
      tell('');
    } catch (error) {
      tell(errorText(error), true);
    }
  }
}

export function addressOf(run: string): string {
  return `${PATH}/${encodeURIComponent(run)}`;
}

interface CardActions {
  open(run: RunRow): void;
  stop(run: RunRow, tell: Tell): Promise<void>;
  remove(run: RunRow, tell: Tell): Promise<void>;
}

class RunCard implements Card<RunRow> {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #now: () => number;
  readonly #actions: CardActions;
  readonly #glyph = element('span', { class: 'pj-Run-glyph', 'aria-hidden': 'true' });
  readonly #name: HTMLButtonElement;
  readonly #time = element('span', { class: 'pj-JobView-quiet' });
  readonly #about = element('div', { class: 'pj-JobView-quiet' });
  readonly #problem = element('p', { class: 'pj-JobView-trouble' });
  readonly #question = new Question();
  readonly #outcome = element('p', { role: 'status' });
  readonly #stop: HTMLButtonElement;
  readonly #delete: HTMLButtonElement;
  #run: RunRow | null = null;

  constructor(say: Say, actions: CardActions, now: () => number) {
    this.#say = say;
    this.#now = now;
    this.#actions = actions;
    this.#name = button('', 'link', () => this.#run && actions.open(this.#run));
    this.#stop = button(say('Stop'), 'small', () => void this.#askStop());
    this.#delete = button(say('Delete'), 'small', () => void this.#askDelete());
    this.element = element(
      'li',
      { class: 'pj-Cards-card pj-Runs-card' },
      element('div', { class: 'pj-Cards-head' }, this.#glyph, this.#name, this.#time),
      this.#about,
      this.#problem,
      element('div', { class: 'pj-JobView-formControl' }, this.#stop, this.#delete),
      this.#question.element,
      this.#outcome
    );
  }

  draw(run: RunRow): void {
    const say = this.#say;
    this.#run = run;
    const name = plain(run.name, 100) || plain(run.id, 100);
    const isEnded = isOver(run.status);
    this.element.dataset['status'] = run.status;
    setText(this.#glyph, lookGlyph(run.status));
    setText(this.#name, name);
    setText(this.#time, timeText(run, this.#now()));
    const status = run.is_stopping && !isEnded ? say('Stopping…') : lookWord(run.status, say);
    const where = run.is_here ? '' : say('in the workspace');
    const began = run.created ? moment(run.created) : ''; // of one that cannot be read nothing is known
    setText(this.#about, [status, countsText(run.counts), where, began].filter(Boolean).join(' · '));
    const problem = [reasonOf(run), plain(run.trouble, LONGEST)].filter(Boolean).join(' ');
    setText(this.#problem, problem);
    this.#problem.hidden = problem === '';
    const isDamaged = run.is_here && run.status === 'unknown';
    this.#stop.hidden = isEnded || run.is_stopping || isDamaged;
    this.#delete.hidden = !(isEnded || isDamaged) || !run.is_here;
    [this.#stop, this.#delete].forEach(one => one.setAttribute('aria-label', `${one.textContent}: ${name}`));
  }

  async #askStop(): Promise<void> {
    const say = this.#say;
    const run = this.#run;
    const isWanted = await this.#question.ask(say('Stop {name} and its jobs?', { name: plain(run?.name, 100) }), [
      [say('Stop'), true, 'danger'],
      [say('Keep running'), false]
    ]);
    if (isWanted && run) {
      await this.#actions.stop(run, this.#tell);
    }
  }

  async #askDelete(): Promise<void> {
    const say = this.#say;
    const run = this.#run;
    const text = say('Delete the run {name}? Its jobs stay.', { name: plain(run?.name, 100) });
    const isWanted = await this.#question.ask(text, [
      [say('Delete'), true, 'danger'],
      [say('Keep'), false]
    ]);
    if (isWanted && run) {
      await this.#actions.remove(run, this.#tell);
    }
  }

  readonly #tell: Tell = (text, isBad = false) => {
    setText(this.#outcome, text);
    this.#outcome.className = isBad ? 'pj-JobView-trouble' : 'pj-JobView-quiet';
  };
}

function timeText({ status, created, ended }: RunRow, now: number): string {
  if (!created) {
    return '';
  }
  return isOver(status) ? duration(Math.max(0, (ended ?? created) - created)) : clock(Math.max(0, now - created));
}
