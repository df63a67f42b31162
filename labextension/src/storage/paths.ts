/**
 * Addresses of what is stored, as the server gives them. No DOM.
 *
 *   ''                            the places there are
 *   job:<id>/<channel>/<path>     what a job here has made; `job:` lists the jobs
 *   oss://bucket/key              in a bucket; any other scheme is read in the same way
 *
 * Rule 1: the address of a directory ends with a slash, so that of what lies in it is its address and the name.
 * Rule 2: what is in an address is the server's affair; a request encodes it whole. Only to show a name of a job's file
 *   is it read: there `%` and bytes that are no text stand as %XX.
 */

import type { StoredEntry } from '../panel/protocol.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';

/** A directory on the way to another; `label` is its name, with the scheme where the way begins. */
export interface PathStep {
  readonly label: string;
  readonly uri: string;
}

const NAMED = 3; // names in a sentence
const LONGEST_NAME = 255; // bytes, of most file systems

/** The directories from the scheme to this one. */
export function pathSteps(uri: string): PathStep[] {
  const [, scheme = '', path = ''] = /^([a-z][a-z0-9+.-]*:(?:\/\/)?)(.*)$/is.exec(uri) ?? [];
  const names = path.split('/').filter((name, at, all) => name !== '' || at < all.length - 1);
  const hasList = scheme === 'job:'; // of a bucket's scheme there is no list but the places themselves
  const places = names.map((name, at) => ({
    label: at === 0 && !hasList ? scheme + name : (hasList ? spelled(name) : name) || '/',
    uri: `${scheme}${names.slice(0, at + 1).join('/')}/`
  }));
  return hasList ? [{ label: scheme, uri: scheme }, ...places] : places;
}

function spelled(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // bytes that are no text
  }
}

/** The entry of a directory that this one is, or in which it lies; null where it is elsewhere. */
export function childOf(directory: string, entry: StoredEntry): StoredEntry | null {
  const [name = '', ...below] = entry.uri.slice(directory.length).replace(/\/$/, '').split('/');
  if (!entry.uri.startsWith(directory) || !name) {
    return null;
  }
  const folder = { name, uri: `${directory}${name}/`, is_directory: true, size: 0, modified: null };
  return below.length ? folder : entry;
}

/** Why nothing can be called so, as a text that can be said; '' where it can. */
export function nameError(name: string): string {
  if (!name) {
    return 'Type a name.';
  }
  if (/[/\\\x00-\x1f\x7f]/.test(name) || name === '.' || name === '..') {
    return 'A name cannot contain slashes or control characters, and cannot be "." or "..".';
  }
  return new TextEncoder().encode(name).length > LONGEST_NAME ? 'The name is too long.' : '';
}

/** Names for a sentence: "a, b", or of many "a, b, c and 5 more". */
export function listNames(say: Say, names: readonly string[]): string {
  const first = names
    .slice(0, NAMED)
    .map(name => plain(name, 60))
    .join(', ');
  const more = names.length - NAMED;
  return more > 0 ? say('{names} and {count} more', { names: first, count: more }) : first;
}

/** Directories first; otherwise as the server lists them. */
export function directoriesFirst(entries: readonly StoredEntry[]): StoredEntry[] {
  return [...entries].sort((one, other) => Number(other.is_directory) - Number(one.is_directory));
}
