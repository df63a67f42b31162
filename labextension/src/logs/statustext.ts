/**
 * What the pane says about the log as a whole: how long it is, why there is nothing to see, and, to those who ask to
 * hear it, what is new.
 *
 * Rule: of all replicas only the last lines are here. Whoever searches them, or reads how many there are, is told so.
 */

import { isTerminal } from '../events.js';
import { duration } from '../text/format.js';
import type { Context, Level, Say } from '../tokens.js';
import { plainText } from './ansi.js';
import type { ReplicaLog } from './replicalog.js';

const LIMITED = 'Only the last {count} lines of all replicas are searched. Choose one replica for its whole log.';
const PAUSE = 5_000; // milliseconds between messages to a screen reader
const SPOKEN = 200; // characters of a line

/** "12,431 lines", "last 5,000 of 12,431 lines", "200 of 12,431 lines" where only a level is shown. */
export function lengthText(say: Say, log: ReplicaLog, level: Level | null, number: Intl.NumberFormat): string {
  const count = number.format(log.count);
  if (level) {
    const rows = number.format(log.rows.count) + (log.isCut ? '+' : '');
    return say(log.first ? '{rows} of the last {count} lines' : '{rows} of {count} lines', { rows, count });
  }
  return log.first
    ? say('last {rows} of {count} lines', { rows: count, count: number.format(log.first + log.count) })
    : say(log.count === 1 ? '{count} line' : '{count} lines', { count });
}

/** "12,431 lines · 0.4 s ago"; of a job that has ended only how many. */
export function countText(
  { say, model }: Context,
  log: ReplicaLog,
  level: Level | null,
  number: Intl.NumberFormat
): string {
  const lines = lengthText(say, log, level, number);
  if (isTerminal(model.state.status) || !log.lastTime) {
    return lines;
  }
  const seconds = Math.max(0, model.now() - log.lastTime);
  const ago = seconds < 10 ? `${seconds.toFixed(1)} s` : duration(seconds);
  return `${lines} · ${say('{ago} ago', { ago })}`;
}

/** Why there are no lines, and where to look for those that are not searched; '' where there is nothing to say. */
export function noteText(
  { say, model }: Context,
  log: ReplicaLog,
  level: Level | null,
  number: Intl.NumberFormat
): string {
  const isLimited = log.first > 0 && (level !== null || log.search.state !== 'off');
  const elsewhere = isLimited ? say(LIMITED, { count: number.format(log.count) }) : '';
  if (log.rows.count) {
    return elsewhere;
  }
  if (level) {
    return `${say('No lines at this level.')} ${elsewhere}`.trim();
  }
  return isTerminal(model.state.status) ? say('The job printed no output.') : say('No output yet.');
}

/** Has a screen reader tell of new lines, every few seconds at most, once it is turned on. */
export class LogAnnouncer {
  readonly #context: Context;
  readonly #number: Intl.NumberFormat;
  readonly #log: () => ReplicaLog | null;
  #known: ReplicaLog | null = null;
  #told = 0; // lines of it
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `log` gives what is looked at; null while nobody looks. */
  constructor(context: Context, number: Intl.NumberFormat, log: () => ReplicaLog | null) {
    this.#context = context;
    this.#number = number;
    this.#log = log;
  }

  turn(isOn: boolean): void {
    clearInterval(this.#timer);
    this.#known = null;
    this.#tell();
    this.#timer = isOn ? setInterval(() => this.#tell(), PAUSE) : undefined;
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  #tell(): void {
    const log = this.#log();
    const count = log && log === this.#known ? log.count - this.#told : 0;
    if (log && count > 0) {
      const line = plainText(log.lastText).slice(0, SPOKEN);
      const { say, announce } = this.#context;
      announce(say('New lines: {count}. {line}', { count: this.#number.format(count), line }));
    }
    if (log) {
      this.#known = log;
      this.#told = log.count;
    }
  }
}
