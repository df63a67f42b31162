/**
 * Tell when runs have ended: one notification a run, and none for the job of each of its steps.
 *
 * Rule 1: a run is asked about once all of its jobs have ended that are known, until it has ended or has a job again:
 *   nothing is asked while it trains. What waits for long is asked about less and less.
 * Rule 2: only a run of which a job has ended on this page is asked about: what was over before is no news.
 */

import { Poll } from '@lumino/polling';

import { isTerminal } from '../events.js';
import type { JobRow } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { isOver } from '../run/status.js';
import type { RunHead, RunNews } from '../run/tokens.js';
import { RequestError } from '../wire/protocol.js';

const [SHORTEST, LONGEST] = [1_000, 30_000]; // milliseconds between two questions
const GROWTH = 1.5;

export class RunMonitor {
  readonly #rest: Pick<Rest, 'get'>;
  readonly #ended: (run: RunHead) => void;
  readonly #told = new Set<string>();
  readonly #open = new Set<string>(); // runs of which a job has ended, and that are not told yet
  readonly #poll: Poll;
  #resting: readonly string[] = []; // those of them of which no job goes on

  /** `ended` hears of each run once, when it has ended. */
  constructor(rest: Pick<Rest, 'get'>, ended: (run: RunHead) => void) {
    this.#rest = rest;
    this.#ended = ended;
    this.#poll = new Poll({
      name: 'pai-jupyter:run-ends',
      auto: false,
      standby: 'when-hidden',
      factory: () => this.#look()
    });
  }

  /** So the jobs stand now, of which these have just ended. */
  take(ended: readonly JobRow[], rows: ReadonlyMap<string, JobRow>): void {
    ended.forEach(({ run }) => run && !this.#told.has(run) && this.#open.add(run));
    const before = this.#resting;
    if (this.#open.size) {
      const going = new Set([...rows.values()].flatMap(({ run, status }) => (run && !isTerminal(status) ? [run] : [])));
      this.#resting = [...this.#open].filter(run => !going.has(run));
    }
    if (this.#resting.some(run => !before.includes(run))) {
      this.#pause(SHORTEST);
      void this.#poll.refresh();
    }
  }

  async #look(): Promise<void> {
    await Promise.all(this.#resting.map(run => this.#ask(run)));
    if (this.#resting.length) {
      this.#pause(Math.min(LONGEST, GROWTH * this.#poll.frequency.interval));
    } else {
      void this.#poll.stop();
    }
  }

  async #ask(run: string): Promise<void> {
    try {
      const { run: head } = await this.#rest.get<RunNews>(`runs/${encodeURIComponent(run)}`);
      if (isOver(head.status) && this.#forget(run)) {
        this.#ended(head);
      }
    } catch (error) {
      if (error instanceof RequestError && error.type === 'NotFoundError') {
        this.#forget(run); // its record was deleted
      }
    }
  }

  /** Ask no more about it; false where that is so already. */
  #forget(run: string): boolean {
    this.#told.add(run);
    this.#resting = this.#resting.filter(one => one !== run);
    return this.#open.delete(run);
  }

  #pause(interval: number): void {
    this.#poll.frequency = { interval, backoff: false, max: LONGEST };
  }
}
