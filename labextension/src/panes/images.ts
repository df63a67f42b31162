/**
 * The pictures that a job has shown (`plt.show()` in a cell): files of a place of ours in one of its channels, each
 * with the way to its line in the log.
 *
 * Rule 1: names and bytes are the job's: only names that we give are shown, and only what the server takes for an
 *   image by its first bytes.
 * Rule 2: pictures are asked for one after the other, and no more than are shown.
 */

import { heading } from '../parts/blocks.js';
import { button, element } from '../parts/dom.js';
import type { Context } from '../tokens.js';
import { PreviewImages } from './preview.js';

const PLACE = { channel: 'tensorboard', path: 'pai_images' };
const NAME = /^(?:rank(\d{1,4})-)?image-\d{4,6}\.(?:png|jpg|gif)$/;
const STEP = 12; // pictures

export class ImageGallery {
  readonly element = element('div', { class: 'pj-JobView-images', hidden: true });
  readonly #context: Context;
  readonly #open: (channel: string, path: string) => void;
  readonly #images = new PreviewImages();
  readonly #list = element('div', { class: 'pj-JobView-imageList' });
  readonly #more: HTMLButtonElement;
  #names: string[] = [];
  #isDisposed = false;

  /** `open` shows a file in full. */
  constructor(context: Context, open: (channel: string, path: string) => void) {
    this.#context = context;
    this.#open = open;
    this.#more = button(context.say('Show more'), 'small', () => void this.#draw());
    this.element.append(heading(context.say('Images')), this.#list, this.#more);
    void this.#load();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#images.clear();
  }

  async #load(): Promise<void> {
    const { ok } = await this.#context.source.request('files', PLACE).catch(() => ({ ok: null }));
    if (ok?.kind === 'directory') {
      this.#names = ok.entries.map(({ name }) => name).filter(name => NAME.test(name));
      await this.#draw();
    }
  }

  /** Draw the next pictures. */
  async #draw(): Promise<void> {
    for (const name of this.#names.splice(0, STEP)) {
      const path = `${PLACE.path}/${name}`;
      const request = this.#context.source.request('files', { channel: PLACE.channel, path, preview: true });
      const { ok, buffers } = await request.catch(() => ({ ok: null, buffers: [] }));
      const data = buffers[0];
      if (this.#isDisposed) {
        return;
      }
      if (ok?.kind === 'preview' && ok.type === 'image' && ok.mime.startsWith('image/') && data) {
        this.#list.append(this.#figure(name, path, this.#images.add(data, ok.mime)));
        this.element.hidden = false;
      }
    }
    this.#more.hidden = this.#names.length === 0;
  }

  #figure(name: string, path: string, address: string): HTMLElement {
    const { say, openLog } = this.#context;
    const picture = button('', 'bare', () => this.#open(PLACE.channel, path));
    picture.append(element('img', { class: 'pj-JobView-picture', src: address, alt: name }));
    const place = button(say('Show in log'), 'link', () => openLog(path, Number(NAME.exec(name)?.[1] ?? 0)));
    place.setAttribute('aria-label', `${say('Show in log')}: ${name}`);
    return element('figure', {}, picture, element('figcaption', {}, name, ' · ', place));
  }
}
