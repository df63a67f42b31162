/**
 * The course of a metric as a line as small as a word, and the asking for those that are in sight.
 *
 * Rule 1: only what is in sight is asked for, in one question for all of it, and never a second one before the first is
 *   answered and `PAUSE` has passed.
 * Rule 2: a course is asked for again when the row tells another value.
 */

import type { JobList, Spark } from './list.js';
import type { JobRow } from './protocol.js';

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 48; // pixels
const HEIGHT = 14;
const PAUSE = 2_000; // milliseconds
const PAUSE_AFTER_TROUBLE = 15_000;
const MAX_KEPT = 500;

export class Sparkline {
  readonly element = document.createElementNS(SVG, 'svg');
  readonly #path = document.createElementNS(SVG, 'path');
  #drawn: Spark | undefined;

  constructor() {
    this.element.setAttribute('class', 'pj-Panel-spark');
    this.element.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
    this.element.append(this.#path);
  }

  draw(spark: Spark | undefined): void {
    if (spark !== this.#drawn) {
      this.#drawn = spark;
      this.#path.setAttribute('d', sparklinePath(spark?.values ?? []));
    }
  }
}

/** The line through these values, from edge to edge; what is no number is a gap. */
export function sparklinePath(values: ArrayLike<number>): string {
  const all = Array.from(values);
  const known = all.filter(Number.isFinite);
  const low = Math.min(...known);
  const range = Math.max(...known) - low;
  let isOpen = false;
  return all
    .map((value, at) => {
      const command = isOpen ? 'L' : 'M';
      isOpen = Number.isFinite(value);
      const x = 1 + ((WIDTH - 2) * at) / Math.max(1, all.length - 1);
      const y = range > 0 ? 1 + (HEIGHT - 2) * (1 - (value - low) / range) : HEIGHT / 2;
      return isOpen ? `${command}${x.toFixed(1)} ${y.toFixed(1)}` : '';
    })
    .join('');
}

export class SparklineLoader {
  readonly #list: JobList;
  readonly #came: () => void;
  readonly #known = new Map<string, { readonly of: string; readonly spark: Spark | undefined }>();
  #wanted: readonly JobRow[] = [];
  #isAsking = false;
  #isOver = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `came` is called when there are new ones. */
  constructor(list: JobList, came: () => void) {
    this.#list = list;
    this.#came = came;
  }

  of(id: string): Spark | undefined {
    return this.#known.get(id)?.spark;
  }

  /** These rows are in sight; none, when the list is not shown. */
  want(rows: readonly JobRow[]): void {
    this.#wanted = rows;
    if (!this.#isAsking && this.#timer === undefined && this.#missing().length) {
      void this.#ask(this.#missing());
    }
  }

  dispose(): void {
    this.#isOver = true;
    this.#wanted = [];
    clearTimeout(this.#timer);
  }

  #missing(): JobRow[] {
    return this.#wanted.filter(row => row.is_here && row.metric && this.#known.get(row.id)?.of !== told(row));
  }

  async #ask(rows: readonly JobRow[]): Promise<void> {
    this.#isAsking = true;
    let pause = PAUSE;
    try {
      const sparks = await this.#list.sparks(rows.map(row => row.id));
      rows.forEach(row => this.#keep(row, sparks.get(row.id)));
      this.#came();
    } catch {
      pause = PAUSE_AFTER_TROUBLE; // a list without these lines is one still
    }
    this.#isAsking = false;
    if (!this.#isOver) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.want(this.#wanted);
      }, pause);
    }
  }

  #keep(row: JobRow, spark: Spark | undefined): void {
    this.#known.delete(row.id);
    this.#known.set(row.id, { of: told(row), spark }); // the newest last
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KEPT && oldest !== undefined) {
      this.#known.delete(oldest);
    }
  }
}

function told({ metric }: JobRow): string {
  return metric ? `${metric.value} ${metric.name}` : '';
}
