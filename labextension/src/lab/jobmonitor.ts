/**
 * Follow the jobs outside of the panel, for notifications, the status bar and the badge.
 *
 * Rule 1: a hidden page stops following after some seconds, unless the browser is to notify; shown again, it reports
 *   what has ended since.
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
  readonly #changed: (ended: readonly JobRow[], alerted: readonly JobRow[]) => void;
  readonly #seen = (): void => this.#update();
  #isWanted = false;
  #staysAwake = false;
  #leave: (() => void) | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `changed` hears of every change, of which jobs have just ended, and of which have got an alert. */
  constructor(list: JobList, changed: (ended: readonly JobRow[], alerted: readonly JobRow[]) => void) {
    this.#list = list;
    this.#changed = changed;
    document.addEventListener('visibilitychange', this.#seen);
  }

  /** `staysAwake`: a hidden page goes on following, for notifications of the browser. */
  want(isWanted: boolean, staysAwake = false): void {
    this.#isWanted = isWanted;
    this.#staysAwake = staysAwake;
    this.#update();
  }

  /** Somebody looks at the list of jobs. */
  looked(): void {
    this.notifications.looked();
    this.#changed([], []);
  }

  dispose(): void {
    document.removeEventListener('visibilitychange', this.#seen);
    this.want(false);
  }

  #update(): void {
    clearTimeout(this.#timer);
    if (!this.#isWanted) {
      this.#end();
    } else if (document.hidden && !this.#staysAwake) {
      this.#timer = setTimeout(() => this.#end(), LINGER);
    } else {
      this.#leave ??= this.#list.listen(() => this.#hear());
    }
  }

  #hear(): void {
    const { rows, isWhole } = this.#list;
    const hasCome = isWhole || rows.size > 0;
    const now = this.#list.now();
    const ended = hasCome ? this.notifications.take(rows, now) : [];
    this.#changed(ended, hasCome ? this.notifications.alerted(rows, now) : []);
  }

  #end(): void {
    this.#leave?.();
    this.#leave = null;
  }
}
