/**
 * Follow the jobs outside of the panel, for notifications, the status bar and the badge.
 *
 * Rule 1: a hidden page stops following after some seconds; shown again, it reports what has ended since.
 * Rule 2: nothing is followed while the settings ask for neither notifications nor counts.
 * Rule 3: nothing is reported before the list itself has come: an open connection says nothing of jobs.
 */

import type { JobList } from '../panel/list.js';
import { NotificationState } from '../panel/notifications.js';
import type { JobRow } from '../panel/protocol.js';

const LINGER = 20_000; // milliseconds that a hidden page goes on following

export class JobMonitor {
  readonly notifications = new NotificationState();
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
    this.notifications.looked();
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
    return isWhole || rows.size > 0 ? this.notifications.take(rows, this.#list.now()) : [];
  }

  #end(): void {
    this.#leave?.();
    this.#leave = null;
  }
}
