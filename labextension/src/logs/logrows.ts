/**
 * Rows for the list: the whole log, or a selection of its lines, brought from the source as they are looked at.
 */

import { errorText } from '../parts/loading.js';
import { plainText } from './ansi.js';
import { type Line, LineCache, type LineWindow, type LineRange } from './linecache.js';

const AT_ONCE = 1_000; // lines of a text

/** What a list shows. Rows count from 0. */
export interface RowSource {
  readonly count: number;
  /** The line in this row, undefined while it is not here. */
  line(row: number): Line | undefined;
  /** Rows [start, stop) are looked at, or will be soon. */
  want(start: number, stop: number): void;
}

/** Which line of the log a row is, and in which row, or before which, a line stands. */
export interface Numbering {
  number(row: number): number;
  row(number: number): number;
}

export const EVERY_LINE: Numbering = { number: row => row, row: number => number };

export class LogRows implements RowSource {
  readonly cache = new LineCache();
  /** Why lines do not come, as a sentence; '' while they do. */
  problem = '';
  /** The line in the first row; those before it are not kept. */
  first = 0;
  readonly #bring: (rows: LineRange) => Promise<LineWindow>;
  readonly #changed: () => void;
  #isOver = false;

  /** `bring` asks the source for rows; `changed` is called whenever some have come, or failed to. */
  constructor(
    bring: (rows: LineRange) => Promise<LineWindow>,
    changed: () => void,
    readonly numbering: Numbering = EVERY_LINE
  ) {
    this.#bring = bring;
    this.#changed = changed;
  }

  get count(): number {
    return Math.max(0, this.cache.count - this.first);
  }

  line(row: number): Line | undefined {
    return this.cache.get(row + this.first);
  }

  want(start: number, stop: number): void {
    this.cache.want(start + this.first, stop + this.first);
    this.#pump();
  }

  /** Ask again for what did not come. */
  retry(): void {
    this.cache.retry();
    this.#pump();
  }

  /** The text of rows [start, stop), as it is read. */
  async text(start: number, stop: number): Promise<string> {
    const texts: string[] = [];
    const last = Math.min(stop, this.count) + this.first;
    for (let next = start + this.first; next < last;) {
      const { lines } = await this.#bring({ start: next, stop: Math.min(last, next + AT_ONCE) });
      texts.push(...lines.map(plainText));
      next += lines.length || Infinity; // one that brings nothing has no more
    }
    return texts.join('\n');
  }

  /** What comes from now on is for nobody. */
  dispose(): void {
    this.#isOver = true;
  }

  #pump(): void {
    for (let rows = this.cache.next(); rows !== null && !this.#isOver; rows = this.cache.next()) {
      void this.#fetch(rows);
    }
  }

  async #fetch(rows: LineRange): Promise<void> {
    try {
      this.cache.answer(rows, await this.#bring(rows));
      this.problem = '';
    } catch (error) {
      this.cache.fail(rows);
      this.problem = errorText(error);
    }
    if (!this.#isOver) {
      this.#changed();
      this.#pump();
    }
  }
}
