import { describe, expect, it } from 'vitest';

import { readLine } from '../../src/charts/series.js';
import {
  asX,
  chartsJson,
  chartTitle,
  type CustomChart,
  linesOf,
  metricOf,
  readCharts
} from '../../src/compare/customcharts.js';
import { panelSay } from '../../src/panel/translation.js';
import { given } from '../charts/stage.js';

const say = panelSay('en');
const CHART: CustomChart = { title: 'Loss', x: 'step', y: ['loss'], smoothing: 0.5, log: true };

describe('charts as JSON', () => {
  it('come back as they were', () => {
    expect(readCharts(chartsJson([CHART]), say)).toEqual([CHART]);
  });

  it('may be one alone, with what is usual left out', () => {
    expect(readCharts('{"y": ["a", "b", "a"]}', say)).toEqual([
      { title: '', x: 'step', y: ['a', 'b'], smoothing: 0, log: false }
    ]);
  });

  it.each([
    ['', 'This is not JSON.'],
    ['{"y": []}', 'Chart 1: y'],
    ['[{"y": ["a"]}, 7]', 'Chart 2: y'],
    ['{"y": ["a"], "x": ""}', 'Chart 1: x'],
    ['{"y": ["a"], "x": 3}', 'Chart 1: x'],
    ['{"y": ["a"], "smoothing": 1}', 'Chart 1: smoothing'],
    ['{"y": ["a"], "log": "yes"}', 'Chart 1: log'],
    [`{"y": ["a"], "title": "${'x'.repeat(201)}"}`, 'Chart 1: title'],
    [JSON.stringify(Array.from({ length: 51 }, () => CHART)), 'more than 50']
  ])('%s are refused with a sentence', (text, sentence) => {
    expect(() => readCharts(text, say)).toThrow(sentence);
  });
});

describe('what lies on the x axis', () => {
  it('may be a metric of any name', () => {
    expect(['step', 'time', 'tokens', asX('step'), asX('metric:x')].map(metricOf)).toEqual([
      null,
      null,
      'tokens',
      'step',
      'metric:x'
    ]);
    expect(chartTitle({ ...CHART, title: '', x: 'tokens' })).toBe('loss / tokens');
  });

  it('is taken from the same job at the same step', () => {
    const lines = ['worker-0', 'worker-1'].flatMap((replica, at) =>
      [given('loss', [3, 2, 1], { replica }), given('tokens', [10 + at, NaN, 5 + at], { replica })].map(
        ({ series, buffer }) => readLine(series, buffer)
      )
    );
    const found = linesOf({ ...CHART, x: 'tokens' }, lines, line => line.replica);
    expect(found.map(({ steps, values, length }) => [[...steps], [...values], length])).toEqual([
      [[5, 10], [1, 3], 2],
      [[6, 11], [1, 3], 2]
    ]);
    expect(linesOf({ ...CHART, x: 'none' }, lines, line => line.replica)).toEqual([]);
  });
});
