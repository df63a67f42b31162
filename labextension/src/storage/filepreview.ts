/**
 * A file that is looked at: its name, size, a preview as the Files tab of a job has it, and a download.
 */

import { preview, PreviewImages } from '../panes/preview.js';
import type { PreviewAnswer, StoredEntry } from '../panel/protocol.js';
import type { SectionContext } from '../panel/section.js';
import { heading } from '../parts/blocks.js';
import { button, Disposables, element } from '../parts/dom.js';
import { fileName } from '../parts/download.js';
import { Loading } from '../parts/loading.js';
import { bytes } from '../text/format.js';
import { plain } from '../text/sanitize.js';

export class FilePreview {
  readonly element = element('div', { class: 'pj-Storage-look', role: 'region' });
  readonly #context: SectionContext;
  readonly #closed: () => void;
  readonly #images = new PreviewImages();
  readonly #lasting = new Disposables();
  #loading: Loading | null = null;
  #uri: string | null = null;

  /** `closed` hears that the user has seen enough. */
  constructor(context: SectionContext, closed: () => void) {
    this.#context = context;
    this.#closed = closed;
    this.element.setAttribute('aria-label', context.say('Preview'));
    this.element.hidden = true;
    this.#lasting.listen(this.element, 'keydown', event => {
      if (event.key === 'Escape') {
        event.stopPropagation();
        this.#end();
      }
    });
  }

  /** The address of what is looked at. */
  get uri(): string | null {
    return this.#uri;
  }

  open(entry: StoredEntry): void {
    this.close();
    const { say, rest } = this.#context;
    this.#uri = entry.uri;
    this.element.hidden = false;
    const loading = (this.#loading = new Loading(say));
    this.element.append(this.#heading(entry), loading.element);
    const ask = () => rest.frame<PreviewAnswer>('storage/preview', { uri: entry.uri });
    void loading.load(ask, ({ ok, buffers }) => {
      this.#images.clear();
      return preview(this.#context, entry.name, ok, buffers[0], this.#images);
    });
  }

  close(): void {
    this.#loading?.dispose();
    this.#images.clear();
    this.element.replaceChildren();
    this.element.hidden = true;
    this.#uri = null;
  }

  dispose(): void {
    this.close();
    this.#lasting.dispose();
  }

  #end(): void {
    this.close();
    this.#closed();
  }

  #heading({ uri, name, size }: StoredEntry): HTMLElement {
    const { say, rest } = this.#context;
    const href = rest.address('storage/file', { uri });
    const save = element('a', { href, download: fileName(name) }, say('Download'));
    return heading(
      plain(name, 200),
      bytes(size),
      save,
      button(say('Close'), 'small', () => this.#end())
    );
  }
}
