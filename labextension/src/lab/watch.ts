/**
 * The watch over jobs that a page keeps outside of the panel, for what is counted and told there.
 *
 * Rule 1: nobody watches while nobody can see: some seconds after the page is hidden the watch ends, and when somebody
 *   is back, what has ended meanwhile is told then.
 * Rule 2: what nobody wants to be told of is not watched.
 * Rule 3: nothing is news before the list itself has come; that the connection is there says nothing of jobs.
 */

import type { JobList } from '../panel/list.js';
import { Lookout } from '../panel/lookout.js';
import type { JobRow } from '../panel/protocol.js';

const LINGER = 20_000; // milliseconds: who looks at another page for a moment finds all as it was

export class Watch {
  readonly lookout = new Lookout();
  readonly #list: JobList;
  readonly #changed: (ended: readonly JobRow[]) => void;
  readonly #seen = (): void => this.#update();
  #isWanted = false;
  #leave: (() => void) | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `changed` hears of every change, and of which jobs have just ended. */
  constructor(list: JobList, changed: (ended: readonly JobRow[]) => void) {
    this.#list = list;
    this.#changed = changed;
    document.addEventListener('visibilitychange', this.#seen);
  }

  want(isWanted: boolean): void {
    this.#isWanted = isWanted;
    this.#update();
  }

  /** Somebody looks at the list of jobs. */
  looked(): void {
    this.lookout.looked();
    this.#changed([]);
  }

  dispose(): void {
    document.removeEventListener('visibilitychange', this.#seen);
    this.want(false);
  }

  #update(): void {
    clearTimeout(this.#timer);
    if (!this.#isWanted) {
      this.#end();
    } else if (document.hidden) {
      this.#timer = setTimeout(() => this.#end(), LINGER);
    } else {
      this.#leave ??= this.#list.listen(() => this.#changed(this.#news()));
    }
  }

  /** The jobs that have just ended. */
  #news(): JobRow[] {
    const { rows, isWhole } = this.#list;
    return isWhole || rows.size > 0 ? this.lookout.take(rows, this.#list.now()) : [];
  }

  #end(): void {
    this.#leave?.();
    this.#leave = null;
  }
}
