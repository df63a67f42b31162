/**
 * The search over the whole log: which hits there are, and the next one from any line, in both directions.
 *
 *   off ──set──► searching ──► found ──refresh (the log has grown)──► found
 *                    └───────► failed: `problem` says why
 *
 * Rule 1: the server searches; only numbers of lines come here, at most `LIMIT` at a time.
 * Rule 2: whoever changes the search wants only the new one: answers to an older one are dropped.
 * Rule 3: "k of n" counts from the log's beginning. Where there are more than `LIMIT` hits, n is "100,000+", and hits
 *         behind are found by asking from there on.
 * Rule 4: an answer may stop before the log's end, full or out of time; the search goes on from where it stopped.
 */

import { errorText } from '../parts/loading.js';
import type { Level } from '../tokens.js';
import { extended, firstFrom, type SearchHits, indexOf, lastBefore, NO_HITS } from './searchhits.js';
import type { LogQuery } from './highlight.js';

export const LIMIT = 100_000;

export interface SearchQuery extends LogQuery {
  readonly level: Level | null;
}

/** Ask the source for the hits `after` this line, at most `LIMIT`. */
export type Ask = (wanted: SearchQuery, after: number) => Promise<SearchHits>;

export class LogSearch {
  state: 'off' | 'searching' | 'found' | 'failed' = 'off';
  wanted: SearchQuery | null = null;
  problem = '';
  /** The hits from the log's beginning. */
  hits = NO_HITS;
  /** The line of the hit that was stepped to. */
  current: number | null = null;
  readonly #ask: Ask;
  readonly #changed: () => void;
  readonly #limit: number;
  #away: SearchHits = NO_HITS; // a stretch behind `hits`, where the last step led
  #generation = 0;
  #isRefreshing = false;

  /** `limit` is how many hits are counted, and how many an answer has at most. */
  constructor(ask: Ask, changed: () => void, limit = LIMIT) {
    this.#ask = ask;
    this.#changed = changed;
    this.#limit = limit;
  }

  /** Search for this from now on; null ends the search. Resolves when its first hits are known. */
  async set(wanted: SearchQuery | null): Promise<void> {
    this.#generation += 1;
    Object.assign(this, { wanted, problem: '', hits: NO_HITS, current: null });
    this.#away = NO_HITS;
    this.state = wanted ? 'searching' : 'off';
    this.#changed();
    const generation = this.#generation;
    let more = await this.#load(0);
    while (generation === this.#generation && wanted) {
      this.hits = extended(this.hits, more ?? NO_HITS);
      const isWhole = !more?.isMore || this.hits.numbers.length >= this.#limit;
      this.state = more ? (isWhole ? 'found' : 'searching') : 'failed';
      this.#changed();
      if (isWhole) {
        return;
      }
      more = await this.#load(this.hits.to);
    }
  }

  /** The log has grown: look at what is new. Lines from `finished` on may still change, and are looked at again. */
  async refresh(finished: number): Promise<void> {
    if (this.state !== 'found' || this.hits.isMore || this.#isRefreshing) {
      return;
    }
    this.#isRefreshing = true;
    const more = await this.#load(Math.min(this.hits.to, finished));
    this.#isRefreshing = false;
    if (more) {
      this.hits = extended(this.hits, more);
      this.#changed();
    }
  }

  /** Step to the first hit at or behind `line`, from the log's beginning again where there is none. */
  async forward(line: number): Promise<number | null> {
    const known = [this.hits, this.#away].find(({ from, to }) => from <= line && line < to);
    let hit = known ? firstFrom(known, line) : null;
    let from = Math.max(line, this.hits.to);
    for (let isMore = this.hits.isMore; hit === null && isMore;) {
      const stretch = await this.#loadAway(from);
      hit = firstFrom(stretch, line);
      [from, isMore] = [stretch.to, stretch.isMore];
    }
    return this.#stepTo(hit ?? firstFrom(this.hits, 0));
  }

  /** Step to the last hit before `line`, from the log's end (it has `count` lines) again where there is none. */
  async backward(line: number, count: number): Promise<number | null> {
    return this.#stepTo((await this.#lastBefore(line)) ?? (await this.#lastBefore(count)));
  }

  /** Which of the hits the current one is, from 1; 0 where that is not known. */
  get position(): number {
    return this.current !== null && this.current < this.hits.to ? indexOf(this.hits, this.current) + 1 : 0;
  }

  #stepTo(line: number | null): number | null {
    this.current = line;
    this.#changed();
    return line;
  }

  async #lastBefore(line: number): Promise<number | null> {
    const known = [this.hits, this.#away].find(({ from, to }) => from < line && line <= to);
    let hit = known ? lastBefore(known, line) : null;
    // Behind `hits` it goes back by stretches, ever longer ones, each of which may take several answers.
    let from = line;
    for (let reach = this.#limit; hit === null && this.hits.isMore && from > this.hits.to; reach *= 8) {
      from = Math.max(this.hits.to, line - reach);
      let stretch = await this.#loadAway(from);
      hit = lastBefore(stretch, line);
      while (stretch.isMore && stretch.to < line) {
        stretch = await this.#loadAway(stretch.to);
        hit = lastBefore(stretch, line) ?? hit;
      }
    }
    return hit ?? lastBefore(this.hits, line);
  }

  async #loadAway(after: number): Promise<SearchHits> {
    this.#away = (await this.#load(after)) ?? NO_HITS;
    return this.#away;
  }

  /** The hits from `after` on; null where there is no search any more, or another one, or it failed. */
  async #load(after: number): Promise<SearchHits | null> {
    const { wanted } = this;
    const generation = this.#generation;
    let hits: SearchHits | null = null;
    let problem = '';
    try {
      hits = wanted && (await this.#ask(wanted, after));
    } catch (error) {
      problem = errorText(error);
    }
    if (generation !== this.#generation) {
      return null;
    }
    this.problem = problem;
    return hits;
  }
}
