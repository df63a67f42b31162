/**
 * What panes are made of: tables, headings, blocks of text, and a button to copy them.
 */

import type { Context } from '../tokens.js';
import { copyText } from './copy.js';
import { button, type Child, element, setText } from './dom.js';

/** A table; the first cell of a row is its heading. `numbers` has the columns that are right-aligned. */
export function table(
  label: string,
  headings: readonly string[],
  rows: readonly Child[][],
  numbers: readonly number[] = []
): HTMLTableElement {
  const head = headings.map((text, at) => element('th', { scope: 'col', class: kind(at, numbers) }, text));
  return element(
    'table',
    { class: 'pj-JobView-table', 'aria-label': label },
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...rows.map(row => tableRow(row, numbers)))
  );
}

/**
 * Make the table have these rows of text. What stands stays: a reader who is in the middle of it, with eyes, keys or a
 * screen reader, is not thrown out of it by a number that changes.
 */
export function fillTable(made: HTMLTableElement, rows: readonly string[][], numbers: readonly number[] = []): void {
  const body = made.tBodies[0];
  while (body && body.rows.length > rows.length) {
    body.deleteRow(-1);
  }
  rows.forEach((texts, at) => {
    const row = body?.rows[at];
    if (row) {
      texts.forEach((text, column) => setText(row.cells[column] ?? row, text));
    } else {
      body?.append(tableRow(texts, numbers));
    }
  });
}

function tableRow(cells: readonly Child[], numbers: readonly number[]): HTMLTableRowElement {
  return element(
    'tr',
    {},
    ...cells.map((cell, at) => {
      return at === 0 ? element('th', { scope: 'row' }, cell) : element('td', { class: kind(at, numbers) }, cell);
    })
  );
}

function kind(at: number, numbers: readonly number[]): string | null {
  return numbers.includes(at) ? 'pj-JobView-number' : null;
}

/** A heading with what can be done about the part that it begins. */
export function heading(text: string, ...tools: Child[]): HTMLElement {
  return element('div', { class: 'pj-JobView-heading' }, element('h3', {}, text), ...tools);
}

/** A small button that copies this text. */
export function copyButton(context: Context, text: string, what: string): HTMLElement {
  const { say } = context;
  const said = element('span', { class: 'pj-JobView-quiet', 'aria-hidden': 'true' });
  const made = button(say('Copy'), 'small', () => void copyText(text, context, said));
  made.setAttribute('aria-label', `${say('Copy')}: ${what}`);
  return element('span', { class: 'pj-JobView-copy' }, said, made);
}

/** Text in a block that scrolls, and so can be focused. */
export function textBlock(text: string, label: string): HTMLElement {
  return element('pre', { class: 'pj-JobView-block', tabindex: 0, role: 'group', 'aria-label': label }, text);
}
