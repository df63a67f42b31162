/**
 * The head of the view: how the run stands, its counts and its time, what it says of itself, which run it is, what went
 * into it, and what it has given.
 */

import { element, setText } from '../parts/dom.js';
import { clock, duration, moment } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { countsSentence, isOver, lookGlyph, lookWord, reasonOf } from './status.js';
import type { RunHead, SavedRun } from './tokens.js';
import { ValueList } from './values.js';

const MOST = 50; // notes
const LONGEST = 1_000; // characters of a note

export class RunHeader {
  readonly element = element('header', { class: 'pj-JobView-header' });
  /** Where Stop and what else one can do are put. */
  readonly actions = element('div', { class: 'pj-JobView-actions' });
  readonly notes = element('div', { class: 'pj-Run-notes' });
  readonly #say: Say;
  readonly #glyph = element('span', { class: 'pj-JobView-glyph', 'aria-hidden': 'true' });
  readonly #word = element('span');
  readonly #state = element('span', { class: 'pj-JobView-state' }, this.#glyph, this.#word);
  readonly #name = element('span', { class: 'pj-JobView-name' });
  readonly #counts = element('span', { class: 'pj-JobView-place' });
  readonly #time = element('span', { class: 'pj-JobView-time' });
  readonly #reason = element('p');
  readonly #list = element('ul', { class: 'pj-JobView-quiet' });
  readonly #about = element('p', { class: 'pj-JobView-quiet' });
  readonly #values: ValueList;

  constructor(say: Say) {
    this.#say = say;
    const first = [this.#state, this.#name, this.#counts, this.#time, this.actions];
    this.element.append(element('div', { class: 'pj-JobView-first' }, ...first));
    this.#values = new ValueList(say);
    this.notes.append(this.#reason, this.#list, this.#values.element, this.#about);
    this.#reason.hidden = this.#list.hidden = this.#about.hidden = true;
  }

  /** What a saved notebook knows, with the time at which it was so. */
  drawSaved({ name, status, counts, at }: SavedRun): void {
    this.#drawStatus(status, false);
    this.#state.toggleAttribute('data-saved', !isOver(status));
    this.#drawName(name, countsSentence(counts, this.#say));
    const time = moment(Date.parse(plain(at, 40)) / 1_000);
    setText(this.#time, time && this.#say('as of {time}', { time }));
  }

  draw(run: RunHead, now: number): void {
    const { name, status, counts, is_stopping: isStopping } = run;
    this.#state.removeAttribute('data-saved');
    this.#drawStatus(status, isStopping && !isOver(status));
    this.#drawName(name, countsSentence(counts, this.#say));
    this.tick(run, now);
    const reason = [reasonOf(run), plain(run.trouble, LONGEST)].filter(Boolean).join(' ');
    setText(this.#reason, reason);
    this.#reason.className = status === 'failed' || run.trouble ? 'pj-JobView-trouble' : 'pj-JobView-quiet';
    this.#reason.hidden = reason === '';
    fill(
      this.#list,
      run.notes.slice(0, MOST).map(note => plain(note, LONGEST))
    );
    this.#values.draw(run);
    this.#drawAbout(run);
  }

  /** Time has passed. */
  tick({ created, ended, status }: RunHead, now: number): void {
    const isEnded = isOver(status);
    const spent = Math.max(0, (isEnded ? (ended ?? created) : now) - created);
    setText(this.#time, isEnded ? duration(spent) : clock(spent));
  }

  /** What tells it from other runs of its name. */
  #drawAbout({ id, created }: RunHead): void {
    const began = this.#say('started {time}', { time: moment(created) });
    setText(this.#about, `${plain(id, 128)} · ${began}`);
    this.#about.hidden = false;
  }

  #drawStatus(status: string, isStopping: boolean): void {
    this.#state.dataset['status'] = status;
    setText(this.#glyph, lookGlyph(status));
    setText(this.#word, isStopping ? this.#say('Stopping…') : lookWord(status, this.#say));
  }

  #drawName(name: string, counts: string): void {
    setText(this.#name, plain(name, 100));
    setText(this.#counts, counts);
    this.#name.title = plain(name, 300);
    this.#counts.title = counts;
  }
}

function fill(list: HTMLElement, texts: readonly string[]): void {
  list.hidden = texts.length === 0;
  if (texts.join('\n') !== [...list.children].map(one => one.textContent).join('\n')) {
    list.replaceChildren(...texts.map(text => element('li', {}, text)));
  }
}
