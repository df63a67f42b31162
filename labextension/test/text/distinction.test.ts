import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { distinctions } from '../../src/text/distinction.js';

interface Case {
  what: string;
  jobs: [name: string, values: string[]][];
  told: string[][];
}

const CASES = JSON.parse(
  readFileSync(new URL('../../../tests/data/distinction_cases.json', import.meta.url), 'utf-8')
) as Case[]; // what tests/jobs/test_distinction.py reads too

test.each(CASES)('$what: what differs within a name is told', ({ jobs, told }) => {
  expect(distinctions(jobs.map(([name, values]) => ({ name, values })))).toEqual(told);
});
