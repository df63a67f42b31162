/**
 * The head of the view: how the job stands, in two lines that keep their place while the figures in them change.
 *
 *   ● Running  iris-3fa2c1  docker · local ×1  03:12 / max 2:00:00  ≤ ¥0.42 · ¥0.13 so far    [Stop] [⋯]
 *   queued 8s ▸ preparing 41s ▸ running 2m23s                    62% · ETA 1m30s (epoch 31/50) ▓▓▓▓▓░░░
 *
 * Rule 1: unknown stays unknown: no total, no bar; no start, no time.
 * Rule 2: `draw` may be called every second: it writes only what has changed.
 * Rule 3: neither line wraps or vanishes, and the bar ends its line: a longer text moves nothing but its own beginning.
 *   What has no room is cut off, and stands whole in the title.
 * Rule 4: only a job that has not failed has a full bar.
 */

import { elapsed, eta, fraction, isTerminal, numberOf, phase, phaseTimes } from '../events.js';
import { element, setText } from '../parts/dom.js';
import { clock, duration, moment } from '../text/format.js';
import { costText } from '../text/money.js';
import { plain } from '../text/sanitize.js';
import { readRunLocation } from '../text/runlocation.js';
import type { JobFacts, JobModel, JobStateJson, SavedJob, Say, Status } from '../tokens.js';
import { glyph, readStatus, statusWord } from './status.js';

const UNITS: ReadonlySet<string> = new Set(['step', 'epoch']);
const UNFINISHED = 0.96; // of a bar, that it never exceeds where the job did not come to its end

export class Header {
  readonly element = element('header', { class: 'pj-JobView-header' });
  /** Where the buttons go. */
  readonly actions = element('div', { class: 'pj-JobView-actions' });
  readonly #say: Say;
  readonly #glyph = element('span', { 'aria-hidden': 'true', class: 'pj-JobView-glyph' });
  readonly #word = element('span');
  readonly #state = element('span', { class: 'pj-JobView-state' }, this.#glyph, this.#word);
  readonly #name = element('span', { class: 'pj-JobView-name' });
  readonly #star = element('span', { class: 'pj-JobView-star', role: 'img' }, '★');
  readonly #tags = element('span', { class: 'pj-JobView-tags' });
  readonly #place = element('span', { class: 'pj-JobView-place' });
  readonly #time = element('span', { class: 'pj-JobView-time' });
  readonly #cost = element('span', { class: 'pj-JobView-cost' });
  readonly #phases = element('ol', { class: 'pj-JobView-phases' });
  readonly #bar = element(
    'span',
    { class: 'pj-JobView-bar', role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100 },
    element('span', { class: 'pj-JobView-barFill' })
  );
  readonly #progress = element('span', { class: 'pj-JobView-progressText' });
  readonly #progressRow = element('span', { class: 'pj-JobView-progress' }, this.#progress, this.#bar);
  readonly #second = element('div', { class: 'pj-JobView-second' }, this.#phases, this.#progressRow);

  constructor(say: Say) {
    this.#say = say;
    this.#bar.setAttribute('aria-label', say('Progress'));
    this.#phases.setAttribute('aria-label', say('Time in each phase'));
    this.element.append(
      element(
        'div',
        { class: 'pj-JobView-first' },
        ...[this.#state, this.#star, this.#name, this.#tags, this.#place, this.#time, this.#cost, this.actions]
      ),
      this.#second
    );
    this.#star.setAttribute('aria-label', say('starred'));
    this.#star.hidden = true;
    this.#progressRow.hidden = true;
  }

  /** E.g. "Docker · local ×1", and in its tooltip "an image is given". */
  #drawPlace(place: unknown, machines: string, of?: string): void {
    const { title, reason, machines: saved } = readRunLocation(place, this.#say, of);
    const text = [title, machines || saved].filter(Boolean).join(' · ');
    setTitled(this.#place, text, [text, reason].filter(Boolean).join('\n'));
  }

  /** What a saved notebook knows, with the time at which it was so. */
  drawSaved(saved: SavedJob): void {
    const status = readStatus(saved.state);
    this.#drawStatus(status);
    this.#state.toggleAttribute('data-saved', !isTerminal(status));
    setTitled(this.#name, plain(saved.name, 100));
    this.#drawPlace(saved.place, '');
    const time = moment(Date.parse(plain(saved.at, 40)) / 1_000);
    setText(this.#time, time && this.#say('as of {time}', { time }));
  }

  draw(model: JobModel): void {
    const { job, state } = model;
    if (job) {
      this.#state.removeAttribute('data-saved');
      this.#drawStatus(readStatus(state.status));
      setTitled(this.#name, plain(job.name, 100));
      this.#star.hidden = !job.is_starred;
      this.#drawTags(job.tags);
      const machines = job.machines ?? `${job.instance_type} ×${job.instance_count}`;
      this.#drawPlace(job.place, plain(machines, 200), job.title);
      setText(this.#time, this.#timeText(job, state, model.now()));
      this.#drawCost(job, state, model.now());
      this.#drawPhases(phaseTimes(state, model.now()), phase(state) ?? (state.status === 'queued' ? 'queued' : null));
      this.#drawProgress(state, model.now());
    }
  }

  #drawTags(tags: readonly string[] = []): void {
    const texts = tags.map(tag => plain(tag, 50));
    if (this.#tags.title !== texts.join(' ')) {
      this.#tags.title = texts.join(' ');
      this.#tags.replaceChildren(...texts.map(text => element('span', { class: 'pj-JobView-tag' }, text)));
    }
  }

  #drawStatus(status: Status): void {
    this.#state.dataset['status'] = status;
    setText(this.#glyph, glyph(status));
    setText(this.#word, statusWord(status, this.#say));
  }

  #timeText(job: JobFacts, state: JobStateJson, now: number): string {
    const spent = elapsed(state, now);
    if (spent === null) {
      return '';
    }
    const limit = job.max_run_time;
    return limit ? `${clock(spent)} / ${this.#say('max {time}', { time: clock(limit) })}` : clock(spent);
  }

  #drawCost({ cost }: JobFacts, state: JobStateJson, now: number): void {
    if (cost) {
      const isOver = isTerminal(readStatus(state.status));
      const spent = state.entered['running'] === undefined ? null : elapsed(state, now);
      const about = cost.is_rehearsal ? this.#say('A rehearsal at the emulator: nothing is charged') : '';
      const text = costText(cost, spent, isOver, this.#say);
      setTitled(this.#cost, text, about ? `${text}\n${about}` : text);
    }
  }

  /** One item a phase, in whole seconds as the clock has them; the one that goes on is marked. */
  #drawPhases(times: Record<string, number>, current: string | null): void {
    const names = Object.keys(times);
    while (this.#phases.children.length > names.length) {
      this.#phases.lastElementChild?.remove();
    }
    names.forEach((name, at) => {
      const item = this.#phases.children[at] ?? this.#phases.appendChild(element('li'));
      setText(item, `${this.#say(name)} ${duration(Math.floor(times[name] ?? 0))}`);
      item.toggleAttribute('data-current', name === current);
    });
    this.#phases.title = [...this.#phases.children].map(item => item.textContent).join(' ▸ ');
  }

  #drawProgress(state: JobStateJson, now: number): void {
    const part = fraction(state);
    this.#progressRow.hidden = part === null;
    if (part !== null) {
      const isUnfinished = state.status === 'failed' || state.status === 'stopped';
      const text = this.#progressText(state, isUnfinished && part === 1 ? null : part, now);
      this.#bar.dataset['status'] = state.status;
      this.#bar.setAttribute('aria-valuenow', String(Math.min(isUnfinished ? 99 : 100, Math.floor(100 * part))));
      this.#bar.setAttribute('aria-valuetext', text);
      this.#bar.style.setProperty('--pj-part', String(isUnfinished ? Math.min(UNFINISHED, part) : part));
      setTitled(this.#progress, text);
    }
  }

  /** E.g. "62% · ETA 1m30s (epoch 31/50)"; only the count where the share would say that the job was done. */
  #progressText(state: JobStateJson, part: number | null, now: number): string {
    const { progress } = state;
    if (progress?.kind !== 'Progress') {
      return '';
    }
    if (state.status === 'succeeded' && numberOf(progress.done) < numberOf(progress.total ?? 0)) {
      return '100%'; // the last line that told the progress came before the end
    }
    const rest = eta(state, now);
    const unit = UNITS.has(progress.unit ?? '') ? `${this.#say(progress.unit ?? '')} ` : '';
    const count = `${unit}${digits(numberOf(progress.done))}/${digits(numberOf(progress.total ?? 0))}`;
    if (part === null) {
      return count;
    }
    return `${Math.floor(100 * part)}%${rest === null ? '' : ` · ${this.#say('ETA')} ${duration(rest)}`} (${count})`;
  }
}

/** Write a text that may be cut off. */
function setTitled(place: HTMLElement, text: string, title = text): void {
  if (place.title !== title) {
    place.title = title;
  }
  setText(place, text);
}

function digits(value: number): string {
  return String(Number(value.toPrecision(10)));
}
