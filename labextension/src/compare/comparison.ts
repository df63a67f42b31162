/**
 * Several jobs beside one another, live:
 *
 *   metrics                                               a chart each, with a curve a job
 *   their last metrics, values, how they stand            tables with a column a job, in the colour of its curve
 *   code                                                  the difference of two of them
 *
 * Rule 1: each job has a source of its own, as its view in a cell has; a job that cannot be read spoils its column, not
 *   the comparison.
 * Rule 2: hidden, nothing is drawn and no curve is asked for.
 */

import type { ChartMaker } from '../charts/chart.js';
import type { ChartPane } from '../charts/pane.js';
import { isTerminal } from '../events.js';
import { heading } from '../parts/blocks.js';
import { isPressed, toggle } from '../parts/controls.js';
import { Disposables, element, setText } from '../parts/dom.js';
import type { JobSource, Say } from '../tokens.js';
import { curvesPane } from './curves.js';
import { type AskDifference, CodeDifference } from './difference.js';
import { tablesOf } from './facts.js';
import { ComparedJob, labels } from './job.js';
import { JobTable } from './table.js';

export const FEWEST = 2;

export class Comparison {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #jobs: readonly ComparedJob[];
  readonly #troubles = element('ul', { class: 'pj-JobView-troubles', role: 'status' });
  readonly #state: JobTable;
  readonly #values: JobTable;
  readonly #metrics: JobTable;
  readonly #onlyDifferences: HTMLButtonElement;
  readonly #curves: ChartPane;
  readonly #code: CodeDifference;
  readonly #spoken = element('div', { class: 'pj-JobView-spoken', role: 'status' });
  readonly #lasting = new Disposables();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isShown = false;
  #isLive = false;

  /** The sources stay the caller's; `load` gives the maker of charts. */
  constructor(say: Say, sources: readonly JobSource[], ask: AskDifference, load?: () => Promise<ChartMaker>) {
    this.#say = say;
    this.#jobs = sources.map(source => new ComparedJob(source, () => this.#told()));
    this.#state = new JobTable(say, say('Overview'), '');
    const none = say('None of these jobs has hyperparameters.');
    this.#onlyDifferences = toggle(say('Differences only'), () => this.#draw());
    this.#values = new JobTable(say, say('Hyperparameters'), none, this.#onlyDifferences);
    this.#metrics = new JobTable(say, say('Final metrics'), '');
    const announce = (text: string): void => setText(this.#spoken, text);
    this.#curves = curvesPane({ say, announce }, this.#jobs, load);
    this.#code = new CodeDifference(say, this.#jobs, ask);
    this.element = element(
      'section',
      { class: 'pj-JobView pj-JobView-comparison', 'aria-label': say('Comparison of jobs') },
      this.#troubles,
      heading(say('Metrics')),
      this.#curves.element,
      this.#metrics.element,
      this.#values.element,
      this.#state.element,
      this.#code.element,
      this.#spoken
    );
    const seen = (): void => this.#tick();
    document.addEventListener('visibilitychange', seen);
    this.#lasting.add(() => document.removeEventListener('visibilitychange', seen));
    this.#draw();
  }

  show(isShown: boolean): void {
    this.#isShown = isShown;
    this.#curves.show(isShown);
    if (isShown) {
      this.#code.show();
    }
    this.#draw();
  }

  dispose(): void {
    this.#isShown = false;
    this.#lasting.dispose();
    clearInterval(this.#timer);
    this.#curves.dispose();
    this.#code.dispose();
    this.#jobs.forEach(job => job.dispose());
    this.element.remove();
  }

  #told(): void {
    this.#draw();
    this.#code.told();
    const wasLive = this.#isLive;
    this.#isLive = this.#jobs.every(({ status }) => status === 'live');
    if (this.#isLive && !wasLive) {
      this.#code.retry();
    }
  }

  #draw(): void {
    if (this.#isShown) {
      const names = labels(this.#jobs);
      const { state, values, metrics } = tablesOf(this.#jobs, this.#say);
      this.#state.show(names, state);
      this.#values.show(names, isPressed(this.#onlyDifferences) ? values.filter(({ differs }) => differs) : values);
      this.#metrics.show(names, metrics);
      this.#onlyDifferences.hidden = values.length === 0;
      this.#drawTroubles(names);
    }
    this.#tick();
  }

  /** Why a job cannot be read; what is the same for all is said once. */
  #drawTroubles(names: readonly string[]): void {
    const lost = this.#say('Connection lost. Reconnecting…');
    const texts = this.#jobs.flatMap(({ status, trouble }, at) => {
      return status !== 'offline' ? [] : [trouble ? `${names[at]}: ${trouble}` : lost];
    });
    const unique = [...new Set(texts)];
    if (JSON.stringify(unique) !== JSON.stringify([...this.#troubles.children].map(item => item.textContent))) {
      this.#troubles.replaceChildren(...unique.map(text => element('li', {}, text)));
    }
    this.#troubles.hidden = unique.length === 0;
  }

  /** Times run on while a job does and somebody looks. */
  #tick(): void {
    const isRunning = this.#jobs.some(({ model }) => model.job !== null && !isTerminal(model.state.status));
    const runs = isRunning && this.#isShown && !document.hidden;
    if (runs && this.#timer === undefined) {
      this.#timer = setInterval(() => this.#draw(), 1_000);
    } else if (!runs) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }
}
