/**
 * The log of one replica as the pane looks at it: its lines, the search in it, and the level its rows are limited to.
 */

import { wholeLine } from '../parts/download.js';
import type { JobSource, Level, LogWindow } from '../tokens.js';
import type { LineRange } from './linecache.js';
import { LogRows } from './logrows.js';
import { LevelFilter } from './filter.js';
import { type SearchHits, hitsOf } from './searchhits.js';
import type { LogQuery } from './highlight.js';
import { LIMIT, LogSearch, type SearchQuery } from './search.js';

/** The name under which the server gives the last lines of all replicas. */
export const ALL = '*';

export class ReplicaLog {
  readonly search: LogSearch;
  readonly #source: JobSource;
  readonly #changed: () => void;
  readonly #whole: LogRows;
  #filter: LevelFilter | null = null;

  constructor(
    source: JobSource,
    readonly replica: string,
    count: number,
    changed: () => void
  ) {
    this.#source = source;
    this.#changed = changed;
    const numbering = { number: (row: number) => row + this.first, row: (number: number) => number - this.first };
    const bring = async (rows: LineRange) => (await source.request('lines', { replica, ...rows })).ok;
    this.#whole = new LogRows(bring, changed, numbering);
    this.#learn(count);
    this.search = new LogSearch((wanted, after) => this.#find(wanted, after), changed);
  }

  /** What the list shows. */
  get rows(): LogRows {
    return this.#filter?.feed ?? this.#whole;
  }

  /** Lines of the whole log. */
  get count(): number {
    return this.#whole.count;
  }

  /** The oldest line that is kept. */
  get first(): number {
    return this.#whole.first;
  }

  /** Are there rows that the level's own limit leaves out? */
  get isCut(): boolean {
    return this.#filter?.hits.isMore ?? false;
  }

  get problem(): string {
    return this.rows.problem || (this.#filter?.problem ?? '');
  }

  /** When the last line came, in seconds; 0 where that is not known. */
  get lastTime(): number {
    return this.#whole.line(this.count - 1)?.time ?? 0;
  }

  get lastText(): string {
    return this.#whole.line(this.count - 1)?.text ?? '';
  }

  /** Take in a window that was pushed; with `isNew` it says how the log is now, whatever was known before. */
  take(tail: LogWindow, isNew: boolean): void {
    if (isNew) {
      this.#whole.cache.cut(this.replica === ALL ? 0 : tail.count); // the lines of all may be numbered anew
    }
    this.#whole.cache.take(tail);
    this.#whole.first = tail.first ?? 0;
  }

  /** The line with this number, whole. */
  wholeLine(number: number): Promise<string> {
    return wholeLine(this.#source, this.replica, number);
  }

  /** Show only the lines at this level or above; null shows all. */
  setLevel(level: Level | null): Promise<void> {
    this.#filter?.dispose();
    this.#filter = level && this.#filterOf(level);
    return this.#filter?.refresh(0) ?? Promise.resolve();
  }

  setQuery(query: LogQuery | null, level: Level | null): Promise<void> {
    return this.search.set(query && { ...query, level });
  }

  /** The log has grown: so may what was found in it. */
  refresh(): void {
    const { finished } = this.#whole.cache;
    void this.search.refresh(finished);
    void this.#filter?.refresh(finished);
  }

  /** Ask again for what did not come. */
  retry(): void {
    this.rows.retry();
    this.refresh();
  }

  dispose(): void {
    this.#whole.dispose();
    this.#filter?.dispose();
    void this.search.set(null);
  }

  /** The log has so many lines at least. */
  #learn(count: number): void {
    this.#whole.cache.take({ start: count, lines: [], times: [], clipped: {}, count, finished: 0 });
  }

  #filterOf(level: Level): LevelFilter {
    const wanted: SearchQuery = { pattern: '', regex: false, ignoreCase: false, level };
    return new LevelFilter(
      after => this.#find(wanted, after),
      async numbers => (await this.#source.request('lines', { replica: this.replica, numbers })).ok,
      this.#changed
    );
  }

  async #find({ pattern, regex, ignoreCase, level }: SearchQuery, after: number): Promise<SearchHits> {
    const { ok, buffers } = await this.#source.request('search', {
      replica: this.replica,
      pattern,
      regex,
      ignore_case: ignoreCase,
      after,
      limit: LIMIT,
      ...(level ? { level } : {})
    });
    this.#learn(ok.searched); // the server may have seen lines of which no push has told yet
    const numbers = new Float64Array(buffers[0] ?? new ArrayBuffer(0));
    return hitsOf(after, numbers, ok.searched, ok.is_more);
  }
}
