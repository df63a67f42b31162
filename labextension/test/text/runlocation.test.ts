import { describe, expect, it } from 'vitest';

import { readRunLocation } from '../../src/text/runlocation.js';
import { translator } from '../../src/text/translation.js';

describe('where a job runs', () => {
  it.each([
    ['process (no image is given)', 'Local process', 'no image is given'],
    ['process (as job j1ng-iris)', 'Local process · rerun of j1ng-iris', ''],
    ['emulator (ecs.c6.large is a type of PAI)', 'PAI emulator', 'ecs.c6.large is a type of PAI'],
    ['pai (asked for)', 'PAI', 'asked for'],
    ['docker', 'Docker', ''],
    ['process (no image is given) · local ×1', 'Local process', 'no image is given'],
    ['my-cluster (asked for)', 'my-cluster (asked for)', ''],
    ['my-cluster (as job j1ng)', 'my-cluster · rerun of j1ng', ''],
    ['pai cn-hangzhou', 'pai cn-hangzhou', ''],
    ['constructor (x)', 'constructor (x)', ''],
    ['', '', '']
  ])('%j is said as %j', (place, title, reason) => {
    expect(readRunLocation(place, translator('en'))).toMatchObject({ title, reason });
  });

  it('has the title of a backend that others have made', () => {
    expect(readRunLocation('farm (asked for)', translator('en'), 'Render farm')).toMatchObject({
      backend: 'Render farm',
      title: 'Render farm',
      reason: 'asked for'
    });
    expect(readRunLocation('cn-hangzhou 1', translator('en'), 'Render farm').title).toBe('cn-hangzhou 1');
    expect(readRunLocation('docker (asked for)', translator('en'), 'Render farm').title).toBe('Docker');
  });

  it('is said in Chinese', () => {
    expect(readRunLocation('process (as job j1)', translator('zh')).title).toBe('本地进程 · 基于 j1 重新运行');
  });

  it.each([
    ['process (no image is given)', '没有给出镜像'],
    ['pai (ecs.c6.large is a type of PAI)', 'ecs.c6.large 是 PAI 的实例类型'],
    ['docker (set in notebook)', '在 notebook 中设置'],
    ['docker (something else)', 'something else']
  ])('says why in Chinese: %j', (place, reason) => {
    expect(readRunLocation(place, translator('zh')).reason).toBe(reason);
  });

  it('keeps the machines that a saved notebook has behind it', () => {
    expect(readRunLocation('docker (asked for) · local ×1', translator('en')).machines).toBe('local ×1');
  });

  it.each([7, null, { a: 1 }])('is nothing where it is no text: %j', place => {
    expect(readRunLocation(place, translator('en')).reason).toBe('');
  });
});
