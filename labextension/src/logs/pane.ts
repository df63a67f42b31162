/**
 * The Logs tab: any log, of any length, looked at through windows of lines.
 *
 *   pushes ──► ReplicaLog: lines, search, level ──rows──► LogList ──► rows on screen     requests for what is looked at
 *                 ▲                                          │
 *                 └────────────── want(rows) ◄───────────────┘
 *
 * Rule 1: nobody holds a log: here are a few thousand lines around what is seen; search and levels are server's work.
 * Rule 2: a hidden tab takes notice of how long the log is, and of nothing else.
 * Rule 3: the log is not read out (`aria-live=off`); who asks for it hears of new lines, every few seconds at most.
 * Rule 4: lines are hostile: `ansi.ts` says what they may look like, `highlight.ts` what may be searched for here.
 */

import { isTerminal } from '../events.js';
import { copyText } from '../parts/copy.js';
import { Disposables, element, setText } from '../parts/dom.js';
import { saveLog } from '../parts/download.js';
import { errorText } from '../parts/loading.js';
import type { Context, Level, LogWindow, Pane, Push, Snapshot } from '../tokens.js';
import { plainText } from './ansi.js';
import type { Line } from './linecache.js';
import { LogList } from './list.js';
import { type Highlighter, highlighterOf, type LogQuery } from './highlight.js';
import { drawRow, frameOf } from './row.js';
import { countText, lengthText, LogAnnouncer, noteText } from './statustext.js';
import { type LogToolbarHandlers, LogToolbar } from './toolbar.js';
import { ALL, ReplicaLog } from './replicalog.js';
import { WholeLine } from './wholeline.js';

const COPIED = 5_000; // lines
const REFRESH = 2_000; // milliseconds between looks at what is new for a search or a level

export function logsPane(context: Context): LogsPane {
  return new LogsPane(context);
}

export class LogsPane implements Pane {
  readonly element = element('div', { class: 'pj-JobView-logs' });
  readonly #context: Context;
  readonly #tools: LogToolbar;
  readonly #list: LogList;
  readonly #whole: WholeLine;
  readonly #note = element('div', { class: 'pj-JobView-logNote', role: 'status' });
  readonly #lasting = new Disposables();
  readonly #number: Intl.NumberFormat;
  readonly #speaker: LogAnnouncer;
  #log: ReplicaLog;
  #query: LogQuery | null = null;
  #level: Level | null = null;
  #marker: Highlighter | null = null;
  #frame: RegExp | null = null; // of a traceback, in the cell
  #linesBefore = 0; // of the script, before the cell
  #isShown = false;
  #chosen: string | null = null; // by the user, of the replicas
  #hellos = 0; // that wait for their answer, behind which their snapshot comes
  #isAsked = false; // for the chosen replica, whose snapshot is to come
  #problem = ''; // of the last thing that the user did
  #clock: ReturnType<typeof setInterval> | undefined;
  #refreshing: ReturnType<typeof setTimeout> | undefined;

  constructor(context: Context) {
    this.#context = context;
    const { say, model, source, host } = context;
    this.#number = new Intl.NumberFormat(host.language);
    this.#speaker = new LogAnnouncer(context, this.#number, () => (this.#isShown ? this.#log : null));
    this.#tools = new LogToolbar(say, this.#handlers());
    this.#list = new LogList({
      draw: (place, row, line) => this.#drawRow(place, row, line),
      followed: isFollowing => this.#tools.drawFollow(isFollowing)
    });
    this.#whole = new WholeLine(say, () => this.#list.element.focus());
    this.element.append(this.#tools.element, this.#list.element, this.#note, this.#whole.element);
    this.#log = this.#watch(model.job?.replicas[0] ?? Object.keys(model.counts)[0] ?? '');
    this.#lasting.listen(this.element, 'keydown', event => this.#pressed(event));
    this.#lasting.add(source.listen({ status: status => status === 'live' && this.#log.retry() }));
  }

  show(isShown: boolean): void {
    this.#isShown = isShown;
    this.#list.show(isShown);
    if (isShown) {
      this.#startClock();
      this.#draw();
    } else {
      clearInterval(this.#clock);
    }
  }

  update(push: Push): void {
    if (push.kind === 'snapshot') {
      this.#adopt(push);
    }
    if ((push.kind === 'snapshot' || push.kind === 'tail') && push.tail.replica === this.#log.replica) {
      this.#take(push.tail, push.kind === 'snapshot');
    } else if (push.kind === 'state') {
      this.#draw(); // a job that has ended is spoken of otherwise
    }
  }

  /** Go to the first line with this text in the log of a replica, by its number from 0. */
  find(text: string, number: number): void {
    const replica = this.#context.model.job?.replicas[number];
    if (replica !== undefined && replica !== this.#log.replica) {
      this.#choose(replica);
    }
    this.#tools.searchFor(text);
  }

  /** Look at the log of this replica, and say so. */
  look(replica: string): void {
    if (replica !== this.#log.replica) {
      this.#choose(replica);
    }
    this.#context.announce(this.#label(replica));
  }

  dispose(): void {
    [this.#clock, this.#refreshing].forEach(timer => clearTimeout(timer));
    this.#speaker.dispose();
    this.#isShown = false;
    this.#log.dispose();
    this.#list.dispose();
    this.#tools.dispose();
    this.#whole.dispose();
    this.#lasting.dispose();
  }

  // ---- which log

  #watch(replica: string): ReplicaLog {
    const { source, model } = this.#context;
    const count = model.counts[replica] ?? 0;
    const log: ReplicaLog = new ReplicaLog(source, replica, count, () => log === this.#log && this.#draw());
    this.#list.element.setAttribute('aria-label', this.#label(replica));
    this.#list.setRows(log.rows);
    return log;
  }

  #label(replica: string): string {
    const { say } = this.#context;
    return replica === ALL ? say('Log of all replicas') : say('Log of {replica}', { replica: plainText(replica) });
  }

  /** Look at the log of this replica from now on. */
  #look(replica: string): void {
    this.#log.dispose();
    this.#log = this.#watch(replica);
    this.#tools.drawReplicas(this.#context.model.job?.replicas ?? [], replica);
    this.#filter(this.#level);
    this.#draw();
  }

  #choose(replica: string): void {
    this.#chosen = replica;
    this.#isAsked = true;
    this.#look(replica);
    this.#hellos++;
    void this.#attempt(() => this.#context.source.request('hello', { replica })).then(() => this.#hellos--);
  }

  /**
   * A snapshot has the replica that the server takes to be watched; the user's own choice is asked for again, once.
   * While its hello waits, a snapshot of another replica is of an earlier one.
   */
  #adopt({ job, tail }: Snapshot): void {
    if (this.#chosen !== null && this.#chosen !== tail.replica && (this.#hellos || !this.#isAsked)) {
      if (!this.#hellos) {
        this.#choose(this.#chosen);
      }
      return;
    }
    this.#isAsked = this.#hellos > 0;
    this.#chosen = this.#chosen && tail.replica;
    if (tail.replica !== this.#log.replica) {
      this.#look(tail.replica);
    }
    this.#tools.drawReplicas(job.replicas, this.#log.replica);
    this.#frame = frameOf(job.entry_point);
    this.#linesBefore = job.lines_before ?? 0;
  }

  #take(tail: LogWindow, isNew: boolean): void {
    const seen = this.#isShown ? tail : { ...tail, start: tail.count, lines: [], times: [], clipped: {} };
    const before = this.#log.first;
    this.#log.take(seen, isNew);
    this.#list.shift(this.#log.first - before);
    if (this.#isShown) {
      this.#draw();
      this.#refreshing ??= setTimeout(() => this.#refresh(), REFRESH);
    }
  }

  #refresh(): void {
    this.#refreshing = undefined;
    if (this.#isShown) {
      this.#log.refresh();
    }
  }

  // ---- what the user does

  #handlers(): LogToolbarHandlers {
    return {
      search: query => void this.#search(query),
      step: direction => void this.#step(direction),
      level: level => this.#filter(level),
      replica: replica => this.#choose(replica),
      wrap: isOn => this.#list.wrap(isOn),
      follow: isOn => this.#list.follow(isOn),
      stamp: isOn => this.#list.stamp(isOn),
      announce: isOn => this.#speaker.turn(isOn),
      copy: () => void this.#attempt(() => this.#copy()),
      download: () => void this.#attempt(() => this.#save())
    };
  }

  async #search(query: LogQuery | null): Promise<void> {
    this.#query = query;
    this.#marker = query && highlighterOf(query);
    this.#list.redraw();
    await this.#log.setQuery(query, this.#level);
    if (query !== null && query === this.#query) {
      await this.#step(1);
    }
  }

  /** Go to the next hit: from the current one, else from what is in view. */
  async #step(direction: 1 | -1): Promise<void> {
    const log = this.#log;
    const { current } = log.search;
    const line = current ?? this.#topLine();
    const hit =
      direction > 0
        ? await log.search.forward(current === null ? line : line + 1)
        : await log.search.backward(line, log.first + log.count);
    if (hit !== null && log === this.#log) {
      this.#list.reveal(log.rows.numbering.row(hit));
      this.#context.announce(this.#tools.hitText);
    }
  }

  #filter(level: Level | null): void {
    const [log, before] = [this.#log, this.#level];
    const line = this.#topLine();
    this.#level = level;
    const show = () => this.#list.setRows(log.rows, log.rows.numbering.row(line));
    const isKnown = log.setLevel(level);
    show();
    void isKnown.then(() => log === this.#log && level === this.#level && level !== null && show());
    if (this.#query && (level !== before || log.search.state === 'off')) {
      void this.#search(this.#query);
    }
  }

  /** The line of the log that is at the top of the view. */
  #topLine(): number {
    return this.#log.rows.numbering.number(this.#list.seen().first);
  }

  async #copy(): Promise<void> {
    const { first, last } = this.#list.seen();
    const start = Math.max(0, Math.floor((first + last - COPIED) / 2));
    const text = this.#list.selectedText() || (await this.#log.rows.text(start, start + COPIED));
    await copyText(text, this.#context, this.#tools.counter);
    this.#startClock(); // which writes the count again
  }

  async #save(): Promise<void> {
    const { replica, rows, first } = this.#log;
    const text = replica === ALL ? await rows.text(0, rows.count) : null;
    const cut = first > 0 ? `… ${lengthText(this.#context.say, this.#log, this.#level, this.#number)}\n` : '';
    await saveLog(this.#context, replica, text === null ? null : cut + text);
  }

  /** Do what may fail, and say why it did. */
  async #attempt(action: () => Promise<unknown>): Promise<void> {
    try {
      this.#problem = '';
      await action();
    } catch (error) {
      this.#problem = errorText(error);
    }
    this.#drawNote();
  }

  #pressed(event: KeyboardEvent): void {
    const isFind = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f';
    if (isFind) {
      this.#tools.focusSearch();
    } else if (event.key === 'F3') {
      void this.#step(event.shiftKey ? -1 : 1);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // ---- drawing

  #draw(): void {
    if (this.#isShown) {
      this.#list.changed();
      this.#tools.drawSearch(this.#log.search, number => this.#number.format(number));
      this.#drawCount();
      this.#drawNote();
    }
  }

  #drawRow(place: HTMLElement, row: number, line: Line | undefined): number {
    const [log, context] = [this.#log, this.#context];
    const { current } = log.search;
    const isHit = current !== null && log.rows.numbering.number(row) === current;
    return drawRow(
      place,
      line,
      { marker: this.#marker, frame: this.#frame, isHit },
      {
        say: context.say,
        count: number => this.#number.format(number),
        linesBefore: this.#linesBefore,
        openLine: context.openLine,
        openWhole: () => this.#openWhole(log, log.rows.numbering.number(row))
      }
    );
  }

  #openWhole(log: ReplicaLog, number: number): void {
    const title = this.#context.say('Line {number}', { number: this.#number.format(number + 1) });
    void this.#whole.open(title, () => log.wholeLine(number));
  }

  #startClock(): void {
    clearInterval(this.#clock);
    this.#clock = setInterval(() => this.#drawCount(), 1_000);
  }

  #drawCount(): void {
    setText(this.#tools.counter, countText(this.#context, this.#log, this.#level, this.#number));
    if (isTerminal(this.#context.model.state.status)) {
      clearInterval(this.#clock);
    }
  }

  #drawNote(): void {
    const text = this.#problem || this.#log.problem || noteText(this.#context, this.#log, this.#level, this.#number);
    setText(this.#note, text);
    this.#note.hidden = text === '';
  }
}
