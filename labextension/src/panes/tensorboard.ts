/**
 * The TensorBoard tab: one board over this job's event files, started and stopped from here, shown in a frame.
 *
 * Rule 1: only an address of this server, or of this machine, is ever put into the frame; another is a link.
 * Rule 2: it is asked for only while the tab is shown and the board is starting, with growing pauses.
 */

import { webLink } from '../head/notes.js';
import { button, element, quiet } from '../parts/dom.js';
import { Loading } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import type { BoardAnswer, Context, Pane, Requests } from '../tokens.js';

const FIRST_PAUSE = 500; // milliseconds
const LAST_PAUSE = 8_000;

export function boardPane(context: Context): Pane {
  return new BoardPane(context);
}

class BoardPane implements Pane {
  readonly element = element('div', { class: 'pj-JobView-board' });
  readonly #context: Context;
  readonly #loading: Loading;
  readonly #place = element('div', { class: 'pj-JobView-framePlace' });
  #isShown = false;
  #pause = FIRST_PAUSE;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: Context) {
    this.#context = context;
    this.#loading = new Loading(context.say);
    this.element.append(this.#loading.element, this.#place);
  }

  show(isShown: boolean): void {
    this.#isShown = isShown;
    this.#pause = FIRST_PAUSE;
    clearTimeout(this.#timer);
    if (isShown) {
      this.#ask('show');
    }
  }

  update(): void {
    // what a job does changes nothing about its board
  }

  dispose(): void {
    this.#isShown = false;
    clearTimeout(this.#timer);
    this.#loading.dispose();
  }

  #ask(action: Requests['board']['action']): void {
    clearTimeout(this.#timer);
    const ask = async () => (await this.#context.source.request('board', { action })).ok;
    void this.#loading.load(ask, answer => this.#draw(answer));
  }

  #draw(answer: BoardAnswer): Node[] {
    if (answer.state === 'starting' && this.#isShown) {
      this.#timer = setTimeout(() => this.#ask('show'), this.#pause);
      this.#pause = Math.min(LAST_PAUSE, 2 * this.#pause);
    }
    const note = answer.note && quiet(plain(answer.note, 1_000));
    this.#drawFrame(answer);
    return [this.#bar(answer), ...(note ? [note] : [])];
  }

  #bar({ state, url }: BoardAnswer): HTMLElement {
    const { say } = this.#context;
    const bar = element('div', { class: 'pj-JobView-tools' });
    if (state === 'stopped') {
      bar.append(button(say('Start TensorBoard'), 'primary', () => this.#start()));
    } else if (state === 'starting') {
      bar.append(element('span', {}, say('TensorBoard is starting…')));
    } else if (state === 'none') {
      bar.append(element('span', {}, say('No TensorBoard is available for this job.')));
    } else if (frameAddress(url)) {
      bar.append(element('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, say('Open in a new tab')));
    }
    if (state === 'starting' || state === 'running') {
      bar.append(button(say('Stop TensorBoard'), 'plain', () => this.#ask('stop')));
    }
    return bar;
  }

  #start(): void {
    this.#pause = FIRST_PAUSE;
    this.#ask('start');
  }

  /** The same board keeps its frame, and with it what the user chose there: one that is moved would begin anew. */
  #drawFrame({ state, url }: BoardAnswer): void {
    const address = state === 'running' ? frameAddress(url) : null;
    if (address === null) {
      this.#place.replaceChildren(...(state === 'running' ? [element('p', {}, webLink(plain(url, 1_000), url))] : []));
    } else if (this.#place.querySelector('iframe')?.getAttribute('src') !== address) {
      const frame = element('iframe', {
        class: 'pj-JobView-frame',
        src: address,
        title: 'TensorBoard',
        sandbox: 'allow-scripts allow-same-origin allow-forms allow-popups',
        referrerpolicy: 'no-referrer'
      });
      this.#place.replaceChildren(frame);
    }
  }
}

/** The address, where it is one of this server or of this machine; else null. */
export function frameAddress(url: string): string | null {
  try {
    const { protocol, origin, hostname } = new URL(url, document.baseURI);
    const isWeb = protocol === 'http:' || protocol === 'https:';
    const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
    return url && isWeb && (isLoopback || origin === location.origin) ? url : null;
  } catch {
    return null;
  }
}
