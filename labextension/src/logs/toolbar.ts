/**
 * The tool bar of the log: search, level, replica, how it is shown, and what can be taken away. It only tells; who is
 * told does the work.
 */

import { Menu } from '../head/menu.js';
import {
  choice,
  withTooltip,
  isPressed,
  setOptions,
  searchBox,
  withLabel,
  toggle,
  setPressed
} from '../parts/controls.js';
import { button, element } from '../parts/dom.js';
import type { Level, Say } from '../tokens.js';
import type { LogQuery } from './highlight.js';
import { ALL } from './replicalog.js';
import type { LogSearch } from './search.js';

const TYPING = 250; // milliseconds without a key, after which the search begins

export interface LogToolbarHandlers {
  search(query: LogQuery | null): void;
  step(direction: 1 | -1): void;
  level(level: Level | null): void;
  replica(replica: string): void;
  wrap(isOn: boolean): void;
  follow(isOn: boolean): void;
  stamp(isOn: boolean): void;
  announce(isOn: boolean): void;
  copy(): void;
  download(): void;
}

export class LogToolbar {
  readonly element = element('div', { class: 'pj-JobView-tools' });
  /** How long the log is; also where other short news are shown. */
  readonly counter = element('span', { class: 'pj-JobView-logCount pj-JobView-last' });
  readonly #say: Say;
  readonly #handlers: LogToolbarHandlers;
  readonly #pattern: HTMLInputElement;
  readonly #hits = element('span', { class: 'pj-JobView-hits' });
  readonly #problem = element('span', { class: 'pj-JobView-trouble', role: 'alert' });
  readonly #case: HTMLButtonElement;
  readonly #regex: HTMLButtonElement;
  readonly #replicas: HTMLSelectElement;
  readonly #following: HTMLButtonElement;
  readonly #menu: Menu;
  #isRead = false; // aloud
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isTyped = false; // what stands in the box is not searched for yet

  constructor(say: Say, handlers: LogToolbarHandlers) {
    this.#say = say;
    withTooltip(this.counter, say('Number of lines, and time since the last one'));
    this.#handlers = handlers;
    this.#pattern = searchBox(say('Search the log'), () => this.#typed());
    this.#pattern.addEventListener('keydown', event => this.#pressed(event));
    this.#case = withLabel(
      toggle('Aa', () => this.#search()),
      say('Match case')
    );
    this.#regex = withLabel(
      toggle('.*', () => this.#search()),
      say('Regular expression')
    );
    this.#replicas = choice(say('Replica'), [], replica => handlers.replica(replica));
    this.#following = withTooltip(
      toggle(say('Follow'), isOn => handlers.follow(isOn)),
      say('Stay at the end')
    );
    this.#menu = new Menu(say('Log options'), () => [
      { label: say('Read new lines aloud'), isOn: this.#isRead, choose: () => this.#readAloud() }
    ]);
    this.#build();
    this.drawFollow(true);
    this.drawReplicas([], '');
  }

  /** Where the search stands, "3 of 12,431". */
  get hitText(): string {
    return this.#hits.textContent;
  }

  /** Search for this as if it had been typed. */
  searchFor(text: string): void {
    this.#pattern.value = text;
    this.#search();
  }

  /** Put the cursor in the search box. */
  focusSearch(): void {
    this.#pattern.focus();
    this.#pattern.select();
  }

  drawSearch({ state, hits, position, problem }: LogSearch, count: (number: number) => string): void {
    const total = count(hits.numbers.length) + (hits.isMore ? '+' : '');
    const found = position ? this.#say('{position} of {total}', { position: count(position), total }) : total;
    const none = this.#say('no matches');
    this.#hits.textContent = { off: '', failed: '', searching: '…', found: hits.numbers.length ? found : none }[state];
    this.#problem.textContent = problem;
    this.#pattern.setAttribute('aria-invalid', String(problem !== ''));
  }

  drawReplicas(names: readonly string[], chosen: string): void {
    setOptions(this.#replicas, [...names.map(name => [name, name] as const), [ALL, this.#say('All replicas')]]);
    this.#replicas.value = chosen;
    this.#replicas.hidden = names.length < 2;
  }

  drawFollow(isFollowing: boolean): void {
    setPressed(this.#following, isFollowing);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#menu.dispose();
  }

  #build(): void {
    const [say, handlers] = [this.#say, this.#handlers];
    const group = (...children: HTMLElement[]): HTMLElement =>
      element('span', { class: 'pj-JobView-group' }, ...children);
    const next = withLabel(
      button('↓', 'small', () => this.#step(1)),
      say('Next match (Enter)')
    );
    const previous = withLabel(
      button('↑', 'small', () => this.#step(-1)),
      say('Previous match (Shift+Enter)')
    );
    const search = group(this.#pattern, this.#case, this.#regex, previous, next, this.#hits);
    search.classList.add('pj-JobView-logSearch');
    this.element.append(
      search,
      group(this.#levels(), this.#replicas),
      group(
        withTooltip(toggle(say('Wrap'), handlers.wrap), say('Wrap long lines')),
        withTooltip(toggle(say('Times'), handlers.stamp), say('Show when each line was received')),
        this.#following
      ),
      group(
        withTooltip(button(say('Copy'), 'small', handlers.copy), say('Copy the selection, else the lines around')),
        withTooltip(button(say('Save'), 'small', handlers.download), say('Download the log'))
      ),
      this.#menu.element,
      this.counter,
      this.#problem
    );
  }

  #readAloud(): void {
    this.#isRead = !this.#isRead;
    this.#handlers.announce(this.#isRead);
  }

  #typed(): void {
    this.#isTyped = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#search(), TYPING);
  }

  #pressed(event: KeyboardEvent): void {
    if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      this.#step(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape' && this.#pattern.value !== '') {
      event.preventDefault();
      event.stopPropagation();
      this.#pattern.value = '';
      this.#search();
    }
  }

  /** Go to the next hit; where the pattern has just been typed, to its first. */
  #step(direction: 1 | -1): void {
    if (this.#isTyped) {
      this.#search();
    } else {
      this.#handlers.step(direction);
    }
  }

  #search(): void {
    clearTimeout(this.#timer);
    this.#isTyped = false;
    const pattern = this.#pattern.value;
    const [regex, ignoreCase] = [isPressed(this.#regex), !isPressed(this.#case)];
    this.#handlers.search(pattern === '' ? null : { pattern, regex, ignoreCase });
  }

  #levels(): HTMLSelectElement {
    const [say, handlers] = [this.#say, this.#handlers];
    const options: [Level | '', string][] = [
      ['', say('All lines')],
      ['info', say('Info')],
      ['warning', say('Warnings')],
      ['error', say('Errors')]
    ];
    const chosen = (value: string) => handlers.level(options.find(([level]) => level === value)?.[0] || null);
    return withTooltip(choice(say('Level'), options, chosen), say('Lines of this level and above'));
  }
}
