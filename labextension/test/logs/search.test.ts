import { describe, expect, it } from 'vitest';

import { LevelFilter } from '../../src/logs/filter.js';
import { extended, firstFrom, type SearchHits, hitsOf, lastBefore, NO_HITS } from '../../src/logs/searchhits.js';
import type { LineWindow } from '../../src/logs/linecache.js';
import { highlighterOf } from '../../src/logs/highlight.js';
import { LIMIT, LogSearch, type SearchQuery } from '../../src/logs/search.js';

const LOSS: SearchQuery = { pattern: 'loss', regex: false, ignoreCase: true, level: null };

/** A log that is known by its hits; an answer has at most `limit` of them, and looks at no more than `step` lines. */
class Log {
  readonly asked: number[] = [];
  isDown = false;

  constructor(
    public hits: number[],
    public count: number,
    private readonly limit = LIMIT,
    private readonly step = Infinity
  ) {}

  ask = async (after: number): Promise<SearchHits> => {
    this.asked.push(after);
    await Promise.resolve();
    if (this.isDown) {
      throw new Error('The pattern is not closed: "[".');
    }
    const found = this.hits.filter(hit => hit >= after);
    const end = Math.min(found[this.limit] ?? this.count, after + this.step); // where the next answer goes on
    const numbers = found.slice(0, this.limit).filter(hit => hit < end);
    return hitsOf(after, Float64Array.from(numbers), end, end < this.count);
  };

  search(): LogSearch {
    return new LogSearch(
      (_, after) => this.ask(after),
      () => undefined,
      this.limit
    );
  }
}

describe('hits', () => {
  const hits = hitsOf(0, Float64Array.from([3, 10, 20]), 50, false);

  it.each([
    [0, 3],
    [3, 3],
    [4, 10],
    [20, 20],
    [21, null]
  ])('at or behind line %d: %j', (line, hit) => {
    expect(firstFrom(hits, line)).toBe(hit);
  });

  it.each([
    [3, null],
    [4, 3],
    [20, 10],
    [1_000, 20]
  ])('before line %d: %j', (line, hit) => {
    expect(lastBefore(hits, line)).toBe(hit);
  });

  it('are known as far as was searched', () => {
    expect(hitsOf(5, Float64Array.from([7]), 50, false)).toMatchObject({ from: 5, to: 50, isMore: false });
    expect(hitsOf(5, Float64Array.from([7]), 40, true)).toMatchObject({ from: 5, to: 40, isMore: true });
  });

  it.each<[string, number[], number, number]>([
    ['that is full', [6, 7], 40, 40],
    ['that is out of time', [], 40, 40],
    ['that is out of time within a line with a hit', [7], 7, 8]
  ])('go on behind an answer %s', (_, numbers, searched, to) => {
    expect(hitsOf(5, Float64Array.from(numbers), searched, true)).toMatchObject({ from: 5, to, isMore: true });
  });

  it('are replaced from where was searched again', () => {
    const more = extended(hits, hitsOf(20, Float64Array.from([22, 60]), 70, false));
    expect([...more.numbers, more.from, more.to]).toEqual([3, 10, 22, 60, 0, 70]);
  });
});

describe('a search', () => {
  it('finds, and steps through the hits in both directions and around', async () => {
    const search = new Log([3, 10, 20], 50).search();
    await search.set(LOSS);
    expect([search.state, search.hits.numbers.length]).toEqual(['found', 3]);
    expect([await search.forward(4), search.position]).toEqual([10, 2]);
    expect([await search.forward(11), search.position]).toEqual([20, 3]);
    expect([await search.forward(21), search.position]).toEqual([3, 1]);
    expect([await search.backward(3, 50), search.position]).toEqual([20, 3]);
    expect([await search.backward(20, 50), search.position]).toEqual([10, 2]);
  });

  it('has no next hit where it has none', async () => {
    const search = new Log([], 50).search();
    await search.set(LOSS);
    expect([await search.forward(0), await search.backward(10, 50), search.position]).toEqual([null, null, 0]);
  });

  it('says why a pattern cannot be searched for, and forgets it with the next', async () => {
    const log = new Log([1], 50);
    const search = log.search();
    log.isDown = true;
    await search.set(LOSS);
    expect([search.state, search.problem]).toEqual(['failed', 'The pattern is not closed: "[".']);
    log.isDown = false;
    await search.set(LOSS);
    expect([search.state, search.problem]).toEqual(['found', '']);
  });

  it('goes on where the server ran out of time, and gives up where it comes no further', async () => {
    const log = new Log([900], 1_000, LIMIT, 400);
    const search = log.search();
    await search.set(LOSS);
    expect([search.state, [...search.hits.numbers], log.asked]).toEqual(['found', [900], [0, 400, 800]]);
    const stuck = new LogSearch(
      async (_, after) => hitsOf(after, new Float64Array(0), 0, true),
      () => undefined
    );
    await stuck.set(LOSS);
    expect(stuck.state).toBe('found');
  });

  it('drops the answers to an older search', async () => {
    const waiting: ((hits: SearchHits) => void)[] = [];
    const search = new LogSearch(
      () => new Promise(resolve => waiting.push(resolve)),
      () => undefined
    );
    const older = search.set(LOSS);
    const newer = search.set({ ...LOSS, pattern: 'acc' });
    waiting[1]?.(hitsOf(0, Float64Array.from([7]), 50, false));
    waiting[0]?.(hitsOf(0, Float64Array.from([1, 2, 3]), 50, false));
    await Promise.all([older, newer]);
    expect([...search.hits.numbers]).toEqual([7]);
  });

  it('drops what is new for an older search', async () => {
    const log = new Log([3], 50);
    const search = log.search();
    await search.set(LOSS);
    Object.assign(log, { hits: [60], count: 100 });
    const refresh = search.refresh(50);
    const other = search.set(null);
    await Promise.all([refresh, other]);
    expect([search.state, search.hits.numbers.length]).toEqual(['off', 0]);
  });

  it('is off when nothing is searched for', async () => {
    const search = new Log([1], 50).search();
    await search.set(LOSS);
    await search.set(null);
    expect([search.state, search.hits]).toEqual(['off', NO_HITS]);
  });

  it('looks only at what is new in a log that grows, and again at what was not finished', async () => {
    const log = new Log([3, 49], 50);
    const search = log.search();
    await search.set(LOSS);
    Object.assign(log, { hits: [3, 60, 80], count: 100 });
    await search.refresh(49);
    expect([[...search.hits.numbers], log.asked]).toEqual([
      [3, 60, 80],
      [0, 49]
    ]);
    await search.refresh(100);
    expect(log.asked).toEqual([0, 49, 100]);
  });

  it('keeps what it found when a look at what is new fails', async () => {
    const log = new Log([3], 50);
    const search = log.search();
    await search.set(LOSS);
    log.isDown = true;
    await search.refresh(50);
    expect([search.state, [...search.hits.numbers]]).toEqual(['found', [3]]);
  });
});

describe('a search with more hits than come at once', () => {
  const everyTenth = Array.from({ length: 1_000 }, (_, index) => index * 10); // of 10,000 lines, 100 at a time

  async function searching(): Promise<LogSearch> {
    const search = new Log(everyTenth, 10_000, 100).search();
    await search.set(LOSS);
    return search;
  }

  it('says that there are more', async () => {
    const search = await searching();
    expect([search.hits.numbers.length, search.hits.isMore]).toEqual([100, true]);
  });

  it.each([
    [0, 0],
    [985, 990],
    [991, 1_000],
    [5_001, 5_010],
    [9_985, 9_990],
    [9_991, 0]
  ])('finds the next from line %d: %d', async (line, hit) => {
    expect(await (await searching()).forward(line)).toBe(hit);
  });

  it.each([
    [1_000, 990],
    [1_001, 1_000],
    [5_000, 4_990],
    [10_000, 9_990],
    [0, 9_990]
  ])('finds the one before line %d: %d', async (line, hit) => {
    expect(await (await searching()).backward(line, 10_000)).toBe(hit);
  });

  it('goes back over a long stretch without any', async () => {
    const dense = Array.from({ length: 101 }, (_, index) => index);
    const search = new Log([...dense, 9_000_000], 10_000_000, 100).search();
    await search.set(LOSS);
    expect(await search.backward(9_000_000, 10_000_000)).toBe(100);
  });

  it('goes back over answers that ran out of time', async () => {
    const dense = Array.from({ length: 101 }, (_, index) => index);
    const search = new Log([...dense, 5_000, 9_000], 10_000, 100, 1_000).search();
    await search.set(LOSS);
    expect(await search.backward(9_000, 10_000)).toBe(5_000);
  });

  it('goes on through answers that ran out of time with no hit', async () => {
    const log = new Log([9_000], 10_000, 100, 1_000);
    const search = log.search();
    await search.set(LOSS);
    expect([[...search.hits.numbers], search.hits.isMore, log.asked.length]).toEqual([[9_000], false, 10]);
  });

  it('walks through all of them and back', async () => {
    const search = await searching();
    const seen: (number | null)[] = [];
    for (let line = 0; seen.length < 1_000; line = (search.current ?? 0) + 1) {
      seen.push(await search.forward(line));
    }
    expect(seen).toEqual(everyTenth);
    for (let line = 9_990; line > 0; line = search.current ?? 0) {
      expect(await search.backward(line, 10_000)).toBe(line - 10);
    }
  });
});

describe('the lines at a level', () => {
  function filterOf(log: Log): LevelFilter {
    const bring = async (numbers: number[]): Promise<LineWindow> => ({
      start: 0,
      lines: numbers.map(number => `line ${number}`),
      times: [],
      clipped: {},
      count: log.count,
      finished: log.count
    });
    return new LevelFilter(log.ask, bring, () => undefined);
  }

  async function look(filter: LevelFilter, rows = 3): Promise<void> {
    filter.feed.want(0, rows - 1);
    filter.feed.want(0, rows);
    await new Promise(resolve => setTimeout(resolve)); // all that answers at once has answered then
  }

  it('are rows with the numbers of their lines', async () => {
    const filter = filterOf(new Log([3, 10, 20], 50));
    await filter.refresh(50);
    await look(filter);
    expect([filter.feed.count, filter.feed.line(1)?.text, filter.feed.numbering.number(1)]).toEqual([3, 'line 10', 10]);
    expect([filter.feed.numbering.row(10), filter.feed.numbering.row(11)]).toEqual([1, 2]);
  });

  it('are asked for until there are no more', async () => {
    const filter = filterOf(
      new Log(
        Array.from({ length: 450 }, (_, index) => index),
        450,
        100
      )
    );
    await filter.refresh(450);
    expect([filter.feed.count, filter.hits.isMore]).toEqual([450, false]);
  });

  it('are asked for on through answers that ran out of time with none of them', async () => {
    const filter = filterOf(new Log([4_321], 10_000, LIMIT, 1_000));
    await filter.refresh(10_000);
    expect([filter.feed.count, filter.hits.isMore]).toEqual([1, false]);
  });

  it('are asked for by few numbers at once', async () => {
    const asked: number[] = [];
    const log = new Log(
      Array.from({ length: 2_000 }, (_, index) => index),
      2_000
    );
    const filter = new LevelFilter(
      log.ask,
      async numbers => {
        asked.push(numbers.length);
        const lines = numbers.map(String);
        return { start: 0, lines, times: [], clipped: {}, count: 2_000, finished: 2_000 };
      },
      () => undefined
    );
    await filter.refresh(2_000);
    await look(filter, 900);
    expect([Math.max(...asked), filter.feed.line(899)?.text]).toEqual([500, '899']);
  });

  it('grow with the log, and drop a last line that has changed', async () => {
    const log = new Log([3, 49], 50);
    const filter = filterOf(log);
    await filter.refresh(49);
    await look(filter);
    Object.assign(log, { hits: [3, 60], count: 100 });
    await filter.refresh(49);
    await look(filter);
    expect([filter.feed.count, filter.feed.line(1)?.text]).toEqual([2, 'line 60']);
    Object.assign(log, { hits: [3], count: 100 });
    await filter.refresh(49);
    expect(filter.feed.count).toBe(1);
  });

  it('say why they do not come', async () => {
    const log = new Log([], 50);
    log.isDown = true;
    const filter = filterOf(log);
    await filter.refresh(50);
    expect(filter.problem).toBe('The pattern is not closed: "[".');
  });
});

describe('marks', () => {
  it.each([
    ['a.b', false, false, 'axb a.b', [[4, 7]]],
    [
      'LOSS',
      false,
      true,
      'loss Loss',
      [
        [0, 4],
        [5, 9]
      ]
    ],
    ['LOSS', false, false, 'loss LOSS', [[5, 9]]],
    [
      String.raw`\d+\.\d+`,
      true,
      false,
      'loss 0.5 acc 12.25',
      [
        [5, 8],
        [13, 18]
      ]
    ],
    ['^$|x*', true, false, 'abc', []],
    ['[', false, false, 'a[b', [[1, 2]]]
  ])('of %j (regex %s, ignoring case %s) in %j', (pattern, regex, ignoreCase, text, marks) => {
    expect(highlighterOf({ pattern, regex, ignoreCase })?.(text)).toEqual(marks);
  });

  it.each([
    '',
    '[',
    '(?P<name>x)',
    '(a+)+b',
    '(a|a)*b',
    '(a{1,20}){1,20}',
    String.raw`(.*)\1`,
    '.*.*.*.*x',
    'a?a?a?a?aaaa',
    'x'.repeat(500)
  ])('are not made for %j', pattern => {
    expect(highlighterOf({ pattern, regex: true, ignoreCase: false })).toBeNull();
  });

  it.each(['.*.*.*x', 'a*a*b', 'a?a?a*b', '[a-z]+[a-z]+[a-z]+!', '.*x'])('never hold up a page: %j', pattern => {
    const marker = highlighterOf({ pattern, regex: true, ignoreCase: true });
    const begin = performance.now();
    for (let row = 0; row < 60; row += 1) {
      marker?.('a'.repeat(1_000));
    }
    expect(marker).not.toBeNull();
    expect(performance.now() - begin).toBeLessThan(2_000);
  });

  it('are bounded in a line', () => {
    expect(highlighterOf({ pattern: 'a', regex: false, ignoreCase: false })?.('a'.repeat(1_000))).toHaveLength(100);
  });
});
