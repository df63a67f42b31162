import { describe, expect, test } from 'vitest';

import { frameAddress } from '../../src/panes/tensorboard.js';

describe('a frame', () => {
  const origin = 'https://hub.example';
  Object.assign(globalThis, { document: { baseURI: `${origin}/user/me/lab` }, location: { origin } });

  test.each([
    ['/user/me/proxy/6006/', true],
    ['https://hub.example/proxy/6006/', true],
    ['http://localhost:6006/', true],
    ['http://127.0.0.1:6006/', true],
    ['http://[::1]:6006/', true],
    ['https://evil.example/', false],
    ['//evil.example/', false],
    ['http://localhost.evil.example/', false],
    ['http://127.0.0.1.evil.example/', false],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['blob:https://hub.example/1', false],
    ['', false]
  ])('shows only this server and this machine: %s', (url, isShown) => {
    expect(frameAddress(url)).toBe(isShown ? url : null);
  });
});
