/**
 * Files on their way to the server, one after another, each with how far it is.
 *
 * Rule 1: they go on while the user browses elsewhere or the panel is hidden; at the end of the page they are cut off,
 *   of which the server keeps nothing.
 * Rule 2: one that fails stays, with the reason, until it is tried again or put aside. The others go on.
 */

import type { StoredEntry } from '../panel/protocol.js';
import type { SectionContext } from '../panel/section.js';
import { button, element } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { bytes } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import { ProgressBar } from './progressbar.js';

export interface Upload {
  readonly file: File;
  readonly path: string; // below the directory that it was brought to
  readonly uri: string; // where it goes
}

interface Item extends Upload {
  readonly element: HTMLElement;
  readonly abort: AbortController;
}

export class UploadQueue {
  readonly element = element('ul', { class: 'pj-Storage-uploads' });
  readonly #context: SectionContext;
  readonly #arrived: (entry: StoredEntry) => void;
  readonly #waiting: Item[] = [];
  #current: Item | null = null;

  /** `arrived` hears of each file that is there. */
  constructor(context: SectionContext, arrived: (entry: StoredEntry) => void) {
    this.#context = context;
    this.#arrived = arrived;
    this.element.setAttribute('aria-label', context.say('Uploads'));
    this.element.hidden = true;
  }

  /** Where files go that are not there yet. */
  get underWay(): string[] {
    return [...(this.#current ? [this.#current] : []), ...this.#waiting].map(({ uri }) => uri);
  }

  add(uploads: readonly Upload[]): void {
    for (const upload of uploads) {
      const item: Item = { ...upload, element: element('li'), abort: new AbortController() };
      item.element.append(this.#remark(item, this.#context.say('waiting'), this.#dropper(item, 'Cancel')));
      this.element.append(item.element);
      this.#waiting.push(item);
    }
    this.element.hidden = !this.element.hasChildNodes();
    void this.#goOn();
  }

  dispose(): void {
    this.#waiting.splice(0);
    this.#current?.abort.abort();
  }

  async #goOn(): Promise<void> {
    while (this.#current === null && this.#waiting.length) {
      this.#current = this.#waiting.shift() ?? null;
      if (this.#current) {
        await this.#send(this.#current);
      }
      this.#current = null;
    }
  }

  async #send(item: Item): Promise<void> {
    const { say, rest, announce } = this.#context;
    const name = plain(item.path, 200);
    const progress = new ProgressBar(say, name, () => item.abort.abort());
    item.element.replaceChildren(progress.element);
    const tell = (done: number, total: number): void =>
      progress.draw(`${name} · ${bytes(done)} / ${bytes(total)}`, total ? done / total : 1);
    tell(0, item.file.size);
    try {
      const entry = await rest.upload('storage/file', { uri: item.uri }, item.file, {
        progress: tell,
        signal: item.abort.signal
      });
      this.#drop(item);
      this.#arrived(entry);
      announce(say('Uploaded: {name}', { name }));
    } catch (error) {
      if (item.abort.signal.aborted) {
        this.#drop(item);
      } else {
        this.#fail(item, errorText(error));
      }
    }
  }

  #fail(item: Item, sentence: string): void {
    const { say } = this.#context;
    const again = button(say('Try again'), 'small', () => {
      this.#drop(item);
      this.add([{ file: item.file, path: item.path, uri: item.uri }]);
    });
    const remark = this.#remark(item, sentence, again, this.#dropper(item, 'Dismiss'));
    remark.classList.add('pj-JobView-trouble');
    remark.setAttribute('role', 'alert');
    item.element.replaceChildren(remark);
  }

  #remark({ path }: Item, text: string, ...tools: HTMLElement[]): HTMLElement {
    return element('div', { class: 'pj-Storage-progress' }, `${plain(path, 200)}: ${text} `, ...tools);
  }

  #dropper(item: Item, label: 'Cancel' | 'Dismiss'): HTMLElement {
    const { say } = this.#context;
    const said = label === 'Cancel' ? say('Cancel') : say('Dismiss');
    const made = button(said, 'small', () => this.#drop(item));
    made.setAttribute('aria-label', `${said}: ${plain(item.path, 200)}`);
    return made;
  }

  #drop(item: Item): void {
    const place = this.#waiting.indexOf(item);
    if (place >= 0) {
      this.#waiting.splice(place, 1);
    }
    item.element.remove();
    this.element.hidden = !this.element.hasChildNodes();
  }
}
