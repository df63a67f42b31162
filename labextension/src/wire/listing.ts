/**
 * The list of jobs over an exchange: one watch a page, whoever of the page listens.
 *
 * Rule 1: it watches from the first listener to the last one's end; what it knew stays for the next one to begin with.
 * Rule 2: it asks to watch again whenever it may have missed something: after a gap in `seq`, after a lost connection.
 *   The other end then tells all anew.
 */

import { type JobList, PushedRows, type Spark } from '../panel/list.js';
import type { JobRow, JobsSelection } from '../panel/protocol.js';
import type { SourceStatus } from '../tokens.js';
import { type AnyPush, type Exchange, type Subscriber, randomId } from './protocol.js';

const NO_JOB = '';
const MAX_SPARKS = 100;

/** The transport under the list. */
export interface TransportUse {
  begin(): void;
  release(): void;
}

export class WireList implements JobList, Subscriber {
  readonly view = randomId();
  readonly #exchange: Exchange;
  readonly #use: TransportUse;
  readonly #listeners = new Set<() => void>();
  readonly #known: PushedRows;
  #leave: (() => void) | null = null;
  #watch: object | null = null; // the request that still waits for its answer
  #next: number | null = null; // the `seq` that continues what was heard
  #refusal = '';
  #selection: JobsSelection = {};

  constructor(exchange: Exchange, use: TransportUse, known = new PushedRows()) {
    this.#exchange = exchange;
    this.#use = use;
    this.#known = known;
  }

  get rows(): ReadonlyMap<string, JobRow> {
    return this.#known.rows;
  }

  get shown(): readonly JobRow[] {
    return this.#known.shown;
  }

  get isWhole(): boolean {
    return this.#known.isWhole;
  }

  get notes(): readonly string[] {
    return this.#known.notes;
  }

  get problem(): string {
    return this.#known.problem;
  }

  get status(): SourceStatus {
    return this.#refusal ? 'offline' : this.#exchange.status;
  }

  get message(): string {
    return this.#refusal || this.#exchange.message;
  }

  now(): number {
    return this.#known.now();
  }

  listen(changed: () => void): () => void {
    const listener = (): void => changed(); // of its own, should one function listen twice
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#begin();
    }
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) {
        this.#end();
      }
    };
  }

  select(selection: JobsSelection): void {
    this.#selection = selection;
    if (this.#leave) {
      // Where it is refused the view is no more: whoever watches again says what is selected by then.
      this.#exchange.ask(this.view, NO_JOB, 'select_jobs', selection).catch(() => undefined);
    }
  }

  async sparks(ids: readonly string[]): Promise<ReadonlyMap<string, Spark>> {
    const jobs = ids.slice(0, MAX_SPARKS);
    const { ok, buffers } = await this.#exchange.ask(this.view, NO_JOB, 'sparks', { jobs });
    return new Map(
      ok.sparks.map(({ job, name }, at) => [job, { name, values: new Float64Array(buffers[at] ?? new ArrayBuffer(0)) }])
    );
  }

  opened(): void {
    this.#ask();
  }

  changed(): void {
    this.#tell();
  }

  push(push: AnyPush): void {
    if (push.kind !== 'jobs') {
      return; // of a view of a job or of a run
    }
    const isGap = !push.is_first && push.seq !== this.#next;
    this.#next = push.seq + 1;
    if (isGap) {
      this.#ask(); // and then it is told all anew
    } else {
      this.#known.push(push);
      this.#tell();
    }
  }

  #begin(): void {
    this.#leave = this.#exchange.join(this);
    this.#use.begin();
    this.#ask();
  }

  #end(): void {
    this.#exchange.tell({ kind: 'bye', job: NO_JOB, view: this.view });
    this.#watch = null;
    this.#leave?.();
    this.#leave = null;
    this.#next = null;
    this.#use.release();
  }

  /** Ask to watch; a request that still waits for its answer is not made twice. */
  #ask(): void {
    if (!this.#watch) {
      const asked = this.#exchange.ask(this.view, NO_JOB, 'watch_jobs', this.#selection);
      this.#watch = asked;
      asked.then(
        () => this.#settled(asked, ''),
        (error: Error) => this.#settled(asked, error.message)
      );
    }
  }

  #settled(asked: object, refusal: string): void {
    if (this.#watch === asked) {
      this.#watch = null;
      this.#refusal = refusal;
      this.#tell();
    }
  }

  #tell(): void {
    [...this.#listeners].forEach(listener => listener());
  }
}
