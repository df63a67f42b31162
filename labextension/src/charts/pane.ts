/** What the tabs of charts have in common: series in, a board of cards or tables of the same numbers, CSV out. */

import { explained, isOn, toggle } from '../parts/controls.js';
import { button, Disposables, element, quiet, setText } from '../parts/dom.js';
import { fileName, saveBlob } from '../parts/download.js';
import { plain } from '../text/plain.js';
import type { Context, Pane, Push } from '../tokens.js';
import { Board } from './board.js';
import { MAX_LINES, type Plan } from './card.js';
import type { ChartMaker } from './chart.js';
import { Feed } from './feed.js';
import { csv, type Line, type Look } from './series.js';
import { MetricTable } from './table.js';

/** In what one tab differs from the other. */
export interface Design {
  readonly group: 'metrics' | 'usage';
  readonly empty: string; // what to know or do where there are no series
  readonly controls: readonly HTMLElement[];
  title(line: Line): string;
  /** The lines that the user wants to see, in order. */
  choose(lines: Line[]): Line[];
  plan(lines: Line[]): Plan[];
  look(origin: number): Look;
}

export class ChartPane implements Pane {
  readonly element: HTMLElement;
  readonly #context: Context;
  readonly #design: Design;
  readonly #trash = new Disposables();
  readonly #feed: Feed;
  readonly #board: Board;
  readonly #table: MetricTable;
  readonly #message = element('p', { role: 'status' });
  readonly #again: HTMLButtonElement;
  readonly #notes = quiet('');
  readonly #tools: HTMLElement;
  readonly #asTable: HTMLButtonElement;
  #trouble = '';
  #isShown = false;

  constructor(context: Context, design: Design, load: () => Promise<ChartMaker>) {
    this.#context = context;
    this.#design = design;
    const { say } = context;
    this.#feed = new Feed(context, design.group, () => this.#changed(), message => this.#failed(message));
    this.#board = new Board(context, load, () => this.#failed(say('The charts could not be loaded. Reload the page.')));
    this.#table = new MetricTable(say, line => design.title(line));
    this.#asTable = toggle(say('Table'), () => this.#turn());
    this.#again = button(say('Try again'), 'small', () => this.#retry());
    const download = explained(button('CSV', 'small', () => this.#download()), say('Save all values as CSV'));
    const saving = element('span', { class: 'pj-JobView-group pj-JobView-last' }, this.#asTable, download);
    this.#tools = element('div', { class: 'pj-JobView-tools' }, ...design.controls, saving);
    this.element = element(
      'div', { class: 'pj-JobView-charts' }, this.#tools, this.#notes, this.#message, this.#again,
      this.#board.element, this.#table.element
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
    this.#feed.update(push, buffers);
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
    this.#board.element.hidden = isOn(this.#asTable) || lines.length === 0;
    this.#table.element.hidden = !isOn(this.#asTable) || lines.length === 0;
    this.#again.hidden = this.#trouble === '';
    setText(this.#message, this.#trouble || this.#advice(all.length, lines.length));
    this.#message.hidden = this.#message.textContent === '';
    setText(this.#notes, this.#feed.notes.map(note => plain(note)).join(' '));
    this.#notes.hidden = this.#notes.textContent === '';
    if (this.#isShown && isOn(this.#asTable)) {
      this.#table.show(lines, this.#origin(all));
    } else if (this.#isShown) {
      this.#board.show(design.plan(lines), design.look(this.#origin(all)));
    }
  }

  #advice(all: number, chosen: number): string {
    const { say } = this.#context;
    if (all === 0) {
      return this.#feed.isWaiting ? say('Loading…') : this.#design.empty;
    }
    return chosen === 0 ? say('No name has this in it.') : '';
  }

  /** When the job began to run; before that, when it was made. */
  #origin(lines: Line[]): number {
    const { state, job } = this.#context.model;
    return state.entered.running ?? job?.created ?? lines[0]?.times[0] ?? 0;
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
    this.#board.isAwake = this.#isShown && !isOn(this.#asTable);
  }

  #download(): void {
    const name = `${this.#context.model.job?.name ?? this.#context.source.job}-${this.#design.group}.csv`;
    saveBlob(new Blob([csv(this.#feed.lines)], { type: 'text/csv' }), fileName(name));
  }
}

/** A plan for one chart of `lines`; `named` tells lines of different metrics apart, replicas are told apart anyway. */
export function planOf(
  lines: Line[], more: Omit<Plan, 'lines' | 'labels' | 'note'>, { say }: Context, named = false
): Plan {
  const drawn = lines.slice(0, MAX_LINES);
  const counts = { shown: drawn.length, count: lines.length };
  const isCut = drawn.length < lines.length;
  const note = isCut ? say('The first {shown} of {count} lines; the table has all.', counts) : '';
  return { ...more, lines: drawn, labels: drawn.map(line => labelOf(line, drawn, named)), note };
}

function labelOf(line: Line, lines: Line[], named: boolean): string {
  const others = lines.filter(other => other !== line && other.name === line.name);
  const parts = [
    named ? plain(line.name) : '',
    others.some(other => other.replica !== line.replica) ? plain(line.replica) : '',
    others.some(other => other.source !== line.source) && line.source === 'tensorboard' ? 'TensorBoard' : ''
  ];
  return parts.filter(part => part !== '').join(' · ');
}
