/**
 * What is worth telling about jobs while nobody looks at the panel: how many run, which have failed since somebody
 * looked, and which have just ended. No DOM.
 *
 * Rule: only jobs that this page has seen before their end end for it. What was over when the page was loaded, or came
 *   with a longer list, is no news.
 */

import { isTerminal } from '../events.js';
import type { JobRow } from './protocol.js';

export class Lookout {
  #going: ReadonlySet<string> = new Set();
  #failed: ReadonlySet<string> = new Set();
  #running = 0;

  get running(): number {
    return this.#running;
  }

  /** Jobs that have failed since `looked`. */
  get failed(): number {
    return this.#failed.size;
  }

  /** So the jobs stand now; returns those that have ended since the last time. */
  take(rows: ReadonlyMap<string, JobRow>): JobRow[] {
    const all = [...rows.values()];
    const ended = all.filter(row => isTerminal(row.status) && this.#going.has(row.id));
    const unseen = [...this.#failed, ...ended.flatMap(row => (row.status === 'failed' ? [row.id] : []))];
    this.#failed = new Set(unseen.filter(id => rows.has(id)));
    this.#going = new Set(all.filter(row => !isTerminal(row.status)).map(row => row.id));
    this.#running = all.filter(row => row.status === 'running').length;
    return ended;
  }

  /** Somebody has seen how they stand. */
  looked(): void {
    this.#failed = new Set();
  }
}
