/**
 * The runs table: all jobs with a column for each value and each metric.
 *
 *   state.ts       how it is set up: columns, order, filter, group; kept with the layout
 *   lines.ts       the lines of a window, as the server answers
 *   grid.ts        what is in sight of them; layout.ts, row.ts, cells.ts, header.ts: its parts
 *   gridinput.ts   mouse and keys; choice.ts: what is selected
 *   chooser.ts     which columns are shown; rowmenu.ts: what a right click of a line offers
 *   trials.ts      values and metrics of many jobs in one picture
 *
 * What is done with the selected jobs is what the panel does (`panel/actionbar.ts`).
 */

import { ActionBar } from '../panel/actionbar.js';
import { JobLabels } from '../panel/joblabels.js';
import { type Actions, givesStar } from '../panel/actions.js';
import type { Rest } from '../panel/rest.js';
import { choice, type Option, searchBox, setOptions, toggle, withTooltip } from '../parts/controls.js';
import { button, element, setText } from '../parts/dom.js';
import { saveBlob } from '../parts/download.js';
import { errorText } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { headingOf } from './cells.js';
import { ColumnChooser } from './chooser.js';
import { TableGrid } from './grid.js';
import { type Question, TableLines } from './lines.js';
import { RowMenu } from './rowmenu.js';
import type { JobRow } from '../panel/protocol.js';
import type { TableAnswer, TableLine, TableText } from './protocol.js';
import { LONGEST_FILTER, shownKeys, type TableState } from './state.js';
import { TrialsPane } from './trials.js';

const TYPED = 150; // milliseconds after the last letter until the filter is asked
const HELP =
  'Words that all must fit, e.g. iris state:failed lr=0.3. Compare values and metrics: lr<0.1 accuracy>=0.9 ' +
  'opt!=adam max(accuracy)>0.9; also duration>60 (seconds) and cost<10.';

export interface TableHost {
  readonly say: Say;
  readonly rest: Rest;
  readonly act: Actions;
  /** Keep this state. */
  keep(state: TableState): void;
}

export class RunsTable {
  readonly element = element('div', { class: 'pj-JobView pj-Table' });
  readonly #host: TableHost;
  readonly #lines: TableLines;
  readonly #grid: TableGrid;
  readonly #chooser: ColumnChooser;
  readonly #trials: TrialsPane;
  readonly #actions: ActionBar;
  readonly #menu: RowMenu;
  readonly #filter: HTMLInputElement;
  readonly #group: HTMLSelectElement;
  readonly #problem = element('p', { class: 'pj-JobView-trouble', role: 'status' });
  readonly #empty = element('p', { class: 'pj-JobView-quiet pj-Table-empty' });
  readonly #spoken = element('div', { class: 'pj-JobView-spoken', role: 'status' });
  readonly #opened = new Set<string>();
  #state: TableState;
  #typed: ReturnType<typeof setTimeout> | undefined;
  #failed = ''; // why the CSV was not written
  #fitted: { readonly text: string; readonly version: string }; // what all that is selected fits
  #isFitting = false;

  constructor(host: TableHost, state: TableState) {
    this.#host = host;
    this.#state = state;
    this.#fitted = { text: state.text, version: '' };
    const { say, rest, act } = host;
    const ask = (body: object): Promise<TableAnswer> => rest.post<TableAnswer>('table', body);
    this.#lines = new TableLines(this.#question([]), ask, () => this.#draw());
    const change = (next: TableState): void => this.#change(next);
    const own = { say, state: (): TableState => this.#state, change };
    this.#grid = new TableGrid({
      ...own,
      lines: this.#lines,
      isOpen: group => this.#opened.has(group),
      toggle: group => this.#toggle(group),
      open: line => void this.#open(line),
      remove: () => void this.#actions.act('remove'),
      chosen: () => this.#drawChosen(),
      menu: (x, y) => this.#menu.open(x, y),
      announce: text => setText(this.#spoken, text)
    });
    this.#chooser = new ColumnChooser({ ...own, all: () => this.#lines.columns });
    this.#trials = new TrialsPane(say, ask);
    const named = (row: JobRow): string => nameOf(row, this.#grid.choice.rows);
    this.#actions = new ActionBar({ say, act: this.#watched(act) }, named, ['open', 'compare', 'board', 'remove']);
    this.#menu = new RowMenu(
      say('Actions for the selected jobs'),
      () => this.#actions.items(),
      () => this.focus()
    );
    this.#filter = withTooltip(
      searchBox(say('Filter runs'), () => this.#typing()),
      say(HELP)
    );
    this.#filter.addEventListener('keydown', ({ key }) => {
      if (key === 'Enter') {
        this.#typing(0);
      }
    });
    this.#filter.maxLength = LONGEST_FILTER;
    this.#filter.value = state.text;
    this.#group = choice(say('Group by'), [], key => this.#change({ ...this.#state, group: key }));
    this.#build();
    this.#draw();
  }

  /** Seen or hidden: what is hidden asks nothing. */
  show(isShown: boolean): void {
    this.#lines.watch(isShown);
    if (isShown) {
      this.#grid.redraw();
    }
  }

  focus(): void {
    this.#grid.element.focus({ preventScroll: true });
  }

  dispose(): void {
    clearTimeout(this.#typed);
    this.#lines.dispose();
    this.#grid.dispose();
    this.#chooser.dispose();
    this.#trials.dispose();
    this.#actions.dispose();
    this.#menu.dispose();
  }

  #build(): void {
    const { say } = this.#host;
    const save = button(say('Export CSV'), 'small', () => void this.#export());
    const tools = element('div', {
      class: 'pj-JobView-tools pj-Table-tools',
      role: 'group',
      'aria-label': say('Filters')
    });
    const trials = toggle(say('Values and metrics'), isOn => this.#trials.show(isOn));
    tools.append(this.#filter, this.#group, this.#chooser.element, trials, save);
    this.#problem.hidden = this.#empty.hidden = true;
    this.element.append(
      ...[tools, this.#problem, this.#trials.element, this.#grid.element, this.#empty],
      ...[this.#actions.element, this.#menu.element, this.#spoken]
    );
  }

  #change(next: TableState): void {
    const { group, text } = this.#state;
    this.#state = next;
    if (next.text !== text) {
      this.#actions.list([]); // a question about jobs that may be hidden now is taken back
    }
    if (next.group !== group) {
      this.#opened.clear();
    }
    this.#host.keep(next);
    this.#lines.select(this.#question());
    this.#draw();
  }

  /** What is asked of the server; `all`: the columns that are known. */
  #question(all = this.#lines.columns): Question {
    const { text, sort, isDescending, group } = this.#state;
    const columns = shownKeys(this.#state, all).filter(key => key !== group);
    return { text, sort, descending: isDescending, group, opened: [...this.#opened], columns };
  }

  #typing(pause = TYPED): void {
    clearTimeout(this.#typed);
    this.#typed = setTimeout(() => {
      this.#grid.toTop();
      this.#change({ ...this.#state, text: this.#filter.value });
    }, pause);
  }

  #toggle(group: string): void {
    if (!this.#opened.delete(group)) {
      this.#opened.add(group);
    }
    this.#lines.select(this.#question());
    this.#grid.redraw();
  }

  async #open({ id = '', is_here: isHere = true }: TableLine): Promise<void> {
    this.#failed = '';
    try {
      await this.#host.act.open({ id, is_here: isHere });
    } catch (error) {
      this.#failed = errorText(error);
    }
    this.#draw();
  }

  async #export(): Promise<void> {
    const { text, sort, isDescending } = this.#state;
    const columns = shownKeys(this.#state, this.#lines.columns);
    this.#failed = '';
    try {
      const asked = { text, sort, descending: isDescending, columns };
      const csv = await this.#host.rest.post<TableText>('table/csv', asked);
      // with the mark by which spreadsheets know UTF-8
      saveBlob(new Blob(['\ufeff', csv.text], { type: 'text/csv;charset=utf-8' }), 'runs.csv');
      setText(this.#spoken, this.#host.say('{count} runs exported', { count: csv.count }));
    } catch (error) {
      this.#failed = errorText(error);
    }
    this.#draw();
  }

  /** The actions of the panel; what changes jobs has the table ask again. */
  #watched(act: Actions): Actions {
    const again = async (done: Promise<void>): Promise<void> => {
      await done.finally(() => this.#lines.refresh());
    };
    return {
      ...act,
      stop: ids => again(act.stop(ids)),
      annotate: jobs => again(act.annotate(jobs)),
      star: jobs => {
        const ids = jobs.map(job => job.id);
        return again(act.star(jobs).then(() => this.#grid.choice.star(ids, givesStar(jobs))));
      },
      remove: ids =>
        again(
          act.remove(ids).then(() => {
            this.#grid.choice.drop(ids);
            this.#drawChosen();
          })
        )
    };
  }

  // ---- drawing

  #draw(): void {
    const known = this.#lines;
    known.select(this.#question()); // the columns may have become known
    const { say } = this.#host;
    const problem = this.#failed || known.trouble || known.problem;
    setText(this.#problem, plain(problem, 1_000));
    this.#problem.hidden = problem === '';
    this.#filter.setAttribute('aria-invalid', String(problem !== '' && problem === known.problem));
    const empty = !known.isKnown
      ? say('Loading…')
      : known.total === 0
        ? say('No jobs yet. Add %load_ext pai_jupyter and %%pai_train to a notebook.')
        : known.jobs === 0
          ? say('No matching jobs')
          : '';
    setText(this.#empty, empty);
    this.#empty.hidden = empty === '';
    this.#offerGroups();
    void this.#fit();
    this.#drawChosen();
    this.#grid.redraw();
  }

  /** Drop from the selection what the filter hides, and what is gone. Until that is known, nothing is selected. */
  async #fit(): Promise<void> {
    const [text, version] = [this.#state.text, this.#lines.version];
    if (this.#isFitting || (text === this.#fitted.text && version === this.#fitted.version)) {
      return;
    }
    const { choice } = this.#grid;
    const asked = new Set(choice.rows.map(row => row.id));
    this.#isFitting = true;
    try {
      const fitting = asked.size ? await this.#lines.fitting([...asked]) : asked;
      const later = choice.rows.filter(row => !asked.has(row.id)).map(row => row.id); // selected meanwhile
      if (choice.keep(new Set([...fitting, ...later]))) {
        this.#actions.list(choice.rows);
      }
      this.#fitted = later.length ? this.#fitted : { text, version };
    } catch {
      this.#isFitting = false;
      return; // the lines ask again too, and say why there is no answer
    }
    this.#isFitting = false;
    this.#drawChosen();
    this.#grid.redraw();
    await this.#fit(); // the filter may be another by now
  }

  #offerGroups(): void {
    const { say } = this.#host;
    const options = this.#lines.columns
      .filter(column => column.part !== 'metric' && column.kind !== 'time')
      .map((column): Option => [column.key, say('By {column}', { column: headingOf(column, say) })]);
    setOptions(this.#group, [['', say('Not grouped')], ...options]);
    this.#group.value = this.#state.group;
  }

  #drawChosen(): void {
    const { say } = this.#host;
    const { jobs: shown, total: count } = this.#lines;
    const all = say(count === 1 ? '1 job' : '{count} jobs', { count });
    const chosen = this.#fitted.text === this.#state.text ? this.#grid.choice.rows : [];
    this.#actions.draw(chosen, shown < count ? say('{shown} of {count} jobs', { shown, count }) : all);
    const { text, sort, isDescending: descending } = this.#state;
    const { columns, version } = this.#lines;
    this.#trials.update({ text, sort, descending, columns, version, ids: chosen.map(({ id }) => id) });
  }
}

/** What a question calls a job: its name, the values in which those that are selected differ, and its id. */
function nameOf(row: JobRow, selected: readonly JobRow[]): string {
  const labels = new JobLabels();
  labels.update(new Map(selected.map(each => [each.id, each])));
  const name = [plain(row.name, 60), plain(labels.of(row.id), 60)].filter(Boolean).join(' · ');
  return name ? `${name} (${row.id})` : row.id;
}
