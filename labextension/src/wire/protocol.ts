/**
 * Requests and their answers over one transport that several views share, be it a WebSocket or a comm.
 *
 * Rule 1: a request waits until it can be sent, is sent again after a lost connection, and is answered once: by the
 *   other end, by a timeout, or by the view's own end. Only `rerun` and `rerun_run` are never sent twice, since
 *   they start jobs.
 * Rule 2: over a comm a request waits for the running cell. After `patience` the status is `busy`; pushes go on.
 * Rule 3: ids are random, since every page that is connected to a kernel hears all that its comms say.
 * Rule 4: a push is for the view that it names, or for all where it names none. What is neither answer nor push is
 *   passed over.
 */

import type { JobsPush, PanelAnswers, PanelRequests } from '../panel/protocol.js';
import type { Answer, Kind, Push, Requests, SourceStatus, WireError } from '../tokens.js';
import type { Body, Message } from './frames.js';
import type { RunChangesPush, RunPush, RunRequests, RunViewAnswers } from './schema.js';

/** What is pushed over one transport: to views of jobs and of runs, and to the list of jobs. */
export type AnyPush = Push | JobsPush | RunPush | RunChangesPush;
type RunKind = Exclude<keyof RunRequests, 'bye'>;
interface AnyAnswer<T> {
  ok: T;
  buffers: ArrayBuffer[];
}

export interface Transport {
  /** Called only between `open` and `lost`. */
  send(body: Body): void;
}

/** A view, as an exchange knows it. */
export interface Subscriber {
  readonly view: string;
  /** The other end remembers nothing of this view. */
  opened(): void;
  push(push: AnyPush, buffers: ArrayBuffer[]): void;
  changed(): void;
}

export interface Limits {
  timeout: number | null; // milliseconds until a request is given up
  patience: number | null; // milliseconds until one that waits makes the source `busy`
}

/** An answer that is a refusal. The message is a sentence for the user; `type` is the class of the error. */
export class RequestError extends Error {
  constructor(
    message: string,
    readonly type: string,
    readonly hint = ''
  ) {
    super(message);
    this.name = 'RequestError';
  }
}

interface Pending {
  readonly body: Body & { kind: string; view: string };
  isSent: boolean;
  isLate: boolean;
  readonly timers: ReturnType<typeof setTimeout>[];
  readonly resolve: (answer: AnyAnswer<unknown>) => void;
  readonly reject: (error: Error) => void;
}

const PUSHES: ReadonlySet<unknown> = new Set<AnyPush['kind']>([
  'snapshot',
  'state',
  'tail',
  'points',
  'jobs',
  'run',
  'run_changes'
]);

export class Exchange {
  readonly #transport: Transport;
  readonly #limits: Limits;
  readonly #pending = new Map<string, Pending>();
  readonly #parties = new Set<Subscriber>();
  #isOpen = false;
  #link: { status: SourceStatus; message: string } = { status: 'connecting', message: '' };

  constructor(transport: Transport, limits: Limits) {
    this.#transport = transport;
    this.#limits = limits;
  }

  get status(): SourceStatus {
    return this.#link.status;
  }

  /** What to say of the status, where there is more to say than the status does. */
  get message(): string {
    return this.#link.message;
  }

  /** Take part; returns the function that ends this, and whatever this view still asks. */
  join(party: Subscriber): () => void {
    this.#parties.add(party);
    return () => {
      this.#parties.delete(party);
      this.#refuse(({ body }) => body.view === party.view, new RequestError('The view was closed.', 'Closed'));
    };
  }

  ask<K extends Kind>(view: string, job: string, kind: K, parameters: Requests[K]): Promise<Answer<K>>;
  ask<K extends keyof PanelRequests>(
    view: string,
    job: string,
    kind: K,
    parameters: PanelRequests[K]
  ): Promise<AnyAnswer<PanelAnswers[K]>>;
  ask<K extends RunKind>(
    view: string,
    run: string,
    kind: K,
    parameters: RunRequests[K]
  ): Promise<AnyAnswer<RunViewAnswers[K]>>;
  ask(view: string, job: string, kind: string, parameters: object): Promise<AnyAnswer<unknown>> {
    const id = randomId();
    return new Promise((resolve, reject) => {
      const asked: Pending = {
        body: { ...parameters, id, kind, job, view },
        isSent: false,
        isLate: false,
        timers: [],
        resolve,
        reject // the other end keeps to `Answers` and `PanelAnswers`
      };
      this.#pending.set(id, asked);
      this.#after(asked, this.#limits.timeout, () => this.#refuse(one => one === asked, timedOut(kind)));
      this.#after(asked, this.#limits.patience, () => {
        asked.isLate = true;
        this.#refresh();
      });
      this.#send(asked);
    });
  }

  /** Say what needs no answer, if it can be said now. */
  tell(body: Body): void {
    if (this.#isOpen) {
      this.#transport.send({ id: randomId(), ...body });
    }
  }

  /** The transport is on its way. */
  begin(): void {
    this.#go('connecting');
  }

  /** The transport can send. Views first say who they are, the newest word last; then comes what else has waited. */
  open(): void {
    this.#parties.forEach(party => party.opened());
    this.#isOpen = true;
    this.#refresh();
    const waiting = [...this.#pending.values()].filter(asked => !asked.isSent);
    for (const asked of waiting.sort((one, other) => rank(one) - rank(other))) {
      this.#send(asked);
    }
  }

  /** The transport cannot send until it opens again; `message` says what to do, where nothing is done by itself. */
  lost(message = ''): void {
    this.#isOpen = false;
    this.#refuse(
      ({ body, isSent }) => isSent && body.kind.startsWith('rerun'),
      new RequestError('The connection was lost on the way: look with %pai_jobs whether it was run again.', 'Lost')
    );
    this.#pending.forEach(asked => (asked.isSent = false));
    this.#go('offline', message);
  }

  receive({ body, buffers }: Message): void {
    const asked = typeof body['id'] === 'string' ? this.#pending.get(body['id']) : undefined;
    if (asked) {
      this.#settle(asked);
      const refusal = readError(body['error']);
      if (refusal) {
        asked.reject(refusal);
      } else {
        asked.resolve({ ok: body['ok'], buffers });
      }
    } else if (PUSHES.has(body['kind']) && typeof body['seq'] === 'number') {
      const push = body as unknown as AnyPush; // the other end keeps to `AnyPush`
      const view = body['view'] ?? '';
      const concerned = [...this.#parties].filter(party => view === '' || party.view === view);
      concerned.forEach(party => party.push(push, buffers));
    }
  }

  #send(asked: Pending): void {
    if (this.#isOpen) {
      asked.isSent = true;
      this.#transport.send(asked.body);
    }
  }

  #after(asked: Pending, pause: number | null, act: () => void): void {
    if (pause !== null) {
      asked.timers.push(setTimeout(act, pause));
    }
  }

  #settle(asked: Pending): void {
    this.#pending.delete(String(asked.body['id']));
    asked.timers.forEach(clearTimeout);
    this.#refresh();
  }

  #refuse(which: (asked: Pending) => boolean, error: Error): void {
    for (const asked of [...this.#pending.values()].filter(which)) {
      this.#settle(asked);
      asked.reject(error);
    }
  }

  #refresh(): void {
    if (this.#isOpen) {
      this.#go([...this.#pending.values()].some(asked => asked.isLate) ? 'busy' : 'live');
    }
  }

  #go(status: SourceStatus, message = ''): void {
    if (status !== this.#link.status) {
      this.#link = { status, message };
      this.#parties.forEach(party => party.changed());
    }
  }
}

/** An id that no other view on any page has. */
export function randomId(): string {
  return Math.random().toString(36).slice(2) + Date.now().toString(36);
}

function rank({ body }: Pending): number {
  return body.kind === 'hello' || body.kind === 'watch_run' ? 0 : 1;
}

function timedOut(kind: string): RequestError {
  return new RequestError(`The Jupyter server did not answer in time (${kind}). Try again.`, 'Timeout');
}

function readError(value: unknown): RequestError | null {
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  const { message, type, hint } = value as Partial<Record<keyof WireError, unknown>>;
  return new RequestError(textOf(message), textOf(type), textOf(hint));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
