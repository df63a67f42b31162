import { describe, expect, test } from 'vitest';

import { bytes, clock, duration, formatNumber, formatValue, moment, stopwatch } from '../../src/text/format.js';

test.each([
  [0, '00:00'],
  [192.9, '03:12'],
  [3_723, '1:02:03'],
  [-5, '00:00'],
  [NaN, '00:00']
])('a stop-watch shows %d s as %s', (seconds, text) => expect(clock(seconds)).toBe(text));

test.each([
  [8.4, '8s'],
  [143, '2m23s'],
  [3_720, '1h02m'],
  [59.6, '59s']
])('%d s took %s', (seconds, text) => expect(duration(seconds)).toBe(text));

test.each([
  [0, '0 B'],
  [512, '512 B'],
  [1_023.7, '1 KB'],
  [1_536, '1.5 KB'],
  [34_816, '34 KB'],
  [5 * 1_024 ** 3, '5 GB'],
  [1e18, '909495 TB'],
  [NaN, '0 B']
])('%d bytes are %s', (size, text) => expect(bytes(size)).toBe(text));

test('a moment that is none says nothing', () => {
  expect(moment(NaN)).toBe('');
  expect(moment(1_000)).toMatch(/^1970-01-01 \d\d:16$|^1969-12-31 \d\d:16$|^1970-01-01 \d\d:46$/);
});

describe('numbers as people read them', () => {
  test.each([
    [0, '0'],
    [0.5, '0.5'],
    [1 / 3, '0.3333'],
    [123_456, '123456'],
    [-2.5, '-2.5'],
    [1e6, '1e6'],
    [1.5e-7, '1.5e-7'],
    [4.673e9, '4.673e9'],
    [1e17, '1e17'],
    [0.0001, '0.0001']
  ])('%d is %s', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });

  test.each([
    [0, 'B', '0 B'],
    [512, 'B', '512 B'],
    [1_536, 'B', '1.5 KB'],
    [3 * 2 ** 30, 'B', '3 GB'],
    [2 ** 70, 'B', '1.074e9 TB'],
    [0.25, 'ratio', '25 %'],
    [1.5, 'cores', '1.5'],
    [2, 's', '2 s'],
    [NaN, 'B', 'nan'],
    [Infinity, '', 'inf'],
    [-Infinity, 'ratio', '-inf']
  ])('%d in "%s" is %s', (value, unit, text) => {
    expect(formatValue(value, unit)).toBe(text);
  });

  test.each([
    [0, '00:00'],
    [65.4, '01:05'],
    [3_600, '1:00:00'],
    [-5, '-00:05']
  ])('%d s are %s', (seconds, text) => {
    expect(stopwatch(seconds)).toBe(text);
  });
});
