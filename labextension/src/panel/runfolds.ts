/**
 * The jobs of a run, folded under one row of the list: at the place of the first of them.
 *
 *   ▸ iris-pipeline  lr=0.3         a click, or the arrows right and left, opens and closes it;
 *     Run · 5 jobs · 1 running      Enter or a double click shows the run
 *
 * Rule 1: where a filter is set, folds are open: what was looked for is seen.
 * Rule 2: a fold is no job: what is done to the jobs that are chosen is not done to those that are folded away.
 * Rule 3: rows know their run by its id. What it is called is asked for, once for a run, and only while the list is
 *   shown.
 */

import { glyph, statusWord } from '../head/status.js';
import { element, setText } from '../parts/dom.js';
import { inputLabels } from '../run/values.js';
import { moment } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import type { Say, Status } from '../tokens.js';
import { JobLabels } from './joblabels.js';
import type { JobRow, RunRow, RunsAnswer } from './protocol.js';
import type { Rest } from './rest.js';
import type { RowView } from './virtuallist.js';

const PREFIX = 'run '; // of the id of a fold: no job's id has a blank
const TOLD: readonly Status[] = ['running', 'queued', 'failed', 'stopped'];

/** A row that stands for the jobs of a run. */
export interface RunFold {
  readonly id: string;
  readonly run: string;
  readonly name: string;
  /** What tells it from others of its name; '' where there are none. */
  readonly differs: string;
  readonly hasNamesake: boolean;
  readonly jobs: readonly JobRow[];
  readonly isOpen: boolean;
}

export type ListRow = JobRow | RunFold;

export function isFold(row: ListRow): row is RunFold {
  return 'jobs' in row;
}

export function isJob(row: ListRow): row is JobRow {
  return !isFold(row);
}

/** The run whose fold has this id in the list; null where it is a job. */
export function foldedRun(id: string | null): string | null {
  return id?.startsWith(PREFIX) ? id.slice(PREFIX.length) : null;
}

export class RunFolds {
  readonly #rest: Rest;
  readonly #changed: () => void;
  readonly #known = new Map<string, RunRow | null>(); // null: asked for
  readonly #labels = new JobLabels();
  readonly #toggled = new Set<string>(); // runs that are not as the filter has them
  #isFiltered = false;

  /** `changed` hears that rows are called otherwise now. */
  constructor(rest: Rest, changed: () => void) {
    this.#rest = rest;
    this.#changed = changed;
  }

  /** The rows of the list for these jobs. */
  rows(jobs: readonly JobRow[], isFiltered: boolean): readonly ListRow[] {
    if (isFiltered !== this.#isFiltered) {
      this.#isFiltered = isFiltered;
      this.#toggled.clear();
    }
    const runs = new Map<string, JobRow[]>();
    jobs.forEach(job => job.run && runs.set(job.run, [...(runs.get(job.run) ?? []), job]));
    this.#ask([...runs.keys()]);
    const rows: ListRow[] = [];
    for (const job of jobs) {
      const own = runs.get(job.run ?? '');
      if (!own) {
        rows.push(job);
      } else if (own[0] === job) {
        rows.push(...this.#fold(job.run ?? '', own));
      }
    }
    return rows;
  }

  toggle(run: string): void {
    if (!this.#toggled.delete(run)) {
      this.#toggled.add(run);
    }
  }

  isOpen(run: string): boolean {
    return this.#toggled.has(run) !== this.#isFiltered;
  }

  /** Open those that hide one of these jobs; true where there was one. */
  reveal(jobs: readonly JobRow[]): boolean {
    const hiding = new Set(jobs.flatMap(({ run }) => (run && !this.isOpen(run) ? [run] : [])));
    hiding.forEach(run => this.toggle(run));
    return hiding.size > 0;
  }

  #fold(run: string, jobs: readonly JobRow[]): ListRow[] {
    const isOpen = this.isOpen(run);
    const known = this.#known.get(run);
    const name = plain(known?.name, 100) || run;
    const hasNamesake = known !== undefined && known !== null && this.#labels.hasNamesake(known.name);
    const differs = hasNamesake ? this.#labels.of(run) || moment(known.created) : '';
    const fold = { id: PREFIX + run, run, name, differs, hasNamesake, jobs, isOpen };
    return isOpen ? [fold, ...jobs] : [fold];
  }

  #label(): void {
    const known = [...this.#known.values()].filter(run => run !== null);
    this.#labels.update(new Map(known.map(run => [run.id, { ...run, values: inputLabels(run.inputs) }] as const)));
  }

  /** Ask what these are called; a run that nobody knows any more is called by its id. */
  #ask(runs: readonly string[]): void {
    const unknown = runs.filter(run => !this.#known.has(run));
    if (unknown.length) {
      unknown.forEach(run => this.#known.set(run, null));
      this.#learn(unknown).catch(() => undefined); // they keep their ids
    }
  }

  /** Ask for this server's runs; where some are not among them, for those in the workspace too. */
  async #learn(runs: readonly string[]): Promise<void> {
    for (const query of [{}, { remote: 'true' }]) {
      if (runs.some(run => !this.#known.get(run))) {
        const { runs: known } = await this.#rest.get<RunsAnswer>('runs', query);
        known.forEach(run => this.#known.set(run.id, run));
        this.#label();
        this.#changed();
      }
    }
  }
}

export class RunFoldView implements RowView<RunFold> {
  readonly element = element('div', { class: 'pj-Panel-row pj-Panel-fold', role: 'option' });
  readonly #say: Say;
  readonly #glyph = element('span', { class: 'pj-Panel-glyph' });
  readonly #name = element('span', { class: 'pj-Panel-name' });
  readonly #differs = element('span', { class: 'pj-Panel-differs' });
  readonly #about = element('span', { class: 'pj-Panel-line' });

  constructor(say: Say) {
    this.#say = say;
    const first = element('span', { class: 'pj-Panel-first' }, this.#name, this.#differs);
    const second = element('span', { class: 'pj-Panel-second' }, this.#about);
    this.element.append(this.#glyph, first, element('span'), second);
    [...this.element.children].forEach(part => part.setAttribute('aria-hidden', 'true')); // the label says it
  }

  draw({ run, name, differs, hasNamesake, jobs, isOpen }: RunFold): void {
    const say = this.#say;
    setText(this.#glyph, isOpen ? '▾' : '▸');
    setText(this.#name, name);
    setText(this.#differs, differs);
    const count = say(jobs.length === 1 ? '1 job' : '{count} jobs', { count: jobs.length });
    const counts = TOLD.map(status => [status, jobs.filter(job => job.status === status).length] as const);
    const told = counts.filter(([, number]) => number);
    const id = hasNamesake ? [plain(run, 128)] : []; // two may have begun in one minute with the same inputs
    const signs = told.map(([status, n]) => `${n} ${glyph(status)}`);
    setText(this.#about, [say('Run'), count, ...signs, ...id].join(' · '));
    const words = told.map(([status, n]) => `${n} ${statusWord(status, say).toLowerCase()}`);
    const facts = [name, differs, say('Run'), count, ...words, ...id, say(isOpen ? 'open' : 'folded')];
    const label = facts.filter(Boolean).join(', ');
    if (this.element.getAttribute('aria-label') !== label) {
      this.element.setAttribute('aria-label', label);
      const hint = say('Enter or a double click opens the run');
      this.element.title = [`${name} ${differs}`.trim(), run, hint].join('\n');
    }
  }
}
