/**
 * The lines of a log at some level or above, as rows: the server finds their numbers, and the lines come as they are
 * looked at.
 */

import { errorText } from '../parts/loading.js';
import { LogRows } from './logrows.js';
import { extended, type SearchHits, indexOf, NO_HITS } from './searchhits.js';
import type { LineWindow } from './linecache.js';

const MOST = 1_000_000; // numbers, 8 MB
const AT_ONCE = 500; // lines that may be asked for by their numbers

export class LevelFilter {
  /** The lines that are in it, by their numbers. */
  hits: SearchHits = NO_HITS;
  problem = '';
  readonly feed: LogRows;
  readonly #ask: (after: number) => Promise<SearchHits>;
  readonly #changed: () => void;
  #isBusy = false;
  #isOver = false;

  /** `ask` searches from a line on, `bring` gets the lines with these numbers. */
  constructor(
    ask: (after: number) => Promise<SearchHits>,
    bring: (numbers: number[]) => Promise<LineWindow>,
    changed: () => void
  ) {
    this.#ask = ask;
    this.#changed = changed;
    const numbering = {
      number: (row: number) => this.hits.numbers[row] ?? 0,
      row: (number: number) => indexOf(this.hits, number)
    };
    this.feed = new LogRows(
      async ({ start, stop }) => {
        const lines = await bring(Array.from(this.hits.numbers.subarray(start, Math.min(stop, start + AT_ONCE))));
        return { ...lines, start, count: this.feed.count, finished: this.feed.count };
      },
      changed,
      numbering
    );
  }

  /** Look at what is new in the log; its lines from `finished` on may still change, and are looked at again. */
  async refresh(finished: number): Promise<void> {
    if (this.#isBusy) {
      return;
    }
    this.#isBusy = true;
    try {
      let isMore = await this.#extend(Math.min(this.hits.to, finished));
      while (isMore && !this.#isOver) {
        isMore = await this.#extend(this.hits.to);
      }
      this.problem = '';
    } catch (error) {
      this.problem = errorText(error);
    }
    this.#isBusy = false;
    this.#changed();
  }

  dispose(): void {
    this.#isOver = true;
    this.feed.dispose();
  }

  async #extend(after: number): Promise<boolean> {
    if (this.hits.numbers.length >= MOST) {
      return false;
    }
    const more = await this.#ask(after);
    const kept = indexOf(this.hits, more.from);
    this.hits = extended(this.hits, more);
    const count = this.hits.numbers.length;
    this.feed.cache.cut(kept);
    this.feed.cache.take({ start: count, lines: [], times: [], clipped: {}, count, finished: count });
    if (!this.#isOver) {
      this.#changed();
    }
    return more.isMore;
  }
}
