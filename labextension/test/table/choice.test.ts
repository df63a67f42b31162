/** Which jobs of the table are chosen, and what is known of them. */

import { expect, it } from 'vitest';

import { RowChoice } from '../../src/table/choice.js';

it('knows how jobs are starred and tagged, also those that are out of sight', () => {
  const choice = new RowChoice();
  choice.only([
    { id: 'a', is_starred: true, tags: ['best'], cells: [] },
    { id: 'b', cells: [] }
  ]);
  const stars = (): unknown => choice.rows.map(row => [row.id, row.is_starred, row.tags]);
  expect(stars()).toEqual([
    ['a', true, ['best']],
    ['b', false, []]
  ]);
  choice.star(['b', 'gone'], true);
  expect(stars()).toEqual([
    ['a', true, ['best']],
    ['b', true, []]
  ]);
});
