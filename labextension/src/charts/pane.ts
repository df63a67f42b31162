/** What all panes of charts have in common: series in, a board of cards or tables of the same numbers, CSV out. */

import { withTooltip, isPressed, toggle } from '../parts/controls.js';
import { button, Disposables, element, quiet, setText } from '../parts/dom.js';
import { fileName, saveBlob } from '../parts/download.js';
import { plain } from '../text/sanitize.js';
import type { Context, JobModel, Pane, Push } from '../tokens.js';
import { CardGrid } from './cardgrid.js';
import { MAX_LINES, type ChartSpec, type ChartContext } from './card.js';
import type { ChartMaker } from './chart.js';
import { SeriesFeed } from './feed.js';
import { csv, type Line, type ChartSettings } from './series.js';
import { MetricTable } from './table.js';

/** Where the lines of a pane come from. */
export interface SeriesSource {
  readonly lines: Line[];
  readonly isWaiting: boolean; // for the first of them
  readonly notes: readonly string[];
  show(isShown: boolean): void;
  ask(): void;
  /** Take in a push, where pushes come to the pane. */
  update?(push: Push, buffers: ArrayBuffer[]): void;
  dispose(): void;
}

/** In what one pane differs from the other. */
export interface ChartPaneOptions {
  feed(changed: () => void, failed: (message: string) => void): SeriesSource;
  /** The moment that is time 0. */
  origin(lines: Line[]): number;
  /** The name of the file with all values. */
  file(): string;
  readonly empty: string; // what to know or do where there are no series
  readonly controls: readonly HTMLElement[];
  title(line: Line): string;
  /** The lines that the user wants to see, in order. */
  choose(lines: Line[]): Line[];
  plan(lines: Line[]): ChartSpec[];
  look(origin: number): ChartSettings;
}

export class ChartPane implements Pane {
  readonly element: HTMLElement;
  readonly #voice: ChartContext;
  readonly #design: ChartPaneOptions;
  readonly #trash = new Disposables();
  readonly #feed: SeriesSource;
  readonly #board: CardGrid;
  readonly #table: MetricTable;
  readonly #message = element('p', { role: 'status' });
  readonly #again: HTMLButtonElement;
  readonly #notes = quiet('');
  readonly #tools: HTMLElement;
  readonly #asTable: HTMLButtonElement;
  #trouble = '';
  #isShown = false;

  constructor(voice: ChartContext, design: ChartPaneOptions, load: () => Promise<ChartMaker>) {
    this.#voice = voice;
    this.#design = design;
    const { say } = voice;
    this.#feed = design.feed(
      () => this.#changed(),
      message => this.#failed(message)
    );
    this.#board = new CardGrid(voice, load, () =>
      this.#failed(say('The charts could not be loaded. Reload the page.'))
    );
    this.#table = new MetricTable(say, line => design.title(line));
    this.#asTable = toggle(say('Table'), () => this.#turn());
    this.#again = button(say('Try again'), 'small', () => this.#retry());
    const download = withTooltip(
      button('CSV', 'small', () => this.#download()),
      say('Save all values as CSV')
    );
    const saving = element('span', { class: 'pj-JobView-group pj-JobView-last' }, this.#asTable, download);
    this.#tools = element('div', { class: 'pj-JobView-tools' }, ...design.controls, saving);
    this.element = element(
      'div',
      { class: 'pj-JobView-charts' },
      this.#tools,
      this.#notes,
      this.#message,
      this.#again,
      this.#board.element,
      this.#table.element
    );
    this.#trash.add(() => this.#board.dispose());
    this.#trash.add(() => this.#feed.dispose());
    this.refresh();
  }

  show(isShown: boolean): void {
    this.#isShown = isShown;
    this.#feed.show(isShown);
    this.#wakeBoard();
    this.refresh();
  }

  update(push: Push, buffers: ArrayBuffer[]): void {
    this.#feed.update?.(push, buffers);
  }

  dispose(): void {
    this.#isShown = false;
    this.#trash.dispose();
    this.element.remove();
  }

  /** Show what there is, as the controls are set. */
  refresh(): void {
    const design = this.#design;
    const all = this.#feed.lines;
    const lines = design.choose(all);
    this.#tools.hidden = all.length === 0;
    this.#board.element.hidden = isPressed(this.#asTable) || lines.length === 0;
    this.#table.element.hidden = !isPressed(this.#asTable) || lines.length === 0;
    this.#again.hidden = this.#trouble === '';
    setText(this.#message, this.#trouble || this.#advice(all.length, lines.length));
    this.#message.hidden = this.#message.textContent === '';
    setText(this.#notes, this.#feed.notes.map(note => plain(note)).join(' '));
    this.#notes.hidden = this.#notes.textContent === '';
    if (this.#isShown && isPressed(this.#asTable)) {
      this.#table.show(lines, design.origin(all));
    } else if (this.#isShown) {
      this.#board.show(design.plan(lines), design.look(design.origin(all)));
    }
  }

  #advice(all: number, chosen: number): string {
    const { say } = this.#voice;
    if (all === 0) {
      return this.#feed.isWaiting ? say('Loading…') : this.#design.empty;
    }
    return chosen === 0 ? say('No matching metrics') : '';
  }

  #changed(): void {
    this.#trouble = '';
    this.refresh();
  }

  #failed(message: string): void {
    this.#trouble = message;
    this.refresh();
  }

  #turn(): void {
    this.#wakeBoard();
    this.refresh();
  }

  #retry(): void {
    this.#wakeBoard();
    this.#feed.ask();
  }

  #wakeBoard(): void {
    this.#board.isAwake = this.#isShown && !isPressed(this.#asTable);
  }

  #download(): void {
    saveBlob(new Blob([csv(this.#feed.lines)], { type: 'text/csv' }), fileName(this.#design.file()));
  }
}

/** The part of a design that is the same in all tabs of a job. */
export function ofJob(
  { source, model }: Context,
  group: 'metrics' | 'usage'
): Pick<ChartPaneOptions, 'feed' | 'origin' | 'file'> {
  return {
    feed: (changed, failed) => new SeriesFeed(source, group, changed, failed),
    origin: lines => startTime(model, lines),
    file: () => `${model.job?.name ?? source.job}-${group}.csv`
  };
}

/** When a job began to run; before that, when it was made. */
export function startTime({ state, job }: JobModel, lines: readonly Line[]): number {
  return state.entered.running ?? job?.created ?? lines[0]?.times[0] ?? 0;
}

/** What a line is called in a chart of `lines`. */
export type Label = (line: Line, lines: readonly Line[]) => string;

/** Which colour and pattern each of the lines of a chart has. */
export type Style = (lines: readonly Line[]) => number[];

const inTurn: Style = lines => lines.map((_, index) => index);

/** A plan for one chart of `lines`, which are of one unit. */
export function chartSpec(
  lines: Line[],
  more: Pick<ChartSpec, 'key' | 'title'> & Partial<Pick<ChartSpec, 'fromZero' | 'isLarge'>>,
  { say }: ChartContext,
  label: Label = asReplica,
  style: Style = inTurn
): ChartSpec {
  const drawn = lines.slice(0, MAX_LINES);
  const counts = { shown: drawn.length, count: lines.length };
  const isCut = drawn.length < lines.length;
  const note = isCut ? say('The first {shown} of {count} lines; the table has all.', counts) : '';
  return {
    fromZero: false,
    isLarge: false,
    ...more,
    unit: drawn[0]?.unit ?? '',
    lines: drawn,
    labels: drawn.map(line => label(line, drawn)),
    styles: style(drawn),
    note
  };
}

/** Told from those of the same metric: other replicas, and what TensorBoard has beside the log. */
export const asReplica: Label = (line, lines) => {
  const others = lines.filter(other => other !== line && other.name === line.name);
  const parts = [
    others.some(other => other.replica !== line.replica) ? plain(line.replica) : '',
    others.some(other => other.source !== line.source) && line.source === 'tensorboard' ? 'TensorBoard' : ''
  ];
  return joined(parts);
};

/** Told from lines of other metrics too. */
export const asMetric: Label = (line, lines) => joined([plain(line.name), asReplica(line, lines)]);

export function joined(parts: readonly string[]): string {
  return parts.filter(part => part !== '').join(' · ');
}
