import { describe, expect, it } from 'vitest';

import { LogRows } from '../../src/logs/logrows.js';
import { LineCache, type LineWindow, PAGE, type LineRange } from '../../src/logs/linecache.js';

/** Lines [start, stop) of a log with `count` lines, as a push or an answer brings them. */
function lines(start: number, stop: number, count = stop, finished = count, name = 'line'): LineWindow {
  const numbers = Array.from({ length: Math.max(0, stop - start) }, (_, index) => start + index);
  return { start, lines: numbers.map(n => `${name} ${n}`), times: numbers, clipped: {}, count, finished };
}

function text(cache: LineCache, number: number): string | undefined {
  return cache.get(number)?.text;
}

function held(cache: LineCache, stop: number): number[] {
  return Array.from({ length: stop }, (_, number) => number).filter(number => cache.get(number) !== undefined);
}

describe('what is pushed', () => {
  it('is there to be read, with its time', () => {
    const cache = new LineCache();
    cache.take(lines(0, 3));
    expect([cache.count, cache.finished, cache.get(2)]).toEqual([3, 3, { text: 'line 2', time: 2, length: 6 }]);
  });

  it('may overlap what is there', () => {
    const cache = new LineCache();
    cache.take(lines(0, 10));
    cache.take(lines(8, 12));
    expect(held(cache, 20)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('may skip ahead, which leaves a hole that is asked for when it is looked at', () => {
    const cache = new LineCache();
    cache.take(lines(0, 10));
    cache.take(lines(1_000, 1_010));
    expect(cache.next()).toBeNull();
    cache.want(5, 15);
    expect(cache.next()).toEqual({ start: 10, stop: PAGE });
  });

  it('replaces an unfinished line as it grows', () => {
    const cache = new LineCache();
    cache.take({ ...lines(0, 3, 3, 2), lines: ['a', 'b', '10%'] });
    cache.take({ ...lines(2, 3, 3, 2), lines: ['20%'] });
    expect(text(cache, 2)).toBe('20%');
    cache.take({ ...lines(2, 4, 4, 3), lines: ['100%', 'next'] });
    expect([text(cache, 2), text(cache, 3)]).toEqual(['100%', 'next']);
  });

  it('never changes a finished line, whose object stays the same', () => {
    const cache = new LineCache();
    cache.take(lines(0, 3));
    const before = cache.get(1);
    cache.take(lines(0, 3, 3, 3, 'other'));
    expect(cache.get(1)).toBe(before);
  });

  it('drops an unfinished line when the log has gone on without it', () => {
    const cache = new LineCache();
    cache.take({ ...lines(0, 3, 3, 2), lines: ['a', 'b', '10%'] });
    cache.take(lines(5_000, 5_010));
    expect([text(cache, 1), text(cache, 2)]).toEqual(['b', undefined]);
  });

  it('is clipped where it came whole, not within a letter', () => {
    const cache = new LineCache();
    const long = `${'x'.repeat(999)}😀${'y'.repeat(50)}`;
    cache.take({ ...lines(0, 1), lines: [long], clipped: {} });
    expect(cache.get(0)).toEqual({ text: 'x'.repeat(999), time: 0, length: long.length });
  });

  it('says how long a clipped line is', () => {
    const cache = new LineCache();
    cache.take({ ...lines(0, 2), lines: ['a', 'x'.repeat(1_000)], clipped: { 1: 51_200 } });
    expect([cache.get(0)?.length, cache.get(1)?.length]).toEqual([1, 51_200]);
  });
});

describe('what is asked for', () => {
  it.each<[string, number, [number, number], LineRange[]]>([
    ['nothing of an empty log', 0, [0, 50], []],
    ['the page that is looked at', 10_000, [1_010, 1_040], [{ start: 1_000, stop: 1_200 }]],
    ['both pages where the view lies across them', 10_000, [1_190, 1_230], [{ start: 1_000, stop: 1_400 }]],
    ['nothing behind the end', 1_050, [1_040, 1_090], [{ start: 1_000, stop: 1_050 }]],
    ['what lies before it in its page, and the page behind', 1_001, [990, 1_001], [{ start: 800, stop: 1_001 }]],
    [
      'no more than five pages at once, and the rest beside it',
      10_000,
      [0, 1_200],
      [
        { start: 0, stop: 1_000 },
        { start: 1_000, stop: 1_200 }
      ]
    ],
    [
      'not more than two at a time',
      10_000,
      [0, 9_000],
      [
        { start: 0, stop: 1_000 },
        { start: 1_000, stop: 2_000 }
      ]
    ]
  ])('is %s', (_, count, [start, stop], asked) => {
    const cache = new LineCache();
    cache.take(lines(0, 0, count));
    cache.want(start, stop);
    expect(asksOf(cache)).toEqual(asked);
  });

  it('is two lines at least, since a single one would come whole', () => {
    const cache = new LineCache();
    cache.take(lines(0, 200, 201));
    cache.want(190, 201);
    expect(asksOf(cache)).toEqual([{ start: 199, stop: 201 }]);
  });

  it('is not asked for again while it is under way, nor when it is here', () => {
    const cache = emptyLog(1_000);
    cache.want(0, 50);
    const asked = cache.next();
    expect(cache.next()).toBeNull();
    cache.answer(asked as LineRange, lines(0, 200, 1_000));
    cache.want(100, 150);
    expect(cache.next()).toBeNull();
  });

  it('is asked for again where the answer was shorter', () => {
    const cache = emptyLog(1_000);
    cache.want(0, 200);
    cache.answer(cache.next() as LineRange, lines(0, 60, 1_000));
    expect(cache.next()).toEqual({ start: 60, stop: 200 });
  });

  it('is not asked for again at once where the answer brought nothing', () => {
    const cache = emptyLog(1_000);
    cache.want(0, 200);
    cache.answer(cache.next() as LineRange, lines(0, 0, 1_000));
    expect(cache.next()).toBeNull();
    cache.want(0, 201);
    expect(cache.next()).not.toBeNull();
  });

  it('goes on where a push was faster than the answer', () => {
    const cache = emptyLog(10_000);
    cache.want(0, 1_200);
    const [first, second] = asksOf(cache);
    cache.take(lines(0, 1_000, 10_000));
    cache.answer(second as LineRange, lines(1_000, 1_100, 10_000));
    cache.answer(first as LineRange, lines(0, 1_000, 10_000));
    expect(cache.next()).toEqual({ start: 1_100, stop: 1_200 });
  });

  it('is asked for again after a failure when that is wanted', () => {
    const cache = emptyLog(1_000);
    cache.want(0, 10);
    cache.fail(cache.next() as LineRange);
    expect(cache.next()).toBeNull();
    cache.retry();
    expect(cache.next()).toEqual({ start: 0, stop: 200 });
  });

  it('forgets what a fast scroll has passed by', () => {
    const cache = emptyLog(1_000_000);
    const asked: LineRange[] = [];
    for (let top = 0; top < 1_000_000; top += 10_000) {
      cache.want(top, top + 50);
      const next = cache.next();
      asked.push(...(next ? [next] : []));
    }
    expect(asked).toHaveLength(2);
    asked.forEach(range => cache.answer(range, lines(range.start, range.stop, 1_000_000)));
    expect(cache.next()).toEqual({ start: 990_000, stop: 990_200 });
  });

  it('leaves the end where pushes have put it, for whoever follows it', () => {
    const cache = emptyLog(1_000);
    cache.want(990, 1_000);
    cache.answer(cache.next() as LineRange, lines(800, 1_000, 7_000));
    expect([cache.count, cache.next()]).toEqual([1_000, null]);
    cache.take(lines(6_900, 7_000));
    expect(cache.count).toBe(7_000);
  });

  it('does not let a late answer undo a newer push', () => {
    const cache = emptyLog(3, 2);
    cache.want(0, 3);
    const asked = cache.next() as LineRange;
    cache.take({ ...lines(2, 3, 3, 2), lines: ['90%'] });
    cache.answer(asked, { ...lines(0, 3, 3, 2), lines: ['a', 'b', '10%'] });
    expect([text(cache, 0), text(cache, 2)]).toEqual(['a', '90%']);
  });
});

describe('what is held', () => {
  it('is bounded, and what is in view stays', () => {
    const cache = emptyLog(10);
    cache.want(0, 10);
    cache.take(lines(0, 10));
    for (let start = 10; start < 100_000; start += 2_000) {
      cache.take(lines(start, start + 2_000));
    }
    expect(held(cache, 100_010).length).toBeLessThanOrEqual(42 * PAGE);
    expect([text(cache, 5), text(cache, 100_009)]).toEqual(['line 5', 'line 100009']);
  });

  it('is what was looked at last', () => {
    const cache = emptyLog(100_000);
    for (const page of [1, 2, 3, ...Array.from({ length: 38 }, (_, index) => index + 4)]) {
      cache.want(page * PAGE, page * PAGE + 1);
      cache.take(lines(page * PAGE, (page + 1) * PAGE, 100_000));
      cache.want(PAGE, PAGE + 1); // the first of them is looked at again and again
    }
    expect([text(cache, PAGE), text(cache, 2 * PAGE)]).toEqual(['line 200', undefined]);
  });

  it('ends where the log was cut', () => {
    const cache = new LineCache();
    cache.take(lines(0, 500));
    cache.cut(210);
    expect([cache.count, cache.finished]).toEqual([210, 210]);
    expect([text(cache, 209), text(cache, 210)]).toEqual(['line 209', undefined]);
  });
});

describe('a feed', () => {
  it('brings what is wanted, over as many short answers as it takes', async () => {
    const asked: LineRange[] = [];
    const feed = new LogRows(
      async rows => {
        asked.push(rows);
        return lines(rows.start, Math.min(rows.stop, rows.start + 150), 1_000);
      },
      () => undefined
    );
    feed.cache.take(lines(0, 0, 1_000));
    feed.want(0, 400);
    await until(() => feed.line(399) !== undefined);
    expect(asked).toEqual([
      { start: 0, stop: 400 },
      { start: 150, stop: 400 },
      { start: 300, stop: 400 }
    ]);
  });

  it('says why lines do not come, until they do', async () => {
    let isDown = true;
    const feed = new LogRows(
      async rows => {
        if (isDown) {
          throw new Error('The server does not answer.');
        }
        return lines(rows.start, rows.stop, 10);
      },
      () => undefined
    );
    feed.cache.take(lines(0, 0, 10));
    feed.want(0, 10);
    await until(() => feed.problem !== '');
    expect(feed.problem).toBe('The server does not answer.');
    isDown = false;
    feed.retry();
    await until(() => feed.line(9) !== undefined);
    expect(feed.problem).toBe('');
  });

  it('tells nobody once it is disposed of', async () => {
    let told = 0;
    const feed = new LogRows(
      async rows => lines(rows.start, rows.stop, 10),
      () => (told += 1)
    );
    feed.cache.take(lines(0, 0, 10));
    feed.want(0, 10);
    feed.dispose();
    await new Promise(resolve => setTimeout(resolve));
    expect(told).toBe(0);
  });

  it('gives the text of many rows, without escapes', async () => {
    const bring = async ({ start, stop }: LineRange): Promise<LineWindow> =>
      lines(start, Math.min(stop, start + 700), 2_500, 2_500, '\x1b[31mx');
    const feed = new LogRows(bring, () => undefined);
    feed.cache.take(lines(0, 0, 2_500));
    const got = (await feed.text(100, 2_400)).split('\n');
    expect([got.length, got[0], got.at(-1)]).toEqual([2_300, 'x 100', 'x 2399']);
  });
});

/** A log of this length of which no line is here. */
function emptyLog(count: number, finished = count): LineCache {
  const cache = new LineCache();
  cache.take(lines(0, 0, count, finished));
  return cache;
}

function asksOf(cache: LineCache): LineRange[] {
  const asked: LineRange[] = [];
  for (let next = cache.next(); next !== null; next = cache.next()) {
    asked.push(next);
  }
  return asked;
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 2_000;
  while (!condition()) {
    if (Date.now() > deadline) {
      throw new Error('it did not come');
    }
    await new Promise(resolve => setTimeout(resolve));
  }
}
