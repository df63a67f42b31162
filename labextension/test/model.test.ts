import { expect, it } from 'vitest';

import { PushedModel } from '../src/model.js';
import type { Push, Snapshot } from '../src/tokens.js';
import { jobFacts, runningState } from './fakes.js';

const TAIL = { replica: 'worker-0', start: 0, lines: [], times: [], clipped: {}, count: 7, finished: 7 };

const snapshot = (changes: Partial<Snapshot> = {}): Push => ({
  kind: 'snapshot',
  seq: 0,
  now: 1_000,
  job: jobFacts(),
  state: runningState(),
  failure: null,
  counts: { 'worker-0': 7 },
  tail: TAIL,
  ...changes
});

it('knows nothing before the first snapshot', () => {
  const model = new PushedModel();
  expect([model.job, model.state.status, model.counts]).toEqual([null, 'created', {}]);
});

it('is replaced by a snapshot, failure included', () => {
  const model = new PushedModel();
  model.push(snapshot({ failure: { cause: 'a', hint: '', line: 3, tail: [] } }));
  model.push(snapshot({ counts: { chief: 1 } }));
  expect([model.failure, model.counts]).toEqual([null, { chief: 1 }]);
});

it('folds the events of news', () => {
  const model = new PushedModel();
  model.push(snapshot());
  model.push({ kind: 'state', seq: 1, now: 1_001, events: [{ kind: 'StatusChanged', status: 'failed', time: 1_001 }] });
  expect(model.state.status).toBe('failed');
});

it('takes a whole state where there were many events', () => {
  const model = new PushedModel();
  const failure = { cause: 'out of memory', hint: '', line: null, tail: [] };
  model.push({ kind: 'state', seq: 1, now: 1_001, state: runningState({ status: 'stopped' }), failure });
  expect([model.state.status, model.failure]).toEqual(['stopped', failure]);
});

it('keeps the counts of replicas that a tail does not tell', () => {
  const model = new PushedModel();
  model.push(snapshot({ counts: { chief: 1, 'worker-0': 7 } }));
  model.push({ kind: 'tail', seq: 1, now: 1_001, counts: { 'worker-0': 9 }, tail: TAIL });
  expect(model.counts).toEqual({ chief: 1, 'worker-0': 9 });
});

it("tells the time of the job's machine, whatever this one's date is", () => {
  const time = { at: 50 };
  const model = new PushedModel(() => time.at);
  model.push(snapshot({ now: 1_000 }));
  time.at += 2.5;
  expect(model.now()).toBe(1_002.5);
});

it('sets its clock by every push', () => {
  const time = { at: 50 };
  const model = new PushedModel(() => time.at);
  model.push(snapshot({ now: 1_000 }));
  time.at += 100;
  model.push({ kind: 'state', seq: 1, now: 1_010, events: [] });
  expect(model.now()).toBe(1_010);
});
