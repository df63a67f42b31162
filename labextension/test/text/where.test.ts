import { describe, expect, it } from 'vitest';

import { whereOf } from '../../src/text/where.js';
import { translator } from '../../src/text/words.js';

describe('where a job runs', () => {
  it.each([
    ['process (no image is given)', 'Local process', 'no image is given'],
    ['process (as job j1ng-iris)', 'Local process · rerun of j1ng-iris', ''],
    ['emulator (ecs.c6.large is a type of PAI)', 'PAI emulator', 'ecs.c6.large is a type of PAI'],
    ['pai (asked for)', 'PAI', 'asked for'],
    ['docker', 'Docker', ''],
    ['my-cluster (asked for)', 'my-cluster (asked for)', ''],
    ['pai cn-hangzhou', 'pai cn-hangzhou', ''],
    ['constructor (x)', 'constructor (x)', ''],
    ['', '', '']
  ])('%j is said as %j', (place, title, reason) => {
    expect(whereOf(place, translator('en'))).toMatchObject({ title, reason });
  });

  it('is said in Chinese', () => {
    expect(whereOf('process (as job j1)', translator('zh')).title).toBe('本地进程 · 重新运行自 j1');
  });

  it.each([7, null, { a: 1 }])('is nothing where it is no text: %j', place => {
    expect(whereOf(place, translator('en')).reason).toBe('');
  });
});
