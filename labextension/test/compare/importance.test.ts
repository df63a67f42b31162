import { describe, expect, it } from 'vitest';

import { importanceOf, rankCorrelation, type Trial } from '../../src/compare/importance.js';
import { scaleOf } from '../../src/compare/scales.js';
import type { Scalar } from '../../src/tokens.js';

function trial(values: Record<string, Scalar>, acc: number): Trial {
  return { name: 'x', values, metrics: { acc } };
}

describe('the rank correlation', () => {
  // as scipy.stats.spearmanr has them
  it.each<[[number, number][], number | null]>([
    [
      [
        [1, 10],
        [2, 20],
        [3, 30]
      ],
      1
    ],
    [
      [
        [1, 3],
        [2, 2],
        [3, 1]
      ],
      -1
    ],
    [
      [
        [1, 1],
        [2, 2],
        [2, 1],
        [4, 3]
      ],
      0.8333333333333334
    ],
    [
      [
        [1, 0.1],
        [2, 0.5],
        [3, 0.2],
        [4, 0.9],
        [5, 0.3]
      ],
      0.5
    ],
    [
      [
        [1, 1],
        [1, 2],
        [1, 3]
      ],
      null
    ]
  ])('of %j', (pairs, expected) => {
    const found = rankCorrelation(pairs);
    expect(found === null || expected === null ? found : Math.abs(found - expected) < 1e-12).toBe(
      expected === null ? null : true
    );
  });
});

describe('the importance', () => {
  it('puts the closest first, and leaves out what has no ranks', () => {
    const trials = [
      trial({ lr: 0.1, wide: true, depth: 4, opt: 'sgd', same: 1 }, 0.9),
      trial({ lr: 0.2, wide: true, depth: 2, opt: 'adam', same: 1 }, 0.8),
      trial({ lr: 0.3, wide: false, depth: 3, opt: 'sgd', same: 1 }, 0.7)
    ];
    const found = importanceOf(trials, 'acc').map(({ value, count }) => [value, count]);
    expect(found).toEqual([
      ['lr', 3],
      ['wide', 3],
      ['depth', 3]
    ]);
  });

  it('takes only jobs that have both, and needs three of them', () => {
    const trials = [trial({ lr: 1 }, 1), trial({ lr: 2 }, NaN), trial({}, 3), trial({ lr: 4 }, 4)];
    expect(importanceOf(trials, 'acc')).toEqual([]);
    expect(importanceOf([...trials, trial({ lr: 5 }, 5)], 'acc')).toEqual([{ value: 'lr', correlation: 1, count: 3 }]);
  });

  it('knows a value called "constructor" only where a job has it', () => {
    expect(importanceOf([trial({}, 1), trial({}, 2), trial({}, 3)], 'constructor')).toEqual([]);
  });
});

describe('an axis', () => {
  it('has numbers by their size, or by their logarithm where they are far apart', () => {
    expect(scaleOf('n', [1, 2, 3]).places).toEqual([0, 0.5, 1]);
    const wide = scaleOf('lr', [0.001, 0.01, 0.1]).places.map(place => Math.round(100 * (place ?? -1)));
    expect(wide).toEqual([0, 50, 100]);
  });

  it('has words at even distances, and no place for what is missing', () => {
    const { places, ticks } = scaleOf('opt', ['sgd', 'adam', undefined, true]);
    expect(places).toEqual([0.5, 0, null, 1]);
    expect(ticks).toEqual([
      [0, 'adam'],
      [0.5, 'sgd'],
      [1, 'True']
    ]);
    expect(scaleOf('acc', [NaN, 1, Infinity]).places).toEqual([null, 0.5, null]);
  });
});

it('writes only some of many words beside an axis', () => {
  const { places, ticks } = scaleOf(
    'name',
    Array.from({ length: 1_000 }, (_, at) => `run ${at}`)
  );
  expect(new Set(places).size).toBe(1_000);
  expect(ticks.length).toBeLessThanOrEqual(12);
  expect(ticks[0]).toEqual([0, 'run 0']);
});
