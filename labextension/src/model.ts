/**
 * What a view knows of its job: a snapshot, and all pushes since folded into it.
 *
 * Rule 1: a snapshot replaces everything; it needs nothing that came before.
 * Rule 2: the clock is that of the machine that keeps the job, carried on by this one's monotonic clock: a browser with
 *   a wrong date, or one that is set while the job runs, shows the right durations.
 */

import { apply, initialState } from './events.js';
import type { Failure, JobFacts, JobModel, JobStateJson, Push, StateNews } from './tokens.js';

export class PushedModel implements JobModel {
  job: JobFacts | null = null;
  state: JobStateJson = initialState();
  failure: Failure | null = null;
  counts: Readonly<Record<string, number>> = {};
  readonly #clock: () => number;
  #ahead: number; // seconds by which the job's clock is ahead of the monotonic one

  /** `clock` counts seconds from anywhere, and never back. */
  constructor(clock: () => number = () => performance.now() / 1000) {
    this.#clock = clock;
    this.#ahead = Date.now() / 1000 - clock();
  }

  now(): number {
    return this.#clock() + this.#ahead;
  }

  /** Take in what was pushed. */
  push(push: Push): void {
    if ('now' in push) {
      this.#ahead = push.now - this.#clock();
    }
    switch (push.kind) {
      case 'snapshot':
        ({ job: this.job, state: this.state, failure: this.failure, counts: this.counts } = push);
        break;
      case 'state':
        this.#fold(push);
        break;
      case 'tail':
        this.counts = { ...this.counts, ...push.counts };
        break;
      case 'points': // series are kept by the panes that draw them
        break;
    }
  }

  #fold(news: StateNews): void {
    this.state = (news.events ?? []).reduce(apply, news.state ?? this.state);
    this.failure = news.failure ?? this.failure;
    this.job = this.job && { ...this.job, ...news.labels };
  }
}
