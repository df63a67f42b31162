/**
 * Files that a user brings: which of what was dropped can be uploaded, folders with all that is in them, and which
 * would take the place of one that is there.
 */

import type { StorageAnswer } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { RequestError } from '../wire/protocol.js';
import { nameError } from './paths.js';
import type { Upload } from './uploadqueue.js';

/** A file, and its path below the directory that it comes into. */
export interface IncomingFile {
  readonly file: File;
  readonly path: string;
}

export interface IncomingFiles {
  readonly files: readonly IncomingFile[];
  /** Paths of folders without anything in them. */
  readonly folders: readonly string[];
  /** Paths that nothing can be called here. */
  readonly refused: readonly string[];
}

/** What was dropped. It must be called while the event is handled: the browser forgets what it is about. */
export function dropped(data: DataTransfer): Promise<IncomingFiles> {
  const entries = [...data.items].map(item => (item.kind === 'file' ? item.webkitGetAsEntry() : null));
  const folders = entries.filter(entry => entry !== null).filter(isFolder);
  const names = new Set(folders.map(({ name }) => name)); // each also looks like a file, which nobody can read
  const files = [...data.files].filter(({ name }) => !names.has(name)).map(file => ({ file, path: file.name }));
  return Promise.all(folders.map(folder => inside(folder, folder.name))).then(found =>
    sorted([...files, ...found.flat()])
  );
}

/** What was picked in the browser's own dialog. */
export function picked(files: Iterable<File>): Promise<IncomingFiles> {
  return Promise.resolve(sorted([...files].map(file => ({ file, path: file.name }))));
}

/**
 * Those of the uploads that would replace something: what lies in the directory and below it by now, which somebody
 * else may write to as well, what is `underWay`, or another of themselves. Of a long directory the server is asked file
 * by file.
 */
export async function clashes(
  rest: Rest,
  directory: string,
  uploads: readonly Upload[],
  underWay: readonly string[]
): Promise<Upload[]> {
  const listings = new Listings(rest, directory, underWay);
  const found: Upload[] = [];
  for (const upload of uploads) {
    const isWhole = await listings.look(above(upload.uri));
    if (listings.known.has(upload.uri) || (!isWhole && (await isThere(rest, upload.uri)))) {
      found.push(upload);
    }
    listings.known.add(upload.uri);
  }
  return found;
}

export function uploadsInto(directory: string, files: readonly IncomingFile[]): Upload[] {
  return files.map(({ file, path }) => ({ file, path, uri: directory + path }));
}

/** What lies in directories, each asked for once, and only where it is there. */
class Listings {
  readonly known: Set<string>;
  readonly #rest: Rest;
  readonly #root: string;
  readonly #asked = new Map<string, Promise<boolean>>();

  constructor(rest: Rest, root: string, known: Iterable<string>) {
    [this.#rest, this.#root, this.known] = [rest, root, new Set(known)];
  }

  /** Have the entries of the directory known; whether that are all of them. */
  look(directory: string): Promise<boolean> {
    const asked = this.#asked.get(directory) ?? this.#look(directory);
    this.#asked.set(directory, asked);
    return asked;
  }

  async #look(directory: string): Promise<boolean> {
    if (directory !== this.#root) {
      const isWhole = await this.look(above(directory.slice(0, -1)));
      if (isWhole && !this.known.has(directory)) {
        return true; // it is not there, so nothing is in it
      }
    }
    try {
      const { entries, after } = await this.#rest.get<StorageAnswer>('storage', { uri: directory });
      entries.forEach(({ uri }) => this.known.add(uri));
      return after === null;
    } catch (error) {
      if (directory !== this.#root && isMissing(error)) {
        return true;
      }
      throw error;
    }
  }
}

/** The address of the directory that something is in. */
function above(uri: string): string {
  return uri.slice(0, uri.lastIndexOf('/') + 1);
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

/** A folder's files, and its empty folders, which have none; `path` is its own. */
async function inside(folder: FileSystemDirectoryEntry, path: string): Promise<Found[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  for (let more = true; more;) {
    const next = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    entries.push(...next);
    more = next.length > 0; // they come in portions
  }
  const found = entries.map(entry => {
    const own = `${path}/${entry.name}`;
    return isFolder(entry) ? inside(entry, own) : fileOf(entry as FileSystemFileEntry, own);
  });
  return entries.length ? (await Promise.all(found)).flat() : [{ file: null, path }];
}

async function fileOf(entry: FileSystemFileEntry, path: string): Promise<Found[]> {
  return [{ file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)), path }];
}

/** A file; or an empty folder, without one. */
interface Found {
  readonly file: File | null;
  readonly path: string;
}

function sorted(all: readonly Found[]): IncomingFiles {
  const isGood = ({ path }: Found): boolean => !path.split('/').some(nameError);
  const good = all.filter(isGood);
  return {
    files: good.flatMap(({ file, path }) => (file ? [{ file, path }] : [])),
    folders: good.filter(({ file }) => !file).map(({ path }) => path),
    refused: all.filter(one => !isGood(one)).map(({ path }) => path)
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof RequestError && error.type === 'NotFoundError';
}

async function isThere(rest: Rest, uri: string): Promise<boolean> {
  try {
    await rest.frame('storage/preview', { uri });
    return true;
  } catch (error) {
    if (isMissing(error)) {
      return false;
    }
    throw error;
  }
}
