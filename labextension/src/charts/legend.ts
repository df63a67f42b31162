/**
 * What the lines of a chart are called, the value of each, and from where to where it goes. A line that needs no name
 * has what its value is in that place, and no colour to be told by.
 */

import { element, setText } from '../parts/dom.js';
import { swatch } from './theme.js';

export interface LegendLine {
  label: string;
  style: number | null;
  value: string;
  range: string;
}

export class Legend {
  readonly element = element('div', { class: 'pj-JobView-legend' });
  readonly #note = element('div', { class: 'pj-JobView-legendNote' });
  #styles = '';
  #rows: { label: HTMLElement; value: HTMLElement; range: HTMLElement }[] = [];

  /** `note`: what else there is to know. */
  show(lines: readonly LegendLine[], note: string): void {
    const styles = JSON.stringify(lines.map(({ style }) => style));
    if (styles !== this.#styles) {
      this.#styles = styles;
      this.#rows = [];
      this.element.replaceChildren(...lines.map(({ style }) => this.#row(style)), this.#note);
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

  #row(style: number | null): HTMLElement {
    const row = {
      label: element('span', { class: 'pj-JobView-legendLabel' }),
      value: element('span', { class: 'pj-JobView-legendValue' }),
      range: element('span', { class: 'pj-JobView-legendRange' })
    };
    this.#rows.push(row);
    row.label.classList.toggle('pj-JobView-legendPlain', style === null);
    const begin = style === null ? [] : [swatch(style)];
    return element('div', { class: 'pj-JobView-legendLine' }, ...begin, row.label, row.value, row.range);
  }
}
