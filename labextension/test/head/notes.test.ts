import { expect, test } from 'vitest';

import { webAddress } from '../../src/head/notes.js';
import { readStatus } from '../../src/head/status.js';

test.each(['__proto__', 'constructor', '', 7, null])('a status like %j is as good as unknown', word => {
  expect(readStatus(word)).toBe('unknown');
  expect(readStatus('running')).toBe('running');
});

test.each([
  ['https://a.example/b?c', true],
  ['http://localhost:6006/', true],
  ['javascript:alert(1)', false],
  ['JaVaScRiPt:alert(1)', false],
  [' javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['file:///etc/passwd', false],
  ['/relative', false],
  ['', false]
])('only an address of the web is one: %s', (url, isOne) => expect(webAddress(url)).toBe(isOne ? url : null));
