/**
 * The buttons of the storage section. Each shows whether it can do anything with the place and what is chosen there.
 */

import { quote } from '../cell/shlex.js';
import type { StoredEntry, StorageAnswer } from '../panel/protocol.js';
import { button, element } from '../parts/dom.js';
import { fileName } from '../parts/download.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';

export interface StorageToolbarHandlers {
  upload(): void;
  makeFolder(): void;
  goTo(): void;
  download(): void;
  remove(): void;
  refresh(): void;
}

export class StorageToolbar {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #upload: HTMLButtonElement;
  readonly #folder: HTMLButtonElement;
  readonly #download: HTMLButtonElement;
  readonly #remove: HTMLButtonElement;

  constructor(say: Say, handlers: StorageToolbarHandlers) {
    this.#say = say;
    this.#upload = button(say('Upload'), 'small', () => handlers.upload());
    this.#folder = button(say('New folder'), 'small', () => handlers.makeFolder());
    this.#download = button(say('Download'), 'small', () => handlers.download());
    this.#remove = button(say('Delete'), 'small', () => handlers.remove());
    const [goTo, refresh] = [
      button(say('Go to…'), 'small', () => handlers.goTo()),
      button(say('Refresh'), 'small', () => handlers.refresh())
    ];
    this.element = element(
      'div',
      { class: 'pj-JobView-tools', role: 'group', 'aria-label': say('Storage') },
      this.#upload,
      this.#folder,
      this.#download,
      this.#remove,
      goTo,
      refresh
    );
    this.draw(null, []);
  }

  draw(place: StorageAnswer | null, chosen: readonly StoredEntry[]): void {
    this.#upload.hidden = this.#folder.hidden = !place?.can_write;
    this.#download.disabled = !canDownload(chosen);
    const line = downloadLine(chosen);
    this.#download.title = line && this.#say('Folders are downloaded in a notebook: {line}', { line });
    this.#remove.hidden = !place?.can_delete;
    this.#remove.disabled = chosen.length === 0;
  }
}

/** Of what is chosen, all are files: a directory has no address that a browser could save. */
export function canDownload(chosen: readonly StoredEntry[]): boolean {
  return chosen.length > 0 && chosen.every(entry => !entry.is_directory);
}

/** The line of a notebook that downloads the first directory of what is chosen; '' where there is none. */
export function downloadLine(chosen: readonly StoredEntry[]): string {
  const { uri = '', name = '' } = chosen.find(entry => entry.is_directory) ?? {};
  const [, job, channel] = /^job:([^/]+)\/(?:([^/]+)\/)?/.exec(uri) ?? [];
  if (job) {
    return `%pai_download ${plain([job, channel].filter(Boolean).join(':'), 200)}`; // an output comes whole
  }
  const command = { 'oss:': '%pai_oss cp', 'hdfs:': '%pai_hdfs get' }[/^[a-z]+:/.exec(uri)?.[0] ?? ''];
  return command ? `${command} ${quote(plain(uri, 1_000))} ${quote(`./${fileName(name)}/`)}` : '';
}
