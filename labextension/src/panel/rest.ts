/**
 * Requests to our REST, for whatever is asked once and not watched.
 *
 *     const rest = new ServerRest({ api: address.api, token: address.token, fetch, credentials });
 *     const { boards } = await rest.get<BoardsAnswer>('tensorboards');
 *     await rest.remove(`tensorboards/${encodeURIComponent(id)}`);
 *
 * Rule 1: all reject with a `RequestError`, whose message is the sentence for the user, whatever has gone wrong: a
 *   refusal of ours, a page of a proxy, no answer, no network.
 * Rule 2: the host does the asking, since it knows how Jupyter lets a page in. Only an upload goes its own way: `fetch`
 *   does not tell how far it is.
 * Rule 3: `path` is below our root, each part of it encoded by whoever put it together; queries are encoded here.
 */

import { plain } from '../text/sanitize.js';
import { readFrame } from '../wire/frames.js';
import { RequestError } from '../wire/protocol.js';
import type { StoredEntry } from './protocol.js';

export type Query = Readonly<Record<string, string>>;

export interface Framed<T> {
  readonly ok: T;
  readonly buffers: ArrayBuffer[];
}

export interface Transfer {
  /** Hears how far it is, in bytes. */
  progress(done: number, total: number): void;
  readonly signal: AbortSignal;
}

export interface Rest {
  get<T>(path: string, query?: Query): Promise<T>;
  /** An answer that may have binary parts. */
  frame<T>(path: string, query?: Query): Promise<Framed<T>>;
  post<T>(path: string, body?: object, query?: Query): Promise<T>;
  /** Change what is there. */
  patch<T>(path: string, body: object): Promise<T>;
  remove<T>(path: string, query?: Query): Promise<T>;
  upload(path: string, query: Query, file: Blob, how: Transfer): Promise<StoredEntry>;
  /** Where the browser finds this by itself, to save it. */
  address(path: string, query?: Query): string;
}

/** How a page gets to our part of the server. */
export interface ServerAccess {
  readonly api: string; // ends with "/"
  readonly token: string; // for addresses that the browser opens by itself; '' where its cookie does
  /** As `window.fetch`, with what lets this page in. */
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** The headers that let this page in. */
  credentials(): Readonly<Record<string, string>>;
  readonly language: string; // of what the server says to people: errors, hints, notes
}

const QUESTION = 60_000; // milliseconds
const DEED = 600_000; // a directory with much in it is not deleted in a moment

export class ServerRest implements Rest {
  readonly #door: ServerAccess;

  constructor(door: ServerAccess) {
    this.#door = door;
  }

  async get<T>(path: string, query: Query = {}): Promise<T> {
    return (await this.frame<T>(path, query)).ok;
  }

  async frame<T>(path: string, query: Query = {}): Promise<Framed<T>> {
    // Jupyter's own way past the cache is a parameter without a name, which our server would refuse.
    return this.#ask<T>(this.#where(path, query), { method: 'GET', cache: 'no-cache' }, QUESTION);
  }

  async post<T>(path: string, body: object = {}, query: Query = {}): Promise<T> {
    const init: RequestInit = { method: 'POST', cache: 'no-cache', body: JSON.stringify(body) };
    return (await this.#ask<T>(this.#where(path, query), init, DEED)).ok;
  }

  async patch<T>(path: string, body: object): Promise<T> {
    const init: RequestInit = { method: 'PATCH', cache: 'no-cache', body: JSON.stringify(body) };
    return (await this.#ask<T>(this.#where(path, {}), init, QUESTION)).ok;
  }

  async remove<T>(path: string, query: Query = {}): Promise<T> {
    return (await this.#ask<T>(this.#where(path, query), { method: 'DELETE', cache: 'no-cache' }, DEED)).ok;
  }

  upload(path: string, query: Query, file: Blob, { progress, signal }: Transfer): Promise<StoredEntry> {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      const cancel = (): void => request.abort();
      const end = (act: () => void): void => {
        signal.removeEventListener('abort', cancel);
        act();
      };
      request.open('PUT', this.#where(path, query));
      request.responseType = 'arraybuffer';
      const headers = { ...this.#door.credentials(), ...this.#spoken(), 'Content-Type': 'application/octet-stream' };
      Object.entries(headers).forEach(([name, value]) => request.setRequestHeader(name, value));
      request.upload.addEventListener('progress', ({ loaded }) => progress(loaded, file.size));
      request.addEventListener('abort', () => end(() => reject(cancelled())));
      request.addEventListener('error', () => end(() => reject(unreachable())));
      request.addEventListener('load', () =>
        end(() => {
          const read = readAnswer<StoredEntry>(request.status, request.response as ArrayBuffer);
          if (read instanceof RequestError) {
            reject(read);
          } else {
            resolve(read.ok);
          }
        })
      );
      if (signal.aborted) {
        reject(cancelled());
      } else {
        signal.addEventListener('abort', cancel);
        request.send(file);
      }
    });
  }

  address(path: string, query: Query = {}): string {
    const { token } = this.#door;
    return this.#where(path, token ? { ...query, token } : query);
  }

  #where(path: string, query: Query): string {
    const text = new URLSearchParams(query).toString();
    return this.#door.api + path + (text && `?${text}`);
  }

  #spoken(): Record<string, string> {
    return { 'Accept-Language': this.#door.language };
  }

  async #ask<T>(url: string, init: RequestInit, limit: number): Promise<Framed<T>> {
    const signal = AbortSignal.timeout(limit);
    let read: Framed<T> | RequestError;
    try {
      const response = await this.#door.fetch(url, { ...init, headers: this.#spoken(), signal });
      read = readAnswer<T>(response.status, await response.arrayBuffer());
    } catch {
      throw signal.aborted ? late() : unreachable();
    }
    if (read instanceof RequestError) {
      throw read;
    }
    return read;
  }
}

/** The headers that Jupyter asks for: its token, and a word out of its cookie where it is the cookie that lets in. */
export function jupyterHeaders(token: string, cookies: string): Record<string, string> {
  const ours = cookies.split(/;\s*/).filter(cookie => cookie.startsWith('_xsrf='));
  const xsrf = ours.at(-1)?.slice('_xsrf='.length); // of several, for paths within paths, the server takes the last
  return { ...(token ? { Authorization: `token ${token}` } : {}), ...(xsrf ? { 'X-XSRFToken': xsrf } : {}) };
}

/** What the server says: an answer, a frame, or why not. */
function readAnswer<T>(status: number, data: ArrayBuffer): Framed<T> | RequestError {
  const isGood = status >= 200 && status < 300;
  const message = readFrame(data) ?? readFrame(new TextDecoder().decode(data) || '{}');
  if (isGood && message) {
    return { ok: message.body as T, buffers: message.buffers }; // the other end keeps to `panel/protocol.ts`
  }
  const { message: sentence, type, hint } = message?.body ?? {};
  if (!isGood && typeof sentence === 'string' && sentence) {
    return new RequestError(sentence, plain(type), plain(hint));
  }
  return new RequestError(
    `The Jupyter server, or what stands before it, answered with status ${status} and no word of ours. ` +
      'Reload the page, and log in where it asks you to.',
    'ProtocolError'
  );
}

function cancelled(): RequestError {
  return new RequestError('Cancelled.', 'Cancelled');
}

function late(): RequestError {
  return new RequestError('The Jupyter server did not answer in time. Try again.', 'Timeout');
}

function unreachable(): RequestError {
  return new RequestError('The Jupyter server cannot be reached. Look whether it runs, then try again.', 'Unreachable');
}
