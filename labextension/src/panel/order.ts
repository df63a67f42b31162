/**
 * Which rows are listed, and in which order. No DOM.
 *
 * Rule: the order is total, so that rows do not change places while nothing about them has changed.
 */

import { isTerminal } from '../events.js';
import type { Status } from '../tokens.js';
import type { JobRow } from './protocol.js';

export type SortKey = 'created' | 'name' | 'status' | 'ended';

/** What the user wants to see; '' is all. */
export interface Wanted {
  readonly text: string;
  readonly state: '' | 'active' | Status;
  readonly backend: string;
  readonly notebook: string;
  readonly sort: SortKey;
}

export const ALL: Wanted = { text: '', state: '', backend: '', notebook: '', sort: 'created' };

const NAMES = new Intl.Collator(undefined, { numeric: true });
const URGENCY: readonly Status[] = [
  'running', 'queued', 'submitting', 'packaging', 'created', 'unknown', 'failed', 'stopped', 'succeeded'
];

/** The rows that fit, in the order that is wanted; `state` is the word that the user reads for a row's state. */
export function arrange(
  rows: Iterable<JobRow>, wanted: Wanted, state: (row: JobRow) => string = row => row.status
): JobRow[] {
  const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [...rows].filter(row => fits(row, wanted));
  const fitting = words.map(word => fitterOf(word, all, state));
  const found = all.filter(row => fitting.every(has => has(row)));
  return found.sort((one, other) => compare(one, other, wanted.sort) || newest(one, other) || byId(one, other));
}

/** What a filter can be set to: all there are in the rows, in their alphabetical order. */
export function choices(rows: Iterable<JobRow>, of: (row: JobRow) => string | null): string[] {
  const found = new Set([...rows].map(of).filter(value => value !== null && value !== ''));
  return ([...found] as string[]).sort(NAMES.compare);
}

function fits(row: JobRow, { state, backend, notebook }: Wanted): boolean {
  const isOfState = state === '' || (state === 'active' ? !isTerminal(row.status) : row.status === state);
  return isOfState && (backend === '' || row.backend === backend) && (notebook === '' || row.notebook === notebook);
}

/**
 * Whether a row has this word in whatever of it can be read in the list. `lr=0.3` is the value itself, however it is
 * written, and not the beginning of another, unless no row has just that: somebody types it still.
 */
function fitterOf(word: string, rows: readonly JobRow[], state: (row: JobRow) => string): (row: JobRow) => boolean {
  const hasValue = (row: JobRow): boolean => row.values?.some(text => isValue(text.toLowerCase(), word)) ?? false;
  return word.includes('=') && rows.some(hasValue) ? hasValue : row => textOf(row, state(row)).includes(word);
}

function textOf({ id, name, notebook, backend, place, metric, status, values = [] }: JobRow, state: string): string {
  const texts = [name, id, notebook ?? '', backend, place, metric?.name ?? '', status, state, ...values];
  return texts.join('\n').toLowerCase();
}

function isValue(text: string, word: string): boolean {
  const [at, sign] = [text.indexOf('='), word.indexOf('=')];
  const [value, wanted] = [text.slice(at + 1), word.slice(sign + 1)];
  const isSame = value === wanted || (wanted !== '' && value !== '' && Number(value) === Number(wanted));
  return text.slice(0, at) === word.slice(0, sign) && isSame;
}

function compare(one: JobRow, other: JobRow, sort: SortKey): number {
  switch (sort) {
    case 'created':
      return newest(one, other);
    case 'name':
      return NAMES.compare(one.name, other.name);
    case 'status':
      return URGENCY.indexOf(one.status) - URGENCY.indexOf(other.status);
    case 'ended': // what has not ended comes first
      return last(other) - last(one);
  }
}

function newest(one: JobRow, other: JobRow): number {
  return other.created - one.created;
}

function byId(one: JobRow, other: JobRow): number {
  return one.id < other.id ? -1 : 1;
}

function last({ ended }: JobRow): number {
  return ended ?? Number.MAX_VALUE;
}
