import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { apply, elapsed, ended, eta, fraction, initialState, phase, phaseTimes } from '../src/events.js';
import type { JobStateJson } from '../src/tokens.js';

interface Case {
  name: string;
  events: unknown[];
  state: JobStateJson;
  now: number;
  seen: Record<string, unknown>;
}

const CASES = JSON.parse(readFileSync(new URL('../../tests/data/fold_cases.json', import.meta.url), 'utf-8')) as Case[];

const fold = (events: unknown[], state = initialState()): JobStateJson => events.reduce<JobStateJson>(apply, state);

describe.each(CASES)('recorded: $name', ({ events, state, now, seen }) => {
  it('folds to the same state', () => {
    expect(fold(events)).toEqual(state);
  });

  it('folds on alike from a state that came as JSON', () => {
    const half = Math.floor(events.length / 2);
    const carried = JSON.parse(JSON.stringify(fold(events.slice(0, half)))) as JobStateJson;
    expect(fold(events.slice(half), carried)).toEqual(state);
  });

  it('is seen alike', () => {
    const last = fold(events);
    const drawn = {
      elapsed: elapsed(last, now),
      fraction: fraction(last),
      eta: eta(last, now),
      phase: phase(last),
      phase_times: phaseTimes(last, now),
      ended: ended(last)
    };
    expect(drawn).toEqual({ ...seen, eta: near(seen['eta']), fraction: near(seen['fraction']) });
  });
});

const near = (value: unknown): unknown => (typeof value === 'number' ? expect.closeTo(value, 9) : value);

const MALFORMED: [string, unknown][] = [
  ['nothing', null],
  ['a number', 7],
  ['text', 'StatusChanged'],
  ['a list', [1]],
  ['no kind', { time: 1 }],
  ['a kind of another type', { kind: { a: 1 }, time: 1 }],
  ['a kind that cannot be text', { kind: { toString: 1 } }],
  ['a kind that every object has', { kind: 'constructor', time: 1 }],
  ['__proto__ as kind', { kind: '__proto__' }],
  ['no time', { kind: 'StatusChanged', status: 'running' }],
  ['a time that is text', { kind: 'StatusChanged', status: 'running', time: '5' }],
  ['a time that is no number', { kind: 'Notice', text: 'a', time: NaN }],
  ['a status that is no text', { kind: 'StatusChanged', status: ['running'], time: 1 }],
  ['a value that is no number', { kind: 'Metric', name: 'a', value: '<img>', time: 1 }],
  ['a name that is no text', { kind: 'Metric', name: { toString: null }, value: 1, time: 1 }],
  ['an address that is no text', { kind: 'Link', name: 'a', url: 7 }],
  ['memory that is text', { kind: 'Usage', replica: 'a', time: 1, memory: 'much' }]
];

it.each(MALFORMED)('ignores a malformed event: %s', (_, event) => {
  const state = fold([{ kind: 'StatusChanged', status: 'queued', time: 1 }]);
  expect(apply(state, event)).toBe(state);
});

it('never changes the state that it was given', () => {
  const frozen = deepFreeze(fold(CASES.flatMap(({ events }) => events).slice(0, 12)));
  expect(() =>
    fold(
      CASES.flatMap(({ events }) => events),
      frozen
    )
  ).not.toThrow();
});

const NAMES = ['__proto__', 'constructor', 'toString', '', '训练', '<b>'];

it.each(NAMES)('counts a metric named %j like any other', name => {
  const metric = (value: number): unknown => ({ kind: 'Metric', name, value, time: 1 });
  const state = fold([metric(2), metric(1)]);
  expect(Object.entries(state.metrics)).toEqual([[name, [1, null, 1, 2, 2]]]);
});

it('takes an explicit null as the default', () => {
  const state = fold([{ kind: 'Metric', name: 'a', value: 1, time: 1, step: null, replica: null }]);
  expect(state.metrics).toEqual({ a: [1, null, 1, 1, 1] });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
