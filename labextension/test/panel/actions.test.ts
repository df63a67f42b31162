import { expect, it } from 'vitest';

import { type ActionName, offered, perform } from '../../src/panel/actions.js';
import type { JobRow } from '../../src/panel/protocol.js';
import { FakeActions, jobRow, jobRows, running } from './rows.js';

const has = (rows: readonly JobRow[], name: ActionName): boolean => offered(rows).includes(name);

it('offers nothing where nothing is chosen', () => {
  expect(offered([])).toEqual([]);
});

it.each<[ActionName, readonly JobRow[], boolean]>([
  ['stop', [running('a')], true],
  ['stop', [jobRow('a')], false],
  ['stop', [jobRow('a'), running('b')], true],
  ['stop', [jobRow('a', { status: 'unknown' })], true],
  ['remove', [jobRow('a'), running('b')], false],
  ['remove', jobRows(3), true],
  ['openPage', [jobRow('a', { is_here: false })], false],
  ['openPage', [jobRow('a')], true],
  ['goToCell', [jobRow('a', { notebook: null })], false],
  ['goToCell', [jobRow('a')], true],
  ['rerun', jobRows(2), true],
  ['rerun', jobRows(21), false],
  ['rerunForm', jobRows(2), false],
  ['clone', jobRows(2), false],
  ['compare', jobRows(1), false],
  ['compare', jobRows(8), true],
  ['compare', jobRows(9), false],
  ['board', jobRows(30), true],
  ['report', jobRows(50), true],
  ['report', jobRows(51), false],
  ['report', [jobRow('a', { is_here: false })], false],
  ['star', jobRows(2), true],
  ['annotate', jobRows(2), true],
  ['star', [jobRow('a', { is_here: false })], false],
  ['annotate', [jobRow('a', { is_here: false })], false],
  ['open', [jobRow('a', { is_here: false })], true],
  ['adopt', [jobRow('a', { is_here: false })], true],
  ['adopt', [jobRow('a')], false],
  ['stop', [running('a', { is_here: false })], false],
  ['remove', [jobRow('a', { is_here: false })], false]
])('%s of %j: %s', (name, rows, isOffered) => {
  expect(has(rows, name)).toBe(isOffered);
});

it.each<[ActionName, unknown]>([
  ['stop', [['stop', ['a', 'b']]]],
  ['compare', [['compare', ['a', 'b']]]],
  ['report', [['report', ['a', 'b']]]],
  ['rerun', [['rerun', ['a', 'b']]]],
  ['star', [['star', ['a', 'b']]]],
  ['annotate', [['annotate', ['a', 'b']]]],
  [
    'open',
    [
      ['open', 'a'],
      ['open', 'b']
    ]
  ]
])('does %s with several jobs', async (name, done) => {
  const act = new FakeActions();
  await perform(act, name, [{ id: 'a' }, { id: 'b' }]);
  expect(act.done).toEqual(done);
});
