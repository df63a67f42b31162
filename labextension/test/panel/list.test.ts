import { describe, expect, it } from 'vitest';

import { PushedRows } from '../../src/panel/list.js';
import type { JobsPush } from '../../src/panel/protocol.js';
import { jobRow, NOW } from './rows.js';

function push(changes: Partial<JobsPush> = {}): JobsPush {
  return { kind: 'jobs', seq: 0, now: NOW, rows: [], gone: [], is_first: false, is_whole: true, notes: [], ...changes };
}

const first = (...ids: string[]): JobsPush => push({ is_first: true, rows: ids.map(id => jobRow(id)) });
const ids = (known: PushedRows): string[] => [...known.rows.keys()];

it('shows the beginning of a long list while the rest is on its way', () => {
  const known = new PushedRows();
  known.push({ ...first('a', 'b'), is_whole: false });
  expect([ids(known), known.isWhole]).toEqual([['a', 'b'], false]);
  known.push(push({ rows: [jobRow('c')] }));
  expect([ids(known), known.isWhole]).toEqual([['a', 'b', 'c'], true]);
});

it('replaces rows that have changed, and drops those that are gone', () => {
  const known = new PushedRows();
  known.push(first('a', 'b', 'c'));
  const untouched = known.rows.get('a');
  known.push(push({ rows: [jobRow('b', { name: 'other' })], gone: ['c', 'never there'] }));
  expect([...known.rows.values()].map(row => row.name)).toEqual(['iris-a', 'other']);
  expect(known.rows.get('a')).toBe(untouched);
});

it('keeps what it has until a list that is told anew is whole', () => {
  const known = new PushedRows();
  known.push(first('a', 'b'));
  known.push({ ...first('c'), is_whole: false });
  expect(ids(known)).toEqual(['a', 'b']);
  known.push(push({ rows: [jobRow('d')] }));
  expect(ids(known)).toEqual(['c', 'd']);
});

it('begins again when a new telling is broken off by another', () => {
  const known = new PushedRows();
  known.push(first('a'));
  known.push({ ...first('b'), is_whole: false });
  known.push(first('c'));
  expect(ids(known)).toEqual(['c']);
});

it('goes by the clock of the machine that keeps the jobs', () => {
  let clock = 5;
  const known = new PushedRows(() => clock);
  known.push(push({ now: 1_000 }));
  clock += 7;
  expect(known.now()).toBe(1_007);
});

it('says what could not be listed, as it was told last', () => {
  const known = new PushedRows();
  known.push(push({ notes: ['PAI does not answer.'] }));
  expect(known.notes).toEqual(['PAI does not answer.']);
  known.push(push());
  expect(known.notes).toEqual([]);
});

describe('what is shown', () => {
  const shown = (known: PushedRows): string[] => known.shown.map(row => row.id);

  it('is all rows as they came where the server tells no order', () => {
    const known = new PushedRows();
    known.push(first('b', 'a'));
    expect(shown(known)).toEqual(['b', 'a']);
  });

  it('is told in stretches that take the place of others', () => {
    const known = new PushedRows();
    known.push({ ...first('a', 'b', 'c'), order: { at: 0, drop: 0, ids: ['c', 'a'] } });
    expect(shown(known)).toEqual(['c', 'a']);
    known.push(push({ order: { at: 1, drop: 1, ids: ['b', 'a'] } }));
    expect(shown(known)).toEqual(['c', 'b', 'a']);
    known.push(push());
    expect(shown(known)).toEqual(['c', 'b', 'a']);
    known.push(push({ gone: ['b'], order: { at: 1, drop: 1, ids: [] } }));
    expect(shown(known)).toEqual(['c', 'a']);
    known.push(push({ order: { at: 0, drop: 2, ids: [] } }));
    expect(shown(known)).toEqual([]);
  });

  it('is what it was while a list is told anew, and then the new one', () => {
    const known = new PushedRows();
    known.push({ ...first('a', 'b'), is_whole: true, order: { at: 0, drop: 0, ids: ['a', 'b'] } });
    known.push({ ...first('b'), is_whole: false, order: { at: 0, drop: 0, ids: ['b'] } });
    expect(shown(known)).toEqual(['a', 'b']);
    known.push(push({ rows: [jobRow('c')], is_whole: true, order: { at: 0, drop: 0, ids: ['c'] } }));
    expect(shown(known)).toEqual(['c', 'b']);
  });

  it('has no id without a row', () => {
    const known = new PushedRows();
    known.push({ ...first('a'), order: { at: 0, drop: 0, ids: ['x', 'a'] } });
    expect(shown(known)).toEqual(['a']);
  });
});
