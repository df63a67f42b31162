// @vitest-environment jsdom

import { beforeEach, describe, expect, it, vi } from 'vitest';

import { eventually, turns } from '../turns.js';
import { asked, choose, find, labelled, numbered, pane, press, rows, said, search, shown, source } from './logstab.js';

describe('the search', () => {
  it('finds the first hit from what is in view, shows and marks it, and says which it is', async () => {
    await shown(numbered(5_000));
    press(find('.pj-JobView-log'), 'Home');
    await turns();
    await search('line 3');
    expect(find('.pj-JobView-isHit').textContent).toBe('line 3');
    expect(find('.pj-JobView-isHit mark').textContent).toBe('line 3');
    expect(find('.pj-JobView-hits').textContent).toBe('1 of 1,111');
    expect(said).toEqual(['1 of 1,111']);
  });

  it.each<[string, () => void, string]>([
    ['Enter', () => press(labelled('Search the log'), 'Enter'), 'line 30'],
    ['Shift+Enter', () => press(labelled('Search the log'), 'Enter', { shiftKey: true }), 'line 3999'],
    ['F3', () => press(find('.pj-JobView-log'), 'F3'), 'line 30'],
    ['Shift+F3', () => press(find('.pj-JobView-log'), 'F3', { shiftKey: true }), 'line 3999'],
    ['its button', () => labelled('Next match (Enter)').click(), 'line 30']
  ])('steps by %s', async (_, step, line) => {
    await shown(numbered(5_000));
    press(find('.pj-JobView-log'), 'Home');
    await turns();
    await search('line 3');
    step();
    await turns();
    expect(find('.pj-JobView-isHit').textContent).toBe(line);
  });

  it('begins by itself when the user has stopped typing', async () => {
    await shown(numbered(100));
    const box = labelled<HTMLInputElement>('Search the log');
    for (const pattern of ['l', 'li', 'line 50']) {
      box.value = pattern;
      box.dispatchEvent(new Event('input'));
    }
    await eventually(() => expect(find('.pj-JobView-hits').textContent).toBe('1 of 1'));
    expect(asked('search').map(({ pattern }) => pattern)).toEqual(['line 50']);
  });

  it('shows a hit in a line of which no push has told yet', async () => {
    const lines = numbered(1_000);
    await shown(lines);
    source.logs['worker-0'] = [...lines, ...numbered(100, 'new'), 'needle', ...numbered(100, 'newer')];
    await search('needle');
    expect(find('.pj-JobView-isHit').textContent).toBe('needle');
  });

  it('minds the case, and takes expressions, when that is chosen', async () => {
    await shown(['Loss 1', 'loss 2', 'l.ss 3']);
    await search('loss');
    labelled('Match case').click();
    await turns();
    expect(find('.pj-JobView-hits').textContent).toBe('1 of 1');
    await search('l.ss');
    labelled('Regular expression').click();
    await turns();
    expect(asked('search').at(-1)).toMatchObject({ pattern: 'l.ss', regex: true, ignore_case: false });
    expect(find('.pj-JobView-hits').textContent).toContain('2');
  });

  it('says why an expression is none', async () => {
    await shown(numbered(10));
    source.refuse('search', 'The pattern is not closed: "[".');
    await search('[');
    expect(find('.pj-JobView-trouble').textContent).toBe('The pattern is not closed: "[".');
    expect(labelled('Search the log').getAttribute('aria-invalid')).toBe('true');
  });

  it('says that there are no hits', async () => {
    await shown(numbered(10));
    await search('nowhere');
    expect(find('.pj-JobView-hits').textContent).toBe('no matches');
  });

  it('says that there are more hits than it counts', async () => {
    await shown(numbered(10));
    const found = Float64Array.from(numbered(100_000).keys());
    source.answers.search = () => ({
      ok: { count: 100_000, searched: 100_000, is_more: true },
      buffers: [found.buffer]
    });
    await search('line');
    expect(find('.pj-JobView-hits').textContent).toMatch(/100,000\+$/);
  });

  it("ends by Escape, which then is the notebook's again", async () => {
    await shown(numbered(10));
    await search('line 5');
    press(labelled('Search the log'), 'Escape');
    await turns();
    expect([find('.pj-JobView-hits').textContent, pane.element.querySelector('mark')]).toEqual(['', null]);
    expect(press(labelled('Search the log'), 'Escape').defaultPrevented).toBe(false);
  });

  it.each([{ ctrlKey: true }, { metaKey: true }])('has the focus by %j and F', async modifiers => {
    await shown(numbered(10));
    find('.pj-JobView-log').focus();
    expect(press(find('.pj-JobView-log'), 'f', modifiers).defaultPrevented).toBe(true);
    expect(document.activeElement).toBe(labelled('Search the log'));
  });

  it('counts on while the job prints', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await shown(numbered(10));
    await search('line 5');
    source.print('worker-0', 'line 55');
    vi.advanceTimersByTime(2_000);
    await turns();
    expect(find('.pj-JobView-hits').textContent).toBe('1 of 2');
    expect(asked('search').at(-1)?.after).toBe(10);
  });
});

describe('a level', () => {
  beforeEach(() => {
    source.answers.search = ({ replica, level, after = 0 }) => {
      const all = source.logs[replica] ?? [];
      const isFound = (line: string, number: number): boolean => number >= after && (!level || line.includes(level));
      const found = Float64Array.from(all.flatMap((line, number) => (isFound(line, number) ? [number] : [])));
      return { ok: { count: found.length, searched: all.length, is_more: false }, buffers: [found.buffer] };
    };
  });

  it('shows only its lines, and how many of how many', async () => {
    await shown(numbered(1_000).map((line, index) => (index % 100 === 7 ? `warning ${index}` : line)));
    choose('Level', 'warning');
    await turns();
    expect(rows()).toEqual(Array.from({ length: 10 }, (_, index) => `warning ${index * 100 + 7}`));
    expect(find('.pj-JobView-logCount').textContent).toContain('10 of 1,000 lines');
  });

  it('shows all again, at the line that was looked at', async () => {
    await shown(numbered(1_000).map((line, index) => (index % 10 === 7 ? `error ${index}` : line)));
    choose('Level', 'error');
    await turns();
    press(find('.pj-JobView-log'), 'PageUp');
    await turns();
    const top = rows()[0] ?? '';
    choose('Level', '');
    await turns();
    expect(rows()).toContain(top);
    expect(rows().length).toBeGreaterThan(9);
  });

  it('says when there is none', async () => {
    await shown(numbered(10));
    choose('Level', 'error');
    await turns();
    expect(find('.pj-JobView-logNote').textContent).toBe('No lines at this level.');
  });

  it('is what a search looks through', async () => {
    await shown(numbered(10));
    choose('Level', 'error');
    await search('line');
    expect(asked('search').at(-1)).toMatchObject({ pattern: 'line', level: 'error' });
  });
});
