/** The inputs of the job: rows of a channel's name and the address of its data, to be added and removed. */

import { button, element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import type { Part, Setting } from './magicline.js';
import { hasBreak } from './shlex.js';

interface Row {
  readonly element: HTMLElement;
  readonly name: HTMLInputElement;
  readonly address: HTMLInputElement;
}

export class InputRows {
  readonly element = element('div', { class: 'pj-JobView-inputRows' });
  readonly #say: Say;
  readonly #changed: () => void;
  readonly #error = element('p', { class: 'pj-JobView-fieldError', role: 'alert' });
  readonly #add: HTMLButtonElement;
  #rows: Row[] = [];

  constructor(say: Say, parts: readonly Part[], changed: () => void) {
    this.#say = say;
    this.#changed = changed;
    this.#add = button(say('Add an input'), 'small', () => this.#append('', '').name.focus());
    this.element.append(this.#error, this.#add);
    for (const { option, value } of parts) {
      if (option === 'input') {
        const at = value.indexOf('=');
        this.#append(at < 0 ? value : value.slice(0, at), at < 0 ? '' : value.slice(at + 1));
      }
    }
  }

  get settings(): Setting[] {
    const pairs = this.#rows.map(({ name, address }) => [name.value.trim(), address.value.trim()] as const);
    return pairs.filter(pair => pair.some(Boolean)).map(pair => ({ option: 'input', value: pair.join('=') }));
  }

  /** Say what is wrong below the rows; whether something is. */
  check(): boolean {
    const complaint = this.#complaint();
    this.#error.textContent = complaint;
    this.#error.hidden = complaint === '';
    return complaint !== '';
  }

  #complaint(): string {
    const pairs = this.settings.map(({ value }) => value);
    const names = pairs.map(pair => pair.slice(0, pair.indexOf('=')));
    if (pairs.some(hasBreak)) {
      return this.#say('Line breaks are not allowed.');
    }
    if (pairs.some(pair => /^=|=$/.test(pair))) {
      return this.#say('An input needs a name and a path, e.g. train and ./data.');
    }
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    return twice === undefined
      ? ''
      : this.#say('There are two inputs called {name}. Keep one of them.', { name: plain(twice, 100) });
  }

  #append(channel: string, uri: string): Row {
    const say = this.#say;
    const [name, address] = [box(say('Channel'), 'train', channel), box(say('Address'), 'oss://bucket/data/', uri)];
    const remove = button(say('Remove'), 'small', () => this.#remove(row));
    const made = element('div', { class: 'pj-JobView-formControl', role: 'group', 'aria-label': say('Input') });
    made.append(name, address, remove);
    const row: Row = { element: made, name, address };
    this.#rows.push(row);
    this.#error.before(made);
    return row;
  }

  #remove(row: Row): void {
    this.#rows = this.#rows.filter(one => one !== row);
    row.element.remove();
    this.#add.focus(); // the button that had it is gone
    this.#changed();
  }
}

function box(label: string, example: string, text: string): HTMLInputElement {
  const made = element('input', {
    type: 'text',
    class: 'pj-JobView-input',
    'aria-label': label,
    placeholder: example,
    autocomplete: 'off'
  });
  made.spellcheck = false;
  made.value = text;
  return made;
}
