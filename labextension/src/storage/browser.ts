/**
 * Where the user is in what is stored: the way here, and the list of what lies here.
 *
 * Rule 1: way and list are of one answer, so what is dropped or deleted goes where the user sees it go. They change
 *   when the next answer is there; until then, and where none comes, the old ones stay.
 * Rule 2: of a long listing the next part is asked for when the end of what is known comes into sight. There may be
 *   millions: no more than `MOST_KEPT` are kept, and those behind them come in their place when the user says so.
 */

import type { StorageAnswer, StoredEntry } from '../panel/protocol.js';
import type { SectionContext } from '../panel/section.js';
import { VirtualList } from '../panel/virtuallist.js';
import { button, Disposables, element, quiet } from '../parts/dom.js';
import { Loading } from '../parts/loading.js';
import { Breadcrumb } from '../parts/breadcrumb.js';
import { plain } from '../text/sanitize.js';
import { ENTRY_HEIGHT, EntryView } from './entry.js';
import { childOf, directoriesFirst, pathSteps } from './paths.js';

const MOST_KEPT = 20_000; // entries; as many more as their last answer brings

export interface BrowserHandlers {
  /** Another place is shown. */
  entered(): void;
  /** Other entries are chosen, or those that are have changed. */
  chosen(): void;
  look(entry: StoredEntry): void;
  remove(): void;
}

export class Browser {
  readonly breadcrumb: Breadcrumb;
  readonly element = element('div', { class: 'pj-Storage-browser' });
  readonly #context: SectionContext;
  readonly #handlers: BrowserHandlers;
  readonly #list: VirtualList<StoredEntry>;
  readonly #notes = element('div');
  readonly #loading: Loading;
  readonly #lasting = new Disposables();
  #place: StorageAnswer | null = null; // with the entries of all answers for this place that are kept
  #before = 0; // entries of this place that come before them
  #isAsking = false; // for whatever; still so where it was refused, until it is tried again

  constructor(context: SectionContext, handlers: BrowserHandlers) {
    const { say } = (this.#context = context);
    this.#handlers = handlers;
    this.breadcrumb = new Breadcrumb(say('Path'));
    this.#list = new VirtualList<StoredEntry>({
      label: say('Files'),
      rowHeight: ENTRY_HEIGHT,
      id: ({ uri }) => uri,
      text: ({ name }) => name,
      make: () => new EntryView(say),
      seen: (rows, first) => this.#goOn(first + rows.length),
      chosen: () => handlers.chosen(),
      open: () => this.#open(),
      remove: () => handlers.remove()
    });
    this.#loading = new Loading(say);
    this.#lasting.listen(this.#list.element, 'keydown', event => this.#goUp(event));
    this.element.append(this.#list.element, this.#notes, this.#loading.element);
  }

  /** Where we are, with all entries that are known; null before the first answer. */
  get place(): StorageAnswer | null {
    return this.#place;
  }

  get chosen(): StoredEntry[] {
    return this.#list.chosen;
  }

  show(isShown: boolean): void {
    this.#list.show(isShown);
    if (isShown && this.#place === null) {
      this.go('');
    } else if (isShown && this.#place?.uri === '' && !this.#isAsking) {
      this.refresh(); // `%pai_config` in a notebook may have changed which locations there are
    }
  }

  focus(): void {
    this.#list.element.focus();
  }

  go(uri: string): void {
    this.#ask(uri === '' ? {} : { uri }, answer => {
      const before = this.#place?.uri ?? null;
      const entries = answer.after === null ? directoriesFirst(answer.entries) : answer.entries;
      this.#place = { ...answer, entries };
      this.#before = 0;
      if (before !== answer.uri) {
        this.#enter(before);
      }
    });
  }

  /** The same place as it is now. */
  refresh(): void {
    this.go(this.#place?.uri ?? '');
  }

  /** An entry has come, or has changed; if its directory is shown, it is too, else the folder here that it is in. */
  put(come: StoredEntry): void {
    const place = this.#place;
    const entry = place?.uri ? childOf(place.uri, come) : null;
    const isKnown = place?.entries.some(({ uri }) => uri === entry?.uri) ?? false;
    if (place && entry && !(isKnown && entry !== come)) {
      const entries = isKnown
        ? place.entries.map(one => (one.uri === entry.uri ? entry : one))
        : [...place.entries, entry];
      this.#place = { ...place, entries };
      this.#draw();
    }
  }

  dispose(): void {
    this.#list.dispose();
    this.#loading.dispose();
    this.#lasting.dispose();
  }

  #ask(query: Record<string, string>, take: (answer: StorageAnswer) => void): void {
    this.#isAsking = true;
    void this.#loading.load(
      () => this.#context.rest.get<StorageAnswer>('storage', query),
      answer => {
        this.#isAsking = false;
        take(answer);
        this.#draw();
        return [];
      }
    );
  }

  /** Another place than `before`; who comes out of a directory finds it chosen. */
  #enter(before: string | null): void {
    const { say, announce } = this.#context;
    const { uri: here = '', entries = [] } = this.#place ?? {};
    const places = pathSteps(here).map(({ label, uri }) => ({ label: label === 'job:' ? say('Jobs') : label, uri }));
    const steps = [{ label: say('Locations'), uri: '' }, ...places];
    this.breadcrumb.draw(steps.map(({ label, uri }) => ({ label, go: () => this.go(uri) })));
    this.#list.reset(entries);
    this.#list.choose(entries.filter(({ uri }) => uri === before).map(({ uri }) => uri));
    const count = say(entries.length === 1 ? '{count} entry' : '{count} entries', { count: entries.length });
    announce(`${plain(steps.at(-1)?.label, 100)}: ${count}`);
    this.#handlers.entered();
  }

  /** The rows before `stop` have been in sight. */
  #goOn(stop: number): void {
    const { uri = '', entries = [], after = null } = this.#place ?? {};
    if (after !== null && !this.#isAsking && stop >= entries.length && entries.length < MOST_KEPT) {
      this.#ask({ uri, after }, answer => {
        this.#place = { ...answer, entries: [...(this.#place?.entries ?? []), ...answer.entries] };
      });
    }
  }

  /** What is behind all that is kept, in its place. */
  #goPast(after: string): void {
    const { uri = '', entries = [] } = this.#place ?? {};
    this.#ask({ uri, after }, answer => {
      this.#before += entries.length;
      this.#place = answer;
      this.#list.reset(answer.entries);
      this.#list.element.focus();
    });
  }

  #draw(): void {
    const { say } = this.#context;
    const { entries = [], after = null, notes = [] } = this.#place ?? {};
    const count = entries.length;
    this.#list.setRows(entries);
    this.#handlers.chosen();
    const range = { first: this.#before + 1, last: this.#before + count };
    const remarks = this.#before
      ? [say('Showing entries {first} to {last}', range)]
      : after !== null
        ? [say('Showing the first {count} entries', { count })]
        : count === 0
          ? [say('No files')]
          : [];
    const next =
      after !== null && count >= MOST_KEPT
        ? [button(say('Show next entries'), 'small', () => this.#goPast(after))]
        : [];
    this.#notes.replaceChildren(...[...remarks, ...notes.map(note => plain(note, 1_000))].map(quiet), ...next);
  }

  #open(): void {
    const entry = this.chosen.find(({ uri }) => uri === this.#list.selection.active);
    if (entry?.is_directory) {
      this.go(entry.uri);
    } else if (entry) {
      this.#handlers.look(entry);
    }
  }

  #goUp(event: KeyboardEvent): void {
    const isUp = event.key === 'Backspace' || (event.altKey && event.key === 'ArrowUp');
    const parent = this.#place?.parent ?? null;
    if (isUp && parent !== null) {
      event.preventDefault();
      event.stopPropagation();
      this.go(parent);
    }
  }
}
