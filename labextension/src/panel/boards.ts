/**
 * The section of TensorBoard boards: which there are on this machine and on PAI (or on what rehearses it, and is never
 * called PAI), what they show; open, stop, begin one.
 *
 * Rule 1: they are asked for when the section is shown, and again only while one of them starts, with growing pauses.
 * Rule 2: an address that is none of the web is text, whoever said it.
 */

import { Poll } from '@lumino/polling';

import { button, Disposables, element, quiet, setText } from '../parts/dom.js';
import { errorText, Loading } from '../parts/loading.js';
import { Question } from '../parts/question.js';
import { plain } from '../text/sanitize.js';
import { type Card, Cards } from './cards.js';
import type { BoardRow, BoardsAnswer } from './protocol.js';
import type { SectionContext, Section } from './section.js';

const FIRST_PAUSE = 1_000; // milliseconds
const LAST_PAUSE = 15_000;
const PATH = 'tensorboards';

export function boardsSection(context: SectionContext): Section {
  return new BoardsSection(context);
}

class BoardsSection implements Section {
  readonly element = element('div', { class: 'pj-Boards' });
  readonly #context: SectionContext;
  readonly #count = element('span', { class: 'pj-JobView-quiet' });
  readonly #cards: Cards<BoardRow>;
  readonly #question = new Question();
  readonly #outcome = element('p', { class: 'pj-JobView-trouble', role: 'alert' });
  readonly #loading: Loading;
  readonly #address: HTMLInputElement;
  readonly #lasting = new Disposables();
  #isShown = false;
  #service = ''; // what the place of apps is called
  #pause = FIRST_PAUSE;
  readonly #poll: Poll;

  constructor(context: SectionContext) {
    const { say } = (this.#context = context);
    this.#loading = new Loading(say);
    this.#poll = new Poll({
      name: 'pai-jupyter:tensorboards',
      auto: false,
      factory: () => this.#ask(),
      frequency: { interval: FIRST_PAUSE, backoff: false, max: LAST_PAUSE }
    });
    const make = (): BoardCard =>
      new BoardCard(
        context,
        () => this.#service,
        one => void this.#stop(one)
      );
    this.#cards = new Cards(say('TensorBoard boards'), ({ id }) => id, make);
    const label = say('oss:// address of event files');
    this.#address = element('input', {
      type: 'text',
      class: 'pj-JobView-input',
      placeholder: label,
      'aria-label': label,
      spellcheck: 'false'
    });
    const refresh = button(say('Refresh'), 'small', () => this.#restart());
    refresh.classList.add('pj-JobView-last');
    this.element.append(
      element('div', { class: 'pj-JobView-tools' }, this.#count, refresh),
      this.#question.element,
      this.#outcome,
      this.#cards.element,
      this.#loading.element,
      this.#form()
    );
  }

  show(isShown: boolean): void {
    this.#isShown = isShown;
    if (isShown) {
      this.#restart();
    } else {
      void this.#poll.stop();
    }
  }

  dispose(): void {
    this.#isShown = false;
    this.#poll.dispose();
    this.#loading.dispose();
    this.#question.dispose();
    this.#lasting.dispose();
  }

  #form(): HTMLElement {
    const open = element('button', { class: 'pj-JobView-button pj-JobView-small' }, this.#context.say('New board'));
    const form = element('form', { class: 'pj-Cards-entry' }, this.#address, open);
    this.#lasting.listen(form, 'submit', event => {
      event.preventDefault();
      void this.#open(this.#address.value.trim());
    });
    return form;
  }

  #restart(): void {
    this.#pause = FIRST_PAUSE;
    void this.#poll.refresh();
  }

  #ask(): Promise<void> {
    return this.#loading.load(
      () => this.#context.rest.get<BoardsAnswer>(PATH),
      answer => this.#draw(answer)
    );
  }

  #draw({ boards, limit, is_emulator, notes }: BoardsAnswer): Node[] {
    const { say } = this.#context;
    this.#service = is_emulator ? say('emulator') : 'PAI';
    if (this.#isShown && boards.some(({ state }) => state === 'starting')) {
      this.#poll.frequency = { ...this.#poll.frequency, interval: this.#pause };
      this.#pause = Math.min(LAST_PAUSE, 2 * this.#pause);
    } else {
      void this.#poll.stop();
    }
    const count = boards.filter(({ where, state }) => where !== 'here' && state !== 'stopped').length;
    const text = is_emulator ? '{count} of {limit} on the emulator' : '{count} of {limit} on PAI';
    setText(this.#count, limit === null ? '' : say(text, { count, limit }));
    this.#cards.draw(boards);
    const none = say('No TensorBoard is running. Open one from a job, or enter an address below.');
    return [...(boards.length ? [] : [none]), ...notes.map(note => plain(note, 1_000))].map(quiet);
  }

  async #open(uri: string): Promise<void> {
    if (!uri) {
      this.#address.focus();
      return;
    }
    await this.#do(async () => {
      await this.#context.rest.post(PATH, { uri });
      this.#address.value = '';
      this.#context.announce(this.#context.say('TensorBoard is starting…'));
    });
  }

  async #stop({ id, name }: BoardRow): Promise<void> {
    const { say, rest } = this.#context;
    const text = say('Stop TensorBoard {name}?', { name: plain(name, 100) });
    if (
      await this.#question.ask(text, [
        [say('Stop'), true, 'danger'],
        [say('Keep running'), false]
      ])
    ) {
      await this.#do(() => rest.remove(`${PATH}/${encodeURIComponent(id)}`));
    }
  }

  /** Do what changes the boards, and see how they stand then. */
  async #do(act: () => Promise<unknown>): Promise<void> {
    setText(this.#outcome, '');
    try {
      await act();
    } catch (error) {
      setText(this.#outcome, errorText(error));
    }
    if (this.#isShown) {
      this.#restart();
    }
  }
}

class BoardCard implements Card<BoardRow> {
  readonly element: HTMLElement;
  readonly #context: SectionContext;
  readonly #service: () => string;
  readonly #name = element('strong');
  readonly #state = element('span', { class: 'pj-JobView-quiet' });
  readonly #shows = element('div', { class: 'pj-JobView-quiet' });
  readonly #open: HTMLAnchorElement;
  readonly #stop: HTMLButtonElement;
  #board: BoardRow | null = null;

  /** `service` says what the place of apps is called. */
  constructor(context: SectionContext, service: () => string, stop: (board: BoardRow) => void) {
    const { say } = (this.#context = context);
    this.#service = service;
    this.#open = element('a', { target: '_blank', rel: 'noopener noreferrer' }, say('Open'));
    this.#stop = button(say('Stop'), 'small', () => this.#board && stop(this.#board));
    const head = element('div', { class: 'pj-Cards-head' }, this.#name, this.#state, this.#open, this.#stop);
    this.element = element('li', { class: 'pj-Cards-card' }, head, this.#shows);
  }

  draw(board: BoardRow): void {
    const { say } = this.#context;
    this.#board = board;
    const { state, where, shows } = board;
    const name = plain(board.name, 200);
    const states = { starting: say('starting'), running: say('running'), stopped: say('stopped') };
    const place = where !== 'here' ? this.#service() : say('this machine');
    setText(this.#name, name);
    setText(this.#state, `${states[state] ?? plain(state, 40)} · ${place}`);
    setText(this.#shows, plain(shows, 1_000));
    const address = boardAddress(board);
    this.#open.hidden = address === null;
    this.#open.href = address ?? '';
    this.#open.setAttribute('aria-label', `${say('Open')}: ${name}`);
    this.#stop.hidden = state === 'stopped';
    this.#stop.setAttribute('aria-label', `${say('Stop')}: ${name}`);
  }
}

/** Where the browser finds a board, if it can be opened: on this server, or anywhere on the web. */
export function boardAddress({ state, url }: Pick<BoardRow, 'state' | 'url'>): string | null {
  if (state !== 'running' || !url || !URL.canParse(url, document.baseURI)) {
    return null;
  }
  const { protocol, href } = new URL(url, document.baseURI);
  return protocol === 'http:' || protocol === 'https:' ? href : null;
}
