/**
 * What is wrong with the cell, as the server reads it.
 *
 * Rule: that the job lacks a name is wrong no more while that name is sent.
 */

import type { SchemaAnswer } from '../panel/protocol.js';
import { element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';

const SIGNS: Readonly<Record<string, string>> = { error: '✗', warning: '⚠', info: '·' };

type Row = SchemaAnswer['findings'][number];

export class CellFindings {
  readonly element = element('section', { hidden: '' });
  readonly #say: Say;
  readonly #title: string;
  #items: readonly { readonly row: Row; readonly element: HTMLElement }[] = [];

  constructor(say: Say, title: string) {
    this.#say = say;
    this.#title = title;
  }

  /** Whether one of those that are shown is an error, with which no job starts. */
  get hasErrors(): boolean {
    return this.#items.some(({ row, element: item }) => row.level === 'error' && !item.hidden);
  }

  draw(findings: readonly Row[]): void {
    this.#items = findings.map(row => ({ row, element: this.#item(row) }));
    const list = element('ul', { class: 'pj-JobView-findings' }, ...this.#items.map(({ element: item }) => item));
    const title = element('h3', {}, this.#title);
    this.element.replaceChildren(...(this.#items.length ? [title, list] : []));
  }

  /** Show those that are not answered by sending these names. */
  check(sent: readonly string[]): void {
    for (const { row, element: item } of this.#items) {
      item.hidden = Boolean(row.name) && sent.includes(row.name);
    }
    this.element.hidden = this.#items.every(({ element: item }) => item.hidden);
  }

  #item({ level, line, message }: Row): HTMLElement {
    const place = line === null ? '' : `${this.#say('cell line {line}', { line })}: `;
    const sign = Object.hasOwn(SIGNS, level) ? SIGNS[level] : '';
    return element('li', { 'data-level': plain(level, 20) }, `${sign} ${place}${plain(message, 1_000)}`);
  }
}
