/**
 * The Files tab: the job's output channels and its pictures, a directory of a channel, or a file. What is shown is
 * `Place`; everything else is asked for when it is needed.
 */

import { heading, table } from '../parts/blocks.js';
import { button, element, quiet } from '../parts/dom.js';
import { fetchFile, fileName, saveBlob } from '../parts/download.js';
import { errorText, Loading } from '../parts/loading.js';
import { Breadcrumb } from '../parts/breadcrumb.js';
import { bytes, moment } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import type { Answers, Channel, Context, FileEntry, FilesAnswer, Pane } from '../tokens.js';
import { ImageGallery } from './images.js';
import { preview, PreviewImages } from './preview.js';

/** `channel` is null for the list of channels. */
interface Place {
  readonly channel: string | null;
  readonly path: string;
  readonly isFile: boolean;
}

const ROOT: Place = { channel: null, path: '', isFile: false };

/** A files pane can show a channel. */
export interface FilesPane extends Pane {
  open(channel: string): void;
}

export function filesPane(context: Context): FilesPane {
  return new ChannelFiles(context);
}

class ChannelFiles implements FilesPane {
  readonly element = element('div', { class: 'pj-JobView-files' });
  readonly #context: Context;
  readonly #breadcrumb: Breadcrumb;
  readonly #outcome = element('span', { class: 'pj-JobView-quiet' });
  readonly #loading: Loading;
  readonly #images = new PreviewImages();
  #gallery: ImageGallery | null = null;
  #place: Place = ROOT;
  #isBegun = false;
  #isDisposed = false;

  constructor(context: Context) {
    this.#context = context;
    const { say } = context;
    this.#loading = new Loading(say);
    this.#breadcrumb = new Breadcrumb(say('Path'));
    const refresh = button(say('Refresh'), 'small', () => this.#go(this.#place));
    const toolbar = element('div', { class: 'pj-JobView-tools' }, this.#breadcrumb.element, this.#outcome, refresh);
    this.element.append(toolbar, this.#loading.element);
  }

  show(isShown: boolean): void {
    if (isShown && !this.#isBegun) {
      this.#isBegun = true;
      this.#go(ROOT);
    }
  }

  open(channel: string): void {
    this.#isBegun = true;
    this.#go({ channel, path: '', isFile: false });
  }

  update(push: { kind: string }): void {
    if (push.kind === 'snapshot') {
      this.#loading.retry();
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#gallery?.dispose();
    this.#loading.dispose();
    this.#images.clear();
  }

  #go(place: Place): void {
    this.#place = place;
    this.#drawTrail();
    void this.#loading.load(
      () => this.#ask(place),
      ({ ok, buffers }) => {
        this.#images.clear();
        this.#gallery?.dispose();
        return this.#draw(ok, buffers[0]);
      }
    );
  }

  #ask({ channel, path, isFile }: Place): Promise<{ ok: Answers['files']; buffers: ArrayBuffer[] }> {
    const within = { ...(path ? { path } : {}), ...(isFile ? { preview: true } : {}) };
    return this.#context.source.request('files', channel === null ? {} : { channel, ...within });
  }

  /** The way here; the last step is where we are. */
  #drawTrail(): void {
    const { channel, path } = this.#place;
    const steps: [string, Place][] = [[this.#context.say('Channels'), ROOT]];
    if (channel !== null) {
      steps.push([channel, { channel, path: '', isFile: false }]);
      const names = path.split('/').filter(Boolean);
      names.forEach((name, at) => {
        steps.push([name, { channel, path: names.slice(0, at + 1).join('/'), isFile: false }]);
      });
    }
    this.#breadcrumb.draw(steps.map(([label, place]) => ({ label, go: () => this.#go(place) })));
  }

  #draw(answer: Answers['files'], buffer: ArrayBuffer | undefined): Node[] {
    switch (answer.kind) {
      case 'channels':
        return this.#channels(answer.channels);
      case 'directory':
        return this.#directory(answer);
      case 'preview':
        return [this.#fileHeading(answer), ...preview(this.#context, answer.path, answer, buffer, this.#images)];
      case 'bytes':
        return [];
    }
  }

  #fileHeading({ channel, path, size }: Extract<FilesAnswer, { kind: 'preview' }>): HTMLElement {
    return heading(plain(path.split('/').at(-1), 200), bytes(size), this.#download(channel, path, size));
  }

  #channels(channels: Channel[]): Node[] {
    const { say } = this.#context;
    if (!channels.length) {
      return [quiet(say('No output channels'))];
    }
    const hasNotes = channels.some(({ note }) => note);
    const rows = channels.map(({ name, uri, is_open, note }) => [
      is_open ? this.#opener(name, { channel: name, path: '', isFile: false }) : plain(name, 100),
      plain(uri, 500),
      ...(hasNotes ? [plain(note, 500)] : [])
    ]);
    this.#gallery = new ImageGallery(this.#context, (channel, path) => this.#go({ channel, path, isFile: true }));
    const headings = [say('Channel'), say('Address'), ...(hasNotes ? [say('Note')] : [])];
    return [table(say('Channels'), headings, rows), this.#gallery.element];
  }

  #directory({ channel, path, entries, is_cut }: Extract<FilesAnswer, { kind: 'directory' }>): Node[] {
    const { say } = this.#context;
    if (!entries.length) {
      return [quiet(say('No files'))];
    }
    const sorted = [...entries].sort((a, b) => Number(b.is_directory) - Number(a.is_directory));
    const rows = sorted.map(entry => this.#row(channel, path === '' ? entry.name : `${path}/${entry.name}`, entry));
    const headings = [say('Name'), say('Size'), say('Modified'), say('Download')];
    const more = is_cut ? [quiet(say('Showing the first {count} entries', { count: entries.length }))] : [];
    return [table(say('Files'), headings, rows, [1]), ...more];
  }

  #row(channel: string, path: string, { name, is_directory, size, modified }: FileEntry): (Node | string)[] {
    return [
      this.#opener(is_directory ? `${name}/` : name, { channel, path, isFile: !is_directory }),
      is_directory ? '' : bytes(size),
      modified === null ? '' : moment(modified),
      is_directory ? '' : this.#download(channel, path, size)
    ];
  }

  #opener(label: string, place: Place): HTMLElement {
    return button(plain(label, 500), 'link', () => this.#go(place));
  }

  #download(channel: string, path: string, size: number): HTMLElement {
    const { source, say } = this.#context;
    const name = fileName(path.split('/').at(-1) ?? path);
    const address = source.download({ channel, path });
    const label = `${say('Download')}: ${plain(path, 500)}`;
    if (address !== null) {
      return element('a', { href: address, download: name, 'aria-label': label }, say('Download'));
    }
    const made = button(say('Download'), 'link', () => void this.#fetch(channel, path, size, name));
    made.setAttribute('aria-label', label);
    return made;
  }

  async #fetch(channel: string, path: string, size: number, name: string): Promise<void> {
    const tell = (part: number) => {
      this.#outcome.textContent = `${plain(name, 60)}: ${Math.floor(100 * part)}%`;
      return !this.#isDisposed;
    };
    try {
      const blob = await fetchFile(this.#context, channel, path, size, tell);
      if (blob) {
        saveBlob(blob, name);
        this.#outcome.textContent = '';
      }
    } catch (error) {
      this.#outcome.textContent = errorText(error);
      this.#context.announce(errorText(error));
    }
  }
}
