/**
 * The numbers of the charts as HTML tables: every line with its last, least and greatest value, and the points of one.
 */

import { fillTable, table } from '../parts/blocks.js';
import { choice, field, setOptions } from '../parts/controls.js';
import { element, quiet, setText } from '../parts/dom.js';
import { formatValue, stopwatch } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import type { Line } from './series.js';

const SUMMARY = ['Metric', 'Replica', 'Last', 'Min', 'Max', 'Values', 'NaN or Inf'];
const POINTS = ['Step', 'Time', 'Value'];
const [SUMMARY_NUMBERS, POINT_NUMBERS] = [
  [2, 3, 4, 5, 6],
  [1, 2]
]; // columns
const MAX_POINTS = 200; // rows

export class MetricTable {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #title: (line: Line) => string;
  readonly #summary: HTMLTableElement;
  readonly #points: HTMLTableElement;
  readonly #choice: HTMLSelectElement;
  readonly #note = quiet('');
  #lines: readonly Line[] = [];
  #origin = 0;

  /** `title` names the metric of a line. */
  constructor(say: Say, title: (line: Line) => string) {
    this.#say = say;
    this.#title = title;
    this.#summary = table(
      say('Metrics and their values'),
      SUMMARY.map(head => say(head)),
      [],
      SUMMARY_NUMBERS
    );
    this.#points = table(
      say('Points'),
      POINTS.map(head => say(head)),
      [],
      POINT_NUMBERS
    );
    this.#choice = choice(say('Points of'), [], () => this.#showPoints());
    this.element = element(
      'div',
      { class: 'pj-JobView-tables' },
      scrolling(this.#summary),
      field(say('Points of'), this.#choice),
      scrolling(this.#points),
      this.#note
    );
  }

  /** `origin` is the moment that is time 0. */
  show(lines: readonly Line[], origin: number): void {
    this.#lines = lines;
    this.#origin = origin;
    fillTable(
      this.#summary,
      lines.map(line => this.#row(line)),
      SUMMARY_NUMBERS
    );
    setOptions(
      this.#choice,
      lines.map(line => [line.key, `${this.#title(line)} · ${plain(line.replica)}`])
    );
    this.#showPoints();
  }

  #row(line: Line): string[] {
    const values = [line.last, line.min, line.max].map(value => formatValue(value, line.unit));
    return [this.#title(line), plain(line.replica), ...values, String(line.count), String(line.odd)];
  }

  #showPoints(): void {
    const line = this.#lines.find(({ key }) => key === this.#choice.value);
    const first = Math.max(0, (line?.length ?? 0) - MAX_POINTS);
    const rows = [...(line?.values ?? [])].slice(first).map((value, index) => {
      const [step = NaN, time = NaN] = [line?.steps[first + index], line?.times[first + index]];
      return [String(step), stopwatch(time - this.#origin), this.#value(value, line?.unit ?? '')];
    });
    fillTable(this.#points, rows, POINT_NUMBERS);
    const counts = { shown: rows.length, count: line?.count ?? 0, all: line?.length ?? 0 };
    setText(this.#note, line ? this.#say('The last {shown} of {count} values; CSV has {all} of them.', counts) : '');
  }

  /** A bare number whole, since this is where one looks it up. */
  #value(value: number, unit: string): string {
    return unit === '' && Number.isFinite(value) ? String(value) : formatValue(value, unit);
  }
}

/** What scrolls must be reachable by keyboard. */
function scrolling(made: HTMLTableElement): HTMLElement {
  const label = made.getAttribute('aria-label');
  return element('div', { class: 'pj-JobView-scroll', tabindex: 0, role: 'region', 'aria-label': label }, made);
}
