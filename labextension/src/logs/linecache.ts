/**
 * The lines that a view holds: a bounded window cache over a log of any length. No DOM, no requests.
 *
 *   pushes  ── take ───►┌───────────┐◄── want(first, last)   what the list looks at
 *   answers ─ answer ──►│ LineCache │─── next() ───►         what to ask for now, or null
 *                       └───────────┘─── get(n) ───►         a line, or undefined: not here
 *
 * Rule 1: lines lie in pages; the pages that were looked at or filled longest ago go first, those in view never.
 * Rule 2: only lines that are wanted now are asked for, so a fast scroll leaves nothing queued behind it. Two requests
 *         are under way at most, none for lines that another one brings.
 * Rule 3: a finished line never changes: it is asked for once, and keeps its object, so that its row is not drawn anew.
 *         An unfinished one is replaced by pushes, and forgotten when the log has gone on and nobody said how it ended.
 * Rule 4: pushes tell how long the log is, not answers: a list that follows a flood would ask after its end for ever.
 * Rule 5: an answer may be shorter than what was asked: the rest is asked for again. One that brings nothing, or fails,
 *         stops the asking until something else is wanted or pushed, so no server can be made to spin.
 */

import type { LogWindow } from '../tokens.js';

export const PAGE = 200; // lines
const PAGES = 40;
const AT_ONCE = 2; // requests
const ASKED_PAGES = 5; // in one request
const MAX_LINE = 1_000; // characters, as the wire clips

export interface Line {
  readonly text: string;
  readonly time: number; // seconds, 0 where unknown
  readonly length: number; // characters of the whole line, more than `text` has where it was clipped
}

export interface LineRange {
  readonly start: number;
  readonly stop: number;
}

/** What a `LogWindow` says of lines, whatever numbers them. */
export type LineWindow = Omit<LogWindow, 'replica'>;

export class LineCache {
  /** Lines of the whole log, an unfinished last one included. */
  count = 0;
  /** Lines that will not change any more. */
  finished = 0;
  readonly #pages = new Map<number, (Line | undefined)[]>(); // the least recently seen first
  readonly #open = new Set<number>(); // lines kept as they were before they were finished
  #asked: LineRange[] = [];
  #wanted: LineRange = { start: 0, stop: 0 };
  #isStalled = false;

  get(number: number): Line | undefined {
    return this.#pages.get(Math.floor(number / PAGE))?.[number % PAGE];
  }

  /** Take in what was pushed: it is newer than all that is held. */
  take(lines: LineWindow): void {
    this.#isStalled = false;
    this.#store(lines, true);
  }

  /** Take in what came for `range`, which `next` gave. */
  answer(range: LineRange, lines: LineWindow): void {
    this.#asked = this.#asked.filter(other => other !== range);
    const stored = this.#store({ ...lines, count: this.count }, false);
    this.#isStalled = stored === 0 && this.#firstMissing(range) >= 0;
  }

  /** No answer came for `range`. */
  fail(range: LineRange): void {
    this.#asked = this.#asked.filter(other => other !== range);
    this.#isStalled = true;
  }

  /** Ask again for what did not come. */
  retry(): void {
    this.#isStalled = false;
  }

  /** From now on only lines [start, stop) matter. */
  want(start: number, stop: number): void {
    if (start === this.#wanted.start && stop === this.#wanted.stop) {
      return;
    }
    this.#wanted = { start, stop };
    this.#isStalled = false;
    for (let page = Math.floor(start / PAGE); page * PAGE < stop; page += 1) {
      this.#touch(page);
    }
  }

  /** The next lines to be asked for; the caller asks, and then calls `answer` or `fail`. */
  next(): LineRange | null {
    const first = this.#isStalled || this.#asked.length >= AT_ONCE ? -1 : this.#firstMissing(this.#wanted);
    if (first < 0) {
      return null;
    }
    // The whole page, since its other lines are likely to be looked at next, and missing pages behind it.
    const page = Math.floor(first / PAGE) * PAGE;
    let start = first;
    while (start > page && this.#isMissing(start - 1)) {
      start -= 1;
    }
    const end = Math.min(this.count, page + PAGE * this.#pagesBehind(page));
    let stop = first + 1;
    while (stop < end && this.#isMissing(stop)) {
      stop += 1;
    }
    // A single line would come whole, however long it is.
    const range = { start: stop - start === 1 && start > 0 ? start - 1 : start, stop };
    this.#asked.push(range);
    return range;
  }

  /** Forget all lines from `count` on: the log, or the selection of it that this holds, ends there. */
  cut(count: number): void {
    for (const [page, lines] of this.#pages) {
      lines.length = Math.max(0, Math.min(lines.length, count - page * PAGE));
    }
    [...this.#open].filter(number => number >= count).forEach(number => this.#open.delete(number));
    this.count = Math.min(this.count, count);
    this.finished = Math.min(this.finished, count);
  }

  /** The first line of `range` that is neither here nor under way, else -1. */
  #firstMissing(range: LineRange): number {
    const stop = Math.min(range.stop, this.count);
    for (let number = Math.max(0, range.start); number < stop; number += 1) {
      if (this.#isMissing(number)) {
        return number;
      }
    }
    return -1;
  }

  #isMissing(number: number): boolean {
    return this.get(number) === undefined && !this.#asked.some(({ start, stop }) => start <= number && number < stop);
  }

  /** How many pages, from the one that begins at `start`, are looked at and may come in one answer. */
  #pagesBehind(start: number): number {
    return Math.min(ASKED_PAGES, Math.max(1, Math.ceil((this.#wanted.stop - start) / PAGE)));
  }

  /** How many lines it had that were of use. */
  #store(lines: LineWindow, isPush: boolean): number {
    let stored = 0;
    this.count = Math.max(this.count, lines.count, lines.start + lines.lines.length);
    this.finished = Math.max(this.finished, lines.finished);
    lines.lines.forEach((text, index) => {
      const number = lines.start + index;
      const isFinal = number < lines.finished;
      const isOpen = this.#open.has(number);
      if (this.get(number) === undefined || (isOpen && (isFinal || isPush))) {
        this.#put(number, lineOf(lines, text, index), isFinal);
        stored += 1;
      }
    });
    [...this.#open].filter(number => number < this.finished).forEach(number => this.#forget(number));
    this.#evict();
    return stored;
  }

  #put(number: number, line: Line, isFinal: boolean): void {
    const page = Math.floor(number / PAGE);
    const lines = this.#pages.get(page) ?? [];
    lines[number % PAGE] = line;
    this.#pages.set(page, lines);
    if (isFinal) {
      this.#open.delete(number);
    } else {
      this.#open.add(number);
    }
  }

  #forget(number: number): void {
    this.#open.delete(number);
    const lines = this.#pages.get(Math.floor(number / PAGE));
    if (lines) {
      lines[number % PAGE] = undefined;
    }
  }

  #touch(page: number): void {
    const lines = this.#pages.get(page);
    if (lines) {
      this.#pages.delete(page);
      this.#pages.set(page, lines);
    }
  }

  #evict(): void {
    for (const page of this.#pages.keys()) {
      if (this.#pages.size <= PAGES) {
        return;
      }
      if ((page + 1) * PAGE <= this.#wanted.start || page * PAGE >= this.#wanted.stop) {
        this.#pages.delete(page);
      }
    }
  }
}

function lineOf(lines: LineWindow, whole: string, index: number): Line {
  const text = whole.length > MAX_LINE ? whole.slice(0, MAX_LINE).replace(/[\ud800-\udbff]$/, '') : whole;
  return { text, time: lines.times[index] ?? 0, length: lines.clipped[String(index)] ?? whole.length };
}
