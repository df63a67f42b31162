/**
 * Values and metrics of the jobs of the table in one picture (`compare/parallel.ts`): of those that are selected, else
 * of all that match, up to `MOST`.
 *
 * Rule 1: it asks the server itself, for other columns and more lines than the grid has; only while it is seen.
 * Rule 2: another question is asked at once; what has changed meanwhile, every few seconds.
 */

import type { Trial } from '../compare/importance.js';
import { ParallelCoordinates } from '../compare/parallel.js';
import { numberOf } from '../events.js';
import { element, quiet, setText } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import type { JsonNumber, Say, Scalar } from '../tokens.js';
import { isSummary } from './cells.js';
import type { TableAnswer, TableAsked, TableColumn, TableLine } from './protocol.js';

export const MOST = 1_000; // jobs
const PAGE = 500; // lines of one answer
const MOST_COLUMNS = 100; // values, and metrics
const FEWEST_CHOSEN = 2; // one selected job is no selection for this
const PAUSE = 5_000; // milliseconds

/** What the table shows. */
export interface TrialsAsked {
  readonly text: string;
  readonly sort: string;
  readonly descending: boolean;
  readonly ids: readonly string[]; // of the selected jobs
  readonly columns: readonly TableColumn[]; // all there are
  readonly version: string; // of what the server has told
}

export class TrialsPane {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #ask: (body: TableAsked) => Promise<TableAnswer>;
  readonly #coordinates: ParallelCoordinates;
  readonly #note = quiet('');
  #asked: TrialsAsked | null = null;
  #known = ''; // the question that is answered
  #version = '';
  #isBusy = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(say: Say, ask: (body: TableAsked) => Promise<TableAnswer>) {
    this.#say = say;
    this.#ask = ask;
    this.#coordinates = new ParallelCoordinates(say);
    this.#note.setAttribute('role', 'status');
    this.element = element('div', { class: 'pj-Table-trials' }, this.#note, this.#coordinates.element);
    this.element.hidden = this.#coordinates.element.hidden = true;
  }

  show(isShown: boolean): void {
    this.element.hidden = !isShown;
    this.#look();
  }

  /** The table shows this now. */
  update(asked: TrialsAsked): void {
    this.#asked = asked;
    this.#look();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#asked = null;
  }

  /** Ask now, or later, or not at all. */
  #look(): void {
    const asked = this.#asked;
    if (this.element.hidden || !asked || this.#isBusy || asked.columns.length === 0) {
      return;
    }
    if (questionOf(asked) !== this.#known) {
      void this.#load(asked);
    } else if (asked.version !== this.#version) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#known = '';
        this.#look();
      }, PAUSE);
    }
  }

  async #load(asked: TrialsAsked): Promise<void> {
    this.#isBusy = true;
    this.#known = questionOf(asked);
    this.#version = asked.version;
    try {
      const keys = keysOf(asked.columns);
      const { lines, jobs } = await this.#lines(asked, keys);
      if (this.#asked) {
        this.#coordinates.show(trialsOf(lines, keys));
        setText(this.#note, this.#told(asked, lines.length, jobs));
      }
    } catch (error) {
      setText(this.#note, errorText(error));
    }
    this.#isBusy = false;
    this.#look();
  }

  async #lines(asked: TrialsAsked, columns: readonly string[]): Promise<{ lines: TableLine[]; jobs: number }> {
    const { text, sort, descending } = asked;
    const chosen = chosenOf(asked);
    const found: TableLine[] = [];
    for (let start = 0; start < MOST; start += PAGE) {
      const ids = chosen.slice(start, start + PAGE);
      const part = chosen.length ? { ids: [...ids] } : { text, start };
      const { lines = [], jobs = 0 } = await this.#ask({
        ...part,
        sort,
        descending,
        columns: [...columns],
        limit: PAGE
      });
      found.push(...lines);
      const total = chosen.length || jobs;
      if (start + PAGE >= total || start + PAGE >= MOST) {
        return { lines: found, jobs: total };
      }
    }
    return { lines: found, jobs: found.length };
  }

  #told(asked: TrialsAsked, count: number, jobs: number): string {
    if (this.#coordinates.element.hidden) {
      return this.#say('Jobs that differ in a value and have a metric are needed.');
    }
    if (chosenOf(asked).length) {
      return this.#say('{count} selected jobs', { count });
    }
    return count < jobs
      ? this.#say('The first {count} of {jobs} jobs. Select jobs to see these alone.', { count, jobs })
      : this.#say('{count} jobs', { count });
  }
}

function chosenOf({ ids }: TrialsAsked): readonly string[] {
  return ids.length < FEWEST_CHOSEN ? [] : ids.slice(0, MOST);
}

function questionOf(asked: TrialsAsked): string {
  const { text, sort, descending, columns } = asked;
  const chosen = chosenOf(asked);
  return JSON.stringify([chosen.length ? chosen : text, sort, descending, keysOf(columns)]);
}

/** The columns of values, and those of the last numbers of metrics. */
export function keysOf(columns: readonly TableColumn[]): string[] {
  const keys = columns.map(({ key }) => key);
  return ['value:', 'last:'].flatMap(kind => keys.filter(key => key.startsWith(kind)).slice(0, MOST_COLUMNS));
}

/** The jobs of these lines, whose cells are those of the columns `keys`. */
export function trialsOf(lines: readonly TableLine[], keys: readonly string[]): Trial[] {
  return lines
    .filter(({ id }) => id !== undefined)
    .map(({ id, name, cells }) => {
      const known = keys.flatMap((key, at): [string, Scalar][] => {
        const cell = cells[at];
        return cell === null || cell === undefined || isSummary(cell) ? [] : [[key, cell]];
      });
      const named = (kind: string): [string, Scalar][] =>
        known.filter(([key]) => key.startsWith(kind)).map(([key, cell]) => [key.slice(kind.length), cell]);
      return {
        name: name ?? id ?? '',
        values: Object.fromEntries(named('value:')),
        metrics: Object.fromEntries(named('last:').map(([metric, cell]) => [metric, numberOf(cell as JsonNumber)]))
      };
    });
}
