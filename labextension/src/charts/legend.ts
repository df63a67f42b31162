/** What the lines of a chart are called, the value of each, and from where to where it goes. */

import { element, setText } from '../parts/dom.js';
import { swatch } from './skin.js';

export interface LegendLine { label: string; value: string; range: string }

export class Legend {
  readonly element = element('div', { class: 'pj-JobView-legend' });
  readonly #note = element('div', { class: 'pj-JobView-legendNote' });
  #rows: { label: HTMLElement; value: HTMLElement; range: HTMLElement }[] = [];

  /** `note`: what else there is to know. */
  show(lines: readonly LegendLine[], note: string): void {
    if (lines.length !== this.#rows.length) {
      this.element.replaceChildren(...lines.map((_, index) => this.#row(index)), this.#note);
    }
    setText(this.#note, note);
    lines.forEach((line, index) => {
      const row = this.#rows[index];
      if (row) {
        setText(row.label, line.label);
        row.label.title = line.label;
        setText(row.value, line.value);
        setText(row.range, line.range);
      }
    });
  }

  #row(index: number): HTMLElement {
    const row = {
      label: element('span', { class: 'pj-JobView-legendLabel' }),
      value: element('span', { class: 'pj-JobView-legendValue' }),
      range: element('span', { class: 'pj-JobView-legendRange' })
    };
    this.#rows = [...this.#rows.slice(0, index), row];
    return element('div', { class: 'pj-JobView-legendLine' }, swatch(index), row.label, row.value, row.range);
  }
}
