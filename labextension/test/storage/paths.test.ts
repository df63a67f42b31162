import { expect, test } from 'vitest';

import { childOf, listNames, nameError, pathSteps } from '../../src/storage/paths.js';
import { translator } from '../../src/text/translation.js';

test.each<[string, [string, string][]]>([
  ['', []],
  ['oss://b/', [['oss://b', 'oss://b/']]],
  [
    'oss://b/x/训 练/',
    [
      ['oss://b', 'oss://b/'],
      ['x', 'oss://b/x/'],
      ['训 练', 'oss://b/x/训 练/']
    ]
  ],
  [
    'oss://b/a//c/',
    [
      ['oss://b', 'oss://b/'],
      ['a', 'oss://b/a/'],
      ['/', 'oss://b/a//'],
      ['c', 'oss://b/a//c/']
    ]
  ],
  [
    'oss://b/a:b/',
    [
      ['oss://b', 'oss://b/'],
      ['a:b', 'oss://b/a:b/']
    ]
  ],
  ['job:', [['job:', 'job:']]],
  [
    'job:j1/model/',
    [
      ['job:', 'job:'],
      ['j1', 'job:j1/'],
      ['model', 'job:j1/model/']
    ]
  ],
  [
    'job:j1/m/50%25/%FF/',
    [
      ['job:', 'job:'],
      ['j1', 'job:j1/'],
      ['m', 'job:j1/m/'],
      ['50%', 'job:j1/m/50%25/'],
      ['%FF', 'job:j1/m/50%25/%FF/']
    ]
  ],
  [
    'hdfs://host:8020/user/',
    [
      ['hdfs://host:8020', 'hdfs://host:8020/'],
      ['user', 'hdfs://host:8020/user/']
    ]
  ]
])('the way to %j is %j', (uri, places) => {
  expect(pathSteps(uri).map(place => [place.label, place.uri])).toEqual(places);
});

test.each([
  ['oss://b/', 'oss://b/a.txt', 'oss://b/a.txt'],
  ['oss://b/', 'oss://b/sub/', 'oss://b/sub/'],
  ['oss://b/', 'oss://b/sub/a.txt', 'oss://b/sub/'],
  ['oss://b/', 'oss://b/sub/deep/a.txt', 'oss://b/sub/'],
  ['oss://b/', 'oss://b/', undefined],
  ['oss://b/', 'oss://c/a.txt', undefined],
  ['oss://b/x/', 'oss://b/a.txt', undefined]
])('in %j there is for %j: %j', (directory, uri, there) => {
  const entry = { name: '', uri, is_directory: uri.endsWith('/'), size: 0, modified: null };
  const found = childOf(directory, entry);
  expect([found?.uri, found?.is_directory]).toEqual([there, there?.endsWith('/')]);
});

test.each([
  ['a b', ''],
  ['训练.txt', ''],
  ['...', ''],
  ['', 'Type a name.'],
  ['.', /^A name/],
  ['..', /^A name/],
  ['a/b', /^A name/],
  ['a\\b', /^A name/],
  ['a\nb', /^A name/],
  ['训'.repeat(85), ''],
  ['训'.repeat(86), /too long/]
])('the mistake in the name %j is %j', (name, mistake) => {
  expect(nameError(name)).toEqual(mistake === '' ? '' : expect.stringMatching(mistake));
});

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b', 'c'], 'a, b, c'],
  [['a', 'b', 'c', 'd', 'e'], 'a, b, c and 2 more'],
  [['x\u202ey\n'], 'x y ']
])('of %j is said %j', (names, text) => expect(listNames(translator('en'), names)).toBe(text));
