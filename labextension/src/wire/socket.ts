/**
 * The one WebSocket that all views of a browser tab share.
 *
 * Rule 1: it is open while a view is mounted, and some seconds longer, since a cell that runs again soon wants it back.
 * Rule 2: once lost it is opened again, with growing pauses, and at once when the page is looked at or the network is
 *   back.
 * Rule 3: a laptop that slept may hold a connection that is dead and does not know: after a silence it is asked when
 *   somebody looks at the page, and dropped if no answer comes.
 */

import { type Body, readFrame } from './frames.js';
import { WireList } from './listing.js';
import { Exchange, type Transport } from './protocol.js';
import { WireRun } from './run.js';
import { type Download, WireSource } from './source.js';

export interface Address {
  socket: string; // of the WebSocket, a token included where one is needed
  api: string; // of REST, ends with "/"
  token: string; // for addresses that the browser opens by itself; '' where its cookie does
}

const TIMEOUT = 60_000; // milliseconds, all of them
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;
const LINGER = 5_000;
const SILENCE = 30_000;
const PROOF_OF_LIFE = 5_000;

export class Connection implements Transport {
  readonly #address: Address;
  readonly #random: () => number;
  readonly #exchange = new Exchange(this, { timeout: TIMEOUT, patience: null });
  #socket: WebSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #users = 0;
  #failures = 0;
  #heard = 0; // when something came, by the monotonic clock
  readonly #woken = (): void => this.#wake();

  /** `random` spreads the views of many pages that lost the same server. */
  constructor(address: Address, random: () => number = Math.random) {
    this.#address = address;
    this.#random = random;
  }

  /** The list of jobs; the socket is in use while somebody listens to it. */
  list(): WireList {
    return new WireList(this.#exchange, { begin: () => this.#use(), release: () => this.#release() });
  }

  /** What a view of this job gets its data from; to be disposed of. */
  source(job: string): WireSource {
    this.#use();
    return new WireSource(job, this.#exchange, {
      download: (id, what) => downloadAddress(this.#address, id, what),
      release: () => this.#release()
    });
  }

  /** What a view of this run gets its data from; to be disposed of. */
  run(run: string): WireRun {
    this.#use();
    return new WireRun(run, this.#exchange, () => this.#release());
  }

  send(body: Body): void {
    this.#socket?.send(JSON.stringify(body));
  }

  #use(): void {
    this.#users += 1;
    if (this.#users === 1) {
      this.#begin();
    }
  }

  #begin(): void {
    clearTimeout(this.#timer);
    document.addEventListener('visibilitychange', this.#woken);
    window.addEventListener('online', this.#woken);
    if (!this.#socket) {
      this.#exchange.begin();
      this.#connect();
    }
  }

  #release(): void {
    this.#users -= 1;
    if (this.#users === 0) {
      document.removeEventListener('visibilitychange', this.#woken);
      window.removeEventListener('online', this.#woken);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#close(), LINGER);
    }
  }

  #connect(): void {
    clearTimeout(this.#timer);
    const socket = (this.#socket = new WebSocket(this.#address.socket));
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.#heard = performance.now();
      this.#exchange.open();
    };
    socket.onmessage = event => this.#receive(event.data);
    socket.onclose = () => this.#closed();
  }

  #receive(data: unknown): void {
    this.#heard = performance.now();
    this.#failures = 0;
    const message = readFrame(data);
    if (message) {
      this.#exchange.receive(message);
    }
  }

  #closed(): void {
    this.#close();
    if (this.#users > 0) {
      const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#failures) * (0.5 + this.#random() / 2);
      this.#failures += 1;
      this.#timer = setTimeout(() => this.#connect(), pause);
    }
  }

  #close(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
      this.#exchange.lost();
    }
  }

  #wake(): void {
    if (document.hidden) {
      return;
    }
    if (!this.#socket) {
      this.#connect();
    } else if (this.#socket.readyState === WebSocket.OPEN && performance.now() - this.#heard > SILENCE) {
      this.#demandLife(performance.now());
    }
  }

  /** Ask the cheapest question, to end a view that there is not: whatever the answer, it is one. */
  #demandLife(since: number): void {
    this.#exchange.tell({ kind: 'bye', job: '', view: '' });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#heard < since) {
        this.#close();
        this.#connect();
      }
    }, PROOF_OF_LIFE);
  }
}

function downloadAddress({ api, token }: Address, job: string, what: Download): string {
  const query = new URLSearchParams();
  let path = 'package';
  if ('log' in what) {
    path = 'log';
    query.set('replica', what.log);
  } else if ('channel' in what) {
    path = ['files', what.channel, ...what.path.split('/')].map(encodeURIComponent).join('/');
  }
  if (token) {
    query.set('token', token);
  }
  const text = query.toString();
  return `${api}jobs/${encodeURIComponent(job)}/${path}${text && `?${text}`}`;
}
