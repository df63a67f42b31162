/**
 * One message of the wire format, as it comes: a JSON body, and bytes behind it.
 *
 *   text frame     the body
 *   binary frame   u32 little endian n | n bytes of JSON, the body | buffers, each padded to a multiple of 8 bytes;
 *                  `buffers` in the body has their lengths in bytes
 *   comm           the body as the message's content, buffers beside it
 *
 * What is not made so is null: a reader passes over it and lives on.
 */

export type Body = Record<string, unknown>;
export interface Message {
  body: Body;
  buffers: ArrayBuffer[];
}

/** Read what a WebSocket has brought. */
export function readFrame(data: unknown): Message | null {
  if (typeof data === 'string') {
    const body = readBody(data);
    return body && { body, buffers: [] };
  }
  return data instanceof ArrayBuffer ? readBinary(data) : null;
}

/** Read what a comm has brought. Its views may lie anywhere in larger buffers; numbers need their own, aligned. */
export function readComm(content: unknown, views: unknown): Message | null {
  if (!isBody(content)) {
    return null;
  }
  const buffers = (Array.isArray(views) ? views : []).filter(view => ArrayBuffer.isView(view)).map(copy);
  return { body: content, buffers };
}

function readBinary(data: ArrayBuffer): Message | null {
  const length = data.byteLength < 4 ? Infinity : new DataView(data).getUint32(0, true);
  if (4 + length > data.byteLength) {
    return null;
  }
  const body = readBody(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  const buffers = body && cut(data, 4 + length, body['buffers']);
  return body && buffers && { body, buffers };
}

/** The buffers of these lengths, the first at `start`; null where they do not fit. */
function cut(data: ArrayBuffer, start: number, lengths: unknown): ArrayBuffer[] | null {
  const buffers: ArrayBuffer[] = [];
  let at = start;
  for (const length of Array.isArray(lengths) ? (lengths as unknown[]) : []) {
    if (!isLength(length) || at + length > data.byteLength) {
      return null;
    }
    buffers.push(data.slice(at, at + length));
    at += Math.ceil(length / 8) * 8;
  }
  return buffers;
}

function readBody(text: string): Body | null {
  try {
    const body: unknown = JSON.parse(text);
    return isBody(body) ? body : null;
  } catch {
    return null;
  }
}

function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isLength(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function copy(view: ArrayBufferView): ArrayBuffer {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice().buffer;
}
