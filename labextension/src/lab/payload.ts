/**
 * What a saved notebook says of a job or a run. It is untrusted input: every field is checked, unknown ones are
 * dropped, and nothing of it is ever more than text.
 */

import type { RunStatus, SavedRun } from '../run/tokens.js';
import type { JsonNumber, SavedJob, Status } from '../tokens.js';

export const JOB_MIME = 'application/vnd.pai-jupyter.job.v1+json';
export const RUN_MIME = 'application/vnd.pai-jupyter.run.v1+json';

export const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/; // as `pai_jupyter/store/jobstore.py` has it
const MAX_TEXT = 2_048; // characters of a field; where we have written it, the whole is at most 2 KB
const MAX_ENTRIES = 200;
const STATUSES: ReadonlySet<unknown> = new Set<Status>([
  'created',
  'packaging',
  'submitting',
  'queued',
  'running',
  'succeeded',
  'failed',
  'stopped',
  'unknown'
]);
const RUN_STATUSES: ReadonlySet<unknown> = new Set<RunStatus>([
  'running',
  'blocked',
  'succeeded',
  'failed',
  'stopped',
  'unknown'
]);

/** The job that `value` describes; null where any field is missing, too long, or not what it must be. */
export function readSavedJob(value: unknown): SavedJob | null {
  if (!isRecord(value)) {
    return null;
  }
  const { schema, id, name, state, place, at, is_cut } = value;
  const times = readRecord(value['times'], isText);
  const values = readRecord(value['values'], isText);
  const metrics = readRecord(value['metrics'], isJsonNumber);
  if (!times || !values || !metrics || !isNumber(schema) || !isText(id) || !ID.test(id) || !isStatus(state)) {
    return null;
  }
  if (!isText(name) || !isText(place) || !isText(at) || typeof is_cut !== 'boolean') {
    return null;
  }
  return { schema, id, name, state, place, at, times, values, metrics, is_cut };
}

/** The run that `value` describes; null where any field is missing, too long, or not what it must be. */
export function readSavedRun(value: unknown): SavedRun | null {
  if (!isRecord(value)) {
    return null;
  }
  const { schema, id, name, status, at, created, ended, is_here, is_plan } = value;
  const counts = readRecord(value['counts'], isNumber);
  if (!counts || !isNumber(schema) || !isText(id) || !isRunStatus(status) || typeof is_plan !== 'boolean') {
    return null;
  }
  if (!isText(name) || !isText(at) || !isText(created) || !isText(ended) || typeof is_here !== 'boolean') {
    return null;
  }
  return is_plan || ID.test(id) ? { schema, id, name, status, at, created, ended, counts, is_here, is_plan } : null;
}

function readRecord<T>(value: unknown, isItem: (item: unknown) => item is T): Record<string, T> | null {
  const entries = isRecord(value) ? Object.entries(value) : null;
  if (!entries || entries.length > MAX_ENTRIES) {
    return null;
  }
  const read = entries.filter((entry): entry is [string, T] => isText(entry[0]) && isItem(entry[1]));
  return read.length === entries.length ? Object.fromEntries(read) : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT;
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function isJsonNumber(value: unknown): value is JsonNumber {
  return isNumber(value) || value === 'nan' || value === 'inf' || value === '-inf';
}

function isRunStatus(value: unknown): value is RunStatus {
  return RUN_STATUSES.has(value);
}

function isStatus(value: unknown): value is Status {
  return STATUSES.has(value);
}
