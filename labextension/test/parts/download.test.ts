// @vitest-environment jsdom
import { describe, expect, test } from 'vitest';

import { fetchFile, fetchLog, fileName, MAX_DOWNLOAD } from '../../src/parts/download.js';
import { fakeContext, FakeSource } from '../fakes.js';

async function text(blob: Blob | null): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsText(blob ?? new Blob());
  });
}

describe('a file', () => {
  test('comes whole, in pieces', async () => {
    const source = new FakeSource();
    const whole = '训'.repeat(1_000_000);
    source.files['model'] = { 'a.bin': whole };
    const parts: number[] = [];
    const blob = await fetchFile(fakeContext(source), 'model', 'a.bin', 3_000_000, part => parts.push(part) > 0);
    expect(await text(blob)).toBe(whole);
    expect(parts).toHaveLength(3);
    expect(parts.at(-1)).toBe(1);
  });

  test('that is too large is refused before anything is asked', async () => {
    const source = new FakeSource();
    const fetching = fetchFile(fakeContext(source), 'model', 'a.bin', MAX_DOWNLOAD + 1, () => true);
    await expect(fetching).rejects.toThrow(/^Too large .*the limit is 256 MB/);
    expect(source.heard).toEqual([]);
  });

  test('that has become shorter ends', async () => {
    const source = new FakeSource();
    source.files['model'] = { 'a.bin': 'abc' };
    expect(await text(await fetchFile(fakeContext(source), 'model', 'a.bin', 9, () => true))).toBe('abc');
  });

  test('is given up when nobody wants it any more', async () => {
    const source = new FakeSource();
    source.files['model'] = { 'a.bin': 'x'.repeat(3_000_000) };
    expect(await fetchFile(fakeContext(source), 'model', 'a.bin', 3_000_000, () => false)).toBeNull();
    expect(source.count('files')).toBe(1);
  });
});

test('a log comes whole, clipped lines too', async () => {
  const source = new FakeSource();
  source.logs['worker-0'] = Array.from({ length: 12_000 }, (_, at) => `line ${at}`);
  source.answers.lines = asked => {
    const { start, stop: wanted } = asked as { start: number; stop: number };
    const stop = Math.min(wanted, start + 1_700); // an answer may hold fewer lines than were asked for
    const lines = (source.logs['worker-0'] ?? []).slice(start, stop);
    const isClipped = start <= 7_000 && 7_000 < stop && stop - start > 1;
    const clipped = isClipped ? { [7_000 - start]: 9 } : {};
    if (isClipped) {
      lines[7_000 - start] = 'li…';
    }
    return { ok: { replica: 'worker-0', start, lines, times: [], clipped, count: 12_000, finished: 12_000 } };
  };
  const context = fakeContext(source);
  source.snapshot();
  const lines = (await text(await fetchLog(context, 'worker-0'))).split('\n');
  expect(lines).toHaveLength(12_001);
  expect(lines[7_000]).toBe('line 7000');
  expect(lines.at(-2)).toBe('line 11999');
});

test.each([
  ['model.pt', 'model.pt'],
  ['../../etc/passwd', '..-..-etc-passwd'],
  ['训练 1\n.txt', '训练-1-.txt'],
  ['', 'download']
])('the file name for %j is %j', (name, safe) => expect(fileName(name)).toBe(safe));
