/** Which columns are shown: a list of all of them to be searched, each with a box to be checked. */

import { searchBox } from '../parts/controls.js';
import { button, Disposables, element, quiet } from '../parts/dom.js';
import type { Say } from '../tokens.js';
import { headingOf } from './cells.js';
import type { TableColumn } from './protocol.js';
import { shownKeys, type TableState, withColumn, withDefaultColumns } from './state.js';

const MOST_LISTED = 300; // a search finds the others
const PARTS = { job: 'Job', value: 'Hyperparameters', metric: 'Metrics' } as const;

export interface ChooserHost {
  readonly say: Say;
  state(): TableState;
  all(): readonly TableColumn[];
  change(state: TableState): void;
}

export class ColumnChooser {
  readonly element = element('div', { class: 'pj-Table-chooser' });
  readonly button: HTMLButtonElement;
  readonly #host: ChooserHost;
  readonly #popup: HTMLElement;
  readonly #search: HTMLInputElement;
  readonly #list = element('div', { class: 'pj-Table-chooserList' });
  readonly #lasting = new Disposables();
  readonly #whileOpen = new Disposables();

  constructor(host: ChooserHost) {
    this.#host = host;
    const { say } = host;
    this.button = button(say('Columns'), 'small', () => (this.#popup.hidden ? this.#open() : this.#close()));
    this.button.setAttribute('aria-expanded', 'false');
    this.button.setAttribute('aria-haspopup', 'dialog');
    this.#search = searchBox(say('Find a column'), () => this.#draw());
    const reset = button(say('Default columns'), 'small', () => {
      host.change(withDefaultColumns(host.state()));
      this.#draw();
    });
    this.#popup = element(
      'div',
      // -1: a press of a column's name leaves the focus in here; that of the tab around the table would close it
      { class: 'pj-Table-popup', role: 'dialog', 'aria-label': say('Columns'), tabindex: -1 },
      this.#search,
      this.#list,
      element('div', { class: 'pj-JobView-tools' }, reset)
    );
    this.#popup.hidden = true;
    this.element.append(this.button, this.#popup);
    this.#lasting.listen(this.#popup, 'keydown', event => {
      if (event.key === 'Escape') {
        event.stopPropagation();
        this.#close();
        this.button.focus();
      }
    });
  }

  dispose(): void {
    this.#whileOpen.dispose();
    this.#lasting.dispose();
  }

  #open(): void {
    this.#popup.hidden = false;
    this.button.setAttribute('aria-expanded', 'true');
    this.#search.value = '';
    this.#draw();
    this.#search.focus();
    const outside = ({ target }: Event): void => {
      if (target instanceof Node && !this.element.contains(target)) {
        this.#close();
      }
    };
    this.#whileOpen.listen(document, 'pointerdown', outside, { capture: true });
    this.#whileOpen.listen(document, 'focusin', outside);
  }

  #close(): void {
    this.#whileOpen.dispose();
    this.#popup.hidden = true;
    this.button.setAttribute('aria-expanded', 'false');
  }

  #draw(): void {
    const { say, state, all } = this.#host;
    const wanted = this.#search.value.trim().toLowerCase();
    const shown = new Set(shownKeys(state(), all()));
    const found = all().filter(column => headingOf(column, say).toLowerCase().includes(wanted));
    const groups = Object.entries(PARTS).flatMap(([part, label]) => {
      const columns = found.slice(0, MOST_LISTED).filter(column => column.part === part);
      const boxes = columns.map(column => this.#box(column, shown.has(column.key)));
      const heading = element('div', { class: 'pj-Table-part', 'aria-hidden': 'true' }, say(label));
      return boxes.length ? [element('div', { role: 'group', 'aria-label': say(label) }, heading, ...boxes)] : [];
    });
    const left = found.length - MOST_LISTED;
    const more = left > 0 ? [quiet(say('{count} more: search for them.', { count: left }))] : [];
    this.#list.replaceChildren(...(groups.length ? groups : [quiet(say('No such column'))]), ...more);
  }

  #box(column: TableColumn, isShown: boolean): HTMLElement {
    const { say, state, all, change } = this.#host;
    const box = element('input', { type: 'checkbox', checked: isShown });
    box.addEventListener('change', () => change(withColumn(state(), all(), column.key, box.checked)));
    return element('label', { class: 'pj-Table-choice' }, box, headingOf(column, say));
  }
}
