import { expect, it } from 'vitest';

import { readSavedJob, readSavedRun } from '../../src/lab/payload.js';
import { savedRun } from '../run/runs.js';
import { savedJob } from './bundles.js';

it('reads what the kernel wrote', () => {
  const saved = savedJob({ metrics: { loss: 0.5, bad: 'nan' }, values: { lr: '0.01' }, times: { queued: '2026' } });
  expect(readSavedJob(JSON.parse(JSON.stringify(saved)))).toEqual(saved);
});

it('drops what it does not know', () => {
  expect(readSavedJob({ ...savedJob(), onload: 'alert(1)', schema: 2 })).toEqual(savedJob({ schema: 2 }));
});

it.each(['j1mq8x4f0k7d2', '20261121-063000-iris-3fa2c1', 'a', 'A_b.c-d', 'x'.repeat(128)])('takes the id %s', id => {
  expect(readSavedJob(savedJob({ id }))?.id).toBe(id);
});

it.each([
  '',
  '.',
  '..',
  '../x',
  'a/b',
  'a\\b',
  '-a',
  '_a',
  '.a',
  'a b',
  'a\n',
  '\na',
  'a\u0000',
  '任务',
  '%2e%2e',
  'a?b',
  'a#b',
  'x'.repeat(129),
  '<img>'
])('refuses the id %j', id => {
  expect(readSavedJob(savedJob({ id }))).toBeNull();
});

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['text', 'j1'],
  ['a list', []],
  ['a number', 7],
  ['an empty object', {}],
  ['a list of jobs', [savedJob()]],
  ...Object.keys(savedJob()).flatMap((field): [string, unknown][] => [
    [`${field} missing`, { ...savedJob(), [field]: undefined }],
    [`${field} null`, { ...savedJob(), [field]: null }],
    [`${field} of another type`, { ...savedJob(), [field]: [{ toString: 'x' }] }]
  ]),
  ['an unknown state', { ...savedJob(), state: 'constructor' }],
  ['a schema that is no number', { ...savedJob(), schema: NaN }],
  ['a name without end', { ...savedJob(), name: 'x'.repeat(100_000) }],
  ['a value that is no text', { ...savedJob(), values: { lr: { html: '<b>' } } }],
  ['a metric that is text', { ...savedJob(), metrics: { loss: '<img>' } }],
  ['a key without end', { ...savedJob(), values: { ['x'.repeat(5_000)]: '1' } }],
  ['values without end', { ...savedJob(), values: { ...Array.from({ length: 5_000 }, () => '1') } }]
])('refuses %s', (_, value) => {
  expect(readSavedJob(value)).toBeNull();
});

it('keeps "__proto__" a name like any other', () => {
  const saved = readSavedJob(JSON.parse('{"__proto__": {"id": "x"}}'));
  const values = JSON.parse('{"__proto__": "1"}') as Record<string, string>;
  expect(saved).toBeNull();
  expect(Object.entries(readSavedJob(savedJob({ values }))?.values ?? {})).toEqual([['__proto__', '1']]);
});

it('reads a run as the kernel wrote it, and drops what it does not know', () => {
  const saved = savedRun({ status: 'blocked', ended: '', counts: { succeeded: 2, skipped: 1 } });
  expect(readSavedRun(JSON.parse(JSON.stringify({ ...saved, onload: 'alert(1)' })))).toEqual(saved);
});

it('takes a plan without an id, and no run without one', () => {
  const plan = savedRun({ id: '', is_plan: true });
  expect([readSavedRun(plan), readSavedRun({ ...plan, is_plan: false })]).toEqual([plan, null]);
});

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['a list', [savedRun()]],
  ...Object.keys(savedRun()).map((field): [string, unknown] => [`${field} missing`, { ...savedRun(), [field]: null }]),
  ['an unknown status', { ...savedRun(), status: 'constructor' }],
  ['a way out of its folder as id', { ...savedRun(), id: '../x' }],
  ['counts that are markup', { ...savedRun(), counts: { succeeded: '<img>' } }],
  ['a name without end', { ...savedRun(), name: 'x'.repeat(100_000) }]
])('refuses as a run: %s', (_, value) => {
  expect(readSavedRun(value)).toBeNull();
});
