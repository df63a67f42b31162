/** The other end of the wire, with behaviour: it hears requests, and answers and pushes when it is told to. */

import type { Push } from '../../src/tokens.js';
import type { Body, Message } from '../../src/wire/frames.js';
import { jobFacts, runningState, START } from '../fakes.js';

/** A binary frame as the server makes it; `lengths` instead of the true ones, to lie. */
export function binaryFrame(body: Body, buffers: ArrayBuffer[], lengths?: unknown[]): ArrayBuffer {
  const text = JSON.stringify({ ...body, buffers: lengths ?? buffers.map(buffer => buffer.byteLength) });
  const bytes = new TextEncoder().encode(text);
  const size = Math.ceil((4 + bytes.length) / 8) * 8 - 4;
  const header = new Uint8Array(4 + size).fill(32);
  new DataView(header.buffer).setUint32(0, size, true);
  header.set(bytes, 4);
  const parts = [header, ...buffers.flatMap(padded)];
  const frame = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (frame.set(part, at), at + part.length), 0);
  return frame.buffer;
}

const padded = (buffer: ArrayBuffer): Uint8Array[] => [
  new Uint8Array(buffer),
  new Uint8Array((8 - (buffer.byteLength % 8)) % 8)
];

export function snapshot(seq: number, job = 'j1'): Push {
  const tail = { replica: 'worker-0', start: 0, lines: [], times: [], clipped: {}, count: 0, finished: 0 };
  return {
    kind: 'snapshot',
    seq,
    now: START,
    job: jobFacts({ id: job }),
    state: runningState(),
    failure: null,
    tail,
    counts: {}
  };
}

export class FarEnd {
  readonly heard: Body[] = [];
  /** Takes what this end says. */
  deliver: (message: Message) => void = () => undefined;

  hear(body: Body): void {
    this.heard.push(body);
  }

  kinds(): unknown[] {
    return this.heard.map(body => body['kind']);
  }

  last(kind: string): Body {
    const found = this.heard.filter(body => body['kind'] === kind).at(-1);
    if (!found) {
      throw new Error(`${kind} was not asked; heard: ${this.kinds().join(', ')}`);
    }
    return found;
  }

  answer(kind: string, ok: unknown = {}, buffers: ArrayBuffer[] = []): void {
    this.deliver({ body: { id: this.last(kind)['id'], ok }, buffers });
  }

  refuse(kind: string, type: string, message: string, hint = ''): void {
    this.deliver({ body: { id: this.last(kind)['id'], error: { type, message, hint } }, buffers: [] });
  }

  push(push: Push, view: unknown = '', buffers: ArrayBuffer[] = []): void {
    this.deliver({ body: { ...push, view }, buffers });
  }
}
