import { expect, it } from 'vitest';

import { neighbour } from '../../src/run/directions.js';
import { countsSentence, countsText, lookGlyph, readLook } from '../../src/run/status.js';
import { conditionText, conditionWord, stepName, stepSentence, stepTime, stepTitle } from '../../src/run/words.js';
import { runSay } from '../../src/run/translation.js';
import { NOW, picture, runStep } from './runs.js';

const say = runSay('en');
const ACCURACY = '{{pipelines.train.outputs.parameters.acc}}';

it.each([
  ['a', 'ArrowRight', 'b'],
  ['b', 'ArrowLeft', 'a'],
  ['a', 'ArrowDown', 'c'],
  ['d', 'ArrowUp', 'b'],
  ['a', 'ArrowUp', null],
  ['b', 'ArrowRight', null],
  ['c', 'Home', 'a'],
  ['a', 'End', 'e'],
  ['a', 'x', null]
])('from %s, %s leads to %s', (from, key, to) => {
  expect(neighbour(picture('', ['a', 'b', 'c', 'd', 'e']).nodes, from, key)).toBe(to);
});

it('counts by status, in words and in signs', () => {
  const counts = { waiting: 2, succeeded: 3, running: 1, skipped: 1 };
  expect(countsText(counts)).toBe('3/7 ✓ · 1 ● · 1 ⊘');
  expect(countsSentence(counts, say)).toBe('3 of 7 succeeded, 1 running, 2 waiting, 1 skipped');
  expect([countsText({}), countsText(undefined), countsText({ toString: 7 })]).toEqual(['', '', '']);
});

it('knows its own words only', () => {
  expect([readLook('constructor'), readLook(7), lookGlyph('skipped')]).toEqual(['unknown', 'unknown', '⊘']);
});

it('says what has become of a condition', () => {
  const condition = { text: `${ACCURACY} > 1`, label: 'acc = 0.3 > 1' };
  expect(conditionText(condition)).toBe('acc = 0.3 > 1');
  expect(conditionWord(condition, say)).toBe('not decided');
  expect(conditionWord({ ...condition, is_met: false }, say)).toBe('not met');
  expect(conditionWord({ ...condition, reason: 'It is empty.' }, say)).toBe('It is empty.');
});

it('names a step by its place, and an execution of a loop by its item', () => {
  const step = runStep('nested/loop[2]', { name: 'loop', title: 'train', item: '0.3' });
  expect([stepName(step), stepTitle(step)]).toEqual(['loop[2]', '0.3']);
  expect(stepTitle(runStep('train', { title: 'train' }))).toBe('');
});

it('says the whole of a step in a sentence', () => {
  const condition = { text: `${ACCURACY} > 1`, label: 'acc > 1', is_met: false };
  const step = runStep('a', { kind: 'loop', status: 'skipped', condition, reason: 'Why\u001b[31m not.', tried: 2 });
  expect(stepSentence(step, say)).toBe('a, a code, loop, Skipped, 2 tries, condition acc > 1: not met, Why not.');
});

it('says how long a step has run, or took', () => {
  expect(stepTime(runStep('a'), NOW)).toBe('');
  expect(stepTime(runStep('a', { status: 'running', started: NOW - 63 }), NOW)).toBe('01:03');
  expect(stepTime(runStep('a', { status: 'failed', started: NOW - 63, ended: NOW - 3 }), NOW)).toBe('1m00s');
});
