/**
 * The lines of the table as far as the server has been asked for them: a window around what is in sight.
 *
 * Rule 1: one request at a time; what is in sight when it is answered is asked for next. So the scrollbar may be pulled
 *   as fast as one likes.
 * Rule 2: what is known stays while it is asked for anew; the first answer to another question replaces all of it.
 * Rule 3: whether anything has changed is asked every few seconds while the table is seen, and costs the server little.
 *   In between, lines are of the version that is known: the server need not look for changes to sort or to scroll.
 */

import { errorText } from '../parts/loading.js';
import type { TableAnswer, TableAsked, TableColumn, TableLine } from './protocol.js';

const PAGE = 100; // lines
const MOST_PAGES = 3; // of one request
const MOST_KEPT = 30;
const [MOST_NAMED, MOST_LINES] = [100, 500]; // ids in a question, and lines of an answer
const PAUSE = 2_000; // milliseconds

export type Question = Pick<TableAsked, 'text' | 'sort' | 'descending' | 'columns' | 'group' | 'opened'>;

export class TableLines {
  count = 0; // lines
  jobs = 0; // that match
  total = 0; // all jobs
  problem = ''; // of the filter
  trouble = ''; // why the server does not answer
  columns: readonly TableColumn[] = [];
  isKnown = false; // an answer has come
  /** The question that the lines answer: its columns are those of their cells. */
  answered: Question | null = null;
  readonly #ask: (body: TableAsked) => Promise<TableAnswer>;
  readonly #changed: () => void;
  #question: Question;
  #pages = new Map<number, readonly TableLine[]>();
  #wanted: readonly [first: number, last: number] = [0, PAGE];
  #version = '';
  #shape = '';
  #isStale = true; // what is known does not answer the question, or has changed
  #hasChanged = true; // what is known may be another than the server has by now
  #isBusy = false;
  #isEnded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `changed` hears of every answer. */
  constructor(question: Question, ask: (body: TableAsked) => Promise<TableAnswer>, changed: () => void) {
    this.#question = question;
    this.#ask = ask;
    this.#changed = changed;
  }

  /** Another word wherever the jobs are others than before. */
  get version(): string {
    return this.#version;
  }

  /** The line at this place, if it is known. */
  at(place: number): TableLine | undefined {
    return this.#pages.get(Math.floor(place / PAGE))?.[place % PAGE];
  }

  /** Ask this from now on. */
  select(question: Question): void {
    if (JSON.stringify(question) !== JSON.stringify(this.#question)) {
      this.#question = question;
      this.#isStale = true;
      void this.#load();
    }
  }

  /** These lines are in sight. */
  want(first: number, last: number): void {
    this.#wanted = [first, last];
    void this.#load();
  }

  /** Look now whether something has changed. */
  refresh(): void {
    this.#isStale = this.#hasChanged = true;
    void this.#load();
  }

  /** Ask every few seconds, or no more. */
  watch(isWatched: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (isWatched && !this.#isEnded) {
      void this.#load();
      this.#timer = setTimeout(() => void this.#poll(), PAUSE);
    }
  }

  /** Lines from `first` up to `last`, asked for where they are not known, for a selection of many. */
  async range(first: number, last: number): Promise<readonly TableLine[]> {
    const { lines = [] } = await this.#ask({ ...this.#question, columns: [], start: first, limit: last - first });
    return lines;
  }

  /** Which of these jobs fit the filter, in a group or not. */
  async fitting(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { text, sort } = this.#question;
    const found = new Set<string>();
    for (let at = 0; at < ids.length; at += MOST_NAMED) {
      const some = ids.slice(at, at + MOST_NAMED);
      const asked = { text: `id:${some.join(',')} ${text ?? ''}`, sort: sort ?? '', columns: [], limit: MOST_LINES };
      const { lines = [] } = await this.#ask(asked);
      lines.forEach(({ id }) => id !== undefined && found.add(id));
    }
    return found;
  }

  dispose(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    if (!this.#isBusy) {
      try {
        const { lines } = await this.#ask({ ...this.#question, columns: [], limit: 1, version: this.#version });
        this.#hasChanged ||= lines !== undefined || this.trouble !== '';
      } catch {
        this.#hasChanged = true; // and what is asked next says why
      }
      this.#isStale ||= this.#hasChanged;
      await this.#load();
    }
    if (this.#timer !== undefined && !this.#isEnded) {
      this.#timer = setTimeout(() => void this.#poll(), PAUSE);
    }
  }

  async #load(): Promise<void> {
    const pages = this.#missing();
    if (this.#isBusy || this.#isEnded || !pages) {
      return;
    }
    this.#isBusy = true;
    const [question, wasStale] = [this.#question, this.#isStale];
    const enough = this.#hasChanged || !this.#version ? {} : { of_version: this.#version };
    this.#isStale = this.#hasChanged = false;
    const [start, limit] = [pages[0] * PAGE, (pages[1] - pages[0]) * PAGE];
    try {
      const shape = this.#shape ? { shape: this.#shape } : {};
      const answer = await this.#ask({ ...question, ...shape, ...enough, start, limit });
      this.trouble = '';
      this.#take(question, answer, pages, wasStale);
    } catch (error) {
      this.trouble = errorText(error);
    }
    this.#isBusy = false;
    if (!this.#isEnded) {
      this.#changed();
      if (!this.trouble) {
        await this.#load();
      }
    }
  }

  #take(question: Question, answer: TableAnswer, [first, last]: readonly [number, number], isNew: boolean): void {
    const { lines = [], count = 0, jobs = 0, total = 0, problem = '', columns, shape = '' } = answer;
    if (isNew || answer.version !== this.#version || this.#pages.size > MOST_KEPT) {
      this.#pages = new Map();
    }
    for (let page = first; page < last; page += 1) {
      const from = (page - first) * PAGE;
      this.#pages.set(page, lines.slice(from, from + PAGE));
    }
    Object.assign(this, { count, jobs, total, problem, answered: question, isKnown: true });
    this.columns = columns ?? this.columns;
    this.#shape = shape;
    this.#version = answer.version;
  }

  /** The pages to ask for next, from the first up to the last; null where nothing is missing. */
  #missing(): readonly [number, number] | null {
    const [first, last] = this.#wanted;
    const most = this.isKnown && !this.#isStale ? this.count : Infinity;
    const [from, to] = [Math.floor(first / PAGE), Math.max(1, Math.ceil(Math.min(last, most) / PAGE))];
    const pages = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
    const missing = this.#isStale ? pages : pages.filter(page => !this.#pages.has(page));
    const [start] = missing;
    const end = missing.at(-1);
    return start === undefined || end === undefined ? null : [start, Math.min(end + 1, start + MOST_PAGES)];
  }
}
