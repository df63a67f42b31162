/**
 * One file or directory as an element of the list: its name, and as far as there is room, its size and its time.
 */

import type { StoredEntry } from '../panel/protocol.js';
import type { RowView } from '../panel/virtuallist.js';
import { element, setText } from '../parts/dom.js';
import { bytes, moment } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';

export const ENTRY_HEIGHT = 24; // pixels, as storage.css has it

export class EntryView implements RowView<StoredEntry> {
  readonly element = element('div', { class: 'pj-Storage-entry', role: 'option' });
  readonly #say: Say;
  readonly #name = element('span', { class: 'pj-Storage-name', dir: 'auto' });
  readonly #size = element('span', { class: 'pj-Storage-size' });
  readonly #time = element('span', { class: 'pj-Storage-time' });
  #entry: StoredEntry | null = null;

  constructor(say: Say) {
    this.#say = say;
    this.element.append(this.#name, ' ', this.#size, ' ', this.#time); // with spaces for those who hear it
  }

  draw(entry: StoredEntry): void {
    if (entry === this.#entry) {
      return;
    }
    this.#entry = entry;
    const { is_directory, size, modified } = entry;
    const name = plain(entry.uri === 'job:' ? this.#say('Jobs') : entry.name, 500);
    const [weight, time] = [is_directory ? '' : bytes(size), modified === null ? '' : moment(modified)];
    this.element.toggleAttribute('data-directory', is_directory);
    setText(this.#name, is_directory ? `${name}/` : name);
    setText(this.#size, weight);
    setText(this.#time, time);
    this.element.title = [name, weight, time].filter(Boolean).join('\n');
  }
}
