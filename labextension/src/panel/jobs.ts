/**
 * The section of jobs: all of this user, whichever notebook, kernel or program started them.
 *
 *   filterbar.ts   filter and order                    virtuallist.ts    the rows in sight, mouse and keys
 *   actionbar.ts   what to do with the selected jobs   row.ts, sparkline.ts    one row
 *   sorting.ts, selection.ts                           which rows, without a page
 *   runfolds.ts                                        the jobs of a run under one row
 *
 * Rule 1: everything on screen is a drawing of the `JobList`, which is listened to while the section is shown.
 * Rule 2: one timer, for times that run, and only while the section is shown.
 */

import { statusWord } from '../head/status.js';
import { button, Disposables, element, quiet } from '../parts/dom.js';
import { money } from '../text/money.js';
import { plain } from '../text/sanitize.js';
import type { Status } from '../tokens.js';
import { type ActionName, givesStar } from './actions.js';
import { JobLabels } from './joblabels.js';
import { ActionBar } from './actionbar.js';
import { toSelection, type JobFilter } from './sorting.js';
import type { JobRow } from './protocol.js';
import { JobRowView, ROW_HEIGHT } from './row.js';
import { foldedRun, isFold, isJob, type ListRow, RunFolds, RunFoldView } from './runfolds.js';
import type { PanelContext, Section } from './section.js';
import { SparklineLoader } from './sparkline.js';
import { FilterBar } from './filterbar.js';
import { VirtualList } from './virtuallist.js';

const SECOND = 1_000;
const MAX_NOTES = 5;
const MAX_TOLD = 5; // changes in one announcement
const NOTHING = 'No jobs yet. Add %load_ext pai_jupyter and %%pai_train to a notebook.';
const NOTHING_OR = 'No jobs yet. Add %load_ext pai_jupyter and %%pai_train to a notebook, or:'; // before a button

/** What commands and menus of the host need of the section. */
export interface JobsSection extends Section {
  /** The chosen rows. */
  readonly chosen: readonly JobRow[];
  /** Do this with the chosen jobs, or ask first. */
  act(name: ActionName): Promise<void>;
  /** Choose these, whatever filter hides them. */
  choose(ids: readonly string[]): void;
  /** Take the focus: the rows, or the filter where there are none. */
  focus(): void;
  /** Hear when other rows are chosen. */
  onChosen: () => void;
}

export function jobsSection(context: PanelContext): JobsSection {
  return new Jobs(context);
}

class Jobs implements JobsSection {
  readonly element = element('div', { class: 'pj-Panel-jobs' });
  onChosen: () => void = () => undefined;
  readonly #context: PanelContext;
  readonly #tools: FilterBar;
  readonly #list: VirtualList<ListRow>;
  readonly #folds: RunFolds;
  readonly #actionBar: ActionBar;
  readonly #sparks: SparklineLoader;
  readonly #distinct = new JobLabels();
  readonly #state = element('div', { class: 'pj-Panel-state' });
  readonly #notes = element('ul', { class: 'pj-Panel-notes' });
  readonly #statuses = new Map<string, Status>(); // as they were told of last
  #awaited: readonly string[] = []; // to be chosen as soon as they are shown
  readonly #lasting = new Disposables();
  #isTold = false;
  #shown = 0; // rows that the filter leaves
  #leave: (() => void) | null = null; // while the section is shown
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(context: PanelContext) {
    this.#context = context;
    const { say, list } = context;
    this.#sparks = new SparklineLoader(list, () => this.#list.redraw());
    this.#tools = new FilterBar(
      say,
      wanted => this.#want(wanted),
      isTold => this.#tell(isTold)
    );
    this.#actionBar = new ActionBar(context, row => this.#distinct.name(row));
    this.#list = new VirtualList({
      label: say('Training jobs'),
      rowHeight: ROW_HEIGHT,
      id: row => row.id,
      text: row => row.name,
      make: row =>
        isFold(row)
          ? new RunFoldView(say)
          : new JobRowView({
              say,
              now: () => list.now(),
              spark: id => this.#sparks.of(id),
              differs: id => this.#distinct.of(id)
            }),
      seen: rows => this.#sparks.want(rows.filter(isJob)),
      chosen: () => this.#drawChosen(),
      open: () => this.#open(),
      remove: () => void this.act('remove'),
      key: key => this.#act(key)
    });
    this.#folds = new RunFolds(context.rest, () => this.#leave && this.#draw());
    this.#lasting.listen(this.#list.element, 'click', ({ target }) => this.#toggle(foldAt(target)));
    for (const type of ['click', 'dblclick'] as const) {
      this.#lasting.listen(this.#list.element, type, event => this.#starred(event), { capture: true });
    }
    this.#lasting.listen(this.#list.element, 'keydown', event => this.#pressed(event));
    this.#list.element.classList.add('pj-Panel-list');
    if (context.openTable) {
      this.#tools.element.append(button(say('Runs table'), 'small', context.openTable));
    }
    this.element.append(this.#tools.element, this.#state, this.#list.element, this.#notes, this.#actionBar.element);
    this.#want(this.#tools.wanted);
    this.#draw();
  }

  get chosen(): readonly JobRow[] {
    return this.#list.chosen.filter(isJob);
  }

  act(name: ActionName): Promise<void> {
    return this.#actionBar.act(name);
  }

  choose(ids: readonly string[]): void {
    this.#awaited = ids;
    this.#chooseAwaited();
    if (this.#awaited.length) {
      this.#showAll();
    }
  }

  /** Choose what is to be chosen, if all of it is shown by now. */
  #chooseAwaited(): void {
    const shown = new Map(this.#context.list.shown.map(row => [row.id, row]));
    if (this.#awaited.length && this.#awaited.every(id => shown.has(id))) {
      if (this.#folds.reveal(this.#awaited.flatMap(id => shown.get(id) ?? []))) {
        this.#setRows();
      }
      this.#list.choose(this.#awaited);
      this.#awaited = [];
    }
  }

  focus(): void {
    if (this.#list.element.hidden) {
      this.#tools.focus();
    } else {
      this.#list.element.focus();
    }
  }

  show(isShown: boolean): void {
    if (isShown === (this.#leave !== null)) {
      return;
    }
    this.#leave?.();
    this.#leave = isShown ? this.#context.list.listen(() => this.#draw()) : null;
    clearInterval(this.#timer);
    this.#timer = isShown ? setInterval(() => this.#list.redraw(), SECOND) : undefined;
    this.#list.show(isShown);
    if (isShown) {
      this.#draw();
    }
  }

  dispose(): void {
    this.show(false);
    this.#lasting.dispose();
    this.#list.dispose();
    this.#actionBar.dispose();
    this.#sparks.dispose();
  }

  /** Show the run whose fold has the keyboard, or the jobs that are chosen. */
  #open(): void {
    const run = foldedRun(this.#list.selection.active);
    if (run !== null && !this.chosen.length) {
      this.#context.openRun?.(run);
    } else {
      void this.act('open');
    }
  }

  #act(key: string): boolean {
    if (key === '*') {
      void this.#star(this.chosen);
    } else if (key === 'F2') {
      void this.act('annotate');
    } else {
      return false;
    }
    return true;
  }

  /** Star these jobs, or all of them no more, and tell a screen reader. */
  async #star(rows: readonly JobRow[]): Promise<void> {
    const { say, announce } = this.#context;
    const here = rows.filter(row => row.is_here);
    const text = givesStar(here) ? '{jobs}: starred' : '{jobs}: star removed';
    if (here.length && (await this.#actionBar.doWith('star', here))) {
      announce(
        say(text, {
          jobs: here
            .slice(0, MAX_TOLD)
            .map(row => plain(row.name, 60))
            .join(', ')
        })
      );
    }
  }

  /** A click on the star of a row is about that job, and chooses nothing. */
  #starred(event: Event): void {
    const star = event.target instanceof Element ? event.target.closest('.pj-Panel-star') : null;
    if (star) {
      event.stopPropagation();
      const row = this.#context.list.rows.get(star.closest<HTMLElement>('[role=option]')?.dataset['row'] ?? '');
      if (row && event.type === 'click') {
        void this.#star([row]);
      }
    }
  }

  #toggle(run: string | null): void {
    if (run !== null) {
      this.#folds.toggle(run);
      this.#setRows();
    }
  }

  /** The arrows right and left open and close the fold of a run. */
  #pressed({ key }: KeyboardEvent): void {
    const run = foldedRun(this.#list.selection.active);
    if (run !== null && key === (this.#folds.isOpen(run) ? 'ArrowLeft' : 'ArrowRight')) {
      this.#toggle(run);
    }
  }

  #setRows(): void {
    const { text, state, backend, notebook, tag, isStarred } = this.#tools.wanted;
    const isFiltered = isStarred || Boolean(text || state || backend || notebook || tag);
    this.#list.setRows(this.#folds.rows(this.#context.list.shown, isFiltered));
  }

  #draw(): void {
    const { list } = this.#context;
    const isOther = this.#distinct.update(list.rows);
    const rows = list.shown;
    this.#tools.offer(list.rows.values());
    this.#setRows();
    this.#chooseAwaited();
    if (isOther) {
      this.#list.redraw();
    }
    this.#list.element.setAttribute('aria-busy', String(!list.isWhole));
    this.#list.element.hidden = rows.length === 0;
    this.#shown = rows.length;
    this.#actionBar.list(rows);
    this.#drawState(rows.length);
    const notes = list.notes.slice(0, MAX_NOTES).map(note => plain(note));
    this.#notes.hidden = notes.length === 0;
    if (notes.join('\n') !== [...this.#notes.children].map(note => note.textContent).join('\n')) {
      this.#notes.replaceChildren(...notes.map(note => element('li', {}, note)));
    }
    this.#drawChosen();
    this.#announce();
  }

  /** In place of rows where there are none, and above them where they may be old. */
  #drawState(shown: number): void {
    const { list, say, runCell } = this.#context;
    const isLost = list.status === 'offline';
    const text = isLost
      ? plain(list.message, 500) || say('Connection lost. Reconnecting…')
      : shown
        ? ''
        : list.rows.size
          ? plain(list.problem, 1_000) || say('No matching jobs')
          : list.isWhole && list.notes.length
            ? '' // they say why
            : say(list.isWhole ? (runCell ? NOTHING_OR : NOTHING) : 'Loading…');
    const isFiltered = !isLost && shown === 0 && list.rows.size > 0;
    this.#state.hidden = text === '';
    if (this.#state.firstElementChild?.textContent !== text) {
      const offers = isFiltered
        ? [button(say('Clear filters'), 'small', () => this.#showAll())]
        : runCell && text === say(NOTHING_OR)
          ? [button(say('Run a cell as a job'), 'primary', runCell)]
          : [];
      this.#state.replaceChildren(quiet(text), ...offers);
    }
  }

  #drawChosen(): void {
    const { list, say } = this.#context;
    const running = [...list.rows.values()].filter(row => row.status === 'running');
    const count = list.rows.size;
    const isFiltered = this.#shown < count;
    const all = say(count === 1 ? '1 job' : '{count} jobs', { count });
    const jobs = isFiltered ? say('{shown} of {count} jobs', { shown: this.#shown, count }) : all;
    const isTold = running.length > 0 && !isFiltered;
    const known = isTold ? say('{jobs}, {running} running', { jobs, running: running.length }) : jobs;
    const price = isTold ? runningCost(running) : '';
    const summary = price ? say('{jobs}: {amount} an hour', { jobs: known, amount: price }) : known;
    this.#actionBar.draw(this.chosen, count ? summary : '');
    this.onChosen();
  }

  #want(wanted: JobFilter): void {
    this.#context.list.select(toSelection(wanted));
  }

  #showAll(): void {
    this.#tools.clear();
    this.#want(this.#tools.wanted);
  }

  #tell(isTold: boolean): void {
    this.#isTold = isTold;
    this.#statuses.clear();
    this.#context.list.rows.forEach((row, id) => this.#statuses.set(id, row.status));
  }

  /** What has changed since the last time, for who asked to be told. */
  #announce(): void {
    if (!this.#isTold) {
      return;
    }
    const { list, say, announce } = this.#context;
    const changed = [...list.rows.values()].filter(row => this.#statuses.get(row.id) !== row.status);
    this.#tell(true);
    if (changed.length) {
      const told = changed
        .slice(0, MAX_TOLD)
        .map(row => say('{job}: {state}', { job: plain(row.name, 60), state: statusWord(row.status, say) }));
      announce(told.reduce((one, other) => say('{one}. {other}', { one, other })));
    }
  }
}

/** What these jobs cost an hour, each currency by itself: "¥6.20 + $1.00". Of an emulator's nothing is charged. */
function runningCost(rows: readonly JobRow[]): string {
  const sums = new Map<string, number>();
  for (const { cost } of rows) {
    if (cost && !cost.is_rehearsal) {
      sums.set(cost.currency, (sums.get(cost.currency) ?? 0) + cost.per_hour);
    }
  }
  return [...sums].map(([currency, sum]) => money(sum, currency)).join(' + ');
}

/** The run whose fold this is in. */
function foldAt(target: EventTarget | null): string | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('.pj-Panel-fold') : null;
  return foldedRun(row?.dataset['row'] ?? null);
}
