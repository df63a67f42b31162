/**
 * One long line, whole: a panel over the log. The text is cut into blocks that a browser lays out only when they are
 * seen, so that a line of a megabyte does not hold up the page.
 */

import { button, Disposables, element } from '../parts/dom.js';
import { Loading } from '../parts/loading.js';
import type { Say } from '../tokens.js';
import { plainText } from './ansi.js';

const BLOCK = 4_000; // characters

export class WholeLine {
  readonly element = element('div', { class: 'pj-JobView-whole', role: 'dialog', tabindex: -1, hidden: true });
  readonly #say: Say;
  readonly #closed: () => void;
  readonly #title = element('span');
  readonly #text = element('div', { class: 'pj-JobView-wholeText', tabindex: 0, role: 'group' });
  readonly #lasting = new Disposables();
  #loading: Loading | null = null;

  /** `closed` is called when the user closes it. */
  constructor(say: Say, closed: () => void) {
    this.#say = say;
    this.#closed = closed;
    this.#text.setAttribute('aria-label', say('The whole line'));
    const close = button(say('Close'), 'small', () => this.#close());
    this.element.append(element('div', { class: 'pj-JobView-wholeHead' }, this.#title, close), this.#text);
    this.#lasting.listen(this.element, 'keydown', event => {
      if (event.key === 'Escape') {
        event.stopPropagation();
        this.#close();
      }
    });
  }

  /** Show what `bring` gives, under this title. */
  async open(title: string, bring: () => Promise<string>): Promise<void> {
    this.#loading?.dispose();
    this.#loading = new Loading(this.#say);
    this.#title.textContent = title;
    this.element.setAttribute('aria-label', title);
    this.#text.replaceChildren(this.#loading.element);
    this.element.hidden = false;
    this.element.focus();
    await this.#loading.load(bring, line => blocksOf(line).map(block => element('pre', {}, block)));
  }

  dispose(): void {
    this.#loading?.dispose();
    this.#lasting.dispose();
  }

  #close(): void {
    this.#loading?.dispose();
    this.#text.replaceChildren();
    this.element.hidden = true;
    this.#closed();
  }
}

/** The text in blocks, none of which ends within a letter. */
export function blocksOf(line: string): string[] {
  const text = plainText(line);
  const blocks: string[] = [];
  for (let start = 0; start < text.length;) {
    const isSplit = /[\ud800-\udbff]/.test(text.charAt(start + BLOCK - 1));
    const stop = start + BLOCK + (isSplit ? 1 : 0);
    blocks.push(text.slice(start, stop));
    start = stop;
  }
  return blocks;
}
