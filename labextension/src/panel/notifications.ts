/**
 * What is worth telling about jobs while nobody looks at the panel: how many run, which have failed since somebody
 * looked, which have just ended, and what else their user must hear of. No DOM.
 *
 * Rule: a job ends for this page if the page has seen it before its end, or if it was made since the page began to
 *   look: one that takes a second is over before anybody has seen it. What was over when the page was loaded, or came
 *   with a longer list, is no news.
 */

import { isTerminal } from '../events.js';
import type { JobRow } from './protocol.js';

/** A job or a run, as far as its end is concerned. */
export interface Ended {
  readonly status: string;
  readonly created: number;
  readonly ended: number | null;
}

export const TOLD_AFTER = 600; // seconds, unless `notify.after` is set

/** Whether it is news that it has ended: it failed, or took at least `after` seconds, as for a webhook. */
export function isNews({ status, created, ended }: Ended, after: number): boolean {
  return status === 'failed' || after <= 0 || (ended ?? created) - created >= after;
}

export class NotificationState {
  #going: ReadonlySet<string> = new Set();
  #failed: ReadonlySet<string> = new Set();
  readonly #told = new Set<string>(); // ids of jobs whose end was told
  readonly #heard = new Map<string, number>(); // by the ids of jobs, the time of the last alert that was told
  #since: number | null = null; // when the page began to look
  #running = 0;

  get running(): number {
    return this.#running;
  }

  /** Jobs that have failed since `looked`. */
  get failed(): number {
    return this.#failed.size;
  }

  /** So the jobs stand `now`, a time of their machine; returns those that have ended since the last time. */
  take(rows: ReadonlyMap<string, JobRow>, now: number): JobRow[] {
    const since = (this.#since ??= now);
    const all = [...rows.values()];
    const ended = all.filter(({ id, status, created }) => {
      return isTerminal(status) && (this.#going.has(id) || created > since) && !this.#told.has(id);
    });
    ended.forEach(row => this.#told.add(row.id));
    const unseen = [...this.#failed, ...ended.flatMap(row => (row.status === 'failed' ? [row.id] : []))];
    this.#failed = new Set(unseen.filter(id => rows.has(id)));
    this.#going = new Set(all.filter(row => !isTerminal(row.status)).map(row => row.id));
    this.#running = all.filter(row => row.status === 'running').length;
    return ended;
  }

  /** The jobs that have got an alert since the last time: a metric that is no number, no progress. */
  alerted(rows: ReadonlyMap<string, JobRow>, now: number): JobRow[] {
    const since = (this.#since ??= now);
    const news = [...rows.values()].filter(({ id, alert }) => {
      return alert !== undefined && alert.time > Math.max(since, this.#heard.get(id) ?? 0);
    });
    news.forEach(({ id, alert }) => this.#heard.set(id, alert?.time ?? 0));
    return news;
  }

  /** Somebody has seen how they stand. */
  looked(): void {
    this.#failed = new Set();
  }
}
