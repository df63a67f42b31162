import { beforeEach, expect, it } from 'vitest';

import { Selection } from '../../src/panel/selection.js';

const ONLY = { isRange: false, isMore: false };
const RANGE = { isRange: true, isMore: false };
const MORE = { isRange: false, isMore: true };
let selection: Selection;

beforeEach(() => {
  selection = new Selection();
  selection.setOrder(['a', 'b', 'c', 'd', 'e']);
});

it('has the row that was pressed, and no other', () => {
  selection.press('b', ONLY);
  selection.press('d', ONLY);
  expect(selection.inOrder()).toEqual(['d']);
});

it('takes rows in and out one by one', () => {
  selection.press('d', ONLY);
  selection.press('b', MORE);
  expect(selection.inOrder()).toEqual(['b', 'd']);
  selection.press('d', MORE);
  expect(selection.inOrder()).toEqual(['b']);
});

it('spans a range from where it began, whichever way', () => {
  selection.press('c', ONLY);
  selection.press('e', RANGE);
  expect(selection.inOrder()).toEqual(['c', 'd', 'e']);
  selection.press('a', RANGE);
  expect(selection.inOrder()).toEqual(['a', 'b', 'c']);
});

it('grows and shrinks with the arrows', () => {
  selection.press('b', ONLY);
  selection.move(1, RANGE);
  selection.move(1, RANGE);
  selection.move(-1, RANGE);
  expect([selection.inOrder(), selection.active]).toEqual([['b', 'c'], 'c']);
});

it('goes on without choosing, and then takes in where it is', () => {
  selection.press('a', ONLY);
  selection.move(2, MORE);
  expect(selection.inOrder()).toEqual(['a']);
  selection.press('c', MORE);
  expect(selection.inOrder()).toEqual(['a', 'c']);
});

it.each([
  [1, 'a'],
  [-1, 'a'],
  [5, 'e'],
  [-5, 'a']
])('begins with %i at %s where nothing was active', (step, id) => {
  selection.move(step, ONLY);
  expect(selection.active).toBe(id);
});

it('stays within the list', () => {
  selection.press('e', ONLY);
  selection.move(100, ONLY);
  expect(selection.inOrder()).toEqual(['e']);
});

it('keeps what is chosen when the list is sorted anew', () => {
  selection.press('b', ONLY);
  selection.press('c', RANGE);
  selection.setOrder(['e', 'c', 'a', 'b', 'd']);
  expect(selection.inOrder()).toEqual(['c', 'b']);
});

it('lets go of rows that are not listed any more, and goes on beside them', () => {
  selection.press('b', ONLY);
  selection.press('c', RANGE);
  selection.setOrder(['a', 'b', 'd', 'e']);
  expect([selection.inOrder(), selection.active]).toEqual([['b'], 'd']);
});

it('has nothing to go on from in an empty list', () => {
  selection.all();
  selection.setOrder([]);
  selection.move(1, ONLY);
  expect([selection.inOrder(), selection.active]).toEqual([[], null]);
});
