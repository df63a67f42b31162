/**
 * The jobs of this user, as the panel knows them: rows by id, kept current by the server's pushes, and which of them
 * are shown in which order, as the server finds them.
 *
 * Rule 1: the list is current while somebody listens to it, and only then: whoever wants it to cost nothing stops.
 * Rule 2: rows that stand are never changed: a row that is another object has changed, one that is the same has not.
 * Rule 3: what was known stays while it is asked for anew, after a lost connection too; a first push replaces it.
 */

import type { SourceStatus } from '../tokens.js';
import type { JobRow, JobsPush, JobsSelection } from './protocol.js';

/** The course of a row's metric: at most 40 values. */
export interface Spark {
  readonly name: string;
  readonly values: Float64Array;
}

export interface JobList {
  /** By id, in the order in which the server told of them; the newest jobs first at the beginning. */
  readonly rows: ReadonlyMap<string, JobRow>;
  /** The rows that fit what was selected, in its order. */
  readonly shown: readonly JobRow[];
  /** Nothing is missing. */
  readonly isWhole: boolean;
  readonly status: SourceStatus;
  /** What to say of the status where there is more to say than the status does: why the list cannot be had. */
  readonly message: string;
  /** What could not be listed, a sentence each. */
  readonly notes: readonly string[];
  /** What is wrong with the filter; '' if nothing is. */
  readonly problem: string;
  /** The time on the machine that keeps the jobs, in seconds. */
  now(): number;
  /** Have `shown` be these; listeners hear when it is so. */
  select(selection: JobsSelection): void;
  /** Keep the list current, and hear of every change, until the returned function is called. */
  listen(changed: () => void): () => void;
  /** Of jobs that are in sight, at most 100; jobs without a metric have none. */
  sparks(ids: readonly string[]): Promise<ReadonlyMap<string, Spark>>;
}

/** What the pushes of one watch add up to. */
export class PushedRows {
  rows: ReadonlyMap<string, JobRow> = new Map();
  isWhole = false;
  notes: readonly string[] = [];
  problem = '';
  readonly #clock: () => number;
  #ahead: number; // seconds by which the jobs' clock is ahead of the monotonic one
  #coming: Map<string, JobRow> | null = null; // a list that is told anew, not yet whole
  #order: readonly string[] | null = null; // ids of what is shown; null: an older server tells none, and all are
  #told: readonly string[] | null = null; // the same of what the server has told so far

  /** `clock` counts seconds from anywhere, and never back. */
  constructor(clock: () => number = () => performance.now() / 1000) {
    this.#clock = clock;
    this.#ahead = Date.now() / 1000 - clock();
  }

  now(): number {
    return this.#clock() + this.#ahead;
  }

  get shown(): readonly JobRow[] {
    const ids = this.#order ?? [...this.rows.keys()];
    return ids.flatMap(id => this.rows.get(id) ?? []);
  }

  /**
   * Take in what was pushed. A list that is told anew grows beside the one that stands, so that rows do not vanish for
   * a moment; one that is told for the first time is shown as it grows.
   */
  push({ now, rows, gone, is_first, is_whole, notes, order, problem = '' }: JobsPush): void {
    this.#ahead = now - this.#clock();
    [this.notes, this.problem] = [notes, problem];
    if (is_first) {
      this.#coming = new Map();
      this.#told = null;
    }
    if (order) {
      const told = this.#told ?? [];
      this.#told = [...told.slice(0, order.at), ...order.ids, ...told.slice(order.at + order.drop)];
    }
    const known = new Map(this.#coming ?? this.rows);
    rows.forEach(row => known.set(row.id, row));
    gone.forEach(id => known.delete(id));
    if (this.#coming && !is_whole && this.isWhole) {
      this.#coming = known;
    } else {
      this.rows = known;
      this.#order = this.#told;
      this.#coming = this.#coming && !is_whole ? known : null;
      this.isWhole = is_whole;
    }
  }
}
