/**
 * The numbers of the charts as HTML tables: every line with its last, least and greatest value, and the points of one.
 *
 * Rule: what stands stays. A change of a value changes the text of its cell, so that a reader who is in the middle of a
 * table, with eyes, keys or a screen reader, is not thrown out of it five times a second.
 */

import { formatTime, formatValue } from './charts/format.js';
import { setText } from './charts/legend.js';
import { element } from './dom.js';
import { plain } from './plain.js';
import type { Line } from './series.js';
import type { Say } from './tokens.js';

const SUMMARY = ['Metric', 'Replica', 'Last', 'Min', 'Max', 'Values', 'nan or inf'];
const POINTS = ['Step', 'Time', 'Value'];
const MAX_POINTS = 200; // rows

export class MetricTable {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #title: (line: Line) => string;
  readonly #summary: HTMLTableSectionElement = element('tbody');
  readonly #points: HTMLTableSectionElement = element('tbody');
  readonly #choice = element('select', { class: 'pj-JobView-select' });
  readonly #note = element('p', { class: 'pj-JobView-note' });
  #lines: readonly Line[] = [];
  #origin = 0;

  /** `title` names the metric of a line. */
  constructor(say: Say, title: (line: Line) => string) {
    this.#say = say;
    this.#title = title;
    const label = element('label', { class: 'pj-JobView-field' }, say('Points of'), this.#choice);
    this.element = element(
      'div', { class: 'pj-JobView-tables' },
      this.#table('Metrics and their values', SUMMARY, this.#summary), label,
      this.#table('Points', POINTS, this.#points), this.#note
    );
    this.#choice.addEventListener('change', () => this.#showPoints());
  }

  /** `origin` is the moment that is time 0. */
  show(lines: readonly Line[], origin: number): void {
    this.#lines = lines;
    this.#origin = origin;
    fill(this.#summary, lines.map(line => this.#row(line)));
    this.#showChoice();
    this.#showPoints();
  }

  #table(caption: string, heads: string[], body: HTMLTableSectionElement): HTMLElement {
    const label = this.#say(caption);
    const cells = heads.map(head => element('th', { scope: 'col' }, this.#say(head)));
    const head = element('thead', {}, element('tr', {}, ...cells));
    const made = element('table', { class: 'pj-JobView-table' }, element('caption', {}, label), head, body);
    // What scrolls must be reachable by keyboard.
    return element('div', { class: 'pj-JobView-scroll', tabindex: 0, role: 'region', 'aria-label': label }, made);
  }

  #row(line: Line): string[] {
    const values = [line.last, line.min, line.max].map(value => formatValue(value, line.unit));
    return [this.#title(line), plain(line.replica), ...values, String(line.count), String(line.odd)];
  }

  #showChoice(): void {
    const options = this.#lines.map(line => ({ key: line.key, text: `${this.#title(line)} · ${plain(line.replica)}` }));
    const isSame = options.length === this.#choice.length
      && options.every(({ key }, index) => this.#choice.options[index]?.value === key);
    if (!isSame) {
      const chosen = this.#choice.value;
      this.#choice.replaceChildren(...options.map(({ key, text }) => element('option', { value: key }, text)));
      this.#choice.value = options.some(({ key }) => key === chosen) ? chosen : (options[0]?.key ?? '');
    }
  }

  #showPoints(): void {
    const line = this.#lines.find(({ key }) => key === this.#choice.value);
    const first = Math.max(0, (line?.length ?? 0) - MAX_POINTS);
    const rows = [...(line?.values ?? [])].slice(first).map((value, index) => {
      const [step = NaN, time = NaN] = [line?.steps[first + index], line?.times[first + index]];
      const text = line?.unit === '' ? String(value).replace('Infinity', 'inf').replace('NaN', 'nan')
        : formatValue(value, line?.unit ?? '');
      return [String(step), formatTime(time - this.#origin), text];
    });
    fill(this.#points, rows);
    const counts = { shown: rows.length, count: line?.count ?? 0, all: line?.length ?? 0 };
    setText(this.#note, line ? this.#say('The last {shown} of {count} values; CSV has {all} of them.', counts) : '');
  }
}

/** Make `body` have these rows of text; the first cell heads its row. */
function fill(body: HTMLTableSectionElement, rows: readonly string[][]): void {
  while (body.rows.length > rows.length) {
    body.deleteRow(-1);
  }
  rows.forEach((texts, index) => {
    let row = body.rows[index];
    if (row === undefined) {
      row = element('tr', {}, element('th', { scope: 'row' }), ...texts.slice(1).map(() => element('td')));
      body.append(row);
    }
    texts.forEach((text, column) => {
      const cell = row.cells[column];
      if (cell) {
        setText(cell, text);
      }
    });
  });
}
