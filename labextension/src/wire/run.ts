/**
 * A `RunSource` over an exchange: one view of a run, at this end of the wire.
 *
 * Rule 1: it watches from its making to its end, and asks to watch again whenever it may have missed something: after a
 *   gap in `seq`, after a lost connection. The other end then tells all anew.
 * Rule 2: the listener that is added in the turn in which the source is made hears every push.
 */

import type { RunListener, RunSource } from '../run/tokens.js';
import type { SourceStatus } from '../tokens.js';
import { type AnyPush, type Exchange, type Subscriber, randomId, RequestError } from './protocol.js';

export class WireRun implements RunSource, Subscriber {
  readonly view = randomId();
  /** The first `watch_run`; rejects where the run cannot be shown, e.g. with the type `NotFoundError`. */
  readonly greeted: Promise<void>;
  readonly #exchange: Exchange;
  readonly #release: () => void;
  readonly #listeners = new Set<RunListener>();
  readonly #leave: () => void;
  #open: readonly string[] = [];
  #watch: Promise<unknown> | null = null; // the request that still waits for its answer
  #next: number | null = null; // the `seq` that continues what was heard
  #refusal = '';
  #isDisposed = false;

  constructor(
    readonly run: string,
    exchange: Exchange,
    release: () => void
  ) {
    this.#exchange = exchange;
    this.#release = release;
    this.#leave = exchange.join(this);
    this.greeted = this.#ask().then(() => undefined);
    this.greeted.catch(() => undefined); // `status` tells; whoever wants to know more awaits it
  }

  get status(): SourceStatus {
    return this.#refusal ? 'offline' : this.#exchange.status;
  }

  get message(): string {
    return this.#refusal || this.#exchange.message;
  }

  listen(listener: RunListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  open(levels: readonly string[]): void {
    if (!this.#isDisposed && levels.join('\n') !== this.#open.join('\n')) {
      this.#open = levels;
      // Where it is refused the view is no more: whoever watches again says what is open by then.
      this.#exchange.ask(this.view, this.run, 'open_run', { open: [...levels] }).catch(() => undefined);
    }
  }

  dispose(): void {
    if (!this.#isDisposed) {
      this.#isDisposed = true;
      this.#listeners.clear();
      this.#exchange.tell({ kind: 'bye', job: this.run, view: this.view });
      this.#leave();
      this.#release();
    }
  }

  opened(): void {
    this.#renew();
  }

  changed(): void {
    if (!this.#refusal) {
      this.#tell();
    }
  }

  push(push: AnyPush): void {
    if (push.kind !== 'run' && push.kind !== 'run_changes') {
      return; // of a view of a job, or of the list of jobs
    }
    const isGap = push.kind !== 'run' && push.seq !== this.#next;
    this.#next = push.seq + 1;
    if (isGap) {
      this.#renew(); // and then it is told all anew
    } else {
      [...this.#listeners].forEach(listener => listener.push?.(push));
    }
  }

  #renew(): void {
    this.#ask().catch(() => undefined); // the status tells
  }

  /** Ask to watch; a request that still waits for its answer is not made twice. */
  #ask(): Promise<unknown> {
    if (!this.#watch) {
      const asked = this.#exchange.ask(
        this.view,
        this.run,
        'watch_run',
        this.#open.length ? { open: [...this.#open] } : {}
      );
      this.#watch = asked;
      asked.then(
        () => this.#settled(asked, ''),
        (error: unknown) => this.#settled(asked, error instanceof RequestError ? error.message : String(error))
      );
    }
    return this.#watch;
  }

  #settled(asked: object, refusal: string): void {
    if (this.#watch === asked) {
      this.#watch = null;
      const was = this.#refusal;
      this.#refusal = refusal;
      if (was !== refusal) {
        this.#tell();
      }
    }
  }

  #tell(): void {
    [...this.#listeners].forEach(listener => listener.status?.(this.status, this.message));
  }
}
