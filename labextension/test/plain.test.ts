import { describe, expect, test } from 'vitest';
import { bytes, clock, duration, moment } from '../src/format.js';
import { errorText } from '../src/loading.js';
import { webAddress } from '../src/notes.js';
import { frameAddress } from '../src/panes/board.js';
import { ordered } from '../src/panes/preview.js';
import { block, plain } from '../src/plain.js';
import { readStatus } from '../src/status.js';

describe('plain', () => {
  test.each([
    ['iris', 'iris'],
    ['\x1b[31mred\x1b[0m', 'red'],
    ['\x1b]0;title\x07name', 'name'],
    ['\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['two\nlines\tand a tab', 'two lines and a tab'],
    ['evil\u202etxt.exe', 'evil txt.exe'],
    ['bell\x07 nul\x00 c1\x9b', 'bell  nul  c1 '],
    ['<img onerror=x>', '<img onerror=x>'],
    [0.5, '0.5'],
    [false, 'false'],
    [null, ''],
    [{ toString: () => 'sly' }, ''],
    [['a'], '']
  ])('makes %j fit to read', (value, text) => {
    expect(plain(value)).toBe(text);
  });

  test('a long text ends in an ellipsis', () => {
    expect(plain('x'.repeat(10_000_000), 5)).toBe('xxxx…');
  });

  test('a block keeps its lines and tabs', () => {
    expect(block('a\r\n\tb\x1b[1m')).toBe('a\n\tb');
  });
});

test.each([[0, '00:00'], [192.9, '03:12'], [3_723, '1:02:03'], [-5, '00:00'], [NaN, '00:00']])(
  'a stop-watch shows %d s as %s', (seconds, text) => expect(clock(seconds)).toBe(text)
);

test.each([[8.4, '8s'], [143, '2m23s'], [3_720, '1h02m'], [59.6, '1m00s']])(
  '%d s took %s', (seconds, text) => expect(duration(seconds)).toBe(text)
);

test.each([
  [0, '0 B'], [512, '512 B'], [1_023.7, '1 KB'], [1_536, '1.5 KB'], [34_816, '34 KB'], [5 * 1_024 ** 3, '5 GB'],
  [1e18, '909495 TB'], [NaN, '0 B']
])('%d bytes are %s', (size, text) => expect(bytes(size)).toBe(text));

test('a moment that is none says nothing', () => {
  expect(moment(NaN)).toBe('');
  expect(moment(1_000)).toMatch(/^1970-01-01 \d\d:16$|^1969-12-31 \d\d:16$|^1970-01-01 \d\d:46$/);
});

test.each(['__proto__', 'constructor', '', 7, null])('a status like %j is as good as unknown', word => {
  expect(readStatus(word)).toBe('unknown');
  expect(readStatus('running')).toBe('running');
});

test.each([
  ['https://a.example/b?c', true], ['http://localhost:6006/', true], ['javascript:alert(1)', false],
  ['JaVaScRiPt:alert(1)', false], [' javascript:alert(1)', false], ['data:text/html,x', false],
  ['file:///etc/passwd', false], ['/relative', false], ['', false]
])('only an address of the web is one: %s', (url, isOne) => expect(webAddress(url)).toBe(isOne ? url : null));

test.each([
  ['{"a":[1,{"b":null}]}', '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ]\n}'],
  ['{"c":{},"d":[ ]}', '{\n  "c": {},\n  "d": []\n}'],
  ['12345678901234567890', '12345678901234567890'],
  ['{"s":"[ ] , : \\" {}"}', '{\n  "s": "[ ] , : \\" {}"\n}'],
  ['{"broken":', '{"broken":'],
  ['"训练"', '"训练"']
])('JSON is set in order: %s', (text, set) => expect(ordered(text)).toBe(set));

test.each([
  [new Error('Docker does not answer.'), 'Docker does not answer.'],
  [Object.assign(new Error('No place.'), { hint: 'Try later.' }), 'No place. Try later.'],
  ['\x1b[31mtext', 'text'],
  [undefined, '']
])('an error says its sentence: %s', (error, text) => expect(errorText(error)).toBe(text));

describe('a frame', () => {
  const origin = 'https://hub.example';
  Object.assign(globalThis, { document: { baseURI: `${origin}/user/me/lab` }, location: { origin } });

  test.each([
    ['/user/me/proxy/6006/', true], ['https://hub.example/proxy/6006/', true], ['http://localhost:6006/', true],
    ['http://127.0.0.1:6006/', true], ['http://[::1]:6006/', true], ['https://evil.example/', false],
    ['//evil.example/', false], ['http://localhost.evil.example/', false], ['http://127.0.0.1.evil.example/', false],
    ['javascript:alert(1)', false], ['data:text/html,x', false], ['blob:https://hub.example/1', false], ['', false]
  ])('shows only this server and this machine: %s', (url, isShown) => {
    expect(frameAddress(url)).toBe(isShown ? url : null);
  });
});
