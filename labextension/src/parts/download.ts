/**
 * Files onto the user's disk: by an address where the browser can fetch one, else piece by piece through the source.
 */

import { bytes } from '../text/format.js';
import { block } from '../text/sanitize.js';
import type { Context, JobSource, Say } from '../tokens.js';
import { element } from './dom.js';

/** What a browser should be asked to hold in memory at most. */
export const MAX_DOWNLOAD = 256 * 1_024 * 1_024;
const PIECE = 1_024 * 1_024;
const LINES = 2_000; // of a log, as many as an answer holds (wire/schema/limits.py)
const TOO_LARGE = "Too large to download here ({size}; the limit is {limit}). Take it from the job's folder.";

function tooLarge(say: Say, size: string): Error {
  return new Error(say(TOO_LARGE, { size, limit: bytes(MAX_DOWNLOAD) }));
}

/** Have the browser save what lies at this address. */
export function saveAddress(href: string, name: string): void {
  const link = element('a', { href, download: name });
  document.body.append(link); // Firefox follows only a link that is in the page
  link.click();
  link.remove();
}

export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  saveAddress(address, name);
  setTimeout(() => URL.revokeObjectURL(address), 10_000); // the browser has begun to save by then
}

/** A whole file in pieces; `tell` hears how far it is, and stops it by answering false. */
export async function fetchFile(
  { source, say }: Context,
  channel: string,
  path: string,
  size: number,
  tell: (part: number) => boolean
): Promise<Blob | null> {
  if (size > MAX_DOWNLOAD) {
    throw tooLarge(say, bytes(size));
  }
  const pieces: ArrayBuffer[] = [];
  let offset = 0;
  while (offset < size) {
    const { buffers } = await source.request('files', { channel, path, offset, length: PIECE });
    const piece = buffers[0];
    if (!piece?.byteLength) {
      break; // the file has become shorter
    }
    pieces.push(piece);
    offset += piece.byteLength;
    if (!tell(offset / size)) {
      return null;
    }
  }
  return new Blob(pieces);
}

/** Have the browser save the whole log of a replica, or this text of it. */
export async function saveLog(context: Context, replica: string, text: string | null = null): Promise<void> {
  const name = `${fileName(`${context.model.job?.name ?? 'job'}-${replica}`)}.log`;
  const address = text === null ? context.source.download({ log: replica }) : null;
  if (address === null) {
    saveBlob(text === null ? await fetchLog(context, replica) : new Blob([text, '\n'], { type: 'text/plain' }), name);
  } else {
    saveAddress(address, name);
  }
}

/** The whole log of a replica, window by window; lines that came clipped are asked for whole. */
export async function fetchLog({ source, model, say }: Context, replica: string): Promise<Blob> {
  const parts: string[] = [];
  let length = 0;
  const count = model.counts[replica] ?? 0;
  let start = 0;
  while (start < count) {
    const { ok } = await source.request('lines', { replica, start, stop: Math.min(count, start + LINES) });
    if (!ok.lines.length) {
      break; // the log has become shorter
    }
    for (const [at, line] of ok.lines.entries()) {
      const text = String(at) in ok.clipped ? await wholeLine(source, replica, start + at) : line;
      parts.push(text, '\n');
      length += text.length + 1;
    }
    start += ok.lines.length; // a window holds as much as one answer may: often less than was asked for
    if (length > MAX_DOWNLOAD) {
      throw tooLarge(say, `> ${bytes(MAX_DOWNLOAD)}`);
    }
  }
  return new Blob(parts, { type: 'text/plain' });
}

/** A line as it was printed, however long it is. */
export async function wholeLine(source: JobSource, replica: string, number: number): Promise<string> {
  const { ok } = await source.request('lines', { replica, start: number, stop: number + 1 });
  return ok.lines[0] ?? '';
}

/** A name that every file system takes. */
export function fileName(name: string): string {
  return block(name, 120).replace(/[\s/\\:*?"<>|]+/g, '-') || 'download';
}
