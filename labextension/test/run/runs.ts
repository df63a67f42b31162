/** A run as a view meets it, with behaviour and no network: steps can change, levels open, pushes come. */

import type {
  RunHead,
  RunInput,
  RunListener,
  RunPicture,
  RunPushed,
  RunRow,
  RunSource,
  RunStep,
  SavedRun
} from '../../src/run/tokens.js';
import type { SourceStatus } from '../../src/tokens.js';

/** The time at the machine that keeps the run, in seconds. */
export const NOW = 100_000;

export function runRow(id: string, changes: Partial<RunRow> = {}): RunRow {
  return {
    id,
    name: `run-${id}`,
    status: 'running',
    is_stopping: false,
    reason: '',
    created: NOW - 60,
    ended: null,
    counts: { succeeded: 1, running: 1, waiting: 2 },
    inputs: {},
    is_here: true,
    url: '',
    trouble: '',
    ...changes
  };
}

export function runHead(changes: Partial<RunHead> = {}): RunHead {
  return { ...runRow('r1', { name: 'iris' }), notes: [], parameters: {}, artifacts: {}, ...changes };
}

export function runInput(name: string, changes: Partial<RunInput> = {}): RunInput {
  const usual = { type: 'Double', value: '0.1', choices: [], range: '' };
  return { name, ...usual, is_required: false, is_list: false, is_fixed: false, ...changes };
}

export function runStep(path: string, changes: Partial<RunStep> = {}): RunStep {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  return { path, parent, name, kind: 'job', title: `${name} code`, status: 'waiting', ...changes };
}

/** Nodes in rows of two, each but the first below the first. */
export function picture(path: string, paths: readonly string[]): RunPicture {
  const nodes = paths.map((each, at) => ({
    path: each,
    x: 200 * (at % 2),
    y: 100 * Math.floor(at / 2),
    w: 180,
    h: 52
  }));
  const edges = nodes.slice(1).map(({ x, y }, at) => {
    const points: [number, number][] = [
      [90, 52],
      [x + 90, y]
    ];
    return { source: 0, target: at + 1, points, is_condition: at === 0 };
  });
  return { path, w: 380, h: 352, nodes, edges };
}

export function savedRun(changes: Partial<SavedRun> = {}): SavedRun {
  return {
    schema: 1,
    id: 'r1',
    name: 'iris',
    status: 'running',
    at: '2026-11-21T06:30:00Z',
    created: '2026-11-21T06:29:00Z',
    ended: '',
    counts: { succeeded: 1 },
    is_here: true,
    is_plan: false,
    ...changes
  };
}

export function pushed(kind: RunPushed['kind'], changes: Partial<RunPushed> = {}): RunPushed {
  const news = { now: NOW, run: runHead(), steps: [], pictures: [], gone: [], is_whole: true, view: '', seq: 0 };
  return { ...news, ...changes, kind } as RunPushed;
}

export class FakeRun implements RunSource {
  readonly run = 'r1';
  status: SourceStatus = 'live';
  opened: (readonly string[])[] = [];
  isDisposed = false;
  readonly #listeners = new Set<RunListener>();

  get listenerCount(): number {
    return this.#listeners.size;
  }

  open(levels: readonly string[]): void {
    this.opened.push(levels);
  }

  listen(listener: RunListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  dispose(): void {
    this.isDisposed = true;
  }

  push(kind: RunPushed['kind'], changes: Partial<RunPushed> = {}): void {
    [...this.#listeners].forEach(listener => listener.push?.(pushed(kind, changes)));
  }

  go(status: SourceStatus, message = ''): void {
    this.status = status;
    [...this.#listeners].forEach(listener => listener.status?.(status, message));
  }
}
