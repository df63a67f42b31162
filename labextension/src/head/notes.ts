/**
 * What stands between the header and the tabs when there is something to say: the connection, the last notices of the
 * backend and the links that it gave.
 */

import { element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import { waitingText } from '../text/waiting.js';
import type { JobStateJson, Say, SourceStatus } from '../tokens.js';

const MAX_NOTICES = 3;
const MAX_LINKS = 20;

export class Notes {
  readonly element = element('div', { class: 'pj-JobView-notes' });
  readonly #say: Say;
  readonly #connection = element('p', { class: 'pj-JobView-connection' });
  readonly #notices = element('ul', { class: 'pj-JobView-notices' });
  readonly #links = element('ul', { class: 'pj-JobView-links' });
  #drawn = '';

  constructor(say: Say) {
    this.#say = say;
    this.#notices.setAttribute('aria-label', say('Notices'));
    this.#links.setAttribute('aria-label', say('Links'));
    this.#connection.hidden = true;
    this.element.append(this.#connection, this.#notices, this.#links);
    this.drawState({ notices: [], links: {}, reason: '' });
  }

  /** How the connection stands; a live one needs no words. */
  drawConnection(status: SourceStatus, message: string): string {
    const text = this.#connectionText(status, plain(message, 500));
    this.#connection.textContent = text;
    this.#connection.dataset['status'] = status;
    this.#connection.hidden = text === '';
    return text;
  }

  drawState(state: Pick<JobStateJson, 'notices' | 'links' | 'reason'>): void {
    const key = JSON.stringify([state.notices, state.links, state.reason]);
    if (key === this.#drawn) {
      return; // a link in use keeps its focus
    }
    this.#drawn = key;
    const reason = waitingText(plain(state.reason), this.#say);
    this.#notices.replaceChildren(...(reason ? [element('li', {}, reason)] : []), ...notices(state));
    this.#links.replaceChildren(
      ...Object.entries(state.links)
        .slice(0, MAX_LINKS)
        .map(each => this.#link(each))
    );
    this.#notices.hidden = !this.#notices.hasChildNodes();
    this.#links.hidden = !this.#links.hasChildNodes();
  }

  #link([name, url]: [string, string]): HTMLElement {
    const say = this.#say;
    const known = name === 'console' ? say('Open in PAI console') : name === 'page' ? say("Open the job's page") : '';
    const label = known || plain(name, 100);
    return element('li', {}, webLink(label, url));
  }

  #connectionText(status: SourceStatus, message: string): string {
    const texts = {
      connecting: this.#say('Connecting…'),
      busy: message || this.#say('Kernel busy. The log keeps updating.'),
      offline: message || this.#say('Connection lost. Reconnecting…'),
      live: ''
    };
    return texts[status];
  }
}

/** The address, where it is one of the web that a browser may open; else null. */
export function webAddress(url: string): string | null {
  try {
    return ['http:', 'https:'].includes(new URL(url).protocol) ? url : null;
  } catch {
    return null;
  }
}

/** A link that tells the other side nothing of this page, or its text where it is no address of the web. */
export function webLink(label: string, url: string): Node {
  const href = webAddress(url);
  return href === null
    ? element('span', {}, label === url ? label : `${label}: ${plain(url)}`)
    : element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, label);
}

function notices(state: Pick<JobStateJson, 'notices'>): HTMLElement[] {
  return state.notices
    .slice(-MAX_NOTICES)
    .flatMap(notice =>
      notice.kind === 'Notice'
        ? [element('li', { 'data-level': plain(notice.level, 20) }, plain(notice.text, 500))]
        : []
    );
}
