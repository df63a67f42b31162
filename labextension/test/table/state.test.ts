/** How a runs table is set up. */

import { describe, expect, it } from 'vitest';

import type { TableColumn } from '../../src/table/protocol.js';
import {
  LONGEST_FILTER,
  moveBy,
  moveTo,
  NEW_STATE,
  readState,
  shownKeys,
  sortBy,
  withColumn,
  withDefaultColumns,
  withPin,
  withWidth
} from '../../src/table/state.js';

const ALL: TableColumn[] = ['a', 'b', 'c', 'd'].map(key => ({
  key,
  title: key,
  part: 'value',
  kind: 'number',
  is_shown: key !== 'd'
}));
const STATE = { ...NEW_STATE, pinned: ['b'] };

describe('the columns of a table', () => {
  it('are those that are shown anyway, until others are chosen; pinned ones come first', () => {
    expect(shownKeys(STATE, ALL)).toEqual(['b', 'a', 'c']);
    expect(shownKeys(withColumn(STATE, ALL, 'd', true), ALL)).toEqual(['b', 'a', 'c', 'd']);
    expect(shownKeys(withColumn(STATE, ALL, 'a', false), ALL)).toEqual(['b', 'c']);
  });

  it('are moved, and pinned where they get among those that are', () => {
    expect(shownKeys(moveBy(STATE, ALL, 'a', 1), ALL)).toEqual(['b', 'c', 'a']);
    expect(moveBy(STATE, ALL, 'c', 1)).toBe(STATE);
    const moved = moveTo(STATE, ALL, 'c', 'b');
    expect([shownKeys(moved, ALL), moved.pinned]).toEqual([
      ['c', 'b', 'a'],
      ['c', 'b']
    ]);
    expect(shownKeys(moveTo(STATE, ALL, 'b', 'c'), ALL)).toEqual(['a', 'c', 'b']);
    expect(withPin(STATE, 'b', false).pinned).toEqual([]);
  });

  it('are sorted by the other way round the second time', () => {
    const once = sortBy(STATE, 'a');
    expect([once.sort, once.isDescending, sortBy(once, 'a').isDescending]).toEqual(['a', false, true]);
  });

  it('have a width that can be used', () => {
    expect(withWidth(STATE, 'a', 3).widths).toEqual({ a: 48 });
    expect(withWidth(STATE, 'a', Infinity).widths).toEqual({ a: 48 });
  });
});

describe('a state of a layout', () => {
  it('comes back as it was kept', () => {
    const state = { ...STATE, text: 'lr<0.1', columns: ['a', 'gone'], widths: { a: 90 }, group: 'c' };
    expect(readState(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });

  it('keeps a filter as long as its field takes', () => {
    const text = 'x'.repeat(LONGEST_FILTER);
    expect(readState({ text }).text).toBe(text);
    expect(readState({ text: `${text}x` }).text).toBe('');
  });

  it.each([null, 3, 'x', [], { columns: 3, pinned: [1], widths: { a: 'x' }, sort: {}, isDescending: 'no' }])(
    'is a new one where it is damaged: %j',
    value => {
      const read = readState(value);
      expect({ ...read, pinned: NEW_STATE.pinned }).toEqual(NEW_STATE);
    }
  );
});

describe('a table for which nobody has chosen columns', () => {
  const column = (key: string, part: TableColumn['part']): TableColumn => ({
    key,
    title: key,
    part,
    kind: 'text',
    is_shown: true
  });
  const all = [
    column('job:status', 'job'),
    column('job:name', 'job'),
    column('job:tags', 'job'),
    column('value:lr', 'value'),
    column('last:loss', 'metric')
  ];

  it('has values and metrics behind state and name, and what else a job has behind them', () => {
    const keys = ['job:name', 'job:status', 'value:lr', 'last:loss', 'job:tags'];
    expect(shownKeys(NEW_STATE, all)).toEqual(keys);
    expect(shownKeys({ ...NEW_STATE, pinned: [] }, all).slice(0, 2)).toEqual(['job:status', 'job:name']);
  });

  it('is what the default columns bring back, with what is pinned by default', () => {
    const state = withPin(withColumn(NEW_STATE, all, 'job:tags', false), 'value:lr', true);
    expect(withDefaultColumns({ ...state, text: 'x' })).toEqual({ ...NEW_STATE, text: 'x' });
  });
});
