/**
 * Our REST without a server: it holds files, boards and backends, and can refuse and wait.
 *
 *     const rest = new FakeRest();
 *     rest.stored.set('oss://b/a.txt', 'text');     // a place that holds it comes by itself
 *     rest.refuse('storage/file', 'The disk is full.');
 *     const go = rest.hold('storage');              // its answers wait until go()
 *
 * `heard` has what was asked for, in order: "GET storage oss://b/".
 */

import type {
  BackendsAnswer,
  BoardRow,
  BoardsAnswer,
  ClusterRow,
  ClustersAnswer,
  PreviewAnswer,
  StorageAnswer,
  StoredEntry
} from '../../src/panel/protocol.js';
import type { Framed, Query, Rest, Transfer } from '../../src/panel/rest.js';
import type { SectionContext } from '../../src/panel/section.js';
import { translator } from '../../src/text/translation.js';
import { RequestError } from '../../src/wire/protocol.js';

type AnswerOf = BoardsAnswer | BackendsAnswer | ClustersAnswer | StorageAnswer | PreviewAnswer;

export class FakeRest implements Rest {
  readonly stored = new Map<string, string>();
  readonly boards: BoardRow[] = [];
  readonly heard: string[] = [];
  backends: BackendsAnswer = { backends: [], profile: '', settings: [] };
  clusters: ClusterRow[] = [];
  limit: number | null = null;
  is_emulator = false;
  canWrite = true;
  canDelete = true;
  pageSize = 1_000;
  notes: string[] = [];
  readonly #refusals = new Map<string, RequestError>();
  readonly #held = new Map<string, Promise<void>>();

  refuse(path: string, message: string, type = 'SpecError'): void {
    this.#refusals.set(path, new RequestError(message, type));
  }

  allow(path: string): void {
    this.#refusals.delete(path);
  }

  /** Answers to this wait until the returned function is called. */
  hold(path: string): () => void {
    let go = (): void => undefined;
    this.#held.set(path, new Promise<void>(resolve => (go = resolve)));
    return () => {
      this.#held.delete(path);
      go();
    };
  }

  count(asked: string): number {
    return this.heard.filter(one => one.startsWith(asked)).length;
  }

  async get<T>(path: string, query: Query = {}): Promise<T> {
    return (await this.frame<T>(path, query)).ok;
  }

  async frame<T>(path: string, query: Query = {}): Promise<Framed<T>> {
    await this.#take('GET', path, query);
    return { ok: this.#answer(path, query) as T, buffers: path.endsWith('preview') ? [new ArrayBuffer(4)] : [] };
  }

  async post<T>(path: string, body: object = {}, query: Query = {}): Promise<T> {
    await this.#take('POST', path, query);
    if (path === 'storage/folder') {
      this.stored.set(query['uri'] ?? '', '');
    } else if ('uri' in body) {
      this.boards.push(board({ id: 'new', name: 'new', state: 'starting', url: '', shows: String(body.uri) }));
    }
    return {} as T;
  }

  async patch<T>(path: string, body: object): Promise<T> {
    await this.#take('PATCH', path, { body: JSON.stringify(body) });
    return {} as T;
  }

  async remove<T>(path: string, query: Query = {}): Promise<T> {
    await this.#take('DELETE', path, query);
    if (path === 'storage') {
      return { count: this.#removeAll(query['uri'] ?? '') } as T;
    }
    const id = decodeURIComponent(path.split('/').at(-1) ?? '');
    this.boards.splice(
      this.boards.findIndex(one => one.id === id),
      1
    );
    return {} as T;
  }

  async upload(path: string, query: Query, file: File, { progress, signal }: Transfer): Promise<StoredEntry> {
    const uri = query['uri'] ?? '';
    progress(Math.floor(file.size / 2), file.size);
    const cut = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new RequestError('Cancelled.', 'Cancelled')));
    });
    await Promise.race([this.#take('PUT', path, query), cut]);
    this.stored.set(uri, 'x'.repeat(file.size));
    return { name: file.name, uri, is_directory: false, size: file.size, modified: 1_000 };
  }

  address(path: string, query: Query = {}): string {
    return `/api/${path}?${new URLSearchParams(query)}`;
  }

  async #take(method: string, path: string, query: Query): Promise<void> {
    this.heard.push([method, path, ...Object.values(query)].join(' '));
    await this.#held.get(path);
    await Promise.resolve();
    const refusal = this.#refusals.get(path);
    if (refusal) {
      throw refusal;
    }
  }

  #answer(path: string, query: Query): AnswerOf {
    switch (path) {
      case 'tensorboards':
        return {
          boards: this.boards.map(one => ({ ...one })),
          limit: this.limit,
          is_emulator: this.is_emulator,
          notes: this.notes
        };
      case 'backends':
        return this.backends;
      case 'clusters':
        return { clusters: this.clusters };
      case 'storage/preview':
        return this.#preview(query['uri'] ?? '');
      default:
        return this.#list(query['uri'] ?? '', Number(query['after'] ?? 0));
    }
  }

  #preview(uri: string): PreviewAnswer {
    const text = this.stored.get(uri);
    if (text === undefined) {
      throw new RequestError('It is not there.', 'NotFoundError');
    }
    const type = uri.endsWith('.png') ? 'image' : uri.endsWith('.bin') ? 'binary' : 'text';
    return { uri, size: text.length, type, mime: type === 'image' ? 'image/png' : '', text, is_cut: false };
  }

  /** The root's entries are the buckets and jobs that hold something. */
  #list(uri: string, start: number): StorageAnswer {
    const found = new Map<string, StoredEntry>();
    for (const [file, text] of this.stored) {
      const place = uri === '' ? (/^[a-z]+:(\/\/)?[^/]*\//.exec(file)?.[0] ?? '') : '';
      const name = uri === '' ? place.slice(0, -1) : file.slice(uri.length).split('/')[0];
      if (name && file.startsWith(uri)) {
        const isDirectory = uri === '' || file.slice(uri.length).includes('/');
        const entry = { name, uri: uri + name + (isDirectory ? '/' : ''), is_directory: isDirectory };
        found.set(name, { ...entry, size: isDirectory ? 0 : text.length, modified: 1_000 });
      }
    }
    const all = [...found.values()];
    const stop = start + this.pageSize;
    const parent = uri === '' ? null : uri.slice(0, uri.slice(0, -1).lastIndexOf('/') + 1);
    return {
      uri,
      parent: parent?.endsWith('//') ? '' : parent,
      can_write: this.canWrite && uri !== '',
      notes: this.notes,
      can_delete: this.canDelete && uri !== '',
      entries: all.slice(start, stop),
      after: stop < all.length ? String(stop) : null
    };
  }

  #removeAll(uri: string): number {
    const gone = [...this.stored.keys()].filter(one => one === uri || (uri.endsWith('/') && one.startsWith(uri)));
    gone.forEach(one => this.stored.delete(one));
    return gone.length;
  }
}

export function board(changes: Partial<BoardRow> = {}): BoardRow {
  return {
    id: 'b1',
    name: 'iris',
    state: 'running',
    where: 'here',
    url: '/proxy/6006/',
    shows: '~/jobs/iris/logs',
    ...changes
  };
}

export interface FakeBasics extends SectionContext {
  readonly language: 'en';
  readonly rest: FakeRest;
  readonly spoken: string[];
}

export function fakeBasics(): FakeBasics {
  const spoken: string[] = [];
  const announce = (text: string): void => void spoken.push(text);
  return { rest: new FakeRest(), say: translator('en'), language: 'en', announce, spoken };
}
