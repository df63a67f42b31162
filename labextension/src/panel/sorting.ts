/**
 * What the user wants to see of the list, and how the server is asked for it. No DOM.
 */

import type { Status } from '../tokens.js';
import type { JobRow, JobsSelection } from './protocol.js';

export type SortKey = 'created' | 'name' | 'status' | 'ended';

/** What the user wants to see; '' is all. */
export interface JobFilter {
  readonly text: string;
  readonly state: '' | 'active' | Status;
  readonly backend: string;
  readonly notebook: string;
  readonly tag: string;
  readonly isStarred: boolean;
  readonly sort: SortKey;
}

export const NO_FILTER: JobFilter = {
  text: '',
  state: '',
  backend: '',
  notebook: '',
  tag: '',
  isStarred: false,
  sort: 'created'
};
export const LONGEST_TEXT = 200; // characters that the server reads

const NAMES = new Intl.Collator(undefined, { numeric: true });
const ACTIVE: readonly Status[] = ['created', 'packaging', 'submitting', 'queued', 'running', 'unknown'];
const LATEST_FIRST: readonly SortKey[] = ['created', 'ended']; // what has not ended comes first

/** What is asked of the server. */
export function toSelection({ text, state, backend, notebook, tag, isStarred, sort }: JobFilter): JobsSelection {
  const status = state === 'active' ? ACTIVE.join(',') : state;
  return {
    text: [isStarred && 'star:yes', tag && `tag:${tag}`, text].filter(Boolean).join(' ').slice(0, LONGEST_TEXT),
    status,
    backend,
    notebook,
    sort,
    descending: LATEST_FIRST.includes(sort)
  };
}

/** What a filter can be set to: all there are in the rows, in their alphabetical order. */
export function filterOptions(
  rows: Iterable<JobRow>,
  of: (row: JobRow) => string | readonly string[] | null
): string[] {
  const found = new Set([...rows].flatMap(of).filter(value => value !== null && value !== ''));
  return ([...found] as string[]).sort(NAMES.compare);
}
