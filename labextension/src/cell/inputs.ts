/**
 * The inputs of the job: a field for each that the script declares, and rows of a channel's name and the address of its
 * data, to be added and removed.
 *
 * Rule: until the server has said what is declared, an input of the line is a row like any other.
 */

import type { ChannelRow } from '../panel/protocol.js';
import { button, element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { Field, textControl } from './fields.js';
import type { Part, Setting } from './magicline.js';
import { hasBreak } from './shlex.js';

interface Row {
  readonly element: HTMLElement;
  readonly isDeclared: boolean;
  readonly name: string;
  readonly address: string;
  readonly lacks: boolean; // the script requires it
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
    this.#add = button(say('Add an input'), 'small', () => this.#append('', '').focus());
    this.element.append(this.#error, this.#add);
    for (const { option, value } of parts) {
      if (option === 'input') {
        const at = value.indexOf('=');
        this.#append(at < 0 ? value : value.slice(0, at), at < 0 ? '' : value.slice(at + 1));
      }
    }
  }

  get settings(): Setting[] {
    const said = this.#rows.filter(({ isDeclared, name, address }) => address || (name && !isDeclared));
    return said.map(({ name, address }) => ({ option: 'input', value: `${name}=${address}` }));
  }

  /** Whether one that the script requires has no place. */
  get lacksOne(): boolean {
    return this.#rows.some(({ lacks, address }) => lacks && address === '');
  }

  /** Say what is wrong below the rows; whether something is. */
  check(): boolean {
    const complaint = this.#complaint();
    this.#error.textContent = complaint;
    this.#error.hidden = complaint === '';
    return complaint !== '';
  }

  /** These are declared: each has a field, and so no row of its own. */
  draw(channels: readonly ChannelRow[]): void {
    const declared = channels.map(channel => {
      const old = this.#rows.find(({ name }) => name === channel.name);
      old?.element.remove();
      return this.#field(channel, old?.address ?? '');
    });
    const names = new Set(channels.map(({ name }) => name));
    this.#rows = [...declared, ...this.#rows.filter(({ name }) => !names.has(name))];
    this.element.prepend(...declared.map(row => row.element));
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

  #field({ name, help, required }: ChannelRow, address: string): Row {
    const label = plain(name, 100);
    const about = plain(help, 300) || this.#say('a path, or a URI such as oss://bucket/data/');
    const field = new Field(required ? `${label} *` : label, textControl(address), about);
    return {
      element: field.element,
      isDeclared: true,
      name,
      lacks: required,
      get address() {
        return field.text.trim();
      }
    };
  }

  /** The field of the name of a new row. */
  #append(channel: string, uri: string): HTMLInputElement {
    const say = this.#say;
    const [name, address] = [box(say('Channel'), 'train', channel), box(say('Address'), 'oss://bucket/data/', uri)];
    const remove = button(say('Remove'), 'small', () => this.#remove(row));
    const made = element('div', { class: 'pj-JobView-formControl', role: 'group', 'aria-label': say('Input') });
    made.append(name, address, remove);
    const row: Row = {
      element: made,
      isDeclared: false,
      lacks: false,
      get name() {
        return name.value.trim();
      },
      get address() {
        return address.value.trim();
      }
    };
    this.#rows.push(row);
    this.#error.before(made);
    return name;
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
