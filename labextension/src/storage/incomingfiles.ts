/**
 * Files that a user brings: which of what was dropped are files, and which would take the place of one that is there.
 */

import type { StorageAnswer } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { RequestError } from '../wire/protocol.js';
import { nameError } from './paths.js';
import type { Upload } from './uploadqueue.js';

export interface IncomingFiles {
  readonly files: File[];
  /** Names of what cannot be uploaded: folders, and what no file can be called here. */
  readonly refused: string[];
}

/** What was dropped; a folder among it looks like a file that nobody can read. */
export function dropped(data: DataTransfer): IncomingFiles {
  const folders = new Set<string>();
  for (const item of data.items) {
    const entry = item.kind === 'file' ? item.webkitGetAsEntry() : null;
    if (entry?.isDirectory) {
      folders.add(entry.name);
    }
  }
  return sorted([...data.files], folders);
}

/** What was picked in the browser's own dialog. */
export function picked(files: Iterable<File>): IncomingFiles {
  return sorted([...files], new Set());
}

/**
 * Those of the uploads that would replace something: what lies in the directory by now, which somebody else may write
 * to as well, what is `underWay`, or another of themselves. Of a long directory the server is asked file by file.
 */
export async function clashes(
  rest: Rest,
  directory: string,
  uploads: readonly Upload[],
  underWay: readonly string[]
): Promise<Upload[]> {
  const { entries, after } = await rest.get<StorageAnswer>('storage', { uri: directory });
  const known = new Set([...entries.map(({ uri }) => uri), ...underWay]);
  const found: Upload[] = [];
  for (const upload of uploads) {
    if (known.has(upload.uri) || (after !== null && (await isThere(rest, upload.uri)))) {
      found.push(upload);
    }
    known.add(upload.uri);
  }
  return found;
}

export function uploadsInto(directory: string, files: readonly File[]): Upload[] {
  return files.map(file => ({ file, uri: directory + file.name }));
}

function sorted(all: readonly File[], folders: ReadonlySet<string>): IncomingFiles {
  const isGood = ({ name }: File): boolean => !folders.has(name) && !nameError(name);
  return { files: all.filter(isGood), refused: all.filter(file => !isGood(file)).map(({ name }) => name) };
}

async function isThere(rest: Rest, uri: string): Promise<boolean> {
  try {
    await rest.frame('storage/preview', { uri });
    return true;
  } catch (error) {
    if (error instanceof RequestError && error.type === 'NotFoundError') {
      return false;
    }
    throw error;
  }
}
