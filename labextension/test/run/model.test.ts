import { expect, it } from 'vitest';

import { RunModel } from '../../src/run/model.js';
import { NOW, picture, pushed, runHead, runStep } from './runs.js';

const made = (): RunModel => new RunModel(() => 0);
const paths = (model: RunModel, level = ''): string[] => model.within(level).map(({ path }) => path);

it('takes in steps by level, in the order in which they were told', () => {
  const model = made();
  const steps = [runStep('b'), runStep('a'), runStep('b/x')];
  const change = model.push(pushed('run', { steps, pictures: [picture('', ['b', 'a'])] }));
  expect([paths(model), paths(model, 'b'), model.size]).toEqual([['b', 'a'], ['b/x'], 3]);
  expect([change.isAll, model.picture('')?.nodes.length, model.now()]).toEqual([true, 2, NOW]);
  expect(model.trail('b/x').map(({ path }) => path)).toEqual(['b', 'b/x']);
});

it('changes what is new, and nothing else', () => {
  const model = made();
  model.push(pushed('run', { steps: [runStep('a'), runStep('b')] }));
  const before = model.step('b');
  const steps = [runStep('a', { status: 'running' })];
  const change = model.push(pushed('run_changes', { steps, run: runHead({ status: 'failed' }) }));
  expect([model.step('a')?.status, model.step('b') === before, model.run?.status]).toEqual(['running', true, 'failed']);
  expect([change.steps, [...change.levels], change.isAll]).toEqual([steps, [], false]);
});

it('tells which levels have other steps or another picture', () => {
  const model = made();
  model.push(pushed('run', { steps: [runStep('a')] }));
  const opened = { steps: [runStep('a/x'), runStep('a/y')], pictures: [picture('a', ['a/x', 'a/y'])] };
  expect([...model.push(pushed('run_changes', opened)).levels]).toEqual(['a']);
  expect([...model.push(pushed('run_changes', { gone: ['a/x', 'nobody'] })).levels]).toEqual(['a']);
  expect([paths(model, 'a'), model.step('a/x')]).toEqual([['a/y'], undefined]);
});

it('shows a run as it comes, and keeps it while it is told anew', () => {
  const model = made();
  expect(model.push(pushed('run', { steps: [runStep('a')], is_whole: false })).isAll).toBe(true);
  expect([paths(model), model.isWhole]).toEqual([['a'], false]);
  model.push(pushed('run_changes', { steps: [runStep('b')] }));
  expect([paths(model), model.isWhole]).toEqual([['a', 'b'], true]);
  const anew = model.push(pushed('run', { steps: [runStep('b')], is_whole: false }));
  expect([paths(model), anew.isAll]).toEqual([['a', 'b'], false]);
  expect(model.push(pushed('run_changes', { steps: [runStep('c')] })).isAll).toBe(true);
  expect(paths(model)).toEqual(['b', 'c']);
});

it('is not led in circles', () => {
  const model = made();
  model.push(pushed('run', { steps: [runStep('a', { parent: 'b' }), runStep('b', { parent: 'a' })] }));
  expect(model.trail('a').length).toBe(100);
});
