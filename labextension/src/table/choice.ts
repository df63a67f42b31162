/**
 * Which jobs of the table are chosen. Of jobs that are out of sight it keeps what actions need to know of them.
 */

import type { JobRow } from '../panel/protocol.js';
import type { Status } from '../tokens.js';
import type { TableLine } from './protocol.js';

export const MOST_CHOSEN = 500; // in one range: as many lines as an answer may have

export class RowChoice {
  readonly #chosen = new Map<string, JobRow>();
  readonly #valuesOf: (line: TableLine) => readonly string[];
  anchor = -1; // the line at which a range begins

  /** `valuesOf` gives what tells a job from others of its name, `lr=0.3`, as far as the line has it. */
  constructor(valuesOf: (line: TableLine) => readonly string[] = () => []) {
    this.#valuesOf = valuesOf;
  }

  get rows(): readonly JobRow[] {
    return [...this.#chosen.values()];
  }

  has(line: TableLine | undefined): boolean {
    return line?.id !== undefined && this.#chosen.has(line.id);
  }

  /** Choose this job alone, or with `isMore` this one too, or not any more. */
  press(line: TableLine, isMore: boolean): void {
    if (line.id === undefined) {
      return;
    }
    if (!isMore) {
      this.#chosen.clear();
    }
    if (!this.#chosen.delete(line.id)) {
      this.add([line]);
    }
  }

  /** Choose these lines, and no others. */
  only(lines: readonly TableLine[]): void {
    this.#chosen.clear();
    this.add(lines);
  }

  add(lines: readonly TableLine[]): void {
    for (const line of lines) {
      if (line.id !== undefined) {
        this.#chosen.set(line.id, { ...rowOf(line.id, line), values: [...this.#valuesOf(line)] });
      }
    }
  }

  /** Jobs that are drawn anew may have ended since they were chosen. */
  update(line: TableLine): void {
    if (this.has(line)) {
      this.add([line]);
    }
  }

  none(): void {
    this.#chosen.clear();
  }

  /** These have a star now, or none any more; those out of sight are not drawn anew. */
  star(ids: readonly string[], isStarred: boolean): void {
    for (const id of ids) {
      const row = this.#chosen.get(id);
      if (row) {
        this.#chosen.set(id, { ...row, is_starred: isStarred });
      }
    }
  }

  /** Keep these alone: no filter hides them; true where one was dropped. */
  keep(ids: ReadonlySet<string>): boolean {
    const others = [...this.#chosen.keys()].filter(id => !ids.has(id));
    this.drop(others);
    return others.length > 0;
  }

  /** Forget these: they were deleted. */
  drop(ids: readonly string[]): void {
    ids.forEach(id => this.#chosen.delete(id));
  }
}

/** The row of a job as far as actions look at it. */
function rowOf(id: string, line: TableLine): JobRow {
  const { name = '', status, is_here = true, is_starred = false, tags = [] } = line;
  return {
    id,
    name,
    status: status ?? ('unknown' satisfies Status),
    is_here,
    is_starred,
    tags,
    backend: '',
    place: '',
    notebook: null,
    created: 0,
    started: null,
    ended: null,
    progress: null,
    metric: null,
    url: '',
    trouble: ''
  };
}
