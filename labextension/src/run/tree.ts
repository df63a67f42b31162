/**
 * The steps as a table that opens: the text twin of the picture, as a treegrid of WAI-ARIA has it.
 *
 *   arrows up, down, Home, End   go on            right, left   open and close what has steps in it, or go in and out
 *   Enter, click                 open the job     a letter      the next step that begins so
 *
 * Rule 1: rows stay as long as they are shown: a push draws those steps that it brings, and nothing else.
 * Rule 2: what is closed is not asked for: `opened` tells the levels that are open.
 */

import { Disposables, element } from '../parts/dom.js';
import { pathAt, StepElements } from './stepelements.js';
import type { RunContext, RunStep } from './tokens.js';
import { StepRow } from './row.js';

/** What the table asks of the steps that are known. */
export interface StepSource {
  step(path: string): RunStep | undefined;
  within(level: string): readonly RunStep[];
}

/** A row that is open: its step, its depth, its place and how many there are beside it. */
type FlatRow = readonly [step: RunStep, level: number, at: number, count: number];

const COLUMNS = ['Steps', 'Status', 'Condition', 'Outputs', 'Time', 'Job'];
const [ROW, SCROLL_BAR] = [25, 17]; // pixels
const MOST_OPEN = 100; // levels, as many as a request may name

export class StepTree {
  readonly element: HTMLElement;
  readonly #context: RunContext;
  readonly #source: StepSource;
  readonly #opened: (levels: readonly string[]) => void;
  readonly #body = element('tbody');
  readonly #rows: StepElements<StepRow>;
  readonly #open = new Set<string>();
  readonly #lasting = new Disposables();
  #order: readonly string[] = [];

  constructor(context: RunContext, source: StepSource, opened: (levels: readonly string[]) => void) {
    const { say } = context;
    this.#context = context;
    this.#source = source;
    this.#opened = opened;
    this.#rows = new StepElements(
      this.#body,
      context,
      path => source.step(path),
      path => new StepRow(context, path)
    );
    const head = COLUMNS.map(name => element('th', { scope: 'col' }, say(name)));
    const table = element(
      'table',
      { class: 'pj-Run-table', role: 'treegrid', 'aria-label': say('Steps of the run') },
      element('thead', {}, element('tr', {}, ...head)),
      this.#body
    );
    this.element = element('div', { class: 'pj-Run-tree' }, table);
    this.#lasting.listen(this.#body, 'keydown', event => this.#pressed(event));
    this.#lasting.listen(this.#body, 'click', event => this.#clicked(event));
  }

  /** The levels that are open. */
  get levels(): readonly string[] {
    return [...this.#open];
  }

  /** Draw all rows: steps have come or gone. */
  draw(): void {
    const order = this.#flat('', 1);
    this.#order = order.map(([step]) => step.path);
    let next = this.#body.firstElementChild;
    this.#rows.keep(this.#order).forEach((row, index) => {
      const [step, level, at, count] = order[index] as FlatRow; // as many as paths
      row.draw(step, { level, at, count, isOpen: this.#open.has(step.path) });
      if (row.element === next) {
        next = next.nextElementSibling;
      } else {
        this.#body.insertBefore(row.element, next);
      }
    });
    this.element.style.setProperty('--pj-height', `${(order.length + 1) * ROW + SCROLL_BAR}px`);
  }

  /** These steps have changed. */
  update(steps: readonly RunStep[]): void {
    steps.forEach(step => this.#rows.get(step.path)?.update(step));
  }

  /** Time has passed. */
  tick(): void {
    this.#rows.tick();
  }

  /** Put the focus on this step, or on the one that Tab leads to. */
  focus(path?: string): void {
    this.#rows.focus(path);
  }

  /** Show what lies in this step, or show it no more. */
  toggle(path: string, isOpen = !this.#open.has(path)): void {
    if (isOpen && this.#open.size < MOST_OPEN) {
      this.#open.add(path);
    } else {
      [...this.#open].filter(one => one === path || one.startsWith(`${path}/`)).forEach(one => this.#open.delete(one));
    }
    this.#opened(this.levels);
    this.draw();
  }

  dispose(): void {
    this.#rows.dispose();
    this.#lasting.dispose();
  }

  // ---- drawing

  /** The rows that are open, in order. */
  #flat(level: string, depth: number): FlatRow[] {
    const steps = this.#source.within(level);
    return steps.flatMap((step, at) => [
      [step, depth, at + 1, steps.length] as FlatRow,
      ...(this.#open.has(step.path) ? this.#flat(step.path, depth + 1) : [])
    ]);
  }

  // ---- mouse and keys

  #clicked({ target }: MouseEvent): void {
    const path = pathAt(target);
    if (path !== null) {
      this.focus(path);
      this.#do(path);
    }
  }

  /** Open the job of a step, or what lies in it. */
  #do(path: string): void {
    if (this.#canOpen(path)) {
      this.toggle(path);
    } else {
      this.#context.open(path);
    }
  }

  #canOpen(path: string): boolean {
    return this.#source.step(path)?.has_picture === true;
  }

  #pressed(event: KeyboardEvent): void {
    if (!event.ctrlKey && !event.metaKey && !event.altKey && this.#act(event.key)) {
      event.preventDefault();
    }
  }

  #act(key: string): boolean {
    const path = this.#rows.active;
    const last = this.#order.length - 1;
    const at = this.#order.indexOf(path);
    const to: Readonly<Record<string, number>> = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: last };
    const next = to[key];
    if (next !== undefined) {
      this.focus(this.#order[Math.max(0, Math.min(last, next))]);
    } else if (key === 'Enter' || key === ' ') {
      this.#do(path);
    } else if (key === 'ArrowRight' && this.#canOpen(path)) {
      this.#goIn(path, at);
    } else if (key === 'ArrowLeft') {
      this.#goOut(path);
    } else {
      return [...key].length === 1 && this.#goToLetter(key, at);
    }
    return true;
  }

  #goIn(path: string, at: number): void {
    if (this.#open.has(path)) {
      this.focus(this.#order[at + 1]);
    } else {
      this.toggle(path, true);
    }
  }

  #goOut(path: string): void {
    if (this.#open.has(path)) {
      this.toggle(path, false);
    } else {
      this.focus(this.#source.step(path)?.parent || path);
    }
  }

  #goToLetter(key: string, at: number): boolean {
    const order = [...this.#order.slice(at + 1), ...this.#order.slice(0, at + 1)];
    const begins = (path: string): boolean =>
      this.#source.step(path)?.name.toLowerCase().startsWith(key.toLowerCase()) === true;
    const found = order.find(begins);
    this.focus(found);
    return found !== undefined;
  }
}
