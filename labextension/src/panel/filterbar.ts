/**
 * What is above the list of jobs: a box to filter by text, filters that have more than one choice, and the order.
 */

import { statusWord } from '../head/status.js';
import {
  choice,
  isPressed,
  withLabel,
  withTooltip,
  setOptions,
  setPressed,
  type Option,
  searchBox,
  toggle
} from '../parts/controls.js';
import { element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { Say, Status } from '../tokens.js';
import { NO_FILTER, filterOptions, LONGEST_TEXT, type SortKey, type JobFilter } from './sorting.js';
import type { JobRow } from './protocol.js';

const STATES: readonly Status[] = ['running', 'queued', 'succeeded', 'failed', 'stopped'];

const HELP =
  'Words that all must fit, e.g. iris state:failed lr=0.3 tag:best. Fields: state, name, tag, star, note, ' +
  'notebook, backend, metric, id, run; state:active are jobs that have not ended, star:yes those with a star; ' +
  'quotes keep blanks: notebook:"my file.ipynb". ' +
  'Compare values and metrics: lr<0.1 accuracy>=0.9 opt!=adam max(accuracy)>0.9; ' +
  'also duration>60 (seconds) and cost<10.';

export class FilterBar {
  readonly element = element('div', { class: 'pj-Panel-tools', role: 'group' });
  readonly #say: Say;
  readonly #text: HTMLInputElement;
  readonly #state: HTMLSelectElement;
  readonly #backend: HTMLSelectElement;
  readonly #notebook: HTMLSelectElement;
  readonly #tag: HTMLSelectElement;
  readonly #star: HTMLButtonElement;
  readonly #sort: HTMLSelectElement;

  /** `told` hears whether changes of jobs are to be told to a screen reader. */
  constructor(say: Say, changed: (wanted: JobFilter) => void, told: (isTold: boolean) => void) {
    this.#say = say;
    const tell = (): void => changed(this.wanted);
    this.#text = withTooltip(searchBox(say('Filter jobs'), tell), say(HELP));
    this.#text.maxLength = LONGEST_TEXT;
    this.#state = choice(say('State'), this.#states(), tell);
    this.#backend = choice(say('Backend'), [], tell);
    this.#notebook = choice(say('Notebook'), [], tell);
    this.#tag = choice(say('Tag'), [], tell);
    this.#star = withLabel(toggle('★', tell), say('Only jobs with a star'));
    this.#sort = choice(say('Sort by'), this.#orders(), tell);
    const speak = withTooltip(toggle(say('Read aloud'), told), say('Announce state changes to screen readers'));
    const filters = [this.#state, this.#backend, this.#notebook, this.#tag, this.#sort];
    this.element.setAttribute('aria-label', say('Filters'));
    this.element.append(this.#text, this.#star, speak, element('div', { class: 'pj-Panel-filters' }, ...filters));
    this.offer([]);
  }

  get wanted(): JobFilter {
    return {
      text: this.#text.value,
      state: this.#state.value as JobFilter['state'], // it offers no others
      backend: this.#backend.value,
      notebook: this.#notebook.value,
      tag: this.#tag.value,
      isStarred: isPressed(this.#star),
      sort: this.#sort.value as SortKey
    };
  }

  /** Offer what there is in these rows; what is chosen stays offered, even if no row has it any more. */
  offer(rows: Iterable<JobRow>): void {
    const all = [...rows];
    this.#fill(
      this.#backend,
      this.#say('All backends'),
      filterOptions(all, row => row.backend)
    );
    this.#fill(
      this.#notebook,
      this.#say('All notebooks'),
      filterOptions(all, row => row.notebook)
    );
    this.#fill(
      this.#tag,
      this.#say('All tags'),
      filterOptions(all, row => row.tags ?? []),
      1
    );
    this.#star.hidden = !isPressed(this.#star) && !all.some(row => row.is_starred);
  }

  focus(): void {
    this.#text.focus();
  }

  clear(): void {
    this.#text.value = NO_FILTER.text;
    [this.#state, this.#backend, this.#notebook, this.#tag].forEach(select => (select.value = ''));
    setPressed(this.#star, false);
  }

  /** A filter with fewer than `least` values is not shown: all jobs have the same. */
  #fill(select: HTMLSelectElement, all: string, values: readonly string[], least = 2): void {
    const { value } = select;
    const kept = value === '' || values.includes(value) ? values : [value, ...values];
    setOptions(select, [['', all], ...kept.map((name): Option => [name, plain(name, 60)])]);
    select.hidden = kept.length < least && value === '';
  }

  #states(): Option[] {
    const each = STATES.map((status): Option => [status, statusWord(status, this.#say)]);
    return [['', this.#say('All states')], ['active', this.#say('Active')], ...each];
  }

  #orders(): Option[] {
    return [
      ['created', this.#say('Newest first')],
      ['ended', this.#say('Last finished first')],
      ['status', this.#say('By state')],
      ['name', this.#say('By name')]
    ];
  }
}
