import { beforeEach, expect, it } from 'vitest';

import type { RunPushed } from '../../src/run/tokens.js';
import { Exchange } from '../../src/wire/protocol.js';
import { WireRun } from '../../src/wire/run.js';
import { pushed } from '../run/runs.js';
import { FarEnd, snapshot } from './farend.js';

let far: FarEnd;
let exchange: Exchange;
let source: WireRun;
let heard: RunPushed[];
let released: number;

beforeEach(() => {
  far = new FarEnd();
  exchange = new Exchange({ send: body => far.hear(body) }, { timeout: null, patience: null });
  far.deliver = message => exchange.receive(message);
  exchange.open();
  [heard, released] = [[], 0];
  source = new WireRun('r1', exchange, () => (released += 1));
  source.listen({ push: push => heard.push(push) });
});

function push(kind: RunPushed['kind'], seq: number): void {
  far.deliver({ body: { ...pushed(kind, { seq }), view: source.view }, buffers: [] });
}

const turn = (): Promise<void> => new Promise(resolve => setTimeout(resolve));
const count = (kind: string): number => far.kinds().filter(each => each === kind).length;

it('watches the run from its making to its end', () => {
  expect(far.last('watch_run')).toMatchObject({ job: 'r1', view: source.view });
  push('run', 0);
  push('run_changes', 1);
  expect(heard.map(({ seq }) => seq)).toEqual([0, 1]);
  source.dispose();
  source.dispose();
  expect([count('bye'), far.last('bye')['view'], released]).toEqual([1, source.view, 1]);
});

it('asks anew after a gap, once, and passes over what it cannot join', async () => {
  far.answer('watch_run');
  await turn();
  push('run', 0);
  push('run_changes', 2);
  push('run_changes', 4);
  expect([count('watch_run'), heard.length]).toEqual([2, 1]);
  push('run', 0);
  push('run_changes', 1);
  expect(heard.length).toBe(3);
});

it('says which levels are open, again after a lost connection, and nothing twice', async () => {
  far.answer('watch_run');
  await turn();
  source.open(['a', 'a/b']);
  source.open(['a', 'a/b']);
  expect([count('open_run'), far.last('open_run')['open']]).toEqual([1, ['a', 'a/b']]);
  exchange.lost();
  exchange.open();
  expect([count('watch_run'), far.last('watch_run')['open']]).toEqual([2, ['a', 'a/b']]);
});

it('says why a run cannot be shown', async () => {
  const told: [string, string][] = [];
  source.listen({ status: (status, message) => told.push([status, message]) });
  far.refuse('watch_run', 'NotFoundError', 'There is no run r1.');
  await expect(source.greeted).rejects.toThrow('There is no run r1.');
  await turn();
  expect([source.status, told]).toEqual(['offline', [['offline', 'There is no run r1.']]]);
});

it('passes over what is for a view of a job', () => {
  far.push(snapshot(0), source.view);
  expect(heard).toEqual([]);
});
