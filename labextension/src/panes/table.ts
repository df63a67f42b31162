/**
 * Tables and blocks of text with a button to copy them, as several panes show them.
 */

import { copyText } from '../copy.js';
import { button, element, type Child } from '../dom.js';
import type { Context } from '../tokens.js';

/** A table; the first cell of a row is its heading. `numbers` has the columns that are right-aligned. */
export function table(label: string, headings: string[], rows: Child[][], numbers: number[] = []): HTMLElement {
  const made = element('table', { class: 'pj-JobView-table', 'aria-label': label });
  const head = headings.map((text, at) => element('th', { scope: 'col', class: kind(at, numbers) }, text));
  made.append(
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...rows.map(row => element('tr', {}, ...row.map((cell, at) => tableCell(cell, at, numbers)))))
  );
  return made;
}

function tableCell(cell: Child, at: number, numbers: number[]): HTMLElement {
  return at === 0 ? element('th', { scope: 'row' }, cell) : element('td', { class: kind(at, numbers) }, cell);
}

function kind(at: number, numbers: number[]): string | null {
  return numbers.includes(at) ? 'pj-JobView-number' : null;
}

/** A heading with what can be done about the part that it begins. */
export function heading(text: string, ...tools: Child[]): HTMLElement {
  return element('div', { class: 'pj-JobView-heading' }, element('h3', {}, text), ...tools);
}

/** A small button that copies this text. */
export function copyButton(context: Context, text: string, what: string): HTMLElement {
  const { say, announce } = context;
  const place = element('span', { class: 'pj-JobView-copy' });
  const said = element('span', { class: 'pj-JobView-quiet', 'aria-hidden': 'true' });
  const tell = (message: string) => {
    said.textContent = message;
    announce(message);
  };
  const made = button(say('Copy'), 'small', () => void copyText(text, { place, say, announce: tell }));
  made.setAttribute('aria-label', `${say('Copy')}: ${what}`);
  place.append(made, said);
  return place;
}

/** Text in a block that scrolls, and so can be focused. */
export function textBlock(text: string, label: string): HTMLElement {
  return element('pre', { class: 'pj-JobView-block', tabindex: 0, role: 'group', 'aria-label': label }, text);
}
