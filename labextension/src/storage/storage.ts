/**
 * The section of storage: what jobs have made on this server, and buckets. Browse, preview, upload, download, delete.
 *
 *   Places / oss://bucket / a      the way here (browser.ts)
 *   [Upload] [New folder] …        toolbar.ts
 *   Delete a.txt? …                a question (parts/question.ts), or the progress of a deletion (progressbar.ts)
 *   ▸ sub/                         the list (browser.ts, entry.ts), where files can be dropped (dropzone.ts)
 *     a.txt               2 KB
 *   b.bin · 3 MB / 9 MB            uploadqueue.ts
 *   a.txt  [Download] [Close]      the preview of a file (filepreview.ts)
 *
 * Rule 1: an action applies to the directory and entries that were shown when it began, wherever the user goes then.
 * Rule 2: nothing is asked of the server before the section is shown.
 */

import type { StoredEntry } from '../panel/protocol.js';
import type { SectionContext, Section } from '../panel/section.js';
import { element, setText } from '../parts/dom.js';
import { fileName, saveAddress } from '../parts/download.js';
import { errorText } from '../parts/loading.js';
import { Question } from '../parts/question.js';
import { plain } from '../text/sanitize.js';
import { DropZone } from './dropzone.js';
import { Browser } from './browser.js';
import { deletionQuestion, deleteEntries, measureDeletion } from './deletion.js';
import { type IncomingFiles, clashes, uploadsInto } from './incomingfiles.js';
import { FilePreview } from './filepreview.js';
import { listNames, nameError } from './paths.js';
import { ProgressBar } from './progressbar.js';
import { canDownload, StorageToolbar } from './toolbar.js';
import { UploadQueue } from './uploadqueue.js';

export function storageSection(context: SectionContext): Section {
  return new StorageSection(context);
}

class StorageSection implements Section {
  readonly element = element('div', { class: 'pj-Storage' });
  readonly #context: SectionContext;
  readonly #tools: StorageToolbar;
  readonly #question = new Question();
  readonly #work = element('div');
  readonly #outcome = element('p', { class: 'pj-Storage-outcome', role: 'status' });
  readonly #browser: Browser;
  readonly #uploads: UploadQueue;
  readonly #look: FilePreview;
  readonly #dropZone: DropZone;
  #deleting: AbortController | null = null;
  #isDisposed = false;

  constructor(context: SectionContext) {
    this.#context = context;
    this.#tools = new StorageToolbar(context.say, {
      upload: () => this.#dropZone.pick(),
      makeFolder: () => void this.#makeFolder(),
      goTo: () => void this.#goTo(),
      download: () => this.#download(),
      remove: () => void this.#remove(),
      refresh: () => this.#browser.refresh()
    });
    this.#browser = new Browser(context, {
      entered: () => this.#enter(),
      chosen: () => this.#tools.draw(this.#browser.place, this.#browser.chosen),
      look: entry => this.#look.open(entry),
      remove: () => void this.#remove()
    });
    this.#uploads = new UploadQueue(context, entry => this.#browser.put(entry));
    this.#look = new FilePreview(context, () => this.#browser.focus());
    const isWanted = (): boolean => this.#browser.place?.can_write ?? false;
    this.#dropZone = new DropZone(this.element, isWanted, what => void this.#report(() => this.#bring(what)));
    this.element.append(
      this.#browser.breadcrumb.element,
      this.#tools.element,
      this.#question.element,
      this.#work,
      this.#outcome,
      this.#browser.element,
      this.#uploads.element,
      this.#look.element
    );
  }

  show(isShown: boolean): void {
    this.#browser.show(isShown);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#deleting?.abort();
    this.#question.dispose();
    this.#browser.dispose();
    this.#uploads.dispose();
    this.#look.dispose();
    this.#dropZone.dispose();
  }

  #enter(): void {
    this.#tell('');
    this.#look.close();
  }

  async #goTo(): Promise<void> {
    const { say } = this.#context;
    const label = say('Address of a folder, e.g. oss://bucket/folder/');
    const check = (word: string): string => (word ? '' : say('Type an address.'));
    const uri = await this.#question.word(label, [say('Go'), say('Cancel')], check);
    if (uri !== null) {
      this.#browser.go(uri);
    }
  }

  #download(): void {
    const { rest } = this.#context;
    const { chosen } = this.#browser;
    if (canDownload(chosen)) {
      chosen.forEach(({ uri, name }) => saveAddress(rest.address('storage/file', { uri }), fileName(name)));
    }
  }

  // ---- deleting

  #remove(): Promise<void> {
    return this.#report(async () => {
      const { say, rest } = this.#context;
      const { chosen, place } = this.#browser;
      if (!chosen.length || !place?.can_delete || this.#deleting) {
        return;
      }
      this.#tell(say('Counting…'));
      const weight = await measureDeletion(rest, chosen);
      this.#tell('');
      const isSure = await this.#question.ask(deletionQuestion(say, chosen, weight), [
        [say('Delete'), true, 'danger'],
        [say('Keep'), false]
      ]);
      if (isSure) {
        await this.#removeAll(chosen);
      }
    });
  }

  async #removeAll(entries: readonly StoredEntry[]): Promise<void> {
    const { say, rest } = this.#context;
    const abort = (this.#deleting = new AbortController());
    const progress = new ProgressBar(say, say('Deleting…'), () => abort.abort());
    this.#work.replaceChildren(progress.element);
    try {
      const count = await deleteEntries(rest, entries, abort.signal, ({ name, uri, is_directory }, gone) => {
        progress.draw(say('Deleting {name}', { name: plain(name, 60) }), gone / entries.length);
        if (this.#look.uri === uri || (is_directory && this.#look.uri?.startsWith(uri))) {
          this.#look.close();
        }
      });
      this.#tell(say(count === 1 ? 'Deleted {count} file' : 'Deleted {count} files', { count }));
    } finally {
      this.#deleting = null;
      this.#work.replaceChildren();
      if (!this.#isDisposed) {
        this.#browser.focus();
        this.#browser.refresh();
      }
    }
  }

  // ---- what comes

  async #makeFolder(): Promise<void> {
    const { say, rest } = this.#context;
    const directory = this.#browser.place?.uri ?? '';
    const check = (word: string): string => say(nameError(word));
    const name = await this.#question.word(say('Name of the new folder'), [say('Create'), say('Cancel')], check);
    await this.#report(async () => {
      if (name !== null) {
        await rest.post('storage/folder', {}, { uri: `${directory}${name}/` });
        this.#browser.refresh();
      }
    });
  }

  async #bring(coming: Promise<IncomingFiles>): Promise<void> {
    const { say, rest } = this.#context;
    const { place } = this.#browser;
    const { files, folders, refused } = await coming;
    if (!place?.can_write) {
      return;
    }
    const what = listNames(say, refused);
    this.#tell(
      what && say('Not uploaded: {what}. Rename it: no slashes, no control characters, at most 255 bytes.', { what })
    );
    for (const path of folders) {
      await rest.post('storage/folder', {}, { uri: `${place.uri}${path}/` });
    }
    if (folders.length) {
      this.#browser.refresh();
    }
    const uploads = uploadsInto(place.uri, files);
    const there = await clashes(rest, place.uri, uploads, this.#uploads.underWay);
    const isReplacing = there.length > 0 && (await this.#mayReplace(there.map(({ path }) => path)));
    this.#uploads.add(uploads.filter(upload => isReplacing || !there.includes(upload)));
  }

  #mayReplace(names: readonly string[]): Promise<boolean> {
    const { say } = this.#context;
    const text = say('{what} already exists. Replace?', { what: listNames(say, names) });
    return this.#question.ask(text, [
      [say('Replace'), true, 'danger'],
      [say('Keep'), false]
    ]);
  }

  // ---- how it went

  /** Do it, and say why where it fails. */
  async #report(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#tell(errorText(error), true);
    }
  }

  #tell(text: string, isBad = false): void {
    setText(this.#outcome, text);
    this.#outcome.classList.toggle('pj-JobView-trouble', isBad);
  }
}
