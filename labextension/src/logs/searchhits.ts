/**
 * Line numbers that a search has found: all hits of a stretch of the log, [from, to), in order. Pure.
 *
 * A log may have more hits than one answer brings. A stretch says what is known for certain, so what lies outside of it
 * is asked for and never guessed.
 */

/** What an answer to `search` has: all hits from where it was asked, up to `to`, the first line that is not known. */
export interface SearchHits {
  readonly from: number;
  readonly to: number;
  readonly numbers: Float64Array;
  readonly isMore: boolean; // the log goes on behind `to`, and there may be hits
}

export const NO_HITS: SearchHits = { from: 0, to: 0, numbers: new Float64Array(0), isMore: false };

/**
 * The hits of an answer to a search `after` this line. It may have ended because it was full or out of time; either way
 * one goes on at `to`. One that has come no further will not do so again.
 */
export function hitsOf(after: number, numbers: Float64Array, searched: number, isMore: boolean): SearchHits {
  const to = Math.max(after, searched, (numbers.at(-1) ?? -1) + 1);
  return { from: after, to, numbers, isMore: isMore && to > after };
}

/** `hits`, of which what lies behind `more.from` is replaced by `more`. */
export function extended(hits: SearchHits, more: SearchHits): SearchHits {
  const kept = hits.numbers.subarray(0, indexOf(hits, more.from));
  const numbers = new Float64Array(kept.length + more.numbers.length);
  numbers.set(kept);
  numbers.set(more.numbers, kept.length);
  return { from: hits.from, to: more.to, numbers, isMore: more.isMore };
}

/** The index of the first hit at or behind this line. */
export function indexOf({ numbers }: SearchHits, line: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < line) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** The first hit at or behind `line`. */
export function firstFrom(hits: SearchHits, line: number): number | null {
  return hits.numbers[indexOf(hits, line)] ?? null;
}

/** The last hit before `line`. */
export function lastBefore(hits: SearchHits, line: number): number | null {
  return hits.numbers[indexOf(hits, line) - 1] ?? null;
}
