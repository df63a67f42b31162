/**
 * What is known of the step that has the focus: condition, what went in and came out, tries. Texts only, and ways to
 * jobs.
 */

import { button, element, quiet } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { readStatus, statusWord } from '../head/status.js';
import { countsSentence, lookGlyph, lookWord, reasonOf } from './status.js';
import type { RunContext, RunStep, RunTry } from './tokens.js';
import { ValueList } from './values.js';
import { conditionText, conditionWord, stepName, stepTitle } from './words.js';

const LONGEST = 300;

export class Details {
  readonly element: HTMLElement;
  readonly #context: RunContext;
  #step: RunStep | null = null;

  constructor(context: RunContext) {
    this.#context = context;
    this.element = element('section', { class: 'pj-Run-details', 'aria-label': context.say('Selected step') });
    this.element.hidden = true;
  }

  /** Show this step; null shows none. */
  draw(step: RunStep | null): void {
    if (step !== this.#step) {
      this.#step = step;
      this.element.hidden = step === null;
      this.element.replaceChildren(...(step ? this.#parts(step) : []));
    }
  }

  #parts(step: RunStep): Node[] {
    const { say } = this.#context;
    const title = [stepName(step), stepTitle(step)].filter(Boolean).join(' · ');
    const status = `${lookGlyph(step.status)} ${lookWord(step.status, say)}`;
    const facts = [
      ...this.#condition(step),
      ...named(say, say('Depends on'), step.depends?.map(path => plain(path, 100)).join(', ')),
      ...named(say, say('Item'), step.item),
      ...named(say, say('Steps'), countsSentence(step.counts, say))
    ];
    const values = new ValueList(say);
    values.draw(step);
    return [
      element('h3', {}, `${title} – ${status}`),
      ...(reasonOf(step) ? [element('p', { 'data-status': step.status }, reasonOf(step))] : []),
      ...(facts.length ? [element('ul', {}, ...facts.map(text => element('li', {}, text)))] : []),
      values.element,
      ...this.#tries(step),
      ...this.#taken(step)
    ];
  }

  #condition({ condition }: RunStep): string[] {
    const { say } = this.#context;
    return condition
      ? named(say, say('Condition'), `${conditionText(condition)} – ${conditionWord(condition, say)}`)
      : [];
  }

  /** A way to the job of each try. */
  #tries({ tries = [], job }: RunStep): Node[] {
    const all: readonly RunTry[] = tries.length || job === undefined ? tries : [{ job, status: '' }];
    const { say, host } = this.#context;
    const items = all.map(one => {
      const id = plain(one.job, 128);
      const status = one.status && one.status !== 'created' ? statusWord(readStatus(one.status), say) : '';
      const about = [status, plain(one.reason, LONGEST)].filter(Boolean).join(' · ');
      const way = host.openJob && one.status !== 'created' ? button(id, 'link', () => host.openJob?.(one.job)) : id;
      return element('li', {}, `${say('Job')} `, way, about && ` ${about}`);
    });
    return items.length ? [element('ul', {}, ...items)] : [];
  }

  #taken({ taken_from: run }: RunStep): Node[] {
    const { say, host } = this.#context;
    if (run === undefined) {
      return [];
    }
    const text = say('Its result was taken over from run {run}.', { run: plain(run, 100) });
    const way = host.openRun ? [' ', button(say('Open'), 'link', () => host.openRun?.(run))] : [];
    const line = quiet(text);
    line.append(...way);
    return [line];
  }
}

function named(say: Say, name: string, text: string | undefined): string[] {
  const value = plain(text, 2 * LONGEST);
  return value ? [say('{name}: {value}', { name, value })] : [];
}
