/**
 * Several jobs beside one another, live:
 *
 *   metrics                                               a chart each, with a curve a job; the user's own charts
 *   their last metrics, values, how they stand            tables with a column a job, in the colour of its curve;
 *                                                         on request with the differences from one of them
 *   parallel coordinates, importance                      which values the metrics follow
 *   code                                                  the difference of two of them
 *
 * Rule 1: each job has a source of its own, as its view in a cell has; a job that cannot be read spoils its column, not
 *   the comparison.
 * Rule 2: hidden, nothing is drawn and no curve is asked for.
 */

import type { ChartMaker } from '../charts/chart.js';
import type { ChartPane } from '../charts/pane.js';
import { isTerminal, numberOf } from '../events.js';
import { heading } from '../parts/blocks.js';
import { choice, field, isPressed, type Option, setOptions, toggle } from '../parts/controls.js';
import { Disposables, element, setText } from '../parts/dom.js';
import type { JobSource, Say } from '../tokens.js';
import { ChartList } from './chartlist.js';
import { curvesPane } from './curves.js';
import type { CustomChart } from './customcharts.js';
import { type AskDifference, CodeDifference } from './difference.js';
import { tablesOf } from './facts.js';
import type { Trial } from './importance.js';
import { ComparedJob, labels } from './job.js';
import { ParallelCoordinates } from './parallel.js';
import { JobTable } from './table.js';

export const FEWEST = 2;

/** What the host keeps for the user. */
export interface ChartStore {
  /**
   * Hear of the user's own charts, as they are and as they become, and what is kept and cannot be shown; returns what
   * ends this.
   */
  follow(changed: (charts: readonly CustomChart[], problem?: string) => void): () => void;
  /** Keep them; rejects with the sentence why they cannot be kept. */
  save(charts: readonly CustomChart[]): Promise<void>;
}

export interface ComparisonOptions {
  /** Gives the maker of charts. */
  readonly load?: () => Promise<ChartMaker>;
  readonly store?: ChartStore;
  /** The job that the others are compared with at first. */
  readonly baseline?: string;
  /** Hears of another baseline; '' is none. */
  readonly onBaseline?: (job: string) => void;
}

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
  readonly #charts: ChartList;
  readonly #baseline: HTMLSelectElement;
  readonly #parallel: ParallelCoordinates;
  readonly #code: CodeDifference;
  readonly #spoken = element('div', { class: 'pj-JobView-spoken', role: 'status' });
  readonly #lasting = new Disposables();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isShown = false;
  #isLive = false;

  /** The sources stay the caller's. */
  constructor(say: Say, sources: readonly JobSource[], ask: AskDifference, options: ComparisonOptions = {}) {
    const { load, store, onBaseline = () => undefined } = options;
    this.#say = say;
    this.#jobs = sources.map(source => new ComparedJob(source, () => this.#told()));
    this.#state = new JobTable(say, say('Overview'), '');
    const none = say('None of these jobs has hyperparameters.');
    this.#onlyDifferences = toggle(say('Differences only'), () => this.#draw());
    this.#values = new JobTable(say, say('Hyperparameters'), none, this.#onlyDifferences);
    this.#metrics = new JobTable(say, say('Final metrics'), '');
    const announce = (text: string): void => setText(this.#spoken, text);
    this.#charts = new ChartList(say, charts => this.#keep(charts, store), announce);
    this.#curves = curvesPane({ say, announce }, this.#jobs, this.#charts, load);
    this.#parallel = new ParallelCoordinates(say);
    this.#baseline = choice(say('Baseline'), [], job => {
      onBaseline(job);
      this.#draw();
    });
    this.#offerBaseline(labels(this.#jobs));
    this.#baseline.value = sources.some(({ job }) => job === options.baseline) ? (options.baseline ?? '') : '';
    this.#lasting.add(
      store?.follow((charts, problem) => {
        this.#charts.show(charts, problem);
        this.#curves.refresh();
      }) ?? ((): void => undefined)
    );
    this.#code = new CodeDifference(say, this.#jobs, ask);
    this.element = element(
      'section',
      { class: 'pj-JobView pj-JobView-comparison', 'aria-label': say('Comparison of jobs') },
      this.#troubles,
      heading(say('Metrics'), field(say('Baseline'), this.#baseline)),
      this.#curves.element,
      this.#charts.element,
      this.#metrics.element,
      this.#values.element,
      this.#parallel.element,
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
      this.#offerBaseline(names);
      const baseline = this.#jobs.findIndex(({ id }) => id === this.#baseline.value);
      const { state, values, metrics } = tablesOf(this.#jobs, this.#say, baseline);
      this.#state.show(names, state);
      this.#values.show(names, isPressed(this.#onlyDifferences) ? values.filter(({ differs }) => differs) : values);
      this.#metrics.show(names, metrics);
      this.#onlyDifferences.hidden = values.length === 0;
      this.#parallel.show(this.#jobs.map((job, at) => trialOf(job, names[at] ?? job.id)));
      this.#drawTroubles(names);
    }
    this.#tick();
  }

  #offerBaseline(names: readonly string[]): void {
    const jobs = this.#jobs.map(({ id }, at): Option => [id, names[at] ?? id]);
    setOptions(this.#baseline, [['', this.#say('None')], ...jobs]);
  }

  async #keep(charts: readonly CustomChart[], store: ChartStore | undefined): Promise<void> {
    this.#curves.refresh();
    await store?.save(charts);
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

function trialOf({ model }: ComparedJob, name: string): Trial {
  const metrics = Object.entries(model.state.metrics).map(([metric, [last]]) => [metric, numberOf(last)] as const);
  return { name, values: model.job?.values ?? {}, metrics: Object.fromEntries(metrics) };
}
