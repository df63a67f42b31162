/**
 * Deleting: what would go, said before it goes, and then one entry after the other, until it is done or cancelled.
 *
 * Rule 1: a directory goes with all that is in it, so it is counted first, by as many listings as are worth a sentence.
 * Rule 2: what cannot be deleted ends it, since what comes after it rarely can.
 */

import type { StorageAnswer, StoredEntry } from '../panel/protocol.js';
import type { Query, Rest } from '../panel/rest.js';
import { bytes } from '../text/format.js';
import type { Say } from '../tokens.js';
import { listNames } from './paths.js';

const MOST_LISTINGS = 20;

export interface DeletionSize {
  readonly files: number;
  readonly size: number; // bytes
  readonly isAll: boolean; // false: there is more
}

/** How much there is in these, whatever they hold. */
export async function measureDeletion(rest: Rest, entries: readonly StoredEntry[]): Promise<DeletionSize> {
  const questions: Query[] = [];
  let [files, size] = [0, 0];
  const take = (found: readonly StoredEntry[]): void => {
    for (const entry of found) {
      files += entry.is_directory ? 0 : 1;
      size += entry.is_directory ? 0 : entry.size;
    }
    questions.push(...found.filter(entry => entry.is_directory).map(({ uri }) => ({ uri })));
  };
  take(entries);
  for (let asked = 0; asked < MOST_LISTINGS; asked += 1) {
    const query = questions.shift();
    if (!query) {
      break;
    }
    const answer = await rest.get<StorageAnswer>('storage', query);
    take(answer.entries);
    if (answer.after !== null) {
      questions.push({ ...query, after: answer.after });
    }
  }
  return { files, size, isAll: questions.length === 0 };
}

/** "Delete a/, b.txt? 12 files, 3 MB. This cannot be undone." */
export function deletionQuestion(
  say: Say,
  entries: readonly StoredEntry[],
  { files, size, isAll }: DeletionSize
): string {
  const names = entries.map(({ name, is_directory }) => (is_directory ? `${name}/` : name));
  const counted = { count: files, size: bytes(size) };
  const amount = !isAll
    ? say('more than {count} files, {size}', counted)
    : say(files === 1 ? '{count} file, {size}' : '{count} files, {size}', counted);
  return say('Delete {what}? In all {amount}. This cannot be undone.', { what: listNames(say, names), amount });
}

/** Delete them; `tell` hears before each how many are gone. Answers how many files went. */
export async function deleteEntries(
  rest: Rest,
  entries: readonly StoredEntry[],
  signal: AbortSignal,
  tell: (entry: StoredEntry, gone: number) => void
): Promise<number> {
  let count = 0;
  for (const [at, entry] of entries.entries()) {
    if (signal.aborted) {
      break;
    }
    tell(entry, at);
    count += (await rest.remove<{ count: number }>('storage', { uri: entry.uri })).count;
  }
  return count;
}
