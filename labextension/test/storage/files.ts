/** Files as a user brings them, and a section of storage to bring them to. jsdom has no drag and drop. */

import { storageSection } from '../../src/storage/storage.js';
import { type FakeBasics, fakeBasics } from '../panel/fakerest.js';
import { eventually } from '../turns.js';

export function file(name: string, size = 4): File {
  return new File(['x'.repeat(size)], name);
}

/** A folder that is dropped: what is in it by name, folders and the sizes of files. */
export interface Folder {
  readonly [name: string]: Folder | number;
}

/** What a drop brings; of those whose names are in `folders` these are folders. */
export function drop(target: HTMLElement, files: File[], folders: Folder = {}): DragEvent {
  const items = files.map(({ name }) => ({ kind: 'file', webkitGetAsEntry: () => entryOf(name, folders[name] ?? 0) }));
  const event = new Event('drop', { bubbles: true, cancelable: true });
  Object.assign(event, { dataTransfer: { types: ['Files'], items, files } });
  target.dispatchEvent(event);
  return event as DragEvent;
}

/** As the browser has it: what is in a folder comes in portions, the last of which is empty. */
function entryOf(name: string, what: Folder | number): object {
  if (typeof what === 'number') {
    return { name, isDirectory: false, file: (take: (found: File) => void) => take(file(name, what)) };
  }
  const portions = Object.entries(what).map(each => [entryOf(...each)]);
  const readEntries = (take: (found: object[]) => void): void => take(portions.shift() ?? []);
  return { name, isDirectory: true, createReader: () => ({ readEntries }) };
}

export class Stage {
  readonly context: FakeBasics = fakeBasics();
  readonly rest = this.context.rest;
  readonly section = storageSection(this.context);
  readonly element = this.section.element;

  constructor() {
    document.body.append(this.element);
  }

  get text(): string {
    return this.element.textContent ?? '';
  }

  get list(): HTMLElement | null {
    return this.element.querySelector<HTMLElement>('[role=listbox]');
  }

  /** The entries that are listed, as they are heard. */
  get entries(): (string | null)[] {
    return [...this.element.querySelectorAll('[role=option]')].map(one => one.textContent);
  }

  get chosen(): (string | undefined)[] {
    return [...this.element.querySelectorAll<HTMLElement>('[aria-selected=true]')].map(one => one.dataset['row']);
  }

  get breadcrumb(): (string | null)[] {
    return [...this.element.querySelectorAll('nav li')].map(step => step.textContent);
  }

  says(what: string): Promise<void> {
    return eventually(() => {
      if (!this.text.includes(what)) {
        throw new Error(`${JSON.stringify(what)} is not in ${JSON.stringify(this.text)}`);
      }
    });
  }

  button(label: string): HTMLButtonElement | undefined {
    return [...this.element.querySelectorAll('button')].find(one => (one.ariaLabel ?? one.textContent) === label);
  }

  press(label: string): void {
    this.button(label)?.focus();
    this.button(label)?.click();
  }

  key(key: string, more: KeyboardEventInit = {}): KeyboardEvent {
    this.list?.focus();
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
    this.list?.dispatchEvent(event);
    return event;
  }

  /** The option of the entry of this address. */
  option(uri: string): Promise<HTMLElement> {
    return eventually(() => {
      const options = [...this.element.querySelectorAll<HTMLElement>('[role=option]')];
      const found = options.find(one => one.dataset['row'] === uri);
      if (!found) {
        throw new Error(`no ${uri} among ${options.map(one => one.dataset['row']).join(', ')}`);
      }
      return found;
    });
  }

  async choose(uri: string, more: MouseEventInit = {}): Promise<void> {
    (await this.option(uri)).dispatchEvent(new MouseEvent('click', { bubbles: true, ...more }));
  }

  /** Open directories, or at last a file, by their addresses. */
  async open(...uris: string[]): Promise<void> {
    for (const uri of uris) {
      await this.choose(uri);
      (await this.option(uri)).dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
    }
  }

  /** Show the section at this bucket. */
  async at(bucket: string): Promise<void> {
    this.section.show(true);
    await this.open(bucket);
    await eventually(() => {
      if (this.breadcrumb.length !== 2) {
        throw new Error('it is not there yet');
      }
    });
  }

  end(): void {
    this.section.dispose();
    document.body.replaceChildren();
  }
}
