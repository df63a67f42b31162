/**
 * The series of a job, live while somebody looks.
 *
 * Rule 1: shown, it asks for all series and for what changes; hidden, it ends that. A snapshot means that the server
 *   may know nothing of us any more: it is asked again.
 * Rule 2: a series that is pushed while the answer is on its way is newer than the answer.
 */

import { errorText } from '../parts/loading.js';
import type { JobSource, Push } from '../tokens.js';
import { type Line, readLine } from './series.js';

export class SeriesFeed {
  readonly #source: JobSource;
  readonly #group: 'metrics' | 'usage';
  readonly #changed: () => void;
  readonly #failed: (message: string) => void;
  #held = new Map<string, Line>();
  #news: Set<string> | null = null; // keys pushed since the question that is open
  #turn = 0; // an answer to an older question is dropped
  #isShown = false;
  /** What could not be read or is not shown, a sentence each. */
  notes: readonly string[] = [];

  /** `changed` hears of new lines; `failed` of the sentence why there are none. */
  constructor(source: JobSource, group: 'metrics' | 'usage', changed: () => void, failed: (message: string) => void) {
    this.#source = source;
    this.#group = group;
    this.#changed = changed;
    this.#failed = failed;
  }

  get lines(): Line[] {
    return [...this.#held.values()];
  }

  /** Whether the first answer is still to come. */
  get isWaiting(): boolean {
    return this.#news !== null && this.#held.size === 0;
  }

  show(isShown: boolean): void {
    if (isShown !== this.#isShown) {
      this.#isShown = isShown;
      if (isShown) {
        this.ask();
      } else {
        this.#end();
      }
    }
  }

  update(push: Push, buffers: ArrayBuffer[]): void {
    if (!this.#isShown) {
      return;
    }
    if (push.kind === 'snapshot') {
      this.ask();
    } else if (push.kind === 'points' && push.group === this.#group) {
      push.series.forEach((series, index) => {
        const line = readLine(series, buffers[index]);
        this.#held.set(line.key, line);
        this.#news?.add(line.key);
      });
      this.notes = push.notes;
      this.#changed();
    }
  }

  ask(): void {
    const turn = (this.#turn += 1);
    const news = (this.#news = new Set<string>());
    this.#source.request('points', { group: this.#group, live: true }).then(
      ({ ok, buffers }) => {
        if (turn === this.#turn) {
          this.notes = ok.notes;
          this.#take(
            ok.series.map((series, index) => readLine(series, buffers[index])),
            news
          );
        }
      },
      (error: unknown) => {
        if (turn === this.#turn) {
          this.#news = null;
          this.#failed(errorText(error));
        }
      }
    );
  }

  dispose(): void {
    this.#isShown = false;
    this.#turn += 1;
    this.#held.clear();
  }

  #take(lines: Line[], news: Set<string>): void {
    const pushed = [...this.#held].filter(([key]) => news.has(key));
    this.#held = new Map([...lines.map((line): [string, Line] => [line.key, line]), ...pushed]);
    this.#news = null;
    this.#changed();
  }

  #end(): void {
    this.#turn += 1;
    this.#news = null;
    this.#source.request('points', { group: this.#group, live: false }).catch(() => {
      // Whoever cannot hear this sends nothing either.
    });
  }
}
