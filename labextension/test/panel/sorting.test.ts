import { expect, it } from 'vitest';

import { NO_FILTER, toSelection, filterOptions, type JobFilter } from '../../src/panel/sorting.js';
import { jobRow, jobRows } from './rows.js';

it.each<[Partial<JobFilter>, object]>([
  [{}, { text: '', status: '', backend: '', notebook: '', sort: 'created', descending: true }],
  [{ text: ' lr=0.3 ' }, { text: ' lr=0.3 ' }],
  [{ text: 'x'.repeat(300) }, { text: 'x'.repeat(200) }],
  [{ state: 'failed' }, { status: 'failed' }],
  [{ state: 'active' }, { status: 'created,packaging,submitting,queued,running,unknown' }],
  [
    { backend: 'pai', notebook: 'a.ipynb' },
    { backend: 'pai', notebook: 'a.ipynb' }
  ],
  [{ tag: 'best', isStarred: true, text: 'iris' }, { text: 'star:yes tag:best iris' }],
  [{ sort: 'name' }, { sort: 'name', descending: false }],
  [{ sort: 'status' }, { sort: 'status', descending: false }],
  [{ sort: 'ended' }, { sort: 'ended', descending: true }]
])('of the server %j is asked for as %j', (wanted, selection) => {
  expect(toSelection({ ...NO_FILTER, ...wanted })).toMatchObject(selection);
});

it('offers each value once, and none for jobs that have none', () => {
  expect(filterOptions([...jobRows(3), jobRow('x', { notebook: null })], row => row.notebook)).toEqual([
    'work/iris.ipynb'
  ]);
  expect(filterOptions([jobRow('a', { tags: ['v2', 'v10'] }), jobRow('b')], row => row.tags ?? [])).toEqual([
    'v2',
    'v10'
  ]);
});
