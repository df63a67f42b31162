import { describe, expect, it, test } from 'vitest';

import { csv, type Line, type ChartSettings, plotOf, readLine, smoothed } from '../../src/charts/series.js';
import type { Series } from '../../src/tokens.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const LOOK: ChartSettings = { axis: 'step', isLog: false, smoothing: 0, origin: 0 };

type Point = [step: number, time: number, value: number];

function buffer(points: Point[]): ArrayBuffer {
  const columns = [0, 1, 2].flatMap(column => points.map(point => point[column] ?? nan));
  return Float64Array.from(columns).buffer;
}

function line(points: Point[], changes: Partial<Series> = {}): Line {
  const series: Series = {
    name: 'loss',
    replica: 'worker-0',
    source: 'log',
    unit: '',
    length: points.length,
    count: points.length,
    ...changes
  };
  return readLine(series, buffer(points));
}

/** Values at the steps 0, 1, 2, ... */
function values(...all: number[]): Line {
  return line(all.map((value, index): Point => [index, 100 + index, value]));
}

describe('a line out of its buffer', () => {
  it('has steps, times and values in their order', () => {
    const read = line([
      [1, 100, 0.5],
      [2, 101, 0.25]
    ]);
    expect([[...read.steps], [...read.times], [...read.values]]).toEqual([
      [1, 2],
      [100, 101],
      [0.5, 0.25]
    ]);
  });

  it.each([
    ['none', undefined],
    ['an empty one', new ArrayBuffer(0)],
    ['one that is cut', new ArrayBuffer(40)]
  ])('has no points where the buffer is %s', (_, short) => {
    const series: Series = { name: 'a', replica: 'r', source: 'log', unit: '', length: 2, count: 9 };
    const read = readLine(series, short);
    expect([read.length, read.values.length, read.count]).toEqual([0, 0, 9]);
  });

  it('has another key than every other line, whatever the names are', () => {
    const names: [string, string][] = [
      ['a', 'b'],
      ['a","b', ''],
      ['', 'a,b'],
      ['ab', '']
    ];
    const keys = names.flatMap(([name, replica]) => {
      return (['log', 'tensorboard'] as const).map(source => line([], { name, replica, source }).key);
    });
    expect(new Set(keys).size).toBe(8);
  });
});

test.each([
  [[3, 1, 2], { last: 2, min: 1, max: 3, odd: 0 }],
  [[3, nan, inf], { last: inf, min: 3, max: 3, odd: 2 }],
  [[nan], { last: nan, min: nan, max: nan, odd: 1 }],
  [[], { last: nan, min: nan, max: nan, odd: 0 }]
])('statistics of %j', (all, expected) => {
  expect(values(...all)).toMatchObject(expected);
});

test.each([
  // 1; (0.5 * 1 * 0.5 + 3 * 0.5) / (1 - 0.25) = 1.75 / 0.75; (1.75 * 0.5 + 5 * 0.5) / (1 - 0.125)
  [[1, 3, 5], 0.5, [1, 1.75 / 0.75, 3.375 / 0.875]],
  [[1, 3], 0.9, [1, (0.1 * 0.9 + 0.3) / 0.19]],
  [[1, nan, 3], 0.5, [1, nan, 1.75 / 0.75]],
  [[nan, inf, 4, 8], 0.5, [nan, inf, 4, 5 / 0.75]],
  [[0.1, 0.1, 0.1], 0.99, [0.1, 0.1, 0.1]],
  [[7], 0.99, [7]],
  [[1, 3, 5], 0, [1, 3, 5]],
  [[nan, nan], 0.5, [nan, nan]],
  [[], 0.5, []]
])('smoothing of %j with %d', (raw, weight, expected) => {
  const found = smoothed(raw, weight);
  expect(found).toHaveLength(expected.length);
  found.forEach((value, index) => {
    const wanted = expected[index] ?? 0;
    expect(Number.isFinite(wanted) ? Math.abs(value - wanted) < 1e-12 : Object.is(value, wanted)).toBe(true);
  });
});

describe('a plot over steps', () => {
  test.each<[string, Point[], number[], (number | null)[]]>([
    [
      'as they come',
      [
        [1, 0, 10],
        [2, 1, 20]
      ],
      [1, 2],
      [10, 20]
    ],
    [
      'without those done again',
      [
        [1, 0, 1],
        [2, 1, 2],
        [3, 2, 3],
        [2, 9, 21],
        [3, 10, 31]
      ],
      [1, 2, 3],
      [1, 21, 31]
    ],
    [
      'without a try that went further',
      [
        [1, 0, 1],
        [5, 1, 5],
        [3, 2, 3]
      ],
      [1, 3],
      [1, 3]
    ],
    [
      'the last value of a step',
      [
        [1, 0, 1],
        [1, 1, 2],
        [1, 2, 3]
      ],
      [1],
      [3]
    ],
    [
      'without points that have no step',
      [
        [1, 0, 1],
        [nan, 1, 2],
        [inf, 2, 2],
        [-inf, 2, 2],
        [3, 3, 3]
      ],
      [1, 3],
      [1, 3]
    ],
    ['nothing', [], [], []]
  ])('has the points %s', (_, points, x, raw) => {
    const plot = plotOf([line(points)], LOOK);
    expect([plot.x, plot.raw]).toEqual([x, [raw]]);
  });
});

describe('a plot over time', () => {
  test.each<[string, Point[], number[], (number | null)[]]>([
    [
      'from the origin on',
      [
        [1, 100, 10],
        [2, 103, 20]
      ],
      [0, 3],
      [10, 20]
    ],
    [
      'by time',
      [
        [1, 103, 10],
        [2, 101, 20]
      ],
      [1, 3],
      [20, 10]
    ],
    [
      'also those of the same moment',
      [
        [1, 101, 1],
        [2, 101, 2],
        [3, 101, 3]
      ],
      [1, 1, 1],
      [1, 2, 3]
    ],
    [
      'also of steps that were done again',
      [
        [1, 101, 1],
        [2, 102, 2],
        [1, 103, 3]
      ],
      [1, 2, 3],
      [1, 2, 3]
    ],
    [
      'without those that have no time',
      [
        [1, nan, 1],
        [2, 101, 2]
      ],
      [1],
      [2]
    ]
  ])('has the points %s', (_, points, x, raw) => {
    const plot = plotOf([line(points)], { ...LOOK, axis: 'time', origin: 100 });
    expect([plot.x, plot.raw]).toEqual([x, [raw]]);
  });
});

describe('several lines in one plot', () => {
  const two = (one: Point[], other: Point[], look = LOOK) => plotOf([line(one), line(other)], look);

  it('share the x that both have, and go through the others', () => {
    const plot = two(
      [
        [1, 0, 10],
        [3, 0, 30]
      ],
      [
        [1, 0, 11],
        [2, 0, 21],
        [3, 0, 31]
      ]
    );
    expect([plot.x, plot.raw]).toEqual([
      [1, 2, 3],
      [
        [10, undefined, 30],
        [11, 21, 31]
      ]
    ]);
  });

  it('have gaps as wide as up to their own neighbours', () => {
    const plot = two(
      [
        [0, 0, 1],
        [2, 0, nan],
        [4, 0, 1]
      ],
      [
        [0, 0, 5],
        [1, 0, 5],
        [2, 0, 5],
        [3, 0, 5],
        [4, 0, 5]
      ]
    );
    expect(plot.raw[0]).toEqual([1, null, null, null, 1]);
  });

  it('keep twins of one moment apart', () => {
    const plot = two(
      [
        [1, 5, 1],
        [2, 5, 2]
      ],
      [[1, 5, 9]],
      { ...LOOK, axis: 'time' }
    );
    expect([plot.x, plot.raw]).toEqual([
      [5, 5],
      [
        [1, 2],
        [9, undefined]
      ]
    ]);
  });

  it('are no lines at all where there are none', () => {
    expect(plotOf([], LOOK)).toEqual({ x: [], raw: [], smooth: null, isLog: false });
  });
});

describe('what no scale can hold', () => {
  test.each([
    ['nan', false, [1, nan, 2], [1, null, 2]],
    ['infinities', false, [inf, 1, -inf], [null, 1, null]],
    ['what is out of all proportion', false, [1e300, 1, -1e300], [null, 1, null]],
    ['zero and less on a log scale', true, [1, 0, -1, 10], [1, null, null, 10]]
  ])('%s is a gap', (_, isLog, all, expected) => {
    expect(plotOf([values(...all)], { ...LOOK, isLog }).raw).toEqual([expected]);
  });

  it('leaves a linear scale where a log scale would show nothing', () => {
    const plot = plotOf([values(-1, 0, nan, inf)], { ...LOOK, isLog: true });
    expect([plot.isLog, plot.raw]).toEqual([false, [[-1, 0, null, null]]]);
  });
});

it('smooths over what is drawn, with the raw line beside it', () => {
  const plot = plotOf(
    [
      line([
        [1, 0, 9],
        [1, 1, 1],
        [2, 2, nan],
        [3, 3, 3]
      ])
    ],
    { ...LOOK, smoothing: 0.5 }
  );
  expect([plot.raw, plot.smooth]).toEqual([[[1, null, 3]], [[1, null, 1.75 / 0.75]]]);
});

describe('CSV', () => {
  it('has all points of all lines as they came', () => {
    const one = line([
      [1, 100.5, 0.25],
      [1, 101, nan]
    ]);
    const other = line(
      [
        [nan, 102, -inf],
        [2, 103, inf]
      ],
      { replica: 'chief-0' }
    );
    expect(csv([one, other]).split('\r\n')).toEqual([
      'name,replica,step,time,value',
      'loss,worker-0,1,100.5,0.25',
      'loss,worker-0,1,101,nan',
      'loss,chief-0,nan,102,-inf',
      'loss,chief-0,2,103,inf',
      ''
    ]);
  });

  test.each([
    ['a b', 'a b'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    ['训练', '训练'],
    ['', ''],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"']
  ])('has the name %j as the cell %j', (name, cell) => {
    expect(csv([line([[1, 2, 3]], { name })])).toBe(`name,replica,step,time,value\r\n${cell},worker-0,1,2,3\r\n`);
  });
});
