/**
 * The state that a job's events add up to: the twin of `pai_jupyter/events/state.py`, and just as pure.
 *
 * Rule 1: `apply` is total: whatever an event may hold, it is folded or ignored, and nothing throws.
 * Rule 2: a terminal status absorbs later ones; `unknown` ("cannot be reached") is no news of the job.
 * Rule 3: a state is never changed, a new one is made; it is JSON as the server writes it, nan and infinity as words.
 * Rule 4: a metric is that of one replica, of those that have told it the first in the order of RANK (`rankOf`).
 * Rule 5: a replica that was started again stands as its latest attempt does; the end of an attempt is final.
 * Rule 6: a job may name a metric "__proto__": only own members of a record count.
 * Both twins fold the same recorded cases, `tests/data/fold_cases.json`.
 */

import type { JobEvent, JobStateJson, JsonNumber, Phase, Status } from './tokens.js';

export const UNFINISHED = 0.99; // progress of a job that goes on, at most
const MAX_NOTICES = 20;
export const MAX_METRICS = 200; // a job that invents names without end must not grow the state with them
const MAX_REPLICAS = 1000;
const RANKS: Readonly<Record<string, number>> = { chief: 0, master: 0, worker: 1 }; // other roles come after them

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
const TERMINAL: ReadonlySet<unknown> = new Set<Status>(['succeeded', 'failed', 'stopped']);
const PHASES: ReadonlySet<unknown> = new Set<Phase>(['preparing', 'running', 'saving']);
const NUMBER_WORDS: ReadonlyMap<unknown, number> = new Map([
  ['nan', NaN],
  ['inf', Infinity],
  ['-inf', -Infinity]
]);

type Of<K extends JobEvent['kind']> = Extract<JobEvent, { kind: K }>;
type Check = (value: unknown) => boolean;
type MetricSummary = JobStateJson['metrics'][string];

const isText: Check = value => typeof value === 'string';
const isFiniteNumber: Check = value => Number.isFinite(value);
const isNumber: Check = value => isFiniteNumber(value) || NUMBER_WORDS.has(value);
const isStatus: Check = value => STATUSES.has(value);
const isPhase: Check = value => PHASES.has(value);

/** A field: what it must be, and its default where it may be missing; what has its default is left out. */
type Field = readonly [check: Check, fallback?: '' | 'info' | 0 | null];

const FIELDS: Record<JobEvent['kind'], Readonly<Record<string, Field>>> = {
  StatusChanged: {
    status: [isStatus],
    time: [isFiniteNumber],
    reason: [isText, ''],
    exit_code: [isFiniteNumber, null]
  },
  PhaseChanged: { phase: [isPhase], time: [isFiniteNumber], replica: [isText, ''], offset: [isFiniteNumber, null] },
  ReplicaChanged: {
    replica: [isText],
    status: [isStatus],
    time: [isFiniteNumber],
    exit_code: [isFiniteNumber, null],
    attempt: [isFiniteNumber, 0]
  },
  Metric: {
    name: [isText],
    value: [isNumber],
    time: [isFiniteNumber],
    step: [isNumber, null],
    replica: [isText, '']
  },
  Progress: { done: [isNumber], time: [isFiniteNumber], total: [isNumber, null], unit: [isText, ''] },
  Usage: {
    replica: [isText],
    time: [isFiniteNumber],
    cpu: [isFiniteNumber, null],
    cpu_time: [isFiniteNumber, null],
    memory: [isFiniteNumber, null],
    peak_memory: [isFiniteNumber, null],
    gpu: [isFiniteNumber, null],
    gpu_memory: [isFiniteNumber, null],
    read: [isFiniteNumber, null],
    written: [isFiniteNumber, null],
    received: [isFiniteNumber, null],
    sent: [isFiniteNumber, null],
    read_rate: [isFiniteNumber, null],
    write_rate: [isFiniteNumber, null],
    receive_rate: [isFiniteNumber, null],
    send_rate: [isFiniteNumber, null],
    cores: [isFiniteNumber, null],
    memory_limit: [isFiniteNumber, null],
    gpu_memory_limit: [isFiniteNumber, null]
  },
  Link: { name: [isText], url: [isText], time: [isFiniteNumber, 0] },
  Notice: { text: [isText], time: [isFiniteNumber], level: [isText, 'info'], alert: [isText, ''] }
};

/** How a job stands before anything is known of it. */
export function initialState(): JobStateJson {
  return {
    status: 'created',
    reason: '',
    exit_code: null,
    entered: {},
    phases: [],
    metrics: {},
    first_progress: null,
    progress: null,
    usage: {},
    links: {},
    notices: []
  };
}

/** The state after `event`; an event that this version cannot understand changes nothing. */
export function apply(state: JobStateJson, event: unknown): JobStateJson {
  const read = readEvent(event);
  switch (read?.kind) {
    case 'StatusChanged':
      return applyStatus(state, read);
    case 'PhaseChanged':
      return applyPhase(state, read);
    case 'ReplicaChanged':
      return applyReplica(state, read);
    case 'Metric':
      return applyMetric(state, read);
    case 'Progress':
      return applyProgress(state, read);
    case 'Usage':
      return { ...state, usage: { ...state.usage, [read.replica]: mergeUsage(own(state.usage, read.replica), read) } };
    case 'Link':
      return { ...state, links: { ...state.links, [read.name]: read.url } };
    case 'Notice':
      return { ...state, notices: [...state.notices, read].slice(-MAX_NOTICES) };
    case undefined:
      return state;
  }
}

export function isTerminal(status: Status): boolean {
  return TERMINAL.has(status);
}

/** What the job is busy with: the latest phase of any replica while it runs, else null. */
export function phase(state: JobStateJson): Phase | null {
  const last = state.phases.at(-1);
  return state.status === 'running' && last?.kind === 'PhaseChanged' ? last.phase : null;
}

/** When the job ended, in seconds since the epoch; null while it has not. */
export function ended(state: JobStateJson): number | null {
  return isTerminal(state.status) ? (state.entered[state.status] ?? null) : null;
}

/** Seconds since the job began to run (or to wait, while it waits); stands still after its end. */
export function elapsed(state: JobStateJson, now: number): number | null {
  const times = Object.values(state.entered);
  const start = state.entered['running'] ?? (times.length ? Math.min(...times) : null);
  return start === null ? null : Math.max(0, (ended(state) ?? now) - start);
}

/** Seconds spent queued and in each phase, in order; what has not begun is left out. */
export function phaseTimes(state: JobStateJson, now: number): Record<string, number> {
  const marks = new Map<string, number>();
  for (const change of state.phases) {
    if (change.kind === 'PhaseChanged' && !marks.has(change.phase)) {
      marks.set(change.phase, change.time);
    }
  }
  const { queued, running } = state.entered;
  const phases = marks.size || running === undefined ? [...marks] : [['running', running] as const];
  const ordered = queued === undefined ? phases : [['queued', queued] as const, ...phases];
  const end = ended(state) ?? now;
  return Object.fromEntries(
    ordered.map(([name, start], at) => [name, Math.max(0, (ordered[at + 1]?.[1] ?? end) - start)])
  );
}

/** Progress from 0 to 1, null where it is unknown; whole only when the job has ended. */
export function fraction(state: JobStateJson): number | null {
  const part = partOf(state.progress);
  if (part === null) {
    return null;
  }
  if (state.status === 'succeeded') {
    return 1;
  }
  return isTerminal(state.status) ? part : Math.min(UNFINISHED, part);
}

/** Seconds to go at the pace since the first progress; null where that is unknown or the job has ended. */
export function eta(state: JobStateJson, now: number): number | null {
  const { first_progress: first, progress: last } = state;
  if (isTerminal(state.status) || first?.kind !== 'Progress' || last?.kind !== 'Progress') {
    return null;
  }
  const total = numberOf(last.total ?? 0);
  const done = numberOf(last.done) - numberOf(first.done);
  const spent = last.time - first.time;
  if (!total || !(done > 0) || !(spent > 0)) {
    return null;
  }
  return Math.max(0, ((total - numberOf(last.done)) * spent) / done - Math.max(0, now - last.time));
}

/** The number that a JSON number or its word stands for. */
export function numberOf(value: JsonNumber): number {
  return typeof value === 'number' ? value : (NUMBER_WORDS.get(value) ?? NaN);
}

/** The number as JSON can write it. */
function jsonOf(value: number): JsonNumber {
  return Number.isFinite(value) ? value : Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
}

/** The event with the fields that this version knows, or null for what is no event of a kind that it knows. */
function readEvent(value: unknown): JobEvent | null {
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  const given = value as Record<string, unknown>;
  const kind = typeof given['kind'] === 'string' ? given['kind'] : '';
  const fields = own<Readonly<Record<string, Field>>>(FIELDS, kind);
  const read: Record<string, unknown> = { kind };
  for (const [name, [check, fallback]] of Object.entries(fields ?? {})) {
    const item = own(given, name) ?? fallback;
    if (item === undefined || (item !== fallback && !check(item))) {
      return null;
    }
    if (item !== fallback) {
      read[name] = item;
    }
  }
  return fields ? (read as unknown as JobEvent) : null; // every field of the kind has passed its check
}

function applyStatus(state: JobStateJson, event: Of<'StatusChanged'>): JobStateJson {
  if (isTerminal(state.status) || event.status === 'unknown') {
    return state;
  }
  return {
    ...state,
    status: event.status,
    reason: event.reason ?? '',
    exit_code: event.exit_code ?? null,
    entered: { ...state.entered, [event.status]: state.entered[event.status] ?? event.time }
  };
}

function applyPhase(state: JobStateJson, event: Of<'PhaseChanged'>): JobStateJson {
  const isKnown = state.phases.some(
    known => known.kind === 'PhaseChanged' && known.phase === event.phase && known.replica === event.replica
  );
  return isKnown ? state : { ...state, phases: [...state.phases, event] };
}

function applyReplica(state: JobStateJson, event: Of<'ReplicaChanged'>): JobStateJson {
  const replicas = state.replicas ?? {};
  const old = own(replicas, event.replica);
  const { status, time, exit_code = null, attempt = 0 } = event;
  if ((status !== 'running' && !isTerminal(status)) || (!old && Object.keys(replicas).length >= MAX_REPLICAS)) {
    return state;
  }
  const isSettled = old?.attempt === attempt && (isTerminal(old.status) || old.status === status);
  if (old && (attempt < old.attempt || isSettled)) {
    return state;
  }
  return { ...state, replicas: { ...replicas, [event.replica]: { status, exit_code, attempt, time } } };
}

function applyMetric(state: JobStateJson, event: Of<'Metric'>): JobStateJson {
  const known = own(state.metrics, event.name);
  const [teller, replica] = [own(state.metric_replicas ?? {}, event.name) ?? '', event.replica ?? ''];
  if (known && replica !== teller && !comesBefore(replica, teller)) {
    return state;
  }
  const old = replica === teller ? known : undefined; // what another replica told does not count for this one
  if (!known && Object.keys(state.metrics).length >= MAX_METRICS) {
    return state;
  }
  const seen = (old ? [event.value, old[2], old[3]] : [event.value]).map(numberOf).filter(one => !Number.isNaN(one));
  const [minimum, maximum] = seen.length ? [Math.min(...seen), Math.max(...seen)] : [NaN, NaN];
  const count = (old?.[4] ?? 0) + 1;
  const summary: MetricSummary = [event.value, event.step ?? null, jsonOf(minimum), jsonOf(maximum), count];
  const metrics = { ...state.metrics, [event.name]: summary };
  return replica === teller
    ? { ...state, metrics }
    : { ...state, metrics, metric_replicas: { ...state.metric_replicas, [event.name]: replica } };
}

/** Whether the replica is before the other one in the order of RANK. */
function comesBefore(replica: string, other: string): boolean {
  const [[group, index], [otherGroup, otherIndex]] = [rankOf(replica), rankOf(other)];
  return group < otherGroup || (group === otherGroup && index < otherIndex);
}

/** The place of a replica in the order of RANK: chief or master, workers, other roles, the job itself (no name). */
function rankOf(replica: string): [group: number, index: number] {
  const [, role = '', index = '0'] = /^(.*)-([0-9]{1,9})$/s.exec(replica) ?? [];
  return replica === '' ? [3, 0] : [own(RANKS, role) ?? 2, Number(index)];
}

/** Progress never runs backwards: where two tell it, the one that is ahead counts. */
function applyProgress(state: JobStateJson, event: Of<'Progress'>): JobStateJson {
  const [before, part] = [partOf(state.progress), partOf(event)];
  if (before !== null && part !== null && part < before) {
    return state;
  }
  return { ...state, progress: event, first_progress: continues(state, event) ? state.first_progress : event };
}

function partOf(progress: JobEvent | null): number | null {
  const total = progress?.kind === 'Progress' ? numberOf(progress.total ?? 0) : 0;
  if (progress?.kind !== 'Progress' || !total) {
    return null;
  }
  return Math.min(1, Math.max(0, numberOf(progress.done) / total));
}

/** Whether `event` goes on counting what came before; a new bar starts a new pace. */
function continues({ progress: old }: JobStateJson, event: Of<'Progress'>): boolean {
  return (
    old?.kind === 'Progress' &&
    old.total === event.total &&
    old.unit === event.unit &&
    numberOf(event.done) >= numberOf(old.done)
  );
}

/** What the new sample does not tell stays as it was; the peak only grows. */
function mergeUsage(old: JobEvent | undefined, event: Of<'Usage'>): JobEvent {
  if (old?.kind !== 'Usage') {
    return event;
  }
  const peaks = [old.peak_memory, event.peak_memory].filter(peak => typeof peak === 'number');
  return { ...old, ...event, ...(peaks.length ? { peak_memory: Math.max(...peaks) } : {}) };
}

function own<T>(record: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
