/**
 * What the pane says about the log as a whole: how long it is, and why there is nothing to see.
 */

import { isTerminal } from '../events.js';
import { duration } from '../format.js';
import type { JobModel, Level, Say } from '../tokens.js';
import type { WatchedLog } from './watched.js';

export interface Teller {
  readonly say: Say;
  readonly model: JobModel;
}

/** "12,431 lines · last 0.4 s ago"; of a job that has ended only how many. */
export function countText(
  { say, model }: Teller, log: WatchedLog, level: Level | null, number: Intl.NumberFormat
): string {
  const count = number.format(log.count);
  const rows = number.format(log.rows.count) + (log.isCut ? '+' : '');
  const all = say(log.count === 1 ? '{count} line' : '{count} lines', { count });
  const lines = level ? say('{rows} of {count} lines', { rows, count }) : all;
  if (isTerminal(model.state.status) || !log.lastTime) {
    return lines;
  }
  const seconds = Math.max(0, model.now() - log.lastTime);
  const ago = seconds < 10 ? `${seconds.toFixed(1)} s` : duration(seconds);
  return `${lines} · ${say('last {ago} ago', { ago })}`;
}

/** Why there are no lines; '' where there are some. */
export function emptyText({ say, model }: Teller, log: WatchedLog, level: Level | null): string {
  if (log.rows.count) {
    return '';
  }
  if (level) {
    return say('No lines at this level.');
  }
  return isTerminal(model.state.status) ? say('The job printed nothing.') : say('No output yet.');
}
