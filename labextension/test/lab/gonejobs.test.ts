/** A job is deleted while a comparison shows it. */

import { expect, it } from 'vitest';

import { watchGone } from '../../src/lab/gonejobs.js';
import type { JobSource } from '../../src/tokens.js';
import { FakeList, jobRow } from '../panel/rows.js';

it('is asked for once more, so that its source says that there is none; the others are left alone', () => {
  const asked: string[] = [];
  const source = (job: string): Pick<JobSource, 'job' | 'request'> => ({
    job,
    request: () => {
      asked.push(job);
      return Promise.reject(new Error('There is no job.'));
    }
  });
  const list = new FakeList();
  const leave = watchGone(list, [source('a'), source('b'), source('elsewhere')]);
  list.set(jobRow('a'), jobRow('b'));
  list.tell();
  expect(asked).toEqual([]);
  list.set(jobRow('a'));
  list.tell();
  list.tell();
  expect(asked).toEqual(['b']);
  leave();
  expect(list.listenerCount).toBe(0);
});
