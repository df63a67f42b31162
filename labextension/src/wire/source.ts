/**
 * A `JobSource` over an exchange: one view's end of the wire.
 *
 * Rule 1: a source says hello when it is made, and again whenever it may have missed something: after a gap in `seq`,
 *   after a lost connection. A hello begins the view anew at the other end, so what was live is then asked for again.
 * Rule 2: the listener that is added in the turn in which the source is made hears every push.
 */

import type { Answer, JobSource, Kind, PointsNews, Push, Requests, SourceListener, SourceStatus } from '../tokens.js';
import { type AnyPush, type Exchange, type Subscriber, randomId, RequestError } from './protocol.js';

export type Download = Parameters<JobSource['download']>[0];

export interface SourceHost {
  /** Where the browser may download from; null where bytes must be asked for. */
  download(job: string, what: Download): string | null;
  /** The source is no more. */
  release(): void;
}

interface Greeting {
  readonly replica: string | undefined;
  readonly answer: Promise<Answer<'hello'>>;
}

export class WireSource implements JobSource, Subscriber {
  readonly view = randomId();
  /** The first hello; rejects where the job cannot be shown, e.g. with the type `NotFoundError`. */
  readonly greeted: Promise<void>;
  readonly #exchange: Exchange;
  readonly #ends: SourceHost;
  readonly #listeners = new Set<SourceListener>();
  readonly #leave: () => void;
  readonly #live = new Set<PointsNews['group']>();
  #hello: Greeting | null = null;
  #replica: string | undefined;
  #next: number | null = null; // the `seq` that continues what was heard
  #refusal = '';
  #isDisposed = false;

  constructor(
    readonly job: string,
    exchange: Exchange,
    ends: SourceHost
  ) {
    this.#exchange = exchange;
    this.#ends = ends;
    this.#leave = exchange.join(this);
    this.greeted = this.#greet().then(() => undefined);
    this.greeted.catch(() => undefined); // `status` tells; whoever wants to know more awaits it
  }

  get status(): SourceStatus {
    return this.#refusal ? 'offline' : this.#exchange.status;
  }

  listen(listener: SourceListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async request<K extends Kind>(kind: K, parameters: Requests[K]): Promise<Answer<K>> {
    if (this.#isDisposed) {
      throw new RequestError('The view was closed.', 'Closed');
    }
    if (kind === 'hello') {
      this.#replica = (parameters as Requests['hello']).replica;
      void this.#renew();
      return this.#greet() as Promise<Answer<typeof kind>>;
    }
    const answer = await this.#exchange.ask(this.view, this.job, kind, parameters);
    if (kind === 'points') {
      this.#note(parameters as Requests['points']);
    }
    return answer;
  }

  download(what: Download): string | null {
    return this.#ends.download(this.job, what);
  }

  dispose(): void {
    if (!this.#isDisposed) {
      this.#isDisposed = true;
      this.#listeners.clear();
      this.#exchange.tell({ kind: 'bye', job: this.job, view: this.view });
      this.#leave();
      this.#ends.release();
    }
  }

  opened(): void {
    void this.#renew();
  }

  changed(): void {
    if (!this.#refusal) {
      this.#tellStatus();
    }
  }

  push(push: AnyPush, buffers: ArrayBuffer[]): void {
    if (push.kind === 'jobs' || push.kind === 'run' || push.kind === 'run_changes') {
      return; // of the list of jobs, or of a view of a run
    }
    const isGap = this.#next !== null && push.seq !== this.#next && push.kind !== 'snapshot';
    this.#next = push.seq + 1;
    [...this.#listeners].forEach(listener => listener.push?.(push, buffers));
    if (isGap) {
      void this.#renew();
    }
  }

  /** Say hello; one that still waits for its answer is not said twice. */
  #greet(): Promise<Answer<'hello'>> {
    if (!this.#hello || this.#hello.replica !== this.#replica) {
      const parameters = this.#replica === undefined ? {} : { replica: this.#replica };
      const answer = this.#exchange.ask(this.view, this.job, 'hello', parameters);
      const hello = (this.#hello = { replica: this.#replica, answer });
      answer.then(
        () => this.#settled(hello, ''),
        (error: Error) => this.#settled(hello, error.message)
      );
    }
    return this.#hello.answer;
  }

  #settled(hello: Greeting, refusal: string): void {
    if (this.#hello === hello) {
      this.#hello = null;
      const was = this.#refusal;
      this.#refusal = refusal;
      if (was !== refusal) {
        this.#tellStatus();
      }
    }
  }

  /** Say hello again, and ask again for what was live until now. */
  async #renew(): Promise<void> {
    const live = [...this.#live];
    try {
      await this.#greet();
      await Promise.all(live.map(group => this.#renewPoints(group)));
    } catch {
      // the status tells of a refused hello; points that fail are asked for when their pane is shown again
    }
  }

  async #renewPoints(group: PointsNews['group']): Promise<void> {
    const { ok, buffers } = await this.#exchange.ask(this.view, this.job, 'points', { group, live: true });
    const news: Push = { kind: 'points', group, ...ok, seq: this.#next ?? 0 };
    [...this.#listeners].forEach(listener => listener.push?.(news, buffers));
  }

  #note({ group, live }: Requests['points']): void {
    if (live === true) {
      this.#live.add(group);
    } else if (live === false) {
      this.#live.delete(group);
    }
  }

  #tellStatus(): void {
    [...this.#listeners].forEach(listener => listener.status?.(this.status, this.#refusal || this.#exchange.message));
  }
}
