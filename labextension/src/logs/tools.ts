/**
 * The tool bar of the log: search, level, replica, how it is shown, and what can be taken away. It only tells; who is
 * told does the work.
 */

import { button, Disposables, element } from '../dom.js';
import type { Level, Say } from '../tokens.js';
import type { Query } from './marks.js';
import type { LogSearch } from './search.js';

const TYPING = 250; // milliseconds without a key, after which the search begins
const LEVELS: readonly Level[] = ['info', 'warning', 'error'];

export interface ToolDoings {
  search(query: Query | null): void;
  step(direction: 1 | -1): void;
  level(level: Level | null): void;
  replica(replica: string): void;
  wrap(isOn: boolean): void;
  follow(isOn: boolean): void;
  announce(isOn: boolean): void;
  copy(): void;
  download(): void;
}

export class Tools {
  readonly element = element('div', { class: 'pj-JobView-logTools' });
  readonly #say: Say;
  readonly #doings: ToolDoings;
  readonly #pattern: HTMLInputElement;
  readonly #hits = element('span', { class: 'pj-JobView-hits' });
  readonly #problem = element('span', { class: 'pj-JobView-logProblem', role: 'alert' });
  readonly #case: HTMLButtonElement;
  readonly #regex: HTMLButtonElement;
  readonly #replicas: HTMLSelectElement;
  readonly #following: HTMLInputElement;
  readonly #counter = element('span', { class: 'pj-JobView-logCount' });
  readonly #lasting = new Disposables();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isTyped = false; // what stands in the box is not searched for yet

  constructor(say: Say, doings: ToolDoings) {
    this.#say = say;
    this.#doings = doings;
    this.#pattern = element('input', {
      type: 'search', class: 'pj-JobView-input pj-JobView-pattern', 'aria-label': say('Search the log'),
      placeholder: say('Search the log'), 'data-lm-suppress-shortcuts': 'true'
    });
    this.#case = this.#toggle('Aa', say('Match case'));
    this.#regex = this.#toggle('.*', say('Regular expression'));
    this.#replicas = element('select', { class: 'pj-JobView-input', 'aria-label': say('Replica') });
    const follow = this.#box(say('Follow'), say('Stay at the end'), isOn => doings.follow(isOn));
    this.#following = follow.input;
    this.#build(follow.label);
    this.#listen();
    this.drawFollow(true);
    this.drawReplicas([], '');
  }

  /** Where the search stands, "3 of 12,431". */
  get hitText(): string {
    return this.#hits.textContent;
  }

  /** Put the cursor in the search box. */
  focusSearch(): void {
    this.#pattern.focus();
    this.#pattern.select();
  }

  drawSearch({ state, hits, position, problem }: LogSearch, count: (number: number) => string): void {
    const total = count(hits.numbers.length) + (hits.isMore ? '+' : '');
    const found = position ? this.#say('{position} of {total}', { position: count(position), total }) : total;
    const none = this.#say('no hits');
    this.#hits.textContent = { off: '', failed: '', searching: '…', found: hits.numbers.length ? found : none }[state];
    this.#problem.textContent = problem;
    this.#pattern.setAttribute('aria-invalid', String(problem !== ''));
  }

  drawReplicas(names: readonly string[], chosen: string): void {
    this.#replicas.replaceChildren(...names.map(name => element('option', { value: name }, name)));
    this.#replicas.value = chosen;
    this.#replicas.hidden = names.length < 2;
  }

  drawFollow(isFollowing: boolean): void {
    this.#following.checked = isFollowing;
  }

  drawCount(text: string): void {
    this.#counter.textContent = text;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#lasting.dispose();
  }

  #build(follow: HTMLElement): void {
    const [say, doings] = [this.#say, this.#doings];
    const group = (...children: HTMLElement[]): HTMLElement =>
      element('span', { class: 'pj-JobView-logGroup' }, ...children);
    const next = sign(button('↓', 'small', () => this.#step(1)), say('Next hit (Enter)'));
    const previous = sign(button('↑', 'small', () => this.#step(-1)), say('Previous hit (Shift+Enter)'));
    const copy = button(say('Copy'), 'small', () => doings.copy());
    copy.title = say('Copy the selection, else the lines around');
    this.element.append(
      group(this.#pattern, this.#case, this.#regex, previous, next, this.#hits),
      group(this.#levels(), this.#replicas),
      group(
        this.#box(say('Wrap'), say('Break long lines'), isOn => doings.wrap(isOn)).label,
        follow,
        this.#box(say('Announce'), say('Read out new lines'), isOn => doings.announce(isOn)).label
      ),
      group(
        copy,
        button(say('Download'), 'small', () => doings.download())
      ),
      this.#counter,
      this.#problem
    );
  }

  #listen(): void {
    this.#lasting.listen(this.#pattern, 'input', () => {
      this.#isTyped = true;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#search(), TYPING);
    });
    this.#lasting.listen(this.#pattern, 'keydown', event => this.#pressed(event));
    this.#lasting.listen(this.#replicas, 'change', () => this.#doings.replica(this.#replicas.value));
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
      this.#doings.step(direction);
    }
  }

  #search(): void {
    clearTimeout(this.#timer);
    this.#isTyped = false;
    const pattern = this.#pattern.value;
    const [regex, ignoreCase] = [isPressed(this.#regex), !isPressed(this.#case)];
    this.#doings.search(pattern === '' ? null : { pattern, regex, ignoreCase });
  }

  #levels(): HTMLSelectElement {
    const labels = { info: 'Info and above', warning: 'Warnings and above', error: 'Errors' };
    const select = element('select', { class: 'pj-JobView-input', 'aria-label': this.#say('Level') });
    select.append(element('option', { value: '' }, this.#say('All lines')));
    select.append(...LEVELS.map(level => element('option', { value: level }, this.#say(labels[level]))));
    const chosen = () => this.#doings.level(LEVELS.find(level => level === select.value) ?? null);
    this.#lasting.listen(select, 'change', chosen);
    return select;
  }

  #toggle(label: string, title: string): HTMLButtonElement {
    const made = sign(button(label, 'small pj-JobView-logToggle', () => {
      made.setAttribute('aria-pressed', String(!isPressed(made)));
      this.#search();
    }), title);
    made.setAttribute('aria-pressed', 'false');
    return made;
  }

  #box(label: string, title: string, changed: (isOn: boolean) => void) {
    const input = element('input', { type: 'checkbox' });
    this.#lasting.listen(input, 'change', () => changed(input.checked));
    return { input, label: element('label', { title }, input, label) };
  }
}

function isPressed(toggle: HTMLElement): boolean {
  return toggle.getAttribute('aria-pressed') === 'true';
}

/** A button with a sign, and words for those who do not see it, or see it for the first time. */
function sign(made: HTMLButtonElement, words: string): HTMLButtonElement {
  made.title = words;
  made.setAttribute('aria-label', words);
  return made;
}
