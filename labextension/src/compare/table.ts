/**
 * A table with a column a job, which begins with the colour of its curve. Rows in which the jobs differ begin with "≠"
 * and are bold, and can be had alone. What stands stays: numbers change in their cells, nobody is thrown out of the
 * middle of it.
 */

import { swatch } from '../charts/theme.js';
import { fillTable, heading, table } from '../parts/blocks.js';
import { type Child, element, quiet } from '../parts/dom.js';
import type { Say } from '../tokens.js';
import type { Row } from './facts.js';

export class JobTable {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #label: string;
  readonly #place = element('div', { class: 'pj-JobView-scroll', tabindex: 0, role: 'region' });
  readonly #empty: HTMLElement;
  #table: HTMLTableElement | null = null;
  #headings = '';

  /**
   * `label` names the table; `empty` is said where it has no rows, and without that it is not there then; `tools` stand
   * beside its heading.
   */
  constructor(say: Say, label: string, empty: string, ...tools: Child[]) {
    this.#say = say;
    this.#label = label;
    this.#empty = quiet(empty);
    this.#place.setAttribute('aria-label', label);
    const title = heading(label, ...tools);
    this.element = element('div', { class: 'pj-JobView-sideBySide' }, title, this.#place, this.#empty);
  }

  show(labels: readonly string[], rows: readonly Row[]): void {
    const made = this.#tableFor(labels);
    fillTable(
      made,
      rows.map(({ name, texts, differs }) => [differs ? `≠ ${name}` : name, ...texts])
    );
    rows.forEach(({ differs, best = [] }, at) => {
      const row = made.tBodies[0]?.rows[at];
      row?.toggleAttribute('data-differs', differs);
      labels.forEach((_, job) => row?.cells[job + 1]?.toggleAttribute('data-best', best.includes(job)));
    });
    this.element.hidden = rows.length === 0 && this.#empty.textContent === '';
    this.#place.hidden = rows.length === 0;
    this.#empty.hidden = rows.length > 0;
  }

  #tableFor(labels: readonly string[]): HTMLTableElement {
    const headings = JSON.stringify(labels);
    if (!this.#table || headings !== this.#headings) {
      this.#headings = headings;
      this.#table = table(this.#label, [this.#say('Job'), ...labels], []);
      [...(this.#table.tHead?.rows[0]?.cells ?? [])].slice(1).forEach((cell, job) => cell.prepend(swatch(job)));
      this.#table.style.setProperty('--pj-jobs', String(labels.length));
      this.#place.replaceChildren(this.#table);
    }
    return this.#table;
  }
}
