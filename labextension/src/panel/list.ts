/**
 * The jobs of this user, as the panel knows them: rows by id, kept current by the server's pushes.
 *
 * Rule 1: the list is current while somebody listens to it, and only then: whoever wants it to cost nothing stops.
 * Rule 2: rows that stand are never changed: a row that is another object has changed, one that is the same has not.
 * Rule 3: what was known stays while it is asked for anew, after a lost connection too; a first push replaces it.
 */

import type { SourceStatus } from '../tokens.js';
import type { JobRow, JobsPush } from './protocol.js';

/** The course of a row's metric: at most 40 values. */
export interface Spark { readonly name: string; readonly values: Float64Array }

export interface JobList {
  /** By id, in the order in which the server told of them; the newest jobs first at the beginning. */
  readonly rows: ReadonlyMap<string, JobRow>;
  /** Nothing is missing. */
  readonly isWhole: boolean;
  readonly status: SourceStatus;
  /** What to say of the status where there is more to say than the status does: why the list cannot be had. */
  readonly message: string;
  /** What could not be listed, a sentence each. */
  readonly notes: readonly string[];
  /** The time on the machine that keeps the jobs, in seconds. */
  now(): number;
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
  readonly #clock: () => number;
  #ahead: number; // seconds by which the jobs' clock is ahead of the monotonic one
  #coming: Map<string, JobRow> | null = null; // a list that is told anew, not yet whole

  /** `clock` counts seconds from anywhere, and never back. */
  constructor(clock: () => number = () => performance.now() / 1000) {
    this.#clock = clock;
    this.#ahead = Date.now() / 1000 - clock();
  }

  now(): number {
    return this.#clock() + this.#ahead;
  }

  /**
   * Take in what was pushed. A list that is told anew grows beside the one that stands, so that rows do not vanish for
   * a moment; one that is told for the first time is shown as it grows.
   */
  push({ now, rows, gone, is_first, is_whole, notes }: JobsPush): void {
    this.#ahead = now - this.#clock();
    this.notes = notes;
    if (is_first) {
      this.#coming = new Map();
    }
    const known = new Map(this.#coming ?? this.rows);
    rows.forEach(row => known.set(row.id, row));
    gone.forEach(id => known.delete(id));
    if (this.#coming && !is_whole && this.isWhole) {
      this.#coming = known;
    } else {
      this.rows = known;
      this.#coming = this.#coming && !is_whole ? known : null;
      this.isWhole = is_whole;
    }
  }
}
