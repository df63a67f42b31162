/**
 * A step in the table: name, status, condition, outputs, time, job.
 *
 * Rule: `draw` writes only what has changed.
 */

import { element, setText } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import { countsText, lookGlyph, lookWord, reasonOf } from './status.js';
import type { RunContext, RunStep } from './tokens.js';
import { outputTexts } from './values.js';
import { conditionSign, conditionText, conditionWord, originText, stepName, stepTime, stepTitle } from './words.js';

const LONGEST = 120; // characters of all outputs of a step; the rest is in its details

/** Where a row stands among the others. */
export interface RowPlace {
  readonly level: number;
  readonly at: number;
  readonly count: number;
  readonly isOpen: boolean;
}

export class StepRow {
  readonly element = element('tr', { class: 'pj-Run-row', role: 'row', tabindex: -1 });
  readonly #context: RunContext;
  readonly #fold = element('span', { class: 'pj-Run-fold', 'aria-hidden': 'true' });
  readonly #name = element('span', { class: 'pj-Run-name' });
  readonly #title = element('span', { class: 'pj-JobView-quiet' });
  readonly #glyph = element('span', { class: 'pj-Run-glyph', 'aria-hidden': 'true' });
  readonly #word = element('span');
  readonly #condition = element('td', { role: 'gridcell' });
  readonly #outputs = element('td', { role: 'gridcell', class: 'pj-Run-outputs' });
  readonly #time = element('td', { role: 'gridcell', class: 'pj-JobView-number' });
  readonly #job = element('td', { role: 'gridcell', class: 'pj-Run-job' });
  #step: RunStep | null = null;
  #isOpen = false;

  constructor(context: RunContext, path: string) {
    this.#context = context;
    this.element.dataset['path'] = path;
    this.element.append(
      element('th', { role: 'rowheader', scope: 'row' }, this.#fold, this.#name, ' ', this.#title),
      element('td', { role: 'gridcell', class: 'pj-Run-status' }, this.#glyph, this.#word),
      this.#condition,
      this.#outputs,
      this.#time,
      this.#job
    );
  }

  draw(step: RunStep, { level, at, count, isOpen }: RowPlace): void {
    this.#set('aria-level', level);
    this.#set('aria-posinset', at);
    this.#set('aria-setsize', count);
    this.#isOpen = isOpen;
    this.element.style.setProperty('--pj-level', String(level - 1));
    this.#drawFold(step);
    this.update(step);
  }

  /** The step has changed, its place has not. */
  update(step: RunStep): void {
    if (step !== this.#step) {
      const { say } = this.#context;
      this.#step = step;
      this.#drawFold(step);
      this.element.dataset['status'] = step.status;
      setText(this.#name, stepName(step));
      setText(this.#title, stepTitle(step));
      setText(this.#glyph, lookGlyph(step.status));
      setText(this.#word, this.#statusText(step));
      setText(this.#condition, step.condition ? this.#conditionText(step.condition) : '');
      this.#condition.dataset['met'] = String(step.condition?.is_met ?? '');
      const outputs = outputTexts(step).join(', ');
      setText(this.#outputs, plain(outputs, LONGEST));
      if (this.#outputs.title !== outputs) {
        this.#outputs.title = outputs;
      }
      const job = plain(step.job, 100);
      setText(this.#job, job || (step.status === 'skipped' ? say('no job') : ''));
    }
    this.tick();
  }

  /** Time has passed. */
  tick(): void {
    if (this.#step) {
      setText(this.#time, stepTime(this.#step, this.#context.now()));
    }
  }

  #drawFold({ has_picture: isFold = false }: RunStep): void {
    if (isFold) {
      this.#set('aria-expanded', String(this.#isOpen));
    } else {
      this.element.removeAttribute('aria-expanded');
    }
    setText(this.#fold, isFold ? (this.#isOpen ? '▾' : '▸') : '');
  }

  #statusText(step: RunStep): string {
    const { say } = this.#context;
    const parts = [lookWord(step.status, say), countsText(step.counts), originText(step, say), reasonOf(step)];
    return parts.filter(Boolean).join(' · ');
  }

  #conditionText(condition: NonNullable<RunStep['condition']>): string {
    const word = conditionWord(condition, this.#context.say);
    return `${conditionSign(condition)} ${conditionText(condition)} (${word})`;
  }

  #set(name: string, value: string | number): void {
    if (this.element.getAttribute(name) !== String(value)) {
      this.element.setAttribute(name, String(value));
    }
  }
}
